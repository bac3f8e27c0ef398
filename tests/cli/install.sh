#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# timeout: 600
# What `make install` puts into a prefix is enough to build on, by pkg-config and by CMake, in C, C++ and Fortran, with the shared
# libraries and with the static ones, and all of it starts without a word in LD_LIBRARY_PATH; the installed programs start by
# themselves, without MPI's launcher.
set -eu
prefix=$TMPDIR/prefix
cmake --install "$WEIR_BUILD_DIR" --prefix "$prefix" >/dev/null
library_dir=$(dirname "$(find "$prefix" -name libweir.so)")
for bridge in "$library_dir"/libweir_{pnetcdf,netcdf,pio}.so; do
  link=${bridge/libweir_/weir_}
  [[ ! -e $bridge || -s ${link%.so}.link ]] || { echo "$bridge comes without its list for static libraries"; exit 1; }
done
export PKG_CONFIG_PATH=$library_dir/pkgconfig
unset LD_LIBRARY_PATH
mpicc=${MPICC:-mpicc} mpicxx=${MPICXX:-mpicxx} mpifort=${MPIFC:-mpifort}
work=$TMPDIR/consumer
mkdir "$work"
cd "$work"

cat >consumer.c <<'END'
#include <stdio.h>
#include <string.h>
#include <weir/weir.h>
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm model;
  weir_t* weir = NULL;
  int code = weir_init(MPI_COMM_WORLD, "strategy: no_such_strategy\n", &model, &weir);
  const int refused = code == WEIR_ECONFIG && weir == NULL && strstr(weir_init_error(), "no_such_strategy") != NULL;
  code = weir_init(MPI_COMM_WORLD, "strategy: serial\n", &model, &weir);
  if (code != WEIR_OK) fprintf(stderr, "%s\n", weir_init_error());
  const int ended = code == WEIR_OK && weir_finalize(&weir) == WEIR_OK && weir == NULL;
  if (ended) MPI_Comm_free(&model);
  MPI_Finalize();
  return refused && ended ? 0 : 1;
}
END
cp consumer.c consumer.cpp
cat >consumer.f90 <<'END'
program consumer
  use mpi_f08
  use weir
  implicit none
  type(MPI_Comm) :: model
  type(weir_t) :: instance
  integer :: refused, begun, ended
  call MPI_Init()
  call weir_init(MPI_COMM_WORLD, model, instance, 'strategy: no_such_strategy', refused)
  call weir_init(MPI_COMM_WORLD, model, instance, 'strategy: serial', begun)
  ended = WEIR_ESTATE
  if (begun == WEIR_OK) then
    call weir_finalize(instance, ended)
    call MPI_Comm_free(model)
  end if
  call MPI_Finalize()
  if (refused /= WEIR_ECONFIG .or. ended /= WEIR_OK) error stop 1
end program
END

# The interface of CFIO2: each rank but the control process has an element of one variable.
cat >cfio2.c <<'END'
#include <cfio2.h>
#include <stdio.h>
int main(int argc, char** argv) {
  int rank, ranks, code;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  code = cfio2_init(MPI_COMM_WORLD, 1, 1);
  if (rank > 0) {
#ifdef __cplusplus
    const std::string dim_name[] = {"x"};
#else
    const char* dim_name[] = {"x"};
#endif
    const int global[] = {ranks - 1}, start[] = {rank - 1}, count[] = {1}, data[] = {rank};
    if (cfio2_put_vara(MPI_COMM_WORLD, "cfio2.nc", "v", cfio2_data_type_int, dim_name, global, start, count, data, 0)) code = 1;
    if (cfio2_wait_output(MPI_COMM_WORLD)) code = 1;
  }
  if (cfio2_finalize(MPI_COMM_WORLD)) code = 1;
  if (code) fprintf(stderr, "%s\n", cfio2_error());
  MPI_Finalize();
  return code ? 1 : 0;
}
END
cp cfio2.c cfio2.cpp
cat >cfio2.f90 <<'END'
program consumer
  use mpi
  use cfio2
  implicit none
  integer :: rank, ranks, ierr, stat
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  call cfio2_init(MPI_COMM_WORLD, 1, 1)
  if (rank > 0) then
    call cfio2_put_vara(MPI_COMM_WORLD, 'cfio2.nc', 'v', cfio2_int, ['x'], [ranks - 1], [rank], [1], [rank], 0)
    call cfio2_wait_output(MPI_COMM_WORLD)
  end if
  call cfio2_finalize(MPI_COMM_WORLD, stat)
  call MPI_Finalize(ierr)
  if (stat /= 0) error stop 1
