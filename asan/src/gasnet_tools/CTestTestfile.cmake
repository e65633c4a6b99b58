# CMake generated Testfile for 
# Source directory: /tmp/e/src/gasnet_tools
# Build directory: /tmp/e/asan/src/gasnet_tools
# 
# This file includes the relevant testing commands required for 
# testing this directory and lists subdirectories to be tested as well.
