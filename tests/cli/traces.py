"""Strict readers of traces that `eprof-render export` writes of timelines, for traces.test: slices,
instants, flows and counters by track, in order of time; what breaks a rule of the format, or
contradicts itself, is an AssertionError.

	traces.py FORMAT list FILE            what is in it, a line each
	traces.py FORMAT check FILE TRUTH     its slices are those of TRUTH, a line each

FORMAT is perfetto, or chrome. With perfetto PYTHONPATH has perfetto_pb2, which protoc makes of
perfetto.proto.
"""

import os
import sys
from collections import Counter, namedtuple

from formats import load

# A track's place: pid, tid, its name; "" for a thread's own.
Track = namedtuple("Track", "pid tid name")
SLICE, END, INSTANT, COUNTER = "slice", "end", "instant", "counter"


class Trace:
    """What was read: events per track, in the order of the file."""

    def __init__(self):
        self.events = []  # time, order, track, kind, name, facts
        self.threads, self.processes = {}, {}
        self.flows_from, self.flows_to = {}, {}

    def add(self, time, track, kind, name, facts=None):
        self.events.append((time, len(self.events), track, kind, name, facts or {}))

    def flow(self, ids, table, time, track):
        for flow in ids:
            assert flow and flow not in table, f"flow {flow} twice"
            table[flow] = (time, track)

    def in_time(self):
        """As viewers do: by time, of one time in the order of the file."""
        return sorted(self.events, key=lambda e: e[:2])


# --- Perfetto ----------------------------------------------------------------------------------


class Sequence:
    """The state that packets of one sequence share."""

    def __init__(self):
        self.now, self.clock, self.track = 0, False, 0
        self.names = {"event_names": {}, "event_categories": {}, "debug_annotation_names": {}}

    def learn(self, interned):
        for field, known in self.names.items():
            for entry in getattr(interned, field):
                assert entry.iid and entry.iid not in known, f"{field}: {entry.iid} twice"
                known[entry.iid] = entry.name

    def begin(self, packet):
        assert packet.sequence_flags == 1, "a sequence that does not begin by clearing its state"
        clocks = {c.clock_id: c for c in packet.clock_snapshot.clocks}
        assert clocks[64].is_incremental and not clocks[64].timestamp
        assert clocks[6].timestamp == 0, "the trace's clock is the capture's"
        defaults = packet.trace_packet_defaults
        assert defaults.timestamp_clock_id == 64
        self.track = defaults.track_event_defaults.track_uuid


def unknown_fields(message):
    """Fields that the schema has not, anywhere within."""
    from google.protobuf.unknown_fields import UnknownFieldSet  # pylint: disable=import-outside-toplevel
    found = len(UnknownFieldSet(message))
    for field, value in message.ListFields():
        if field.message_type:
            for one in value if field.label == field.LABEL_REPEATED else [value]:
                found += unknown_fields(one)
    return found


def packets(path):
    """One after the other, so that a long trace is never in memory as a whole."""
    import perfetto_pb2 as schema  # pylint: disable=import-outside-toplevel
    from google.protobuf.internal.decoder import _DecodeVarint  # pylint: disable=import-outside-toplevel
    with open(path, "rb") as f:
        data, at = f.read(), 0
    while at < len(data):
        assert data[at] == 0x0a, f"no packet at byte {at}"
        size, at = _DecodeVarint(data, at + 1)
        assert at + size <= len(data), "the last packet is cut off"
        packet = schema.TracePacket.FromString(data[at:at + size])
        try:
            assert not unknown_fields(packet), packet
        except ImportError:  # before protobuf 4.21
            pass
        yield packet
        at += size


def perfetto_track(tracks, uuid):
    d, names = tracks[uuid], []
    while not d.HasField("thread") and not d.HasField("process"):
        names.insert(0, d.name)
        if not d.parent_uuid:
            return Track(0, 0, "/".join(names))
        d = tracks[d.parent_uuid]
    if d.HasField("thread"):
        return Track(d.thread.pid, d.thread.tid, "/".join(names))
    return Track(d.process.pid, 0, "/".join(names))


