# SPDX-License-Identifier: Apache-2.0
# yaml-cpp, nlohmann_json and fmt: as they are installed, or else fetched by pip into the build's own folder. A fetched yaml-cpp is
# installed beside Weir's libraries, which find it there.
option(WEIR_FETCH "Fetch yaml-cpp, nlohmann_json and fmt from PyPI, into the build's folder, where they are not installed" ON)
set(WEIR_FETCHED_DIR ${PROJECT_BINARY_DIR}/fetched)

# weir_fetch(LIBRARY DEBIAN REQUIREMENT FILE): FILE is below WEIR_FETCHED_DIR/LIBRARY then.
function(weir_fetch library debian requirement file)
  set(folder ${WEIR_FETCHED_DIR}/${library})
  if(EXISTS ${folder}/${file})
    return()
  endif()
  set(advice "install it (on Debian ${debian}), or name its folder by -DCMAKE_PREFIX_PATH=")
  if(NOT WEIR_FETCH)
    message(FATAL_ERROR "${library} is missing: ${advice}")
  endif()
  find_program(WEIR_PYTHON python3)
  set(failed 1)
  set(said "there is no python3")
  if(WEIR_PYTHON)
    message(NOTICE "weir: ${library} is not installed: fetching it from PyPI into the build's folder")
    execute_process(COMMAND ${WEIR_PYTHON} -m pip install --quiet --disable-pip-version-check --no-input --no-user --no-deps
      --only-binary :all: --upgrade --target ${folder} ${requirement}
      RESULT_VARIABLE failed OUTPUT_VARIABLE said ERROR_VARIABLE said)
  endif()
  if(failed OR NOT EXISTS ${folder}/${file})
    string(REGEX REPLACE "^.*\n([^\n]+)\n*$" "\\1" said "\n${said}")  # its last line is the reason
    message(FATAL_ERROR "${library} is missing, and pip does not fetch it (${said}): ${advice}")
  endif()
endfunction()

find_package(yaml-cpp QUIET)
if(NOT yaml-cpp_FOUND)
  weir_fetch(yaml-cpp libyaml-cpp-dev cmeel-yaml-cpp==0.8.0 cmeel.prefix/lib/libyaml-cpp.so)
  set(yaml-cpp_DIR ${WEIR_FETCHED_DIR}/yaml-cpp/cmeel.prefix/lib/cmake/yaml-cpp)
  find_package(yaml-cpp REQUIRED)
endif()
cmake_path(IS_PREFIX WEIR_FETCHED_DIR ${yaml-cpp_DIR} yaml_is_fetched)
if(yaml_is_fetched)
  install(DIRECTORY ${WEIR_FETCHED_DIR}/yaml-cpp/cmeel.prefix/lib/ DESTINATION ${CMAKE_INSTALL_LIBDIR} FILES_MATCHING
    PATTERN libyaml-cpp.so.* PATTERN cmake EXCLUDE PATTERN pkgconfig EXCLUDE)
  install(FILES ${WEIR_FETCHED_DIR}/yaml-cpp/cmeel_yaml_cpp-0.8.0.dist-info/license/LICENSE
    DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME yaml-cpp-LICENSE)
endif()
if(TARGET yaml-cpp::yaml-cpp)
  set(WEIR_YAML yaml-cpp::yaml-cpp)
else()
  set(WEIR_YAML yaml-cpp)
endif()

find_package(nlohmann_json QUIET)
if(NOT nlohmann_json_FOUND)
  weir_fetch(nlohmann_json nlohmann-json3-dev nlohmann-json==3.12.0 nlohmann_json/include/nlohmann/json.hpp)
  add_library(nlohmann_json::nlohmann_json INTERFACE IMPORTED)
  target_include_directories(nlohmann_json::nlohmann_json INTERFACE ${WEIR_FETCHED_DIR}/nlohmann_json/nlohmann_json/include)
endif()

# fmt's headers: src/base/text.cpp compiles what it needs of them, and nothing is linked.
include(WeirFmt)
if(NOT FMT_INCLUDE_DIR)
  weir_fetch(fmt libfmt-dev cmeel-fmt==12.2.0 cmeel.prefix/include/fmt/core.h)
  set(FMT_INCLUDE_DIR ${WEIR_FETCHED_DIR}/fmt/cmeel.prefix/include)
endif()
