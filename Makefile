# Thin front of CMake, CTest and scripts/. `make` lists the targets; CMakePresets.json has the builds.
SHELL := /bin/bash
JOBS := $(shell scripts/jobs.sh)
PREFIX ?= /usr/local
FUZZ_SECONDS ?= 300
SOAK_ROUNDS ?= 20
KILL_ROUNDS ?= 200
LOAD_SECONDS ?= 60
CRASH_ROUNDS ?= 300
STORE_SECONDS ?= 600
BENCH_TRIPLES ?= 1000000
REPLAY_TRIPLES ?= 10000000
REHEARSAL_TRIPLES ?= 10000000
BENCH_ROUNDS ?= 5
BENCH_ITEMS ?= 1000000
BENCH_OPTIONS ?=

# Configures once, and when the presets change; ninja configures again by itself when a CMake file changes.
configure = test build/$(1)/build.ninja -nt CMakePresets.json || cmake --fresh --preset $(1) --log-level=WARNING >/dev/null
build = $(call configure,$(1)) && cmake --build build/$(1) -j $(JOBS)
deps = @scripts/install-deps.sh

.NOTPARALLEL:
.PHONY: help build-dev demo test test-integration test-deep deps lint format asan tsan fuzz conformance bench bench-mcp bench-sql bench-audit bench-context bench-endpoint bench-memory bench-sandbox bench-python bench-scale bench-updates replay rehearsal soak soak-store install python mcpb clean

help:  ## list the targets (default)
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/\1\t\2/' | \
	  while IFS=$$'\t' read -r name text; do printf '  make %-12s %s\n' "$$name" "$$text"; done

build-dev:
	@$(call build,dev)

demo:  ## build the program and run `helve demo`
	$(deps) test
	@$(call build,dev) --target helve
	@build/dev/bin/helve demo

test:  ## build everything and run all tests that need no server, network or download (T=REGEX)
	$(deps) test
	@$(call build,dev)
	@scripts/run_tests.sh build/dev test '$(T)'

test-integration:  ## run the tests with databases, endpoints and packages of npm, PyPI and Maven (T=REGEX)
	$(deps) integration
	@$(call build,dev)
	@scripts/run_tests.sh build/dev integration '$(T)'

test-deep:  ## run one slice of the deep checks, complete (SLICE=NAME|list)
	@scripts/deep.sh $(or $(SLICE),list)

deps:  ## show and install the Debian packages that `make demo` and `make test` need
	@scripts/install-deps.sh --list test

lint:  ## check format, layers, shell scripts and clang-tidy (TIDY=changed|all)
	$(deps) lint
	@scripts/lint.sh $(or $(TIDY),all)

format:  ## rewrite all C++ files with clang-format
	$(deps) lint
	@git ls-files '*.cc' '*.h' | xargs -r clang-format-14 -i

asan:  ## build and run the tests with AddressSanitizer and UndefinedBehaviorSanitizer
	$(deps) sanitize
	@$(call build,asan)
	@scripts/run_tests.sh build/asan test '$(T)'

tsan:  ## build and run the tests with ThreadSanitizer
	$(deps) sanitize
	@$(call build,tsan)
	@scripts/run_tests.sh build/tsan test '$(T)'

fuzz:  ## fuzz every target for FUZZ_SECONDS (300), two at a time, under the sanitizers
	$(deps) sanitize
	@$(call build,fuzz) --target fuzz/all
	@scripts/fuzz.sh build/fuzz $(FUZZ_SECONDS)

conformance:  ## run the W3C suites and write docs/conformance.md
	$(deps) test
	@$(call build,dev)
	@build/dev/bin/helve_conformance --report docs/conformance.md

bench:  ## compare with Virtuoso, Oxigraph, Jena and rdflib (BENCH_TRIPLES="1000000 10000000", BENCH_ROUNDS, BENCH_OPTIONS)
	$(deps) bench peers
	@bench/setup.sh
	@$(call build,release) --target helve
	@bench/run.py --triples $(BENCH_TRIPLES) --rounds $(BENCH_ROUNDS) $(BENCH_OPTIONS) build/release/bin/helve

bench-scale:  ## load and ask 1, 10 and 100 million triples under 4 GiB (some 40 GB of disk; SCALE_OPTIONS)
	$(deps) bench
	@$(call build,release) --target helve
	@bench/scale.py $(SCALE_OPTIONS) build/release/bin/helve

bench-updates:  ## transactions, opening and compaction of an index that changes (BENCH_OPTIONS)
	$(deps) bench
	@$(call build,release) --target helve
	@bench/updates.py $(BENCH_OPTIONS) build/release/bin/helve

bench-mcp:  ## calls over MCP beside a server of the TypeScript SDK (BENCH_ROUNDS)
	$(deps) bench
	@bench/setup.sh
	@$(call build,release) --target helve
	@bench/mcp.py --rounds $(BENCH_ROUNDS) build/release/bin/helve

bench-sql:  ## what Helve takes beside the client libraries of databases
	$(deps) build integration
	@cmake --preset release -DHELVE_BENCH=ON --log-level=WARNING
	@cmake --build build/release -j $(JOBS) --target helve sql_overhead
	@bench/sql.py build/release/bin/helve build/release/bin/helve_sql_overhead

bench-audit:  ## what policy and audit take of a call
	$(deps) build
	@cmake --preset release -DHELVE_BENCH=ON --log-level=WARNING
	@cmake --build build/release -j $(JOBS) --target audit_cost
	@build/release/bin/helve_audit_cost build

bench-context:  ## the layers L0 and L1 of two ontologies, beside rdflib
	$(deps) bench
	@bench/setup.sh
	@cmake --preset release -DHELVE_BENCH=ON --log-level=WARNING
	@cmake --build build/release -j $(JOBS) --target context_cost
	@bench/context.py build/release/bin/helve_context_cost

