# SPDX-License-Identifier: BSD-3-Clause
# Mistakes that must end the job with a message (fatal_error.c): scenario, and
# what the message must contain.

function(fatal_test scenario)
    judge_failure(${ARGN})
    foreach(conduit ${conduits})
        set(when)
        if(conduit STREQUAL ofi) # the library notices, whatever the conduit
            set(when ALL_ONLY)
        endif()
        conform_job(fatal_${scenario} conform_fatal_error ${conduit} 2 ${when}
                    JUDGE ${judge} ARGS ${scenario})
    endforeach()
endfunction()

fatal_test(unregistered "[Hh]andler.*250|250.*handler")
fatal_test(unregistered-medium "[Hh]andler.*250|250.*handler")
fatal_test(index-of-library "AMRequestShort.*index is 70.*128 to 255")
# "no compute core": a simulator built without one.
fatal_test(compute-medium "AMRequestMedium.*COMPUTE.*2 to 4 arguments")
fatal_test(compute-arguments "AMRequestShort.*COMPUTE.*2 to 4 arguments")
fatal_test(compute-operation
           "AMRequestShort.*COMPUTE.*(neither RUN nor SIGNAL|no compute core .FSHMEM_COMPUTE.*FSHMEM_CARDS)")
fatal_test(index-too-large "AMRequestShort.*index is 256.*128 to 255")
fatal_test(too-many-args "AMRequestShort.*17 arguments.*0 to 16")
fatal_test(negative-args "AMRequestShort.*-1 arguments.*0 to 16")
fatal_test(medium-reply-too-long "AMReplyMedium.*bytes.*gasnet_AMMaxMedium")
fatal_test(medium-too-long "Medium" "[0-9]+")
fatal_test(long-too-long "Long" "[0-9]+")
fatal_test(long-outside "segment")
fatal_test(long-reply-outside "segment")
fatal_test(request-to-nobody "gasnet_AMRequestShort" "2")
fatal_test(put-to-nobody "gasnet_put" "2")
fatal_test(put-behind "segment" "gasnet_put")
fatal_test(put-across-end "segment" "gasnet_put")
fatal_test(put-before "segment" "gasnet_put")
fatal_test(put-wrapping "segment" "gasnet_put_bulk")
fatal_test(put-nbi-behind "segment" "gasnet_put_nbi")
fatal_test(put-val-behind "segment" "gasnet_put_val")
fatal_test(get-behind "segment" "gasnet_get")
fatal_test(get-nb-before "segment" "gasnet_get_nb")
fatal_test(memset-behind "segment" "gasnet_memset")
fatal_test(putv-lengths "gasnet_putv_bulk.*dstlist holds 9.*srclist holds 8")
fatal_test(geti-lengths "gasnet_geti_nb_bulk.*dstlist holds 8.*srclist holds 12")
fatal_test(putv-behind "gasnet_putv_nbi_bulk.*segment")
fatal_test(geti-before "gasnet_geti_bulk.*segment")
fatal_test(puts-behind "gasnet_puts_bulk.*segment")
fatal_test(gets-down "gasnet_gets_bulk.*segment")
fatal_test(gets-far "gasnet_gets_bulk.*segment")
fatal_test(puts-to-nobody "gasnet_puts_bulk.*node is 2")
fatal_test(notify-twice "gasnet_barrier_notify")
fatal_test(wait-unnotified "gasnet_barrier_wait")
fatal_test(try-unnotified "gasnet_barrier_try")
fatal_test(two-replies "[Rr]epl")
fatal_test(tools-fatal "FATAL ERROR.*the words 7 at .*fatal_error.c:[0-9]+ in "
           "rank 1")
fatal_test(tools-fatal-nopos "FATAL ERROR.*the words alone\n")
fatal_test(tools-fatal-frozen "FATAL ERROR.*the words alone\n")
fatal_test(tools-assert "Assertion failure: count != 1 at .*fatal_error.c:"
           "in tools_assert")
fatal_test(tools-number "12 apples.*a size is a number and B, KB")
fatal_test(tools-range "16777216 TB.*too large")
fatal_test(tools-setting "TOOLS_SWITCH.*perhaps.*neither yes nor no")
fatal_test(tools-double "TOOLS_DOUBLE.*3/0")
fatal_test(tools-wait-alone "gasnett_cond_wait.*one thread")
fatal_test(coll-root "gasnet_coll_broadcast.*srcimage is 2.*0 to 1")
fatal_test(coll-function "gasnet_coll_reduce_nb.*func is 1.*1 functions")
fatal_test(coll-kinds "gasnet_coll_(gather|scatter).*another collective")
fatal_test(coll-lengths "gasnet_coll_broadcast.*nbytes differ")
set(differ "waits for [80] bytes from node .*nbytes differ")
fatal_test(coll-empty-source "gasnet_coll_scatter: node 1 ${differ}")
# Who sends is done at once, and may be asked, or ask, for more only after that.
fatal_test(coll-empty-sink
           "(gasnet_coll_gather: node 0 ${differ}|that is complete: node 0 is in another coll)")
fatal_test(coll-empty-operand
           "gasnet_coll_reduce: node 0 waits for 0 bytes from node 1( .this one.)?, which has 4")
fatal_test(coll-roots "gasnet_coll_gather: the root image is [01] on node [01] .this one., but [01] on")
fatal_test(coll-notify-twice
           "gasnet_coll_barrier_notify: called twice without gasnet_coll_barrier_w")
fatal_test(coll-wait-unnotified
           "gasnet_coll_barrier_wait: called without gasnet_coll_barrier_notify")
fatal_test(team-rank "gasnet_coll_team_rank2node: rank is 2.*0 to 1")

# The judge itself: a job without a mistake must pass, and must not count as a
# failure.
foreach(conduit ${conduits})
    conform_job(fatal_none conform_fatal_error ${conduit} 2
                JUDGE --token fatal_error)
    conform_job(judge_wants_failure conform_fatal_error ${conduit} 2
                JUDGE --code failure)
    set_property(TEST conform/judge_wants_failure/${conduit}-2
                 PROPERTY WILL_FAIL TRUE)
endforeach()
