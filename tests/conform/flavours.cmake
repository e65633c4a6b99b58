# SPDX-License-Identifier: BSD-3-Clause
# The same programs with the headers and the library of the other flavours:
# debug (a correct program must not trip over its checks) and everything. Fewer
# runs and iterations than of the flavour that is for use: what differs is small.
# Then the mistakes that only a debug library notices (misuse.c).

# Not for a flavour: a debug library takes a handle that is used again for the
# mistake it is; there are no segments where all memory is remote, and conform.h
# begins with a collective there, after which images cannot be chosen.
set(not_for_debug rma_stale_handles)
set(not_for_everything segment_info coll_images)

set(ranks_flavour_smp 2,3)
set(ranks_flavour_ofi 2)
set(ranks_flavour_fpga 2,3)
set(scale_flavour_smp 0.1)
set(scale_flavour_ofi ${CONFORM_SCALE_OFI})
set(scale_flavour_fpga ${CONFORM_SCALE_FPGA})
# On fpga and ofi those that exercise most of what is different.
set(fpga_debug am_arity am_no_nesting rma_random rma_sync_lists hsl
    barrier_mismatch threads_mix)
set(fpga_everything hello am_arity am_long_sizes am_zero_length rma_blocking
    rma_random rma_access_region rma_values rma_memset barrier_split
    threads_mix)
# Of these, those that take longest: with two ranks.
set(fpga_of_two rma_random rma_blocking am_long_sizes rma_sync_lists
    everything_areas)

# Programs that also run with the service by a thread of the library.
set(served rma_visibility rma_random am_flood hsl)

# conform_flavour_job(<flavour> <program> <conduit> [TEST <name>]
#                     [RANKS <n,n...>] [JUDGE ...] [ARGS ...]): one test for all
# numbers of ranks.
function(conform_flavour_job flavour program conduit)
    cmake_parse_arguments(A "" "TEST;RANKS" "JUDGE;ARGS" ${ARGN})
    if(NOT A_TEST)
        set(A_TEST ${program})
    endif()
    if(NOT A_RANKS AND conduit STREQUAL fpga AND program IN_LIST fpga_of_two)
        set(A_RANKS 2)
    elseif(NOT A_RANKS)
        set(A_RANKS ${ranks_flavour_${conduit}})
    endif()
    conform_job(${flavour}/${A_TEST} conform_${flavour}_${program} ${conduit}
                {ranks} JUDGE --ranks ${A_RANKS} ${A_JUDGE} ARGS ${A_ARGS})
    set(full conform/${flavour}/${A_TEST}/${conduit})
    set_property(TEST ${full} APPEND PROPERTY LABELS ${flavour})
    set_property(TEST ${full} APPEND PROPERTY ENVIRONMENT
                 FSHMEM_TEST_SCALE=${scale_flavour_${conduit}})
endfunction()

function(conform_flavour_program flavour name source mode)
    add_executable(conform_${flavour}_${name} ${source})
    target_compile_options(conform_${flavour}_${name} PRIVATE -O0 -g0)
    target_link_libraries(conform_${flavour}_${name}
                          PRIVATE fshmem_client_${flavour}_${mode})
endfunction()

set(extra_judge_debug ${segment_refusals})
set(extra_judge_everything)
foreach(flavour ${FSH_FLAVOURS})
    foreach(mode seq parsync par)
        foreach(name ${${mode}})
            if(name IN_LIST not_for_${flavour})
                continue()
            endif()
            conform_flavour_program(${flavour} ${name} ${name}.c ${mode})
            conform_judge(${name} ${extra_judge_${flavour}})
            foreach(conduit ${conduits})
                if(conduit STREQUAL smp OR name IN_LIST fpga_${flavour})
                    conform_flavour_job(${flavour} ${name} ${conduit}
                                        JUDGE ${judge})
                endif()
            endforeach()
        endforeach()
    endforeach()
endforeach()

