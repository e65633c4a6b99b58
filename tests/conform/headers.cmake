# SPDX-License-Identifier: BSD-3-Clause
# The public headers compile silently in every language they claim, and refuse
# to compile without exactly one thread mode.

set(header_flags -fsyntax-only -Wall -Wextra -Wpedantic -Wshadow -Wconversion
    -Wundef -Werror -I${PROJECT_SOURCE_DIR}/include)

function(header_compile name source compiler language)
    add_test(NAME conform/header_${name} COMMAND ${compiler} -x ${language}
             ${header_flags} ${ARGN} ${CMAKE_CURRENT_LIST_DIR}/${source})
    fsh_test_properties(conform/header_${name} LABELS conform TIMEOUT 30)
endfunction()

function(header_test name compiler language)
    header_compile(${name} header_only.inc ${compiler} ${language} ${ARGN})
endfunction()

# header_standards(<suffix of the tests> <compiler> <language> <mode> <standard>...)
function(header_standards suffix compiler language mode)
    if(NOT compiler)
        return()
    endif()
    foreach(standard ${ARGN})
        header_test(${standard}${suffix} ${compiler} ${language}
                    -std=${standard} -D${mode})
    endforeach()
endfunction()

# The compilers of the build, and clang if it is there.
find_program(CONFORM_CLANG NAMES clang clang-14)
find_program(CONFORM_CLANGXX NAMES clang++ clang++-14)
mark_as_advanced(CONFORM_CLANG CONFORM_CLANGXX)
set(c gnu89 c99 gnu99 c11 gnu17)
set(cxx c++11 c++17 c++20)
header_standards("" "${CMAKE_C_COMPILER}" c GASNET_SEQ ${c})
header_standards("" "${CMAKE_CXX_COMPILER}" c++ GASNET_PAR=1 ${cxx})
header_standards(_clang "${CONFORM_CLANG}" c GASNET_SEQ ${c})
header_standards(_clang "${CONFORM_CLANGXX}" c++ GASNET_PAR=1 ${cxx})
header_test(parsync ${CMAKE_C_COMPILER} c -std=gnu17 -DGASNET_PARSYNC)
header_test(empty_mode ${CMAKE_C_COMPILER} c -std=gnu17 -DGASNET_PAR=
            -DCONFORM_TEST_MODE=GASNET_PAR)
header_test(strict_prototypes ${CMAKE_C_COMPILER} c -std=gnu17 -DGASNET_SEQ
            -DGASNET_USE_STRICT_PROTOTYPES -Wstrict-prototypes)
# A client's own config.h, before or after.
header_test(own_sizes ${CMAKE_C_COMPILER} c -std=gnu17 -DGASNET_SEQ
            -DSIZEOF_INT=4 -DSIZEOF_LONG=8 -DSIZEOF_VOID_P=8
            -DHAVE_MMAP=1 -DHAVE_PTHREAD_H=1)
header_test(no_mode ${CMAKE_C_COMPILER} c -std=gnu17)
header_test(two_modes ${CMAKE_C_COMPILER} c -std=gnu17 -DGASNET_SEQ -DGASNET_PAR)
set_tests_properties(conform/header_no_mode conform/header_two_modes
                     PROPERTIES WILL_FAIL TRUE)

# gasnet_tools.h: alone, after gasnet.h and before it, in every mode.
function(tools_header name)
    header_compile(tools_${name} tools_header.inc ${ARGN})
endfunction()
function(tools_header_standards suffix compiler language)
    if(compiler)
        foreach(standard ${ARGN})
            tools_header(${standard}${suffix} ${compiler} ${language}
                         -std=${standard} -DGASNETT_THREAD_SAFE -O1
                         -DTOOLS_MODE=GASNETT_THREAD_SAFE -DTOOLS_ORDER=0)
            tools_header(after_${standard}${suffix} ${compiler} ${language}
                         -std=${standard} -DGASNET_SEQ -DTOOLS_ORDER=1
                         -DTOOLS_MODE=GASNETT_THREAD_SINGLE)
        endforeach()
    endif()
