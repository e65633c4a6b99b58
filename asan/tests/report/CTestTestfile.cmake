# CMake generated Testfile for 
# Source directory: /tmp/e/tests/report
# Build directory: /tmp/e/asan/tests/report
# 
# This file includes the relevant testing commands required for 
# testing this directory and lists subdirectories to be tested as well.
add_test([=[report/names]=] "/root/.pyenv/versions/3.11.7/bin/python3" "-S" "/tmp/e/tests/report/names.py" "/tmp/e/asan/tests/report_names")
set_tests_properties([=[report/names]=] PROPERTIES  ENVIRONMENT "LSAN_OPTIONS=suppressions=/tmp/e/tests/lsan.supp:print_suppressions=0" FAIL_REGULAR_EXPRESSION "ERROR: AddressSanitizer|ERROR: LeakSanitizer|WARNING: ThreadSanitizer|runtime error:" LABELS "perf;smp" PASS_REGULAR_EXPRESSION "names: pass" PROCESSORS "2" SKIP_RETURN_CODE "77" TIMEOUT "120" _BACKTRACE_TRIPLES "/tmp/e/tests/report/CMakeLists.txt;13;add_test;/tmp/e/tests/report/CMakeLists.txt;20;report_test;/tmp/e/tests/report/CMakeLists.txt;0;")
add_test([=[report/run]=] "/root/.pyenv/versions/3.11.7/bin/python3" "-S" "/tmp/e/tests/report/run.py" "/tmp/e/asan/tests/report_run")
set_tests_properties([=[report/run]=] PROPERTIES  ENVIRONMENT "LSAN_OPTIONS=suppressions=/tmp/e/tests/lsan.supp:print_suppressions=0" FAIL_REGULAR_EXPRESSION "ERROR: AddressSanitizer|ERROR: LeakSanitizer|WARNING: ThreadSanitizer|runtime error:" LABELS "perf;smp" PASS_REGULAR_EXPRESSION "run: pass" PROCESSORS "2" SKIP_RETURN_CODE "77" TIMEOUT "120" _BACKTRACE_TRIPLES "/tmp/e/tests/report/CMakeLists.txt;13;add_test;/tmp/e/tests/report/CMakeLists.txt;21;report_test;/tmp/e/tests/report/CMakeLists.txt;0;")
add_test([=[report/job_smp]=] "/root/.pyenv/versions/3.11.7/bin/python3" "-S" "/tmp/e/tests/report/job.py" "/tmp/e/asan/bin/fshrun" "/tmp/e/asan/examples" "/tmp/e/asan/tests/trace_die")
set_tests_properties([=[report/job_smp]=] PROPERTIES  ENVIRONMENT "LSAN_OPTIONS=suppressions=/tmp/e/tests/lsan.supp:print_suppressions=0" FAIL_REGULAR_EXPRESSION "ERROR: AddressSanitizer|ERROR: LeakSanitizer|WARNING: ThreadSanitizer|runtime error:" LABELS "perf;smp" PASS_REGULAR_EXPRESSION "job: pass" PROCESSORS "2" SKIP_RETURN_CODE "77" TIMEOUT "120" _BACKTRACE_TRIPLES "/tmp/e/tests/report/CMakeLists.txt;23;add_test;/tmp/e/tests/report/CMakeLists.txt;0;")
