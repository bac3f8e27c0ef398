#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# timeout: 300
# A parallel netCDF-4 file that gets what Weir's files have not (dimensions that grow beside the record dimension, strings, types
# of its own, groups) is netCDF's under the bridge: the program is told the same, and the file is the same, as without the bridge.
set -u
. "$WEIR_SOURCE_DIR/tests/bridge/run.bash"
bridge=$WEIR_BUILD_DIR/lib/libweir_netcdf.so program=$programs/bridge_beyond
[[ -e $program ]] || exit 0

# All that ncdump says of storage; of a file that Weir has written, of the variable with chunks of its own.
stored() {
  ncdump -hs "$1" | grep -E ":_($storage)"
}
# alike 'CASE ARGUMENT...' RANKS: without the bridge and with it, from the same beginning.
alike() {
  launch "$2" "$program" plain.nc $1 && mv printed wanted || fail "$1 without the bridge: $(cat printed errors)"
  mkdir bridged
  [[ ! -e begun.nc ]] || cp begun.nc bridged/plain.nc
  (cd bridged && WEIR_REPORT=1 bridged "$2" "$program" plain.nc $1) || fail "$1: $(cat bridged/printed bridged/errors)"
  diff wanted bridged/printed >differences || fail "$1 on $2 ranks: told $(cat differences)"
  same plain.nc bridged/plain.nc "$1 on $2 ranks"
  mv bridged/errors . && rm -r bridged
}

