# SPDX-License-Identifier: GPL-3.0-or-later
# Installs FILE as FILE.gz where gzip is found, as Debian wants manual pages and changelogs, else as it is.
# A FILE that a target makes is named with it after the folder: two targets must not make it at the same time.
# gzip -n leaves name and time out, so that the same sources give the same package.
find_program(GZIP_PROGRAM gzip)

function(numasweep_install_compressed file destination)
  if(NOT GZIP_PROGRAM)
    install(FILES "${file}" DESTINATION "${destination}")
    return()
  endif()
  get_filename_component(name "${file}" NAME)
  add_custom_command(OUTPUT "${file}.gz"
    COMMAND "${GZIP_PROGRAM}" -9nkf "${file}"
    DEPENDS "${file}" VERBATIM)
  add_custom_target("numasweep_compress_${name}" ALL DEPENDS "${file}.gz")
  if(ARGC GREATER 2)
    add_dependencies("numasweep_compress_${name}" "${ARGV2}")
  endif()
  install(FILES "${file}.gz" DESTINATION "${destination}")
endfunction()
