# SPDX-License-Identifier: Apache-2.0
# timeout: 240
"""netCDF-4 files of other libraries are read by Weir on several ranks to the bit, and what is wrong with one is told to
all ranks in one sentence. The ranks are in output/stored.py, so that they have one HDF5."""

import json
import resource
import shutil
from pathlib import Path

import numpy as np
import pytest
from output import built
from output.launched import WAYS, expect_well, field, launch, told, told_each

h5py = pytest.importorskip("h5py")
hdf5plugin = pytest.importorskip("hdf5plugin")
netCDF4 = pytest.importorskip("netCDF4")

built.need("Python module", "netCDF-4")

RECORDS, NZ, NY, NX = 7, 3, 20, 33


def of_netcdf(path: Path) -> None:
    """All that netCDF4-python can make of a variable, and what Weir does not take."""
    expected = {}
    with netCDF4.Dataset(path, "w") as file:
        file.set_auto_mask(False)
        for name, length in (("time", None), ("z", NZ), ("y", NY), ("x", NX), ("more", None), ("none", None)):
            file.createDimension(name, length)

        def make(name: str, dtype: str, dims: tuple[str, ...], values: np.ndarray, **how: object) -> None:
            variable = file.createVariable(name, dtype, dims, **how)
            variable[tuple(slice(length) for length in values.shape) or ...] = values
            expected[name] = values

        make("time", "f8", ("time",), np.arange(RECORDS) / 2)  # many records in a chunk
        make("scalar", "i2", (), np.array(-7, "i2"))
        make("contiguous", "f4", ("y", "x"), field("f4", NY, NX), contiguous=True)
        make("big", ">f8", ("y", "x"), field("f8", NY, NX), contiguous=True, endian="big")
        packed = {"zlib": True, "shuffle": True, "fletcher32": True}
        make("big_packed", ">i4", ("time", "y", "x"), field("i4", RECORDS, NY, NX), endian="big", **packed)
        make("columns", "f4", ("time", "z", "y", "x"), field("f4", RECORDS, NZ, NY, NX), chunksizes=(3, 2, 7, 5), **packed)
        make("zstd", "i8", ("time", "y", "x"), field("i8", RECORDS, NY, NX), compression="zstd", chunksizes=(2, NY, NX))
        make("plain", "u2", ("time", "x"), field("u2", RECORDS, NX), chunksizes=(4, 10), fletcher32=True)
        make("small", "u1", ("y", "x"), field("u1", NY, NX), zlib=True, chunksizes=(1, 1))
        make("grows", "i4", ("more", "x"), field("i4", 5, NX))  # `more` has no records: it is as long as it is
        make("two", "i4", ("time", "more"), field("i4", RECORDS, 5), chunksizes=(2, 4), zlib=True)
        short = file.createVariable("short", "f4", ("time", "more", "x"), fill_value=-1, zlib=True)
        short[0:2, 0:3] = field("f4", 2, 3, NX)
        expected["short"] = np.full((RECORDS, 5, NX), -1, "f4")  # netCDF-C 4.9.0 hands these out at wrong places
        expected["short"][0:2, 0:3] = field("f4", 2, 3, NX)
        holes = file.createVariable("holes", "i4", ("time", "y", "x"), fill_value=9, chunksizes=(1, 5, 5), zlib=True)
        holes[2, 3:7, 4:11] = 5
        expected["holes"] = np.full((RECORDS, NY, NX), 9, "i4")
        expected["holes"][2, 3:7, 4:11] = 5
        text = file.createVariable("text", "S1", ("y", "x"))
        text[:] = expected["text"] = np.full((NY, NX), b"w", "S1")
        text.units = "of one string"
        file.createVariable("names", str, ("y",))
        file.createVariable("empty", "f4", ("none", "x"))
        file.createVariable("pairs", file.createCompoundType(np.dtype([("a", "i4"), ("b", "f8")]), "pair"), ("x",))
        file.createGroup("inner").createVariable("v", "f4", ())
        file["columns"].setncattr_string("units", "m s-1")
    np.savez(str(path) + ".npz", **expected)


