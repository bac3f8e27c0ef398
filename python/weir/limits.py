# SPDX-License-Identifier: Apache-2.0
"""What limits a run, from its report and, where there is one, its trace: a few sentences, the most costly limit first.

Each has the number that shows it and the key or call to try. The seconds of a limit are those that the model would have
waited less without it, as near as the report tells: steps lie within each other, so they need not add up.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from weir.trace import MODEL, Trace

MOST_SENTENCES = 3
LEAST_SHARE = 0.1  # of what the model waited, from which a limit is named beside the first
SMALL_PUT_BYTES = 16384  # of a rank
MANY_PUTS = 50  # fewer cost nothing worth a word, whatever their size
SMALL_PIECE_BYTES = 1048576
OTHERS_EACH_TIME = 1.2  # times the lateness of the last rank, that ranks waited where the last one is not always the same
ROUNDS = 2  # cycles a put, from which puts are cut because of memory
MEMORY_FULL = 0.4  # of buffer_limit: half of it are tiles
DYNAMIC = {"strategy": "dynamic"}
MORE_WRITERS = {"writers_per_host": "2"}


@dataclass
class Facts:
    """Of the ranks of the model alone, where servers or a control rank stand beside them."""

    visible: list[float]  # seconds each rank waited, for Weir and for late ranks
    ranks: list[int]  # their numbers in the job
    steps: dict[str, dict[str, float]]  # mean and max
    report: dict
    written_visibly: float  # seconds of writing that no computing hid, of the rank that wrote longest
    all_written_visibly: float  # the same of all ranks together, as it is where they write in turns
    eager_commits: list[float] = field(default_factory=list)  # seconds of those right after puts, of one rank
    computing: float = 0.0  # seconds a rank was outside Weir; 0 without a trace

    @property
    def waited(self) -> float:
        return max(self.visible, default=0.0)

    def mean(self, step: str) -> float:
        return self.steps[step]["mean"]

    def most(self, step: str) -> float:
        return self.steps[step]["max"]

    @property
    def accumulated(self) -> dict[str, float]:
        """Seconds of folding samples of streams: mean and max."""
        streams = self.report.get("streams")
        return streams["accumulate_seconds"] if streams else {"mean": 0.0, "max": 0.0}

    @property
    def mean_lateness(self) -> float:
        """What ranks waited longer than the one that waited least, on the average."""
        return sum(self.visible) / len(self.visible) - min(self.visible)

    @property
    def in_rounds(self) -> bool:
        return self.report["cycles"] > ROUNDS * self.report["puts"]

    @property
    def put_bytes(self) -> float:
        """What one rank puts at a time."""
        return self.report["bytes_put"] / max(1, self.report["puts"]) / len(self.visible)


@dataclass
class Limit:
    seconds: float
    sentence: str
    change: dict[str, str] = field(default_factory=dict)  # of the configuration, that the sentence tells to try


def rank_numbers(report: dict) -> list[int]:
    """Of each rank of a report, its number in the job; older reports do not tell it."""
    return report["per_rank"].get("job_rank", list(range(len(report["per_rank"]["visible_seconds"]))))


def gather(report: dict, trace: Trace | None) -> Facts:
    share = report["per_rank"]
    in_calls = [for_weir + late for for_weir, late in zip(share["visible_seconds"], share["late_seconds"], strict=True)]
    having = [r for r, seconds in enumerate(in_calls) if seconds > 0]
    numbers = rank_numbers(report)
    hidden = sum(share["hidden_seconds"]) - sum(share["slack_seconds"])
    written = report["seconds"]["write"]["mean"] * report["ranks"]
    facts = Facts(
        visible=[in_calls[r] for r in having],
        ranks=[numbers[r] for r in having],
        steps=report["seconds"],
        report=report,
        all_written_visibly=max(0.0, written - hidden),
        written_visibly=report["seconds"]["write"]["max"] * max(0.0, written - hidden) / max(written, 1e-9),
    )
    if trace and trace.ranks:
        facts.eager_commits = max((rank.eager_commits for rank in trace.ranks), key=sum)
        facts.computing = sum(rank.seconds().get(MODEL, 0.0) for rank in trace.ranks) / len(trace.ranks)
    return facts


def counted(number: int, word: str) -> str:
    return f"{number:,} {word}" + ("" if number == 1 else "s")


def each_of(ranks: int) -> str:
    return "one rank" if ranks == 1 else f"each of {counted(ranks, 'rank')}"


def seconds(value: float) -> str:
    return f"{value:.3g} s"


def size(count: float) -> str:
    for unit, bytes_of_unit in (("GB", 1e9), ("MB", 1e6), ("KB", 1e3)):
        if count >= bytes_of_unit:
            return f"{count / bytes_of_unit:.3g} {unit}"
    return f"{count:.0f} bytes"


def late_ranks(facts: Facts) -> Limit:
    """Always the same ones, or others each time: these all wait alike, and neither storage nor messages explain it."""
    longest, least = facts.waited, min(facts.visible)
    cure = "share the model's work out more evenly"
    change = {}
    if facts.report["strategy"] != "dynamic":
        change = DYNAMIC
        cure += ", or try `strategy: dynamic`, under which a rank waits for others only where it has to"
    else:
        cure += ", or call weir_sync less often: each waits for the last rank"
    same = Limit(
        longest - least,
        f"Late ranks: rank {facts.ranks[facts.visible.index(longest)]} waited {seconds(longest)} in Weir's calls and "
        f"rank {facts.ranks[facts.visible.index(least)]}, which comes last, {seconds(least)}; {cure}.",
        change,
    )
    unexplained = facts.most("wait") - max(facts.most("write"), facts.all_written_visibly) - facts.most("plan")
    by_turns = unexplained > OTHERS_EACH_TIME * same.seconds
    if not by_turns or facts.in_rounds or facts.report["messages"] or facts.put_bytes < SMALL_PUT_BYTES:
        return same
    return Limit(
        unexplained,
        f"Late ranks: a rank waited up to {seconds(facts.most('wait'))} for others, which came after it, of the "
        f"{seconds(longest)} that the model waited; {cure}.",
        change,
    )


def storage(facts: Facts) -> Limit:
    report = facts.report
    change = MORE_WRITERS
    written = size(sum(report["per_rank"]["bytes_written"]))
    if report["strategy"] in ("dynamic", "servers"):
        cure = (
            "try more writers (`writers_per_variable`, `writers_per_host`), files striped over more servers, or fewer "
            "or smaller records"
        )
    else:
        change = DYNAMIC
        cure = (
            "try `strategy: dynamic`, which writes while the model computes, or `writers_per_host: 2` where one process "
            "cannot fill the storage"
        )
    return Limit(
        min(facts.written_visibly, facts.waited),
        f"The storage: writing {written} took up to {seconds(facts.most('write'))} on "
        f"{each_of(report['ranks_that_wrote'])}, where the model waited {seconds(facts.waited)}; {cure}.",
        change,
    )


def memory(facts: Facts) -> Limit:
    report = facts.report
    limit = report["buffer_limit_bytes"]
    if facts.in_rounds:  # what is written in small pieces takes longer, too
        small = report["bytes_put"] < SMALL_PIECE_BYTES * report["cycles"]
        written = 0.0 if small else facts.written_visibly
        return Limit(
            facts.waited - facts.mean_lateness - written - facts.most("put") - facts.most("plan"),
            f"The memory limit: {counted(report['puts'], 'put')} went in {report['cycles']:,} rounds, since a `buffer_limit` of "
            f"{limit:,} bytes holds no more of a variable at a time; try `buffer_limit: {enough_memory(facts)}`.",
            {"buffer_limit": enough_memory(facts)},
        )
    full = report["high_water_bytes"] >= MEMORY_FULL * limit
    return Limit(
        0.5 * min(facts.most("wait"), facts.waited - facts.mean_lateness) if full and report["hidden_seconds"] else 0.0,
        f"The memory limit: {report['high_water_bytes']:,} of the {limit:,} bytes of `buffer_limit` were full, so that "
        f"puts waited for writing to free some; try `buffer_limit: {mebibytes(2 * limit)}`.",
        {"buffer_limit": mebibytes(2 * limit)},
    )


def mebibytes(count: float) -> str:
    whole = 1
    while whole * 2**20 < count:
        whole *= 2
    return f"{whole}MiB"


def enough_memory(facts: Facts) -> str:
    """So that a quarter of it holds what is put at a time, twice; in whole powers of two."""
    wanted = 8 * facts.put_bytes * len(facts.visible)
    return mebibytes(max(wanted, 2 * facts.report["buffer_limit_bytes"]))


def network(facts: Facts) -> Limit:
    report = facts.report
    transit = max(0.0, facts.mean("wait") - facts.mean_lateness - facts.written_visibly)
    cost = facts.most("forward") + facts.most("rearrange") + transit
    return Limit(
        cost if report["messages"] else 0.0,
        f"The network: {counted(report['messages'], 'message')} of {size(report['message_bytes'])} in all kept ranks for "
        f"{seconds(cost)} of the {seconds(facts.waited)} that the model waited; initialise MPI with MPI_THREAD_MULTIPLE, "
        "so that pieces travel while the model computes, or try `writers_per_host: 2`.",
        MORE_WRITERS,
    )


def copies(facts: Facts) -> Limit:
    rate = facts.put_bytes * facts.report["puts"] / max(facts.mean("put"), 1e-9)
    return Limit(
        facts.most("put"),
        f"Copies: taking the data out of the model's arrays took up to {seconds(facts.most('put'))} of the "
        f"{seconds(facts.waited)} that the model waited ({size(rate)}/s a rank); give arrays of the type that the file "
        "has, in its order of dimensions, or put less.",
    )


def accumulating(facts: Facts) -> Limit:
    """The bytes of all ranks went through the mean rank's seconds, a rank's share each."""
    seconds_of_rank = facts.accumulated
    took = facts.report["streams"]["bytes_sent"] if seconds_of_rank["max"] > 0 else 0
    rate = took / len(facts.visible) / max(seconds_of_rank["mean"], 1e-9)
    return Limit(
        seconds_of_rank["max"],
        f"Accumulating: folding {size(took)} of samples into the means and extremes of streams took up to "
        f"{seconds(seconds_of_rank['max'])} of the {seconds(facts.waited)} that the model waited ({size(rate)}/s a rank); "
        "send fields less often, or fewer of them.",
    )


def calls_themselves(facts: Facts) -> Limit:
    """What no step has: the calls themselves, and meeting in them."""
    known = sum(facts.mean(step) for step in ("plan", "put", "forward", "rearrange", "commit", "wait"))
    known += facts.accumulated["mean"]
    written = facts.written_visibly * facts.report["ranks_that_wrote"] / len(facts.visible)
    calls = sum(facts.visible) / len(facts.visible) - known - written
    if facts.put_bytes < SMALL_PUT_BYTES and not facts.report["messages"]:
        calls += max(0.0, facts.mean("wait") - facts.mean_lateness - facts.written_visibly)
    calls = 0.0 if facts.in_rounds else max(0.0, calls)
    puts = max(1, facts.report["puts"])
    cure = "define layouts once (weir_def_layout) for weir_put, which meets no other rank where weir_put_vara does"
    if facts.put_bytes < SMALL_PUT_BYTES and puts >= MANY_PUTS:
        return Limit(
            calls,
            f"Too many small puts: {counted(puts, 'put')} of {size(facts.put_bytes)} a rank cost {1e6 * calls / puts:,.0f} "
            f"microseconds each beside the copy; put more at a time, and {cure}.",
        )
    return Limit(
        calls,
        f"Calls in which the ranks meet: {seconds(calls)} of the {seconds(facts.waited)} that the model waited are in no "
        f"step, but in definitions, reading and {counted(puts, 'put')} by weir_put_vara or a bridge; {cure}.",
    )


def plans(facts: Facts) -> Limit:
    return Limit(
        facts.most("plan"),
        f"Planning: {counted(facts.report['plans'], 'plan')} of who writes what took up to {seconds(facts.most('plan'))} "
        f"of the {seconds(facts.waited)} that the model waited; a layout is planned at its first put, so define it once "
        "(weir_def_layout) and use it again.",
    )


def commits(facts: Facts) -> Limit:
    """Storage comes before it where both cost the same: without a trace nobody knows whether the model computes."""
    cure = "call weir_sync before the puts of the next record, so that writing goes on while the model computes"
    eager = sum(facts.eager_commits)
    if eager > 0 and facts.computing >= eager:
        return Limit(
            1.05 * eager,
            f"Commits right after puts: {len(facts.eager_commits):,} times weir_sync came at once after the puts, and "
            f"waited {seconds(eager)} until they were written; {cure}.",
        )
    if facts.computing > 0 and eager == 0:
        cure = "they come after computing already, but for the last one, which nothing hides: a longer run makes up for it"
    return Limit(
        0.9 * (facts.most("commit") - facts.mean_lateness),
        f"Commits: weir_sync and weir_close took up to {seconds(facts.most('commit'))} of the {seconds(facts.waited)} "
        f"that the model waited, since they wait until all that was put is written; {cure}.",
    )


LIMITS = (late_ranks, storage, memory, network, copies, accumulating, calls_themselves, plans, commits)


def limits(report: dict, trace: Trace | None, gain: Callable[[dict[str, str]], str] | None = None) -> list[str]:
    """At the most three sentences, and one at the least; none where nothing was put. gain: what a change of the
    configuration would bring, as a sentence, or ""."""
    facts = gather(report, trace)
    if not facts.visible or not report["puts"]:
        return []
    found = sorted((limit(facts) for limit in LIMITS), key=lambda limit: -limit.seconds)
    others = [limit for limit in found[1:] if limit.seconds >= LEAST_SHARE * facts.waited]
    told = [found[0], *others][:MOST_SENTENCES]
    return [
        f"{limit.sentence} {gain(limit.change)}".rstrip()
        if gain and limit.change and limit.change not in [earlier.change for earlier in told[:i]]
        else limit.sentence
        for i, limit in enumerate(told)
    ]
