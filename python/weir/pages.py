# SPDX-License-Identifier: Apache-2.0
"""Pages from the templates beside this file: each is one file, and nothing is fetched."""

from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template


@cache
def environment() -> Environment:
    return Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )


def template(name: str) -> Template:
    return environment().get_template(name)
