#!/usr/bin/env bash
# Prints the path of an iperf3 of 3.16 or newer: the installed one, or that of a newer Debian suite,
# unpacked with its libraries into FOLDER. Nothing is installed. Fails where neither is to be had.
set -euo pipefail
folder=$1
suite=trixie

version=$({ iperf3 --version 2>/dev/null || true; } | sed -n '1s/^iperf \([0-9.]*\).*/\1/p')
if [ -n "$version" ] && [ "$(printf '%s\n' 3.16 "$version" | sort -V | head -n 1)" = 3.16 ]; then
    command -v iperf3
    exit
fi

# The mirror that this machine has its own packages from, with lists of packages apart from its own.
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Origin: Debian' 'Created-By: Packages' | head -n 1)
[ -n "$mirror" ] || { echo "no mirror of Debian is set up here" >&2; exit 1; }
mkdir -p "$folder"/{sources,lists/partial,cache/archives/partial,packages,root}
cat >"$folder/sources/newer.sources" <<SOURCES
Types: deb
URIs: $mirror
Suites: $suite
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg
SOURCES
apt=(apt-get -qq -o Dir::Etc::SourceList=/dev/null -o "Dir::Etc::SourceParts=$folder/sources"
     -o "Dir::State::Lists=$folder/lists" -o "Dir::Cache=$folder/cache" -o APT::Sandbox::User=root)
"${apt[@]}" update >&2
cd "$folder/packages"
"${apt[@]}" download iperf3 libiperf0 libc6 libsctp1 libssl3t64 >&2
for package in *.deb; do dpkg -x "$package" "$folder/root"; done

# Its own loader and C library: those of this machine are older.
loader=$(find "$folder/root" -name 'ld-linux*.so.*' | sort | head -n 1)
libraries=$(dirname "$(find "$folder/root" -name 'libiperf.so.0' | head -n 1)")
cat >"$folder/iperf3" <<PROGRAM
#!/bin/sh
exec "$loader" --library-path "$libraries" "$folder/root/usr/bin/iperf3" "\$@"
PROGRAM
chmod +x "$folder/iperf3"
"$folder/iperf3" --version >&2
echo "$folder/iperf3"
