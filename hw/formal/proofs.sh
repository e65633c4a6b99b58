# SPDX-License-Identifier: BSD-3-Clause
# The proofs, read by run.sh: small depths and widths, all values symbolic.

fifo="fsh_ram.sv fsh_fifo.sv"

prove fifo_distributed fsh_fifo "WIDTH=4 DEPTH=4 BLOCK=0" "$fifo" 12 2
mutant fsh_fifo.sv 's/push != take/push/'
mutant fsh_fifo.sv 's/ready_o = !count_q\[CW-1\]/ready_o = 1/'
mutant fsh_fifo.sv 's/if (take) rptr_q/if (ready_i) rptr_q/'
mutant fsh_fifo.sv 's/some_q  <= push || count_q/some_q <= count_q/'

prove fifo_block fsh_fifo "WIDTH=4 DEPTH=4 BLOCK=1" "$fifo" 12 4
mutant fsh_fifo.sv 's/take    = some_q \&\& (!valid_q || ready_i)/take    = some_q/'
mutant fsh_fifo.sv 's/take    = some_q \&\& (!valid_q || ready_i)/take    = some_q \&\& !valid_q/'
mutant fsh_fifo.sv 's/if (take || ready_i) valid_q/if (take) valid_q/'

prove skid fsh_skid "WIDTH=4" fsh_skid.sv 10 2
mutant fsh_skid.sv 's/ \&\& !spare_valid_q) spare_q/) spare_q/'
mutant fsh_skid.sv "s/load    = ready_i || !out_valid_q/load    = 1'b1/"
mutant fsh_skid.sv 's/out_q <= spare_q/out_q <= data_i/'

prove arb4 fsh_arb "N=4" fsh_arb.sv 10 2
mutant fsh_arb.sv 's/behind_q <= passed/behind_q <= passed | gnt_o/'
mutant fsh_arb.sv "s/first != '0 ? first : req_i/req_i/"
prove arb5 fsh_arb "N=5" fsh_arb.sv 12 2
mutant fsh_arb.sv 's/front \& ~lower/front/'
