#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Serial programs and Python, which know netCDF, do under preload of the bridge what they do without. cdo, which Weir does
# not install, is tried where it is there.
set -u
cd "$TMPDIR"
bridge=$WEIR_BUILD_DIR/lib/libweir_netcdf.so
python=/usr/bin/python3

fail() {
  echo "bridge_netcdf_tools: $1" >&2
  exit 1
}

# both NAME COMMAND...: in a folder each, with and without the bridge; what it prints and leaves is the same.
both() {
  local name=$1
  shift
  mkdir -p "without/$name" "with/$name"
  (cd "without/$name" && "$@" >printed 2>&1) || fail "$name without the bridge: $(cat "without/$name/printed")"
  (cd "with/$name" && LD_PRELOAD=$bridge "$@" >printed 2>&1) || fail "$name: $(cat "with/$name/printed")"
  diff -r "without/$name" "with/$name" || fail "$name differs"
}

cat >source.cdl <<'END'
netcdf source {
dimensions: time = UNLIMITED ; lat = 3 ; lon = 4 ;
variables:
  double time(time) ; time:units = "days since 2000-01-01" ; time:calendar = "standard" ;
  float lat(lat) ; lat:units = "degrees_north" ; lat:standard_name = "latitude" ;
  float lon(lon) ; lon:units = "degrees_east" ; lon:standard_name = "longitude" ;
  float t(time, lat, lon) ; t:units = "K" ; t:_FillValue = -1.f ;
data:
  time = 0, 1 ; lat = -10, 0, 10 ; lon = 0, 90, 180, 270 ;
  t = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, _, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24 ;
}
END
for kind in classic 64-bit-offset 64-bit-data netCDF-4; do
  both "ncgen_$kind" ncgen -k "$kind" -o out.nc "$TMPDIR/source.cdl"
  both "ncdump_$kind" ncdump "$TMPDIR/without/ncgen_$kind/out.nc"
  both "nccopy_$kind" nccopy -k classic "$TMPDIR/without/ncgen_$kind/out.nc" out.nc
done
source=$TMPDIR/without/ncgen_classic/out.nc
both ncks ncks -h -d lon,1,2 -v t "$source" out.nc
both ncap2 ncap2 -h -s 'u=t*2' "$source" out.nc
both ncra ncra -h "$source" out.nc
both ncatted ncatted -h -o out.nc -a 'units,t,o,c,degC' "$source"
if command -v cdo >/dev/null; then
  both cdo cdo -s --no_history timmean "$source" out.nc
  both cdo_nc4 cdo -s --no_history -f nc4 addc,1 "$source" out.nc
fi

. "$WEIR_SOURCE_DIR/tests/cli/mpi4py.bash"
mpi4py_fits "$python" || exit 0
# Every rank creates the same file with netCDF4-python, which is one file by configuration.
cat >ranks.py <<'END'
import sys

import netCDF4
import numpy
from mpi4py import MPI

rank, ranks = MPI.COMM_WORLD.rank, MPI.COMM_WORLD.size
file = netCDF4.Dataset(sys.argv[1], "w", format="NETCDF3_64BIT_OFFSET")
file.title = "from Python"
file.createDimension("time", None)
file.createDimension("x", 20)
temperature = file.createVariable("temperature", "f4", ("time", "x"), fill_value=-1.0)
x = file.createVariable("x", "f8", ("x",))
begin, end = 20 * rank // ranks, 20 * (rank + 1) // ranks
x[:] = numpy.arange(20.0)
for time in range(3):
    temperature[time, begin:end] = numpy.arange(begin, end) + 100 * time
file.sync()
assert (temperature[1, :] == numpy.arange(20) + 100).all()
file.close()
END
"$WEIR_SOURCE_DIR/tools/launch" -n 1 --timeout 60 -- "$python" ranks.py one.nc || fail "netCDF4-python without the bridge"
for ranks in 1 3; do
  "$WEIR_SOURCE_DIR/tools/launch" -n "$ranks" --timeout 60 -- env LD_PRELOAD="$bridge" WEIR_REPORT="$PWD/report.json" \
    WEIR_FILES='{"ranks.nc": {collective: yes}}' "$python" ranks.py ranks.nc || fail "netCDF4-python on $ranks ranks"
  cmp one.nc ranks.nc || fail "netCDF4-python on $ranks ranks"
  grep -q '"taken_over": 4' report.json || fail "netCDF4-python: $(cat report.json)"
done
echo "bridge_netcdf_tools: no difference"
