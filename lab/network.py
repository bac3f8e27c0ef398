# SPDX-License-Identifier: Apache-2.0
"""The lab's network: a bridge in the lab's own namespace, and a shaped card for each machine, all of it reachable from
nowhere else. Shaping is in both directions: what a machine sends at its card, what it gets at the bridge's port."""

from cluster import HEAD, HOSTS_NETWORK, SERVERS_NETWORK, Machine
from system import on, run

CARD = "eth0"
# A burst holds what the shaper may send between two ticks of the slowest kernel clock, at least a few large packets.
LEAST_BURST_BYTES = 256 << 10
TICKS_PER_SECOND = 250
LATENCY = "50ms"

# What the cards count: packets from and to the other hosts, and from and to storage.
COUNTERS = f"""
table ip lab {{
  counter hosts_sent {{ }}
  counter hosts_received {{ }}
  counter storage_sent {{ }}
  counter storage_received {{ }}
  chain sent {{
    type filter hook output priority 0
    oifname "{CARD}" ip daddr {HOSTS_NETWORK} counter name hosts_sent
    oifname "{CARD}" ip daddr {SERVERS_NETWORK} counter name storage_sent
  }}
  chain received {{
    type filter hook input priority 0
    iifname "{CARD}" ip saddr {HOSTS_NETWORK} counter name hosts_received
    iifname "{CARD}" ip saddr {SERVERS_NETWORK} counter name storage_received
  }}
}}
"""


def kernel_lacks(feature: str, module: str) -> str:
    return f"this kernel has no {feature} (modprobe {module}, or a kernel that has it)"


def make_bridge() -> None:
    run(["ip", "link", "add", "bridge", "type", "bridge"], kernel_lacks("network bridge", "bridge"))
    commands = ["link set lo up", f"address add {HEAD}/16 dev bridge", "link set bridge up"]
    run(["ip", "-batch", "-"], "the lab's bridge was refused", "\n".join(commands))


def attach(machine: Machine, pid: int) -> None:
    """Gives the machine whose namespaces process `pid` holds a card at the bridge."""
    pair = ["ip", "link", "add", machine.name, "type", "veth", "peer", "name", CARD, "netns", pid]
    run(pair, kernel_lacks("virtual Ethernet", "veth"))
    run(["ip", "link", "set", machine.name, "master", "bridge", "up"], f"no port of the bridge for {machine.name}")
    commands = ["link set lo up", f"address add {machine.address}/16 dev {CARD}", f"link set {CARD} up"]
    run(on(pid, ["ip", "-batch", "-"]), f"the card of {machine.name} was refused", "\n".join(commands))
    run(shape(CARD, machine.bits_per_second, pid), kernel_lacks("token bucket filter", "sch_tbf"))
    run(shape(machine.name, machine.bits_per_second), kernel_lacks("token bucket filter", "sch_tbf"))


def shape(device: str, bits_per_second: int, pid: int | None = None) -> list[str]:
    burst = max(LEAST_BURST_BYTES, bits_per_second // 8 // TICKS_PER_SECOND)
    shaper = ["tbf", "rate", f"{bits_per_second}bit", "burst", f"{burst}b", "latency", LATENCY]
    command = ["tc", "qdisc", "add", "dev", device, "root", *shaper]
    return command if pid is None else on(pid, command)


def count_traffic(pid: int) -> None:
    run(on(pid, ["nft", "-f", "-"]), kernel_lacks("packet counter", "nf_tables"), COUNTERS)
