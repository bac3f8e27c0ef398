# SPDX-License-Identifier: Apache-2.0
# timeout: 240
"""The commands print what they promise, and take the words that pages write after them."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
RESEARCH = ROOT / "research"
SMALL = ["--ranks", "2", "--repeat", "1"]


def run(name: str, *arguments: str) -> subprocess.CompletedProcess:
    return subprocess.run([RESEARCH / name, *arguments], capture_output=True, text=True, cwd=ROOT, check=False)


def overlap(folder: Path, scale: str, *arguments: str) -> subprocess.CompletedProcess:
    return run("overlap", *SMALL, "--scale", scale, "--warm-up", "0", "--dir", str(folder), *arguments)


def test_overlap_compares_with_what_a_run_must_take(tmp_path: Path) -> None:
    done = overlap(tmp_path, "0.001", "--records", "2", "--compute", "0.1", "--bandwidths", "100KB,100MB", "--judge", "none")
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"^\| `peer:pnetcdf` \| [0-9.]* \|", done.stdout, re.MULTILINE)
    assert done.stdout.count("it must take") == 2


def test_overlap_tells_what_is_too_slow(tmp_path: Path) -> None:
    # Of a file this small the header takes longest, which no bound counts.
    done = overlap(tmp_path, "0.0001", "--records", "1", "--compute", "0.01", "--bandwidths", "10KB", "--judge", "remap")
    assert done.returncode == 1 and "too slow" in done.stdout, done.stdout + done.stderr


def test_table_4_has_five_experiments(tmp_path: Path) -> None:
    sizes = ["--scale", "0.01", "--outputs", "2", "--steps", "2", "--compute", "0.05"]
    told = run("table4", *SMALL, *sizes, "--dir", str(tmp_path)).stdout
    assert len(re.findall(r"^\| [1-5] \|", told, re.MULTILINE)) == 5, told
    for experiment in (1, 2, 3, 5):
        row = rf"^\| {experiment} \| .* \| [0-9.]+ \| [0-9.]+ \| [0-9.]+ \| [0-9.]+ \|$"
        assert re.search(row, told, re.MULTILINE), told


def test_cost_of_a_put_is_measured_on_the_same_files() -> None:
    done = run("put-cost", "2", "1")
    assert done.returncode == 0, done.stderr
    assert [line.split()[:3] for line in done.stdout.splitlines()[1:]] == [["by", "a", "box"], ["by", "a", "layout"]]


def test_a_field_of_dask_is_never_whole_in_memory() -> None:
    done = run("dask-memory", "1")
    assert done.returncode == 0, done.stderr
    lines = re.findall(r"^(\w+) \w+ rank 0: (\d+) MB before, at most (\d+) MB$", done.stdout, re.MULTILINE)
    assert [array for array, _, _ in lines] == ["dask", "dask", "numpy", "numpy"], done.stdout
    for _, before, most in lines[:2]:
        assert int(most) - int(before) < 128, done.stdout


def shown(command: str) -> set[str]:
    """What follows the pattern COMMAND in the commands of this folder's pages and of those of results."""
    pages = [*RESEARCH.glob("*.md"), *(ROOT / "docs" / "results").glob("*.md")]
    return {found for page in pages for found in re.findall(rf"^    (?:.* )?{command}", page.read_text(), re.MULTILINE)}


def shown_commands() -> list[str]:
    """Without what a shell does with what they print."""
    lines = shown(r"(research/[^#>&|\n]*)")
    names = re.compile(r"\b(?:STUDY|PIO-FOLDER|FOLDER)\b")
    words = {"STUDY": "peers", "FOLDER": "build", "PIO-FOLDER": "build"}
    return sorted({names.sub(lambda found: words[found[0]], line).rstrip(" \\") for line in lines})


@pytest.mark.parametrize("line", shown_commands())
def test_a_command_of_a_page_takes_its_words(line: str) -> None:
    command = RESEARCH / line.split()[0].removeprefix("research/")
    assert os.access(command, os.X_OK)
    if "python" not in command.read_text().splitlines()[0]:
        return
    parse = [sys.executable, ROOT / "tests" / "cli" / "only_parse.py"]
    done = subprocess.run(parse, input=f"{ROOT / line}\n", capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("words", sorted(shown(r"build/bin/weir-micro --benchmark_filter=(\S+)")))
def test_a_page_names_a_micro_benchmark(words: str) -> None:
    program = Path(os.environ.get("WEIR_BUILD_DIR", ROOT / "build")) / "bin" / "weir-micro"
    if not program.exists():
        pytest.skip("weir-micro is not built: it wants Google Benchmark (libbenchmark-dev)")
    listing = [program, "--benchmark_list_tests", f"--benchmark_filter={words.strip(chr(39))}"]
    assert subprocess.run(listing, capture_output=True, text=True, check=True).stdout


def test_growth_has_a_power_for_each_cost(tmp_path: Path) -> None:
    done = run("growth", "--repeats", "1", "--most", "1000", "--folder", str(tmp_path))
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("| later put |") == 4 and done.stdout.count("seconds, by ranks") == 1
    assert re.search(r"^\| rows \| [0-9.]+ \| [0-9.]+ \| (constant|-?[0-9.]+) \|$", done.stdout, re.MULTILINE)


def test_control_says_what_dynamic_gains(tmp_path: Path) -> None:
    small = ["--workloads", "jacobi", "--ranks", "2", "--imbalances", "0.1", "--compute", "0.01", "--repeat", "1"]
    done = run("control", *small, "--folders", str(tmp_path))
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"^\| jacobi \| 0\.1 \| [0-9.]+ \|( -?[0-9.]+ \(.*\) \|){6}$", done.stdout, re.MULTILINE)
    assert re.search(r"^\| 2 ranks \| 1 \| [+-]", done.stdout, re.MULTILINE)
