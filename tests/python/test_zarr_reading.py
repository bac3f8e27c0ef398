# SPDX-License-Identifier: Apache-2.0
# timeout: 300
"""Zarr folders of zarr-python and xarray are read by Weir on several ranks to the bit, and what is wrong with one is
told to all ranks in one sentence. What Weir writes itself is read in tests/read/zarr_mpi_test.cpp."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from output import built
from output.launched import WAYS, expect_well, field, launch, told, told_each

zarr = pytest.importorskip("zarr", minversion="3.0.8")
xarray = pytest.importorskip("xarray")
codecs = pytest.importorskip("zarr.codecs")

built.need("Python module")

pytestmark = pytest.mark.filterwarnings("ignore")  # zarr's on text and on consolidated metadata

RECORDS, NY, NX = 7, 20, 33
MAP, MAPS = ("y", "x"), ("time", "y", "x")
GZIP, ZSTD, SUM = codecs.GzipCodec(level=3), codecs.ZstdCodec(level=1, checksum=True), codecs.Crc32cCodec()


def blosc(name: str, shuffle: str) -> Any:
    return codecs.BloscCodec(cname=name, shuffle=shuffle)


def shards(*shape: int, at: str = "end") -> dict[str, object]:
    return {"shape": shape, "index_location": at}


def of_zarr(path: Path, consolidated: bool) -> None:
    """All that zarr-python makes of an array and Weir takes."""
    group = zarr.create_group(path)
    expected: dict[str, np.ndarray] = {}

    def make(name: str, values: np.ndarray, dims: tuple[str, ...] | None, **how: Any) -> Any:
        array = group.create_array(name, shape=values.shape, dtype=values.dtype, dimension_names=dims, **how)
        array[...] = values
        expected[name] = values
        return array

    for dtype in ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8"):
        make(dtype, field(dtype, NY, NX), MAP, chunks=(7, 10), compressors=[ZSTD] if dtype != "i2" else None)
    maps = field("i4", RECORDS, NY, NX)
    make("gzip", maps, MAPS, chunks=(1, 7, 10), compressors=[GZIP, SUM])
    make("records", maps, MAPS, chunks=(3, NY, NX))  # several in a chunk
    make("blosc", maps, MAPS, chunks=(2, NY, NX), compressors=[blosc("zstd", "shuffle"), SUM])
    make("blosc_zlib", field("f8", RECORDS, NY, NX), MAPS, chunks=(1, 19, 5), compressors=[blosc("zlib", "shuffle")])
    make("blosc_plain", maps, MAPS, compressors=[blosc("zlib", "noshuffle")])
    make("blosc_noise", np.random.default_rng(1).random((NY, NX)), MAP, compressors=[blosc("zstd", "noshuffle")])
    make("shards", maps, MAPS, chunks=(1, 5, 5), shards=shards(2, 10, 35))
    make("shards_first", field("u2", NY, NX), MAP, chunks=(5, 11), shards=shards(10, NX, at="start"))
    make("shards_plain", maps, MAPS, chunks=(2, 3, 4), shards=shards(4, 6, 16), compressors=None)
    make("large_chunk", field("f4", NY, NX), MAP, chunks=(50, 50), shards=shards(100, 50))
    make("big_endian", field("f4", NY, NX), MAP, chunks=(8, 8), serializer=codecs.BytesCodec(endian="big"))
    make("older_names", maps[0], MAP, chunks=(8, 8), chunk_key_encoding={"name": "v2", "separator": "."})
    make("unnamed", field("f4", NY, NX), None, chunks=(8, 8))
    make("text", np.full((NY, NX), b"w", "S1"), MAP, chunks=(8, 8))
    make("scalar", np.array(-7, "i2"), ())
    make("scalar_summed", np.array(2.5, "f8"), (), compressors=[GZIP, SUM])
    make("time", np.arange(RECORDS) / 2, ("time",), chunks=(4,)).attrs["units"] = "days since 2000-01-01"
    holes = group.create_array(
        "holes", shape=maps.shape, dtype="i4", chunks=(1, 2, 3), shards=shards(1, 10, 9), fill_value=9, dimension_names=MAPS
    )
    holes[2, 3:7, 4:11] = 5
    expected["holes"] = holes[...]
    expected["never"] = group.create_array("never", shape=(NY,), dtype="f4", fill_value=np.nan, dimension_names=("y",))[...]
    if consolidated:
        zarr.consolidate_metadata(path)
    np.savez(str(path) + ".npz", **{name: value for name, value in expected.items() if name != "never"})


def characters(values: np.ndarray) -> np.ndarray:
    """Strings as Weir reads them: one more dimension has their bytes."""
    encoded = np.char.encode(values.astype(str), "utf-8") if values.dtype.kind != "S" else values
    length = max(1, *(len(text) for text in encoded.ravel().tolist()))
    return np.ascontiguousarray(encoded.astype(f"S{length}")).reshape(*values.shape, 1).view("S1")


def of_strings(path: Path) -> None:
    """Every form that zarr-python gives strings."""
    group = zarr.create_group(path)
    expected: dict[str, np.ndarray] = {}

    def make(name: str, values: np.ndarray, dims: tuple[str, ...], dtype: Any = None, **how: Any) -> None:
        array = group.create_array(name, shape=values.shape, dtype=dtype or values.dtype, dimension_names=dims, **how)
        array[...] = values
        expected[name] = characters(values)

    stations = np.array(["a", "", "S\u00fcd", "\u6771\u4eac", "\U0001f30a", "five", "seventh"])
    table = np.array([[f"{row} {'x' * column}" for column in range(NX)] for row in range(NY)])
    make("names", stations, ("station",), str, chunks=(3,))
    make("plain", stations, ("station",), str, chunks=(7,), compressors=None)
    make("wide", stations, ("station",), chunks=(4,))
    make("big_endian", stations, ("station",), chunks=(2,), serializer=codecs.BytesCodec(endian="big"))
    make("bytes", np.array([b"one", b"", b"three"]), ("three",), chunks=(2,))
    make("table", table, MAP, str, chunks=(7, 10), compressors=[blosc("zstd", "noshuffle"), SUM])
    make("shards", table, MAP, chunks=(5, 11), shards=shards(10, NX))
    make("scalar", np.array("one"), (), str)
    make("log", stations, ("time",), str, chunks=(4,))
    make("short", stations[:3], ("time",), str, chunks=(2,))
    expected["short"] = characters(np.append(stations[:3], [""] * (RECORDS - 3)))
    expected["never"] = characters(np.full(5, "none"))
    group.create_array("never", shape=(5,), dtype=str, fill_value="none", dimension_names=("five",))
    zarr.consolidate_metadata(path)
    np.savez(str(path) + ".npz", **expected)


def names_of_xarray(folder: Path) -> None:
    """Strings of a length, and of any."""
    names = np.array(["Helgoland", "List auf Sylt"])
    for number, dtype in enumerate(("U20", object)):
        path = folder / f"names{number}.zarr"
        data = xarray.Dataset({"station_name": ("station", names.astype(dtype), {"cf_role": "timeseries_id"})})
        data.to_zarr(path, zarr_format=3)
        np.savez(str(path) + ".npz", station_name=characters(names))


def of_xarray(path: Path) -> None:
    maps = field("f4", RECORDS, NY, NX)
    data = xarray.Dataset(
        {"temp": (MAPS, maps, {"units": "K"}), "mask": (MAP, field("i1", NY, NX))},
        {"time": ("time", np.arange(RECORDS), {"units": "days since 2000-01-01"}), "x": np.arange(NX) / 4},
        {"title": "by xarray", "version": 3, "levels": [1.5, 2.5], "missing": None, "words": ["a", "b"]},
    )
    encoding = {"temp": {"chunks": (1, 10, 11), "shards": (1, NY, NX), "_FillValue": np.float32(-99)}}
    data.to_zarr(path, zarr_format=3, encoding=encoding)
    expected = {name: data[name].values for name in data.variables}
    np.savez(str(path) + ".npz", **expected)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of each kind, which tests read, or copy."""
    folder = tmp_path_factory.mktemp("made")
    of_zarr(folder / "zarr.zarr", consolidated=False)
    of_zarr(folder / "consolidated.zarr", consolidated=True)
    of_xarray(folder / "xarray.zarr")
    of_strings(folder / "strings.zarr")
    names_of_xarray(folder)
    return folder


