# SPDX-License-Identifier: Apache-2.0
"""Runs Python commands as far as their words are parsed, by argparse or click, and no further.

only_parse.py < LINES, each of them PROGRAM WORD... or -m MODULE WORD..., quoted as for a shell. Each is run by a process of its
own, of one that has loaded what most of them load. Exit code 0: every word is known. Else 1, and what the first command that
refuses says of its words.
"""

import argparse
import contextlib
import importlib
import os
import runpy
import shlex
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


def parse(line: str) -> int:
    try:
        run(shlex.split(line))
    except Accepted:
        return 0
    return 3


def in_child(line: str) -> int:
    child = os.fork()
    if child == 0:
        sys.exit(parse(line))
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


if __name__ == "__main__":
    os.execv = stay_here
    stop_after_argparse()
    with contextlib.suppress(ImportError):
        stop_after_click()
    with contextlib.suppress(ImportError):
        importlib.import_module("weir.cli")
    for line in sys.stdin.read().splitlines():
        if code := in_child(line):
            sys.exit(f"'{line}' is refused, with code {code}")
