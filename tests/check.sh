#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Everything that must hold before a change lands, in stages. All stages run, whatever fails; the status
# is 0 only when all of them passed.
#
#   tests/check.sh [STAGE...]     without arguments: all
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1

stages=(format dev guest clang asan fuzz tidy cppcheck package)
jobs=$(nproc)

c_files() {
  find include src tests -name '*.[ch]' "$@" -print0
}

# ctest keeps the output of tests that passed to itself. Printed at the end of all stages: what was skipped, whole
# tests and parts of them, and how much was tried. The log is that of the last ctest in this build folder.
collect_log() {
  awk -v preset="$1" '
    / Testing: / { test = $3 }
    /^skipped: / { print preset ": " test ": " $0 }
    /^fault matrix: / { print preset ": " test ": " $0 }
  ' "build/$2/Testing/Temporary/LastTest.log" >> "$notes"
}

run_tests() {
  local status=0
  ctest --preset "$1" || status=$?
  collect_log "$1" "$2"
  return "$status"
}

build_and_test() {
  cmake --preset "$1"
  cmake --build --preset "$1" -j "$jobs"
  run_tests "$1" "$1"
}

# A preset that finds no tests at all fails by itself; a whole family that vanished must not pass either.
require_families() {
  local label preset=$1
  shift
  for label in "$@"; do
    if ! ctest --preset "$preset" -N -L "^$label\$" | grep -q 'Total Tests: [1-9]'; then
      echo "no test has the label $label"
      return 1
    fi
  done
}

stage_format() {
  c_files | xargs -0 clang-format --dry-run -Werror
}

stage_dev() {
  build_and_test dev
  if ! grep -q '^dev: system/fault_matrix: ' "$notes"; then
    echo "the fault matrix says neither how many faults it tried nor why none"
    return 1
  fi
  require_families dev source unit golden system fuzz
}

# Virtual machines, two at a time.
stage_guest() {
  cmake --preset dev
  cmake --build --preset dev -j "$jobs"
  run_tests guest dev | tee build/dev/guests.log
  if ! grep -q ' Passed ' build/dev/guests.log; then
    echo "NO GUEST RAN: each was skipped, the reasons stand at the end"
  fi
  require_families guest guest
}

stage_clang() {
  build_and_test clang
}

stage_asan() {
  build_and_test asan
}

stage_fuzz() {
  build_and_test fuzz
}

# One file at a time: the analyzer of clang 14 carries what it knows of a va_list over to the next file.
stage_tidy() {
  cmake --preset clang
  cmake --build --preset clang -j "$jobs"
  find src tests -name '*.c' -print0 |
    xargs -0 -n 1 -P "$jobs" clang-tidy --quiet -p build/clang
}

stage_cppcheck() {
  cppcheck --quiet --std=c11 --enable=warning,style,performance,portability --inline-suppr \
    --suppress=variableScope --error-exitcode=1 -j "$jobs" -D_GNU_SOURCE -I include src tests
}

# What a packager does, and then the installed program by itself.
stage_package() {
  cmake --preset release
  cmake --build --preset release -j "$jobs"
  root=$(mktemp -d)
  # Not local: the trap runs when the function has ended.
  trap 'rm -rf "$root"' EXIT
  cmake --install build/release --prefix "$root/usr"
  (cd / && "$root/usr/bin/numasweep" --version)
  (cd / && "$root/usr/bin/numasweep" plan --profile quick --topology "pack:2 core:2 pu:2" > /dev/null)
  cpack --config build/release/CPackConfig.cmake -G DEB -B "$root/package"
  if ! command -v lintian > /dev/null; then
    echo "package: skipped: lintian is not installed" | tee -a "$notes"
    return
  fi
  lintian --allow-root --fail-on error,warning "$root"/package/*.deb
}

run_stage() {
  local started=$SECONDS status
  echo "=== $1"
  (set -e && "stage_$1")
  status=$?
  if [ "$status" -eq 0 ]; then
    summary+=("$1: passed ($((SECONDS - started)) s)")
  else
    summary+=("$1: FAILED ($((SECONDS - started)) s)")
    failures=$((failures + 1))
  fi
  echo "=== ${summary[-1]}"
}

summary=()
failures=0
notes=$(mktemp)
trap 'rm -f "$notes"' EXIT
if [ $# -eq 0 ]; then
  set -- "${stages[@]}"
fi
for stage in "$@"; do
  if ! declare -F "stage_$stage" > /dev/null; then
    echo "tests/check.sh: no stage \"$stage\"; there are: ${stages[*]}" >&2
    exit 2
  fi
done
for stage in "$@"; do
  run_stage "$stage"
done
echo
echo "skipped, and how much was tried:"
if [ -s "$notes" ]; then
  sed 's/^/  /' "$notes"
else
  echo "  nothing was skipped"
fi
echo
printf '%s\n' "${summary[@]}"
exit $((failures > 0))
