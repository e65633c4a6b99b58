# SPDX-License-Identifier: BSD-3-Clause
# The public headers compile silently in every language they claim, and refuse
# to compile without exactly one thread mode.

set(header_flags -fsyntax-only -Wall -Wextra -Wpedantic -Wshadow -Wconversion
    -Werror -I${PROJECT_SOURCE_DIR}/include)

function(header_test name compiler language)
    add_test(NAME conform/header_${name} COMMAND ${compiler} -x ${language}
             ${header_flags} ${ARGN} ${CMAKE_CURRENT_LIST_DIR}/header_only.inc)
    fsh_test_properties(conform/header_${name} LABELS conform TIMEOUT 30)
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
header_test(no_mode ${CMAKE_C_COMPILER} c -std=gnu17)
header_test(two_modes ${CMAKE_C_COMPILER} c -std=gnu17 -DGASNET_SEQ -DGASNET_PAR)
set_tests_properties(conform/header_no_mode conform/header_two_modes
                     PROPERTIES WILL_FAIL TRUE)
