# SPDX-License-Identifier: Apache-2.0
"""`weir doctor`: what a machine has for Weir, and what to set, by the MPI program weir-doctor."""

import os
import subprocess

import click

from weir.launch import QUIET, program_path
from weir.measure import launch_command
from weir.verb import WRONG, verb

SECONDS = 120  # that ranks may take to start and to look


@verb(
    example="weir doctor /scratch/run\nweir doctor --launcher 'srun -n 128' /scratch/run",
    codes=WRONG
    | {0: "nothing is in Weir's way", 1: "what is marked ! is in Weir's way", 124: "the ranks did not come to an end"},
)
@click.option(
    "-n", "--ranks", default=2, show_default=True, type=click.IntRange(min=1), help="MPI ranks: as many as a model has."
)
@click.option("--launcher", help="Words to start the ranks with, instead of tools/launch: 'srun -n 128'.")
@click.argument("folder", default=".")
def doctor(ranks: int, launcher: str | None, folder: str, as_json: bool) -> None:
    """Says what this machine has for Weir, and what to set: MPI, hosts, cores, configuration, bridges, and FOLDER, to
    which files go.

    Start it as the model is started, in the same environment. What it prints belongs to a question about Weir.
    """
    try:
        command = [*launch_command(ranks, launcher, SECONDS), str(program_path("weir-doctor"))]
    except FileNotFoundError as error:
        raise click.ClickException(str(error)) from error
    options = ["--json"] if as_json else []
    code = subprocess.run([*command, *options, folder], env={**os.environ, **QUIET}, check=False).returncode
    raise SystemExit(code)
