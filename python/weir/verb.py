# SPDX-License-Identifier: Apache-2.0
"""The one shape of Weir's verbs: each has an example and its exit codes in --help, and answers in JSON where --json is given."""

import json
from collections.abc import Callable
from typing import Any

import click

DONE = {0: "done"}
FAILED = {1: "it could not be done: one sentence on standard error says why"}
WRONG = {2: "the command line was wrong"}
USUAL_CODES = DONE | FAILED | WRONG


class Verb(click.Command):
    """A command with an example and its exit codes."""

    def __init__(self, *arguments: Any, example: str = "", codes: dict[int, str] | None = None, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.example = example
        self.codes = codes or USUAL_CODES

    def format_epilog(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Example"):
            for line in self.example.splitlines():
                formatter.write(f"{'':{formatter.current_indent}}{line}\n")
        with formatter.section("Exit codes"):
            formatter.write_dl([(str(code), words) for code, words in sorted(self.codes.items())])


def json_option(command: Callable) -> Callable:
    """The flag that all verbs have."""
    return click.option("--json", "as_json", is_flag=True, help="Print the answer as JSON, and nothing else there.")(
        command
    )


def echo_json(answer: object) -> None:
    click.echo(json.dumps(answer, indent=2))


def verb(example: str, codes: dict[int, str] | None = None, **options: Any) -> Callable:
    """Makes a function a verb of the command `weir`."""

    def make(function: Callable) -> Verb:
        return click.command(cls=Verb, example=example, codes=codes, **options)(json_option(function))

    return make