bench-endpoint:  ## a million rows of an endpoint into a handle, beside curl, jq, SPARQLWrapper and rdflib (BENCH_ROUNDS)
	$(deps) bench
	@$(call build,release) --target helve
	@bench/endpoint.py --rounds $(BENCH_ROUNDS) build/release/bin/helve

bench-memory:  ## how well and how fast a memory bank finds, beside a list in Python and PostgreSQL (BENCH_ITEMS; HELVE_SHARED)
	$(deps) test integration
	@$(call configure,dev) && cmake --build build/dev -j $(JOBS) --target retrieval_quality
	@cmake --preset release -DHELVE_BENCH=ON --log-level=WARNING
	@cmake --build build/release -j $(JOBS) --target memory_bank
	@build/dev/bin/helve_retrieval_quality
	@bench/memory.py --items $(BENCH_ITEMS) build/release/bin/helve_memory_bank

bench-sandbox:  ## what the sandbox takes beside a bare Python process
	$(deps) build
	@cmake --preset release -DHELVE_BENCH=ON --log-level=WARNING
	@cmake --build build/release -j $(JOBS) --target sandbox_cost
	@bench/sandbox.py build/release/bin/helve_sandbox_cost

bench-python:  ## the Python package beside rdflib and pyoxigraph, its sandbox beside DSPy's interpreters (BENCH_OPTIONS)
	$(deps) bench peers python
	@bench/setup.sh
	@build/bench/agents/bin/pip install --quiet --force-reinstall --no-deps .
	@PATH=$(CURDIR)/build/bench/agents/bin:$$PATH build/bench/agents/bin/python bench/python.py $(BENCH_OPTIONS)

replay:  ## make the calls of tests/toolkit/replay.cases again, on REPLAY_TRIPLES (10000000) generated triples
	$(deps) test
	@$(call build,dev) --target replay helve
	@mkdir -p build/replay
	@test -d build/replay/$(REPLAY_TRIPLES).helve || { \
	  bench/gen.py $(REPLAY_TRIPLES) build/replay/$(REPLAY_TRIPLES).nt && \
	  build/dev/bin/helve load build/replay/$(REPLAY_TRIPLES).nt -o build/replay/$(REPLAY_TRIPLES).helve; }
	@build/dev/bin/helve_replay build/replay/$(REPLAY_TRIPLES).helve

rehearsal:  ## the same through HTTP, on REHEARSAL_TRIPLES (10000000) in the vocabulary of UniProt, as slow as it (HELVE_SHARED)
	$(deps) test
	@$(call build,dev) --target rehearsal helve
	@tests/rehearsal/rehearse.py build/dev/bin/helve build/dev/bin/helve_rehearsal $(REHEARSAL_TRIPLES) build/rehearsal

soak:  ## LOAD_SECONDS (60) of load over MCP and by eight threads of Python, KILL_ROUNDS (200) of killed writers of a bank, CRASH_ROUNDS (300) of a store without power, STORE_SECONDS (600) of readers beside its writers, under ThreadSanitizer and as released, then all tests SOAK_ROUNDS (20) times in random order, until the first failure
	$(deps) test sanitize
	@$(call build,dev)
	@tests/mcp/load.py build/dev/bin/helve build/dev/bin/helve_mcp_load --seconds $(LOAD_SECONDS)
	@HELVE_THREAD_SECONDS=$(LOAD_SECONDS) PYTHONPATH=build/dev/python python3 tests/python/session_test.py ThreadsTest
	@KILL_TEST_SECONDS=3600 tests/memory/kill_test.py build/dev/bin/memory_writer $(KILL_ROUNDS)
	@$(MAKE) soak-store
	@HELVE_EVERY_BYTE=1 build/dev/bin/store_trouble_test --gtest_filter='ByteFlip*'
	@ctest --test-dir build/dev -j $(JOBS) --output-on-failure --schedule-random --repeat until-fail:$(SOAK_ROUNDS)

soak-store:  ## of that, what is about a store that changes: CRASH_ROUNDS, STORE_SECONDS under ThreadSanitizer, STORE_SECONDS as released
	$(deps) test sanitize
	@$(call build,tsan) --target readers_and_writers
	@$(call build,soak) --target readers_and_writers crash_test
	@build/soak/bin/crash_test $(CRASH_ROUNDS)
	@HELVE_SOAK_SECONDS=$(STORE_SECONDS) build/tsan/bin/readers_and_writers
	@HELVE_SOAK_SECONDS=$(STORE_SECONDS) build/soak/bin/readers_and_writers

install:  ## install the release program, shell completions and the C++ library (PREFIX=/usr/local, DESTDIR)
	$(deps) build
	@$(call build,release)
	@cmake --install build/release --prefix $(PREFIX)

python:  ## build the wheel of the Python package with the release settings into build/dist (PYTHON=python3)
	$(deps) python
	@$(or $(PYTHON),python3) src/surfaces/python/build_backend.py build/dist

MCPB_TOOL := @anthropic-ai/mcpb@2.1.2

mcpb:  ## build and check the desktop-extension bundle of `helve mcp` and its registry entry, in build/mcpb
	$(deps) build
	@$(call build,release) --target helve
	@scripts/mcpb.py build build/release/bin/helve build/mcpb
	@if ! command -v npm >/dev/null || ! npm exec --yes --package $(MCPB_TOOL) -- mcpb --version >/dev/null 2>&1; then \
	  echo "mcpb: the official validator is not at hand (npm, network): only our own checks were made"; \
	else npm exec --yes --package $(MCPB_TOOL) -- mcpb validate packaging/mcpb/manifest.json; fi

clean:  ## delete build/
	rm -rf build
