#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The shape of the source tree: which files may stand at the top, that each source file carries its
# licence, that the README's commands can be found by .ci/run, and that what reads texts is fuzzed.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

failures=0
complain() {
  echo "$1"
  failures=$((failures + 1))
}

# An archive of the sources has no index; then what lies there counts, but for builds.
list_files() {
  git ls-files 2> /dev/null || find . -type f -not -path './build/*' -not -path './.git/*' -printf '%P\n'
}

check_top_level() {
  case $1 in
  CMakeLists.txt | CMakePresets.json | LICENSE | README.md) ;;
  src | include | tests | configs | .[a-z]*) ;;
  *) complain "$1: does not belong at the top level" ;;
  esac
}

needs_licence_line() {
  case $1 in
  *.c | *.h | *.in | *.py | *.sh | *.cmake | *.conf | */CMakeLists.txt | CMakeLists.txt) return 0 ;;
  .ci/*) return 0 ;;
  *) return 1 ;;
  esac
}

check_licence_line() {
  if needs_licence_line "$1" && ! head -n 3 "$1" | grep -q 'SPDX-License-Identifier: GPL-3.0-or-later'; then
    complain "$1: has no line SPDX-License-Identifier: GPL-3.0-or-later"
  fi
}

check_readme() {
  local name
  for name in run test; do
    if ! grep -A 1 -x "<!-- $name -->" README.md | grep -qx '```sh'; then
      complain "README.md: has no sh block right after <!-- $name -->"
    fi
  done
}

# Each function that takes a text of Linux apart is fuzzed.
check_fuzzed() {
  local name names
  names=$(grep -oE '\bprocfs_[a-z0-9_]+\(' include/numasweep/procfs.h | sort -u)
  [ -n "$names" ] || complain "include/numasweep/procfs.h: declares no function"
  for name in $names; do
    grep -qF "$name" tests/fuzz/fuzz_procfs.c || complain "tests/fuzz/fuzz_procfs.c: does not try $name)"
  done
}

count=0
while IFS= read -r file; do
  [ -e "$file" ] || continue
  count=$((count + 1))
  check_licence_line "$file"
done < <(list_files)
while IFS= read -r entry; do
  check_top_level "$entry"
done < <(list_files | cut -d / -f 1 | sort -u)
[ "$count" -gt 0 ] || complain "no files were found"
check_readme
check_fuzzed
exit $((failures > 0))
