# SPDX-License-Identifier: Apache-2.0
# What commands share that run a program in several ways in turn: where it runs and where its files go, and what a run costs. Sourced
# from the top of the tree; in_turn.py makes the table.
#
# FOLDER (/dev/shm) of the environment says where files go. With LAB=NAME the ranks run on the hosts of a lab that is up, PER_HOST (all)
# on each, and files are on its storage: `here` goes before a command that looks at them.
build=$PWD/${WEIR_BUILD_DIR:-build} command=$(basename "$0")
folder=$(mktemp -d "${FOLDER:-/dev/shm}/$command-XXXXXX")
start=("$build/../tools/launch") here=() files=$folder
if [[ ${LAB:-} ]]; then
  start=("$build/../lab/lab" run --name "$LAB" ${PER_HOST:+--per-host "$PER_HOST"}) here=("$build/../lab/lab" shell --name "$LAB" host1 --)
  files=$("${here[@]}" printenv LAB_STORAGE)
fi
python=("${here[@]}" env "PYTHONPATH=$PWD/research" "$PWD/.venv/bin/python" -)
trap '"${here[@]}" sh -c "rm -f $files/*-[0-9]*.nc*"; rm -rf "$folder"' EXIT
export HDF5_USE_FILE_LOCKING=FALSE WEIR_DURABILITY=cache

# forget WAY: its files of earlier rounds. A host of the lab may still have an old one in its cache.
forget() {
  "${here[@]}" sh -c "rm -f $files/$1-*.nc*"
}
# timed WAY FILE RANKS PROGRAM...: runs it in $folder, and adds a line to times.WAY: the seconds that it prints, the processor seconds of
# all ranks, the bytes of FILE and of what begins with its name, the KiB of the largest rank.
timed() {
  local way=$1 file=${2:-/nothing}
  rm -f "$folder"/cost.*
  (cd "$folder" && "${start[@]}" -n "$3" --timeout 900 -- bash -c '
    exec /usr/bin/time -f "%U %S %M" -o cost.${OMPI_COMM_WORLD_RANK:-$PMI_RANK} "$@"' one "${@:4}" >printed 2>&1) ||
    { echo "$command: $way: $(tail -n 3 "$folder/printed")" >&2; exit 1; }
  echo "$(sed -n 's/^ *seconds *//p' "$folder/printed")" \
    "$(cat "$folder"/cost.* | awk '{ cpu += $1 + $2; if ($3 > most) most = $3 } END { print cpu, most }')" \
    "$("${here[@]}" sh -c "stat -c %s $file* 2>/dev/null" | awk '{ bytes += $1 } END { print bytes + 0 }')" >>"$folder/times.$way"
}
# The first round, which nobody counts, is over.
begin_to_count() {
  rm -f "$folder"/times.*
}
