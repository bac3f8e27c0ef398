# SPDX-License-Identifier: Apache-2.0
"""The command line. Exit codes: with `run` and `shell` the program's own; else 0, 1 (impossible) or 2 (wrong words)."""

import argparse
import re
import signal
import sys

import state
from bring_up import INTERRUPTS, bring_up, describe
from cluster import MOST_MACHINES, STORAGE, Lab, LabError
from needs import check_root
from run import run, shell

LEAST_STRIPE_BYTES = 4 << 20  # GlusterFS's own limit
RATE_UNITS = {"kbit": 10**3, "mbit": 10**6, "gbit": 10**9}
SIZE_UNITS = {"MB": 1 << 20, "MIB": 1 << 20, "GB": 1 << 30, "GIB": 1 << 30}


class Parser(argparse.ArgumentParser):
    def error(self, message: str) -> None:
        print(f"lab: {message}; see {self.prog} --help", file=sys.stderr)
        sys.exit(2)


def refuse(message: str) -> None:
    raise argparse.ArgumentTypeError(message)


def parse_rate(text: str) -> int:
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([kmg]bit)", text)
    rate = int(float(match[1]) * RATE_UNITS[match[2]]) if match else 0
    if not 10**6 <= rate <= 100 * 10**9:
        refuse(f"'{text}' is no rate of a card: give one from 1mbit to 100gbit, as in 200mbit")
    return rate


def parse_stripe(text: str) -> int:
    match = re.fullmatch(r"(\d+)([MG]i?B)", text, re.IGNORECASE)
    size = int(match[1]) * SIZE_UNITS[match[2].upper()] if match else 0
    if not LEAST_STRIPE_BYTES <= size <= 1 << 40:
        refuse(f"'{text}' is no size of a stripe: GlusterFS takes 4MB and more, as in 4MB or 1GB")
    return size


def parse_machines(text: str) -> int:
    count = int(text) if text.isdecimal() else 0
    if not 1 <= count <= MOST_MACHINES:
        refuse(f"'{text}' is no number of machines from 1 to {MOST_MACHINES}")
    return count


def parse_ranks(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        refuse(f"'{text}' is no number of ranks above 0")
    return int(text)


def parse_name(text: str) -> str:
    if not re.fullmatch(r"[a-z][a-z0-9-]{0,19}", text):
        refuse(f"'{text}' is no name of a lab: a small letter, then up to 19 small letters, digits and -")
    return text


def parse_seconds(text: str) -> str:
    if not re.fullmatch(r"\d+(\.\d+)?", text):
        refuse(f"'{text}' is no number of seconds")
    return text


def make_parser() -> Parser:
    parser = Parser(prog="lab/lab", description="A cluster in a box: see docs/lab.md.", allow_abbrev=False)
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True, parser_class=Parser)
    named = argparse.ArgumentParser(add_help=False)
    named.add_argument("--name", type=parse_name, default="lab", help="several labs may be up, by name")
    add_up(commands, named)
    add_run(commands, named)
    on_host = commands.add_parser("shell", parents=[named], help="a shell, or a command, on one machine")
    on_host.add_argument("host", metavar="HOST", help="host1, host2, ... or store1, store2, ...")
    on_host.add_argument("program", nargs=argparse.REMAINDER, metavar="COMMAND", help="after --; default: $SHELL")
    commands.add_parser("status", parents=[named], help="what is up")
    commands.add_parser("down", parents=[named], help="ends the lab and all that runs in it")
    return parser


def add_up(commands: argparse._SubParsersAction, named: argparse.ArgumentParser) -> None:
    up = commands.add_parser("up", parents=[named], help="makes the lab", allow_abbrev=False)
    up.add_argument("--hosts", type=parse_machines, default=4, metavar="N")
    up.add_argument("--servers", type=parse_machines, default=2, metavar="N", help="storage servers")
    up.add_argument("--nic", type=parse_rate, default="200mbit", metavar="RATE", help="of each host's card")
    up.add_argument("--storage-nic", type=parse_rate, default="400mbit", metavar="RATE", help="of each server's card")
    up.add_argument("--stripe", type=parse_stripe, default="4MB", metavar="SIZE")
    up.add_argument("--storage", choices=["gluster", "none"], default="gluster")
    up.add_argument("-v", "--verbose", action="store_true", help="says what comes next")


def add_run(commands: argparse._SubParsersAction, named: argparse.ArgumentParser) -> None:
    started = commands.add_parser("run", parents=[named], help="an MPI program over the hosts", allow_abbrev=False)
    started.add_argument("-n", "--ranks", type=parse_ranks, required=True, metavar="RANKS")
    started.add_argument("--per-host", type=parse_ranks, metavar="RANKS", help="default: as even as can be")
    started.add_argument("--timeout", type=parse_seconds, metavar="SECONDS", help="as of tools/launch")
    started.add_argument("--io", choices=["romio321", "ompio"], help="as of tools/launch")
    started.add_argument("--traffic", action="store_true", help="prints what the cards carried and the processors did")
    started.add_argument("--json", metavar="FILE", help="writes the same to FILE")
    started.add_argument("program", nargs=argparse.REMAINDER, metavar="PROGRAM", help="after --, with its arguments")


def up(options: argparse.Namespace) -> int:
    servers = options.servers if options.storage == "gluster" else 0
    rates = (options.nic, options.storage_nic)
    bring_up(Lab(options.name, options.hosts, servers, *rates, options.stripe), options.verbose)
    return 0


def status(options: argparse.Namespace) -> int:
    running = state.need_running(options.name)
    print(describe(running.lab))
    for machine in running.lab.machines():
        print(f"  {machine.name:8} {machine.address}")
    if running.lab.servers:
        print(f"  storage on every host: {STORAGE} (LAB_STORAGE in `lab run` and `lab shell`)")
    return 0


def down(options: argparse.Namespace) -> int:
    running = state.find_running(options.name)
    if running:
        running.end()
    elif not state.read_state(options.name):
        state.need_running(options.name)
    state.remove(options.name)
    return 0


COMMANDS = {"up": up, "run": run, "shell": shell, "status": status, "down": down}


def parse(words: list[str]) -> argparse.Namespace:
    """What comes after "--" is the program's, whatever it looks like."""
    at = words.index("--") if "--" in words else len(words)
    parser = make_parser()
    options = parser.parse_args(words[:at])
    options.program = getattr(options, "program", []) + words[at + 1 :]
    if options.command == "run" and not options.program:
        parser.error("no program given, as in lab/lab run -n 4 -- PROGRAM")
    return options


def end_by(number: int, _frame: object) -> None:
    raise SystemExit(128 + number)


def main(words: list[str]) -> int:
    for number in INTERRUPTS:
        signal.signal(number, end_by)
    options = parse(words)
    try:
        if options.command != "status":
            check_root()
        return COMMANDS[options.command](options)
    except LabError as error:
        print(f"lab: {error}", file=sys.stderr)
        return 1
