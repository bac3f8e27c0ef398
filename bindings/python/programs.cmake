# SPDX-License-Identifier: Apache-2.0
# The programs that the command `weir` starts: those of the installed Weir that was found, by the name of their folder, which the
# package keeps in programs.txt; or, with WEIR_BUNDLE, copies of them in the package, with the libraries they want of that Weir,
# which lie to each other as they did there. MPI and what else the programs stand on are the machine's.
if(NOT WEIR_BUNDLE)
  file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/programs.txt "${WEIR_BINDIR}\n")
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/programs.txt DESTINATION weir)
  return()
endif()

set(bundle ${CMAKE_CURRENT_BINARY_DIR}/bundle)
file(REMOVE_RECURSE ${bundle})
cmake_path(GET WEIR_BINDIR PARENT_PATH prefix)
cmake_path(RELATIVE_PATH WEIR_LIBDIR BASE_DIRECTORY ${prefix} OUTPUT_VARIABLE libraries)
set_target_properties(weir_output PROPERTIES INSTALL_RPATH $ORIGIN/${libraries})

# weir_copy(FOLDER FILE...): what a link leads to, by the link's name, without what only a debugger reads.
function(weir_copy folder)
  file(MAKE_DIRECTORY ${bundle}/${folder})
  foreach(file IN LISTS ARGN)
    cmake_path(GET file FILENAME name)
    file(COPY_FILE ${file} ${bundle}/${folder}/${name})
    execute_process(COMMAND ${CMAKE_STRIP} --strip-debug ${bundle}/${folder}/${name} ERROR_QUIET)  # refuses a script
  endforeach()
endfunction()

file(GLOB programs ${WEIR_BINDIR}/weir-*)
file(GLOB fetched ${WEIR_LIBDIR}/libyaml-cpp.so.*)
weir_copy(bin ${programs})
weir_copy(${libraries} ${WEIR_LIBDIR}/libweir.so.${weir_VERSION_MAJOR}.${weir_VERSION_MINOR} ${fetched})
file(GLOB modules ${WEIR_LIBDIR}/libweir_netcdf4_*.so)
weir_copy(${libraries} ${modules})
weir_copy(share/weir ${prefix}/share/weir/launcher)
# The ocean of `weir demo`, where that Weir has Fortran.
if(EXISTS ${prefix}/libexec/weir/ocean)
  weir_copy(bin ${prefix}/libexec/weir/ocean)
  weir_copy(${libraries} ${WEIR_LIBDIR}/libweirf.so.${weir_VERSION_MAJOR}.${weir_VERSION_MINOR})
  weir_copy(share/weir/ocean ${root}/examples/ocean/picture.py)
endif()
install(DIRECTORY ${bundle}/ DESTINATION weir USE_SOURCE_PERMISSIONS)
