#!/usr/bin/env bash
# Makes an environment in FOLDER that has netplan, BigQuery's client and an emulator of the service, for
# tests/planner/traffic/test_bigquery.py. It is apart from the project's lock: nobody who uses netplan
# has the emulator. Prints its Python. Fails where the packages are not to be had.
set -euo pipefail
folder=$1
cd "$(dirname "$0")/.."

python3 -m venv "$folder"
"$folder/bin/pip" install --quiet --disable-pip-version-check --editable '.[bigquery]' \
    'bqemulator==1.4.0' 'duckdb==1.5.5' 'duckdb-extension-spatial==1.5.5' 'numpy>=2' \
    'pyarrow>=21' 'hypothesis>=6.140' 'pytest>=8.4' >&2
echo "$folder/bin/python"
