# SPDX-License-Identifier: BSD-3-Clause
# The proofs, read by run.sh: small depths and widths, all values symbolic.

fifo="fsh_ram.sv fsh_fifo.sv"

prove fifo_distributed fsh_fifo "WIDTH=4 DEPTH=4 BLOCK=0" "$fifo" 12 2
mutant fsh_fifo.sv 's/push != take/push/'
mutant fsh_fifo.sv 's/ready_o = !full_q/ready_o = 1/'
mutant fsh_fifo.sv 's/full_q  <= push \&\& /full_q <= /'
mutant fsh_fifo.sv 's/if (take) rptr_q/if (ready_i) rptr_q/'
mutant fsh_fifo.sv 's/some_q  <= push || rnext/some_q <= rnext/'

prove fifo_block fsh_fifo "WIDTH=4 DEPTH=4 BLOCK=1" "$fifo" 12 4
mutant fsh_fifo.sv 's/take    = some_q \&\& (!valid_q || ready_i)/take    = some_q/'
mutant fsh_fifo.sv 's/take    = some_q \&\& (!valid_q || ready_i)/take    = some_q \&\& !valid_q/'
mutant fsh_fifo.sv 's/if (take || ready_i) valid_q/if (take) valid_q/'

prove skid fsh_skid "WIDTH=4" fsh_skid.sv 10 2
mutant fsh_skid.sv 's/ \&\& !spare_valid_q) spare_q/) spare_q/'
mutant fsh_skid.sv "s/load    = ready_i || !out_valid_q/load    = 1'b1/"
mutant fsh_skid.sv 's/out_q <= spare_q/out_q <= data_i/'

prove arb4 fsh_arb "N=4" fsh_arb.sv 10 2
mutant fsh_arb.sv 's/behind_q <= above(gnt_o)/behind_q <= above(gnt_o) | gnt_o/'
mutant fsh_arb.sv "s/first != '0 ? first : req;/req;/"
prove arb5 fsh_arb "N=5" fsh_arb.sv 12 2
mutant fsh_arb.sv 's/front \& ~lower/front/'

prove turn fsh_turn "N=5" fsh_turn.sv 12 2
mutant fsh_turn.sv "s/pass_i\[i\] ? '0 : (/('1) \& (/"
mutant fsh_turn.sv 's/| pass_i) \& HIGHER/) \& HIGHER/'
mutant fsh_turn.sv 's/ \& ~blocked \& / \& /'
mutant fsh_turn.sv "s/pass_i\[i\] ? '0/req_i[i] ? '0/"

prove credit fsh_credit "DEPTH=32 MAX=4 FEW=3 OTHERS=16" fsh_credit.sv 11 2
mutant fsh_credit.sv 's/2 \* MAX - OTHERS/MAX - OTHERS/'
mutant fsh_credit.sv 's/2 \* MAX - OTHERS/2 * MAX - OTHERS + 8/'
mutant fsh_credit.sv 's/DEPTH - FEW - OTHERS/DEPTH/'
mutant fsh_credit.sv 's/ + (take_i/ - (take_i/'
mutant fsh_credit.sv 's/freed_q <= credit_i/freed_q <= freed_q + credit_i/'

prove credits fsh_credits "VCS=2 BEATS=25 OWN=8 KEPT=1 MAX=1 OTHERS=6" fsh_credits.sv 15 2 gates
mutant fsh_credits.sv 's/SHARED - MARGIN)/SHARED - MARGIN + 2)/'
mutant fsh_credits.sv 's/SHARED - MARGIN - KEPT/SHARED - MARGIN/'
mutant fsh_credits.sv 's/shared \&\& !close_i/shared/'
mutant fsh_credits.sv 's/common || (shared \&\& !close_i)/common/'
mutant fsh_credits.sv "s/OWN - MARGIN)/OWN - MARGIN + 2)/"
mutant fsh_credits.sv 's/in_flight > W.(OWN) ? extra/in_flight > W'"'"'(OWN + 8) ? extra/'
mutant fsh_credits.sv "s/W'(sent_i\[v\])/W'(0)/"
mutant fsh_credits.sv 's/long_q  <= own_q | /long_q  <= /'

vcbuf="fsh_ram.sv fsh_arb.sv fsh_vcbuf.sv"