# What only EVERYTHING has, and its service by a thread of the library.
conform_flavour_program(everything everything_areas everything_areas.c seq)
conform_flavour_program(everything rma_large rma_large.c seq)
foreach(conduit ${conduits})
    conform_flavour_job(everything everything_areas ${conduit}
                        JUDGE --token everything_areas)
    if(conduit STREQUAL smp)
        conform_flavour_job(everything rma_large smp RANKS 2
                            JUDGE --token rma_large)
    endif()
    foreach(name ${served})
        conform_flavour_job(everything ${name} ${conduit} TEST ${name}_served
                            RANKS 2 JUDGE --token ${name} --env
                            FSHMEM_PROGRESS_THREAD=1)
    endforeach()
endforeach()

# ---- mistakes ----

# The library notices them, whatever the conduit.
list(REMOVE_ITEM conduits ofi)

# mismatch_test(<flavour of the headers> <flavour of the library>)
function(mismatch_test headers library)
    set(name conform_mismatch_${headers}_${library})
    set(suffix _${library})
    if(library STREQUAL fast)
        set(suffix "")
    endif()
    add_executable(${name} hello.c)
    target_compile_options(${name} PRIVATE -O0 -g0)
    target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/include)
    target_compile_definitions(${name} PRIVATE GASNET_SEQ
                               ${FSH_DEFINITION_${headers}})
    target_link_libraries(${name} PRIVATE fshmem${suffix}_static)
    if(TARGET fshrun)
        conform_job(mismatch_${headers}_${library} ${name} smp 1
                    JUDGE --limit 20 --code failure --err "${ARGN}")
    endif()
endfunction()
mismatch_test(debug fast "headers of the debug .*linked with the optimised")
mismatch_test(everything fast "headers of the GASNET_SEGMENT_EVERYTHING .*linked")
mismatch_test(fast debug "headers of the optimised .*linked with the debug")
mismatch_test(fast everything "headers of the optimised .*linked with the GASNET")
mismatch_test(everything debug "headers of the GASNET_SEGMENT_EV.*with the debug")

foreach(mode seq parsync par)
    conform_flavour_program(debug misuse_${mode} misuse.c ${mode})
    conform_flavour_program(debug misuse_coll_${mode} misuse_coll.c ${mode})
endforeach()

function(mistake_test program conduits scenario mode)
    judge_failure(${ARGN})
    foreach(conduit ${conduits})
        conform_flavour_job(debug ${program}_${mode} ${conduit} RANKS 2
                            TEST ${program}_${scenario} JUDGE ${judge}
                            ARGS ${scenario})
    endforeach()
endfunction()
# misuse_test(<scenario> <mode> <what the message must contain>...)
function(misuse_test)
    mistake_test(misuse "${conduits}" ${ARGN})
endfunction()
# On one conduit: none takes part in these.
set(conduits_one ${conduits})
list(FILTER conduits_one INCLUDE REGEX smp)
function(misuse_coll_test)
    mistake_test(misuse_coll "${conduits_one}" ${ARGN})
endfunction()

set(in_handler "called from inside an active message handler")
set(holding_lock "called while holding the HSL at 0x")
set(held "between gasnet_hold_interrupts and gasnet_resume_interrupts")
set(no_token "AMReplyShort: token .* is not that of a handler running")

misuse_test(mynode-before-init seq "gasnet_mynode: called before gasnet_init")
misuse_test(nodes-before-init seq "gasnet_nodes: called before gasnet_init")
misuse_test(getenv-before-init seq "gasnet_getenv: called before gasnet_init")
misuse_test(put-before-attach seq "gasnet_put: called before gasnet_attach")
misuse_test(poll-before-attach seq "gasnet_AMPoll: called before gasnet_attach")
misuse_test(request-before-attach seq
            "gasnet_AMRequestShort: called before gasnet_attach")
misuse_test(notify-before-attach seq
            "gasnet_barrier_notify: called before gasnet_attach")
misuse_test(sync-before-attach seq
            "gasnet_wait_syncnb: called before gasnet_attach")
misuse_test(region-before-attach seq
            "gasnet_begin_nbi_accessregion: called before gasnet_attach")

misuse_test(request-in-handler seq "gasnet_AMRequestShort: ${in_handler}")
misuse_test(request-in-reply-handler seq "gasnet_AMRequestShort: ${in_handler}")
misuse_test(reply-in-reply-handler seq
            "gasnet_AMReplyShort: called from a reply handler")
