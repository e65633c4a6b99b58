# CMake generated Testfile for 
# Source directory: /tmp/e/tests/fuzz
# Build directory: /tmp/e/asan/tests/fuzz
# 
# This file includes the relevant testing commands required for 
# testing this directory and lists subdirectories to be tested as well.
add_test([=[fuzz/dispatch]=] "/tmp/e/asan/tests/fuzz_dispatch")
set_tests_properties([=[fuzz/dispatch]=] PROPERTIES  ENVIRONMENT "LSAN_OPTIONS=suppressions=/tmp/e/tests/lsan.supp:print_suppressions=0" FAIL_REGULAR_EXPRESSION "ERROR: AddressSanitizer|ERROR: LeakSanitizer|WARNING: ThreadSanitizer|runtime error:" LABELS "unit;fuzz" PROCESSORS "2" SKIP_RETURN_CODE "77" TIMEOUT "120" _BACKTRACE_TRIPLES "/tmp/e/cmake/FshTest.cmake;39;add_test;/tmp/e/tests/fuzz/CMakeLists.txt;11;fsh_unit_test;/tmp/e/tests/fuzz/CMakeLists.txt;0;")
add_test([=[fuzz/option]=] "/tmp/e/asan/tests/fuzz_option")
set_tests_properties([=[fuzz/option]=] PROPERTIES  ENVIRONMENT "LSAN_OPTIONS=suppressions=/tmp/e/tests/lsan.supp:print_suppressions=0" FAIL_REGULAR_EXPRESSION "ERROR: AddressSanitizer|ERROR: LeakSanitizer|WARNING: ThreadSanitizer|runtime error:" LABELS "unit;fuzz" PROCESSORS "2" SKIP_RETURN_CODE "77" TIMEOUT "120" _BACKTRACE_TRIPLES "/tmp/e/cmake/FshTest.cmake;39;add_test;/tmp/e/tests/fuzz/CMakeLists.txt;11;fsh_unit_test;/tmp/e/tests/fuzz/CMakeLists.txt;0;")
add_test([=[fuzz/ring]=] "/tmp/e/asan/tests/fuzz_ring")
set_tests_properties([=[fuzz/ring]=] PROPERTIES  ENVIRONMENT "LSAN_OPTIONS=suppressions=/tmp/e/tests/lsan.supp:print_suppressions=0" FAIL_REGULAR_EXPRESSION "ERROR: AddressSanitizer|ERROR: LeakSanitizer|WARNING: ThreadSanitizer|runtime error:" LABELS "unit;fuzz" PROCESSORS "2" SKIP_RETURN_CODE "77" TIMEOUT "120" _BACKTRACE_TRIPLES "/tmp/e/cmake/FshTest.cmake;39;add_test;/tmp/e/tests/fuzz/CMakeLists.txt;11;fsh_unit_test;/tmp/e/tests/fuzz/CMakeLists.txt;0;")
add_test([=[fuzz/sim_job]=] "/tmp/e/asan/tests/fuzz_sim_job")
set_tests_properties([=[fuzz/sim_job]=] PROPERTIES  ENVIRONMENT "LSAN_OPTIONS=suppressions=/tmp/e/tests/lsan.supp:print_suppressions=0" FAIL_REGULAR_EXPRESSION "ERROR: AddressSanitizer|ERROR: LeakSanitizer|WARNING: ThreadSanitizer|runtime error:" LABELS "unit;fuzz" PROCESSORS "2" SKIP_RETURN_CODE "77" TIMEOUT "120" _BACKTRACE_TRIPLES "/tmp/e/cmake/FshTest.cmake;39;add_test;/tmp/e/tests/fuzz/CMakeLists.txt;11;fsh_unit_test;/tmp/e/tests/fuzz/CMakeLists.txt;0;")
add_test([=[fuzz/wire]=] "/tmp/e/asan/tests/fuzz_wire")
set_tests_properties([=[fuzz/wire]=] PROPERTIES  ENVIRONMENT "LSAN_OPTIONS=suppressions=/tmp/e/tests/lsan.supp:print_suppressions=0" FAIL_REGULAR_EXPRESSION "ERROR: AddressSanitizer|ERROR: LeakSanitizer|WARNING: ThreadSanitizer|runtime error:" LABELS "unit;fuzz" PROCESSORS "2" SKIP_RETURN_CODE "77" TIMEOUT "120" _BACKTRACE_TRIPLES "/tmp/e/cmake/FshTest.cmake;39;add_test;/tmp/e/tests/fuzz/CMakeLists.txt;11;fsh_unit_test;/tmp/e/tests/fuzz/CMakeLists.txt;0;")
add_test([=[fuzz/command_line]=] "/root/.pyenv/versions/3.11.7/bin/python3" "-S" "/tmp/e/tests/fuzz/command_line.py")
set_tests_properties([=[fuzz/command_line]=] PROPERTIES  ENVIRONMENT "FSH_BIN=/tmp/e/asan/bin" FAIL_REGULAR_EXPRESSION "ERROR: AddressSanitizer|ERROR: LeakSanitizer|WARNING: ThreadSanitizer|runtime error:" LABELS "smp;fuzz" PROCESSORS "2" SKIP_RETURN_CODE "77" TIMEOUT "120" _BACKTRACE_TRIPLES "/tmp/e/tests/fuzz/CMakeLists.txt;37;add_test;/tmp/e/tests/fuzz/CMakeLists.txt;0;")
