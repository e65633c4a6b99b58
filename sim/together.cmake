# SPDX-License-Identifier: BSD-3-Clause
# Writes OUT, fsh::edge_of_two for a model of Verilator (together.h): for each function
# that its eval calls, in order, a call for the one node and a call for the other. The
# code of a node is twice the instruction cache; of two nodes each part is fetched once.
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

# calls(<variable> <function> <trigger>): the calls in the function, which does nothing
# but make them if its only trigger has fired; nothing if it is not of that form.
function(calls variable function trigger)
    body(body ${function})
    string(REGEX REPLACE "^.*// Body\n" "" body "${body}")
    set(calls "")
    if(body MATCHES "^    if \\(vlSelf->${trigger}\\.at\\(0U\\)\\) {\n([^{}]*)    }$")
        string(REGEX REPLACE "[ \n]+" " " calls "${CMAKE_MATCH_1}")
    endif()
    set(${variable} "${calls}" PARENT_SCOPE)
endfunction()

set(text)
string(REPLACE "|" ";" SOURCES "${SOURCES}")
foreach(source ${SOURCES})
    file(READ ${source} part)
    string(APPEND text "${part}")
endforeach()
string(REPLACE ";" "@" text "${text}") # no list of CMake
calls(ico eval_ico __VicoTriggered)
calls(nba eval_nba __VnbaTriggered)
# Nothing is done before the edge's work; and the clock's last value is where it was.
body(act eval_act)
if(NOT act MATCHES "VL_DEBUG_IF[^\n]*$" OR NOT text MATCHES "__Vtrigrprev__TOP__clk_i")
    set(nba "")
endif()
string(REGEX MATCHALL "[^@]+@" steps "${ico}${nba}")

set(declared)
set(code)
set(known ON)
foreach(step ${steps})
    string(STRIP "${step}" step)
    if(step MATCHES "^(${TOP}_[A-Za-z0-9_]+)___((ico|nba)_[A-Za-z0-9_]+)\\((vlSelf|\\(&vlSymsp->([A-Za-z0-9_]+)\\))\\)@$")
        set(type ${CMAKE_MATCH_1})
        set(name ${CMAKE_MATCH_1}___${CMAKE_MATCH_2})
        set(instance TOP)
        if(CMAKE_MATCH_5)
            set(instance ${CMAKE_MATCH_5})
        endif()
        list(APPEND declared "void ${name}(${type} *)@\n")
        string(APPEND code "    ${name}(&a->${instance})@\n    ${name}(&b->${instance})@\n")
    elseif(step MATCHES "^vlSelf->(__Vm_traceActivity.*@)$")
        string(APPEND code "    a->TOP.${CMAKE_MATCH_1}\n    b->TOP.${CMAKE_MATCH_1}\n")
    else()
        message(STATUS "Verilator: ${TOP}: not understood: ${step}")
        set(known OFF)
    endif()
endforeach()
list(REMOVE_DUPLICATES declared)
list(JOIN declared "" declared)

set(file "// Made by together.cmake.\n#include \"${TOP}__Syms.h\"\n#include \"together.h\"\n\n")
if(known AND NOT ico STREQUAL "" AND NOT nba STREQUAL "")
    string(APPEND file "${declared}
void fsh::edge_of_two(${TOP} *one, ${TOP} *two)
{
    ${TOP}__Syms *const a = one->rootp->vlSymsp@
    ${TOP}__Syms *const b = two->rootp->vlSymsp@
    one->clk_i = two->clk_i = 1@
    a->TOP.__Vtrigrprev__TOP__clk_i = b->TOP.__Vtrigrprev__TOP__clk_i = 1@
    a->__Vm_activity = b->__Vm_activity = true@
${code}}\n")
else()
    message(STATUS "Verilator: ${TOP}: nodes are evaluated one by one")
    string(APPEND file "#include \"wrap.h\"
void fsh::edge_of_two(${TOP} *one, ${TOP} *two)
{
    fsh::edge(one)@
    fsh::edge(two)@
}\n")
endif()
string(REPLACE "@" ";" file "${file}")
file(WRITE ${OUT} "${file}")
