# Two commands need nothing but Python and make: `make demo` and `make test`.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
ARGS ?=

# Tests write much and keep nothing: in memory where there is room for it (TMPDIR=/tmp is as good).
MEMORY := $(shell test -w /dev/shm && df --output=avail -m /dev/shm | awk 'NR == 2 && $$1 > 4000 { print "/dev/shm" }')
test test-unit test-faults: export TMPDIR := $(or $(TMPDIR),$(MEMORY),/tmp)

# Most tests wait for processes, so two at a time take half as long; ARGS="-n 0" is one at a time.
# By file, in the order of the directories: the unit tests, which are short, fill the end.
PYTEST := $(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder

.PHONY: help demo test test-unit test-faults bench lint format sample clean

help:
	@echo 'make demo         run a conductor with a simulated cloud and watch it work'
	@echo 'make test         every test, two at a time; installs missing servers when it may (root, apt)'
	@echo 'make test-unit    only the tests that need no server'
	@echo 'make test-faults  only the tests that kill, stop and freeze things'
	@echo 'make bench        measure, beside magnum 23.0.0 (two hours); ARGS=--quick: does it work?'
	@echo 'make lint         ruff and mypy --strict'
	@echo 'make sample       write etc/magnum.conf.sample anew'
	@echo 'ARGS="..." is handed to the command, e.g. make test ARGS="-k resize"'

demo: $(VENV)/installed
	$(BIN)/magnumlite-sandbox $(ARGS)

test: $(VENV)/installed-dev
	tools/install-servers
	$(PYTEST) $(ARGS)

test-unit: $(VENV)/installed-dev
	$(PYTEST) tests/unit tests/contract $(ARGS)

test-faults: $(VENV)/installed-dev
	tools/install-servers
	$(PYTEST) tests/faults $(ARGS)

bench: $(VENV)/installed-bench
	tools/install-servers
	$(BIN)/python -m benchmarks $(ARGS)

lint: $(VENV)/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(VENV)/installed-dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

sample: $(VENV)/installed-dev
	$(BIN)/oslo-config-generator --config-file etc/oslo-config-generator.conf

clean:
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .tox

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

# Installed in place: an edit counts at once, new requirements at the next make.
$(VENV)/installed: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet -e .
	@touch $@

$(VENV)/installed-dev: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet -e '.[openstack,postgresql,test,lint]'
	@touch $@ $(VENV)/installed

$(VENV)/installed-bench: $(VENV)/installed-dev
	$(BIN)/python -m pip install --quiet -e '.[bench]'
	@touch $@
