#!/usr/bin/env bash
# Makes an environment in FOLDER that has netplan, Sail's Spark Connect server and Spark's client, for
# tests/planner/traffic/spark/test_spark.py. It is apart from the project's lock: 0.9 GB, whose newer
# libraries no user of netplan has. Prints its Python. Fails where the packages are not to be had.
set -euo pipefail
folder=$1
cd "$(dirname "$0")/.."

python3 -m venv "$folder"
"$folder/bin/pip" install --quiet --disable-pip-version-check --editable '.[spark]' \
    'pysail==0.7.2' 'hypothesis>=6.140' 'pytest>=8.4' >&2
echo "$folder/bin/python"
