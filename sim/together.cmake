# SPDX-License-Identifier: BSD-3-Clause
# Writes OUT, the functions of together.h for a model of Verilator: the calls that its
# eval makes, in order, without the loops and triggers around them. First those for
# pins_clk_i, which are what follows from pins, alone or with registers: the values that the
# other clocks' edge is to see. Then those for the other clocks, without what follows from
# pins, since the next pins come before anyone looks; but what an output of the card follows
# from, too, is called once more.
# For two cards each call is made for the one, then for the other: the code of a node is twice
# the instruction cache, so each part is fetched once for both. Engines (below) have clocks of
# their own: calls for such a clock and for logic in the engine (class <TOP>_<instance>)
# are made only where that clock rises; outputs of an engine must be functions of its
# registers, and go to no other engine but through those of the node.
# cmake -DTOP=<Vmodel> -DSOURCES=<generated sources> -DOUT=<file> -P together.cmake
# Where Verilator writes otherwise than expected, OUT calls eval for each card.

set(engines core coll dma) # <engine>_clk_i
set(core_instance i_card__DOT__i_compute)
set(coll_instance i_card__DOT__i_collective)
set(dma_instance i_card__DOT__i_node__DOT__i_dma)

# body(<variable> <function> <class>): what stands between its braces.
function(body variable function class)
    set(${variable} "" PARENT_SCOPE)
    string(FIND "${text}" "void ${class}___${function}(${class}* vlSelf) {" at)
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
    body(body ${function} ${TOP}___024root)
    string(REGEX REPLACE "^.*// Body\n" "" body "${body}")
    set(steps "")
    while(body MATCHES "^    if \\(([^{}]*)\\) {\n([^{}]*)    }\n?")
        set(fired "${CMAKE_MATCH_1}")
        set(calls "${CMAKE_MATCH_2}")
        string(LENGTH "${CMAKE_MATCH_0}" length)
        string(REGEX REPLACE "[ \n]+" " " calls "${calls}")
        string(REPLACE "vlSelf->${trigger}.at(" "" fired "${fired}")
        string(REGEX REPLACE "U\\)|[() \n]" "" fired "${fired}")
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

# Which trigger is which clock: node, pins, or of an engine.
function(clock_of_trigger variable number)
    set(${variable} none PARENT_SCOPE)
    if(triggers MATCHES "at\\(${number}U\\) = \\(\\(IData\\)\\(vlSelf->([a-z]*)_?clk_i\\)")
        set(${variable} "${CMAKE_MATCH_1}" PARENT_SCOPE)
        if("${CMAKE_MATCH_1}" STREQUAL "")
            set(${variable} node PARENT_SCOPE)
        endif()
    endif()
endfunction()

set(text)
string(REPLACE "|" ";" SOURCES "${SOURCES}")
foreach(source ${SOURCES})
    file(READ ${source} part)
    string(APPEND text "${part}")
endforeach()
string(REPLACE ";" "@" text "${text}") # no list of CMake
steps(ico eval_ico __VicoTriggered) # wires that tests take over
steps(nba eval_nba __VnbaTriggered)
# Nothing is done before the edge's work; and the clocks' last values are where they were.
body(act eval_act ${TOP}___024root)
body(triggers eval_triggers__act ${TOP}___024root)
set(clocks)
foreach(number 0 1 2 3 4)
    clock_of_trigger(clock ${number})
    set(clock_${number} ${clock})
    set(number_${clock} ${number})
    list(APPEND clocks ${clock})
    string(REPLACE node_ "" pin ${clock}_clk_i)
    if(NOT text MATCHES "__Vtrigrprev__TOP__${pin}")
        set(nba "")
    endif()
endforeach()
list(SORT clocks)
if(NOT act MATCHES "VL_DEBUG_IF[^\n]*$" OR NOT clocks STREQUAL "coll;core;dma;node;pins" OR
        triggers MATCHES "at\\(5U\\)")
    set(nba "")
