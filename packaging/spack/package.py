# SPDX-License-Identifier: Apache-2.0
"""Weir for Spack: copied to packages/weir/package.py of a repository of recipes. `spack dev-build` builds a tree by it."""

from spack.package import *


class Weir(CMakePackage):
    """Output for Earth-system models: the ranks put their pieces of every field and keep computing; Weir leaves ordinary
    netCDF files."""

    license("Apache-2.0", checked_by="weir")

    version("0.2.0")

    variant("fortran", default=True, description="The Fortran modules")
    variant("programs", default=True, description="weir-merge, weir-verify, weir-convert, weir-streams, weir-bench, weir-profile, weir-simulate")
    variant("pnetcdf", default=True, description="The bridges of PnetCDF, netCDF and PIO, and weir-bench")
    variant("netcdf4", default=True, description="Compressed netCDF-4 files, and with +pnetcdf the bridge of netCDF's calls")
    variant("static", default=False, description="libweir.a and libweirf.a")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("fortran", type="build", when="+fortran")
    depends_on("cmake@3.25:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("mpi@3:")
    depends_on("parallel-netcdf", when="+pnetcdf")
    depends_on("utf8proc")
    depends_on("yaml-cpp")
    depends_on("nlohmann-json")
    depends_on("fmt@9:", type="build")
    depends_on("cli11", type="build", when="+programs")
    depends_on("boost@1.74:+context", type="build", when="+programs")
    depends_on("netcdf-c+mpi", when="+netcdf4")
    depends_on("hdf5+mpi", when="+netcdf4")
    depends_on("libdeflate", when="+netcdf4")
    depends_on("zstd", when="+netcdf4")
    depends_on("highway")

    conflicts("%gcc@:11", msg="Weir is C++20: GCC 12 or later")

    def cmake_args(self):
        return [
            self.define_from_variant("WEIR_FORTRAN", "fortran"),
            self.define_from_variant("WEIR_PROGRAMS", "programs"),
            self.define_from_variant("WEIR_PNETCDF", "pnetcdf"),
            self.define_from_variant("WEIR_NETCDF4", "netcdf4"),
            self.define_from_variant("WEIR_DEFLATE", "netcdf4"),
            self.define_from_variant("WEIR_ZSTD", "netcdf4"),
            self.define_from_variant("WEIR_STATIC", "static"),
            self.define("WEIR_TESTS", False),
            self.define("WEIR_PYTHON_MODULE", False),
            self.define("WEIR_FETCH", False),
        ]
