#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# timeout: 300
# What `make install` puts into a prefix is enough to build on, by pkg-config and by CMake, in C, C++ and Fortran.
set -eu
prefix=$TMPDIR/prefix
cmake --install "$WEIR_BUILD_DIR" --prefix "$prefix" >/dev/null
library_dir=$(dirname "$(find "$prefix" -name libweir.so)")
export PKG_CONFIG_PATH=$library_dir/pkgconfig LD_LIBRARY_PATH=$library_dir
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

mpicc -o with_pkg_config consumer.c $(pkg-config --cflags --libs weir)
"$WEIR_SOURCE_DIR/tools/launch" -n 2 --timeout 60 ./with_pkg_config

fortran=0
if [[ -e $prefix/include/weir.mod ]]; then
  fortran=1
  mpifort -o fortran_with_pkg_config consumer.f90 $(pkg-config --cflags --libs weirf)
  "$WEIR_SOURCE_DIR/tools/launch" -n 2 --timeout 60 ./fortran_with_pkg_config
fi
cat >CMakeLists.txt <<END
cmake_minimum_required(VERSION 3.25)
project(consumer LANGUAGES C CXX)
find_package(weir 0.1 REQUIRED)
add_executable(in_c consumer.c)
target_link_libraries(in_c PRIVATE weir::weir)
add_executable(in_cpp consumer.cpp)
target_link_libraries(in_cpp PRIVATE weir::weir)
if($fortran)
  enable_language(Fortran)
  find_package(MPI REQUIRED COMPONENTS Fortran)
  add_executable(in_fortran consumer.f90)
  target_link_libraries(in_fortran PRIVATE weir::weirf MPI::MPI_Fortran)
endif()
END
cmake -G Ninja -S . -B build -DCMAKE_PREFIX_PATH="$prefix" >log 2>&1 && cmake --build build >>log 2>&1 || {
  cat log
  exit 1
}
programs=(in_c in_cpp)
((fortran)) && programs+=(in_fortran)
for program in "${programs[@]}"; do
  "$WEIR_SOURCE_DIR/tools/launch" -n 2 --timeout 60 "build/$program"
done
