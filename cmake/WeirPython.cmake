# SPDX-License-Identifier: Apache-2.0
# The modules of the Python package, lib/_output.*.so and lib/_simulate.*.so (bindings/python): for the Python of .venv where that is
# there (tools/install-deps), else for the one in PATH, or -DPython_EXECUTABLE=. The package around them is python/weir, which pip installs
# (docs/installing.md).
option(WEIR_PYTHON_MODULE "Build the modules of the Python package" ${PROJECT_IS_TOP_LEVEL})

# weir_find_nanobind(WHY): nanobind for Python_EXECUTABLE; WHY says what is missing, and is empty where nothing is. A macro, for what
# the two packages set.
macro(weir_find_nanobind why)
  set(${why} "")
  if(NOT DEFINED Python_EXECUTABLE AND EXISTS ${PROJECT_SOURCE_DIR}/.venv/bin/python)
    set(Python_EXECUTABLE ${PROJECT_SOURCE_DIR}/.venv/bin/python)
  endif()
  find_package(Python 3.11 QUIET COMPONENTS Interpreter Development.Module)
  if(NOT Python_Development.Module_FOUND)
    set(${why} "it wants Python 3.11 with its headers (python3-dev)")
  else()
    execute_process(COMMAND ${Python_EXECUTABLE} -m nanobind --cmake_dir OUTPUT_VARIABLE nanobind_folder
      ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
    find_package(nanobind CONFIG QUIET PATHS "${nanobind_folder}" NO_DEFAULT_PATH)
    if(NOT nanobind_FOUND)
      set(${why} "it wants nanobind: ${Python_EXECUTABLE} -m pip install nanobind, or tools/install-deps --tests")
    endif()
  endif()
endmacro()

if(WEIR_PYTHON_MODULE AND WEIR_SANITIZE)
  weir_left_out("the Python module" "a Python without the sanitizer cannot load it")
elseif(WEIR_PYTHON_MODULE)
  weir_find_nanobind(missing)
  if(missing)
    weir_left_out("the Python module" "${missing}")
  else()
    include(${PROJECT_SOURCE_DIR}/bindings/python/output/CMakeLists.txt)
    if(WEIR_SIMULATOR)
      nanobind_add_module(weir_simulation NOMINSIZE ${PROJECT_SOURCE_DIR}/bindings/python/module.cpp)
      set_target_properties(weir_simulation PROPERTIES OUTPUT_NAME _simulate)
      target_link_libraries(weir_simulation PRIVATE weir_simulate)
      target_link_options(weir_simulation PRIVATE -Wl,--as-needed)  # it is pure: no MPI, no file library
    endif()
  endif()
endif()

# What the Python package is linked from (tools/install-deps --package).
add_custom_target(python_package DEPENDS weir_simulate weir_core)
foreach(module weir_output weir_simulation)
  if(TARGET ${module})
    add_dependencies(python_package ${module})
  endif()
endforeach()
