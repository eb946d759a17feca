# make demo and make test set up what they need; everything else is for those who work on the project.
PYTHON ?= python3
BIN := .venv/bin

.DEFAULT_GOAL := help
.PHONY: help setup demo test console check bench deploy lock format clean

help: ## This list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-9s %s\n", $$1, $$2}'

setup: ## Make .venv, the emulator's own environment and the functions' layers
	@$(PYTHON) infra/setup.py

demo: setup ## A chat becomes a playbook, runs on schedule, makes the Excel file, pushes
	@$(BIN)/playbooks demo

test: setup ## All tests, with everything real that runs on this machine
	@$(BIN)/pytest

check: setup ## Format, lint, types, imports, locks
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-cache
	@$(BIN)/python infra/locks.py --check

format: setup ## Format the code
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

lock: ## Write the locks anew from pyproject.toml
	@$(BIN)/python infra/locks.py

console: ## The console in the browser
	@echo "The console comes with a later version; until then the HTTP API and 'playbooks demo' show everything."

bench: ## Measure against peers, in one run
	@$(PYTHON) infra/setup.py --bench
	@.bench/bin/python -m tests.bench

deploy: ## Deploy to AWS
	@echo "Guided deployment comes with a later version; README.md says how to deploy with the SAM CLI today."

clean: ## Remove what the commands above made
	@rm -rf .venv .emu .bench .build .local .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .grimp_cache demo-files
