# SPDX-License-Identifier: Apache-2.0
# timeout: 240
"""Records are appended to Zarr folders of zarr-python, xarray and Weir, whatever files they give an array; zarr-python
and xarray read what was put and what was there. What cannot be appended to is told to all ranks in one sentence, and the
folder stays as it was."""

import functools
import json
import os
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from output import built, launched
from output.launched import LAUNCH, WAYS, field

zarr = pytest.importorskip("zarr", minversion="3.0.8")
xarray = pytest.importorskip("xarray")
codecs = pytest.importorskip("zarr.codecs")

BUILD = Path(os.environ["WEIR_BUILD_DIR"])
built.need("Python module")

pytestmark = pytest.mark.filterwarnings("ignore")  # zarr's on text and on consolidated metadata

PROGRAM = Path(__file__).parent / "output" / "appended.py"
BEFORE, AFTER, NZ, NY, NX = 4, 9, 3, 20, 33
MAPS, MAP = ("time", "y", "x"), ("y", "x")


launch = functools.partial(launched.launch, program=PROGRAM)


def append(ranks: int, path: Path, first: int, wanted: dict[str, np.ndarray], **more: bool) -> None:
    np.savez(str(path) + ".npz", first=first, **more, **wanted)
    config = path.parent / "weir.yaml"
    config.write_text(WAYS[ranks] + "timeout: 50\n")
    done = launch(ranks, path, WEIR_CONFIG=str(config))
    assert (done.returncode, done.stdout) == (0, "well\n" * ranks), done.stdout + done.stderr


def expect(path: Path, wanted: dict[str, np.ndarray]) -> None:
    for consolidated in (True, False):
        group = zarr.open_group(path, mode="r", use_consolidated=consolidated)
        for name, values in wanted.items():
            assert np.array_equal(np.asarray(group[name][...]), values), f"{name}, consolidated {consolidated}"
    assert not [item for item in path.rglob("*") if item.name.startswith(".")]
    seen = subprocess.run([BUILD / "bin" / "weir-verify", path], check=False, capture_output=True, text=True)
    assert seen.returncode == 0, seen.stdout


def of_zarr(path: Path) -> dict[str, np.ndarray]:
    """BEFORE records in files of every kind; and what the arrays are to have with AFTER records."""
    wanted = {}
    group = zarr.create_group(path, attributes={"title": "by zarr", "odd": {"kept": [1, "two"]}})

    def make(name: str, values: np.ndarray, dims: tuple[str, ...], **how: Any) -> None:
        there = values[:BEFORE] if dims[:1] == ("time",) else values
        attributes = {"long_name": name, "nested": {"a": None}}
        array = group.create_array(
            name, shape=there.shape, dtype=values.dtype, dimension_names=dims, attributes=attributes, **how
        )
        array[...] = there
        wanted[name] = values

    maps = field("f4", AFTER, NY, NX)
    make("time", np.arange(AFTER) / 2, ("time",), chunks=(512,))
    make("one", maps, MAPS, chunks=(1, 7, 16))
    make("gzip", field("i8", AFTER, NZ, NY, NX), ("time", "z", "y", "x"), chunks=(1, 1, NY, NX), compressors=[codecs.GzipCodec(level=3)])
    make("several", maps, MAPS, chunks=(3, 7, 16))
    make("shards", maps, MAPS, chunks=(1, 5, 11), shards=(1, 10, 33))
    make("shards_of_several", field("i4", AFTER, NY, NX), MAPS, chunks=(1, 5, 5), shards=(2, 10, 35))
    blosc = [codecs.BloscCodec(cname="zstd", shuffle="shuffle"), codecs.Crc32cCodec()]
    make("blosc", maps, MAPS, chunks=(1, NY, NX), compressors=blosc)
    make("blosc_several", maps, MAPS, chunks=(2, NY, NX), compressors=[codecs.BloscCodec(cname="zlib", shuffle="noshuffle")])
    make("big", field("i2", AFTER, NY, NX), MAPS, chunks=(1, NY, NX), serializer=codecs.BytesCodec(endian="big"))
    make("longer", maps, MAPS, chunks=(1, 50, 50))
    make("older", field("u2", AFTER, NX), ("time", "x"), chunks=(1, 10), chunk_key_encoding={"name": "v2", "separator": "."})
    make("plain", field("u1", AFTER, NX), ("time", "x"), chunks=(1, 10), compressors=None)
    make("text", np.full((AFTER, NX), b"w", "S1"), ("time", "x"), chunks=(1, NX))
    make("mask", field("i1", NY, NX), MAP, chunks=(7, 10))
    make("scalar", np.array(1.5), ())
    group.create_group("inner").create_array("v", shape=(3,), dtype="i4")
    zarr.consolidate_metadata(path)
    return wanted


