# CMake generated Testfile for 
# Source directory: /tmp/e/tests/circles
# Build directory: /tmp/e/asan/tests/circles
# 
# This file includes the relevant testing commands required for 
# testing this directory and lists subdirectories to be tested as well.
