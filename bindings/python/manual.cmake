# SPDX-License-Identifier: Apache-2.0
# The manual pages of the command `weir` and its verbs, where pip installs them: made by the package (weir.manual), of what the verbs
# say to --help.
set(pages ${CMAKE_CURRENT_BINARY_DIR}/man1)
execute_process(COMMAND ${CMAKE_COMMAND} -E env PYTHONPATH=${root}/python ${Python_EXECUTABLE} -m weir.manual ${pages}
  RESULT_VARIABLE failed ERROR_VARIABLE said)
if(failed)
  string(REGEX REPLACE "^.*\n([^\n]+)\n*$" "\\1" said "\n${said}")  # its last line is the reason
  message(NOTICE "weir: not built: the manual pages of the command weir: ${said}")
elseif(SKBUILD)
  install(DIRECTORY ${pages} DESTINATION ${SKBUILD_DATA_DIR}/share/man)
endif()
