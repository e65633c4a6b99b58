# SPDX-License-Identifier: BSD-3-Clause
# Writes OUT, the functions of together.h for a model of Verilator: the calls that its
# eval makes, in order, without the loops and triggers around them. For two cards each
# call is made for the one, then for the other: the code of a node is twice the
# instruction cache, so each part is fetched once for both. Calls for the core's clock
# and for logic in the core (class <TOP>_<CORE>) are made only where that clock rises;
# outputs of the core must be functions of its registers.
# cmake -DTOP=<Vmodel> -DCORE=<instance> -DSOURCES=<generated sources> -DOUT=<file>
#     -P together.cmake
# Where Verilator writes otherwise than expected, OUT calls eval for each card.

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
set(one "")    # the edge of card a
set(two "")    # of cards a and b
set(settle "") # the core's combinational logic
set(open "")   # calls for the core alone, not yet written
set(known ON)

# The calls gathered for the core: all for the one, then all for the other, as its code
# is larger than any cache.
macro(close_core)
    if(NOT open STREQUAL "")
        foreach(which a b)
            string(REPLACE "$" "${which}" calls "${open}")
            string(APPEND two "    if (core_${which}.rises) {\n${calls}    }\n")
            if(which STREQUAL a)
                string(APPEND one "    if (core_a.rises) {\n${calls}    }\n")
            endif()
        endforeach()
        set(open "")
    endif()
endmacro()

foreach(step ${steps})
    string(STRIP "${step}" step)
    if(step MATCHES "^[a-z0-9|]+ vlSelf->__Vm_traceActivity.*@$")
        continue() # of use while waves are written only
    endif()
    if(NOT step MATCHES "^(ico|0|1|0\\|1) (${TOP}_[A-Za-z0-9_]+)___((ico|nba)_[A-Za-z0-9_]+)\\((vlSelf|\\(&vlSymsp->([A-Za-z0-9_]+)\\))\\)@$")
        message(STATUS "Verilator: ${TOP}: not understood: ${step}")
        set(known OFF)
        continue()
    endif()
    set(fired ${CMAKE_MATCH_1})
    set(type ${CMAKE_MATCH_2})
    set(name ${CMAKE_MATCH_2}___${CMAKE_MATCH_3})
    set(instance TOP)
    if(CMAKE_MATCH_6)
        set(instance ${CMAKE_MATCH_6})
    endif()
    list(APPEND declared "void ${name}(${type} *)@\n")
    set(call "${name}(&$->${instance})@\n")
    if(fired STREQUAL 1 OR instance MATCHES "^TOP__[a-z_]+__DOT__${CORE}(__|$)")
        string(APPEND open "        ${call}")
        if(fired MATCHES 0)
            string(REPLACE "$" a call "${call}")
            string(APPEND settle "    ${call}")
        endif()
    else()
        close_core()
        string(REPLACE "$" a call_a "${call}")
        string(REPLACE "$" b call_b "${call}")
        string(APPEND one "    ${call_a}")
        string(APPEND two "    ${call_a}    ${call_b}")
    endif()
endforeach()
close_core()
list(REMOVE_DUPLICATES declared)
list(JOIN declared "" declared)

# What comes before the calls for card <which>, its model in <top>; and after them.
function(around before after which top)
    set(${before} "    ${TOP}__Syms *const ${which} = ${top}->rootp->vlSymsp@
    ${top}->clk_i = ${which}->TOP.__Vtrigrprev__TOP__clk_i = 1@
    if (core_${which}.rises) {
        if (core_${which}.unsettled)
            fsh::settle_core(${top})@
        ${top}->core_clk_i = ${which}->TOP.__Vtrigrprev__TOP__core_clk_i = 1@
    }\n" PARENT_SCOPE)
    set(${after} "    core_${which}.unsettled = !core_${which}.rises@\n" PARENT_SCOPE)
endfunction()

set(head_settle "void fsh::settle_core(${TOP} *card)\n{\n")
set(head_one "void fsh::edge_of_one(${TOP} *card, core_clock &core_a)\n{\n")
set(head_two "void fsh::edge_of_two(${TOP} *one, core_clock &core_a, ${TOP} *two,
                      core_clock &core_b)\n{\n")
set(file "// Made by together.cmake.\n#include \"${TOP}__Syms.h\"\n#include \"together.h\"\n")
if(known AND NOT ico STREQUAL "" AND NOT nba STREQUAL "")
    around(before after a card)
    around(before_a after_a a one)
    around(before_b after_b b two)
    string(APPEND file "\n${declared}
${head_settle}    ${TOP}__Syms *const a = card->rootp->vlSymsp@\n${settle}}

${head_one}${before}${one}${after}}

${head_two}${before_a}${before_b}${two}${after_a}${after_b}}\n")
else()
    message(STATUS "Verilator: ${TOP}: cards are evaluated one by one")
    string(APPEND file "#include \"wrap.h\"

${head_settle}    (void)card@\n}

${head_one}    fsh::edge(card, true, core_a.rises)@\n}

${head_two}    fsh::edge(one, true, core_a.rises)@
    fsh::edge(two, true, core_b.rises)@\n}\n")
endif()
string(REPLACE "@" ";" file "${file}")
file(WRITE ${OUT} "${file}")
