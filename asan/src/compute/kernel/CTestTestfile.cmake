# CMake generated Testfile for 
# Source directory: /tmp/e/src/compute/kernel
# Build directory: /tmp/e/asan/src/compute/kernel
# 
# This file includes the relevant testing commands required for 
# testing this directory and lists subdirectories to be tested as well.
