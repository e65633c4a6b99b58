# CMake generated Testfile for 
# Source directory: /tmp/e/src/coll/program
# Build directory: /tmp/e/asan/src/coll/program
# 
# This file includes the relevant testing commands required for 
# testing this directory and lists subdirectories to be tested as well.
