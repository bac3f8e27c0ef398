# SPDX-License-Identifier: Apache-2.0
"""The command `weir`."""

import sys

import click

from weir import __doc__ as package_summary
from weir.launch import launch


def run(ranks: int, program: str, arguments: list[str], timeout_seconds: float) -> None:
    try:
        sys.exit(launch(ranks, program, arguments, timeout_seconds))
    except FileNotFoundError as error:
        raise click.ClickException(str(error)) from error


@click.group(help=package_summary, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="weir")
def main() -> None:
    pass


@main.command(context_settings={"ignore_unknown_options": True})
@click.option("-n", "--ranks", default=1, show_default=True, type=click.IntRange(min=1), help="MPI ranks to merge with.")
@click.option("--timeout", "timeout_seconds", default=0.0, type=click.FloatRange(min=0), help="Time limit in seconds.")
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def merge(ranks: int, timeout_seconds: float, arguments: tuple[str, ...]) -> None:
    """Joins the files of file_per_rank or file_per_domain into one. ARGUMENTS are those of weir-merge."""
    run(ranks, "weir-merge", list(arguments), timeout_seconds)


if __name__ == "__main__":
    main()
