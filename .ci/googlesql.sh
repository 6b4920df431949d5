#!/usr/bin/env bash
# Makes GoogleSQL's reference implementation in FOLDER, for tests/planner/traffic/warehouse/test_googlesql.py
# (NETPLAN_TEST_GOOGLESQL=FOLDER): jars by Maven, of the versions in tests/support/googlesql/pom.xml
# and the hashes in googlesql.sha256, and a small program of our own. Prints FOLDER. Fails where Java
# 17 or Maven is not installed, or the jars are not to be had. 90 MB.
set -euo pipefail
export LC_ALL=C
mkdir -p "$1"
folder=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."
source=tests/support/googlesql

mvn --batch-mode --quiet --strict-checksums --file "$source/pom.xml" \
    dependency:copy-dependencies "-DoutputDirectory=$folder/jars" >&2
# Each is one of those named, and all of those are there.
(cd "$folder/jars" && sha256sum *.jar) | diff .ci/googlesql.sha256 - >&2
javac --release 17 -d "$folder/classes" -cp "$folder/jars/*" "$source/Judge.java" >&2
echo "$folder"
