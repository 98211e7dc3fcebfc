# Kartejo.  `make serve` and `make test` are all that a newcomer needs; both make .venv first.
#
# Wanted: git, make, a C compiler and Python 3.11 to 3.13 with venv.  Everything else comes, pinned
# with hashes, from requirements/.
#
#   make serve ARGS="--listen 127.0.0.1:50200"      arguments for `kartejo serve`
#   make test ARGS="tests/engine -k flush"          arguments for pytest
#   make PYTHON=python3.12 test                     another interpreter (after `make clean`)

SHELL = /bin/sh
VENV ?= .venv
ARGS ?=

BIN = $(VENV)/bin
CORE = $(wildcard csrc/*.c csrc/*.h csrc/*.py)

.PHONY: help
help:
	@echo 'make serve         start the service on its own PostgreSQL; says what to try next'
	@echo 'make test          the tests; test-all adds those that take minutes'
	@echo 'make test-faults   what happens when processes die, lines are cut, the disk is full, …'
	@echo 'make test-browser  the pages, in a real Chromium'
	@echo 'make test-clients  both client libraries; wants Node 20 and npm'
	@echo 'make check         format, lint, types, contracts, generated files, the C core'
	@echo 'make check-native  the C core alone: warnings, sanitizers, published counts'
	@echo 'make docs          the documentation site, into build/site; every link followed, every block run'
	@echo 'make packages      source archive and wheel, into dist; make sbom what they need to run'
	@echo 'make bench         speed beside what one would use instead'
	@echo 'make lock          pin the newest versions in requirements/ (needs uv)'
	@echo 'make clean         remove everything that these targets make'

# --- the environment --------------------------------------------------------------------------
# Files that begin with a dot are stamps: a second `make` does nothing, a changed lock installs,
# a changed C source builds.

# A name on the path may be a shim that runs nothing, and a Python may lack venv: each is tried.
SUITS = import sys, venv, ensurepip; sys.exit(not (3, 11) <= sys.version_info < (3, 14))
NAMES = python3.13 python3.12 python3.11 python3 python

$(BIN)/python:
	@for name in $(or $(PYTHON),$(NAMES)); do \
	  if "$$name" -c '$(SUITS)' 2>/dev/null; then found="$$name"; break; fi; \
	done; \
	if test -z "$$found"; then \
	  echo 'Kartejo needs Python 3.11, 3.12 or 3.13 with venv (Debian: apt install python3-venv).'; \
	  echo 'Name one that you have: make PYTHON=/path/to/python3'; exit 1; \
	fi; \
	echo "$(VENV): $$("$$found" --version)"; "$$found" -m venv --clear $(VENV)

PIP = $(BIN)/python -m pip --disable-pip-version-check install --quiet

$(VENV)/.serve: requirements/serve.txt | $(BIN)/python
	$(PIP) --require-hashes -r $<
	@touch $@

$(VENV)/.dev: requirements/dev.txt | $(VENV)/.serve
	$(PIP) --require-hashes -r $<
	@touch $@

$(VENV)/.browser: requirements/browser.txt | $(VENV)/.dev
	$(PIP) --require-hashes -r $<
	@touch $@

$(VENV)/.bench: requirements/bench.txt | $(VENV)/.dev
	$(PIP) --require-hashes -r $<
	@touch $@

# What builds the package is in the locks too: nothing is fetched here.
$(VENV)/.built: $(CORE) setup.py pyproject.toml | $(VENV)/.serve
	$(PIP) --no-deps --no-build-isolation --editable .
	@touch $@

# --- what one does ----------------------------------------------------------------------------

.PHONY: serve test test-all test-faults test-browser test-clients check check-python check-native docs packages
.PHONY: sbom bench lock clean

serve: $(VENV)/.built
	@exec $(BIN)/kartejo serve $(ARGS)

# A few processes, each with a database of its own; the tests of a file stay together.
SPREAD = -n $(shell expr $$(nproc 2>/dev/null || echo 2) + 1) --maxprocesses 5 --dist loadfile

test: $(VENV)/.dev $(VENV)/.built
	$(BIN)/python -m pytest $(SPREAD) $(ARGS)

test-all: $(VENV)/.dev $(VENV)/.built
	$(BIN)/python -m pytest -m 'not browser' --timeout 1800 $(SPREAD) $(ARGS)

# One case after the other: each measures how long it takes until everybody is served again.
test-faults: $(VENV)/.dev $(VENV)/.built
	$(BIN)/python -m pytest tests/faults -m 'long or not long' --timeout 600 --verbose $(ARGS)

# Chromium comes from the system: one of these names, or KARTEJO_CHROMIUM=/path/to/it.
CHROMIUM = $(or $(KARTEJO_CHROMIUM),$(shell command -v chromium chromium-browser google-chrome chrome | head -n 1))

test-browser: $(VENV)/.browser $(VENV)/.dev $(VENV)/.built
	@test -n '$(CHROMIUM)' || { echo 'The pages are tested in Chromium, and there is none here.'; \
	  echo 'Install one (Debian: apt install chromium), or name it: KARTEJO_CHROMIUM=/path/to/it'; exit 1; }
	KARTEJO_CHROMIUM='$(CHROMIUM)' $(BIN)/python -m pytest tests/browser -m browser $(ARGS)

# What is generated must be what is committed.
test-clients: $(VENV)/.dev $(VENV)/.built
	$(BIN)/python tools/make_proto.py --image build/kartejo.binpb
	cd clients/typescript && npm ci --no-audit --no-fund && npm run generate && npm run build
	git diff --exit-code --stat clients/typescript/src/gen
	$(BIN)/python -m pytest tests/clients -m 'long or not long' --timeout 600 $(ARGS)

check: check-python check-native docs

check-python: $(VENV)/.dev $(VENV)/.built
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/basedpyright
	$(BIN)/lint-imports
	$(BIN)/python tools/make_proto.py --check
	$(BIN)/python tools/lint_proto.py
	$(BIN)/python tools/stored_types.py --check
	$(BIN)/python tools/page_schema.py --check
	$(BIN)/python tools/page_structures.py --check
	$(BIN)/python tools/draw_rules.py --check
	$(BIN)/python tools/api_reference.py --check

# The C core alone: warnings are errors, undefined behaviour and every byte beside a buffer are
# found; then, without sanitizers, all 133,784,560 seven-card hands against the published counts,
# by each way of ranking; last what other processors get.
CSTRICT = -std=c11 -Wall -Wextra -Wconversion -Wshadow -Wstrict-prototypes -Wvla -Werror
SANITIZE = -g -O1 -fno-omit-frame-pointer -fno-sanitize-recover=all -fsanitize=address,undefined
NATIVE = $(filter-out csrc/_%,$(wildcard csrc/*.c)) tests/native/check_native.c

check-native:
	@mkdir -p build
	$(CC) $(CSTRICT) $(SANITIZE) -Icsrc $(NATIVE) -o build/check_native_san
	ASAN_OPTIONS=detect_leaks=1:detect_stack_use_after_return=1 build/check_native_san
	$(CC) $(CSTRICT) -O3 -DNDEBUG -Icsrc $(NATIVE) -o build/check_native
	build/check_native sevens
	$(CC) $(CSTRICT) -O3 -DNDEBUG -DKJ_PORTABLE_ONLY -Icsrc $(NATIVE) -o build/check_native_portable
	build/check_native_portable

# Look at it from build/site/index.html; to search it, `python -m http.server -d build/site`.
docs: $(VENV)/.dev $(VENV)/.built
	$(BIN)/python tools/build_docs.py
	$(BIN)/python -m pytest tests/docs/test_pages.py -m long

# The same source gives the same bytes.
packages: $(VENV)/.serve
	$(BIN)/python tools/build_packages.py

sbom: $(BIN)/python
	$(BIN)/python tools/make_sbom.py

bench: $(VENV)/.bench $(VENV)/.built
	@for file in benchmarks/*.py; do echo "$$file"; $(BIN)/python $$file || exit 1; done

# One resolution for all Pythons; what serves is held to the versions that were tested.
LOCK = uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
  --no-emit-index-url --custom-compile-command 'make lock' pyproject.toml requirements/build.in

lock:
	$(LOCK) --upgrade --extra embedded --extra otel --extra web --extra dev --extra docs -o requirements/dev.txt >/dev/null
	$(LOCK) --extra embedded --extra web -c requirements/dev.txt -o requirements/serve.txt >/dev/null
	$(LOCK) --extra browser -c requirements/dev.txt -o requirements/browser.txt >/dev/null
	$(LOCK) --extra bench -c requirements/dev.txt -o requirements/bench.txt >/dev/null

clean:
	rm -rf .venv build dist *.egg-info engine/_native.c engine/_native*.so
	rm -rf .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -prune -exec rm -rf {} +
