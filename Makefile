# SPDX-License-Identifier: BSD-3-Clause
# Front end to CMake and Ninja (see docs/01_user).

BUILD  ?= build
PREFIX ?= /usr/local
JOBS   ?= $(shell n=$$(nproc); [ $$n -gt 8 ] && n=8; echo $$n)
TESTS  ?= .
ROUNDS ?= 20
SECONDS ?= 600
# Halves of processors that tests may want at once (cmake/FshTest.cmake): half as many again as
# there are, since ranks wait for each other, too.
HALVES  = $$((3 * $(JOBS)))
RUN    := $(BUILD)/bin/fshrun
PAPER  := $(BUILD)/paper

# One argument, blanks included; make's own functions would split it.
export PREFIX
INTO   := "$$(realpath -ms -- "$$PREFIX")"

.DEFAULT_GOAL := all
.PHONY: all demo test test-all bench soak mutants report-check synth synth-core lint format install clean \
        help deps build

all: deps build ## install what is missing, build everything

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 20
	@echo "  Variables: BUILD=$(BUILD) PREFIX=$(PREFIX) JOBS=$(JOBS)" \
	      "TESTS=<regular expression> ROUNDS=<of make bench's peers>" \
	      "SECONDS=, SEED=<of make soak>"

deps:
	@scripts/install-deps.sh run

build: deps
	@scripts/configure.sh $(BUILD) $(INTO)
	@cmake --build $(BUILD) -j $(JOBS)

demo: ## self-checking runs on two FPGA nodes and the paper's figures
	@scripts/demo.sh $(BUILD) $(JOBS) $(INTO)

test: build ## run every test (TESTS=<regex> for some)
	@cd $(BUILD) && ctest --output-on-failure -j $(HALVES) -R '$(TESTS)'

test-all: build ## also long tests: all conform programs, 8 ranks on fpga
	@cd $(BUILD) && ctest -C all --output-on-failure -j $(HALVES) -R '$(TESTS)'

bench: build ## all figures: sections IV and V, simulator, kernels, smp versus MPI and UCX
	@scripts/install-deps.sh bench
	@mkdir -p $(PAPER)
	@$(RUN) -n 2 --conduit fpga --timeout 900 $(BUILD)/bin/fshperf paper \
	    --json $(PAPER)/paper.json --csv $(PAPER)/paper.csv \
	    --report $(PAPER)/paper.html
	@tools/fshperf/plot.sh $(PAPER)/paper.csv $(PAPER)
	@$(BUILD)/bin/fshperf case-study --verbose \
	    --json $(PAPER)/case-study.json --csv $(PAPER)/case-study.csv \
	    --report $(PAPER)/case-study.html
	@tools/fshperf/plot-study.sh $(PAPER)/case-study.csv $(PAPER)
	@$(BUILD)/bin/fshperf fabric --json $(PAPER)/fabric.json \
	    --links $(PAPER)/fabric-links.csv --report $(PAPER)/fabric.html
	@tools/fshperf/plot-fabric.sh $(PAPER)/fabric-links.csv $(PAPER)
	@$(BUILD)/bin/fshperf host-driven --json $(PAPER)/host-driven.json
	@$(BUILD)/bin/fshperf coll --clock simulated --json $(PAPER)/coll.json
	@$(BUILD)/bin/fshperf bridge --clock simulated --json $(PAPER)/bridge.json
	@$(BUILD)/bin/fshperf bridge --clock simulated --sweep --json $(PAPER)/bridge-sweep.json
	@for load in 4:4:8 9:9:8 32:32:4; do $(BUILD)/tests/tb_fsh_coll_pressure 1 \
	    1:equal:20:$$load 8:equal:20:$$load 32:harmonic:20:$$load 32:half:20:$$load || exit 1; done
	@$(BUILD)/tests/tb_fsh_coll_partition 1 1:equal:20:32:1:2 8:equal:20:32:1:2 \
	    32:harmonic:20:32:1:2 32:half:20:32:1:2
	@for wire in fp32 bfp16; do $(RUN) -n 4 $(BUILD)/examples/08_train --epochs 20 \
	    --wire $$wire --json >$(PAPER)/loss-$$wire.json; done
	@tools/fshperf/plot-loss.sh $(PAPER) $(PAPER)/loss-fp32.json $(PAPER)/loss-bfp16.json
	@$(BUILD)/bin/fshperf training --json $(PAPER)/training.json
	@$(BUILD)/bin/fshmodel check $(PAPER)/paper.json $(PAPER)/case-study.json \
	    $(PAPER)/coll.json $(PAPER)/bridge.json $(PAPER)/bridge-sweep.json \
	    $(PAPER)/training.json --json $(PAPER)/model.json
	@$(RUN) -n 2 --conduit fpga --timeout 300 $(BUILD)/bin/fshperf sim-speed
	@$(RUN) -n 2 --conduit fpga --timeout 300 $(BUILD)/bin/fshperf am-rtt
	@$(BUILD)/bin/compute_gops
	@$(RUN) -n 2 --conduit smp --timeout 300 $(BUILD)/bin/fshperf limits
	@$(BUILD)/bin/fshperf smp --json $(BUILD)/smp.json
	@$(BUILD)/bin/fshperf coll --json $(BUILD)/coll.json
	@$(RUN) -n 2 --conduit ofi --timeout 900 $(BUILD)/bin/fshperf net --json $(BUILD)/net.json
	@$(BUILD)/bin/fshperf bridge --rounds $(ROUNDS) --json $(BUILD)/bridge.json
	@python3 bench/sim_processes.py --fshrun $(RUN) --fshperf $(BUILD)/bin/fshperf \
	    --json $(BUILD)/sim-processes.json
	@python3 bench/hosts.py --build $(BUILD) --rounds $(ROUNDS) --json $(BUILD)/hosts.json
	@python3 bench/peers.py --fshperf $(BUILD)/bin/fshperf \
	    --build $(BUILD)/peers --rounds $(ROUNDS) --json $(BUILD)/peers.json
	@python3 bench/train.py --fshrun $(RUN) --train $(BUILD)/examples/08_train \
	    --build $(BUILD)/peers --rounds $(ROUNDS) --json $(BUILD)/train.json

