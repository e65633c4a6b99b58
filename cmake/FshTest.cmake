# SPDX-License-Identifier: BSD-3-Clause
# Declaration of tests. Exit status 0 passes, 77 skips; a sanitizer report
# fails regardless of the status.

set(FSH_BAD_OUTPUT
    "ERROR: AddressSanitizer|ERROR: LeakSanitizer|WARNING: ThreadSanitizer|runtime error:")

# fsh_test_properties(<name> LABELS <l...> [TIMEOUT <s>] [PROCESSORS <n>] [WAITS])
# PROCESSORS: what it measures, or overlaps, needs so many; one by default, as a job in
# which ranks take turns. WAITS: its jobs sleep most of the time; two such tests share a
# processor. ctest counts halves of processors (HALVES in the Makefile).
function(fsh_test_properties name)
    cmake_parse_arguments(A "WAITS" "TIMEOUT;PROCESSORS" "LABELS" ${ARGN})
    if(NOT A_TIMEOUT)
        set(A_TIMEOUT 120)
    endif()
    if(NOT A_PROCESSORS)
        set(A_PROCESSORS 1)
    endif()
    math(EXPR halves "2 * ${A_PROCESSORS}")
    if(A_WAITS)
        set(halves 1)
    endif()
    set_tests_properties(${name} PROPERTIES
        SKIP_RETURN_CODE 77 TIMEOUT ${A_TIMEOUT} LABELS "${A_LABELS}"
        PROCESSORS ${halves}
        FAIL_REGULAR_EXPRESSION "${FSH_BAD_OUTPUT}")
    if(FSH_SANITIZE MATCHES address)
        set_property(TEST ${name} APPEND PROPERTY ENVIRONMENT
            "LSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/tests/lsan.supp:print_suppressions=0")
    endif()
endfunction()

# A program that needs no job: fsh_unit_test(<name> <target> LABELS ... ARGS ...)
# The target unit-tests builds all of them.
add_custom_target(unit-tests)
function(fsh_unit_test name target)
    cmake_parse_arguments(A "" "TIMEOUT" "LABELS;ARGS" ${ARGN})
    add_test(NAME ${name} COMMAND ${target} ${A_ARGS})
    fsh_test_properties(${name} LABELS ${A_LABELS} TIMEOUT ${A_TIMEOUT})
    add_dependencies(unit-tests ${target})
endfunction()

# A program run as a job by fshrun:
# fsh_job_test(<name> <target> CONDUIT <c> RANKS <n> [ARGS ...] [LABELS ...])
# fshrun's own time limit is shorter than ctest's, so that a hang ends with a
# state dump.
function(fsh_job_test name target)
    cmake_parse_arguments(A "" "CONDUIT;RANKS;TIMEOUT" "LABELS;ARGS" ${ARGN})
    if(NOT FSH_TESTS OR NOT TARGET fshrun OR
       (A_CONDUIT STREQUAL "fpga" AND NOT TARGET fshsim))
        return()
    endif()
    if(NOT A_TIMEOUT)
        set(A_TIMEOUT 120)
    endif()
    math(EXPR outer "${A_TIMEOUT} + 20")
    add_test(NAME ${name} COMMAND fshrun -n ${A_RANKS} --conduit ${A_CONDUIT}
             --timeout ${A_TIMEOUT} $<TARGET_FILE:${target}> ${A_ARGS})
    fsh_test_properties(${name} LABELS ${A_CONDUIT} ${A_LABELS}
                        TIMEOUT ${outer})
endfunction()
