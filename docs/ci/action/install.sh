#!/bin/sh
# Installs the program of a release: downloads the archive for this machine, holds it against
# the checksums of the release, unpacks it, and starts it once. Ends with 2 if it was not said
# what to install, with 3 if it could not be installed.
#
# JUDICA_VERSION      the release, such as `v0.2.0`; without one the `judica` that is on the
#                     PATH already is used
# JUDICA_REPOSITORY   OWNER/NAME of the repository whose release it is; needed with a version
# JUDICA_FOLDER       where the program goes; $HOME/.local/bin unless given
# JUDICA_DOWNLOADS    a folder that keeps what was downloaded, for a cache; optional
# GITHUB_SERVER_URL   where repositories are; https://github.com unless given
# GITHUB_PATH         the job's PATH, to which the folder is added
set -eu

fail() { # exit code, words
  code=$1
  shift
  echo "install judica: $*" >&2
  exit "$code"
}

version=${JUDICA_VERSION:-}
if [ -z "$version" ]; then
  found=$(command -v "${JUDICA:-judica}") || fail 2 "no version is given, and no judica is on the PATH"
  echo "using $found, which is there already"
  exit
fi
case $version in
  v[0-9]*) ;;
  [0-9]*) version=v$version ;;
  *) fail 2 "$version: a version begins with \`v\` and a number, such as v0.2.0" ;;
esac
case $version in
  *[!A-Za-z0-9.+_-]*) fail 2 "$version: no version" ;;
esac
case ${JUDICA_REPOSITORY:-} in
  */*) ;;
  *) fail 2 "it is not said whose release: the repository, OWNER/NAME, is needed" ;;
esac

program=judica
case $(uname -m) in
  x86_64 | amd64) machine=x86_64 ;;
  aarch64 | arm64) machine=aarch64 ;;
  *) fail 3 "no release is made for $(uname -m): see docs/install.md for how to build one" ;;
esac
case $(uname -s) in
  Linux) target=$machine-unknown-linux-musl ;;
  Darwin) target=$machine-apple-darwin ;;
  # Windows on ARM runs programs for x86_64.
  MINGW* | MSYS* | CYGWIN*) target=x86_64-pc-windows-msvc program=judica.exe ;;
  *) fail 3 "no release is made for $(uname -s): see docs/install.md for how to build one" ;;
esac
archive=judica-$target.tar.gz
from=${GITHUB_SERVER_URL:-https://github.com}/$JUDICA_REPOSITORY/releases/download/$version

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
downloads=${JUDICA_DOWNLOADS:-$scratch}
mkdir -p "$downloads"
command -v curl > /dev/null || fail 3 "curl is needed"

fetch() { # file, where to; it gets its name when it is whole
  curl --fail --silent --show-error --location --retry 3 --output "$scratch/part" "$from/$1" \
    || fail 3 "cannot download $from/$1: is there a release $version, and is it for $target?"
  mv "$scratch/part" "$2/$1"
}
# The sums are asked for each time: a cache cannot vouch for itself.
fetch SHA256SUMS "$scratch"
[ -f "$downloads/$archive" ] || fetch "$archive" "$downloads"

expected=$(awk -v name="$archive" '$2 == name || $2 == "*" name { print $1 }' "$scratch/SHA256SUMS")
if command -v sha256sum > /dev/null; then
  found=$(sha256sum "$downloads/$archive")
else
  found=$(shasum -a 256 "$downloads/$archive")
fi
# GNU's program marks the line of a name with backslashes.
found=${found#\\}
if [ -z "$expected" ] || [ "${found%% *}" != "$expected" ]; then
  # What a cache holds must not fail for ever.
  rm -f "$downloads/$archive"
  fail 3 "$archive is not what was released: its SHA-256 is ${found%% *}, SHA256SUMS says ${expected:-nothing of it}"
fi

folder=${JUDICA_FOLDER:-$HOME/.local/bin}
mkdir -p "$folder" "$scratch/unpacked"
# Read by redirection: a name with a colon would be another machine's to some. What root unpacks
# is root's, whoever packed it.
tar -xozf - -C "$scratch/unpacked" < "$downloads/$archive" || fail 3 "$archive cannot be unpacked"
mv -f "$scratch/unpacked/$program" "$folder/$program" || fail 3 "$archive holds no $program"
"$folder/$program" --version || fail 3 "$folder/$program does not start"
if [ -n "${GITHUB_PATH:-}" ]; then
  if command -v cygpath > /dev/null; then
    folder=$(cygpath -w "$folder")
  fi
  echo "$folder" >> "$GITHUB_PATH"
fi
