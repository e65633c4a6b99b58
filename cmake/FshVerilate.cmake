# SPDX-License-Identifier: BSD-3-Clause
# verilate() at a target's configuration takes seconds to minutes and says only
# "Executing Verilator..."; this says of what.
# fsh_verilate(<target> <arguments of verilate; PREFIX and TOP_MODULE are needed>)
function(fsh_verilate target)
    cmake_parse_arguments(A "" "PREFIX;TOP_MODULE" "" ${ARGN})
    get_target_property(dir ${target} BINARY_DIR)
    set(dir ${dir}/CMakeFiles/${target}.dir/${A_PREFIX}.dir)
    if(NOT EXISTS ${dir}/verilator_args.txt)
        message(STATUS "Verilator: ${A_TOP_MODULE} for ${target}")
    endif()
    set(CMAKE_MESSAGE_LOG_LEVEL NOTICE) # in here; its failures are said
    verilate(${target} ${ARGN})
endfunction()