soak: build ## random tests on all conduits for SECONDS=600
	@FSH_BIN=$(abspath $(BUILD))/bin FSH_TESTS=$(abspath $(BUILD))/tests \
	    tests/stress/soak.py --seconds $(SECONDS) $(if $(SEED),--seed $(SEED))

mutants: build ## mutation testing: edits that no test or proof notices; SEED=, MUTANTS=20
	@scripts/install-deps.sh hardware
	@FSH_FORMAL_DIR=$(abspath $(BUILD))/formal hw/formal/run.sh
	@tests/mutants/mutants.py --build $(BUILD) $(if $(SEED),--seed $(SEED)) \
	    $(if $(MUTANTS),--mutants $(MUTANTS))

report-check: deps ## check reports in a real browser, if installed (Debian: chromium)
	@scripts/configure.sh $(BUILD) $(INTO) demo
	@cmake --build $(BUILD) -j $(JOBS) --target fshrun fshperf fshsim 06_matmul
	@tests/report/check.sh $(BUILD)

synth: ## area by block versus the paper's Table II, longest path (yosys)
	@scripts/install-deps.sh hardware
	@python3 hw/syn/synth.py --top fsh_card --out $(BUILD)/synth

synth-core: ## the same for the compute core; takes long
	@scripts/install-deps.sh hardware
	@python3 hw/syn/synth.py --top fsh_compute --out $(BUILD)/synth-core

lint: ## generated files, include directions, format, RTL lint
	@scripts/install-deps.sh ci
	@scripts/check.sh
	@hw/lint/run.sh

format: ## clang-format the C files
	@scripts/install-deps.sh ci
	@scripts/c-files.sh | xargs -r clang-format-14 -i

install: deps ## install under PREFIX
	@scripts/configure.sh $(BUILD) $(INTO) install
	@cmake --build $(BUILD) -j $(JOBS) --target fsh_installed
	@cmake --install $(BUILD)

clean: ## remove the build directory
	@rm -rf $(BUILD)
