# CMake generated Testfile for 
# Source directory: /tmp/e
# Build directory: /tmp/e/asan
# 
# This file includes the relevant testing commands required for 
# testing this directory and lists subdirectories to be tested as well.
subdirs("src/base")
subdirs("src/gasnet_tools")
subdirs("src/compute/number")
subdirs("src/coll/fold")
subdirs("src/coll/wire")
subdirs("src/coll/program")
subdirs("src/coll/direct")
subdirs("src/coll/card")
subdirs("src/compute/kernel")
subdirs("src/compute/execute")
subdirs("src/boot")
subdirs("src/network")
subdirs("src/device")
subdirs("src/conduit")
subdirs("src/conduit/smp")
subdirs("src/conduit/ofi")
subdirs("src/conduit/fpga")
subdirs("src/conduit/mixed")
subdirs("src/bridge")
subdirs("src/compute/submit")
subdirs("src/gasnet")
subdirs("src/compute/api")
subdirs("src/coll/api")
subdirs("tools")
subdirs("tests")
subdirs("bench")
subdirs("examples")
