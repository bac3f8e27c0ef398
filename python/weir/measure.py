# SPDX-License-Identifier: Apache-2.0
"""`weir profile`: measures this machine by the MPI program weir-profile, and keeps what it found."""

import os
import shlex
import subprocess
import sys
from pathlib import Path

import click

from weir import cache
from weir.launch import QUIET, launcher_path, program_path
from weir.verb import USUAL_CODES, echo_json, verb

# Every point of every curve is measured three times at the least, so a slow machine takes longer than asked for.
PATIENCE = 5
START_SECONDS = 60


def launch_command(ranks: int, launcher: str | None, timeout_seconds: float) -> list[str]:
    """What stands before the program."""
    if launcher:
        return shlex.split(launcher)
    return [str(launcher_path()), "-n", str(ranks), "--timeout", str(timeout_seconds), "--"]


def keep(measured: Path, output: Path | None) -> Path:
    """Moves what was measured to its place, by its machine's name."""
    path = output or cache.profile_path(cache.read_map(measured)["name"])
    path.parent.mkdir(parents=True, exist_ok=True)
    measured.replace(path)
    return path


def measure(command: list[str], output: Path | None) -> Path:
    """Runs `command`, which leaves a profile where its --output says, and returns where it is kept."""
    folder = output.absolute().parent if output else cache.cache_folder()
    folder.mkdir(parents=True, exist_ok=True)
    measured = folder / f".profile.{os.getpid()}.yaml"
    watched = {"WEIR_BENCH_TERMINAL": "1"} if sys.stderr.isatty() else {}  # the ranks, behind a pipe, show their progress
    try:
        code = subprocess.run(
            [*command, "--output", str(measured)], env={**os.environ, **QUIET, **watched}, check=False
        ).returncode
        if code == 0 and measured.is_file():
            return keep(measured, output)
    finally:
        measured.unlink(missing_ok=True)
    if code == 0:
        raise click.ClickException("the ranks ended without a profile: the launcher has to start all of one MPI job")
    sys.exit(code)


@verb(
    example="weir profile -n 16 --dir /scratch\nweir profile --launcher 'srun -n 128' --dir /scratch --seconds 300",
    codes=USUAL_CODES | {124: "the ranks took far longer than asked for, and were ended"},
)
@click.option(
    "-n", "--ranks", default=4, show_default=True, type=click.IntRange(min=1), help="MPI ranks: as many as a model has."
)
@click.option("--dir", "directory", default=".", show_default=True, help="Folder whose storage is measured.")
@click.option("--seconds", default=90.0, show_default=True, type=click.FloatRange(2, 3600), help="To take, nearly.")
@click.option("--name", default="", help="Of the machine. Default: the cluster's, else the host's.")
@click.option("--launcher", help="Words to start the ranks with, instead of tools/launch: 'srun -n 128'.")
@click.option(
    "--ranks-per-host", default=0, type=click.IntRange(min=0), help="Take so many ranks of a host for a host."
)
@click.option("--servers", default=0, type=click.IntRange(min=0), help="Servers of a striped storage.")
@click.option("--stripe-count", default=0, type=click.IntRange(min=0), help="Of them, those a file lies on.")
@click.option("--stripe-size", default="", help="Bytes that one server has in a row: 4MiB.")
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path), help="Default: the user's cache.")
def profile(
    ranks: int, launcher: str | None, output: Path | None, seconds: float, as_json: bool, **options: object
) -> None:
    """Measures this machine, for `weir simulate` and `weir tune`: network, storage, copying, computing.

    Start as many ranks, on as many hosts, as the model will have: what is not measured is not known. The two verbs then
    take this profile where no other machine is named.
    """
    try:
        program = program_path("weir-profile")
        arguments = ["--seconds", str(seconds)]
        for name, value in options.items():
            if value:
                arguments += ["--dir" if name == "directory" else "--" + name.replace("_", "-"), str(value)]
        command = launch_command(ranks, launcher, PATIENCE * seconds + START_SECONDS)
        path = measure([*command, str(program), *arguments], output)
    except (OSError, ValueError) as error:
        raise click.ClickException(str(error)) from error
    if as_json:
        echo_json({"profile": str(path), "measured": cache.read_map(path)})
    else:
        click.echo(f"profile: {path}")