end program
END

# starts PROGRAM [static]: on two ranks; one linked with the static libraries wants none of Weir's to start.
starts() {
  "$WEIR_SOURCE_DIR/tools/launch" -n 2 --timeout 60 "$1"
  [[ ${2:-} != static ]] || ! ldd "$1" | grep libweir || { echo "$1 is linked with a shared library of Weir's"; exit 1; }
}

# writes PROGRAM: it leaves the file of CFIO2's interface.
writes() {
  rm -f cfio2.nc
  WEIR_STRATEGY=remap "$WEIR_SOURCE_DIR/tools/launch" -n 3 --timeout 60 "$1"
  ncdump cfio2.nc | grep -q 'v = 1, 2 ;' || { echo "$1 has not written its file:"; ncdump cfio2.nc; exit 1; }
}

"$mpicc" -Wall -Wextra -Werror -o cfio2_c cfio2.c $(pkg-config --cflags --libs weir-cfio2)
writes ./cfio2_c
"$mpicxx" -std=c++11 -Wall -Wextra -Werror -DOMPI_SKIP_MPICXX -DMPICH_SKIP_MPICXX -o cfio2_cpp cfio2.cpp $(pkg-config --cflags --libs weir-cfio2)
writes ./cfio2_cpp
! ldd cfio2_c cfio2_cpp | grep libweir_cfio2f || { echo 'a program without Fortran is bound to the Fortran library'; exit 1; }

"$mpicc" -o with_pkg_config consumer.c $(pkg-config --cflags --libs weir)
starts ./with_pkg_config
objdump -p with_pkg_config | grep -qE ' WEIR_[0-9.]+$' || { echo 'a program does not say which version of libweir.so it wants'; exit 1; }
static=0
if [[ -e $library_dir/libweir.a ]]; then
  static=1
  "$mpicc" -o static_c consumer.c $(pkg-config --cflags --libs weir-static)
  starts ./static_c static
  # A C++ program, with a copy of the same templates and of yaml-cpp's names.
  "$mpicxx" -o static_cpp consumer.cpp $(pkg-config --cflags --libs weir-static)
  starts ./static_cpp static
  # Where there is none but the static library, the usual word for it is enough.
  mkdir only_static && ln -s "$library_dir/libweir.a" only_static
  "$mpicc" -o static_by_word consumer.c -Lonly_static $(pkg-config --cflags --libs --static weir)
  starts ./static_by_word static
fi

fortran=0
if [[ -e $prefix/include/weir.mod ]]; then
  fortran=1
  "$mpifort" -o fortran_with_pkg_config consumer.f90 $(pkg-config --cflags --libs weirf)
  starts ./fortran_with_pkg_config
  if ((static)); then
    "$mpifort" -o static_f90 consumer.f90 $(pkg-config --cflags --libs weirf-static)
    starts ./static_f90 static
  fi
  "$mpifort" -o cfio2_f90 cfio2.f90 $(pkg-config --cflags --libs weir-cfio2)
  writes ./cfio2_f90
fi
cat >CMakeLists.txt <<END
cmake_minimum_required(VERSION 3.25)
project(consumer LANGUAGES C CXX)
find_package(weir 0.2 REQUIRED)
add_executable(in_c consumer.c)
target_link_libraries(in_c PRIVATE weir::weir)
add_executable(in_cpp consumer.cpp)
target_link_libraries(in_cpp PRIVATE weir::weir)
add_executable(cfio2_in_c cfio2.c)
target_link_libraries(cfio2_in_c PRIVATE weir::weir_cfio2)
if($static)
  add_executable(static_in_c consumer.c)
  target_link_libraries(static_in_c PRIVATE weir::weir_static)
  add_executable(static_in_cpp consumer.cpp)
  target_link_libraries(static_in_cpp PRIVATE weir::weir_static)
endif()
if($fortran)
  enable_language(Fortran)
  find_package(MPI REQUIRED COMPONENTS Fortran)
  add_executable(in_fortran consumer.f90)
  target_link_libraries(in_fortran PRIVATE weir::weirf MPI::MPI_Fortran)
  if($static)
    add_executable(static_in_fortran consumer.f90)
    target_link_libraries(static_in_fortran PRIVATE weir::weirf_static MPI::MPI_Fortran)
  endif()
  add_executable(cfio2_in_fortran cfio2.f90)
  target_link_libraries(cfio2_in_fortran PRIVATE weir::weir_cfio2f MPI::MPI_Fortran)
