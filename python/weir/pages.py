# SPDX-License-Identifier: Apache-2.0
"""Pages from the templates beside this file: each is one file, nothing is fetched, and there is no script."""

from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined


@cache
def environment() -> Environment:
    return Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )


def render(template: str, **values: object) -> str:
    return environment().get_template(template).render(**values)
