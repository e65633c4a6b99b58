# CMake generated Testfile for 
# Source directory: /tmp/e/tools
# Build directory: /tmp/e/asan/tools
# 
# This file includes the relevant testing commands required for 
# testing this directory and lists subdirectories to be tested as well.