@pytest.mark.parametrize("ranks", WAYS)
def test_folders_of_other_libraries_are_read_to_the_bit(ranks: int, made: Path, tmp_path: Path) -> None:
    expect_well(ranks, tmp_path, *(made / f"{name}.zarr" for name in ("zarr", "consolidated", "xarray")))


@pytest.mark.parametrize("ranks", WAYS)
def test_strings_are_read_as_text(ranks: int, made: Path, tmp_path: Path) -> None:
    expect_well(ranks, tmp_path, *(made / f"{name}.zarr" for name in ("strings", "names0", "names1")))


def test_definitions_of_strings_are_those_of_text(made: Path) -> None:
    done = launch(1, "--described", made / "strings.zarr")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["variables"]["names"] == ["S1", ["station", "string7"]]
    assert found["variables"]["short"] == ["S1", ["time", "string4"]]
    assert found["attributes"]["names"] == {"_Encoding": ["text", "utf-8"]}


def test_strings_that_cannot_be_read_are_left_out_with_the_reason(tmp_path: Path) -> None:
    path = tmp_path / "other.zarr"
    group = zarr.create_group(path)
    group.create_array("long", shape=(40,), dtype=str, chunks=(1,), dimension_names=("y",))[...] = np.full(40, "x" * 40_000)
    group.create_array("torn", shape=(4,), dtype=str, compressors=None, dimension_names=("z",))[...] = np.full(4, "text")
    group.create_array("many", shape=(2,), dtype=str, chunks=(2_000_000,), dimension_names=("n",))[...] = np.full(2, "a")
    group.create_array("well", shape=(4,), dtype="i4", dimension_names=("z",))[...] = 1
    turn(6)(path / "torn" / "c" / "0")
    done = launch(1, "--described", path)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert {*found["variables"]} == {"well"}
    for name, words in (("long", "1 MiB"), ("torn", "is damaged"), ("many", "smaller ones")):
        reason = found["left_out"][name]
        assert reason.startswith("its elements are strings") and words in reason, reason


