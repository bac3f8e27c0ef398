# SPDX-License-Identifier: Apache-2.0
"""`weir streams`: what a configuration's streams will write, and the configuration of a table of XIOS or FMS."""

from pathlib import Path

import click

from weir.file_commands import given, not_there
from weir.launch import run_alone
from weir.verb import USUAL_CODES, echo_json, verb

CODES = USUAL_CODES | {1: "it could not be done, or --strict and something is left out: standard error says what"}


@verb(
    example="weir streams weir.yaml --fields fields.yaml --days 365 --ranks 128\n"
    "weir streams --from iodef.xml\nweir streams --from --strict diag_table",
    codes=CODES,
)
@click.option("--fields", help="A YAML file of the fields that the model sends, and of its time.")
@click.option("--days", help="Length of the run.")
@click.option("--until", help="Date of the run's end, in place of --days.")
@click.option("--step", help='Time between samples of a field. Default: "1 hour".')
@click.option("--units", help="Of the model's time, in place of those of FIELDS.")
@click.option("--calendar", help="Of the model's time, in place of that of FIELDS.")
@click.option("--start", help="Date of the run's begin, in place of that of FIELDS.")
@click.option("--ranks", help="Ranks that share the fields. Default: 1.")
@click.option(
    "--from",
    "is_table",
    is_flag=True,
    help="FILE is a table of XIOS or FMS: print the configuration that does the same.",
)
@click.option("--strict", is_flag=True, help="With --from: fail where something of the table has no counterpart.")
@click.argument("file")
def streams(file: str, is_table: bool, strict: bool, as_json: bool, **run: str | None) -> None:
    """Checks the streams of the configuration FILE, and tells which files a run with them makes and how large they are.

    With --from FILE is XIOS's iodef.xml, FMS's diag_table or its diag_table.yaml: the configuration that does the same goes
    to standard output, with a comment for each thing of the table that it has not, and why.
    """
    asked = {f"--{name}": value for name, value in run.items()}
    if is_table:
        wrong = next((name for name, value in asked.items() if value is not None), None)
        if wrong:
            raise click.UsageError(f"{wrong} is for a configuration, and --from for a table: give one of them")
        return print_translation(Path(file), strict, as_json)
    if strict:
        raise click.UsageError("--strict is for a table: give --from too, or leave it out")
    try:
        code = run_alone("weir-streams", [file, *given(asked, {"--json": as_json})]).returncode
    except FileNotFoundError as error:
        raise not_there(error, 1) from error
    raise SystemExit(code)


def print_translation(table: Path, strict: bool, as_json: bool) -> None:
    from weir.streams.translate import translate

    try:
        made = translate(table)
    except OSError as error:
        raise click.ClickException(f"{table} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise click.ClickException(str(error)) from error
    text = made.yaml()
    left_out = made.all_left_out()
    variables = sum(len(stream.outputs) for stream in made.streams)
    click.echo(f"{table}: streams: {len(made.streams)}, variables: {variables}, left out: {len(left_out)}", err=True)
    if strict and left_out:
        raise click.ClickException("these have no counterpart:\n" + "\n".join(f"  {each}" for each in left_out))
    if as_json:
        echo_json({"yaml": text, "streams": len(made.streams), "variables": variables, "left_out": left_out})
    else:
        click.echo(text, nl=False)
