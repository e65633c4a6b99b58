# SPDX-License-Identifier: BSD-3-Clause
# The C models of the simulator and what steps them: no RTL, no Verilator.
set(FSH_SIM_MODEL_SOURCES "")
foreach(name axi collective compute crew dma fabric fabric_make host lane ledger link node partition record
        step waves)
    list(APPEND FSH_SIM_MODEL_SOURCES ${PROJECT_SOURCE_DIR}/sim/${name}.c)
endforeach()
