# CMake generated Testfile for 
# Source directory: /tmp/e/tests/install
# Build directory: /tmp/e/asan/tests/install
# 
# This file includes the relevant testing commands required for 
# testing this directory and lists subdirectories to be tested as well.
add_test([=[install/make]=] "/tmp/e/tests/install/test_make.sh" "/tmp/e")
set_tests_properties([=[install/make]=] PROPERTIES  ENVIRONMENT "LSAN_OPTIONS=suppressions=/tmp/e/tests/lsan.supp:print_suppressions=0" FAIL_REGULAR_EXPRESSION "ERROR: AddressSanitizer|ERROR: LeakSanitizer|WARNING: ThreadSanitizer|runtime error:" LABELS "install" PASS_REGULAR_EXPRESSION "make: pass" PROCESSORS "2" SKIP_RETURN_CODE "77" TIMEOUT "60" _BACKTRACE_TRIPLES "/tmp/e/tests/install/CMakeLists.txt;40;add_test;/tmp/e/tests/install/CMakeLists.txt;0;")
