# CMake generated Testfile for 
# Source directory: /tmp/e/src/conduit/smp
# Build directory: /tmp/e/asan/src/conduit/smp
# 
# This file includes the relevant testing commands required for 
# testing this directory and lists subdirectories to be tested as well.