@pytest.mark.parametrize("ranks", WAYS)
def test_records_come_behind_those_of_zarr_python(ranks: int, tmp_path: Path) -> None:
    path = tmp_path / "of_zarr.zarr"
    wanted = of_zarr(path)
    before = json.loads((path / "zarr.json").read_text())
    append(ranks, path, BEFORE - 1, wanted)  # the last one once more
    expect(path, wanted)
    after = json.loads((path / "zarr.json").read_text())
    for name, text in before["consolidated_metadata"]["metadata"].items():
        if text.get("dimension_names", [])[:1] == ["time"]:
            text["shape"][0] = AFTER
        if not name.startswith("inner"):
            assert json.loads((path / name / "zarr.json").read_text()) == text
    assert after == before  # nothing else has changed


def test_a_folder_of_zarr_python_goes_back_to_fewer_records(tmp_path: Path) -> None:
    for first, records in ((1, 3), (3, 4), (2, AFTER), (0, 2)):
        path = tmp_path / f"back_{first}.zarr"
        wanted = of_zarr(path)
        grows = [name for name in wanted if (zarr.open_array(path / name, mode="r").metadata.dimension_names or ())[:1] == ("time",)]
        wanted = {name: values[:records] if name in grows else values for name, values in wanted.items()}
        append(3, path, first, wanted, goes_back=True)
        expect(path, wanted)


def test_records_come_behind_those_of_xarray(tmp_path: Path) -> None:
    path = tmp_path / "of_xarray.zarr"
    maps = field("f4", AFTER, NY, NX)
    data = xarray.Dataset(
        {"temp": (MAPS, maps, {"units": "K"}), "mask": (MAP, field("i1", NY, NX))},
        {"time": ("time", np.arange(AFTER), {"units": "days since 2000-01-01"}), "x": np.arange(NX) / 4},
    )
    data.isel(time=slice(BEFORE)).to_zarr(path, zarr_format=3, encoding={"temp": {"_FillValue": np.float32(-999)}})
    wanted = {name: data[name].values for name in data.variables}
    append(3, path, BEFORE, wanted)
    expect(path, wanted)
    with xarray.open_zarr(path, decode_times=False) as found:
        assert found.equals(data)


def test_a_folder_of_weir_grows_in_several_runs(tmp_path: Path) -> None:
    path = tmp_path / "own.zarr"
    program = BUILD / "tests" / "test_c_netcdf4"
    config = "strategy: remap\ntimeout: 50\nformat: zarr\n"
    done = subprocess.run([LAUNCH, "-n", "3", "--timeout", "60", "--", program, path, config, "zlib"])
    assert done.returncode == 0
    wanted = {name: np.asarray(zarr.open_group(path, mode="r")[name][...]) for name in ("time", "temp", "steps")}
    for ranks, records in ((2, len(wanted["time"])), (3, len(wanted["time"]) + 1)):
        more = {"time": [9.5 + ranks], "temp": wanted["temp"][:1] + 17 * ranks}
        for name, values in more.items():
            wanted[name] = np.concatenate([wanted[name], np.asarray(values, wanted[name].dtype)])
        append(ranks, path, records, wanted)
        expect(path, wanted)