storage='Storage|ChunkSizes|DeflateLevel|Shuffle|Endianness|NoFill'
for case in grow:1 grow:4 types:3 strings:2 groups:4 order:3 late:1 late:4; do
  alike ${case%:*} ${case#*:}
  grep -q 'plain.nc: handled by netCDF from here on: Weir does not support' errors || fail "$case: told $(cat errors)"
  grep -q weir_netcdf: errors && fail "$case: the bridge is not quiet: $(cat errors)"
done
launch 3 "$program" begun.nc late && cp begun.nc plain.nc || fail "opened: $(cat printed errors)"
alike opened 3
rm begun.nc

# From Fortran, by nf90_create(comm=).
program=$programs/bridge_beyond_fortran
if [[ -e $program ]]; then
  for case in group:4 strings:3 grow:1 grow:5; do
    alike ${case%:*} ${case#*:}
    grep -q 'plain.nc: handled by netCDF from here on: Weir does not support' errors || fail "Fortran, $case: told $(cat errors)"
    grep -q weir_netcdf: errors && fail "Fortran, $case: the bridge is not quiet: $(cat errors)"
  done
fi
program=$programs/bridge_beyond

# What the configuration keeps from netCDF: the calls are refused, in one sentence, and the file has the rest.
refused() { # refused FILE CASE WORDS
  bridged 3 "$program" "$1" "$2" || fail "$1 refused: $(cat printed errors)"
  diff - printed <<WANTED || fail "$1 refused"
nc_def_grp(file, "ice", &group): -112
nc_def_grp(file, "sea", &group): -112
3 dimensions, 3 variables, 1 attributes, unlimited 0 of 1: 3, in $1
nc_close(file): 0
WANTED
  [[ $(<errors) == "weir_netcdf: $1: Weir does not support groups here; $3" ]] || fail "$1 refused: told $(cat errors)"
}
WEIR_FILES='{"*.zarr": {format: zarr}}' refused kept.zarr refused 'without its rule for this file netCDF writes it'
"$WEIR_BUILD_DIR/bin/weir-verify" kept.zarr >verdict || fail "Zarr: $(cat verdict)"
WEIR_FILES='{"*.nc": {collective: yes}}' refused kept.nc refused_plain \
  'create the file by nc_create_par, so that netCDF writes it'
values() { # the values of field in FILE, as text
  ncdump -v field "$1" | sed -n '/^data:/,$p'
}
launch 3 "$program" plain.nc attributes || fail "attributes without the bridge: $(cat printed errors)"
diff <(values plain.nc) <(values kept.nc) || fail "kept.nc has other values"
WEIR_STREAMS='{means: {of: fed.nc, file: means.nc, every: 1 day, as: mean, fields: [field]}}' \
  refused fed.nc refused 'without its rule for this file netCDF writes it'
diff <(values plain.nc) <(values fed.nc) || fail "fed.nc has other values"
ncdump -h means.nc | grep -q '1 currently' || fail "the stream's file: $(ncdump -h means.nc)"

# Chunks of which one rank would hold more than buffer_limit allows; with more memory Weir writes them.
storage='ChunkSizes|DeflateLevel|Shuffle'
WEIR_BUFFER_LIMIT=1MiB alike deep 3
grep -q 'netCDF from here on: Weir does not support chunks of "deep" of which one rank holds 1 MiB at a time (buffer_limit: [0-9]*MiB has room' errors ||
  fail "deep: told $(cat errors)"
limit=$(sed -n 's/.*(buffer_limit: \([0-9]*MiB\) has room.*/\1/p' errors)
storage='DeflateLevel|Shuffle'
WEIR_BUFFER_LIMIT=$limit alike deep 3
! grep 'netCDF from here on' errors || fail "deep, with a buffer_limit of $limit"

# A filter that HDF5 finds by its plugin path.
for hdf5 in hdf5-openmpi hdf5-mpich hdf5; do
  mkdir -p plugins && pkg-config --exists $hdf5 &&
    ${MPICC:-mpicc} -shared -fPIC -o plugins/libturned.so $(pkg-config --cflags $hdf5) "$WEIR_SOURCE_DIR/tests/bridge/parallel/filter.c" &&
    break
done
if [[ -e plugins/libturned.so ]]; then
  export HDF5_PLUGIN_PATH=$PWD/plugins
  storage='Storage|ChunkSizes|DeflateLevel|Shuffle|Filter'
  alike filter 3
  grep -q 'netCDF from here on: Weir does not support filters other than' errors || fail "filter: told $(cat errors)"
  storage='DeflateLevel|Shuffle|Filter'
  # Some ranks find it, others do not: none uses it, and the file is as where no rank finds it.
  HDF5_PLUGIN_PATH= launch 4 "$program" partly.nc partly || fail "partly without the bridge: $(cat printed errors)"
  mv printed wanted && mv partly.nc wanted.nc
  bridged 4 bash -c '((${OMPI_COMM_WORLD_RANK:-$PMI_RANK} % 2 == 0)) || export HDF5_PLUGIN_PATH=; exec "$@"' - \
    "$program" partly.nc partly || fail "partly: $(cat printed errors)"
  diff wanted printed || fail "partly"
  same wanted.nc partly.nc "partly"
  told='weir_netcdf: partly.nc: rank(s) 1, 3: HDF5 does not find filter 40123, so no rank uses it; set HDF5_PLUGIN_PATH to the same on all ranks'
  [[ $(<errors) == "$told" ]] || fail "partly: told $(cat errors)"
fi

# Szip, also where HDF5 does not have it.
storage='Storage|ChunkSizes|DeflateLevel|Shuffle|Filter|Szip'
alike 'plugin szip 8' 3
grep -q 'netCDF from here on: Weir does not support filters other than' errors || fail "szip: told $(cat errors)"

# Filters that programs use, each by its own plugin, and each with parameters that HDF5's Python package hdf5plugin knows.
"$WEIR_SOURCE_DIR/.venv/bin/python" - >filters 2>no_plugins <<'PYTHON'
import hdf5plugin as plugins

print(plugins.PLUGIN_PATH)
for name, filter in {
    "bzip2": plugins.BZip2(), "blosc": plugins.Blosc(), "blosc2": plugins.Blosc2(), "lz4": plugins.LZ4(),
    "bitshuffle": plugins.Bitshuffle(), "zfp": plugins.Zfp(accuracy=0.01), "sz": plugins.SZ(absolute=0.01),
}.items():
    print(name, filter["compression"], *filter["compression_opts"])
PYTHON
if [[ -s filters ]]; then
  storage='Storage|ChunkSizes|DeflateLevel|Shuffle|Filter'
  { read -r HDF5_PLUGIN_PATH; export HDF5_PLUGIN_PATH
    while read -r name number parameters; do
      alike "plugin $number $parameters" 3 </dev/null
      grep -q 'nc_def_var_filter.*: 0' wanted || fail "$name without the bridge: $(cat wanted)"
      grep -q 'netCDF from here on: Weir does not support filters other than' errors || fail "$name: told $(cat errors)"
    done; } <filters
fi

# Attributes of strings are in Weir's own files.
storage=DeflateLevel
alike attributes 4
grep -q 'handled by netCDF' errors && fail "attributes: told $(cat errors)"

# A file that is left open ends with MPI_Finalize, before the program's HDF5 does.
bridged 3 "$program" left.nc left || fail "left open: $(cat printed errors)"
[[ ! -s errors ]] || fail "left open: the bridge is not quiet: $(head -n 3 errors)"
"$WEIR_BUILD_DIR/bin/weir-verify" left.nc >verdict && ! grep -q behind verdict || fail "left open: $(cat verdict)"
diff <(values plain.nc) <(values left.nc) || fail "left.nc has other values"
diff <(ncdump -v without plain.nc | grep ' without =') <(ncdump -v without left.nc | grep ' without =') ||
  fail "left.nc has not what one rank put"

# What Weir has written it keeps, and says so.
bridged 3 "$program" after.nc after || fail "after: $(cat printed errors)"
diff - printed <<'WANTED' || fail "after"
nc_def_dim(file, "more", NC_UNLIMITED, &more): -54
3 dimensions, 2 variables, 1 attributes, unlimited 0 of 1: 2, in after.nc
nc_close(file): 0
WANTED
grep -q 'a second unlimited dimension here; define it before the first large put' errors || fail "after: told $(cat errors)"

# Ranks that do not agree hear of it.
bridged 3 "$program" differing.nc differing || fail "differing: $(cat printed errors)"
grep -qF 'nc_enddef(file): -250' printed || fail "differing: $(cat printed)"
grep -q 'rank 2: it defines a second unlimited dimension, and other ranks do not' errors || fail "differing: $(cat errors)"
echo "bridge_netcdf4_beyond: all the same"