def redefine(path: Path, name: str, **changes: object) -> None:
    """Other words in an array's zarr.json."""
    text = path / name / "zarr.json"
    text.write_text(json.dumps(json.loads(text.read_text()) | changes))


def grid(*chunk: int) -> dict[str, object]:
    return {"name": "regular", "configuration": {"chunk_shape": chunk}}


# Of an array of strings: its shape, its chunk and why it is left out.
HOSTILE: dict[str, tuple[tuple[int, ...], tuple[int, ...], str]] = {
    "wrapped": ((2**62 + 1, 4), (1, 4), "1 MiB"),
    "length": ((2**63 - 1, 2), (1, 2), "1 MiB"),
    "chunk_wrapped": ((1, 4), (2**62 + 1, 4), "files that are too long"),
    "beyond": ((2**10, 2**10), (1, 2**20), "more chunks"),
    "tiny": ((2**20,), (1,), "more chunks"),
    "filled": ((2**10, 2**10), (2**10, 2**10), "1 MiB"),
}


def test_strings_of_hostile_lengths_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "hostile.zarr"
    group = zarr.create_group(path)
    for name, (shape, chunk, _) in HOSTILE.items():
        dims = tuple(f"{name}{number}" for number in range(len(shape)))
        group.create_array(name, shape=(2,) * len(shape), dtype=str, dimension_names=dims)
        redefine(path, name, shape=shape, chunk_grid=grid(*chunk), fill_value="a filled one")
    group.create_array("sparse", shape=(1000, 1000), dtype=str, chunks=(1000, 1000), dimension_names=("a", "b"))
    group.create_array("well", shape=(4,), dtype="i4", dimension_names=("z",))[...] = 1
    done = launch(1, "--described", path)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert {*found["variables"]} == {"well", "sparse"}
    assert {*found["left_out"]} == {*HOSTILE}
    for name, (*_, words) in HOSTILE.items():
        assert words in found["left_out"][name], found["left_out"][name]


def test_strings_beside_more_records_are_filled_up_to_the_limit(tmp_path: Path) -> None:
    path = tmp_path / "records.zarr"
    group = zarr.create_group(path)
    values, filled = np.array(["a", "b"]), {"numbers": np.full(9, 1, "i4")}
    for name, dtype, fill in (("short", str, "a longer one"), ("wide", "U16", "of zeros")):
        array = group.create_array(name, shape=(2,), dtype=dtype, chunks=(2,), fill_value=fill, dimension_names=("time",))
        array[...] = values
        filled[name] = characters(np.append(values, [fill] * 7))
    group.create_array("numbers", shape=(9,), dtype="i4", dimension_names=("time",))[...] = 1
    np.savez(str(path) + ".npz", **filled)
    expect_well(2, tmp_path, path)
    for records in (1_000_000, 2**60):
        redefine(path, "numbers", shape=(records,), chunk_grid=grid(1_000_000))
        done = launch(1, "--described", path)
        assert done.returncode == 0, done.stderr
        found = json.loads(done.stdout)
        assert {*found["variables"]} == {"numbers"}
        assert "1 MiB" in found["left_out"]["short"]