def perfetto_facts(sequence, event):
    facts = {}
    for a in event.debug_annotations:
        name = sequence.names["debug_annotation_names"][a.name_iid]
        assert name not in facts
        facts[name] = getattr(a, a.WhichOneof("value"))
    categories = [sequence.names["event_categories"][c] for c in event.category_iids]
    if categories:
        facts["in"] = ",".join(categories)
    return facts


def perfetto_event(trace, sequence, tracks, event):
    uuid = event.track_uuid or sequence.track
    track, now = perfetto_track(tracks, uuid), sequence.now
    name = event.name or sequence.names["event_names"].get(event.name_iid, "")
    facts = perfetto_facts(sequence, event)
    assert event.type == event.TYPE_COUNTER or not tracks[uuid].HasField("counter")
    if event.type == event.TYPE_SLICE_BEGIN:
        assert name, "a slice without a name"
        trace.add(now, track, SLICE, name, facts)
    elif event.type == event.TYPE_SLICE_END:
        trace.add(now, track, END, name, facts)
    elif event.type == event.TYPE_INSTANT:
        trace.add(now, track, INSTANT, name, facts)
    else:
        assert event.type == event.TYPE_COUNTER and tracks[uuid].HasField("counter")
        field = event.WhichOneof("counter_value_field")
        trace.add(now, track, COUNTER, track.name, {"value": getattr(event, field)})
    trace.flow(event.flow_ids, trace.flows_from, now, track)
    trace.flow(event.terminating_flow_ids, trace.flows_to, now, track)


def perfetto_descriptor(trace, tracks, d):
    assert d.uuid and d.uuid not in tracks, f"track {d.uuid} twice"
    assert not d.parent_uuid or d.parent_uuid in tracks, "a parent that comes later"
    tracks[d.uuid] = d
    if d.HasField("thread"):
        key = (d.thread.pid, d.thread.tid)
        assert key not in trace.threads, f"thread {key} twice"
        trace.threads[key] = d.thread.thread_name
    if d.HasField("process"):
        trace.processes[d.process.pid] = d.process.process_name


def read_perfetto(path):
    trace, tracks, sequences = Trace(), {}, {}
    for packet in packets(path):
        number = packet.trusted_packet_sequence_id
        assert number
        if packet.first_packet_on_sequence:
            assert number not in sequences
            sequences[number] = Sequence()
            sequences[number].begin(packet)
            continue
        sequence = sequences[number]
        assert packet.sequence_flags == 2
        if packet.HasField("interned_data"):
            sequence.learn(packet.interned_data)
        if packet.HasField("track_descriptor"):
            perfetto_descriptor(trace, tracks, packet.track_descriptor)
            continue
        assert packet.HasField("track_event") and packet.HasField("timestamp")
        sequence.now += packet.timestamp
        perfetto_event(trace, sequence, tracks, packet.track_event)
    return trace


# --- Chrome ------------------------------------------------------------------------------------


def ns(number):
    """µs as they are in the file, in whole ns."""
    exact = round(number * 1000)
    assert abs(number * 1000 - exact) < 1e-3, number
    return exact


CHROME_THREADS = 1 << 30  # the first tid of a track that is no thread's own


def chrome_names(trace, events):
    """Names of tids, and which of them are tracks below a thread's: "main 10: waits"."""
    tracks = {}
    for e in events:
        if e["ph"] != "M":
            continue
        if e["name"] == "process_name":
            trace.processes[e["pid"]] = e["args"]["name"]
        elif e["name"] == "thread_name":
            key = (e["pid"], e["tid"])
            assert key not in tracks, f"thread {key} twice"
            tracks[key] = Track(*key, "")
            if e["tid"] < CHROME_THREADS:
                trace.threads[key] = e["args"]["name"]
            else:
                thread, name = e["args"]["name"].rsplit(": ", 1)
                tracks[key] = Track(e["pid"], int(thread.rsplit(" ", 1)[1]), name)
    return tracks


