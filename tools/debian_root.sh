#!/usr/bin/env bash
# Unpacks Debian packages of another architecture, with what they need, into a folder: debian_root.sh ARCHITECTURE FOLDER PACKAGE...
# Nothing is installed and nothing is configured; programs in the folder run under an emulator.
set -euo pipefail
architecture=$1 folder=$2
shift 2

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work"/{lists/partial,archives/partial,state} "$folder"
touch "$work/status"
# An empty status file: every package that is needed counts as missing.
options=(-o "APT::Architecture=$architecture" -o "APT::Architectures=$architecture" -o "Dir::State=$work/state"
  -o "Dir::State::status=$work/status" -o "Dir::State::lists=$work/lists" -o "Dir::Cache=$work" -o "Dir::Cache::archives=$work/archives"
  -o "APT::Install-Recommends=false" -o "APT::Sandbox::User=root" -o "Debug::NoLocking=true")
apt-get "${options[@]}" -qq update
apt-get "${options[@]}" -qq --download-only --yes install "$@" >/dev/null
for package in "$work"/archives/*.deb; do dpkg-deb -x "$package" "$folder"; done
