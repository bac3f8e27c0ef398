#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# timeout: 240
# weir-bench: every mode writes the right file on the grid workloads, Weir's files are one another's copies, the JSON has
# what is promised, and nothing stays behind.
set -eu
bench=$WEIR_BUILD_DIR/bin/weir-bench
launch=$WEIR_SOURCE_DIR/tools/launch
one_file=serial,collective,rows,columns,remap,remap:writers=1,remap:sink=pnetcdf
peers=peer:serial,peer:serial:lib=pnetcdf,peer:pnetcdf,peer:pnetcdf-nb:romio_cb_write=disable,peer:raw
mkdir "$TMPDIR/files"

# run RANKS ARGUMENT...: the output in $TMPDIR/out; fails where the exit code is not 0.
run() {
  local ranks=$1
  shift
  "$launch" -n "$ranks" --timeout 100 -- "$bench" --dir "$TMPDIR/files" --warm-up 0 "$@" >"$TMPDIR/out" 2>&1 || {
    echo "exit code $? of $ranks ranks with $*:"
    cat "$TMPDIR/out"
    exit 1
  }
}

run 4 --workload weak --scale 0.02 --modes "$one_file,file_per_rank,file_per_domain,$peers,peer:netcdf4" --repeat 2 \
  --json "$TMPDIR/weak.json"
[[ -z $(ls "$TMPDIR/files") ]] || { echo "left behind: $(ls "$TMPDIR/files")"; exit 1; }
python3 - "$TMPDIR/weak.json" <<'END'
import json, sys
result = json.load(open(sys.argv[1]))
assert set(result) == {"machine", "command", "runs"}, result.keys()
assert result["machine"]["cpus"] >= 1 and "weir-bench" in result["command"]
assert len(result["runs"]) == 15, len(result["runs"])
for run in result["runs"]:
    assert run["verified"] is True, run
    assert run["ranks"] == 4 and run["workload"] == "weak"
    assert run["bytes"] == result["runs"][0]["bytes"] > 0
    assert len(run["seconds"]) == len(run["visible_seconds"]) == 2
    assert all(0 < visible <= whole for visible, whole in zip(run["visible_seconds"], run["seconds"])), run
    assert ("report" in run) == (not run["mode"].startswith("peer:"))
    assert run["mode"].startswith("peer:") or run["peak_bytes_per_rank"] > 0
END
grep -q 'remap: of .* reshuffle .* write' "$TMPDIR/out" || { echo 'no shares of remap'; cat "$TMPDIR/out"; exit 1; }

# (x, z, y) in memory, ranks that hold nothing, records, a count of ranks that divides no extent; compute is not output.
run 7 --workload cam-fvb --scale 0.05 --records 2 --modes "$one_file,$peers" --repeat 1 --keep \
  --compute 0.1 --compute-kind sleep --imbalance 0.5 --json "$TMPDIR/cam.json"
for number in 1 2 3 4 5 6; do
  cmp "$TMPDIR/files/weir-bench-0.nc" "$TMPDIR/files/weir-bench-$number.nc"
done
python3 - "$TMPDIR/cam.json" <<'END'
import json, sys
for run in json.load(open(sys.argv[1]))["runs"]:
    assert run["verified"] is True, run
    assert run["seconds"][0] > 0.2, run