endfunction()
tools_header_standards("" "${CMAKE_C_COMPILER}" c ${c})
tools_header_standards("" "${CMAKE_CXX_COMPILER}" c++ ${cxx})
tools_header_standards(_clang "${CONFORM_CLANG}" c ${c})
tools_header_standards(_clang "${CONFORM_CLANGXX}" c++ ${cxx})
set(tools_c ${CMAKE_C_COMPILER} c -std=gnu17)
set(single -DTOOLS_MODE=GASNETT_THREAD_SINGLE)
set(safe -DTOOLS_MODE=GASNETT_THREAD_SAFE)
foreach(order 1 2)
    tools_header(seq_${order} ${tools_c} -DGASNET_SEQ -DTOOLS_ORDER=${order}
                 ${single})
    tools_header(parsync_${order} ${tools_c} -DGASNET_PARSYNC ${safe}
                 -DTOOLS_ORDER=${order})
    tools_header(par_${order} ${tools_c} -DGASNET_PAR=1 ${safe}
                 -DTOOLS_ORDER=${order})
    tools_header(cxx_par_${order} ${CMAKE_CXX_COMPILER} c++ -std=c++11 ${safe}
                 -DGASNET_PAR=1 -DTOOLS_ORDER=${order})
endforeach()
set(tools_alone ${tools_c} -DTOOLS_ORDER=0)
tools_header(single ${tools_alone} -DGASNETT_THREAD_SINGLE=1 ${single})
tools_header(default ${tools_alone} ${single})
tools_header(pthread ${tools_alone} -pthread ${safe})
tools_header(pthread_h ${tools_alone} -include pthread.h ${safe})
tools_header(lite ${tools_alone} -DGASNETT_LITE_MODE
             -DTOOLS_MODE=GASNETT_LITE_MODE)
tools_header(debug ${tools_alone} -DFSH_CONFIG_DEBUG=1 ${single})
tools_header(debug_safe ${tools_alone} -DFSH_CONFIG_DEBUG=1
             -DGASNETT_THREAD_SAFE ${safe})
tools_header(sanitized ${tools_c} -DGASNET_PAR -DTOOLS_ORDER=1
             -fsanitize=thread ${safe})
tools_header(two_modes ${tools_alone} -DGASNETT_THREAD_SAFE
             -DGASNETT_THREAD_SINGLE)
tools_header(contradiction ${tools_c} -DTOOLS_ORDER=1 -DGASNET_SEQ
             -DGASNETT_THREAD_SAFE)
set_tests_properties(conform/header_tools_two_modes
                     conform/header_tools_contradiction
                     PROPERTIES WILL_FAIL TRUE)

# Every name that programs use, in every thread mode.
function(names_test suffix compiler language)
    if(compiler)
        add_test(NAME conform/header_names${suffix} COMMAND ${FSH_PYTHON}
                 ${CMAKE_CURRENT_LIST_DIR}/names.py
                 ${PROJECT_SOURCE_DIR}/include ${compiler} ${language} ${ARGN})
        fsh_test_properties(conform/header_names${suffix}
                            LABELS conform TIMEOUT 60)
    endif()
endfunction()
names_test(_c "${CMAKE_C_COMPILER}" c -std=gnu17)
names_test(_gnu89 "${CMAKE_C_COMPILER}" c -std=gnu89)
names_test(_debug "${CMAKE_C_COMPILER}" c -DFSH_CONFIG_DEBUG=1)
names_test(_cxx "${CMAKE_CXX_COMPILER}" c++ -std=c++11)
names_test(_c_clang "${CONFORM_CLANG}" c -std=gnu17)
names_test(_cxx_clang "${CONFORM_CLANGXX}" c++ -std=c++20)
