# SPDX-License-Identifier: Apache-2.0
# The Debian package, made of what is installed: cd build && cpack -G DEB. It wants the libraries that it was linked with, by what
# dpkg-shlibdeps finds.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGE_CONTACT "The Weir developers <weir@localhost>")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION "${PROJECT_DESCRIPTION}
 The ranks of a model put their pieces of every field and keep computing; Weir
 leaves ordinary netCDF files. Libraries, headers, Fortran modules, programs and
 the bridges beneath PnetCDF, netCDF and PIO.")
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# The compiler's wrappers are MPI's, for whom builds on it; the rest its programs find where they are.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "mpi-default-dev, pkg-config")
set(CPACK_DEBIAN_COMPRESSION_TYPE gzip)
include(CPack)
