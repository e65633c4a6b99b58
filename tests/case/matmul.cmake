# SPDX-License-Identifier: BSD-3-Clause
# 06_matmul: the same hash of C whatever the conduit, and each run is checked
# against FP64 by the program. Sizes: shares that are no multiple of a part (64
# columns) or of a slab (128), K that is no multiple of 64, one part and several,
# rings in which parts are passed on over one node and over more.

# matmul_job(<test> <conduit> <ranks> JUDGE <run.py options> ARGS <arguments>)
function(matmul_job test conduit ranks)
    cmake_parse_arguments(A "" "" "JUDGE;ARGS" ${ARGN})
    set(full case/matmul-${test}/${conduit}-${ranks})
    add_test(NAME ${full} COMMAND ${FSH_PYTHON}
             ${PROJECT_SOURCE_DIR}/tests/conform/run.py --limit 100 ${A_JUDGE} --
             $<TARGET_FILE:fshrun> -n ${ranks} --conduit ${conduit}
             $<TARGET_FILE:06_matmul> ${A_ARGS})
    fsh_test_properties(${full} LABELS case ${conduit} TIMEOUT 120)
endfunction()

# matmul_size(<size> <hash> <way> SMP <ranks...> FPGA <ranks...>)
function(matmul_size size hash way)
    cmake_parse_arguments(A "" "" "SMP;FPGA" ${ARGN})
    foreach(conduit smp fpga)
        string(TOUPPER ${conduit} upper)
        if(conduit STREQUAL fpga AND NOT TARGET fshsim)
            continue()
        endif()
        foreach(ranks ${A_${upper}})
            matmul_job(${way}-${size} ${conduit} ${ranks}
                       JUDGE --out "ranks, ${way}, seed 1: hash ${hash}\n"
                       --out "Self-check passed"
                       ARGS --size ${size} --algorithm ${way})
        endforeach()
    endforeach()
endfunction()

matmul_size(384 feaf78e3c8c64315 pass-on SMP 1 2 3 4 8 FPGA 1 2 3 4)
matmul_size(96 34c8d3bde8963596 pass-on SMP 1 2 3 6 FPGA 1 2 3)
matmul_size(144 535df9fe05b8f902 pass-on SMP 1 3 9 FPGA 3)
matmul_size(160 eabc022d39971759 pass-on SMP 1 5 10 FPGA 5)
matmul_size(128 b878a5e1405bc7ab pass-on SMP 1 8 FPGA 4 8)
matmul_size(112 15de5ba99e08b280 pass-on SMP 7)
matmul_size(512 6ca5a327063dda23 pass-on SMP 4 FPGA 4)
matmul_size(864 e1dd6a734c8e427f pass-on SMP 1 6)
# Grids: square ones and others, rings of odd length, one part and several, padded
# ones, K in halves and whole; the least of which auto takes one.
matmul_size(384 feaf78e3c8c64315 grid SMP 1 2 3 4 6 8 12 FPGA 4 6 12)
matmul_size(96 34c8d3bde8963596 grid SMP 6)
matmul_size(144 535df9fe05b8f902 grid SMP 9 FPGA 9)
matmul_size(864 e1dd6a734c8e427f grid SMP 6 9)
matmul_size(96 34c8d3bde8963596 partial SMP 2 FPGA 2)
matmul_size(160 eabc022d39971759 partial SMP 2 FPGA 2)
matmul_size(288 1f65e0a13f206d5e partial SMP 2 FPGA 2)

foreach(conduit smp fpga)
    if(TARGET fshsim OR conduit STREQUAL smp)
        matmul_job(default ${conduit} 2
                   JUDGE --out "512 x 512 on 2 ranks, partial, .*6ca5a327063dda23"
                   --out "Self-check passed" ARGS)
    endif()
endforeach()
matmul_job(many smp 12
           JUDGE --out "384 x 384 on 12 ranks, grid, .*feaf78e3c8c64315"
           ARGS --size 384)