prove vcbuf fsh_vcbuf "Q=2 DEPTH=4 WIDTH=2" "$vcbuf" 9 2
mutant fsh_vcbuf.sv "s/sop_q   <= !middle/sop_q   <= 1'b1/"
mutant fsh_vcbuf.sv 's/slot   = !valid_q || ready_i/slot   = !valid_q || ready_i || middle/'
mutant fsh_vcbuf.sv 's/some_q\[queue_q\] : req/req[queue_q] : req/'
mutant fsh_vcbuf.sv 's/if (!middle) begin/if (req != 0) begin/'
mutant fsh_vcbuf.sv 's/{queue_i, waddr}/{queue, waddr}/'
mutant fsh_vcbuf.sv 's/freed_o   = take/freed_o   = gnt/'
mutant fsh_vcbuf.sv "s/left_q  <= left - 7'd1/left_q  <= follow - 7'd1/"

voqbuf="fsh_ram.sv fsh_voqbuf.sv"

prove voqbuf fsh_voqbuf "OUTPUTS=1 VCS=2 BEATS=4 WIDTH=2" "$voqbuf" 9 2 gates
mutant fsh_voqbuf.sv 's/begun     = able \&\& !open/begun     = able/'
mutant fsh_voqbuf.sv 's/fresh = lap_q ? ring : take_q/fresh = take_q/'
mutant fsh_voqbuf.sv 's/chase_q <= behind \&\& !more/chase_q <= behind/'
mutant fsh_voqbuf.sv "s/some_q\\[i\\]      <= more/some_q[i]      <= 1'b0/"
mutant fsh_voqbuf.sv 's/lead_q  <= valid_i ? written_q : .*/lead_q <= written_q;/'
mutant fsh_voqbuf.sv 's/head\[r_queue_q\] <= r_next/head[choice_i] <= r_next/'
mutant fsh_voqbuf.sv 's/if (read) freed_o/if (begun) freed_o/'
mutant fsh_voqbuf.sv 's/read      = open ? slot \&\& go_q/read      = open ? slot/'

hashbuf="fsh_coll_pkg.sv fsh_ram.sv fsh_hashbuf.sv"

prove hashbuf fsh_hashbuf "BUCKETS=2 WAYS=1 RESERVE=1 KEY=3" "$hashbuf" 27 6 gates
mutant fsh_hashbuf.sv "s/same\[w\] = !free\[w\] \&\& key == key_q/same[w] = !free[w] \&\& key[1:0] == key_q[1:0]/"
mutant fsh_hashbuf.sv "s/take_two = ways2_q != '0/take_two = 1'b1/"
mutant fsh_hashbuf.sv 's/claims \&\& emptier ? free/claims ? free/'
mutant fsh_hashbuf.sv "s/same_r_q} != '0/same1_q} != '0/"
mutant fsh_hashbuf.sv 's/(reserve_q \&\& free_r_q/(free_r_q/'
mutant fsh_hashbuf.sv "s/gen_q\[2\*at_q+:2\] == agen_q/1'b1/"
mutant fsh_hashbuf.sv 's/late_q  <= state_q == Idle \&\& op_valid_i/late_q  <= op_valid_i/'
mutant fsh_hashbuf.sv 's/if (release_) begin/if (release_ \&\& !op_valid_i) begin/'
mutant fsh_hashbuf.sv "s/whole_q\[res_slot_o\] <= 1'b0/whole_q[res_slot_o] <= claim_q \&\& whole_q[res_slot_o]/"
mutant fsh_hashbuf.sv 's/raddr  = state_q == First ? one : two_q/raddr  = one/'

prove clate fsh_clate "UNITS=2 JOB_W=4" "fsh_coll_pkg.sv fsh_clate.sv" 8 2 gates
mutant fsh_clate.sv 's/(late_q \& ~clear) | set/(late_q | set) \& ~clear/'
mutant fsh_clate.sv "s/VW'(i >> JOB_W) == .*) begin/1'b1) begin/"
mutant fsh_clate.sv "s/\^ 2'd2/^ 2'd3/"
mutant fsh_clate.sv "s/if (begin_i\[u\]) clear/if (gone_i[u]) clear/"
mutant fsh_clate.sv 's/= fsh_coll_pkg::eager_vp(rx_key_i.vp) \&\&/=/'
