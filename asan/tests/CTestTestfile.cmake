# CMake generated Testfile for 
# Source directory: /tmp/e/tests
# Build directory: /tmp/e/asan/tests
# 
# This file includes the relevant testing commands required for 
# testing this directory and lists subdirectories to be tested as well.
subdirs("strict")
subdirs("unit")
subdirs("toy")
subdirs("conform")
subdirs("fshmem")
subdirs("case")
subdirs("trace")
subdirs("perf")
subdirs("report")
subdirs("hwsw")
subdirs("stress")
subdirs("hosts")
subdirs("fuzz")
subdirs("circles")
subdirs("model")
subdirs("mutants")
subdirs("install")
