# Everything that a developer or an operator types. `make` lists it.
# Variables: PYTHON (which Python makes .venv), JOBS (how many tests run at once), and the settings of docs/settings.md.

PYTHON ?= python3
JOBS ?= 2
VENV := .venv
BIN := $(VENV)/bin
CHECKS := format lint types imports openapi openapi-lint deploy tests

export REDOCLY_TELEMETRY := off
export REDOCLY_SUPPRESS_UPDATE_NOTICE := true

.DEFAULT_GOAL := help
.PHONY: help run test check format lock examples openapi layouts bench clean node $(addprefix check-,$(CHECKS))

help: ## list the targets
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1	\2/p' $(MAKEFILE_LIST) | expand -t 16

run: $(VENV)/has-run ## start Shorebreak: PORT (8000), DATA_DIR (./var), REDIS_URL and more in docs/settings.md
	@exec $(BIN)/python -m service run

test: $(VENV)/has-dev ## run all tests; those that need node or nginx are skipped, loudly, where there is none
	@if command -v npm >/dev/null 2>&1; then $(MAKE) --no-print-directory node; fi
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal

check: $(VENV)/has-dev ## everything that must hold before a change is taken, tests that need node included
	@for step in $(CHECKS); do \
	    echo "==> check: $$step"; \
	    $(MAKE) --no-print-directory check-$$step || { echo "==> make check FAILED at: $$step" >&2; exit 1; }; \
	done; echo "==> make check passed: $(CHECKS)"

check-format:
	@$(BIN)/ruff format --check .
check-lint:
	@$(BIN)/ruff check .
check-types:
	@$(BIN)/mypy
check-imports:
	@$(BIN)/lint-imports
check-openapi:
	@mkdir -p build && $(BIN)/python -m service openapi build/openapi.json
	@diff -u openapi/openapi.json build/openapi.json || \
	    { echo "openapi/openapi.json is not what the code publishes: run make openapi and commit it." >&2; exit 1; }
check-openapi-lint: node
	@$(BIN)/openapi-spec-validator openapi/openapi.json
	@node_modules/.bin/redocly lint openapi/openapi.json
check-deploy: .venv-deploy/has-deploy
	@deploy/check .venv-deploy/bin
check-tests: node
	@REQUIRE_NODE=1 REQUIRE_NGINX=1 $(BIN)/python -m pytest -n $(JOBS) --dist worksteal

format: $(VENV)/has-dev ## put the code into its form, and repair what the linter can
	$(BIN)/ruff check --fix --exit-zero --quiet .
	$(BIN)/ruff format .

examples: $(VENV)/has-dev ## write openapi/examples/ anew from real answers, and the document with them
	WRITE_EXAMPLES=1 $(BIN)/python -m pytest -q tests/service/test_examples.py -k what_the_service_answers
	$(BIN)/python -m service openapi openapi/openapi.json

openapi: $(VENV)/has-dev ## write openapi/openapi.json anew from the code
	$(BIN)/python -m service openapi openapi/openapi.json

layouts: $(VENV)/has-dev ## record what this version stores: tests/layouts/<version>
	$(BIN)/python -m tests.layouts.record

bench: .venv-bench/has-bench ## measure, and write bench/RESULTS.md
	.venv-bench/bin/python -m bench
# The peers that are measured against are no part of Shorebreak: they get an environment of their own.
.venv-bench/has-bench: requirements/bench.txt requirements/install
	@requirements/install $(PYTHON) bench .venv-bench
	@touch $@
# Nor are the linters of what it is deployed by.
.venv-deploy/has-deploy: requirements/deploy.txt requirements/install
	@requirements/install $(PYTHON) deploy .venv-deploy
	@touch $@

lock: build/lock/bin/uv ## write the lock files anew from pyproject.toml (UPGRADE=--upgrade takes newer versions)
	$(LOCK) -o requirements/run.txt
	$(LOCK) --extra dev -c requirements/run.txt -o requirements/dev.txt
	$(LOCK) --extra otel -c requirements/dev.txt -o requirements/otel.txt
	$(LOCK) --extra bench -c requirements/dev.txt -o requirements/bench.txt
	$(LOCK) --extra deploy -c requirements/dev.txt -o requirements/deploy.txt
LOCK = UV_CUSTOM_COMPILE_COMMAND="make lock" build/lock/bin/uv pip compile pyproject.toml --quiet --no-config \
    --universal --python-version 3.11 --generate-hashes $(UPGRADE)
build/lock/bin/uv: pyproject.toml
	$(PYTHON) -m venv build/lock
	build/lock/bin/python -m pip install --quiet --disable-pip-version-check \
	    "$$(sed -n 's/.*"\(uv==[^"]*\)".*/\1/p' pyproject.toml)"
	@touch $@

clean: ## remove what was installed and made here; matches (./var) stay
	rm -rf $(VENV) .venv-bench .venv-deploy node_modules bench/boardgame/node_modules build .pytest_cache .hypothesis .mypy_cache .ruff_cache .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# .venv is made, or brought up to date, whenever its lock file is newer than what it holds.
$(VENV)/has-%: requirements/%.txt requirements/install
	@requirements/install $(PYTHON) $*
	@touch $@
$(VENV)/has-dev: requirements/run.txt

node: node_modules/has-all
node_modules/has-all: package-lock.json
	@command -v npm >/dev/null 2>&1 || { echo "This needs node 20 or later with npm (Debian: apt-get install nodejs npm)." >&2; exit 1; }
	@echo "Installing into node_modules what package-lock.json names ..."
	@npm ci --no-progress
	@touch $@