misuse_test(reply-unregistered seq "handler index 251, which is not registered")
misuse_test(reply-library-index seq
            "gasnet_AMReplyShort: handler index is 64.*128 to 255")
misuse_test(reply-dead-token seq "${no_token}")
misuse_test(reply-token-of-another seq "${no_token}")
misuse_test(reply-null-token seq "${no_token}")
misuse_test(source-of-dead-token seq
            "gasnet_AMGetMsgSource: token .* is not that of a handler running")
misuse_test(request-locked seq "gasnet_AMRequestShort: ${holding_lock}")
misuse_test(request-held seq "gasnet_AMRequestShort: called ${held}")
misuse_test(reply-locked seq "gasnet_AMReplyShort: ${holding_lock}")
misuse_test(medium-null seq "gasnet_AMRequestMedium: src is a null pointer")
misuse_test(long-null seq "gasnet_AMRequestLong: src is a null pointer")
misuse_test(poll-in-handler seq "gasnet_AMPoll: ${in_handler}")

misuse_test(unlock-unlocked seq
            "gasnet_hsl_unlock: this thread does not hold the HSL at 0x")
misuse_test(unlock-out-of-order seq
            "gasnet_hsl_unlock: the HSL at 0x.*not the last one locked")
misuse_test(lock-twice seq
            "gasnet_hsl_lock: this thread holds the HSL at 0x.*not recursive")
misuse_test(trylock-twice seq
            "gasnet_hsl_trylock: this thread holds the HSL.*not recursive")
misuse_test(lock-uninitialised seq
            "gasnet_hsl_lock: the HSL at 0x.* is not initialised")
misuse_test(lock-destroyed seq
            "gasnet_hsl_lock: the HSL at 0x.* has been destroyed")
misuse_test(lock-null seq "gasnet_hsl_lock: hsl is a null pointer")
misuse_test(init-twice seq "gasnet_hsl_init: .* is initialised already")
misuse_test(init-static seq "gasnet_hsl_init: .* is initialised already")
misuse_test(destroy-twice seq "gasnet_hsl_destroy: .* has been destroyed")
misuse_test(destroy-locked seq "gasnet_hsl_destroy: the HSL at 0x.* is locked")
misuse_test(poll-locked seq "gasnet_AMPoll: ${holding_lock}")
misuse_test(put-locked seq "gasnet_put: ${holding_lock}")
misuse_test(barrier-locked seq "gasnet_barrier_notify: ${holding_lock}")
misuse_test(blockuntil-locked seq "GASNET_BLOCKUNTIL: ${holding_lock}")
misuse_test(sync-locked seq "gasnet_try_syncnbi_all: ${holding_lock}")
misuse_test(return-locked seq
            "handler 140 returned while holding the HSL at 0x")
misuse_test(hold-twice seq "gasnet_hold_interrupts: called twice")
misuse_test(resume-unheld seq
            "gasnet_resume_interrupts: called without gasnet_hold_interrupts")
misuse_test(poll-held seq "gasnet_AMPoll: called ${held}")

misuse_test(put-null seq "gasnet_put: src is a null pointer")
misuse_test(get-null seq "gasnet_get_nbi: dest is a null pointer")
misuse_test(put-across-end seq
            "gasnet_put_bulk: 8 bytes at 0x.* outside the segment of node 0")
misuse_test(get-before seq
            "gasnet_get: 1 bytes at 0x.* outside the segment of node 0")
misuse_test(memset-nobody seq "gasnet_memset_nbi: node is 2.*0 to 1")
misuse_test(value-empty seq "gasnet_put_val: nbytes is 0.*1 to 8")
misuse_test(value-too-long seq "gasnet_get_val: nbytes is 9.*1 to 8")
misuse_test(put-in-handler seq "gasnet_put: ${in_handler}")
misuse_test(value-in-handler seq "gasnet_get_val: ${in_handler}")
misuse_test(sync-in-handler seq "gasnet_wait_syncnbi_all: ${in_handler}")
misuse_test(handle-twice seq
            "gasnet_wait_syncnb: handle 0x.* has been synchronised before")
misuse_test(handle-twice-in-list seq
            "gasnet_wait_syncnb_all: handle 0x.* synchronised before")
