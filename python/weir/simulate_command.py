# SPDX-License-Identifier: Apache-2.0
"""The command `weir simulate`."""

import json
from pathlib import Path

import click

from weir.progress import show_progress
from weir.report import table
from weir.verb import USUAL_CODES, echo_json, verb

STEPS = ("put", "forward", "rearrange", "write", "commit", "wait")


def reading_table(runs: list[dict]) -> str:
    """Of a restart: what storage is asked for, beside the seconds."""
    head = ["mode", "MB", "seconds", "read MB", "requests", "opens", "messages", "read s", "get s", "wait s"]
    rows = [
        [run["mode"], f"{run['bytes'] / 1e6:.0f}", f"{run['seconds']:.4g}", f"{run['bytes_read'] / 1e6:.0f}"]
        + [str(run[count]) for count in ("reads", "opens", "messages")]
        + [f"{run['steps'][step]:.4g}" for step in ("read", "get", "wait")]
        for run in runs
    ]
    return table(head, rows)


def runs_table(runs: list[dict]) -> str:
    if "reads" in runs[0]:
        return reading_table(runs)
    base = next((run["seconds"] for run in runs if run["mode"] == "none"), 0.0)
    times = [f"{name} s" for name in ("visible", "late", *STEPS)]
    head = ["mode", "MB", "seconds", "MB/s", *(["/ none"] if base else []), *times, "busiest"]
    rows = []
    for run in runs:
        busiest = max(run["busy"], key=run["busy"].get, default="") if run["bytes"] else ""
        share = f"{busiest} {100 * run['busy'][busiest] / run['seconds']:.0f} %" if busiest else "-"
        speed = run["bytes"] / 1e6 / run["seconds"] if run["seconds"] else 0
        rows.append(
            [run["mode"], f"{run['bytes'] / 1e6:.0f}", f"{run['seconds']:.4g}", f"{speed:.0f}"]
            + ([f"{run['seconds'] / base:.3f}"] if base else [])
            + [f"{run['visible_seconds']:.4g}", f"{run['late_seconds']:.4g}"]
            + [f"{run['steps'][step]:.4g}" for step in STEPS]
            + [share]
        )
    return table(head, rows)


def check_machine(machine: str | None, results: dict) -> None:
    """Results of another machine than the profile's say nothing of the simulator."""
    import yaml

    from weir.simulation import Error, read_machine

    cores = int(yaml.safe_load(read_machine(machine))["nodes"]["cores"])
    cpus = results.get("machine", {}).get("cpus")
    if cpus is not None and int(cpus) != cores:
        raise Error(
            f"the results are of a machine with {cpus} cores a node, and the profile {machine or 'of this machine'} has {cores}: "
            "take the profile of that machine (weir profile)"
        )


def measured_beside(machine: str | None, paths: tuple[Path, ...]) -> list:
    """What was measured, and what is predicted of it. Raises Error where there is too little."""
    from weir.simulation import Error, compare

    found = []
    for path in paths:
        try:
            results = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise Error(f"{path} holds no results of weir-bench (--json): {error}") from error
        if not isinstance(results, dict) or "runs" not in results:
            raise Error(f"{path} holds no results of weir-bench (--json)")
        check_machine(machine, results)
        found += compare(machine, results)
    if len(found) < 2:
        raise Error("there is nothing to compare: give results with two runs of Weir's strategies at least")
    return found


def tell_truth(found: list, as_json: bool) -> None:
    from weir.simulation import truth

    error, correlation = truth(found)
    if as_json:
        echo_json({"median_error": error, "rank_correlation": correlation, "runs": [vars(each) for each in found]})
        return
    rows = [
        [
            each.mode,
            each.workload,
            str(each.ranks),
            f"{each.measured:.4g}",
            f"{each.predicted:.4g}",
            f"{each.error:+.0%}",
        ]
        for each in found
    ]
    click.echo(table(["mode", "workload", "ranks", "measured s", "predicted s", "error"], rows))
    click.echo(f"\n{len(found)} runs: median error {error:.1%}, rank correlation {correlation:.3f}")


