# SPDX-License-Identifier: Apache-2.0
"""`weir tune`: simulates many configurations on a machine, and keeps the fastest in the table that `auto` reads."""

import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from math import inf, isfinite
from pathlib import Path

import click
import yaml

from weir import cache

OLD_DAYS = 183
NOTHING_YET = "there is no profile of this machine: run `weir profile` first, or name a machine with --machine"


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

    own = cache.profile_path(machine_name())
    path = own if own.is_file() else cache.latest_profile()
    try:
        if name:
            path = cache.profile_path(name) if cache.profile_path(name).is_file() else find_machine(name)
        if path is None:
            raise click.ClickException(NOTHING_YET)
        text = path.read_text(encoding="utf-8")
        profile_of = check_profile(text, str(path))
    except (Error, OSError, UnicodeDecodeError) as error:
        raise click.ClickException(str(error)) from error
    machine = Machine(path, text, yaml.safe_load(text))
    if profile_of != machine_name():
        machine.warnings.append(
            f"the profile is of the machine {profile_of}, and this one is {machine_name()}: here the table counts for nothing"
        )
    if warning := age_warning(machine.content):
        machine.warnings.append(warning)
    return machine


def percent(part: float, whole: float) -> str:
    return f"{100 * part / whole:.1f} %"


def describe_search(name: str, runs: int, size: int, exact: bool) -> str:
    if exact:
        return f"gap to the best known: 0.0 % (it is the best: all {runs} configurations were simulated)"
    return f"gap to the best known: 0.0 % (nothing better is known; {name}, {runs} of up to {size} configurations)"


@dataclass
class Tuning:
    """What was found for one shape of a run."""

    model: object
    run: dict  # the simulator's answer for the default
    found: object
    asked: object
    default_seconds: float
    lines: list[str]


def search_by(name: str, space: object, cost: object, budget: int) -> tuple[object, bool]:
    """What a search finds, and whether that is everything there is."""
    from weir.tuning import search

    if name == "exact" or (name == "auto" and space.size() <= budget):
        return search.enumerate_all(space, cost), True
    ways = {"auto": search.descend, "descend": search.descend, "random": search.guess, "tpe": search.ask_tpe}
    return ways[name](space, cost, budget), False


