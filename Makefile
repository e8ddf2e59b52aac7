# Every target makes its own .venv, so a machine needs only Python >= 3.11, git and make.
INSTALL := -m pip install --quiet --disable-pip-version-check
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# What depends on how the processor rounds; all other tests read, write, print or start processes.
COMPUTING := $(addprefix tests/,assignment cli expressions fitting kernel proposal refinement selection table \
	$(addprefix test_,$(addsuffix .py,constants_table equation estimator exactness fitting front limits linear_algebra \
	pipeline relevance search smooth)))
TESTS ?= $(COMPUTING)
# What calls each dependency: command line, estimator, compiled code, prior, sympy, tables, figures.
USING := $(shell cat .ci/using)
# A venv per Python and per end of the bounds in pyproject.toml.
VERSIONED = .venv-$(1)-$(notdir $(PYTHON))
# Test processes; a file stays with one of them, because its tests share what is slow to make.
JOBS ?= 2
# Tests start over a hundred processes; without bytecode each of them would compile the package again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test test-tools lint unit docs slow portable lowest newest matrix dist-test soak clean

demo: $(VENV)/.installed
	$(BIN)/mosaic fit examples/pendulum.csv --target period

test: lint unit

# Programs that some tests run, such as Octave and LibreOffice; without them these tests are skipped.
test-tools:
	.ci/test-tools

lint: $(VENV)/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

unit: $(VENV)/.installed-dev
	$(BIN)/python -m pytest -n $(JOBS) --dist loadfile

# The site, in build/docs; what is wrong with a page, a link or an example on it ends the build.
docs: $(VENV)/.installed-docs
	$(BIN)/python -m sphinx --fail-on-warning --keep-going --quiet --builder html docs build/docs
	@echo "open build/docs/index.html"

slow: $(VENV)/.installed-dev
	$(BIN)/python -m pytest -m slow --timeout 3600

# The tests above as other processors would round; `make portable TESTS=tests` runs them all.
portable: $(VENV)/.installed-dev
	$(BIN)/python -m tests.portable -n $(JOBS) --dist loadfile $(TESTS)

# The oldest and the newest versions that pyproject.toml allows and that have wheels for PYTHON. Warnings of other
# versions are no errors.
lowest newest: %: $(call VERSIONED,%)/.installed
	$(call VERSIONED,$@)/bin/python -m pytest --override-ini filterwarnings=default $(USING)

$(call VERSIONED,lowest)/.installed: RESOLUTION := lowest-direct
$(call VERSIONED,newest)/.installed: RESOLUTION := highest
$(call VERSIONED,lowest)/.installed $(call VERSIONED,newest)/.installed: pyproject.toml
	$(PYTHON) -m venv --clear $(@D)
	$(@D)/bin/python $(INSTALL) uv
	$(@D)/bin/uv pip compile --quiet --resolution $(RESOLUTION) --only-binary :all: --extra report --extra units \
		--extra frames --extra cluster --python $(@D)/bin/python --output-file $(@D)/versions.txt pyproject.toml
	$(@D)/bin/uv pip install --quiet --python $(@D)/bin/python --constraint $(@D)/versions.txt \
		--editable ".[report,units,frames,cluster]" pytest pytest-timeout hypothesis joblib
	touch $@

# Both ends of the bounds on every Python that is here; prints which jobs ran.
matrix:
	.ci/matrix

# Build sdist and wheel, and use the wheel in a new venv and an empty folder. They are left in dist/.
dist-test:
	$(PYTHON) .ci/dist_test.py --keep dist

# Kills, full disks, damaged files and broken tables, as long as SOAK says; prints what was tried and lost.
SOAK ?= --seconds 600
soak: $(VENV)/.installed-dev
	$(BIN)/python -m tests.soak $(SOAK)

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

# Without byte code the install takes half the time, which is more than one run of the demo spends on it.
$(VENV)/.installed: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python $(INSTALL) --no-compile --editable .
	touch $@

$(VENV)/.installed-docs: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python $(INSTALL) --editable ".[docs]"
	touch $@ $(VENV)/.installed

$(VENV)/.installed-dev: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python $(INSTALL) "torch==2.13.0"
	$(BIN)/python $(INSTALL) --editable ".[dev]"
	$(BIN)/python -m compileall -q $(VENV)/lib || true
	touch $@ $(VENV)/.installed $(VENV)/.installed-docs

clean:
	rm -rf $(VENV) .venv-lowest-* .venv-newest-* build dist .mypy_cache .ruff_cache .pytest_cache