def contents(path: Path) -> dict[str, bytes]:
    return {str(file.relative_to(path)): file.read_bytes() for file in path.rglob("*") if file.is_file()}


def refusals(*asked: tuple[Path, str]) -> list[str]:
    """What all ranks are told alike of each; the folders are as they were."""
    before = [contents(path) for path, _ in asked]
    sentences = launched.told_each(asked, program=PROGRAM)
    assert [contents(path) for path, _ in asked] == before
    return sentences


def make_maps(path: Path, name: str, consolidated: bool = True, **how: Any) -> Any:
    group = zarr.create_group(path)
    values = field("i4", BEFORE, NY, NX)
    group.create_array("well", shape=values.shape, dtype="i4", dimension_names=MAPS, chunks=(1, NY, NX))[...] = values
    array = group.create_array(name, **{"shape": values.shape, "dtype": "i4", "dimension_names": MAPS} | how)
    array[...] = np.zeros(array.shape, array.dtype)
    if consolidated:
        zarr.consolidate_metadata(path)
    return array


def test_arrays_that_cannot_be_written_are_told(tmp_path: Path) -> None:
    kinds: list[tuple[dict[str, Any], str]] = [
        ({"compressors": [codecs.BloscCodec(cname="lz4")]}, '"blosc, lz4"'),
        ({"chunks": (1, 5, 11), "shards": {"shape": (1, 20, 33), "index_location": "start"}}, "weir convert"),
    ]
    paths = [tmp_path / f"other{number}.zarr" for number in range(len(kinds))]
    for path, (how, _) in zip(paths, kinds, strict=True):
        make_maps(path, "odd", **how)
    for path, (_, words), sentence in zip(paths, kinds, refusals(*((path, "odd") for path in paths)), strict=True):
        assert sentence.startswith("EFORMAT ") and words in sentence and '"odd"' in sentence, sentence
        assert path.name in sentence, sentence


def test_folders_that_cannot_grow_are_told(tmp_path: Path) -> None:
    alone, truth, longer = (tmp_path / f"{name}.zarr" for name in ("alone", "truth", "longer"))
    make_maps(alone, "v", consolidated=False)
    make_maps(truth, "truth", dtype="bool")
    make_maps(longer, "v").resize((BEFORE + 1, NY, NX))  # and not consolidated anew
    of_alone, of_truth, of_longer = refusals((alone, "v"), (truth, "well"), (longer, "well"))
    assert "zarr.consolidate_metadata" in of_alone
    assert of_truth.startswith("EFORMAT ") and '"truth"' in of_truth and "make a copy without it" in of_truth, of_truth
    assert "differs from the group's" in of_longer and "v/zarr.json" in of_longer, of_longer


def test_what_a_run_has_left_goes_and_what_it_has_not_committed_is_taken_back(tmp_path: Path) -> None:
    path = tmp_path / "left.zarr"
    make_maps(path, "v")
    wanted = {name: np.asarray(zarr.open_group(path, mode="r")[name][...]) for name in ("v", "well")}
    group = json.loads((path / "zarr.json").read_text())
    group["consolidated_metadata"]["metadata"]["v"]["shape"][0] = BEFORE + 1
    (path / ".zarr.json.weir").write_text(json.dumps(group))
    (path / "v" / "zarr.json").write_text(json.dumps(group["consolidated_metadata"]["metadata"]["v"]))
    for name in (f"well/c/{BEFORE}/0/0", "well/c/1/0/.0.weir", "v/.zarr.json.weir"):
        (path / name).parent.mkdir(exist_ok=True, parents=True)
        (path / name).write_text("left")
    wanted = {name: np.concatenate([values, values[:2] + 5]) for name, values in wanted.items()}
    append(3, path, BEFORE, wanted)
    expect(path, wanted)
