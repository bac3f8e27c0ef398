# SPDX-License-Identifier: Apache-2.0
"""The machine that is tuned: its profile, and what is to be said of that."""

from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import click
import yaml

OLD_DAYS = 183


@dataclass
class Machine:
    path: Path
    text: str
    content: dict
    warnings: list[str] = field(default_factory=list)

    @property
    def cores(self) -> int:
        return int(self.content["nodes"]["cores"])

    @property
    def servers(self) -> int:
        return int(self.content["storage"].get("stripes", {}).get("servers", 0))


def age_warning(content: dict) -> str:
    """A line where the profile is old, or its date makes no sense."""
    told = content.get("measured")
    if told is None:
        return ""
    try:
        when = told if isinstance(told, datetime) else datetime.fromisoformat(str(told))
    except ValueError:
        return f'the profile\'s date "{told}" is none: measure again with weir profile'
    days = (datetime.now(UTC) - (when if when.tzinfo else when.replace(tzinfo=UTC))).days
    return f"the profile is {days} days old: measure again with weir profile" if days > OLD_DAYS else ""


def load_machine(name: str | None) -> Machine:
    """The machine by its profile. Raises ClickException with a sentence on what is wrong with it."""
    from weir._simulate import check_profile, machine_name
    from weir.simulation import Error, find_machine

    try:
        path = find_machine(name)
        text = path.read_text(encoding="utf-8")
        profile_of = check_profile(text, str(path))
    except (Error, OSError, UnicodeDecodeError) as error:
        raise click.ClickException(str(error)) from error
    machine = Machine(path, text, yaml.safe_load(text))
    if profile_of != machine_name():
        machine.warnings.append(
            f"the profile is of {profile_of}, and this machine is {machine_name()}: here the table counts for nothing"
        )
    if warning := age_warning(machine.content):
        machine.warnings.append(warning)
    return machine
