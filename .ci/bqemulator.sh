#!/usr/bin/env bash
# Makes an environment in FOLDER that has an emulator of BigQuery, for tests/planner/traffic/warehouse/test_bigquery*.py
# (NETPLAN_TEST_BQEMULATOR=FOLDER). It is apart from the project's lock: its engine is older. Prints
# FOLDER. Fails where the packages are not to be had.
set -euo pipefail
folder=$1
python3 -m venv "$folder"
"$folder/bin/pip" install --quiet --disable-pip-version-check 'bqemulator==1.4.0' 'duckdb==1.5.5' \
    'duckdb-extension-spatial==1.5.5' 'numpy>=2' 'sqlglot[c]<31' >&2
# The engine looks for pandas in every folder with each of its statements: a third of the emulator's time.
"$folder/bin/python" - >&2 <<'PYTHON'
import sysconfig
from pathlib import Path

without = Path(sysconfig.get_path("purelib"), "without_pandas.pth")
without.write_text('import sys; sys.modules.setdefault("pandas")\n')
PYTHON
# The emulator looks for its engine's extension in its home, else in the network.
"$folder/bin/python" - "$folder" >&2 <<'PYTHON'
import sys
from pathlib import Path

import duckdb
import duckdb_extension_spatial

(source,) = Path(duckdb_extension_spatial.__path__[0]).rglob("*.duckdb_extension")
(platform,) = duckdb.sql("PRAGMA platform").fetchone()
folder = Path(sys.argv[1], "home/.duckdb/extensions", f"v{duckdb.__version__}", platform)
folder.mkdir(parents=True, exist_ok=True)
(folder / source.name).unlink(missing_ok=True)
(folder / source.name).symlink_to(source)
PYTHON
echo "$folder"
