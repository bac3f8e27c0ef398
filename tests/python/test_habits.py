# SPDX-License-Identifier: Apache-2.0
"""weir.Dataset beside netCDF4-python: a program over the one reads the same over the other, and each public name and keyword of
netCDF4-python is here, or is refused by a sentence and listed in docs/python.md."""

import inspect
import json
import os
import re
import sys
from pathlib import Path

import netCDF4
import pytest
from output import built, launched

built.need("Python module", "netCDF-4")
import weir  # noqa: E402
from weir.output import elsewhere  # noqa: E402

SOURCE = Path(os.environ["WEIR_SOURCE_DIR"])
TABLE = (SOURCE / "docs" / "python.md").read_text()


def told_by(library: str, folder: Path, ranks: int) -> dict[str, object]:
    folder.mkdir()
    program = Path(__file__).parent / "output" / "habits.py"
    done = launched.launch(ranks, library, folder, program=program, WEIR_TIMEOUT="50s")
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize("ranks", [1, 3])
def test_a_program_reads_the_same_from_both(tmp_path: Path, ranks: int) -> None:
    ours, theirs = told_by("weir", tmp_path / "ours", ranks), told_by("netCDF4", tmp_path / "theirs", 1)
    assert ours.keys() == theirs.keys()
    for name in theirs:
        assert ours[name] == theirs[name], f"{name}: weir {ours[name]}, netCDF4 {theirs[name]}"


def public(names: object) -> list[str]:
    return [name for name in dir(names) if not name.startswith("_") or name == "__orthogonal_indexing__"]


PAIRS = [
    (netCDF4.Dataset, weir.Dataset, elsewhere.OF_DATASETS),
    (netCDF4.Group, weir.Group, elsewhere.OF_DATASETS),
    (netCDF4.Variable, weir.Variable, elsewhere.OF_VARIABLES),
    (netCDF4.Dimension, weir.Dimension, {}),
]
# Attributes that an object has and its class has not; a group's, that are its dataset's.
OF_OBJECTS = {"dimensions", "dtype", "name", "scale", "mask", "always_mask", "chartostring", "keepweakref"}


@pytest.mark.parametrize("theirs, ours, left_out", PAIRS)
def test_each_name_is_here_or_left_out_by_a_sentence(theirs: type, ours: type, left_out: dict[str, str]) -> None:
    here = set(dir(ours)) | (set(dir(weir.Dataset)) if ours is weir.Group else set()) | OF_OBJECTS
    missing = set(public(theirs)) - here - set(left_out)
    assert not missing, f"{theirs.__name__} of netCDF4 has {missing}: have them in weir, or say in output/elsewhere.py what to do"
    assert not set(left_out) & set(dir(ours)), "what is here is not left out"


def keywords_of(call: object) -> set[str]:
    """By the signature, or by the stub where the compiled class tells none."""
    try:
        return set(inspect.signature(call).parameters) - {"self"}
    except ValueError:
        pytest.skip("this netCDF4 does not tell its signatures")


@pytest.mark.parametrize("name", ["createVariable", "createDimension", "createGroup", "filepath", "getncattr", "setncatts"])
def test_each_keyword_is_here(name: str) -> None:
    missing = keywords_of(getattr(netCDF4.Dataset, name)) - keywords_of(getattr(weir.Dataset, name))
    assert not missing, f"{name}: netCDF4 takes {missing}"


def test_each_keyword_of_a_dataset_is_here() -> None:
    stub = Path(netCDF4.__file__).with_suffix(".pyi")
    if not stub.exists():
        pytest.skip("this netCDF4 does not tell its signatures")
    begin = re.search(r"class Dataset:\n    def __init__\((.*?)\):", stub.read_text(), re.DOTALL)
    assert begin, "the stub is another one"
    theirs = set(re.findall(r"^ +(\w+):", begin[1], re.MULTILINE))
    assert {"filename", "parallel", "info"} <= theirs
    assert not theirs - keywords_of(weir.Dataset.__init__), "weir.Dataset does not take them"


def of_the_module() -> set[str]:
    own = {name for name in public(netCDF4) if str(getattr(getattr(netCDF4, name), "__module__", "")).startswith("netCDF4")}
    return own | set(netCDF4.__all__) | {"default_fillvals", "is_native_big", "is_native_little"}


def test_each_name_of_the_module_is_here_or_left_out() -> None:
    for name in of_the_module():
        assert hasattr(weir, name), f"netCDF4.{name}: have it in weir, or say in output/elsewhere.py what to do"


def test_what_is_left_out_says_so(tmp_path: Path) -> None:
    for name, sentence in elsewhere.OF_THE_MODULE.items():
        with pytest.raises(weir.Error, match=re.escape(sentence)):
            getattr(weir, name)("some", "argument")
    with weir.Dataset(tmp_path / "some.nc", "w") as ds:
        ds.createDimension("x", 3)
        variable = ds.createVariable("v", "i4", "x")
        for item, left_out in ((ds, elsewhere.OF_DATASETS), (variable, elsewhere.OF_VARIABLES)):
            for name, sentence in left_out.items():
                with pytest.raises(weir.Error, match=re.escape(sentence)):
                    getattr(item, name)("some", "argument")
        with pytest.raises(weir.Error, match="does not delete"):
            del variable.units
        variable[:] = [1, 2, 3]
    for name, sentence in elsewhere.KEYWORDS_OF_DATASET.items():
        with pytest.raises(weir.Error, match=re.escape(sentence)):
            weir.Dataset(tmp_path / "none.nc", "w", **{name: True})
        assert f"`{name}`" in TABLE, f"docs/python.md does not list {name}"


def test_the_table_lists_what_is_left_out() -> None:
    for name in {*elsewhere.OF_DATASETS, *elsewhere.OF_VARIABLES, *elsewhere.OF_THE_MODULE}:
        assert f"`{name}`" in TABLE, f"docs/python.md does not list {name}"
