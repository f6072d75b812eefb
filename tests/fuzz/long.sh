#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Builds all fuzz targets by the preset fuzz and runs each for $NUMASWEEP_FUZZ_SECONDS: what the nightly
# tests, whose own build has no libFuzzer, do of it.
set -euo pipefail
cd "$(dirname "$0")/../.."

if [ -z "${NUMASWEEP_FUZZ_SECONDS:-}" ]; then
  echo "skipped: NUMASWEEP_FUZZ_SECONDS says for how long; ctest --preset nightly sets it"
  exit 77
fi
if ! command -v clang > /dev/null; then
  echo "skipped: clang is not installed"
  exit 77
fi
cmake --preset fuzz -DNUMASWEEP_FUZZ_SECONDS="$NUMASWEEP_FUZZ_SECONDS"
cmake --build --preset fuzz -j 2
ctest --preset fuzz
