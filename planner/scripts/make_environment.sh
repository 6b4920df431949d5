#!/bin/sh
# Make the virtual environment $1 and install the locked dependencies and netplan itself into it.
# uv does the work: the one on the PATH, else one that is installed into the environment first.
set -eu
venv=$1
python=${PYTHON:-python3}
say() { printf '%s\n' "$*" >&2; }

"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || {
    say "netplan needs Python 3.11 or newer; $python is $("$python" -V 2>&1)."
    say "Name another one: make PYTHON=python3.12 demo"
    exit 1
}

# Debian and Ubuntu ship python3 without ensurepip; root in a container can simply have it.
if ! command -v uv >/dev/null 2>&1 && ! "$python" -c 'import ensurepip' 2>/dev/null; then
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
        say "python3-venv is missing; installing it."
        apt-get update -qq >&2 && DEBIAN_FRONTEND=noninteractive apt-get install -qq -y python3-venv >&2
    else
        say "Neither uv nor python3-venv is here. Install one of them, for example:"
        say "    sudo apt-get install python3-venv"
        exit 1
    fi
fi

if command -v uv >/dev/null 2>&1; then
    uv=uv
    [ -x "$venv/bin/python" ] || uv venv --quiet --python "$python" "$venv"
else
    [ -x "$venv/bin/python" ] || "$python" -m venv "$venv"
    uv=$venv/bin/uv
    if [ ! -x "$uv" ]; then
        # The lock pins uv too: its own block, with its hashes, is all that pip has to install.
        sed -n '/^uv==/,/^[^ ]/{/^uv==/p;/^ /p;}' requirements.lock >"$venv/uv.lock.txt"
        "$venv/bin/python" -m pip install --quiet --disable-pip-version-check \
            --require-hashes -r "$venv/uv.lock.txt"
    fi
fi

say "Installing the locked dependencies into $venv"
"$uv" pip install --quiet --python "$venv/bin/python" --require-hashes -r requirements.lock
"$uv" pip install --quiet --python "$venv/bin/python" --no-deps --no-build-isolation --editable .