def test_codecs_of_strings_are_those_of_their_type(tmp_path: Path) -> None:
    path = tmp_path / "codecs.zarr"
    group = zarr.create_group(path)
    for name, dtype, codec in (("numbers", "i4", "vlen-utf8"), ("wide", "U4", "vlen-utf8"), ("names", str, "bytes")):
        group.create_array(name, shape=(4,), dtype=dtype, dimension_names=("y",))
        redefine(path, name, codecs=[{"name": codec}])
    assert 'the codec "vlen-utf8" for elements of another type' in told(path, "numbers")
    found = json.loads(launch(1, "--described", path).stdout)
    assert {*found["variables"]} == {"numbers"}
    for name, codec in (("wide", "vlen-utf8"), ("names", "bytes")):
        assert f'the codec "{codec}" for elements of another type' in found["left_out"][name]


def test_strings_in_damaged_files_are_left_out_alone(made: Path, tmp_path: Path) -> None:
    path = tmp_path / "files.zarr"
    shutil.copytree(made / "strings.zarr", path)
    turn(-10)(path / "shards" / "c" / "0" / "0")
    (path / "names" / "c" / "0").unlink()
    (path / "names" / "c" / "0").mkdir()
    lone = zarr.open_group(path).create_array("lone", shape=(2,), dtype="U2", compressors=None, dimension_names=("n",))
    lone[...] = np.array(["ab", "cd"])
    (path / "lone" / "c" / "0").write_bytes(b"\x00\xd8\x00\x00" * 4)
    zarr.consolidate_metadata(path)
    done = launch(1, "--described", path)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert {*found["left_out"]} == {"shards", "names", "lone"} and "plain" in found["variables"]
    for name, words in (("shards", "its index is invalid"), ("names", "Is a directory"), ("lone", "surrogate")):
        assert words in found["left_out"][name], found["left_out"][name]


def test_definitions_of_xarray_are_netcdfs(made: Path) -> None:
    done = launch(1, "--described", made / "xarray.zarr")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["dimensions"] == {"time": [RECORDS, True], "y": [NY, False], "x": [NX, False]}
    assert found["variables"]["temp"] == ["f4", [*MAPS]]
    attributes = found["attributes"]
    assert attributes[""].pop("words") == ["text", ["a", "b"]]
    assert attributes[""] == {"title": ["text", "by xarray"], "version": ["i4", 3], "levels": ["f8", [1.5, 2.5]]}
    assert attributes["temp"] == {"units": ["text", "K"], "_FillValue": ["f4", -99]}


def test_codecs_that_are_not_known_are_told_and_the_rest_is_read(tmp_path: Path) -> None:
    kinds: dict[str, dict[str, Any]] = {
        "blosc, lz4": {"compressors": [blosc("lz4", "shuffle")]},
        "blosc, bitshuffle": {"compressors": [blosc("zstd", "bitshuffle")]},
        "transpose": {"filters": [codecs.TransposeCodec(order=(1, 0))]},
    }
    paths = [tmp_path / f"other{number}.zarr" for number in range(len(kinds))]
    maps = field("i4", NY, NX)
    for path, how in zip(paths, kinds.values(), strict=True):
        group = zarr.create_group(path)
        group.create_array("unknown", shape=maps.shape, dtype="i4", dimension_names=MAP, **how)[...] = maps
        group.create_array("well", shape=maps.shape, dtype="i4", dimension_names=MAP)[...] = maps
    for kind, path, sentence in zip(kinds, paths, told_each((path, "unknown") for path in paths), strict=True):
        assert sentence.startswith('EFORMAT rank 0: weir_get_vara_all of "unknown"') and f'"{kind}"' in sentence, sentence
        assert path.name in sentence and "make a copy without it" in sentence, sentence
        assert sentence.endswith(f"others: {NY * NX}"), sentence


def test_what_netcdf_has_no_place_for_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "other.zarr"
    group = zarr.create_group(path)
    for name, length, dtype in (("well", NY, "i4"), ("truth", NY, "bool"), ("complex", NY, "c16"), ("z_longer", NY + 1, "i4")):
        group.create_array(name, shape=(length,), dtype=dtype, dimension_names=("y",))
    group.create_array("empty", shape=(0,), dtype="i4", dimension_names=("none",))
    group.create_group("inner").create_array("v", shape=(3,), dtype="i4")
    zarr.consolidate_metadata(path)  # arrays in the order of their names
    done = launch(1, "--described", path)
    assert {*json.loads(done.stdout)["variables"]} == {"well", "inner/v"}, done.stdout + done.stderr


