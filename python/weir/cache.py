# SPDX-License-Identifier: Apache-2.0
"""Where profiles of machines and tuned tables are kept: the user's cache folder (docs/tuning.md)."""

import os
import re
from pathlib import Path

import yaml


def cache_folder() -> Path:
    """$XDG_CACHE_HOME/weir, or ~/.cache/weir where that is not set."""
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "weir"


def file_name(machine: str) -> str:
    """A machine's name as part of a file's name."""
    return re.sub(r"[^A-Za-z0-9_-]", "-", machine) or "unnamed"


def profile_path(machine: str) -> Path:
    return cache_folder() / "profiles" / f"{file_name(machine)}.yaml"


def tuned_path() -> Path:
    """The table of this machine, which the library reads."""
    return cache_folder() / "tuned.yaml"


def tuned_path_of(machine: str) -> Path:
    """The table of another machine."""
    return cache_folder() / f"tuned.{file_name(machine)}.yaml"


def latest_profile() -> Path | None:
    """The profile that was written last."""
    profiles = list((cache_folder() / "profiles").glob("*.yaml"))
    return max(profiles, key=lambda path: path.stat().st_mtime, default=None)


def read_map(path: Path) -> dict:
    """The YAML map that PATH holds. Raises ValueError with a sentence where it holds none."""
    try:
        found = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ValueError(f"{path} is not YAML: {str(error).splitlines()[0]}") from error
    if not isinstance(found, dict):
        raise ValueError(f"{path} does not hold keys and values")
    return found
