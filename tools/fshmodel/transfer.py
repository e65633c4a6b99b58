# SPDX-License-Identifier: BSD-3-Clause
"""PUT and GET by size, in cycles from the acceptance of a command.

A packet is a header beat and its payload's beats, one a cycle (docs/02_reference/formats.md).
What the first beat passes through is the sum of the depths that the modules state.
"""
from math import ceil


def packets(system, n, packet=None):
    packet = packet or system["link"]["packet_bytes"]
    return max(1, ceil(n / packet))


def beats(system, n, packet=None):
    """Link beats of a message of n bytes, headers included."""
    link = system["link"]
    return (packets(system, n, packet) * link["header_beats"]
            + ceil(n / link["beat_bytes"]))


def efficiency(system, packet=None):
    """Payload share of the beats of full packets."""
    packet = packet or system["link"]["packet_bytes"]
    payload = packet / system["link"]["beat_bytes"]
    return payload / (payload + system["link"]["header_beats"])


def header(system):
    """Until a Short's header is received."""
    p = system["pipeline"]
    return (p["sequencer"] + p["send_queue"] + p["link_tx"] + system["link"]["cycles"]
            + p["link_rx"] + p["receiver"] - 1)


def put_base(system):
    """Until the response to the payload's write, excluding the beats of its packets."""
    return (header(system) + 1 + system["dram"]["read_cycles"]
            + system["pipeline"]["write"] + system["dram"]["write_cycles"])


def _port_beats(system, n, packet, ports):
    """Beats of the busiest port: packets are distributed round-robin."""
    packet = packet or system["link"]["packet_bytes"]
    count = packets(system, n, packet)
    if ports == 1 or count == 1:
        return beats(system, n, packet)
    mine = ceil(count / ports)
    last = n - (count - 1) * packet
    if (count - 1) % ports == 0:
        return beats(system, (mine - 1) * packet + last, packet)
    return beats(system, mine * packet, packet)


def put(system, n, packet=None, ports=1, count=1):
    """Until the last byte of `count` messages of n bytes is written."""
    one = _port_beats(system, n, packet, ports)
    submit = system["pipeline"]["submit"]
    flow = _port_beats(system, n, packet, 1) / (1 if ports == 1 else ports)
    if packets(system, n, packet) > 1:
        flow = one
    memory = n / system["dram"]["bytes_cycle"]
    return put_base(system) + one + (count - 1) * max(submit, flow, memory)


def get(system, n, packet=None, ports=1, count=1):
    """The same for GETs: the request's header travels, is served, and a PUT comes back."""
    return (put(system, n, packet, ports, count) + header(system) + 1
            + system["pipeline"]["served"])
