# SPDX-License-Identifier: Apache-2.0
# timeout: 120
"""`weir profile`: a short run, several hosts played by one, and what it says where it cannot measure."""

import os
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from weir import cache
from weir.cli import main

BUILD = Path(os.environ["WEIR_BUILD_DIR"])


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def invoke(capfd: pytest.CaptureFixture, *arguments: object) -> tuple[Result, str]:
    """The result, and what the ranks said."""
    result = CliRunner().invoke(main, ["profile", *map(str, arguments)])
    return result, capfd.readouterr().err


def rate(text: str) -> float:
    units = {"KB/s": 1e3, "MB/s": 1e6, "GB/s": 1e9, "TB/s": 1e12}
    return float(text[:-4]) * units[text[-4:]]


def test_measures_what_the_schema_wants(
    tmp_path: Path, capfd: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LD_PRELOAD", str(BUILD / "tests" / "no_exchange.so"))  # a Zarr folder never replaces another
    folder = tmp_path / "storage"
    folder.mkdir()
    striped = ["--servers", 2, "--stripe-size", "64KiB"]
    result, said = invoke(
        capfd, "-n", 4, "--ranks-per-host", 2, "--seconds", 2, "--dir", folder, "--name", "toy", *striped
    )
    assert result.exit_code == 0, result.output + said
    path = cache.profile_path("toy")
    assert str(path) in result.output
    found = cache.read_map(path)
    assert (found["weir_machine"], found["name"]) == (1, "toy")
    assert "2 hosts with 4 ranks" in found["about"]
    assert [point["at"] for point in found["storage"]["rate"]] == [1, 2, 4]
    assert [point["at"] for point in found["copy"]["bandwidth"]] == [1, 2]
    assert [point["at"] for point in found["network"]["between"]["bandwidth"]] == [1, 2]
    assert all(0.001 <= point["value"] <= 1 for point in found["storage"]["together"])
    assert found["storage"]["stripes"]["servers"] == 2
    assert 0 <= found["compute"]["spread"]["value"] <= 1
    curves = [found["copy"]["bandwidth"], found["storage"]["rate"]]
    curves += [found["network"][where]["bandwidth"] for where in ("within", "between")]
    for point in (point for curve in curves for point in curve):
        assert point["source"] == "measured"
        least, most = point.get("low", point["value"]), point.get("high", point["value"])
        assert 1e4 < rate(least) <= rate(point["value"]) <= rate(most) < 1e14
    packing = found["packing"]
    assert all(1e7 < rate(point["value"]) < 1e11 for form in ("zlib", "zstd") for point in packing[form]["rate"])
    assert all(1 < point["value"] < 10 for form in ("zlib", "zstd") for point in packing[form]["ratio"])
    assert set(packing["zarr"]) >= {"create", "commit", "file"}
    assert "netcdf4" not in packing or "chunk" in packing["netcdf4"]
    assert not list(folder.iterdir()), "files were left behind"
    assert os.listdir(cache.cache_folder()) == ["profiles"]


def test_says_what_keeps_it_from_measuring(tmp_path: Path, capfd: pytest.CaptureFixture) -> None:
    for arguments, words in [
        (["-n", 1], "one rank cannot"),
        (["-n", 2, "--dir", tmp_path / "nowhere"], "does not exist; make it first"),
        (["-n", 2, "--dir", "/proc"], "make room"),
        (["-n", 2, "--stripe-size", "wide"], "wide is not a size"),
    ]:
        result, said = invoke(capfd, "--seconds", 2, *arguments)
        assert result.exit_code != 0
        assert words in said
        assert "mpirun" not in said
    assert not cache.latest_profile()


def test_refuses_what_leaves_no_profile(capfd: pytest.CaptureFixture) -> None:
    result, _ = invoke(capfd, "--launcher", "true")
    assert result.exit_code == 1
    assert "ended without a profile" in result.output
    result, _ = invoke(capfd, "--seconds", 1)
    assert result.exit_code == 2
