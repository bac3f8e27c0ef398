# SPDX-License-Identifier: Apache-2.0
# What tools/other-mpi and tools/other-libraries share: a build in the folder $build, beside the usual one, and a part of the
# suite there. JOBS=2: the compilers at once. ONLY=build: without the tests.
jobs=${JOBS:-$(nproc)}
# What the bridges' tests and those of netCDF-4 want built, and their entries of ctest.
bridges=(weir_pnetcdf weir_netcdf weir_pio weir_netcdf4_mpi weir_netcdf4_serial weir-verify ocean ocean_netcdf ocean_pnetcdf
  ocean_records ocean_serial hello_c bridge_programs test_bridge test_bridge_mpi test_c_netcdf4)
tests_of_bridges='^(bridge(_np[0-9]+)?|cli\.(bridge_[a-z0-9_]+|netcdf4_border|two_mpis)|c\.netcdf4_np[0-9]+)$'

fail() {
  echo "$(basename "$0"): $1" >&2
  exit 1
}

# configure_beside CMAKE-OPTION...
configure_beside() {
  local generator=()
  command -v ninja >/dev/null && [[ ! -e $build/CMakeCache.txt ]] && generator=(-G Ninja)
  cmake -B "$build" "${generator[@]}" --log-level=NOTICE "$@" >/dev/null
}

# build_beside TARGET...: those of them that this build has.
build_beside() {
  local known target targets=()
  known=$(cmake --build "$build" --target help | grep -oE '[A-Za-z0-9_/.-]+')
  for target in "$@"; do
    if grep -qx "$target" <<<"$known"; then targets+=("$target"); else echo "$(basename "$0"): without $target"; fi
  done
  cmake --build "$build" --parallel "$jobs" --target "${targets[@]}"
}

# test_beside REGEX: of ctest's entries.
test_beside() {
  [[ ${ONLY:-} == build ]] || ctest --test-dir "$build" -R "$1" --output-on-failure --no-tests=error
}
