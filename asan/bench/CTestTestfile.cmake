# CMake generated Testfile for 
# Source directory: /tmp/e/bench
# Build directory: /tmp/e/asan/bench
# 
# This file includes the relevant testing commands required for 
# testing this directory and lists subdirectories to be tested as well.