END
rm "$TMPDIR"/files/*

# A restart is read right in all ways, and by owners once; on one host each rank may read for itself.
run 3 --workload restart --scale 0.02 --cold --repeat 1 --json "$TMPDIR/restart.json" \
  --modes remap:page_cache=past,collective:page_cache=past,dynamic:page_cache=past,remap,alone,peer:pnetcdf,peer:pnetcdf-nb:romio_cb_read=enable,peer:pnetcdf:each=1,remap:format=netcdf4,peer:netcdf4 \
  --card 10MB --storage-cards 20MB
[[ -z $(ls "$TMPDIR/files") ]] || { echo "left behind: $(ls "$TMPDIR/files")"; exit 1; }
python3 - "$TMPDIR/restart.json" <<'END'
import json, sys
told = json.load(open(sys.argv[1]))
runs = told["runs"]
# One host wants each byte of the file once, and its card takes all of it.
assert told["cards"]["hosts"] == 1 and told["cards"]["hosts_bytes"] == runs[0]["bytes"], told["cards"]
assert abs(told["cards"]["seconds"] - runs[0]["bytes"] / 10e6) < 1e-6, told["cards"]
assert len(runs) == 10 and all(run["verified"] for run in runs), runs
for run in runs[:3]:
    assert run["report"]["reading"]["bytes_read"] == run["bytes"], run
    assert run["report"]["reading"]["opens"] == 1, run
assert runs[7]["bytes_asked"] > runs[7]["bytes"], runs[7]
END

run 7 --workload cam-t85 --scale 0.002 --modes "remap,$peers" --repeat 1
run 1 --workload weak --scale 0.001 --records 3 --modes "serial,remap,$peers,peer:netcdf4" --repeat 1

# netCDF-4, compressed by all in their ways: the right file each time, and about as small.
packed=compression=zlib,compression_level=2
run 4 --workload weak --scale 0.1 --data model --repeat 1 --json "$TMPDIR/packed.json" --modes \
  "remap:format=netcdf4,$packed,dynamic:format=netcdf4,compression=zstd,peer:netcdf4:$packed,chunks=part,\
peer:netcdf4:compression=zstd,chunks=weir,peer:serial-netcdf4:$packed,limit:$packed,remap"
python3 - "$TMPDIR/packed.json" <<'END'
import json, sys
*packed, limit, classic = json.load(open(sys.argv[1]))["runs"]
assert len(packed) == 5 and all(run["verified"] is True for run in packed), packed
assert all(1.5 < run["compression_ratio"] < 2.5 for run in [*packed, limit]), packed
assert 0.9 < classic["compression_ratio"] < 1.01, classic
END

# A Zarr folder is counted with all that is in it, taken away, and not read back, which is said.
run 2 --workload weak --scale 0.1 --data model --repeat 2 --json "$TMPDIR/folder.json" --modes remap:format=zarr,compression=zlib
python3 - "$TMPDIR/folder.json" <<'END'
import json, sys
(folder,) = json.load(open(sys.argv[1]))["runs"]
assert folder["verified"] is None and 1.5 < folder["compression_ratio"] < 2.5, folder
assert folder["complaint"].startswith("not read back"), folder
END
grep -q 'not told$' "$TMPDIR/out" && grep -q 'not read back' "$TMPDIR/out" || { echo 'nothing said of Zarr'; cat "$TMPDIR/out"; exit 1; }
[[ -z $(ls "$TMPDIR/files") ]] || { echo "left behind: $(ls "$TMPDIR/files")"; exit 1; }

# CMAQ: variables that rank 0 alone puts beside decomposed ones; the model reads before it computes.
run 6 --workload cmaq-ca --scale 0.01 --modes rows,dynamic,peer:pnetcdf,peer:netcdf4 --repeat 1 --json "$TMPDIR/cmaq.json"
python3 - "$TMPDIR/cmaq.json" <<'END'
import json, sys
for run in json.load(open(sys.argv[1]))["runs"]:
    assert run["verified"] is True and run["records"] == 3, run
    assert run["bytes"] == 3 * 4 * (9 * 13 * 35 * 146 + 2 * 146), run["bytes"]
    assert 0 < run["read_seconds"][0] < run["seconds"][0], run
END
run 4 --workload cmaq-2km --scale 0.02 --modes columns,peer:serial --repeat 1
[[ -z $(ls "$TMPDIR/files") ]] || { echo "left behind: $(ls "$TMPDIR/files")"; exit 1; }

run 4 --workload cam-fvc --scale 0.01 --modes remap,peer:raw,rows --plan
python3 - "$TMPDIR/out" <<'END'
import json, sys
plans = json.load(open(sys.argv[1]))
assert [plan["mode"] for plan in plans] == ["remap", "remap", "rows", "rows"], plans
assert all(plan["plan"] for plan in plans)
END
[[ -z $(ls "$TMPDIR/files") ]] || { echo "left behind by --plan: $(ls "$TMPDIR/files")"; exit 1; }

# A mode whose share of the time is up is not repeated further, but is counted once; one whose time is not up has all repeats.
run 2 --workload weak --scale 0.001 --modes remap,peer:raw --repeat 1000000 --seconds 0.3 --json "$TMPDIR/limited.json"
run 2 --workload weak --scale 0.001 --modes remap,peer:raw --repeat 3 --seconds 0.000001 --json "$TMPDIR/short.json"
run 2 --workload weak --scale 0.001 --modes remap,peer:raw --repeat 3 --seconds 1000000 --json "$TMPDIR/long.json"
python3 - "$TMPDIR/limited.json" "$TMPDIR/short.json" "$TMPDIR/long.json" <<'END'
import json, sys
limited, short, long = ([len(run["seconds"]) for run in json.load(open(path))["runs"]] for path in sys.argv[1:])
assert all(repeats < 1000000 for repeats in limited) and short == [1, 1] and long == [3, 3], (limited, short, long)
END
