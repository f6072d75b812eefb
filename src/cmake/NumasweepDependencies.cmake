# SPDX-License-Identifier: GPL-3.0-or-later
find_package(PkgConfig)
if(NOT PKG_CONFIG_FOUND)
  message(FATAL_ERROR "pkg-config was not found. On Debian: apt-get install pkg-config")
endif()

# One imported target PkgConfig::<name>; a missing library is named with its Debian package.
function(numasweep_find_library name module debian_package)
  pkg_check_modules(${name} QUIET IMPORTED_TARGET "${module}")
  if(NOT ${name}_FOUND)
    message(FATAL_ERROR
      "The library ${module} was not found. On Debian: apt-get install ${debian_package}")
  endif()
endfunction()

numasweep_find_library(HWLOC "hwloc>=2.4" libhwloc-dev)
numasweep_find_library(NUMA numa libnuma-dev)
numasweep_find_library(SMARTCOLS "smartcols>=2.33" libsmartcols-dev)
numasweep_find_library(JANSSON jansson libjansson-dev)
numasweep_find_library(INIH inih libinih-dev)
numasweep_find_library(GSL gsl libgsl-dev)

# It has no pkg-config file.
find_path(CSV_INCLUDE_DIR csv.h)
find_library(CSV_LIBRARY csv)
mark_as_advanced(CSV_INCLUDE_DIR CSV_LIBRARY)
if(NOT CSV_INCLUDE_DIR OR NOT CSV_LIBRARY)
  message(FATAL_ERROR "The library libcsv was not found. On Debian: apt-get install libcsv-dev")
endif()
add_library(Csv::Csv INTERFACE IMPORTED)
target_include_directories(Csv::Csv INTERFACE "${CSV_INCLUDE_DIR}")
target_link_libraries(Csv::Csv INTERFACE "${CSV_LIBRARY}")

if(NUMASWEEP_TESTS)
  numasweep_find_library(CMOCKA cmocka libcmocka-dev)
endif()
