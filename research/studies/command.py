# SPDX-License-Identifier: Apache-2.0
"""The command research/study."""

import signal
from contextlib import closing
from difflib import get_close_matches
from pathlib import Path

import click
from weir.launch import ROOT
from weir.verb import USUAL_CODES, echo_json, verb

from studies.errors import StudyError
from studies.matrix import Setting, Size
from studies.papers import NAMES, load_study
from studies.place import choose_place
from studies.runner import Runner
from studies.study import LIMIT_SECONDS, run_study, told_command, write_results


def check_name(name: str) -> str:
    if name in NAMES:
        return name
    near = get_close_matches(name, NAMES, 1)
    meant = f"; did you mean {near[0]}?" if near else ""
    raise StudyError(f"there is no study '{name}': take one of {', '.join(NAMES)}{meant}")


class Interrupted(BaseException):
    """By a signal; the job that runs is ended on the way out."""


def interrupt(number: int, _frame: object) -> None:
    raise Interrupted(number)


def default_folder(name: str, size: Size, hosts: int) -> Path:
    words = [name, *([] if size is Size.FULL else [size.value]), *(["lab"] if hosts > 1 else [])]
    return ROOT / "build" / "studies" / "-".join(words)


def make_folder(folder: Path) -> Path:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StudyError(f"{folder} cannot be made: {error.strerror}; give another folder with --out") from error
    return folder


@verb(
    example="research/study peers --quick",
    codes=USUAL_CODES
    | {
        0: "done; jobs and modes that failed are told, and the others are in the results",
        1: "nothing could be measured",
        130: "interrupted: what was measured is kept, and the same command goes on from there",
    },
)
@click.argument("study", metavar="STUDY")
@click.option("--quick", is_flag=True, help="Small data and few repeats: a few minutes on two cores.")
@click.option("--miniature", is_flag=True, hidden=True, help="Shows that the study runs, and nothing else.")
@click.option("--lab", metavar="NAME", help="Run in this lab [default: the lab named lab, where it is up].")
@click.option("--no-lab", is_flag=True, help="Run on this machine, whatever lab is up.")
@click.option(
    "--dir",
    "directory",
    type=click.Path(exists=True, file_okay=False, writable=True, path_type=Path),
    help="Without a lab: where the measured files go [default: memory].",
)
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), help="Folder for the JSON and the page.")
@click.option("--repeat", "repeats", type=click.IntRange(1, 100), help="Repeats in the second stage.")
@click.option("--resume/--fresh", default=True, help="Take jobs that were measured already, or measure all again.")
def main(
    study: str, quick: bool, miniature: bool, lab: str | None, no_lab: bool, directory: Path | None, out: Path | None,
    repeats: int | None, resume: bool, as_json: bool,
) -> None:  # fmt: skip
    """Repeats the experiments of a paper beside Weir's peers, and draws its figures from them.

    STUDY is wong2015, tseng2008, kordenbrock2006, cfio2 or peers. Results are STUDY.json and STUDY.html.
    """
    size = Size.MINIATURE if miniature else Size.QUICK if quick else Size.FULL
    signal.signal(signal.SIGTERM, interrupt)
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:  # as for a command in the background
        signal.signal(signal.SIGINT, interrupt)
    try:
        if lab and no_lab:
            raise StudyError("--lab and --no-lab exclude each other: give one of them")
        chosen = load_study(check_name(study))
        with closing(choose_place(lab, no_lab, directory)) as place:
            setting = Setting(size, place.hosts, repeats)
            folder = make_folder(out or default_folder(study, size, place.hosts))
            runner = Runner(place, folder, not resume, LIMIT_SECONDS[size])
            record = run_study(chosen, setting, place, runner)
            paths = write_results(chosen, setting, place, record, told_command(), folder)
    except StudyError as error:
        raise click.ClickException(str(error)) from error
    except Interrupted as interruption:
        click.echo("Interrupted: finished jobs are kept, and the same command goes on from there.", err=True)
        raise SystemExit(128 + interruption.args[0]) from None
    for words in record.failures():
        click.echo(words, err=True)
    if as_json:
        echo_json({"json": str(paths[0]), "page": str(paths[1]), "failures": record.failures()})
    else:
        click.echo("\n".join(str(path) for path in paths))
    if not any(done.get("runs") for done in record.jobs.values()):
        raise SystemExit(1)
