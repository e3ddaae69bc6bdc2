"""By how much the clocks of tests/prog/waits and the capture's may differ."""

# Per switch: the scheduler counts CPU time from its choice of the next thread on, the capture from
# the switch that follows some 0.5 us later, or 10 where other tracers take their time in between.
SWITCH_NS = 15000
# Time that the machine's host took is counted in ticks.
TICK_NS = 10000000


def stolen_ns(line):
    """The most that the host took, by the program's line "stolen=NS"; None for another line."""
    name, _, value = line.strip().partition("=")
    return int(value) + 2 * TICK_NS if name == "stolen" else None
