# SPDX-License-Identifier: Apache-2.0
"""The studies by name; each is loaded when it is asked for."""

from importlib import import_module

NAMES = ("wong2015", "tseng2008", "kordenbrock2006", "cfio2", "peers")


def load_study(name: str):
    return import_module(f"studies.papers.{name}").STUDY
