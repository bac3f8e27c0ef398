# SPDX-License-Identifier: Apache-2.0
"""`weir tune`: simulates many configurations on a machine, and keeps the fastest in the table that `auto` reads."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from math import inf, isfinite
from pathlib import Path

import click

from weir import cache
from weir.progress import Runs, show_progress
from weir.tuning.machine import Machine, load_machine
from weir.verb import echo_json, verb


def percent(part: float, whole: float) -> str:
    return f"{100 * part / whole:.1f} %"


def describe_search(found: object, known: float, size: int, how: str) -> str:
    best = f"best of all {found.runs:,}" if how == "exact" else f"best of {found.runs:,} tried of {size:,} ({how})"
    if known < found.seconds:
        gap = percent(found.seconds - known, known)
        return f"{best}; gap to the best known: {gap}, and that one, of the table as it was, is kept"
    return best


@dataclass
class Tuning:
    """What was found for one shape of a run."""

    model: object
    run: dict  # the simulator's answer for the default
    found: object
    stripes: dict = field(default_factory=dict)  # of the file, where others than it has make the run faster
    lines: list[str] = field(default_factory=list)

    @property
    def default_seconds(self) -> float:
        return self.run["seconds"]


def search_by(how: str, space: object, model: object, budget: int, ran: Callable[[], None]) -> object:
    """`ran` is called after each run. Raises ImportError where the search's extra is not installed."""
    from weir.tuning import search

    def cost(config: dict) -> float:
        seconds = model.cost(config)
        ran()
        return seconds

    if how == "exact":
        return search.enumerate_all(space, cost)
    ways = {"descend": search.descend, "random": search.guess, "tpe": search.ask_tpe}
    return ways[how](space, cost, budget)


def known_before(old: object, tuning: Tuning) -> tuple[float, dict]:
    """What the table as it was has for this shape: the seconds now, and the configuration."""
    entry = next((e for e in old.entries if e.distance(entry_of(tuning)) == 0), None) if old else None
    return (tuning.model.cost(entry.config), entry.config) if entry else (inf, {})


def best_stripes(model: object, config: dict, servers: int) -> tuple[float, dict]:
    from weir.tuning.space import stripes_of

    tried = [(model.cost(config, **stripes), stripes) for stripes in stripes_of(servers)]
    return min(tried, key=lambda pair: pair[0], default=(inf, {}))


def run_default(machine: Machine, model: object) -> dict:
    """What a model gets that configures nothing. Raises ClickException where it is not possible."""
    from weir._simulate import default_strategy
    from weir.simulation import Error

    try:
        return model.run(default_strategy)
    except Error as error:
        name = machine.content["name"]
        raise click.ClickException(f"{model.ranks} ranks of {model.workload} cannot run on {name}: {error}") from error


