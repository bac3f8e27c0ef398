#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# timeout: 240
# weir-bench --workload map: a map of three ranks, with holes, is replayed on 1 to 4 ranks; variables find their
# decompositions; what nobody computes is filled.
set -eu
bench=$WEIR_BUILD_DIR/bin/weir-bench
launch=$WEIR_SOURCE_DIR/tools/launch
modes=serial,collective,remap,remap:sink=pnetcdf,file_per_rank,peer:serial,peer:pnetcdf,peer:pnetcdf-nb,peer:raw
cd "$TMPDIR"
mkdir files

# 12 columns, 3 levels. D1: all of the columns. D2: the columns but 0 and 7, in scattered runs. D3: both, two runs of
# which nobody computes: elements 3 and 4, and 30 to 35.
cat >map.cdl <<'END'
netcdf map {
dimensions:
  num_decomp = 3 ; decomp_nprocs = 3 ;
  D1.total_nreqs = 3 ; D2.total_nreqs = 5 ; D3.total_nreqs = 8 ;
variables:
  int D1.nreqs(decomp_nprocs) ; int D1.fill_starts(decomp_nprocs) ;
  int D1.offsets(D1.total_nreqs) ; int D1.lengths(D1.total_nreqs) ;
  int D2.nreqs(decomp_nprocs) ; int D2.fill_starts(decomp_nprocs) ;
  int D2.offsets(D2.total_nreqs) ; int D2.lengths(D2.total_nreqs) ;
  int D3.nreqs(decomp_nprocs) ; int D3.fill_starts(decomp_nprocs) ;
  int D3.offsets(D3.total_nreqs) ; int D3.lengths(D3.total_nreqs) ;
  :D1.ndims = 1 ; :D1.dims = 12 ; :D2.ndims = 1 ; :D2.dims = 12 ; :D3.ndims = 2 ; :D3.dims = 3, 12 ;
data:
  D1.nreqs = 1, 1, 1 ; D1.fill_starts = 1, 1, 1 ; D1.offsets = 8, 0, 4 ; D1.lengths = 4, 4, 4 ;
  D2.nreqs = 2, 2, 1 ; D2.fill_starts = 2, 2, 1 ; D2.offsets = 1, 5, 3, 8, 10 ; D2.lengths = 2, 2, 2, 2, 2 ;
  D3.nreqs = 3, 3, 2 ; D3.fill_starts = 2, 3, 1 ;
  D3.offsets = 0, 20, 3, 5, 10, 18, 22, 30 ; D3.lengths = 3, 2, 2, 5, 8, 2, 8, 6 ;
}
END
ncgen -5 -o map.nc map.cdl

# The header's columns are ten times the map's.
cat >header.cdl <<'END'
netcdf history {
// file format: CDF-5
dimensions:
	time = UNLIMITED ; // (1 currently)
	lev = 3 ;
	ncol = 125 ;
	chars = 8 ;
variables:
	double lat(ncol) ;
		lat:units = "degrees_north // \"north\"" ;
	double lev(lev) ;
	double P0 ;
	double time(time) ;
	char date_written(time, chars) ;
	int ndbase ;
	float PS(time, ncol) ;
		PS:_FillValue = 1.e+20f ;
		PS:range = 1.5f, 2.5f ;
		PS:mdims = 1 ;
	float T(time, lev, ncol) ;
		T:_FillValue = 1.e+20f ;
	int mask(lev, ncol) ;
		mask:history = "one\n",
			"two" ;
	short level_index(time, lev, ncol) ;

// global attributes:
		:ne = 120 ;
		:radius = 6371229. ;
}
END

# run RANKS ARGUMENT...
run() {
  local ranks=$1
  shift
  "$launch" -n "$ranks" --timeout 100 -- "$bench" --workload map --map map.nc --header header.cdl --dir files \
    --modes "$modes" --repeat 1 --warm-up 0 "$@" >out 2>&1 || {
    echo "exit code $? of $ranks ranks with $*:"
    cat out
    exit 1
  }
}

for ranks in 1 2 3 4; do run $ranks --records 2; done
run 3 --scale 0.5

run 4 --keep
for number in 1 2 3; do cmp files/weir-bench-0.nc "files/weir-bench-$number.nc"; done
ncdump -h files/weir-bench-0.nc >header.out
for line in 'ncol = 12 ;' 'float T(time, lev, ncol) ;' 'PS:range = 1.5f, 2.5f ;' ':radius = 6371229. ;' 'PS:mdims = 1 ;'; do
  grep -qF "$line" header.out || { echo "the file's header has no '$line'"; cat header.out; exit 1; }
done
for file in 0 6 7; do
  # Elements that the file shows as filled: PS by D2 (not D1), T by D3, and lat, by D1, none.
  for filled in lat:0 PS:2 T:8 mask:8; do
    seen=$(ncdump -v "${filled%:*}" "files/weir-bench-$file.nc" | sed -n '/^data:/,$p' | { grep -o '\b_\b' || true; } | wc -l)
    [[ $seen == "${filled#*:}" ]] || { echo "$filled: $seen elements are filled in file $file"; exit 1; }
  done
done

# Input that is wrong is told apart, by one line and exit code 2.
refuses() {
  local code=0
  "$launch" -n 2 --timeout 60 -- "$bench" --workload map --dir files --modes peer:raw "${@:2}" >out 2>&1 || code=$?
  [[ $code == 2 ]] || { echo "exit code $code, not 2, for ${*:2}"; cat out; exit 1; }
  [[ $(grep -c 'weir-bench:' out) == 1 ]] && grep -qF -- "$1" out || { echo "not one line with '$1':"; cat out; exit 1; }
}
refuses '--map FILE' --header header.cdl
refuses 'header.out' --map header.out --header header.cdl
sed 's/ncol = 125/ncol 125/' header.cdl >broken.cdl
refuses 'broken.cdl line 6' --map map.nc --header broken.cdl
sed 's/D1.offsets = 8/D1.offsets = 9/' map.cdl >outside.cdl
ncgen -5 -o outside.nc outside.cdl
refuses 'outside its 12 elements' --map outside.nc --header header.cdl
