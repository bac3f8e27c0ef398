# SPDX-License-Identifier: Apache-2.0
"""`weir demo`: a small ocean model on four ranks, what its output costs, a kill in the middle, a restart on other ranks."""

import contextlib
import filecmp
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click

from weir.launch import PACKAGE, QUIET, ROOT, is_checkout, launcher_path, program_folders, run_alone
from weir.report import read_report
from weir.verb import USUAL_CODES, echo_json, verb

RANKS, FEWER_RANKS = 4, 3
RECORD_DAYS = 5
SECONDS = 300  # that a run may take
LOOK_SECONDS = 0.02
QUIET_OCEAN = "strategy: dynamic\n"
# The means have not ended where the second run stops.
WRITING_OCEAN = f"""strategy: dynamic
restart: "streams_{{time:%Y-%m-%d}}.nc"
streams:
  history: {{file: history.nc, every: {RECORD_DAYS} days, fields: [ssh, u, v, vorticity, tau_x, temperature, age, u_layers, v_layers]}}
  means: {{file: means.nc, every: {2 * RECORD_DAYS} days, fields: {{temperature: mean, ssh_max: {{of: ssh, as: maximum}}}}}}
"""
COMPARED = ("history.nc", "means.nc", "restart.nc")
# Each rank tells its process before it becomes the ocean.
TELLS_ITSELF = 'echo $$ >>"$0"; exec "$@"'


def ocean_path() -> Path:
    """Beside the other programs, or where an installed Weir has it. Raises FileNotFoundError with what to do."""
    for folder in program_folders():
        for place in (folder / "ocean", folder.parent / "libexec" / "weir" / "ocean"):
            if place.is_file():
                return place
    what = "run `make build`, with a Fortran compiler" if is_checkout() else "install a Weir that was built with a Fortran compiler"
    raise FileNotFoundError(f"the ocean of the demo is not there: {what}")


def picture_program() -> Path:
    """Draws the ocean: the tree's, the copy in a wheel with programs, or that of an installed Weir."""
    places = [ROOT / "examples" / "ocean"] if is_checkout() else [PACKAGE / "share" / "weir" / "ocean"]
    places += [folder.parent / "share" / "doc" / "weir" / "examples" / "ocean" for folder in program_folders()]
    return next((place / "picture.py" for place in places if (place / "picture.py").is_file()), Path("picture.py"))


def records_in(path: Path) -> int:
    """Of a classic file, whose first bytes say how many are committed."""
    try:
        with path.open("rb") as file:
            begin = file.read(12)
    except FileNotFoundError:
        return 0
    return int.from_bytes(begin[4 : 12 if begin[3:4] == b"\x05" else 8], "big")


def bars(seconds: dict[str, float]) -> str:
    """A line each, the longest with 40 blocks."""
    width, most = max(map(len, seconds)), max(seconds.values())
    return "\n".join(f"  {name:{width}}  {value:5.1f} s  {'█' * round(40 * value / most)}" for name, value in seconds.items())


