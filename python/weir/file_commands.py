# SPDX-License-Identifier: Apache-2.0
"""`weir merge`, `weir convert` and `weir verify`: what is done with files, by the programs weir-merge and so on."""

import sys
from collections.abc import Callable
from pathlib import Path

import click

from weir.launch import launch, run_alone
from weir.verb import USUAL_CODES, echo_json, verb

MADE_CODES = USUAL_CODES | {0: "the file is made", 124: "the time limit ended it"}
VERDICTS = {0: "whole", 1: "damaged", 2: "cannot be judged"}


def not_there(error: FileNotFoundError, code: int) -> click.ClickException:
    complaint = click.ClickException(str(error))
    complaint.exit_code = code
    return complaint


def program_options(doing: str) -> Callable[[Callable], Callable]:
    """The options of a verb that makes OUT by a program of its own, on one rank or several."""

    def add(function: Callable) -> Callable:
        ranks = click.IntRange(min=1)
        seconds = click.FloatRange(min=0)
        for option in (
            click.option("--overwrite", is_flag=True, help="Replace OUT where it is there already."),
            click.option("--config", help="Weir's configuration: a YAML file, or its text."),
            click.option("--timeout", "timeout_seconds", default=0.0, type=seconds, help="Time limit in seconds."),
            click.option("-n", "--ranks", default=1, show_default=True, type=ranks, help=f"MPI ranks to {doing} with."),
        ):
            function = option(function)
        return function

    return add


def make_by(program: str, ranks: int, timeout_seconds: float, arguments: list[str], out: str, as_json: bool) -> None:
    """Runs the program, tells of OUT where that is asked for, and ends with the program's exit code."""
    try:
        if ranks == 1 and timeout_seconds == 0:  # as on a login node, where there may be no launcher
            code = run_alone(program, arguments).returncode
        else:
            code = launch(ranks, program, arguments, timeout_seconds)
    except FileNotFoundError as error:
        raise not_there(error, 1) from error
    if as_json and code == 0:
        echo_json({"file": out, "bytes": bytes_of(Path(out))})
    raise SystemExit(code)


def bytes_of(path: Path) -> int:
    """Of a file, or of all files of a folder."""
    files = [path] if path.is_file() else path.rglob("*")
    return sum(file.stat().st_size for file in files if file.is_file())


def given(values: dict[str, str | int | None], flags: dict[str, bool]) -> list[str]:
    """The options as the program reads them: those with a value, then the flags that are set."""
    valued = [f"{name}={value}" for name, value in values.items() if value is not None]
    return valued + [name for name, is_set in flags.items() if is_set]


@verb(
    example="weir merge -n 4 history.nc\nweir merge --remove history.nc history.nc.0000 history.nc.0001",
    codes=MADE_CODES,
)
@program_options("merge")
@click.option("--records", help="Merge so many records, the first ones. Default: all.")
@click.option("--remove", is_flag=True, help="Remove the parts once the file is made.")
@click.argument("out")
@click.argument("parts", nargs=-1)
def merge(
    ranks: int, timeout_seconds: float, config: str | None, overwrite: bool, records: str | None, remove: bool,
    out: str, parts: tuple[str, ...], as_json: bool,
) -> None:  # fmt: skip
    """Joins the part files of file_per_rank or file_per_domain into the file OUT.

    PARTS are the part files; without any those named OUT.0000, OUT.0001, ...
    """
    options = given({"--config": config, "--records": records}, {"--overwrite": overwrite, "--remove": remove})
    make_by("weir-merge", ranks, timeout_seconds, [*options, out, *parts], out, as_json)


@verb(
    example="weir convert -n 4 --zstd 1 --shuffle history.nc packed.nc\nweir convert --chunks time=1,y=100,x=200 history.nc history.zarr",
    codes=MADE_CODES,
)
@program_options("convert")
@click.option(
    "--format", "format_name", type=click.Choice(["cdf1", "cdf2", "cdf5", "netcdf4", "zarr"]),
    help="Format of OUT. Default: zarr where OUT ends in .zarr, else netcdf4.",
)  # fmt: skip
@click.option("--chunks", help="Lengths of chunks by dimension: time=1,y=100,x=200.")
@click.option("--deflate", type=click.IntRange(0, 9), help="Compress as zlib does, at this level.")
@click.option("--zstd", type=click.IntRange(0, 22), help="Compress by zstd, at this level.")
@click.option("--shuffle", is_flag=True, help="Sort bytes by their significance before they are compressed.")
@click.argument("source", metavar="IN")
@click.argument("out")
def convert(
    ranks: int, timeout_seconds: float, config: str | None, overwrite: bool, format_name: str | None, chunks: str | None,
    deflate: int | None, zstd: int | None, shuffle: bool, source: str, out: str, as_json: bool,
) -> None:  # fmt: skip
    """Makes OUT of the file IN, in another format or with other chunks and compression, with the same values."""
    values = {"--config": config, "--format": format_name, "--chunks": chunks, "--deflate": deflate, "--zstd": zstd}
    flags = {"--shuffle": shuffle, "--overwrite": overwrite, "--progress": sys.stderr.isatty()}
    make_by("weir-convert", ranks, timeout_seconds, [*given(values, flags), "--", source, out], out, as_json)


@verb(
    example="weir verify history.nc restart.nc\nweir verify --clean history.nc\nweir verify --mark history.nc",
    codes={
        0: "all files are whole, and agree with their markers",
        1: "one is damaged, or does not agree with its marker",
        2: "one cannot be judged, cleaned or marked, or the command line is wrong",
    },
)
@click.option("--clean", is_flag=True, help="Take away what ended runs have left; not while a run writes the files.")
@click.option("--mark", is_flag=True, help="Make the marker FILE.done of each file that is whole, in place of an older one.")
@click.argument("files", nargs=-1, required=True)
def verify(clean: bool, mark: bool, files: tuple[str, ...], as_json: bool) -> None:
    """Tells whether files are whole and agree with their markers, and what ended runs have left in them and beside them."""
    options = given({}, {"--clean": clean, "--mark": mark})
    try:
        if not as_json:
            raise SystemExit(run_alone("weir-verify", [*options, *files]).returncode)
        answers = [(file, run_alone("weir-verify", [*options, file], capture=True)) for file in files]
    except FileNotFoundError as error:
        raise not_there(error, 2) from error
    verdicts = [
        {"file": file, "verdict": VERDICTS.get(answer.returncode, "cannot be judged"), "words": words_of(answer)}
        for file, answer in answers
    ]
    echo_json(verdicts)
    codes = {answer.returncode for _, answer in answers}
    raise SystemExit(1 if 1 in codes else max(codes))


def words_of(answer: object) -> list[str]:
    return [line.strip() for line in (answer.stdout + answer.stderr).splitlines() if line.strip()]
