# SPDX-License-Identifier: Apache-2.0
# Lists the functions of a bridge, by the names in its objects: NAMES, for its own link (a second name of each, by which programs call it
# that are linked with a static library), and LINK, for those programs (each call goes to the second name, and the function of the static
# library stays in the program, where the bridge finds it).
#
#   cmake -D NM=... -D "OBJECTS=..." -D PATTERN=nc_ -D NAMES=FILE -D LINK=FILE -P BridgeNames.cmake
execute_process(COMMAND ${NM} --extern-only --defined-only ${OBJECTS} OUTPUT_VARIABLE listed COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL " T ${PATTERN}[A-Za-z0-9_]+" functions "${listed}")
list(TRANSFORM functions REPLACE "^ T " "")
list(SORT functions)
list(TRANSFORM functions REPLACE "(.+)" "-Wl,--defsym=__wrap_\\1=\\1" OUTPUT_VARIABLE second_names)
list(TRANSFORM functions REPLACE "(.+)" "-Wl,--wrap=\\1,-u,\\1" OUTPUT_VARIABLE link)
list(JOIN second_names "\n" second_names)
list(JOIN link "\n" link)
file(WRITE ${NAMES} "${second_names}\n")
file(WRITE ${LINK} "${link}\n-rdynamic\n")