def chrome_event(trace, tracks, e):
    time, args = ns(e["ts"]), dict(e.get("args", {}))
    if e["ph"] == "C":
        thread, name = e["name"].rsplit(": ", 1) if ": " in e["name"] else ("0", e["name"])
        track = Track(e["pid"], int(thread.rsplit(" ", 1)[-1]), name)
        trace.add(time, track, COUNTER, name, {"value": args["value"]})
        return
    track = tracks[e["pid"], e["tid"]]
    if e.get("cat"):
        args["in"] = e["cat"]
    if e["ph"] == "X":
        trace.add(time, track, SLICE, e["name"], dict(args, end=time + ns(e["dur"])))
    elif e["ph"] == "i":
        assert e["s"] == "t"
        trace.add(time, track, INSTANT, e["name"], args)
    else:
        assert e["ph"] in "sf" and e["cat"] == "wakeup"
        trace.flow([e["id"]], trace.flows_from if e["ph"] == "s" else trace.flows_to, time, track)


def read_chrome(path):
    trace, file = Trace(), load(path)
    tracks = chrome_names(trace, file["traceEvents"])
    for e in file["traceEvents"]:
        if e["ph"] != "M":
            chrome_event(trace, tracks, e)
    return trace


# --- what is in it -----------------------------------------------------------------------------


def slices_by_ends(trace):
    """Slices of begins and ends, nested on each track."""
    open_slices, slices = {}, []
    for time, _, track, kind, name, facts in trace.in_time():
        stack = open_slices.setdefault(track, [])
        if kind == SLICE:
            stack.append((time, name, facts))
        elif kind == END:
            assert stack, f"{track}: an end at {time} of nothing"
            start, name, began = stack.pop()
            assert not set(began) & set(facts)
            slices.append((track, start, time, len(stack), name, dict(began, **facts)))
    assert not any(open_slices.values()), "a slice without an end"
    return slices


def slices_whole(trace):
    """Complete slices, in the order of the file: one that is around another comes before it."""
    open_slices, slices = {}, []
    for time, _, track, kind, name, facts in trace.in_time():
        if kind != SLICE:
            continue
        stack, facts = open_slices.setdefault(track, []), dict(facts)
        end = facts.pop("end")
        while stack and (stack[-1] < time or stack[-1] == time < end):
            stack.pop()
        assert not stack or end <= stack[-1], f"{track}: {name} at {time} overlaps"
        slices.append((track, time, end, len(stack), name, facts))
        stack.append(end)
    return slices


def slices_of(trace):
    ends = any(kind == END for _, _, _, kind, _, _ in trace.events)
    return slices_by_ends(trace) if ends else slices_whole(trace)


def words(facts):
    return "".join(f" {k}={v}" for k, v in sorted(facts.items()))


def check_flows(trace):
    assert set(trace.flows_to) <= set(trace.flows_from), "a flow that comes from nowhere"
    for flow, (time, _) in trace.flows_to.items():
        assert trace.flows_from[flow][0] <= time, f"flow {flow} goes back in time"


def show(trace):
    check_flows(trace)
    for pid, name in sorted(trace.processes.items()):
        print("process", pid, name)
    for (pid, tid), name in sorted(trace.threads.items()):
        print("thread", pid, tid, name)
    for track, start, end, depth, name, facts in sorted(slices_of(trace), key=lambda s: s[:4]):
        print("slice", track.tid, track.name or "-", f"{start}-{end}", depth, name + words(facts))
    for time, _, track, kind, name, facts in trace.in_time():
        if kind == INSTANT:
            print("instant", track.tid, track.name or "-", time, name + words(facts))
        elif kind == COUNTER:
            print("counter", track.tid or track.pid, time, name, f"{facts['value']:g}")
    for flow, (time, track) in sorted(trace.flows_to.items()):
        start = trace.flows_from[flow]
        print("flow", f"{start[1].tid}@{start[0]}", f"{track.tid}@{time}")


def check(trace, truth, path):
    check_flows(trace)
    with open(truth, encoding="utf-8") as f:
        expected = Counter(line.rstrip("\n") for line in f)
    found = Counter("\t".join(map(str, (*t, start, end, depth, name)))
                    for t, start, end, depth, name, _ in slices_of(trace))
    assert found == expected, (list((found - expected).items())[:5],
                               list((expected - found).items())[:5])
    calls = sum(expected.values())
    print("slices", calls, "bytes an event", -(-os.path.getsize(path) // (2 * calls)))


if __name__ == "__main__":
    trace_read = {"perfetto": read_perfetto, "chrome": read_chrome}[sys.argv[1]](sys.argv[3])
    if sys.argv[2] == "list":
        show(trace_read)
    else:
        check(trace_read, sys.argv[4], sys.argv[3])
