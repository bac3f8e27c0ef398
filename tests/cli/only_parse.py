# SPDX-License-Identifier: Apache-2.0
"""Runs a Python command as far as its words are parsed, by argparse or click, and no further.

only_parse.py PROGRAM WORD..., or only_parse.py -m MODULE WORD.... Exit code 0: every word is known to it. Else what the command
says of the words, with its code; 3 where it has parsed nothing.
"""

import argparse
import contextlib
import os
import runpy
import sys
from pathlib import Path


class Accepted(BaseException):
    """All words are parsed: the command would now begin."""


def stop_after_argparse() -> None:
    parse = argparse.ArgumentParser.parse_args

    def parse_only(self: argparse.ArgumentParser, *arguments: object, **named: object) -> None:
        parse(self, *arguments, **named)
        raise Accepted

    argparse.ArgumentParser.parse_args = parse_only


def stop_after_click() -> None:
    import click

    def invoke(command: click.Command, context: click.Context) -> None:
        if not isinstance(command, click.Group):  # a group calls this before it parses its command's words
            raise Accepted

    click.Command.invoke = invoke


def stay_here(program: str, words: list[str]) -> None:
    sys.exit(f"only_parse.py is to be run by {program}, which would begin {words} anew")


def run(words: list[str]) -> None:
    if words[0] == "-m":
        sys.argv = words[1:]
        runpy.run_module(words[1], run_name="__main__", alter_sys=True)
    else:
        sys.argv = words
        sys.path.insert(0, str(Path(words[0]).resolve().parent))
        runpy.run_path(words[0], run_name="__main__")


if __name__ == "__main__":
    os.execv = stay_here
    stop_after_argparse()
    with contextlib.suppress(ImportError):
        stop_after_click()
    try:
        run(sys.argv[1:])
    except Accepted:
        sys.exit(0)
    sys.exit(3)
