# `make help` lists the targets. Everything runs in .venv, which is made on first use
# from nothing but a Python 3.11 or newer. ARGS is passed on: make test ARGS="-k tost".

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL:
MAKEFLAGS += --no-print-directory --no-builtin-rules

VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip -qq --disable-pip-version-check
PYTEST := $(BIN)/python -m pytest
# Two stamps: the demo needs no development tools.
RUN := $(VENV)/.installed-run
DEV := $(VENV)/.installed-dev
PINS := .ci/constraints.txt
ARGS ?=

# The first interpreter that runs and is new enough; override with make PYTHON=...
is_new = -c 'import sys; sys.exit(sys.version_info < (3, 11))'
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11 python; do \
	if "$$p" $(is_new) >/dev/null 2>&1; then echo "$$p"; break; fi; done)

# --- environment ---------------------------------------------------------------

$(BIN)/python:
	@if [ -z "$(PYTHON)" ]; then \
		echo "specstats needs Python 3.11 or newer; python3 here is" \
			"$$(python3 --version 2>&1 || true)" >&2; \
		echo "and no python3.11, 3.12 or 3.13 was found." \
			"Give one: make PYTHON=/path/to/python3" >&2; \
		exit 1; \
	fi
	@"$(PYTHON)" -m venv $(VENV) || { rm -rf $(VENV); \
		echo "$(PYTHON) -m venv failed (on Debian: install python3-venv)" >&2; exit 1; }
	@$(PIP) install -U pip

$(RUN): pyproject.toml $(PINS) | $(BIN)/python
	@$(PIP) install -c $(PINS) -e .
	@touch $@

$(DEV): pyproject.toml $(PINS) | $(BIN)/python
	@$(PIP) install -c $(PINS) -e . --group dev
	@touch $(RUN) $@

# --- targets ---------------------------------------------------------------------

.PHONY: help
help: ## Show this list
	@grep -hE '^[a-z]+:.*## ' $(firstword $(MAKEFILE_LIST)) \
		| awk -F ':.*## ' '{ printf "  %-12s %s\n", $$1, $$2 }'

.PHONY: demo
demo: $(RUN) ## Summarize the two bundled studies
	@$(BIN)/specstats summarize data/pascal-p5200
	@$(BIN)/specstats summarize data/h200-tinyspec

.PHONY: test
test: $(DEV) ## Run the default tests
	@$(PYTEST) $(ARGS)

.PHONY: cov
cov: $(DEV) ## Run the default tests with branch coverage
	@$(PYTEST) --cov --cov-report=term $(ARGS)

.PHONY: fmt
fmt: $(DEV) ## Format, and fix what ruff can fix
	@$(BIN)/ruff check --quiet --fix-only .
	@$(BIN)/ruff format --quiet .

.PHONY: lint
lint: $(DEV) ## Check style, docstrings, spelling and dead code
	@$(BIN)/ruff check --quiet .
	@$(BIN)/ruff format --quiet --check .
	@git ls-files -z --cached --others --exclude-standard 'specstats/*.py' \
		| xargs -0 -r $(BIN)/numpydoc lint
	@$(BIN)/typos --format brief
	@$(BIN)/vulture

.PHONY: type
type: $(DEV) ## Check types
	@$(BIN)/mypy --no-error-summary

.PHONY: arch
arch: $(DEV) ## Check the layer contracts
	@$(BIN)/lint-imports --no-cache --no-logo

.PHONY: docs
docs: $(DEV) ## Build the documentation, warnings as errors
	@$(BIN)/python -m sphinx -q -W --keep-going -b html docs docs/_build/html

.PHONY: notebooks
notebooks: $(DEV) ## Execute the notebooks and compare their outputs
	@$(PYTEST) -m notebook $(ARGS)

.PHONY: sims
sims: $(DEV) ## Run the coverage and error-rate simulations
	@$(PYTEST) -m sim $(ARGS)

.PHONY: peers
peers: $(DEV) ## Write what other tools say of the same data into docs/validation/peers.md
	@$(PIP) install -c $(PINS) --group peers
	@$(BIN)/python -m docs._gen.peers --write

.PHONY: bench
bench: $(DEV) ## Compare speed with peers
	@$(PIP) install -c $(PINS) --group bench
	@$(PYTEST) -m benchmark -n 0 --randomly-dont-reorganize $(ARGS)

.PHONY: golden
golden: $(DEV) ## Rewrite the expected outputs of golden tests
	@$(PYTEST) --update-golden $(ARGS)

.PHONY: constraints
constraints: ## Refresh .ci/constraints.txt from the newest releases
	@test -n "$(PYTHON)" || { echo "no Python 3.11 or newer found" >&2; exit 1; }
	@rm -rf $(VENV)-pins
	@"$(PYTHON)" -m venv $(VENV)-pins
	@$(VENV)-pins/bin/python -m pip -qq install -U pip
	@$(VENV)-pins/bin/python -m pip -qq install -e . --group dev
	@{ echo "# The tested versions, written by 'make constraints'; not edited by hand."; \
		$(VENV)-pins/bin/python -m pip freeze --exclude-editable \
			| grep -E '^[A-Za-z0-9._-]+==[A-Za-z0-9.!]+$$'; } > $(PINS).new
	@mv $(PINS).new $(PINS)
	@rm -rf $(VENV)-pins

.PHONY: all
all: lint type arch docs notebooks test ## Everything before a change lands; tests last

.PHONY: clean
clean: ## Remove caches and build outputs, but not .venv
	@rm -rf build dist docs/_build .coverage* .hypothesis .mypy_cache .pytest_cache \
		.ruff_cache .import_linter_cache
	@find specstats tests docs -name __pycache__ -type d -prune -exec rm -rf {} +
	@find tests -name '*.got' -type f -delete
