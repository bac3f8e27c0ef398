# SPDX-License-Identifier: Apache-2.0
"""Manual pages of the command `weir` and its verbs, made of what they say to --help: python -m weir.manual FOLDER."""

import sys
from collections.abc import Iterator
from pathlib import Path

import click

from weir.cli import main


def commands_of(command: click.Command, name: str) -> Iterator[tuple[str, click.Command]]:
    """COMMAND, and after it its verbs by their full names, those of its verbs too."""
    yield name, command
    if isinstance(command, click.Group):
        for verb in sorted(command.commands):
            yield from commands_of(command.commands[verb], f"{name} {verb}")


def in_roff(text: str) -> str:
    """The same text, of which troff takes nothing for its own."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\n".join("\\&" + line if line.startswith((".", "'")) else line for line in text.split("\n"))


def entries(heading: str, rows: list[tuple[str, str]]) -> list[str]:
    lines = [f".SH {heading}"] if rows else []
    for term, words in rows:
        lines += [".TP", f".B {in_roff(term)}", in_roff(words)]
    return lines


def page(name: str, command: click.Command) -> str:
    context = click.Context(command, info_name=name)
    whole = name.replace(" ", "-")
    records = (parameter.get_help_record(context) for parameter in command.get_params(context))
    verbs = command.commands if isinstance(command, click.Group) else {}
    purpose = " ".join(command.get_short_help_str(limit=1000).split()).rstrip(".")
    lines = [
        f'.TH {whole.upper()} 1 "" "" Weir',
        ".SH NAME",
        f"{in_roff(whole)} \\- {in_roff(purpose)}",
        ".SH SYNOPSIS",
        f".B {in_roff(name)}",
        in_roff(" ".join(command.collect_usage_pieces(context))),
        ".SH DESCRIPTION",
    ]
    for paragraph in (command.help or "").split("\n\n"):
        lines += [".PP", in_roff("\n".join(line.strip() for line in paragraph.replace("\b", "").splitlines()))]
    lines += entries("OPTIONS", [record for record in records if record and record[1]])
    lines += entries("COMMANDS", [(f"{name} {verb}", verbs[verb].get_short_help_str(200)) for verb in sorted(verbs)])
    return "\n".join(lines) + "\n"


def write_pages(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, command in commands_of(main, "weir"):
        (folder / f"{name.replace(' ', '-')}.1").write_text(page(name, command), encoding="utf-8")


if __name__ == "__main__":
    write_pages(Path(sys.argv[1]))
