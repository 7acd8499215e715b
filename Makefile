# Two commands do all set-up: `make demo` shows the tool, `make test` proves it.
# Both make their own virtual environment in .venv.

VENV := .venv
RUN := $(VENV)/bin
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' 2>/dev/null \
	&& echo $$p && break; done)

.PHONY: help demo test test-world test-components test-forge test-datahub check golden docs bench figures mutants clean
.DEFAULT_GOAL := help

help: ## List what can be made
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 17

demo: $(VENV)/.ready ## Show the main job end to end; leaves ./demo to play with
	@PATH="$(CURDIR)/$(RUN):$$PATH" bash examples/demo.sh demo

test: lint ## Everything that needs no server beyond Python packages
	$(RUN)/python -m pytest -m "not world and not forge and not components" -n auto

test-world: $(VENV)/.ready ## What needs more: fresh installations, shells, real servers
	$(RUN)/python -m pytest -m world -rs
	$(RUN)/python -m tests.components --changed

test-components: $(VENV)/.ready ## Real clusters from Maven Central: all groups, or OPTIONS="yarn"; rewrites docs/verified.md
	@$(RUN)/python -m tests.components $(OPTIONS)

test-forge: $(VENV)/.ready ## The pull request templates on a real Gitea; builds it once
	@code=0; $(RUN)/python -m tests.forge.build || code=$$?; \
	case $$code in 0) $(RUN)/python -m pytest tests/forge -m forge -rs $(OPTIONS) ;; 4) ;; *) exit $$code ;; esac

test-datahub: $(VENV)/.ready ## The scenarios against a DataHub: URL=http://…, DATAHUB_GMS_TOKEN=…
	@test -n "$(URL)" || { echo "which server? make test-datahub URL=http://datahub-gms:8080" >&2; exit 2; }
	$(RUN)/python -m pytest tests/datahub/scenarios --datahub-url "$(URL)" $(OPTIONS)

check: lint ## A minute: format, lint, types, layers, fast tests
	QUICK_LAWS=1 $(RUN)/python -m pytest -m "not slow and not world and not forge and not components" -n auto

lint: $(VENV)/.ready
	$(RUN)/ruff format --check --quiet .
	$(RUN)/ruff check --quiet .
	$(RUN)/mypy --no-error-summary
	$(RUN)/lint-imports --no-logo > /dev/null || $(RUN)/lint-imports --no-logo

golden: $(VENV)/.ready ## Rewrite golden files, schemas and reference pages; then read the diff
	$(RUN)/python docs/generate.py
	$(RUN)/python -m pytest -m "not world and not forge and not components and not slow" -n auto --rewrite-golden || true
	git diff --stat

docs: $(VENV)/.ready ## Rewrite published schemas and reference pages
	$(RUN)/python docs/generate.py

bench: $(VENV)/.ready ## Measure the promises of docs/performance.md
	$(RUN)/python -m benchmarks.run

figures: $(VENV)/.ready ## Figures about names and structure; OPTIONS=COMMIT adds a column for it
	@$(RUN)/python -m tests.house.figures $(OPTIONS)
	@$(RUN)/python -m tests.house.journeys $(OPTIONS)

mutants: $(VENV)/.ready ## Mutation tests of the code that decides; killed, it goes on where it was: OPTIONS=--help
	@$(RUN)/python -c 'import cosmic_ray' 2> /dev/null || \
		$(RUN)/pip install --quiet --disable-pip-version-check --editable '.[mutants]'
	nice -n 10 $(RUN)/python -m tests.mutation $(OPTIONS)

clean: ## Remove what was made here
	rm -rf $(VENV) demo dist .mutants .mypy_cache .pytest_cache .ruff_cache .hypothesis

$(VENV)/.ready: pyproject.toml
	@test -n "$(PYTHON)" || { echo "Python 3.11, 3.12 or 3.13 is needed: apt install python3, or brew install python@3.12" >&2; exit 2; }
	@command -v git > /dev/null || { echo "git is needed: apt install git, or brew install git" >&2; exit 2; }
	@$(PYTHON) -c 'import venv, ensurepip' 2> /dev/null || { echo "Python's venv is needed: apt install python3-venv" >&2; exit 2; }
	$(PYTHON) -m venv $(VENV)
	$(RUN)/pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@