class Demo:
    """All of it, in a folder of its own. tell: what is done, for whoever watches."""

    def __init__(self, folder: Path, days: int, tell: Callable[[str], None]) -> None:
        self._folder, self._days, self._tell = folder, days, tell
        self._ocean, self._launcher = ocean_path(), launcher_path()
        kept = {name: value for name, value in os.environ.items() if not name.startswith("WEIR_")}
        self._environment = kept | QUIET

    def run(self) -> dict[str, Any]:
        told = self.cost_of_output()
        told |= self.kill_in_the_middle()
        told |= self.restart_on_other_ranks()
        return told | {"files": self.draw()}

    def cost_of_output(self) -> dict[str, Any]:
        self._tell(f"== {self._days} days of a small ocean on {RANKS} ranks")
        without = self.seconds_of(self._folder, {"WEIR_CONFIG": QUIET_OCEAN}, days=self._days)
        observed = {"WEIR_REPORT": "report.json", "WEIR_TRACE": "trace.json"}
        seconds = self.seconds_of(self._folder, observed, days=self._days, restart_out="restart.nc")
        found = read_report(self._folder / "report.json")
        output, waited = found["output_seconds"], found["visible_seconds"]
        self._tell(bars({"no output": without, "with Weir": seconds}))
        if seconds < without:
            self._tell("  (something else was at work on this machine)")
        self._tell(f"  output took {output:.2f} s; the model waited for {waited:.2f} s of it")
        return {"seconds_without_output": without, "seconds": seconds, "output_seconds": output, "waited_seconds": waited}

    def kill_in_the_middle(self) -> dict[str, Any]:
        self._tell("== the same, with a rank killed in the middle")
        with self.folder_within("killed") as folder:
            history, pids = folder / "history.nc", folder / "pids"
            command = ["sh", "-c", TELLS_ITSELF, "pids", *self.ocean_command(days=100 * self._days)]
            with self.started(folder, command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as job:
                end = time.monotonic() + SECONDS
                while records_in(history) < 2 and job.poll() is None and time.monotonic() < end:
                    time.sleep(LOOK_SECONDS)
                if job.poll() is None:
                    os.kill(int(pids.read_text().split()[0]), signal.SIGKILL)
                job.wait()
            verdict = run_alone("weir-verify", ["--clean", str(history)], capture=True)
            if verdict.returncode != 0:
                raise click.ClickException((verdict.stdout + verdict.stderr).strip())
            records = records_in(history)
        self._tell(f"  the file is whole, and holds the {records} records that were committed")
        return {"records_after_kill": records}

    def restart_on_other_ranks(self) -> dict[str, Any]:
        half = self._days // 2
        self._tell(f"== {half} days on {RANKS} ranks, and {self._days - half} more on {FEWER_RANKS} from its restart files")
        with self.folder_within("restarted") as folder:
            self.seconds_of(folder, days=half, restart_out="stop.nc")
            self.seconds_of(folder, ranks=FEWER_RANKS, days=self._days - half, restart_in="stop.nc", restart_out="restart.nc")
            for name in COMPARED:
                if not filecmp.cmp(folder / name, self._folder / name, shallow=False):
                    raise click.ClickException(f"after a restart {name} differs from that of a run without a stop")
        self._tell("  history, means and state are byte for byte those of the run without a stop")
        return {"same_after_restart": True}

    @contextlib.contextmanager
    def folder_within(self, name: str) -> Iterator[Path]:
        """Of a run whose files nobody looks at when all is well."""
        folder = self._folder / name
        folder.mkdir()
        yield folder
        shutil.rmtree(folder)

    def draw(self) -> dict[str, str]:
        self._tell("== look at")
        made = {"history": self._folder / "history.nc", "means": self._folder / "means.nc", "report": self._folder / "report.json"}
        ocean, timeline = self._folder / "ocean.png", self._folder / "timeline.html"
        drawn = subprocess.run(
            [sys.executable, picture_program(), self._folder / "history.nc", ocean], capture_output=True, text=True, check=False
        )
        if drawn.returncode == 0:
            made["ocean"] = ocean
        else:
            self._tell(f"  no picture of the ocean ({last_line(drawn.stderr)}): pip install netCDF4 matplotlib")
        report = [sys.executable, "-m", "weir.cli", "report", self._folder / "report.json", self._folder / "trace.json"]
        if subprocess.run([*report, "--html", timeline], capture_output=True, check=False).returncode == 0:
            made["timeline"] = timeline
        for name, path in made.items():
            self._tell(f"  {name + ':':10} {path}")
        return {name: str(path) for name, path in made.items()}

    def seconds_of(self, folder: Path, more: dict[str, str] | None = None, ranks: int = RANKS, **settings: object) -> float:
        """Of a run in that folder, the start of MPI included."""
        begin = time.monotonic()
        with self.started(folder, self.ocean_command(**settings), more, ranks, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as job:
            said, _ = job.communicate()
        if job.returncode != 0:
            raise click.ClickException(f"the ocean ended with code {job.returncode}: {last_line(said)}")
        return time.monotonic() - begin

    def ocean_command(self, **settings: object) -> list[str]:
        usual = {"dt_seconds": 2160, "history_days": RECORD_DAYS}
        return [str(self._ocean), *(f"{name}={value}" for name, value in {**usual, **settings}.items())]

    def started(
        self, folder: Path, command: list[str], more: dict[str, str] | None = None, ranks: int = RANKS, **streams: int
    ) -> subprocess.Popen[str]:
        launched = [str(self._launcher), "-n", str(ranks), "--timeout", str(SECONDS), "--", *command]
        environment = self._environment | {"WEIR_CONFIG": WRITING_OCEAN} | (more or {})
        return subprocess.Popen(launched, cwd=folder, env=environment, text=True, **streams)


def last_line(text: str) -> str:
    return next((line.strip() for line in reversed(text.splitlines()) if re.search(r"\w", line)), "it says nothing")


@verb(example="weir demo\nweir demo --days 60 /scratch/weir-demo", codes=USUAL_CODES)
@click.option(
    "--days", default=30, show_default=True, type=click.IntRange(min=2 * RECORD_DAYS), help="Days of the ocean, a multiple of 10."
)
@click.argument("folder", default="weir-demo", type=click.Path(path_type=Path))
def demo(days: int, folder: Path, as_json: bool) -> None:
    """Shows Weir in less than a minute: a small ocean writes its fields on four ranks of this machine.

    What output costs beside no output; what a killed rank leaves; a restart on other ranks, to the byte. The files and
    pictures stay in FOLDER, which must not be there yet.
    """
    if days % (2 * RECORD_DAYS):
        raise click.UsageError(f"{days} days do not end with a record in both halves: give a multiple of {2 * RECORD_DAYS}")
    try:
        folder.mkdir(parents=True)
        told = Demo(folder, days, (lambda words: None) if as_json else click.echo).run()
    except FileExistsError as error:
        raise click.ClickException(f"{folder} is there already: remove it, or name another folder") from error
    except OSError as error:
        raise click.ClickException(str(error)) from error
    if as_json:
        echo_json(told)