def tune_one(machine: Machine, model: object, how: str, limits: tuple[int, float], old: object = None, runs: Runs | None = None) -> Tuning:
    from weir.tuning.space import ASKED, TAKEN, Space

    budget, seconds = limits
    begin = time.monotonic()
    tuning = Tuning(model, run_default(machine, model), None)
    job = model.job(int(tuning.run["variables"]))
    space = Space(job, TAKEN)
    if how == "auto":
        each = max(time.monotonic() - begin, 1e-3)
        how = "exact" if space.size() * each <= seconds else "descend"
    more = max(20, budget // 4)
    runs = runs or Runs()
    runs.expect((space.size() if how == "exact" else budget) + more)
    tuning.found = search_by(how, space, model, budget, runs.ran)
    asked = search_by("descend", Space(job, ASKED), model, more, runs.ran)
    known, config = known_before(old, tuning)
    told = describe_search(tuning.found, known, space.size(), how)
    if known < tuning.found.seconds:
        tuning.found.config, tuning.found.seconds = config, known
    took = time.monotonic() - begin
    tuning.lines = [*describe(tuning, space, job.nodes), f"  {told}, {took:.1f} s", *remarks(machine, tuning, asked)]
    return tuning


def describe(tuning: Tuning, space: object, nodes: int) -> list[str]:
    from weir._simulate import default_strategy
    from weir.tuning.space import words_of

    model, run, found, seconds = tuning.model, tuning.run, tuning.found, tuning.default_seconds
    gain = seconds - found.seconds
    strategy = str(found.config["strategy"])
    default = space.default_of(strategy) if strategy in space.choices else None
    megabytes = run["bytes"] / run["records"] / 1e6
    of_output = percent(gain_of_output(gain, run), 1)
    return [
        f"{model.ranks} ranks on {nodes} node{'s' * (nodes > 1)}, {model.workload}: {run['variables']} variables, "
        f"{megabytes:.4g} MB a record, {model.compute_seconds:g} s between outputs, {run['records']} records",
        f"  default  {seconds:10.4g} s   strategy: {default_strategy}",
        f"  best     {found.seconds:10.4g} s   {words_of(found.config, default)}",
        f"  gain     {gain:10.4g} s   {percent(gain, seconds)} of the run, and {of_output} of what its output costs",
    ]


def remarks(machine: Machine, tuning: Tuning, asked: object) -> Iterator[str]:
    from weir.tuning.space import words_of

    model, found = tuning.model, tuning.found
    if model.refusals:
        yield f"  {len(model.refusals)} configurations could not be simulated: {model.refusals[0]}"
        model.refusals.clear()
    if asked.seconds < found.seconds:
        less = percent(found.seconds - asked.seconds, found.seconds)
        yield f"  less still, but to be asked for: {words_of(asked.config)}: {asked.seconds:.4g} s ({less} less)"
    seconds, stripes = best_stripes(model, found.config, machine.servers) if machine.servers else (inf, {})
    if seconds < 0.99 * found.seconds:
        tuning.stripes = stripes
        less = percent(found.seconds - seconds, found.seconds)
        yield (
            f"  files on {stripes['stripe_count']} servers in stripes of {stripes['stripe_size'] >> 20} MiB: "
            f"{seconds:.4g} s ({less} less); how files lie is set in the folder (on Lustre by lfs setstripe)"
        )


def gain_of_output(gain: float, default: dict) -> float:
    """The share of the seconds that the model waits for its output by default."""
    return gain / default["visible_seconds"] if default["visible_seconds"] > 0 else 0.0


def entry_of(tuning: Tuning) -> object:
    from weir.tuning.table import Entry

    records, model = tuning.run["records"], tuning.model
    return Entry(
        ranks=model.ranks,
        hosts=-(-model.ranks // model.ranks_per_node),
        bytes_per_record=int(tuning.run["bytes"]) // records,
        variables=int(tuning.run["variables"]),
        compute_seconds=model.compute_seconds,
        config=tuning.found.config,
        seconds=float(f"{tuning.found.seconds / records:.6g}"),
        default_seconds=float(f"{tuning.default_seconds / records:.6g}"),
        stripes=tuning.stripes,
        packing=model.packed_as,
    )


def ranks_of_a_node(machine: Machine, ranks: int, asked: int) -> int:
    """On a machine of which one host was measured, all ranks are on it, however few cores it has."""
    one_host = "between" not in machine.content["network"]
    return asked or (ranks if one_host else min(ranks, machine.cores))


def usual_models(machine: Machine, **options: object) -> list[object]:
    """What is tuned where the user says nothing: few and many ranks, one node and some, small and large fields."""
    from weir.tuning.objective import Model

    nodes = [1, 2, 4] if "between" in machine.content["network"] else [1]
    a_node = sorted({4, 16, machine.cores} if machine.cores > 4 else {2, 4, 8, 16})
    return [
        Model(machine.text, ranks=ranks * count, ranks_per_node=ranks, scale=scale, **options)
        for count in nodes
        for ranks in a_node
        for scale in (0.001, 0.03, 1.0)  # a table's entry serves for eight times as much, and as little
    ]


def set_compute(model: object) -> None:
    """So that the model computes four times as long as it would wait for its output by default."""
    from weir._simulate import default_strategy
    from weir.simulation import Error

    try:
        run = model.run(default_strategy)
    except Error:
        return
    seconds = 4 * run["visible_seconds"] / run["records"]
    model.compute_seconds = float(f"{seconds:.3g}") if isfinite(seconds) else 0.0


@verb(example="weir tune\nweir tune --machine earthlab --ranks 512 --compute 5")
@click.option("--machine", help="A machine's name, or the file of its profile. Default: this machine's.")
@click.option("--ranks", multiple=True, type=click.IntRange(min=1), help="Of the model; again for more.")
@click.option("--ranks-per-node", default=0, type=click.IntRange(min=0), help="Default: the machine's cores.")
@click.option("--workload", default="weak", show_default=True, help="One of weir-bench's.")
@click.option(
    "--scale", default=1.0, show_default=True, type=click.FloatRange(min=0, min_open=True), help="Of its bytes."
)
@click.option("--records", default=4, show_default=True, type=click.IntRange(min=1), help="That a run writes.")
@click.option("--compute", type=click.FloatRange(min=0), help="Seconds between outputs. Default: four times an output.")
@click.option("--imbalance", default=0.1, show_default=True, type=click.FloatRange(0, 1), help="Of computing.")
@click.option("--format", "stored", default="classic", show_default=True, type=click.Choice(["classic", "netcdf4", "zarr"]), help="Of its files.")
@click.option("--compression", default="none", show_default=True, type=click.Choice(["none", "zlib", "zstd"]), help="Of netcdf4 and zarr.")
@click.option("--level", default=1, show_default=True, type=int, help="Of the compression.")
@click.option(
    "--search",
    "how",
    default="auto",
    show_default=True,
    type=click.Choice(["auto", "exact", "descend", "random", "tpe"]),
    help="auto: exact (all configurations) where --seconds are enough, else descend. tpe needs the extra [tpe].",
)
@click.option(
    "--budget", default=400, show_default=True, type=click.IntRange(min=1), help="Runs that a search simulates."
)
@click.option(
    "--seconds", default=5.0, show_default=True, type=click.FloatRange(min=0), help="For auto to take them all."
)
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path), help="Default: in the user's cache.")
def tune(machine: str | None, ranks: tuple[int, ...], how: str, output: Path | None, as_json: bool, **options) -> None:
    """Looks for the fastest configuration of runs on a machine, and keeps it for `strategy: auto`.

    What is compared are the seconds of the whole simulated run, computing and output. Without --ranks the runs are
    some usual ones, small and large.
    """
    from weir.tuning.table import Table

    if options["stored"] == "classic" and options["compression"] != "none":
        raise click.ClickException("classic files are not compressed: give --format netcdf4 or zarr")
    here = load_machine(machine)
    for warning in here.warnings:
        click.echo(f"tune: {warning}", err=True)
    table = Table(str(here.content["name"]), profile=str(here.content.get("measured", "")))
    path = output or default_path(table.machine)
    old = table_of(path, table.machine)
    models = models_of(here, ranks, options)
    with show_progress("tuning") as steps:
        steps.expect(len(models))
        for model in models:
            steps.note(f"{model.ranks} ranks")
            limits = (options["budget"], options["seconds"])
            with Runs(steps) as runs:
                tuning = tune_or_pass(lambda: tune_one(here, model, how, limits, old, runs), how, bool(ranks))
            if tuning is None:
                continue
            if not as_json:
                click.echo("\n".join(tuning.lines))
            table.entries.append(entry_of(tuning))
            table.hosts = max(table.hosts, table.entries[-1].hosts)
    keep(table, path)
    if as_json:
        echo_json({"table": str(path), "machine": table.machine, "entries": [vars(entry) for entry in table.entries]})
    else:
        click.echo(f"table: {path}")