def test_folders_of_other_kinds_are_told(tmp_path: Path) -> None:
    zarr.create_group(tmp_path / "older.zarr", zarr_format=2)
    zarr.create_array(tmp_path / "single.zarr", shape=(3,), dtype="i4")
    older, single = told_each((tmp_path / f"{name}.zarr", "v") for name in ("older", "single"))
    assert "of version 2, and Weir reads version 3" in older
    assert "a single Zarr array" in single


def turn(at: int) -> Callable[[Path], None]:
    """The bits of one byte."""

    def damage(file: Path) -> None:
        bytes_of = bytearray(file.read_bytes())
        bytes_of[at] ^= 0xFF
        file.write_bytes(bytes_of)

    return damage


def cut(bytes_left: int) -> Callable[[Path], None]:
    def damage(file: Path) -> None:
        with file.open("r+b") as opened:
            opened.truncate(bytes_left if bytes_left >= 0 else file.stat().st_size + bytes_left)

    return damage


# What is read, the file of it that is damaged and how, and what is told.
DAMAGES: list[tuple[str, str, Callable[[Path], None], str, str]] = [
    ("shards", "shards/c/1/0/0", cut(0), "EIO rank ", "is truncated"),
    ("shards", "shards/c/1/0/0", cut(17), "EIO rank ", "is truncated"),
    ("shards", "shards/c/1/0/0", cut(300), "EIO rank ", "is truncated"),
    ("shards", "shards/c/1/0/0", cut(-1), "EIO rank ", "is truncated"),
    ("shards", "shards/c/1/0/0", turn(-10), "EIO rank ", "its index is invalid"),
    ("shards_first", "shards_first/c/0/0", turn(3), "EIO rank ", "its index is invalid"),
    ("shards", "shards/c/1/0/0", turn(2), "EFORMAT rank ", "does not decompress"),
    ("gzip", "gzip/c/1/0/0", turn(30), "EFORMAT rank ", "checksum (crc32c)"),
    ("blosc_zlib", "blosc_zlib/c/1/0/0", turn(13), "EFORMAT rank ", "does not decompress"),
    ("f8", "f8/c/0/0", turn(9), "EFORMAT rank ", "does not decompress"),
    ("scalar_summed", "scalar_summed/c", turn(-1), "EFORMAT rank ", "checksum (crc32c)"),
    ("i2", "i2/c/0/0", cut(100), "", "100 bytes instead of 140"),
    ("i4", "zarr.json", cut(1000), "EFORMAT ", "is not valid JSON, or is truncated"),
]


@pytest.fixture(scope="module")
def damaged(made: Path, tmp_path_factory: pytest.TempPathFactory) -> list[tuple[Path, str]]:
    """The damaged file and what all ranks are told, for each of DAMAGES: a copy for each, and one job."""
    folder = tmp_path_factory.mktemp("damaged")
    paths = [folder / f"{number}.zarr" for number in range(len(DAMAGES))]
    for path, (_, file, damage, _, _) in zip(paths, DAMAGES, strict=True):
        shutil.copytree(made / "consolidated.zarr", path)
        damage(path / file)
    sentences = told_each((path, name) for path, (name, *_) in zip(paths, DAMAGES, strict=True))
    return [(path / file, told) for path, (_, file, *_), told in zip(paths, DAMAGES, sentences, strict=True)]


@pytest.mark.parametrize("number", range(len(DAMAGES)), ids=lambda number: f"{number}-{DAMAGES[number][1]}")
def test_damage_is_told_to_all_ranks(damaged: list[tuple[Path, str]], number: int) -> None:
    _, _, _, begin, words = DAMAGES[number]
    file, sentence = damaged[number]
    assert sentence.startswith(begin) and words in sentence, sentence
    # What a folder is cannot be known without its text; of damaged values the other arrays are read.
    assert str(file) in sentence and ("others: " in sentence or file.name == "zarr.json"), sentence


def test_a_chunk_that_is_not_there_is_fill_value(made: Path, tmp_path: Path) -> None:
    path = tmp_path / "sound.zarr"
    shutil.copytree(made / "consolidated.zarr", path)
    expected = dict(np.load(str(made / "consolidated.zarr.npz")))
    (path / "records" / "c" / "0" / "0" / "0").unlink()
    expected["records"][0:3] = 0
    np.savez(str(path) + ".npz", **expected)
    expect_well(3, tmp_path, path)