endif()
END
cmake -G Ninja -S . -B build -DCMAKE_PREFIX_PATH="$prefix" -DMPI_C_COMPILER="$mpicc" -DMPI_CXX_COMPILER="$mpicxx" \
  -DMPI_Fortran_COMPILER="$mpifort" >log 2>&1 && cmake --build build >>log 2>&1 || {
  cat log
  exit 1
}
programs=(in_c in_cpp)
((fortran)) && programs+=(in_fortran)
for program in "${programs[@]}"; do
  starts "build/$program"
  ((!static)) || starts "build/static_$program" static
done
writes build/cfio2_in_c
((fortran)) && writes build/cfio2_in_fortran

# Programs, as on a login node: of one process, without a launcher.
for program in "$prefix"/bin/*; do
  "$program" --help >log 2>&1 || { echo "$program --help ends with code $?:"; cat log; exit 1; }
  [[ $program != */weir-launch ]] || continue # a script, whose help is its head
  page=$prefix/share/man/man1/${program##*/}.1
  for option in $(grep -oE -e '--[a-z][a-z-]+' log | sort -u); do
    grep -qF -e "${option//-/\\-}" "$page" || { echo "$page does not have $option of $program"; exit 1; }
  done
done
"$WEIR_SOURCE_DIR/tools/launch" -n 2 --timeout 60 -- env WEIR_STRATEGY=file_per_rank "$WEIR_BUILD_DIR/bin/hello_c"
"$prefix/bin/weir-merge" hello.nc
"$prefix/bin/weir-verify" hello.nc | grep -q 'hello.nc is whole' || { echo 'weir-verify does not say that hello.nc is whole'; exit 1; }

# The Python package as a wheel with these programs in it, in an environment of its own: the prefix is gone by then. What is
# compiled for it is kept in the build's folder, as ccache keeps it, and is compiled without optimization (the build type None).
python=$WEIR_SOURCE_DIR/.venv/bin/python
. "$WEIR_SOURCE_DIR/tests/cli/mpi4py.bash"
if "$python" -c 'import mpi4py, nanobind, numpy, scikit_build_core' 2>/dev/null && mpi4py_fits "$python"; then
  export CCACHE_DIR=${CCACHE_DIR:-$WEIR_BUILD_DIR/wheel-cache} CCACHE_BASEDIR=$TMPDIR CCACHE_NOHASHDIR=1
  "$WEIR_SOURCE_DIR/tools/wheel" "$PWD/wheels" --config-settings=cmake.build-type=None \
    --config-settings=cmake.define.MPI_C_COMPILER="$mpicc" --config-settings=cmake.define.MPI_CXX_COMPILER="$mpicxx" >log 2>&1 &&
    "$python" -m venv --without-pip fresh &&
    "$python" -m pip --python fresh/bin/python install --quiet --disable-pip-version-check --no-deps --no-index wheels/*.whl >>log 2>&1 || {
    cat log
    exit 1
  }
  mv "$prefix" "$prefix.gone"
  site='import sysconfig; print(sysconfig.get_path("purelib"))'
  export PYTHONPATH=$(fresh/bin/python -c "$site"):$("$python" -c "$site")
  unset WEIR_BUILD_DIR
  expect() {
    "${@:2}" >log 2>&1 && grep -q "$1" log || { echo "'${*:2}' ends with $? and does not say '$1':"; cat log; exit 1; }
  }
  expect 'weir, version 0' fresh/bin/weir --version
  expect 'hello.nc is whole' fresh/bin/weir verify hello.nc
  cp hello.nc before.nc
  fresh/bin/weir merge --overwrite hello.nc && cmp hello.nc before.nc
  fresh/bin/weir merge -n 2 --overwrite hello.nc && cmp hello.nc before.nc
  expect 'Joins the part files' cat fresh/share/man/man1/weir-merge.1
  rm hello.nc
  "$(dirname "$(find fresh -name weir-verify)")"/weir-launch -n 2 --timeout 60 -- fresh/bin/python "$WEIR_SOURCE_DIR/examples/python/hello.py"
  ncdump hello.nc | grep -q '1, 1, 1, 1, 1, 1, 1, 1, 1, 1 ;' || { echo 'hello.py has not written its file'; ncdump hello.nc; exit 1; }
  if ((fortran)); then
    expect 'byte for byte those of the run without a stop' fresh/bin/weir demo --days 10 shown
    [[ -s shown/ocean.png && -s shown/timeline.html ]] || { echo "weir demo leaves $(ls shown)"; exit 1; }
    ! fresh/bin/weir demo shown >log 2>&1 && grep -q 'shown is there already: remove it, or name another folder' log || { cat log; exit 1; }
  fi
fi
