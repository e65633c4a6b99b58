# SPDX-License-Identifier: BSD-3-Clause
# How a job may end (exit_job.c): scenario, code given, code expected, and what
# else run.py looks for.

# exit_test(<scenario> <code given> <codes expected> [run.py options])
function(exit_test scenario given expected)
    foreach(conduit ${conduits})
        foreach(ranks ${exit_ranks})
            conform_job(exit_${scenario}_${given} conform_exit_job ${conduit}
                        ${ranks} JUDGE --limit 20 --code ${expected} ${ARGN}
                        ARGS ${scenario} ${given})
        endforeach()
    endforeach()
endfunction()

set(exit_ranks 1 3)
exit_test(return 0 0)
exit_test(return 5 5 --noise)
exit_test(exit 0 0)
exit_test(exit 6 6 --noise)
exit_test(atexit 7 7 --noise)
exit_test(before-attach 8 8 --noise)
set(exit_ranks 2)
exit_test(gasnet 0 0 --out "unflushed [0-9]+;" --count 2)
exit_test(gasnet 9 9 --noise --out "unflushed [0-9]+;" --count 2)
exit_test(staggered 0 0)
exit_test(atexit-barrier 0 0 --out "atexit ran;" --count 2)
exit_test(atexit-barrier 4 4 --noise --out "atexit ran;" --count 2)
exit_test(thread 10 10 --noise)
exit_test(holding 11 11 --noise)
set(exit_ranks 3)
exit_test(different 20 20,21,22 --noise)
exit_test(one-spin 12 12 --noise)
exit_test(one-barrier 13 13 --noise)
exit_test(one-block 14 14 --noise)
exit_test(one-block 0 0 --noise)
exit_test(one-sending 15 15 --noise)
exit_test(one-return 16 16 --noise)
# The others wait for one that has returned from main: no success.
exit_test(one-return 0 123 --noise --env GASNET_EXITTIMEOUT=1
          --err "others have not within 1 s.*code 123")
exit_test(served 0 0 --out "served;" --count 2)
# A leak sanitizer stops the threads of a process that ends, and does not know
# those of one that was forked: it reports, or waits for, what is not there.
set(no_leak_check --env ASAN_OPTIONS=detect_leaks=0)
exit_test(children 0 0 ${no_leak_check} --out "children ended;" --count 3)
exit_test(children 5 5 ${no_leak_check} --noise --out "children ended;" --count 3)
exit_test(own-handlers 0 0 --out "handlers kept;" --count 3)
exit_test(no-catch 0 0 --env GASNET_NO_CATCH_SIGNAL=1 --out "no handlers;"
          --count 3)
exit_test(handler 17 17 --noise)
exit_test(quick-exit 18 18 --noise)
exit_test(sigquit 19 19 --noise --out "quit seen;" --count 2)
exit_test(before-attach-one 20 20 --noise)
exit_test(abort 0 failure --err "rank 2")
exit_test(segv 0 failure --err "rank 2")
exit_test(kill 0 failure --err "rank 2")
exit_test(term 0 failure --noise)

# Ends that find 8 ranks and their simulator on two processors.
if(fpga IN_LIST conduits)
    foreach(ending "gasnet 9" "one-spin 12" "one-sending 15" "handler 17")
        separate_arguments(ending)
        list(GET ending 0 scenario)
        list(GET ending 1 code)
        conform_job(exit_${scenario}_${code} conform_exit_job fpga 8
                    JUDGE --limit 20 --code ${code} --noise ARGS ${ending})
    endforeach()
endif()
