# Short names for what CMake, CTest and scripts/ do. `make help` lists them.

MAKEFLAGS += --no-print-directory

PREFIX ?= /usr/local
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
# Size of the problem that `make run` solves; benchmarks that `make bench` runs.
N ?= 6000
BENCH ?= tasks la

CONFIGURE = cmake --log-level=WARNING --preset
# Where `make install` keeps the list of what it put under PREFIX, for `make uninstall`.
INSTALLED = build/installed$(subst /,-,$(abspath $(PREFIX))).txt

.PHONY: help run build debug test bench install uninstall format check coverage soak mutants explore clean

help:
	@echo 'make run        build, factor a matrix of order N=$(N), check the result, draw what happened'
	@echo 'make build      build/twill and both libraries; installs what is missing'
	@echo 'make debug      the same with assertions and without optimisation, in build-debug/'
	@echo 'make test       all tests; again under the address and thread sanitizers'
	@echo 'make check      format, layers, exported symbols, headers, documentation, sizes'
	@echo 'make bench      BENCH="$(BENCH)" beside the other runtimes found here'
	@echo 'make install    into PREFIX=$(PREFIX); make uninstall takes it away again'
	@echo 'make format     clang-format on all sources'
	@echo 'make coverage   lines of each source file that the tests reach'
	@echo 'make soak       the long tests, stage by stage; run it again to go on where it stopped'
	@echo 'make mutants    does a test fail when a line of the library is wrong?'
	@echo 'make explore    search schedules of the engine for bugs, for EXPLORE_SECONDS=180'
	@echo 'make clean      remove all build folders'

build:
	@scripts/deps build
	@$(CONFIGURE) release >/dev/null
	@cmake --build build -j $(JOBS)

debug:
	@scripts/deps build
	@$(CONFIGURE) debug >/dev/null
	@cmake --build build-debug -j $(JOBS)

run: build
	build/twill info
	build/twill potrf -n $(N) --check --progress on --trace build/potrf.html

test:
	@scripts/deps build test
	@scripts/deps page || echo 'The tests of the trace page in a browser will be skipped.'
	@scripts/test

bench:
	@scripts/deps build bench
	@$(MAKE) --no-print-directory build
	@for name in $(BENCH); do build/twill bench $$name || exit $$?; done

install: build
	@cmake --install build --prefix "$(abspath $(PREFIX))"
	@cp build/install_manifest.txt "$(INSTALLED)"
	@if [ -z "$(DESTDIR)" ] && [ "$$(id -u)" -eq 0 ]; then ldconfig 2>/dev/null || true; fi

uninstall:
	@cmake "-DMANIFEST=$(INSTALLED)" -P cmake/uninstall.cmake

format:
	@scripts/deps build test
	@scripts/sources | xargs clang-format -i

check: build
	@scripts/deps build test
	@scripts/check build

coverage:
	@scripts/deps build test
	@scripts/coverage

soak:
	@scripts/deps build test
	@scripts/soak

mutants:
	@scripts/deps build test
	@if [ -x scripts/mutants ]; then scripts/mutants; else echo 'there is no scripts/mutants'; exit 2; fi

explore:
	@scripts/deps build test
	@scripts/explore

clean:
	rm -rf build build-debug build-asan build-tsan build-coverage build-soak build-mutants build-node \
		build-explore build-compare