def tune_or_pass(tune: Callable[[], Tuning], how: str, asked: bool) -> Tuning | None:
    """What was found; None where a run that nobody asked for does not fit the machine."""
    try:
        return tune()
    except ImportError as error:
        raise click.ClickException(f"--search {how} needs the extra [tpe]: pip install 'weir[tpe]' ({error})") from error
    except click.ClickException as error:
        if asked:
            raise
        click.echo(f"tune: passed over: {error.message}", err=True)
        return None


def default_path(machine: str) -> Path:
    """A table of another machine leaves this one's where it is."""
    from weir._simulate import machine_name

    return cache.tuned_path() if machine == machine_name() else cache.tuned_path_of(machine)


def table_of(path: Path, machine: str) -> object:
    """The table that is there; None where it is none, or another machine's."""
    from weir.tuning.table import TableError, read_table

    try:
        old = read_table(path)
    except (OSError, TableError):
        return None
    return old if old.machine == machine else None


def keep(table: object, path: Path) -> None:
    from weir.tuning.table import update

    if not table.entries:
        raise click.ClickException("no run fits this machine: there is nothing to keep")
    try:
        said = update(path, table)
    except OSError as error:
        raise click.ClickException(str(error)) from error
    if said:
        click.echo(f"tune: {said}", err=True)


def models_of(machine: Machine, ranks: tuple[int, ...], options: dict) -> list[object]:
    from weir.tuning.objective import Model

    common = {key: options[key] for key in ("workload", "records", "imbalance")}
    if options["stored"] != "classic":
        common["packing"] = {
            "format": options["stored"],
            "compression": options["compression"],
            "compression_level": options["level"],
        }
    models = [
        Model(
            machine.text,
            ranks=count,
            ranks_per_node=ranks_of_a_node(machine, count, options["ranks_per_node"]),
            scale=options["scale"],
            **common,
        )
        for count in ranks
    ] or usual_models(machine, **common)
    for model in models:
        if options["compute"] is None:
            set_compute(model)
        else:
            model.compute_seconds = options["compute"]
    return models
