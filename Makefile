# Everything here makes its own environment in .venv; it needs Python 3.11 or newer with pip.
PYTHON ?= python3
BIN := .venv/bin
DB ?= outputs/goldgen.duckdb
SAMPLE ?= 16

.PHONY: demo test format clean

# Installed anew only when what is to be installed changed.
.venv/installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[all,dev]"
	@touch $@

# A golden set of the sample documents, from the first question to the comparison; no key, no account.
demo: .venv/installed
	@echo "== 1/4 synth: questions and near misses for $(SAMPLE) chunks (20 to 40 s a chunk on two cores)"
	@$(BIN)/goldgen synth corpora/docs --per-chunk 3 --sample $(SAMPLE) --offline --db "$(DB)"
	@echo "== 2/4 verify: another model judges every pair, and is judged by controls"
	@$(BIN)/goldgen verify --offline --db "$(DB)"
	@echo "== 3/4 logs add: queries that people typed"
	@$(BIN)/goldgen logs add corpora/queries.csv --offline --db "$(DB)"
	@echo "== 4/4 eval: four retrievers on the set"
	@$(BIN)/goldgen eval --offline --db "$(DB)" --retriever bm25 --retriever dense --retriever hybrid --retriever rerank --report "$(DB:.duckdb=.html)"
	@echo
	@echo "The golden set, its judgments and these runs are in $(DB); goldgen status tells what it holds:"
	@echo "  $(BIN)/goldgen status"

test: .venv/installed
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/pyright
	$(BIN)/lint-imports
	$(BIN)/pytest -n auto --maxprocesses 4 --dist loadfile

format: .venv/installed
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:
	rm -rf .venv