def simulate_modes(machine: str | None, request: dict) -> tuple[dict, list[str]]:
    """The simulator's answer for the modes that can be, and a sentence for each that cannot. Raises Error where none can."""
    from weir.simulation import Error, simulate

    answer: dict = {}
    refused: list[str] = []
    first: Error | None = None
    with show_progress("simulating") as steps:
        steps.expect(len(request["modes"]))
        for mode in request["modes"]:
            steps.note(mode)
            try:
                found = simulate(machine, **{**request, "modes": [mode]})
                answer = answer | found | {"runs": [*answer.get("runs", []), *found["runs"]]}
            except Error as error:
                first = first or error
                refused.append(f"{mode}: {error}")
            steps.done(1)
    if not answer and first:
        raise first
    return answer, refused


@verb(
    example="weir simulate --machine earthlab --ranks 512 --modes remap,dynamic --compute 2",
    codes=USUAL_CODES | {1: "a mode could not be simulated: the sentence says why, the others are told all the same"},
)
@click.option(
    "--machine",
    help="A machine's name, or the file of its profile (docs/machines.md). Default: what weir profile has measured.",
)
@click.option("--workload", default="weak", show_default=True, help="As weir-bench has them; restart is read.")
@click.option("--ranks", default=16, show_default=True, type=click.IntRange(min=1), help="Of the model.")
@click.option("--ranks-per-node", default=0, type=click.IntRange(min=0), help="Default: the machine's cores.")
@click.option(
    "--modes", default="remap,dynamic", show_default=True, help="MODE:key=value,key=value, with commas between."
)
@click.option("--scale", default=1.0, type=click.FloatRange(min=0, min_open=True), help="Multiplies the bytes.")
@click.option("--records", default=0, type=click.IntRange(min=0), help="Default: the workload's own number.")
@click.option("--compute", default=0.0, type=click.FloatRange(min=0), help="Seconds of computing before each record.")
@click.option("--imbalance", default=0.0, type=click.FloatRange(0, 1), help="How much a rank's computing differs.")
@click.option(
    "--imbalance-kind",
    default="fixed",
    type=click.Choice(["fixed", "drifting"]),
    help="Always the same ranks are slow, or others as time goes on.",
)
@click.option(
    "--halo",
    default="neighbours",
    type=click.Choice(["neighbours", "all", "none"]),
    help="Whom a rank waits for at the end of a step.",
)
@click.option("--steps", default=1, type=click.IntRange(min=0), help="Steps of the model before each record.")
@click.option("--stripe-count", default=0, type=click.IntRange(min=0), help="Servers of the file.")
@click.option("--stripe-size", default=0, type=click.IntRange(min=0), help="Bytes.")
@click.option("--set", "settings", multiple=True, help="A key of Weir's configuration: key=value; again for more.")
@click.option("--seed", default=1, type=click.IntRange(min=0), help="Of the ranks' speeds.")
@click.option("--trace", default="", help="Write the timeline of the last mode here; weir report draws it.")
@click.option(
    "--against",
    "measured",
    multiple=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Results of weir-bench (--json), to compare with; again for more.",
)
def simulate(machine: str | None, measured: tuple[Path, ...], as_json: bool, **options) -> None:
    """What Weir's strategies would take on a machine, and where the time would go.

    With --against: how true that is of runs that were measured.
    """
    try:
        from weir import simulation
    except ImportError as error:
        raise click.ClickException(
            f"the simulator is not built: run make build and tools/install-deps --package ({error})"
        ) from error
    try:
        if measured:
            tell_truth(measured_beside(machine, measured), as_json)
            return
        answer, refused = simulate_modes(machine, request_of(options))
    except (simulation.Error, OSError) as error:
        raise click.ClickException(str(error)) from error
    if as_json:
        echo_json(answer)
    else:
        click.echo(runs_table(answer["runs"]))
    for words in refused:
        click.echo(f"Error: {words}", err=True)
    if refused:
        raise SystemExit(1)


def request_of(options: dict) -> dict:
    from weir.simulation import Error, split_modes

    config = {}
    for setting in options.pop("settings"):
        key, equals, value = setting.partition("=")
        if not equals:
            raise Error(f"--set {setting} is no setting; give key=value")
        config[key] = value
    compute = {
        "seconds": options.pop("compute"),
        "imbalance": options.pop("imbalance"),
        "kind": options.pop("imbalance_kind"),
        "halo": options.pop("halo"),
        "steps": options.pop("steps"),
    }
    return {**options, "modes": split_modes(options["modes"]), "compute": compute, "config": config}
