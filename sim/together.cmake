# SPDX-License-Identifier: BSD-3-Clause
# Writes OUT, the functions of together.h for a model of Verilator: the calls that its
# eval makes, in order, without the loops and triggers around them. First those for
# pins_clk_i, which are what follows from pins, alone or with registers: the values that the
# other clocks' edge is to see. Then those for the other clocks, without what follows from
# pins, since the next pins come before anyone looks; but what an output of the card follows
# from, too, is called once more.
# For two cards each part is called for the one, then for the other: the code of a node is
# several times the instruction cache, so each part is fetched once for both. A part is a
# function into which calls in a row are expanded; OUT takes over the sources TAKE for it. It is
# not static, since GCC tells static ones by the object, too, and does not find their counts.
# Engines (below) have clocks of their own: calls for such a clock and for logic in the
# engine (class <TOP>_<instance>) are made only where that clock rises; outputs of an engine
# must be functions of its registers, and go to no other engine but through those of the node.
# Unless DRAWN, a don't-care that is assigned leaves what was there: two instructions a word
# less, and who looks at it is to be found in a model with those that are drawn.
# cmake -DTOP=<Vmodel> -DSOURCES=<generated sources> -DTAKE=<those of the node>
#     -DDRAWN=<ON or OFF> -DOUT=<file> -P together.cmake
# Where Verilator writes otherwise than expected, OUT calls eval for each card.

set(engines core coll dma) # <engine>_clk_i
set(core_instance i_card__DOT__i_compute)
set(coll_instance i_card__DOT__i_collective)
set(dma_instance i_card__DOT__i_node__DOT__i_dma)
set(most 3500) # lines of a part, of more than one call: some 24 KB

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

# understand(<step>): its triggers, class, function, instance and engine (none: of the
# node), as fired, type, name, instance and engine; or name is empty.
function(understand step)
    set(name "" PARENT_SCOPE)
    if(NOT step MATCHES "^ ?(ico|[0-4|]+) (${TOP}_[A-Za-z0-9_]+)___((ico|nba)_[A-Za-z0-9_]+)\\((vlSelf|\\(&vlSymsp->([A-Za-z0-9_]+)\\))\\)@\n$")
        return()
    endif()
    set(fired "${CMAKE_MATCH_1}")
    set(fired "${fired}" PARENT_SCOPE)
    set(type ${CMAKE_MATCH_2} PARENT_SCOPE)
    set(name ${CMAKE_MATCH_2}___${CMAKE_MATCH_3} PARENT_SCOPE)
    set(instance TOP)
    if(CMAKE_MATCH_6)
        set(instance ${CMAKE_MATCH_6})
    endif()
    set(instance ${instance} PARENT_SCOPE)
    set(engine "" PARENT_SCOPE)
    foreach(each ${engines})
        if("${clock_${fired}}" STREQUAL ${each} OR
                instance MATCHES "^TOP__[a-z_]+__DOT__${${each}_instance}(__|$)")
            set(engine ${each} PARENT_SCOPE)
        endif()
    endforeach()
endfunction()

set(known ON)
set(calls) # the steps that are calls
set(declared)
foreach(step ${steps})
    if(step MATCHES "^ ?[a-z0-9|]+ vlSelf->__Vm_traceActivity.*@\n$")
        continue() # of use while waves are written only
    endif()
    understand("${step}")
    if(NOT name)
        message(STATUS "Verilator: ${TOP}: not understood: ${step}")
        set(known OFF)
        continue()
    endif()
    list(APPEND calls "${step}")
    list(APPEND declared "void ${name}(${type} *)@\n")
    list(APPEND of_${name} ${instance}) # that the function is for
endforeach()
list(REMOVE_DUPLICATES declared)
list(JOIN declared "" declared)

set(parts "")  # definitions
set(one "")    # the edge of card a
set(two "")    # of cards a and b
set(number 0)
set(part "")   # calls in a row for card a, not yet written
set(lines 0)   # of what they call
foreach(engine ${engines})
    set(settle_${engine} "") # its combinational logic
    set(open_${engine} "")   # calls for it alone, not yet in the part
endforeach()

# The calls gathered for engines go into the part.
macro(close_engines)
    set(of_engines "")
    foreach(engine ${engines})
        if(NOT open_${engine} STREQUAL "")
            string(APPEND of_engines
                "        if (of_a.${engine}.rises) {\n${open_${engine}}        }\n")
            set(open_${engine} "")
        endif()
    endforeach()
    if(of_engines)
        string(APPEND part "    if (of_a.any) {\n${of_engines}    }\n")
    endif()
endmacro()

