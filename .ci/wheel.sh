#!/usr/bin/env bash
# Installs the wheel of dist/ into three environments in FOLDER: the versions of the lock, the newest,
# and the oldest that pyproject.toml allows. In each every verb writes to the standard output, and what
# comes is read (tests/support/commands/installed.py). Then the extras, which the suite has at the
# versions of the lock, are added to the newest and the oldest.
set -euo pipefail
# Else the environments would not be compiled in their place.
unset PYTHONPYCACHEPREFIX
mkdir -p "$1"
folder=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."
uv=${UV:-$(command -v uv || echo .venv/bin/uv)}
python=$PWD/.venv/bin/python
wheel=$(ls "$PWD"/dist/*.whl)
all=("$folder/lock" "$folder/newest" "$folder/oldest")

# Compiled at once, not by each of many processes.
into() { "$uv" pip install --quiet --compile-bytecode --python "$folder/$1/bin/python" "${@:2}"; }
installed() { PYTHONPATH=tests "$python" -m support.commands.installed "$@"; }

for one in "${all[@]}"; do
    "$uv" venv --quiet --clear --python "$python" "$one"
done
into lock --constraint requirements.lock "$wheel"
into newest --upgrade "$wheel"
# Of a wheel it would be the one direct dependency, and what it needs the newest.
into oldest --resolution lowest-direct --requirement pyproject.toml
into oldest --no-deps "$wheel"
installed "${all[@]}"

mkdir -p "$folder/empty"
cd "$folder/empty"
for demo in gecko dobermanifesto interzone; do
    "$folder/newest/bin/netplan" audit --demo "$demo" --fail-on never >"$folder/$demo.txt"
    test -s "$folder/$demo.txt"
done
"$folder/newest/bin/gce-netplan" --version
test -z "$(ls -A)" || { echo "the demo left files behind" >&2; exit 1; }
head -n 20 "$folder/gecko.txt"
cd - >/dev/null

into newest --upgrade "$wheel[bigquery,google,mcp,plot,spark]"
into oldest --resolution lowest-direct --all-extras --requirement pyproject.toml
installed --with-extras "$folder/newest" "$folder/oldest"