misuse_test(handle-made-up seq "gasnet_wait_syncnb: 0x.* is not a handle")
misuse_test(handle-of-nothing seq "gasnet_try_syncnb: 0x.* is not a handle")
misuse_test(handle-of-value seq
            "gasnet_wait_syncnb: handle 0x.* is of a gasnet_get_nb_val")
misuse_test(value-twice seq
            "gasnet_wait_syncnb_valget: handle 0x.* synchronised before")
misuse_test(value-of-handle seq
            "gasnet_wait_syncnb_valget: handle 0x.* not one of gasnet_get_nb_val")
misuse_test(list-null seq "gasnet_try_syncnb_some: handles is a null pointer")
misuse_test(region-nested seq
            "gasnet_begin_nbi_accessregion: called inside an access region")
misuse_test(region-sync seq
            "gasnet_wait_syncnbi_puts: called inside an access region")
misuse_test(region-try seq
            "gasnet_try_syncnbi_all: called inside an access region")
misuse_test(region-end-alone seq
            "gasnet_end_nbi_accessregion: called without")

misuse_test(notify-twice seq "gasnet_barrier_notify: called twice")
misuse_test(wait-unnotified seq "gasnet_barrier_wait: called without")
misuse_test(try-unnotified seq "gasnet_barrier_try: called without")
misuse_test(notify-in-handler seq "gasnet_barrier_notify: ${in_handler}")
misuse_test(result-null seq "gasnet_barrier_result: id is a null pointer")

misuse_test(assert seq "Assertion failure: gasneti_nodes == 0 at .*misuse.c")
misuse_test(second-thread seq "gasnet_AMPoll: called from a second thread")
misuse_test(second-thread-lock seq
            "gasnet_hsl_lock: called from a second thread")
misuse_test(unlock-of-another par
            "gasnet_hsl_unlock: this thread does not hold the HSL at 0x")
misuse_test(foreign-handle par
            "gasnet_wait_syncnb: handle 0x.* another thread has started")
misuse_test(concurrent-calls parsync
            "GASNET_BLOCKUNTIL: called while another thread is in GASNET_BLOCK")

set(unattached "called before gasnet_attach")
set(second "called from a second thread")
misuse_coll_test(putv-before-attach seq "gasnet_putv_bulk: ${unattached}")
misuse_coll_test(broadcast-before-attach seq
                 "gasnet_coll_broadcast: ${unattached}")
misuse_coll_test(geti-locked seq "gasnet_geti_nb_bulk: ${holding_lock}")
misuse_coll_test(gets-held seq "gasnet_gets_nbi_bulk: called ${held}")
misuse_coll_test(puts-in-handler seq "gasnet_puts_bulk: ${in_handler}")
misuse_coll_test(scatter-locked seq "gasnet_coll_scatterM: ${holding_lock}")
misuse_coll_test(exchange-held seq "gasnet_coll_exchange_nb: called ${held}")
misuse_coll_test(gather-in-handler seq
                 "gasnet_coll_gather_all_nb: ${in_handler}")
misuse_coll_test(split-in-handler seq "gasnet_coll_team_split: ${in_handler}")
misuse_coll_test(try-locked seq "gasnet_coll_try_sync_all: ${holding_lock}")
misuse_coll_test(init-locked seq "gasnet_coll_init: ${holding_lock}")
misuse_coll_test(barrier-locked seq "gasnet_barrier: ${holding_lock}")
misuse_coll_test(team-barrier-locked seq "gasnet_coll_barrier: ${holding_lock}")
misuse_coll_test(barrier-notified seq
                 "gasnet_barrier: called after a notify without gasnet_barrier_w")
misuse_coll_test(nopoll-locked seq
                 "gasnet_try_syncnb_some_nopoll: ${holding_lock}")
misuse_coll_test(second-thread seq "gasnet_coll_broadcast: ${second}")
misuse_coll_test(second-thread-vis seq "gasnet_puti_bulk: ${second}")
misuse_coll_test(concurrent-calls parsync
                 "(puti_bulk|broadcast): called while another thread is in gas")

