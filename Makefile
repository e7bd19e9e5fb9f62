# SPDX-License-Identifier: MIT
# The front door: every target is a few lines of CMake. All output goes to build/.

MAKEFLAGS += --no-print-directory

JOBS         ?= $(shell nproc 2>/dev/null || echo 2)
PREFIX       ?= /usr/local
CASES        ?=
RUNS         ?= 3
MACHINE      ?= local
# What `make fuzz` does: see tools/fuzz.sh.
FUZZ_STEPS     ?= 10000000
FUZZ_LOOPS     ?= 5000000
FUZZ_SEQUENCES ?= 20000
FUZZ_RUNS      ?= 1000000

BUILD   := cmake --build
CTEST   := ctest --parallel $(JOBS) --output-on-failure --no-tests=error
FORMAT   = $(shell command -v clang-format-14 || echo clang-format)
SOURCES  = $(wildcard include/kith/*.h include/kith/*.hpp src/*.[ch] src/*/*.[ch] \
             tests/*.[ch] tests/*.cpp tests/*/*.[ch] tests/*/*.cpp tests/*/*.hpp \
             examples/*.[ch] examples/*/*.[ch] examples/*.cpp bench/*.[ch] bench/*.cpp fuzz/*.[ch] \
             cli/*.[ch] tools/*.c)

.PHONY: help demo test test-build check check-all bench bench-build bench-curves \
        bench-instructions bench-publish sanitize coverage fuzz mutants docs format format-check \
        install clean

help:
	@echo 'make demo                 build the library and a small simulation, and run it'
	@echo 'make test                 build and run the tests; two minutes at most on two idle cores'
	@echo 'make check                all of them unthinned, install forms, two-file form, limits'
	@echo 'make check-all            every gate of .ci/run, unthinned, under every tool; hours'
	@echo 'make bench CASES=G1,M1    measure speed; without CASES everything'
	@echo 'make bench-curves         cost by number of entities, components, terms, sets; two minutes'
	@echo 'make bench-instructions   count instructions with callgrind'
	@echo 'make bench-publish        measure everything RUNS times, rewrite all figures of docs/'
	@echo 'make sanitize             the tests under ASan and UBSan, TSan, and MSan'
	@echo 'make coverage             the tests with line and branch coverage of src/'
	@echo 'make fuzz                 random operations against the model, then libFuzzer'
	@echo 'make mutants              200 changes of src/, each of which a test has to notice; an hour'
	@echo 'make docs                 the reference from the public headers, in build/docs'
	@echo 'make format               format the sources; make format-check only looks'
	@echo 'make install PREFIX=...   library, headers, CMake package, pkg-config file, kith'
	@echo 'make clean                remove build/'

# A quick build: many sources at once, moderately optimised.
demo:
	@sh tools/quiet.sh 'Configuring' build/demo/configure.log cmake -S . -B build/demo \
	    -DKITH_TESTS=OFF -DKITH_CLI=OFF -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG=-O1 \
	    -DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=16
	@sh tools/quiet.sh 'Building the library and examples/demo.c' build/demo/build.log \
	    $(BUILD) build/demo --parallel $(JOBS) --target kith_demo
	@echo 'Running build/demo/examples/kith_demo' && echo
	@build/demo/examples/kith_demo

test-build:
	@sh tools/need.sh cmocka.h=libcmocka-dev
	@sh tools/need.sh xxhash.h=libxxhash-dev || echo 'Going on without: one test is skipped.'
	@sh tools/need.sh zstd.h=libzstd-dev || echo 'Going on without: packed snapshots are refused.'
	cmake --preset release
	$(BUILD) --preset release --parallel $(JOBS)

# Random tests and failing allocations are thinned; what builds the library again is left out.
# `make check` leaves nothing out.
test: test-build
	KITH_THIN=$${KITH_THIN:-4} KITH_STEPS=$${KITH_STEPS:-50000} \
	    $(CTEST) --preset release --label-exclude check

check: test-build
	$(CTEST) --preset release

# Every gate of .ci/run, unthinned.
check-all:
	.ci/run --all

bench-build:
	cmake -S . -B build/bench -DKITH_TESTS=OFF -DKITH_EXAMPLES=OFF -DKITH_BENCHMARKS=ON
	$(BUILD) build/bench --parallel $(JOBS) --target kith_bench

bench: bench-build
	build/bench/bench/kith_bench $(if $(CASES),--cases $(CASES)) --out build/bench/results.json

bench-curves: bench-build
	build/bench/bench/kith_bench --curve --out bench/results/$(MACHINE)/curves.json

bench-instructions:
	@sh tools/need.sh valgrind=valgrind valgrind/callgrind.h=valgrind
	$(MAKE) bench-build
	sh bench/instructions.sh build/bench/bench/kith_bench $(if $(CASES),--cases $(CASES))

bench-publish:
	@sh tools/need.sh valgrind=valgrind valgrind/callgrind.h=valgrind
	$(MAKE) bench-build
	sh bench/publish.sh build/bench/bench/kith_bench bench/results/$(MACHINE) $(RUNS)

sanitize:
	@sh tools/need.sh cmocka.h=libcmocka-dev clang=clang -fsanitize=memory=libclang-rt-14-dev
	sh tools/test_preset.sh debug
	sh tools/test_preset.sh thread
	sh tools/test_preset.sh memory

coverage:
	@sh tools/need.sh cmocka.h=libcmocka-dev gcovr=gcovr
	sh tools/test_preset.sh coverage
	sh tools/coverage.sh build/coverage

fuzz:
	@sh tools/need.sh cmocka.h=libcmocka-dev clang=clang -fsanitize=memory=libclang-rt-14-dev
	sh tools/fuzz.sh build/fuzz $(FUZZ_STEPS) $(FUZZ_LOOPS) $(FUZZ_SEQUENCES) $(FUZZ_RUNS)

# Not part of any gate: an hour.
mutants:
	@sh tools/need.sh cmocka.h=libcmocka-dev zstd.h=libzstd-dev python3=python3
	python3 tools/mutants.py

docs:
	@sh tools/need.sh doxygen=doxygen
	sh tools/docs.sh build/docs

format:
	$(FORMAT) -i $(SOURCES)

format-check:
	$(FORMAT) --dry-run -Werror $(SOURCES)

install:
	cmake -S . -B build/install -DKITH_TESTS=OFF -DKITH_EXAMPLES=OFF \
	    -DCMAKE_INSTALL_PREFIX=$(PREFIX)
	$(BUILD) build/install --parallel $(JOBS)
	cmake --install build/install

clean:
	cmake -E rm -rf build
