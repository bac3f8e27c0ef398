# SPDX-License-Identifier: Apache-2.0
# timeout: 900
"""research/study: the studies in miniature, what they make of numbers, whether pages can be read."""

import json
import os
import re
import shutil
import signal
import subprocess
import time
from html import unescape
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from studies import place, repeats
from studies.command import main
from studies.contest import Contest
from studies.matrix import Candidate, Case, Contender, Job, Setting, Size
from studies.papers import NAMES, load_study
from studies.papers.wong2015 import Stripe, mode_of
from studies.place import OneHost
from studies.record import Record
from studies.runner import Runner

CHROMIUM = next(
    (path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None
)
BANDWIDTHS = ["PnetCDF, no remap", "Weir, its best", "remap + PnetCDF", "sequential"]
FIGURES = {"wong2015": 5, "tseng2008": 5, "kordenbrock2006": 1, "cfio2": 3, "peers": 1}  # in miniature


COMMAND = str(Path(__file__).resolve().parents[1] / "study")


def invoke(*arguments: object) -> Result:
    return CliRunner().invoke(main, list(map(str, arguments)))


def bench(*arguments: object) -> Result:
    return invoke(*arguments, "--miniature", "--no-lab")


# Numbers.


def test_relative_performance_is_formula_1() -> None:
    assert repeats.relative_performance(4.0, 1.0) == 75
    assert repeats.relative_performance(1.0, 1.25) == -25
    assert repeats.increase(2.0, 3.0) == 50


def test_outliers_are_told_apart() -> None:
    kept, outliers = repeats.tell_apart([1.0, 1.1, 0.95, 9.0, 1.02, 1.05])
    assert outliers == [9.0] and kept == [1.0, 1.1, 0.95, 1.02, 1.05]
    assert repeats.tell_apart([1.0, 1.0, 9.0]) == ([1.0, 1.0, 9.0], [])
    assert repeats.tell_apart([1.0, 1.0, 1.0, 1.0, 1.04]) == ([1.0, 1.0, 1.0, 1.0, 1.04], [])
    timing = repeats.Timing.of([1.0, 1.1, 0.95, 9.0, 1.02, 1.05])
    assert (timing.least, timing.most, timing.median) == (0.95, 1.1, 1.02)
    assert timing.mean == pytest.approx(5.12 / 5)


# What is run.


def measured(job: Job, seconds: dict[str, float]) -> dict:
    runs = [
        {
            "mode": mode,
            "ranks": job.ranks,
            "bytes": 1000,
            "seconds": [value],
            "visible_seconds": [value],
            "verified": True,
        }
        for mode, value in seconds.items()
    ]
    return {"runs": runs}


def contest_of_two() -> tuple[Contest, Case]:
    case = Case("weak-4", "weak, 4 ranks", 4, ("--workload", "weak"), "weak")
    who = [
        Contender("ours", (Candidate("remap"), Candidate("rows")), ours=True),
        Contender(
            "peer",
            (Candidate("peer:pnetcdf"), Candidate("peer:pnetcdf:cb_nodes=2"), Candidate("peer:pnetcdf", "ompio")),
        ),
    ]
    return Contest(Setting(Size.QUICK), [case], lambda _: who), case


def test_contest_finds_settings_and_layers() -> None:
    contest, case = contest_of_two()
    romio, ompio = contest.find_jobs()
    assert romio.modes == ("remap", "rows", "peer:pnetcdf", "peer:pnetcdf:cb_nodes=2") and romio.layer == "romio321"
    assert ompio.modes == ("peer:pnetcdf",) and ompio.layer == "ompio"
    record = Record()
    record.add(romio, measured(romio, {"remap": 2, "rows": 1, "peer:pnetcdf": 9, "peer:pnetcdf:cb_nodes=2": 4}))
    record.add(ompio, measured(ompio, {"peer:pnetcdf": 3}))
    ours, peer = contest.contenders(case)
    assert contest.choose(record, case, ours) == Candidate("rows")
    assert contest.choose(record, case, peer) == Candidate("peer:pnetcdf", "ompio")
    (job,) = contest.measure_jobs(record)
    assert job.modes == ("rows", "peer:pnetcdf", "peer:raw") and job.layer == "ompio" and job.repeats == 4
    record.add(job, measured(job, {"rows": 1.5, "peer:pnetcdf": 3.5, "peer:raw": 0.5}))
    assert contest.timing(record, case, ours).median == 1.5
    assert contest.timing(record, case, peer).median == 3.5


def test_contest_without_a_candidate_left() -> None:
    contest, case = contest_of_two()
    romio, ompio = contest.find_jobs()
    record = Record()
    record.add(romio, measured(romio, {"remap": 2}))
    record.add(ompio, measured(ompio, {}))
    assert contest.choose(record, case, contest.contenders(case)[1]) is None
    (job,) = contest.measure_jobs(record)
    assert job.modes == ("remap", "peer:raw")


def test_contest_whose_first_stage_fell_over() -> None:
    """Nothing is known of the candidates: the first of each is taken, and the page says that none was tried."""
    contest, case = contest_of_two()
    record = Record()
    for job in contest.find_jobs():
        record.add(job, {"error": "it fell over"})
    assert contest.choose(record, case, contest.contenders(case)[1]) == Candidate("peer:pnetcdf")
    assert record.failures()[0] == "Job find-weak-4-romio321 failed: it fell over"
    assert contest.choices_table(record)[1][1][-1] == "0 of 3 ran well, in weak, 4 ranks"


def test_stripes_reach_peers_and_weir_alike() -> None:
    assert Stripe(5, 2, hosts=4).hints["cb_config_list"] == "*:2", "aggregators on all hosts, and not all on the first"
    stripe = Stripe(5, 2)
    assert mode_of("rnetCDF", stripe) == "peer:serial"
    assert mode_of("pnetCDF", stripe).startswith("peer:pnetcdf:striping_factor=5,striping_unit=2097152,cb_nodes=5,")
    assert mode_of("pnetCDFcr", stripe).startswith(
        "rows:sink=pnetcdf,hints.striping_factor=5,hints.striping_unit=2097152,"
    )


@pytest.mark.parametrize("name", NAMES)
def test_matrix_is_whole(name: str) -> None:
    """In every size and place: no two jobs of one name, and rank counts that a small lab has room for."""
    study = load_study(name)
    for size in Size:
        for hosts in (1, 4):
            setting = Setting(size, hosts)
            jobs = [*study.find(setting), *study.measure(setting, Record())]
            assert len({job.name for job in jobs}) == len(jobs) > 0
            assert all(job.modes and job.repeats >= 1 and 2 <= job.ranks <= 64 for job in jobs)


# The studies themselves.


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("studies")


@pytest.mark.parametrize("name", NAMES)
def test_study_in_miniature(name: str, results: Path) -> None:
    done = bench(name, "--out", results)
    assert done.exit_code == 0, done.output
    content = json.loads((results / f"{name}.json").read_text())
    assert content["failures"] == [] and content["study"] == name
    assert content["machine"]["cpus"] > 0 and content["date"] and content["command"]
    assert all(run["seconds"] and run["verified"] is not False for job in content["jobs"] for run in job["runs"])
    assert content["claims"] and all(claim["why"] for claim in content["claims"])
    assert sorted(content.get("bandwidths", [])) == (BANDWIDTHS if name == "tseng2008" else [])  # for `weir estimate`
    untold = [claim["why"] for claim in content["claims"] if claim["verdict"] == "cannot be told"]
    assert untold == (["Weir, dynamic was repeated fewer than 3 times."] if name == "cfio2" else [])
    page = (results / f"{name}.html").read_text()
    assert page.count("<svg ") == FIGURES[name]
    assert not re.search(r"<script|(?:src|href)=.(?!data:|#)|@import|url\((?!#)", page), "something is fetched or runs"
    for svg in re.findall(r"<svg .*?</svg>", page, re.DOTALL):
        assert re.search(r"ranks|MB|stripe", svg) and re.search(
            r"MB/s|seconds|, s |%", svg
        ), "an axis has no name or unit"
    assert len(page) < 1e6


SCRIPT = """<script>
window.addEventListener('load', () => {
  const found = [];
  document.querySelectorAll('details').forEach(one => one.open = true);
  document.querySelectorAll('svg').forEach((svg, number) => {
    const whole = svg.getBoundingClientRect();
    const texts = [...svg.querySelectorAll('text')].map(t => [t.textContent.trim(), t.getBoundingClientRect()]);
    texts.forEach(([words, a], i) => {
      if (a.left < whole.left - 2 || a.right > whole.right + 2 || a.top < whole.top - 2 || a.bottom > whole.bottom + 2)
        found.push(`figure ${number}: '${words}' leaves the figure`);
      texts.slice(i + 1).forEach(([other, b]) => {
        const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
        const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
        if (wide > 1 && high > 2) found.push(`figure ${number}: '${words}' and '${other}' overlap`);
      });
    });
  });
  const body = document.body;
  if (document.documentElement.scrollWidth > window.innerWidth) found.push('the page is wider than the window');
  body.setAttribute('data-found', found.join('; ') || 'nothing');
});
</script></body>"""


def look_at(page: Path, folder: Path) -> tuple[str, str]:
    """What the browser finds wrong in the figures, and what it complains of."""
    copy = folder / f"look-{page.name}"
    copy.write_text(page.read_text().replace("</body>", SCRIPT))
    command = [
        CHROMIUM,
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--enable-logging=stderr",
        "--window-size=1240,2000",
    ]
    command += [f"--user-data-dir={folder / 'chromium'}", "--virtual-time-budget=5000", "--dump-dom", copy.as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=90)
    console = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
    match = re.search(r'data-found="([^"]*)"', done.stdout)
    return match[1] if match else "the page did not load", "\n".join(console)


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")
@pytest.mark.parametrize("name", NAMES)
def test_page_can_be_read(name: str, results: Path, tmp_path: Path) -> None:
    if not (results / f"{name}.html").exists():
        assert bench(name, "--out", results).exit_code == 0
    found, console = look_at(results / f"{name}.html", tmp_path)
    assert found == "nothing"
    assert console == ""


# Going on, and what goes wrong.

TINY = ("--workload", "weak", "--scale", "0.001")


def test_finished_jobs_are_not_run_again(tmp_path: Path) -> None:
    host = OneHost()
    one = Job("one", 2, TINY, ("remap",), 1)
    first = Runner(host, tmp_path, False, 60)
    done = first.run(one)
    assert first.ran == 1 and first.run(one) == done and first.ran == 1
    again = Runner(host, tmp_path, False, 60)
    assert again.run(one) == done and again.ran == 0
    assert again.run(Job("one", 2, TINY, ("remap",), 2))["runs"][0]["seconds"] != done["runs"][0]["seconds"]
    assert again.ran == 1, "more repeats are another measurement"
    fresh = Runner(host, tmp_path, True, 60)
    fresh.run(one)
    assert fresh.ran == 1
    host.close()


def test_interrupted_study_goes_on(tmp_path: Path) -> None:
    command = [COMMAND, "tseng2008", "--miniature", "--no-lab", "--out", str(tmp_path)]
    study = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 100
    while not list(tmp_path.glob("jobs/*.json")) and time.monotonic() < deadline:
        time.sleep(0.02)
    study.send_signal(signal.SIGTERM)
    _, said = study.communicate(timeout=60)
    kept = {path: path.read_text() for path in tmp_path.glob("jobs/*.json")}
    assert study.returncode == 143 and "goes on from there" in said and kept
    assert not (tmp_path / "tseng2008.html").exists()
    assert bench("tseng2008", "--out", tmp_path).exit_code == 0
    assert all(path.read_text() == content for path, content in kept.items())
    assert len(list(tmp_path.glob("jobs/*.json"))) > len(kept)


def test_a_failed_run_is_told_and_the_others_go_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    study = load_study("kordenbrock2006")
    find = study.find

    def with_a_wrong_one(setting: Setting) -> list[Job]:
        return [Job("wrong", 2, ("--workload", "unheard"), ("remap",), 1), *find(setting)]

    monkeypatch.setattr(type(study), "find", lambda self, setting: with_a_wrong_one(setting))
    done = bench("kordenbrock2006", "--out", tmp_path)
    assert done.exit_code == 0
    words = 'Job wrong failed: weir-bench: workload "unheard" is not known'
    assert words in done.output
    assert words in unescape((tmp_path / "kordenbrock2006.html").read_text())
    assert json.loads((tmp_path / "kordenbrock2006.json").read_text())["failures"][0].startswith(words)


def one_sentence(done: Result) -> str:
    assert done.exit_code == 1 and done.output.startswith("Error: ") and done.output.count("\n") == 1, done.output
    return done.output


def test_unknown_study() -> None:
    words = one_sentence(invoke("kordenbrok2006"))
    assert "there is no study 'kordenbrok2006'" in words and "did you mean kordenbrock2006?" in words


def test_no_build(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("WEIR_BUILD_DIR", str(tmp_path))
    assert "run `make build` first" in one_sentence(bench("peers", "--out", tmp_path / "out"))


def test_lab_and_no_lab() -> None:
    assert "exclude each other" in one_sentence(invoke("peers", "--lab", "a", "--no-lab"))


@pytest.fixture
def fake_lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A lab/lab that says and does what a test wants."""

    def make(status: str, code: int = 0) -> None:
        program = tmp_path / "lab" / "lab"
        program.parent.mkdir()
        program.write_text(f"#!/bin/sh\ncat >&{1 if code == 0 else 2} <<'E'\n{status}\nE\nexit {code}\n")
        program.chmod(0o755)
        monkeypatch.setattr(place, "ROOT", tmp_path)

    return make


def test_no_lab_is_up(fake_lab, tmp_path: Path) -> None:
    fake_lab("lab: no lab 'big' is up: lab/lab up --name big makes one", 1)
    assert "no lab 'big' is up: lab/lab up --name big makes one" in one_sentence(invoke("peers", "--lab", "big"))


def test_lab_is_too_small(fake_lab) -> None:
    fake_lab("lab 'lab': 1 hosts at 200mbit, 2 storage servers at 400mbit, stripes of 4MB\n  host1    10.77.1.1")
    assert "too small for a study" in one_sentence(invoke("peers", "--lab", "lab"))


def test_out_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert "cannot be made" in one_sentence(bench("peers", "--out", tmp_path / "file" / "out"))


def test_quiet_where_nobody_watches(results: Path) -> None:
    """Two lines, where the results are: no progress, no colours."""
    command = [COMMAND, "peers", "--miniature", "--no-lab", "--out", str(results)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=os.environ)
    assert done.stderr == "" and done.stdout.split() == [str(results / f"peers.{kind}") for kind in ("json", "html")]
