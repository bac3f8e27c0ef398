# SPDX-License-Identifier: Apache-2.0
# The commands that stay. Each sets up what it needs; CMake does the work (see CMakePresets.json).
PREFIX ?= /usr/local
JOBS ?= $(shell nproc)
TEST_JOBS ?= 20

# The generator of a build that is there already, or else the best at hand.
GENERATOR = $$(sed -n "s/^CMAKE_GENERATOR:INTERNAL=//p" build/CMakeCache.txt 2>/dev/null | grep . || \
  { command -v ninja >/dev/null && echo Ninja; } || echo Unix Makefiles)
CONFIGURE = cmake --preset release -G "$(GENERATOR)" --log-level=NOTICE >/dev/null
BUILD = cmake --build build --parallel $(JOBS)
PYTHON = tools/install-deps --package

# Of the tests, by their label.
LEFT_OUT = --label-exclude research

ask = $(if $($(1)),$(2) $($(1)))

.PHONY: build test test-all faults sim demo site other-mpi other-libraries bench lab wheel install format check clean

build:
	@tools/install-deps --building
	@$(CONFIGURE)
	@$(BUILD) --target without_tests

test:
	@tools/install-deps --while 'make --no-print-directory compiled'
	@$(PYTHON)
	@ctest --test-dir build --parallel $(TEST_JOBS) --output-on-failure --no-tests=error $(LEFT_OUT)

# With the tests of research/, which `make test` leaves out.
test-all: LEFT_OUT =
test-all: test

# SECONDS=3600, or KILLS=2000; SEED=1; STREAMS=2; THREADS=multiple
faults:
	@tools/install-deps --tests --while 'make --no-print-directory compiled'
	@$(PYTHON)
	@tools/faults $(call ask,KILLS,kills --runs) $(call ask,SECONDS,--seconds) $(call ask,SEED,--seed) \
	  $(call ask,STREAMS,--streams) $(call ask,THREADS,--threads)

# SEEDS=1000000 FIRST=1
sim:
	@tools/install-deps --tests --while 'make --no-print-directory compiled'
	@tools/sim $(SEEDS) $(call ask,FIRST,--first)

demo:
	@tools/install-deps --demo --while 'JOBS=$(JOBS) examples/demo/compile "$(GENERATOR)"'
	@examples/demo/demo

.PHONY: compiled
compiled:
	@$(CONFIGURE)
	@$(BUILD)

# The documents as a site: build/site/index.html.
site:
	@tools/install-deps --tests
	@$(CONFIGURE)
	@$(BUILD) --target weir_simulate
	@$(PYTHON)
	@tools/site

# Over another MPI, beside the usual build: what tools/other-mpi names of the suite. MPI=mpich, mpich5, openmpi or intel
other-mpi:
	@JOBS=$(JOBS) tools/other-mpi $(call ask,MPI,)

# Over other versions of PnetCDF, netCDF and HDF5, beside the usual build: the tests of the bridges and of netCDF-4. PREFIX=FOLDER that
# has them
other-libraries:
	@JOBS=$(JOBS) tools/other-libraries $(if $(filter command line environment,$(origin PREFIX)),$(PREFIX))

bench: build
	@tools/bench

# A study of research/ in a cluster in a box.
lab:
	@tools/install-deps --while 'make --no-print-directory compiled'
	@$(PYTHON)
	@research/lab

# The library, the programs, Python and `weir demo` as one wheel: build/wheels/weir_output-*.whl.
wheel: build
	@tools/install-deps --tests
	@$(PYTHON)
	@tools/wheel

install: build
	@cmake --install build --prefix $(PREFIX)

format:
	@tools/format

check:
	@tools/check

clean:
	rm -rf build build-debug build-asan build-tsan build-mpi build-libraries demo