endif()
string(REGEX REPLACE "(^|\n)[0-9|]+ " "\\1ico " ico "${ico}") # always
string(REGEX MATCHALL "[^\n]+\n" steps "${ico}")
string(REGEX MATCHALL "[^\n]+\n" later "${nba}")
set(of_pins "^ ?[0-9|]*${number_pins}[0-9|]* ")
set(first ${later})
list(FILTER first INCLUDE REGEX "${of_pins}")
# From the last on: what writes an output of the card, or what those need that do so.
set(again)
set(needed "")
list(REVERSE first)
foreach(step ${first})
    if(NOT step MATCHES " ?([0-9|]+) (${TOP}_[A-Za-z0-9_]+)___(nba_[A-Za-z0-9_]+)\\(" OR
            CMAKE_MATCH_1 STREQUAL number_pins)
        continue() # not understood, below; or of pins alone, which stay
    endif()
    set(type ${CMAKE_MATCH_2})
    body(body ${CMAKE_MATCH_3} ${type})
    set(is_needed OFF)
    if(type STREQUAL ${TOP}___024root AND body MATCHES "vlSelf->[a-z_]+_o[ \n[]+")
        set(is_needed ON)
    endif()
    string(REGEX MATCHALL "[>.][A-Za-z0-9_]+(\\[[^]]*\\])?[ \n]*=[^=]" written "${body}")
    foreach(variable ${written})
        string(REGEX REPLACE "^[>.]([A-Za-z0-9_]+).*" "\\1" variable "${variable}")
        if(needed MATCHES "[>.]${variable}[^A-Za-z0-9_]")
            set(is_needed ON)
        endif()
    endforeach()
    if(is_needed)
        list(PREPEND again "${step}")
        string(APPEND needed "${body}")
    endif()
endforeach()
list(REVERSE first)
list(APPEND steps ${first})
list(FILTER later EXCLUDE REGEX "${of_pins}")
list(APPEND steps ${later} ${again})

set(declared)
set(one "")    # the edge of card a
set(two "")    # of cards a and b
set(rest "")   # of both while none of their engines' clocks rises, which is often
foreach(engine ${engines})
    set(settle_${engine} "") # its combinational logic
    set(open_${engine} "")   # calls for it alone, not yet written
endforeach()
set(known ON)

# The calls gathered for engines: all for the one, then all for the other, as their code
# is larger than any cache.
macro(close_engines)
    foreach(engine ${engines})
        if(NOT open_${engine} STREQUAL "")
            foreach(which a b)
                string(REPLACE "$" "${which}" calls "${open_${engine}}")
                string(APPEND two "    if (of_${which}.${engine}.rises) {\n${calls}    }\n")
                if(which STREQUAL a)
                    string(APPEND one "    if (of_${which}.${engine}.rises) {\n${calls}    }\n")
                endif()
            endforeach()
            set(open_${engine} "")
        endif()
    endforeach()
endmacro()

# engine_of(<variable> <triggers> <instance>): whose call it is; the node's: nothing.
function(engine_of variable fired instance)
    set(${variable} "" PARENT_SCOPE)
    foreach(engine ${engines})
        if("${clock_${fired}}" STREQUAL ${engine} OR
                instance MATCHES "^TOP__[a-z_]+__DOT__${${engine}_instance}(__|$)")
            set(${variable} ${engine} PARENT_SCOPE)
        endif()
    endforeach()
endfunction()

foreach(step ${steps})
    string(STRIP "${step}" step)
    if(step MATCHES "^[a-z0-9|]+ vlSelf->__Vm_traceActivity.*@$")
        continue() # of use while waves are written only
    endif()
    if(NOT step MATCHES "^(ico|[0-4|]+) (${TOP}_[A-Za-z0-9_]+)___((ico|nba)_[A-Za-z0-9_]+)\\((vlSelf|\\(&vlSymsp->([A-Za-z0-9_]+)\\))\\)@$")
        message(STATUS "Verilator: ${TOP}: not understood: ${step}")
        set(known OFF)
        continue()
    endif()
    set(fired "${CMAKE_MATCH_1}")
    set(type ${CMAKE_MATCH_2})
    set(name ${CMAKE_MATCH_2}___${CMAKE_MATCH_3})
    set(instance TOP)
    if(CMAKE_MATCH_6)
        set(instance ${CMAKE_MATCH_6})
    endif()
    list(APPEND declared "void ${name}(${type} *)@\n")
    set(call "${name}(&$->${instance})@\n")
    engine_of(engine "${fired}" ${instance})
    if(engine)
        string(APPEND open_${engine} "        ${call}")
        if(fired MATCHES "${number_node}" AND NOT fired MATCHES "${number_pins}")
            string(REPLACE "$" a call "${call}")
            string(APPEND settle_${engine} "    ${call}")
        endif()
    else()
        close_engines()
        string(REPLACE "$" a call_a "${call}")
        string(REPLACE "$" b call_b "${call}")
        string(APPEND one "    ${call_a}")
        string(APPEND two "    ${call_a}    ${call_b}")
        string(APPEND rest "        ${call_a}        ${call_b}")
    endif()