def of_h5py(path: Path) -> None:
    """Forms that netCDF-C does not make: without scales, compact, filters in other orders."""
    expected = {}
    with h5py.File(path, "w") as file:
        values = field("i4", NY, NX)
        compact = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        compact.set_layout(h5py.h5d.COMPACT)
        space = h5py.h5s.create_simple((NY, NX))
        h5py.h5d.create(file.id, b"compact", h5py.h5t.STD_I32BE, space, compact).write(h5py.h5s.ALL, h5py.h5s.ALL, values)
        summed_first = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        summed_first.set_chunk((6, 11))
        summed_first.set_fletcher32()
        summed_first.set_shuffle()
        summed_first.set_deflate(2)
        other = h5py.h5d.create(file.id, b"summed_first", h5py.h5t.STD_I32LE, space, summed_first)
        other.write(h5py.h5s.ALL, h5py.h5s.ALL, values)
        never = file.create_dataset("never", (NY, NX), "f8", fillvalue=2.5, chunks=(4, 4))
        assert never[0, 0] == 2.5
        expected = {"compact": values, "summed_first": values, "never": never[:]}
    np.savez(str(path) + ".npz", **expected)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of each library, which tests read, or copy."""
    folder = tmp_path_factory.mktemp("made")
    of_netcdf(folder / "netcdf.nc")
    of_h5py(folder / "h5py.nc")
    return folder


@pytest.mark.parametrize("ranks", WAYS)
def test_files_of_other_libraries_are_read_to_the_bit(ranks: int, made: Path, tmp_path: Path) -> None:
    expect_well(ranks, tmp_path, made / "netcdf.nc", made / "h5py.nc")


def damage(path: Path, name: str, chunk: int, at: int) -> None:
    """Turns the bits of one byte of a packed chunk."""
    with h5py.File(path) as file:
        place = file[name].id.get_chunk_info(chunk).byte_offset + at
    with path.open("r+b") as file:
        file.seek(place)
        byte = file.read(1)[0]
        file.seek(place)
        file.write(bytes([byte ^ 0xFF]))


def test_damaged_chunks_are_told_to_all_ranks(made: Path, tmp_path: Path) -> None:
    damages = {"zstd": "decompress", "plain": "checksum", "small": "decompress"}
    paths = {name: tmp_path / f"of_{name}.nc" for name in damages}
    for name, path in paths.items():
        shutil.copy(made / "netcdf.nc", path)
        damage(path, name, chunk=1, at=2)
    for (name, words), sentence in zip(damages.items(), told_each((path, name) for name, path in paths.items()), strict=True):
        assert sentence.startswith("EFORMAT rank "), sentence
        assert paths[name].name in sentence and f'chunk 1 of "{name}"' in sentence and words in sentence, sentence
        assert "others: " in sentence, sentence


def test_filters_that_are_not_known_are_told_and_the_rest_is_read(tmp_path: Path) -> None:
    path = tmp_path / "other.nc"
    with h5py.File(path, "w") as file:
        file.create_dataset("bz", data=field("i4", NY, NX), chunks=(5, 5), **hdf5plugin.BZip2())
        file.create_dataset("well", data=field("i4", NY, NX))
    sentence = told(path, "bz")
    assert "filter 307" in sentence and '"bz"' in sentence and f"others: {NY * NX}" in sentence


def test_what_weir_does_not_take_is_told(made: Path, tmp_path: Path) -> None:
    cut, block = tmp_path / "cut.nc", tmp_path / "block.nc"
    shutil.copy(made / "netcdf.nc", cut)
    with cut.open("r+b") as file:
        file.truncate(cut.stat().st_size // 2)
    with h5py.File(block, "w", userblock_size=512) as file:
        file["v"] = np.zeros(3)
    of_cut, of_block = told_each([(cut, "zstd"), (block, "v")])
    assert "EFORMAT" in of_cut and "truncated" in of_cut, of_cut
    assert "user block" in of_block


def test_strings_beyond_the_limit_take_no_memory(tmp_path: Path) -> None:
    path, length, count = tmp_path / "long.nc", 32 << 20, 24
    with h5py.File(path, "w") as file:
        long = file.create_dataset("long", (count,), h5py.string_dtype())
        for number in range(count):
            long[number] = "x" * length
        file["well"] = field("i4", NY, NX)
    done = launch(1, "--described", path)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["left_out"] == {"long": "its elements are strings, and more of them than 1 MiB of text holds"}
    most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss << 10
    assert most < length * count, most
