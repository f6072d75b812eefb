# SPDX-License-Identifier: GPL-3.0-or-later
# Writes a C file with an array of the descriptors that the files of a folder define: file NAME.c defines
# PREFIX_NAME. So a new kernel, output format or sub-command is one new file and nothing else.
#
#   numasweep_write_registry(OUTPUT file.c HEADER "numasweep/kernel.h" TYPE "struct measurement_kernel"
#                            ARRAY measurement_kernels PREFIX kernel SOURCES a.c b.c)
function(numasweep_write_registry)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "OUTPUT;HEADER;TYPE;ARRAY;PREFIX" "SOURCES")
  set(declarations "")
  set(entries "")
  list(SORT arg_SOURCES COMPARE FILE_BASENAME)
  foreach(source IN LISTS arg_SOURCES)
    get_filename_component(name "${source}" NAME_WE)
    string(APPEND declarations "extern const ${arg_TYPE} ${arg_PREFIX}_${name};\n")
    string(APPEND entries "    &${arg_PREFIX}_${name},\n")
  endforeach()
  file(CONFIGURE OUTPUT "${arg_OUTPUT}" CONTENT
"/* Generated from the file names of the ${arg_PREFIX} folder. */
#include \"${arg_HEADER}\"

${declarations}
const ${arg_TYPE} *const ${arg_ARRAY}[] = {
${entries}    NULL,
};
" @ONLY)
endfunction()