endforeach()
close_engines()
list(REMOVE_DUPLICATES declared)
list(JOIN declared "" declared)

# What comes before the calls for card <which>, its model in <top>; and after them.
function(around before after which top)
    set(text_before "    ${TOP}__Syms *const ${which} = ${top}->rootp->vlSymsp@
    ${top}->pins_clk_i = ${which}->TOP.__Vtrigrprev__TOP__pins_clk_i = 1@
    ${top}->clk_i = ${which}->TOP.__Vtrigrprev__TOP__clk_i = 1@\n")
    set(text_after "")
    foreach(engine ${engines})
        string(APPEND text_before "    if (of_${which}.${engine}.rises) {
        if (of_${which}.${engine}.unsettled)
            fsh::settle_${engine}(${top})@
        ${top}->${engine}_clk_i = ${which}->TOP.__Vtrigrprev__TOP__${engine}_clk_i = 1@
    }\n")
        string(APPEND text_after
            "    of_${which}.${engine}.unsettled = !of_${which}.${engine}.rises@\n")
    endforeach()
    set(${before} "${text_before}" PARENT_SCOPE)
    set(${after} "${text_after}" PARENT_SCOPE)
endfunction()

set(head_one "void fsh::edge_of_one(${TOP} *card, clocks &of_a)\n{\n")
set(head_two "void fsh::edge_of_two(${TOP} *one, clocks &of_a, ${TOP} *two,
                      clocks &of_b)\n{\n")
set(file "// Made by together.cmake.\n#include \"${TOP}__Syms.h\"\n#include \"together.h\"\n")
set(understood OFF)
if(known AND NOT nba STREQUAL "")
    set(understood ON)
    string(APPEND file "\n${declared}")
else()
    message(STATUS "Verilator: ${TOP}: cards are evaluated one by one")
    string(APPEND file "#include \"wrap.h\"\n")
endif()
foreach(engine ${engines})
    string(APPEND file "\nvoid fsh::settle_${engine}(${TOP} *card)\n{\n")
    if(understood)
        string(APPEND file "    ${TOP}__Syms *const a = card->rootp->vlSymsp@\n    (void)a@
${settle_${engine}}}\n")
    else()
        string(APPEND file "    (void)card@\n}\n")
    endif()
endforeach()
if(understood)
    around(before after a card)
    around(before_a after_a a one)
    around(before_b after_b b two)
    foreach(which a b)
        list(TRANSFORM engines REPLACE "(.+)" "of_${which}.\\1.rises" OUTPUT_VARIABLE rises)
        list(JOIN rises " || " rises_${which})
    endforeach()
    string(APPEND file "\n${head_one}${before}${one}${after}}

${head_two}${before_a}${before_b}
    if (!(${rises_a} || ${rises_b})) {
${rest}    } else {
${two}    }
${after_a}${after_b}}\n")
else()
    string(APPEND file "
${head_one}    fsh::edge(card, true, of_a.core.rises, of_a.coll.rises, of_a.dma.rises)@\n}

${head_two}    fsh::edge(one, true, of_a.core.rises, of_a.coll.rises, of_a.dma.rises)@
    fsh::edge(two, true, of_b.core.rises, of_b.coll.rises, of_b.dma.rises)@\n}\n")
endif()
string(REPLACE "@" ";" file "${file}")
file(WRITE ${OUT} "${file}")
