#!/bin/sh
# Creates the virtual environment of the Python peers in .venv, or updates it, from requirements.txt.
set -eu
cd "$(dirname "$0")"
[ -d .venv ] || python3 -m venv .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check --requirement requirements.txt
