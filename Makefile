# Every target makes its own .venv, so a machine needs only Python >= 3.11, git and make.
INSTALL := -m pip install --quiet --disable-pip-version-check
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Test processes; a file stays with one of them, because its tests share what is slow to make.
JOBS ?= 2

.PHONY: demo test lint unit slow clean

demo: $(VENV)/.installed
	$(BIN)/mosaic fit examples/pendulum.csv --target period

test: lint unit

lint: $(VENV)/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

unit: $(VENV)/.installed-dev
	$(BIN)/python -m pytest -n $(JOBS) --dist loadfile

slow: $(VENV)/.installed-dev
	$(BIN)/python -m pytest -m slow --timeout 3600

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

# Without byte code the install takes half the time, which is more than one run of the demo spends on it.
$(VENV)/.installed: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python $(INSTALL) --no-compile --editable .
	touch $@

$(VENV)/.installed-dev: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python $(INSTALL) "torch==2.13.0"
	$(BIN)/python $(INSTALL) --editable ".[dev]"
	$(BIN)/python -m compileall -q $(VENV)/lib || true
	touch $@ $(VENV)/.installed

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache
