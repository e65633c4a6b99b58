# CMake generated Testfile for 
# Source directory: /tmp/e/tests/toy
# Build directory: /tmp/e/asan/tests/toy
# 
# This file includes the relevant testing commands required for 
# testing this directory and lists subdirectories to be tested as well.
