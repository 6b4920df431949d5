#!/usr/bin/env bash
# Makes an environment in FOLDER that has netplan and Spark 4 with its server of Spark Connect, for
# tests/planner/traffic/spark/test_spark4.py. It is apart from the project's lock: 1.3 GB. Prints its Python.
# Fails where the packages or a Java (17 or newer) are not to be had.
set -euo pipefail
folder=$1
cd "$(dirname "$0")/.."

java -version >/dev/null 2>&1 || { echo "no Java here" >&2; exit 1; }
python3 -m venv "$folder"
# Spark itself holds its client, so the extra's is not installed beside it.
"$folder/bin/pip" install --quiet --disable-pip-version-check --editable . \
    'pyspark[connect]==4.0.1' 'sqlglot>=30' 'hypothesis>=6.140' 'pytest>=8.4' >&2
echo "$folder/bin/python"