# Both ranks make the call, and both find it.
set(here "on node [01] .this one., but [0-9]+ on node [01]")
misuse_coll_test(lengths seq
                 "_gather_all: (nbytes is [80] ${here}|node . waits for [08] byt)")
misuse_coll_test(kinds seq
                 "node . .this one. is in gasnet_coll_(gather|scatter), but node")
misuse_coll_test(roots seq "_broadcast: the root image is [01] ${here}")
misuse_coll_test(sizes seq "_reduce: elem_size is [48] ${here}")
misuse_coll_test(functions seq "_reduce: func is [01] ${here}")
misuse_coll_test(flags seq "_broadcast: the synchronisation in flags is [0-9]+ ${here}")
misuse_coll_test(order seq
                 "(is in gasnet_coll_(exch|gather_all)|is in another collective)")

# The judge itself: without a mistake the programs must pass.
foreach(mode seq parsync par)
    foreach(conduit ${conduits})
        foreach(program misuse misuse_coll)
            conform_flavour_job(debug ${program}_${mode} ${conduit} RANKS 2
                                JUDGE --token ${program})
        endforeach()
    endforeach()
endforeach()

# ---- what is only warned of ----

conform_flavour_program(debug hsl_held_seq hsl_held.c seq)
conform_flavour_program(debug hsl_held_par hsl_held.c par)

# hsl_held_test(<test> <mode> <FSHMEM_HOLD_WARNING> ARGS <scenario> <ms>
#               [JUDGE <run.py options>]): without options, nothing is said.
function(hsl_held_test test mode seconds)
    cmake_parse_arguments(A "" "" "ARGS;JUDGE" ${ARGN})
    foreach(conduit ${conduits_one})
        conform_flavour_job(debug hsl_held_${mode} ${conduit} RANKS 2
                            TEST hsl_held_${test} ARGS ${A_ARGS}
                            JUDGE --token hsl_held ${A_JUDGE}
                            --env FSHMEM_HOLD_WARNING=${seconds})
    endforeach()
endfunction()
set(unlocked "rank 1: gasnet_hsl_unlock: the HSL at 0x[^ ]* has been held for")
# At least what it slept; how much longer is the machine's affair.
set(held "(0[.][2-9]|[1-9][0-9]*[.])")
set(since "s, since .*hsl_held.c:[0-9]+. handlers wait")
set(once --noise --once "${unlocked} ${held}.* ${since}" --once "has been held")
hsl_held_test(lock seq 0.2 ARGS lock 250 JUDGE ${once})
hsl_held_test(lock_par par 0.2 ARGS lock 250 JUDGE ${once})
hsl_held_test(trylock seq 0.2 ARGS trylock 250 JUDGE ${once})
hsl_held_test(nested seq 0.2 ARGS nested 150 JUDGE ${once})
hsl_held_test(handler par 0.2 ARGS handler 250 JUDGE ${once})
hsl_held_test(section seq 0.2 ARGS section 250 JUDGE --noise
              --once "gasnet_resume_interrupts: interrupts .* ${held}.* ${since}")
hsl_held_test(wanted par 0.2 ARGS wanted 500 JUDGE --noise --once "has been held"
              --once "gasnet_hsl_lock: the HSL at 0x.* ${held}.* ${since}")
hsl_held_test(many seq 0.01 ARGS many 30 JUDGE --noise
              --once "hsl_unlock: .*. no more such lines")
hsl_held_test(off seq 0 ARGS lock 250)
hsl_held_test(default seq "" ARGS lock 2100 JUDGE --noise
              --once "${unlocked} ([2-9]|[1-9][0-9]+)[.].* ${since}")
hsl_held_test(default_short seq "" ARGS lock 250)

# Ranks with a card and ranks without, nodes that are not numbered as ranks.
if(TARGET fshsim)
    foreach(name am_random am_long_sizes rma_random threads_mix coll_teams)
        conform_job(debug/${name} conform_debug_${name} mixed 4 CARDS 1,3
                    JUDGE --token ${name})
    endforeach()
    foreach(name am_long_sizes rma_random threads_mix)
        conform_job(everything/${name} conform_everything_${name} mixed 4 CARDS 1,3
                    JUDGE --token ${name})
    endforeach()
endif()
