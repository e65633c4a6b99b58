# SPDX-License-Identifier: BSD-3-Clause
# The proofs, read by run.sh: small depths and widths, all values symbolic.

fifo="fsh_ram.sv fsh_fifo.sv"

prove fifo_distributed fsh_fifo "WIDTH=4 DEPTH=4" "$fifo" 12 2
mutant fsh_fifo.sv 's/store  = push && (more || !load)/store  = push \&\& !load/'
mutant fsh_fifo.sv 's/out_q <= more ? mem\[rptr_q\] : data_i/out_q <= mem[rptr_q]/'
mutant fsh_fifo.sv 's/if (load && more) rptr_q/if (pop) rptr_q/'
mutant fsh_fifo.sv 's/valid_q <= push || count_q/valid_q <= count_q/'

prove fifo_block fsh_fifo "WIDTH=4 DEPTH=4 DISTRIBUTED_MAX=0" "$fifo" 12 4
mutant fsh_fifo.sv 's/bypass_valid_q <= push && /bypass_valid_q <= /'
mutant fsh_fifo.sv "s/bypass_valid_q <= push && .*/bypass_valid_q <= 1'b0;/"
mutant fsh_fifo.sv 's/raddr  = pop ? rptr_inc_q : rptr_q/raddr  = rptr_q/'

prove skid fsh_skid "WIDTH=4" fsh_skid.sv 10 2
mutant fsh_skid.sv 's/if (!spare_valid_q) spare_q/spare_q/'
mutant fsh_skid.sv "s/load    = ready_i || !out_valid_q/load    = 1'b1/"
mutant fsh_skid.sv 's/out_q <= spare_valid_q ? spare_q : data_i/out_q <= data_i/'

prove arb4 fsh_arb "N=4" fsh_arb.sv 10 2
mutant fsh_arb.sv 's/behind_d\[i\] = passed;/behind_d[i] = passed || gnt_o[i];/'
mutant fsh_arb.sv 's/gnt_o  = first_seen ? first_gnt : any_gnt/gnt_o  = any_gnt/'
prove arb5 fsh_arb "N=5" fsh_arb.sv 12 2
mutant fsh_arb.sv 's/req_i\[i\] && !any_seen/req_i[i]/'
