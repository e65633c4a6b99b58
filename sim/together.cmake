# SPDX-License-Identifier: BSD-3-Clause
# Writes OUT, fsh::edge_of_two for a model of Verilator (together.h): for each function
# that its eval calls, in order, a call for the one card and a call for the other. The
# code of a node is twice the instruction cache; of two nodes each part is fetched once.
# What only the core's clock asks for is left out where it does not rise.
# cmake -DTOP=<Vmodel> -DSOURCES=<generated sources> -DOUT=<file> -P together.cmake
# Where Verilator writes otherwise than expected, OUT passes them one after the other.

# body(<variable> <function>): what stands between its braces.
function(body variable function)
    set(${variable} "" PARENT_SCOPE)
    string(FIND "${text}" "void ${TOP}___024root___${function}(${TOP}___024root* vlSelf) {"
        at)
    if(NOT at EQUAL -1)
        string(SUBSTRING "${text}" ${at} -1 body)
        string(FIND "${body}" "\n}\n" end)
        string(SUBSTRING "${body}" 0 ${end} body)
        set(${variable} "${body}" PARENT_SCOPE)
    endif()
endfunction()

# steps(<variable> <function> <trigger>): what the function does, which is to make
# calls if triggers have fired, one a line, each behind the numbers of its triggers;
# nothing if it is not of that form.
function(steps variable function trigger)
    body(body ${function})
    string(REGEX REPLACE "^.*// Body\n" "" body "${body}")
    set(steps "")
    while(body MATCHES "^    if \\(([^{}]*)\\) {\n([^{}]*)    }\n?")
        set(fired "${CMAKE_MATCH_1}")
        set(calls "${CMAKE_MATCH_2}")
        string(LENGTH "${CMAKE_MATCH_0}" length)
        string(REGEX REPLACE "[ \n]+" " " calls "${calls}")
        string(REPLACE "vlSelf->${trigger}.at(" "" fired "${fired}")
        string(REGEX REPLACE "U\\)|[() ]" "" fired "${fired}")
        string(REGEX REPLACE " ?([^@]+@)" "${fired} \\1\n" calls "${calls}")
        string(APPEND steps "${calls}")
        string(SUBSTRING "${body}" ${length} -1 body)
    endwhile()
    if(body STREQUAL "")
        set(${variable} "${steps}" PARENT_SCOPE)
    else()
        set(${variable} "" PARENT_SCOPE)
    endif()
endfunction()

# Which trigger is which clock.
function(clock_of_trigger variable number)
    set(${variable} "" PARENT_SCOPE)
    if(triggers MATCHES "at\\(${number}U\\) = \\(\\(IData\\)\\(vlSelf->([a-z_]+)\\)")
        set(${variable} ${CMAKE_MATCH_1} PARENT_SCOPE)
    endif()
endfunction()

set(text)
string(REPLACE "|" ";" SOURCES "${SOURCES}")
foreach(source ${SOURCES})
    file(READ ${source} part)
    string(APPEND text "${part}")
endforeach()
string(REPLACE ";" "@" text "${text}") # no list of CMake
steps(ico eval_ico __VicoTriggered)
steps(nba eval_nba __VnbaTriggered)
# Nothing is done before the edge's work; and the clocks' last values are where they were.
body(act eval_act)
body(triggers eval_triggers__act)
clock_of_trigger(first 0)
clock_of_trigger(second 1)
if(NOT act MATCHES "VL_DEBUG_IF[^\n]*$" OR NOT first STREQUAL clk_i OR
        NOT second STREQUAL core_clk_i OR triggers MATCHES "at\\(2U\\)" OR
        NOT text MATCHES "__Vtrigrprev__TOP__core_clk_i")
    set(nba "")
endif()
string(REGEX REPLACE "(^|\n)[0-9|]+ " "\\1ico " ico "${ico}") # always
string(REGEX MATCHALL "[^\n]+\n" steps "${ico}${nba}")

set(declared)
set(code)
set(open "") # calls for core_clk_i alone, not yet written
set(known ON)

# The calls gathered for the core: all for the one, then all for the other, as its code
# is larger than any cache.
macro(close_core)
    if(NOT open STREQUAL "")
        foreach(which a b)
            string(REPLACE "$" "${which}" calls "${open}")
            string(APPEND code "    if (core_${which}) {\n${calls}    }\n")
        endforeach()
        set(open "")
    endif()
endmacro()

foreach(step ${steps})
    string(STRIP "${step}" step)
    set(call "")
    if(step MATCHES "^([a-z0-9|]+) (${TOP}_[A-Za-z0-9_]+)___((ico|nba)_[A-Za-z0-9_]+)\\((vlSelf|\\(&vlSymsp->([A-Za-z0-9_]+)\\))\\)@$")
        set(fired ${CMAKE_MATCH_1})
        set(type ${CMAKE_MATCH_2})
        set(name ${CMAKE_MATCH_2}___${CMAKE_MATCH_3})
        set(instance TOP)
        if(CMAKE_MATCH_6)
            set(instance ${CMAKE_MATCH_6})
        endif()
        list(APPEND declared "void ${name}(${type} *)@\n")
        set(call "${name}(&$->${instance})@\n")
    elseif(step MATCHES "^([a-z0-9|]+) vlSelf->(__Vm_traceActivity.*@)$")
        set(fired ${CMAKE_MATCH_1})
        set(call "$->TOP.${CMAKE_MATCH_2}\n")
    endif()
    if(call STREQUAL "" OR NOT fired MATCHES "^(ico|0|1|0\\|1)$")
        message(STATUS "Verilator: ${TOP}: not understood: ${step}")
        set(known OFF)
    elseif(fired STREQUAL 1)
        string(APPEND open "        ${call}")
    else()
        close_core()
        string(REPLACE "$" a one "${call}")
        string(REPLACE "$" b two "${call}")
        string(APPEND code "    ${one}    ${two}")
    endif()
endforeach()
close_core()
list(REMOVE_DUPLICATES declared)
list(JOIN declared "" declared)

set(head "void fsh::edge_of_two(${TOP} *one, bool core_a, ${TOP} *two, bool core_b)\n{")
set(file "// Made by together.cmake.\n#include \"${TOP}__Syms.h\"\n#include \"together.h\"\n\n")
if(known AND NOT ico STREQUAL "" AND NOT nba STREQUAL "")
    string(APPEND file "${declared}
${head}
    ${TOP}__Syms *const a = one->rootp->vlSymsp@
    ${TOP}__Syms *const b = two->rootp->vlSymsp@
    one->clk_i = two->clk_i = 1@
    a->TOP.__Vtrigrprev__TOP__clk_i = b->TOP.__Vtrigrprev__TOP__clk_i = 1@
    if (core_a)
        one->core_clk_i = a->TOP.__Vtrigrprev__TOP__core_clk_i = 1@
    if (core_b)
        two->core_clk_i = b->TOP.__Vtrigrprev__TOP__core_clk_i = 1@
    a->__Vm_activity = b->__Vm_activity = true@
${code}}\n")
else()
    message(STATUS "Verilator: ${TOP}: nodes are evaluated one by one")
    string(APPEND file "#include \"wrap.h\"
${head}
    fsh::edge(one, true, core_a)@
    fsh::edge(two, true, core_b)@
}\n")
endif()
string(REPLACE "@" ";" file "${file}")
file(WRITE ${OUT} "${file}")
