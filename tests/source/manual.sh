#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The manual page as it is installed is clean, and it and the completion hold every option of --help.
#
#   tests/source/manual.sh PROGRAM MANUAL COMPLETION
set -uo pipefail
program=$1
manual=$2
completion=$3
failures=0
skipped=0

fail() {
  printf '%s\n' "$1"
  failures=$((failures + 1))
}

skip() {
  printf 'not tried: %s\n' "$1"
  skipped=$((skipped + 1))
}

# The page with its escaped hyphens undone.
page=$(sed 's/\\-/-/g' "$manual")
options=$(for command in run plan topology report check migrations; do
  "$program" "$command" --help | grep -oE '^ +(-[A-Za-z], )?--[a-z-]+' | grep -oE -- '--[a-z-]+'
done | sort -u)
[ "$(wc -l <<< "$options")" -gt 30 ] || fail "--help shows hardly any options: $options"
for option in $options; do
  # As a heading of its own, not in passing.
  grep -qF -- "\\fB$option\\fR" <<< "$page" || fail "the manual page lacks $option"
  grep -qE -- "[' ]$option " "$completion" || fail "the completion lacks $option"
done
! grep -nE '@[A-Z_]+@' "$manual" || fail "the manual page holds a marker"

if command -v mandoc > /dev/null; then
  complaints=$(mandoc -T lint "$manual")
  [ -z "$complaints" ] || fail "$complaints"
else
  skip "mandoc is not installed"
fi
if command -v man > /dev/null && command -v groff > /dev/null; then
  complaints=$(LC_ALL=C.UTF-8 man --warnings -E UTF-8 -l -Tutf8 -Z "$manual" 2>&1 > /dev/null)
  [ -z "$complaints" ] || fail "$complaints"
else
  skip "man or groff is not installed"
fi

bash -n "$completion" || fail "the completion is no bash"
configs=$(dirname "$0")/../../configs
# What bash offers behind the words given; the last one is being typed.
offered() {
  NUMASWEEP_CONFIG_DIR=$configs bash --norc -c '
    source "$1"; shift
    COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"
    COMP_LINE=${COMP_LINE// = /=}; COMP_POINT=${#COMP_LINE}
    _numasweep numasweep "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
    printf "%s " "${COMPREPLY[@]}"' bash "$completion" "$@"
}
expect() {
  local expected=$1 got
  shift
  got=$(offered "$@")
  [ "${got% }" = "$expected" ] || fail "after \"$*\" the completion offers \"$got\", not \"$expected\""
}
expect "report" numasweep rep
expect "run plan topology report compare import migrations check" numasweep ""
expect "--timeout --timer-slack" numasweep --tim
expect "" numasweep report --tim
expect "--metric" numasweep report --met
expect "none cpu node" numasweep migrations --pin ""
expect "pu core l3 node package machine" numasweep --by ""
expect "package" numasweep -b pack
expect "p90 p99 p99.9" numasweep report --metric p
expect "always" numasweep --color = al
expect "pselect" numasweep -k ps
expect "quick" numasweep --profile qu
expect "" numasweep --profile nothing
for command in report compare import; do
  expect "$0" numasweep $command "$0"
done

[ "$failures" -eq 0 ] || exit 1
[ "$skipped" -eq 0 ] || exit 77
