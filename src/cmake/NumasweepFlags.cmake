# SPDX-License-Identifier: GPL-3.0-or-later
# One interface target carries the language, the warnings and the sanitizers.
add_library(numasweep_flags INTERFACE)
target_compile_features(numasweep_flags INTERFACE c_std_17)
target_compile_definitions(numasweep_flags INTERFACE _GNU_SOURCE)
target_include_directories(numasweep_flags INTERFACE "${PROJECT_SOURCE_DIR}/include")
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

# Every symbol is bound at the start: a worker is a fork, and would look each one up anew in its first calls.
target_link_options(numasweep_flags INTERFACE -Wl,-z,relro,-z,now)

if(NUMASWEEP_WARNINGS)
  target_compile_options(numasweep_flags INTERFACE
    -Wall -Wextra -Wpedantic -Werror -Wshadow -Wconversion -Wsign-conversion -Wformat=2
    -Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition -Wundef -Wvla
    -Wwrite-strings -Wcast-qual -Wpointer-arith -Wnull-dereference)
endif()
if(NUMASWEEP_SANITIZERS)
  target_compile_options(numasweep_flags INTERFACE
    "-fsanitize=${NUMASWEEP_SANITIZERS}" -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(numasweep_flags INTERFACE "-fsanitize=${NUMASWEEP_SANITIZERS}")
endif()
if(NUMASWEEP_COVERAGE)
  target_compile_options(numasweep_flags INTERFACE --coverage)
  target_link_options(numasweep_flags INTERFACE --coverage)
endif()
