# CMake generated Testfile for 
# Source directory: /tmp/e/tests/mutants
# Build directory: /tmp/e/asan/tests/mutants
# 
# This file includes the relevant testing commands required for 
# testing this directory and lists subdirectories to be tested as well.