def tune_one(machine: Machine, model: object, how: str, budget: int) -> Tuning:
    """Raises ClickException where no configuration is possible."""
    from weir.simulation import Error
    from weir.tuning.space import ASKED, TAKEN, Space, words_of

    try:
        default = model.run("remap")
    except Error as error:
        raise click.ClickException(
            f"{model.ranks} ranks of {model.workload} cannot run on {machine.content['name']}: {error}"
        ) from error
    job = model.job(int(default["variables"]), machine.servers, machine.cores)
    space = Space(job, TAKEN)
    begin = time.monotonic()
    found, exact = search_by(how, space, model.cost, budget)
    assert found.config is not None
    asked, _ = search_by("descend", Space(job, ASKED), model.cost, max(20, budget // 4))
    seconds = default["seconds"]
    gain = seconds - found.seconds
    strategy_defaults = space.default_of(str(found.config["strategy"]))
    lines = [
        f"{model.ranks} ranks on {job.nodes} node{'s' * (job.nodes > 1)}, {model.workload}, {default['variables']} variables,"
        f" {default['bytes'] / default['records'] / 1e6:.4g} MB a record, {model.compute_seconds:g} s between outputs",
        f"  default  {seconds:10.4g} s   strategy: remap",
        f"  best     {found.seconds:10.4g} s   {words_of(found.config, strategy_defaults)}",
        f"  gain     {gain:10.4g} s   {percent(gain, seconds)} of the run; {percent(gain_of_output(gain, default), 1)} of what "
        f"the output costs",
        f"  {describe_search(how if how != 'auto' else 'descent', found.runs, space.size(), exact)},"
        f" {time.monotonic() - begin:.1f} s",
    ]
    if asked.seconds < found.seconds:
        more = " and takes a rank more" if "rank" in str(asked.config) else ""
        lines.append(
            f"  faster still, but to be asked for: {words_of(asked.config)}: {asked.seconds:.4g} s "
            f"({percent(found.seconds - asked.seconds, found.seconds)} less{more})"
        )
    return Tuning(model, default, found, asked, seconds, lines)


def gain_of_output(gain: float, default: dict) -> float:
    """The share of the seconds that the model waits for its output by default."""
    return gain / default["visible_seconds"] if default["visible_seconds"] > 0 else 0.0


def entry_of(tuning: Tuning, hosts: int) -> object:
    from weir.tuning.space import STRIPE_KEYS
    from weir.tuning.table import Entry

    records = tuning.run["records"]
    config = {key: value for key, value in tuning.found.config.items() if key not in STRIPE_KEYS}
    stripes = {key: tuning.found.config[key] for key in STRIPE_KEYS if tuning.found.config.get(key)}
    return Entry(
        ranks=tuning.model.ranks,
        hosts=hosts,
        bytes_per_record=int(tuning.run["bytes"]) // records,
        variables=int(tuning.run["variables"]),
        compute_seconds=tuning.model.compute_seconds,
        config=config,
        seconds=float(f"{tuning.found.seconds / records:.6g}"),
        default_seconds=float(f"{tuning.default_seconds / records:.6g}"),
        stripes=stripes,
    )


def usual_models(machine: Machine, **options: object) -> list[object]:
    """What is tuned where the user says nothing: few and many ranks of a node and of some nodes, small and large fields."""
    from weir.tuning.objective import Model

    several = "between" in machine.content["network"]
    nodes = [1, 2, 4] if several else [1]
    ranks = sorted({2, 4, max(4, machine.cores), 16} if machine.cores < 16 else {4, 16, machine.cores})
    return [
        Model(machine.text, ranks=a_node * count, ranks_per_node=a_node, scale=scale, **options)
        for count in nodes
        for a_node in ranks
        for scale in (0.01, 1.0)
    ]


def set_compute(model: object) -> None:
    """So that the model computes four times as long as it would wait for its output by default."""
    from weir.simulation import Error

    try:
        run = model.run("remap")
    except Error:
        return
    seconds = 4 * run["visible_seconds"] / run["records"]
    model.compute_seconds = float(f"{seconds:.3g}") if isfinite(seconds) and seconds < inf else 0.0


@click.command()
@click.option("--machine", help="A machine's name, or the file of its profile. Default: this machine's.")
@click.option("--ranks", multiple=True, type=click.IntRange(min=1), help="Of the model; again for more.")
@click.option("--ranks-per-node", default=0, type=click.IntRange(min=0), help="Default: the machine's cores.")
@click.option("--workload", default="weak", show_default=True, help="One of weir-bench's.")
@click.option("--scale", default=1.0, show_default=True, type=click.FloatRange(min=0, min_open=True), help="Of its bytes.")
@click.option("--records", default=4, show_default=True, type=click.IntRange(min=1), help="That a run writes.")
@click.option("--compute", type=click.FloatRange(min=0), help="Seconds between outputs. Default: four times an output.")
@click.option("--imbalance", default=0.1, show_default=True, type=click.FloatRange(0, 1), help="Of computing.")
@click.option(
    "--search",
    "how",
    default="auto",
    show_default=True,
    type=click.Choice(["auto", "exact", "descend", "random", "tpe"]),
    help="auto: all configurations where they are within the budget, else descend. tpe needs the extra [tpe].",
)
@click.option("--budget", default=400, show_default=True, type=click.IntRange(min=1), help="Runs to simulate a shape.")
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path), help="Default: the user's cache.")
def tune(machine: str | None, ranks: tuple[int, ...], compute: float | None, how: str, budget: int, **options) -> None:
    """Looks for the fastest configuration of runs on a machine, and keeps it for `strategy: auto`.

    What is compared are the seconds of the whole simulated run, computing and output. Without --ranks the runs are
    some usual ones, small and large.
    """
    from weir.tuning.table import Table, update

    here = load_machine(machine)
    for warning in here.warnings:
        click.echo(f"tune: {warning}", err=True)
    output, models = options.pop("output"), models_of(here, ranks, options)
    table = Table(str(here.content["name"]), profile=str(here.content.get("measured", "")))
    for model in models:
        if compute is None:
            set_compute(model)
        else:
            model.compute_seconds = compute
        try:
            tuning = tune_one(here, model, how, budget)
        except ImportError as error:
            raise click.ClickException(f"--search {how} needs the extra [tpe]: pip install 'weir[tpe]' ({error})") from error
        except click.ClickException as error:
            if ranks:
                raise
            click.echo(f"tune: passed over: {error.message}", err=True)
            continue
        click.echo("\n".join(tuning.lines))
        hosts = -(-model.ranks // (model.ranks_per_node or here.cores))
        table.hosts = max(table.hosts, hosts)
        table.entries.append(entry_of(tuning, hosts))
    if not table.entries:
        raise click.ClickException("no run fits this machine: there is nothing to keep")
    path = output or cache.tuned_path()
    try:
        said = update(path, table)
    except OSError as error:
        raise click.ClickException(str(error)) from error
    if said:
        click.echo(f"tune: {said}", err=True)
    click.echo(f"table: {path}")


def models_of(machine: Machine, ranks: tuple[int, ...], options: dict) -> list[object]:
    from weir.tuning.objective import Model

    common = {key: options[key] for key in ("workload", "records", "imbalance")}
    if not ranks:
        return usual_models(machine, **common)
    shape = {"ranks_per_node": options["ranks_per_node"], "scale": options["scale"]}
    return [Model(machine.text, ranks=count, **shape, **common) for count in ranks]