matmul_job(json smp 2 ARGS --json --size 96
           JUDGE --out "\"hash\": \"34c8d3bde8963596\".*\"check\": \"passed\"")
matmul_job(seed smp 2 ARGS --seed 2 --size 96
           JUDGE --out "seed 2: hash (?!34c8d3bde8963596)[0-9a-f]+"
           --out "Self-check passed")
matmul_job(help smp 2 ARGS --help
           JUDGE --out "usage: .*\n.*--size.*\n.*--algorithm.*\n.*--seed")

# Refused: the argument, its limit, what helps; on a line of its own, for the
# launcher says which rank left with the code.
function(matmul_refused name ranks pattern)
    matmul_job(refuse_${name} smp ${ranks} ARGS ${ARGN}
               JUDGE --code 2 --noise --env FSHMEM_SEGMENT_MAX=1G
               --err "(?m)^06_matmul: ${pattern}")
endfunction()
matmul_refused(share 3 "--size 512: 3 ranks need a multiple of 48. take 528")
matmul_refused(small 2 "--size 8: .*from 16 to 16384" --size 8)
matmul_refused(large 2 "--size 16400: .*from 16 to 16384" --size 16400)
matmul_refused(number 2 "--size 64x: .*from 16 to 16384" --size 64x)
matmul_refused(negative 2 "--seed -1: .*from 0 to 4294967295" --seed -1)
matmul_refused(way 2 "--algorithm part: .*auto\\|partial\\|pass-on\\|grid"
               --algorithm part)
matmul_refused(partial 3 "--algorithm partial: for 2 ranks, not 3. take"
               --size 96 --algorithm partial)
matmul_refused(unknown 2 "--rows: unknown option. see --help" --rows 4)
matmul_refused(missing 2 "--size: its value is missing" --size)
matmul_refused(memory 1 "needs segments of [0-9]+ MiB. the largest here has 1024: .*--segment-max"
               --size 16384)
matmul_job(refuse_core smp 2 ARGS --size 96
           JUDGE --code 2 --noise --env FSHMEM_COMPUTE=0
           --err "06_matmul: rank 0 has no compute core. .*FSHMEM_COMPUTE=1")

# fshperf case-study: wrong use.
function(study_refused name pattern)
    add_test(NAME case/study-refuse_${name} COMMAND ${FSH_PYTHON}
             ${PROJECT_SOURCE_DIR}/tests/conform/run.py --code failure
             --err ${pattern} -- ${ARGN})
    fsh_test_properties(case/study-refuse_${name} LABELS case)
endfunction()
if(TARGET fshperf)
    set(study $<TARGET_FILE:fshperf> case-study)
    study_refused(unknown "--fast: unknown option" ${study} --fast)
    study_refused(missing "--json: its value is missing: --json FILE" ${study} --json)
    study_refused(choice "--algorithm no: expected one of auto.partial.pass-on"
                  ${study} --algorithm no)
    study_refused(file "cannot write /nowhere/x: " ${study} --json /nowhere/x)
    study_refused(job "starts its own jobs. run it without fshrun"
                  $<TARGET_FILE:fshrun> -n 1 --conduit smp ${study})
endif()

# What fshperf measures, from the counters of the simulated cores. It moves by
# some cycles with the phase of the links, so the limits are a little above.
if(TARGET fshperf AND TARGET fshsim)
    add_test(NAME case/matmul-cycles COMMAND ${FSH_PYTHON}
             ${CMAKE_CURRENT_LIST_DIR}/cycles.py $<TARGET_FILE:fshperf>)
    fsh_test_properties(case/matmul-cycles LABELS case fpga TIMEOUT 300)
endif()
if(TARGET fshperf AND TARGET fshsim-wide)
    add_test(NAME case/matmul-grid-cycles COMMAND ${FSH_PYTHON}
             ${CMAKE_CURRENT_LIST_DIR}/grid_cycles.py $<TARGET_FILE:fshrun>
             $<TARGET_FILE:fshperf>)
    fsh_test_properties(case/matmul-grid-cycles LABELS case fpga TIMEOUT 300)
endif()
