# SPDX-License-Identifier: Apache-2.0
# Manual pages of the programs, made of what they say to --help. Included, it gives weir_man_page; as a script
# (cmake -D PROGRAM= -D PAGE= -D VERSION= -P WeirManPage.cmake) it makes one page.

# weir_man_page(TARGET): man/TARGET.1, made with the program, and installed. A page is left out where the program does not start:
# cross-compiled, or on a machine whose MPI starts under its own launcher only.
function(weir_man_page target)
  set(page ${PROJECT_BINARY_DIR}/man/${target}.1)
  add_custom_command(TARGET ${target} POST_BUILD VERBATIM
    COMMAND ${CMAKE_COMMAND} -D PROGRAM=$<TARGET_FILE:${target}> -D PAGE=${page} -D VERSION=${PROJECT_VERSION}
      -P ${CMAKE_CURRENT_FUNCTION_LIST_FILE})
  install(FILES ${page} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 OPTIONAL)
endfunction()

if(NOT CMAKE_SCRIPT_MODE_FILE)
  return()
endif()

file(REMOVE ${PAGE})
execute_process(COMMAND ${PROGRAM} --help OUTPUT_VARIABLE help RESULT_VARIABLE failed ERROR_QUIET)
if(failed)
  message(NOTICE "weir: not built: ${PAGE}: ${PROGRAM} --help ends with ${failed}")
  return()
endif()
cmake_path(GET PROGRAM FILENAME name)
string(TOUPPER ${name} title)
string(REPLACE "${PROGRAM}" "${name}" help "${help}")
# What troff would take for its own.
string(REPLACE "\\" "\\e" help "${help}")
string(REGEX REPLACE "(^|\n)([.'])" "\\1\\\\&\\2" help "${help}")
string(REPLACE "-" "\\-" help "${help}")
# The first sentence, behind the line of usage where that comes first, says what the program is for.
string(REGEX REPLACE "^[^\n]*\\[[^\n]*\n" "" purpose "${help}")
string(STRIP "${purpose}" purpose)
string(REGEX MATCH "^[^\n.:]*" purpose "${purpose}")
file(WRITE ${PAGE} ".TH ${title} 1 \"\" \"Weir ${VERSION}\" Weir
.SH NAME
${name} \\- ${purpose}
.SH DESCRIPTION
.nf
${help}.fi
")