macro(close_part)
    close_engines()
    if(part)
        string(APPEND parts "
[[gnu::flatten, gnu::noinline]] void part_${number}(${TOP}__Syms *const a,
        const fsh::clocks &of_a)\n{\n    (void)of_a@\n${part}}\n")
        string(APPEND one "    part_${number}(a, of_a)@\n")
        string(APPEND two "    part_${number}(a, of_a)@\n    part_${number}(b, of_b)@\n")
        math(EXPR number "${number} + 1")
        set(part "")
    endif()
endmacro()

foreach(step ${calls})
    understand("${step}")
    if(engine)
        string(APPEND open_${engine} "            ${name}(&a->${instance})@\n")
        if(fired MATCHES "${number_node}" AND NOT fired MATCHES "${number_pins}")
            string(APPEND settle_${engine} "    ${name}(&a->${instance})@\n")
        endif()
        continue()
    endif()
    string(REGEX REPLACE "^${type}___" "" function ${name})
    body(body ${function} ${type})
    string(REGEX MATCHALL "\n" of_body "${body}")
    list(LENGTH of_body more)
    math(EXPR lines "${lines} + ${more}")
    if(lines GREATER most)
        close_part()
        set(lines ${more})
    endif()
    close_engines()
    string(APPEND part "    ${name}(&a->${instance})@\n")
endforeach()
close_part()

# The sources that OUT takes over. Where the instance of a function is in the card is known,
# so what is stored in one is known to be nothing of another. What is to be stored after an
# edge needs no value if it is not.
set(taken "")
string(REPLACE "|" ";" TAKE "${TAKE}")
foreach(source ${TAKE})
    file(READ ${source} part)
    string(REGEX REPLACE "\n    (__Vdlyv(val|dim[0-9])__[A-Za-z0-9_]+ = 0|VL_ZERO_W\\([0-9]+, __Vdlyvval__[A-Za-z0-9_]+\\));"
        "" part "${part}")
    if(NOT DRAWN)
        string(REGEX REPLACE
            "\n +[A-Za-z0-9_>.-]+(\\[[0-9a-fxU]+\\])?[ \n]*=[ \n]*vl[A-Za-z0-9_>.-]+__Vxrand_[a-z0-9_]+(\\[[0-9a-fxU]+\\])?;"
            "" part "${part}")
    endif()
    string(APPEND taken "${part}")
endforeach()
foreach(step ${calls})
    understand("${step}")
    list(REMOVE_DUPLICATES of_${name})
    if(engine OR NOT of_${name} STREQUAL instance)
        continue()
    endif()
    set(from "void ${name}(${type}* vlSelf) {
    if (false && vlSelf) {}  // Prevent unused
    ${TOP}__Syms* const ")
    string(REPLACE "${from}__restrict vlSymsp VL_ATTR_UNUSED = vlSelf->vlSymsp;"
        "${from}vlSymsp VL_ATTR_UNUSED = reinterpret_cast<${TOP}__Syms*>(
        reinterpret_cast<char*>(vlSelf) - offsetof(${TOP}__Syms, ${instance}));"
        taken "${taken}")
endforeach()

# What comes before the calls for card <which>, its model in <top>; and after them.
function(around before after which top)
    list(TRANSFORM engines REPLACE "(.+)" "of_${which}.\\1.rises" OUTPUT_VARIABLE rises)
    list(JOIN rises " || " rises)
    set(text_before "    ${TOP}__Syms *const ${which} = ${top}->rootp->vlSymsp@
    of_${which}.any = ${rises}@
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
set(file "#include \"${TOP}__Syms.h\"\n#include \"together.h\"\n")
set(understood OFF)
if(known AND NOT nba STREQUAL "")
    set(understood ON)
    string(APPEND file "\n${declared}${parts}")
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
    string(APPEND file "\n${head_one}${before}${one}${after}}

${head_two}${before_a}${before_b}
${two}${after_a}${after_b}}\n")
else()
    string(APPEND file "
${head_one}    fsh::edge(card, true, of_a.core.rises, of_a.coll.rises, of_a.dma.rises)@\n}

${head_two}    fsh::edge(one, true, of_a.core.rises, of_a.coll.rises, of_a.dma.rises)@
    fsh::edge(two, true, of_b.core.rises, of_b.coll.rises, of_b.dma.rises)@\n}\n")
endif()
string(REPLACE "@" ";" file "${file}")
file(WRITE ${OUT} "// Made by together.cmake.\n#include <cstddef>\n#include \"${TOP}__Syms.h\"\n")
file(APPEND ${OUT} "${taken}${file}")
