# SPDX-License-Identifier: Apache-2.0
# Installation: the libraries, headers and Fortran modules, weir.pc, weirf.pc, weir-cfio2.pc and those of the static libraries, and
# the CMake package weir::weir.
include(CMakePackageConfigHelpers)
include(WeirManPage)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/weir)
set(installed_targets weir ${cfio2_libraries})
set(pkg_config_files weir weir-cfio2)
if(WEIR_STATIC)
  list(APPEND pkg_config_files weir-static)
  list(JOIN WEIR_STATIC_LIBS " " STATIC_LIBS)
endif()
if(TARGET weirf)
  list(APPEND installed_targets weirf)
  list(APPEND pkg_config_files weirf)
  if(WEIR_STATIC)
    list(APPEND pkg_config_files weirf-static)
  endif()
  install(DIRECTORY ${PROJECT_BINARY_DIR}/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN *.mod)
endif()
foreach(bridge weir_pnetcdf weir_netcdf weir_pio)
  if(TARGET ${bridge})
    list(APPEND installed_targets ${bridge})
    install(FILES ${PROJECT_BINARY_DIR}/lib/${bridge}.link DESTINATION ${CMAKE_INSTALL_LIBDIR})
  endif()
endforeach()
install(TARGETS ${installed_targets} EXPORT weir DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/weir DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES ${PROJECT_SOURCE_DIR}/include/cfio2.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
# The module weir_c is compiled by the model's own compiler, whichever that is.
install(FILES bindings/fortran/weir_types.f90 bindings/fortran/weir_c.f90 DESTINATION ${CMAKE_INSTALL_DATADIR}/weir/fortran)
foreach(program weir-bench weir-merge weir-verify weir-convert weir-streams weir-doctor weir-profile weir-simulate)
  if(TARGET ${program})
    install(TARGETS ${program} DESTINATION ${CMAKE_INSTALL_BINDIR})
    weir_man_page(${program})
  endif()
endforeach()
# What `weir demo` runs, here and in a wheel's folder of programs.
if(TARGET ocean)
  set_target_properties(ocean PROPERTIES
    INSTALL_RPATH "$ORIGIN/../../${CMAKE_INSTALL_LIBDIR};$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
  install(TARGETS ocean DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/weir OPTIONAL)
endif()
# What starts ranks on one machine, and the name of the mpiexec it takes.
install(PROGRAMS ${PROJECT_SOURCE_DIR}/tools/launch DESTINATION ${CMAKE_INSTALL_BINDIR} RENAME weir-launch)
install(FILES ${PROJECT_BINARY_DIR}/launcher DESTINATION ${CMAKE_INSTALL_DATADIR}/weir)
install(FILES README.md CHANGELOG.md CITATION.cff LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs examples DESTINATION ${CMAKE_INSTALL_DOCDIR})

# The prefix may be given only at installation (cmake --install --prefix), so the pkg-config files are finished there. Programs
# made by them find the libraries by themselves, but for those in the system's own folders, which need no word.
foreach(name ${pkg_config_files})
  set(template ${PROJECT_BINARY_DIR}/${name}.pc.template)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/${name}.pc.in ${template} @ONLY)
  install(CODE "
    set(PREFIX \"\${CMAKE_INSTALL_PREFIX}\")
    if(NOT PREFIX STREQUAL \"/usr\")
      set(RPATH_OPTION \"-Wl,-rpath,\${PREFIX}/${CMAKE_INSTALL_LIBDIR} \")
    endif()
    configure_file(\"${template}\" \"${PROJECT_BINARY_DIR}/${name}.pc\")")
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/weirConfig.cmake.in
  ${PROJECT_BINARY_DIR}/weirConfig.cmake INSTALL_DESTINATION ${package_dir}
  PATH_VARS CMAKE_INSTALL_BINDIR CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/weirConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/weirConfig.cmake ${PROJECT_BINARY_DIR}/weirConfigVersion.cmake
  DESTINATION ${package_dir})
install(EXPORT weir NAMESPACE weir:: DESTINATION ${package_dir} FILE weirTargets.cmake)
