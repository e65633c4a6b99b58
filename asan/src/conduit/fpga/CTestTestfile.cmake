# CMake generated Testfile for 
# Source directory: /tmp/e/src/conduit/fpga
# Build directory: /tmp/e/asan/src/conduit/fpga
# 
# This file includes the relevant testing commands required for 
# testing this directory and lists subdirectories to be tested as well.
