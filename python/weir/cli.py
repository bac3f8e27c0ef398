# SPDX-License-Identifier: Apache-2.0
"""The command `weir`. Its verbs have one shape: weir.verb."""

import click

from weir import __doc__ as package_summary
from weir.demo_command import demo
from weir.doctor_command import doctor
from weir.estimate import estimate
from weir.file_commands import convert, merge, verify
from weir.measure import profile
from weir.report_command import report
from weir.simulate_command import simulate
from weir.streams_command import streams
from weir.tune_command import tune
from weir.watch_command import watch

VERBS = (profile, simulate, tune, merge, convert, verify, report, watch, estimate, streams, doctor, demo)


@click.group(help=package_summary, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="weir-output")
def main() -> None:
    pass


for each in VERBS:
    main.add_command(each)

if __name__ == "__main__":
    main()
