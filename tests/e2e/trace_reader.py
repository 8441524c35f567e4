"""Reads traces that `trauma gen --trace` wrote, with nothing of the program's own, and plays a simulator with them.

    trace_reader.py check FOLDER            a program's trace against its program.trace.json and its manifest
    trace_reader.py play SUITE TABLES       writes, for each line KEY=VALUE of the input, or "none", a table TABLES/LINE of what a
                                            simulator with that cache, or that fault, counts
    trace_reader.py pycachesim SUITE [KEY=VALUE]  the same by the package pycachesim
"""

import collections
import functools
import glob
import json
import lzma
import os
import struct
import sys

STACK, FLAGS, POINTER = 6, 25, 26
# indirect, address: of an instruction; where an indirect branch led is the address of the next
Entry = collections.namedtuple("Entry", "instruction conditional taken accesses indirect address", defaults=(False, 0))
RECORD = struct.Struct("<QBB2B4B2Q4Q")


class Cache:
    """Sets of lines, the most recent last."""

    def __init__(self, sets, ways, below, policy="LRU", bits=6, skipped=0):
        self.sets = [collections.OrderedDict() for _ in range(sets)]
        self.ways, self.below, self.policy, self.misses = ways, below, policy, 0
        self.bits, self.skipped = bits, skipped

    def access(self, address, fill=True):
        line = address >> self.bits
        lines = self.sets[(line >> self.skipped) % len(self.sets)]
        if line in lines:
            if self.policy != "FIFO":
                lines.move_to_end(line)
            return True
        self.misses += 1
        if self.below is not None:
            self.below.access(address)
        if fill:
            if len(lines) == self.ways:
                lines.popitem(last=self.policy == "MRU")
            lines[line] = None
        return False


def notes(folder):
    with open(os.path.join(folder, "program.trace.json")) as file:
        return json.load(file)


@functools.cache
def champsim_kind(writes, reads):
    """As ChampSim's inc/instruction.h tells it."""
    writes_pointer, writes_stack = POINTER in writes, STACK in writes
    reads_pointer, reads_stack, reads_flags = POINTER in reads, STACK in reads, FLAGS in reads
    reads_other = any(r not in (0, STACK, FLAGS, POINTER) for r in reads)
    if not writes_pointer:
        return None
    if not reads_stack and not reads_flags and not reads_other:
        return "jump"
    if not reads_stack and not reads_pointer and not reads_flags and reads_other:
        return "indirect"
    if not reads_stack and reads_pointer and not writes_stack and (reads_flags or reads_other):
        return "conditional"
    if reads_stack and reads_pointer and writes_stack:
        return "call"
    return "return" if reads_stack and writes_stack else "other"


def memtrace_entries(path, isa):
    """DynamoRIO's trace_entry_t, by the rules of its file_reader.h and reader.cpp."""
    read = struct.Struct("<HHQ")
    instructions = range(10, 17)
    with open(path, "rb") as file:
        found = [read.unpack(data) for data in iter(lambda: file.read(read.size), b"")]
    types = [kind for kind, _, _ in found]
    assert types[0] == 25 and found[0][2] == 5 and types[-2:] == [23, 26], "no header, or no end"
    start = types.index(24)
    assert types.index(22) < start and set(types[1:start]) <= {22, 28}, types[:start]
    markers = {size: value for kind, size, value in found[:start] if kind == 28}
    assert markers[9] == {"x86_64": 0x40, "aarch64": 0x08}.get(isa, 0), markers
    target, follows = None, None
    for kind, size, value in found[start + 1:-2]:
        if kind == 28:
            target = value if size == 29 else target
        elif kind in (0, 1):
            assert size > 0
            yield Entry(False, False, False, [(value, kind == 1)])
        else:
            assert kind in instructions or kind in (48, 49), kind
            assert follows is None or follows(value), (hex(value), "does not follow")
            assert (target is not None) == (kind in (12, 15, 16)), "the target of an indirect branch"
            after, led = value + size, target
            follows = ((lambda at, led=led: at == led) if target is not None else
                       None if kind in (11, 14) else
                       (lambda at, after=after: at != after) if kind == 48 else
                       (lambda at, after=after: at == after))
            target = None
            yield Entry(True, kind in (48, 49), kind == 48, [], kind == 12, value)


def entries(folder):
    """Yields an Entry per entry of the format; its accesses are [(address, store)]."""
    what = notes(folder)
    path = os.path.join(folder, what["file"])
    if what["format"] == "dinero":
        with open(path) as file:
            for line in file:
                label, address = line.split()
                yield Entry(label == "2", False, False, [] if label == "2" else [(int(address, 16), label == "1")])
        return
    if what["format"] == "drmemtrace":
        yield from memtrace_entries(path, what["isa"])
        return
    assert what["format"] == "champsim", what["format"]
    last = None
    with lzma.open(path) if path.endswith(".xz") else open(path, "rb") as file:
        for ip, branch, taken, *rest in RECORD.iter_unpack(file.read()):
            writes, reads, stores, loads = tuple(rest[:2]), tuple(rest[2:6]), rest[6:8], rest[8:]
            kind = champsim_kind(writes, reads)
            assert (kind is not None) == bool(branch), (hex(ip), kind, branch)
            yield Entry(ip != last or branch, kind == "conditional", kind == "conditional" and taken,
                        [(a, False) for a in loads if a] + [(a, True) for a in stores if a], kind == "indirect", ip)
            last = ip


def parts(folder):
    """Yields the entries with the name of their part."""
    what = notes(folder)
    bounds = [(name, what[name]["entries"]) for name in ("warmup", "measured", "ahead") if name in what]
    names = (name for name, count in bounds for _ in range(count))
    for entry in entries(folder):
        yield next(names), entry
    assert next(names, None) is None, "the trace is shorter than its notes say"


def check(folder):
    what = notes(folder)
    with open(os.path.join(folder, "manifest.json")) as file:
        manifest = json.load(file)
    seen = collections.defaultdict(lambda: dict.fromkeys(("entries", "instructions", "loads", "stores", "branches", "taken"), 0))
    l2 = Cache(1024, 16, None)
    l1 = Cache(64, 8, l2)
    missed = 0
    for part, (instruction, conditional, taken, accesses, _, _) in parts(folder):
        counts = seen[part]
        counts["entries"] += 1
        counts["instructions"] += bool(instruction)
        counts["branches"] += conditional
        counts["taken"] += bool(taken)
        for address, store in accesses:
            counts["stores" if store else "loads"] += 1
            if not l1.access(address) and part == "measured":
                missed += 1
    for part in seen:
        for key in ("entries", "loads", "stores") + (() if what["format"] == "dinero" else ("branches", "taken")):
            assert seen[part][key] == what[part][key], (part, key, seen[part][key], what[part][key])
    passes, measured = what["measured"]["passes"], what["measured"]
    for key in ("instructions", "loads", "stores"):  # now and then, branches take new random numbers
        off = abs(measured[key] - passes * manifest[key])
        assert off <= (0.01 * measured[key] if "branches" in manifest else 0), (key, measured)
    accesses = measured["loads"] + measured["stores"]
    rate = missed / accesses if accesses else 0
    wanted = manifest["expected"].get("l1d.miss_rate", rate)
    assert abs(rate - wanted) <= 0.002, (rate, wanted)
    print(f"{what['format']} {what['isa']}: {measured['instructions']} instructions, l1d.miss_rate {rate:.4f}")


class Predictor:
    """A counter of two bits for each conditional branch, the last target for each indirect one."""

    def __init__(self, faults):
        self.faults, self.counters, self.targets, self.waits = faults, collections.Counter(), {}, None
        self.branches = self.missed = 0

    def count(self, missed, indirect):
        if indirect and "conditional" in self.faults:
            return
        self.branches += 1
        self.missed += missed * (2 if "twice" in self.faults else 1)

    def take(self, entry):
        if self.waits is not None:
            wrong = self.targets.get(self.waits) != entry.address or "untargeted" in self.faults
            self.targets[self.waits], self.waits = entry.address, None
            self.count(wrong, True)
        if entry.indirect:
            self.waits = entry.address
        if entry.conditional:
            at = 0 if "shared" in self.faults else entry.address
            taken = bool(entry.taken)
            predicted = {"taken": True, "untaken": False}.get(self.faults.get("predicts"), self.counters[at] >= 2)
            self.counters[at] = min(3, self.counters[at] + 1) if taken else max(0, self.counters[at] - 1)
            self.count((predicted != taken) != ("opposite" in self.faults), False)


class Trace:
    """What one program's trace holds, read once for all the simulators that it is played to: accesses and branches."""

    def __init__(self, folder):
        self.accesses, self.entries, self.warm = [], [], None
        self.branches = notes(folder)["format"] != "dinero"
        self.known = {}
        for part, entry in parts(folder):
            if part == "ahead":
                break
            if part == "measured" and self.warm is None:
                self.warm = len(self.accesses), len(self.entries)
            self.accesses += entry.accesses
            if self.branches:
                self.entries.append(entry)
        self.warm = self.warm or (len(self.accesses), len(self.entries))

    def once(self, simulate, faults, *keys):
        """What simulate counts with those of the faults that it knows: the others' simulators count it alike."""
        own = {key: faults[key] for key in keys + ("cold",) if key in faults}
        key = simulate.__name__, *sorted(own.items())
        if key not in self.known:
            self.known[key] = simulate(own)
        return self.known[key]

    def split(self, faults, what=0):
        """What warms up, and what is counted: of accesses, or of entries."""
        all, at = (self.accesses, self.entries)[what], 0 if "cold" in faults else self.warm[what]
        return all[:at], all[at:]

    def kinds(self, faults):
        counted = self.split(faults)[1]
        stores = sum(store for _, store in counted)
        return len(counted) - stores, stores

    def pages(self, faults):
        """Misses of the TLB."""
        tlb = Cache(int(faults.get("tlb.sets", 16)), int(faults.get("tlb.ways", 4)), None, faults.get("tlb.policy", "LRU"),
                    bits=int(faults.get("page", 12)))
        for part in self.split(faults):
            tlb.misses = 0
            for address, store in part:
                if not tlb.access(address) and store and "tlb.loads" in faults:
                    tlb.misses -= 1
        return tlb.misses

    def caches(self, faults):
        """Accesses of L1D and of L2 that miss, and of the former those of loads and of stores."""
        l2 = Cache(int(faults.get("l2.sets", 1024)), int(faults.get("l2.ways", 16)), None)
        l1 = Cache(int(faults.get("sets", 64)), int(faults.get("ways", 8)), l2, faults.get("policy", "LRU"),
                   skipped=int(faults.get("skipped", 0)))
        around, following = "around" in faults, "next" in faults
        for part in self.split(faults):
            l1.misses = l2.misses = 0
            missed = [0, 0]
            for address, store in part:
                if l1.access(address, not (store and around)):
                    continue
                missed[store] += 1
                if following:
                    misses = l1.misses, l2.misses
                    l1.access(address + 64)
                    l1.misses, l2.misses = misses
        return l1.misses, l2.misses, *missed

    def directions(self, faults):
        predictor = Predictor(faults)
        for part in self.split(faults, 1):
            predictor.branches = predictor.missed = 0
            for entry in part:
                predictor.take(entry)
        return predictor.branches, predictor.missed

    def counts(self, faults):
        loads, stores = self.once(self.kinds, faults)
        l1, l2, missed_loads, missed_stores = self.once(self.caches, faults, "l2.sets", "l2.ways", "sets", "ways", "policy", "skipped",
                                                        "around", "next")
        pages = self.once(self.pages, faults, "tlb.sets", "tlb.ways", "tlb.policy", "page", "tlb.loads")
        branches = self.once(self.directions, faults, "predicts", "opposite", "shared", "untargeted", "conditional", "twice")
        if "merged" in faults:
            loads, stores = loads + stores, 0
        if "again" in faults:
            loads, stores = loads + missed_loads, stores + missed_stores
        times = int(faults.get("counts", 2 if "again" in faults else 1))
        return [loads, stores, l1 * times, l1, l2, pages, *branches]


def play(suite, simulators):
    """Plays the suite's traces to several simulators: [(file of the table, faults)]."""
    rows = collections.defaultdict(list)
    for path in sorted(glob.glob(os.path.join(suite, "*", "*", "program.trace.json"))):
        folder = os.path.dirname(path)
        trace = Trace(folder)
        for file, faults in simulators:
            rows[file].append(",".join(map(str, [os.path.relpath(folder, suite), *trace.counts(faults)])))
    for file, _ in simulators:
        print("program,loads,stores,l1d.misses,l2.accesses,l2.misses,dtlb.misses,branches,branches.missed", *rows[file], sep="\n",
              file=file)


def play_pycachesim(suite, faults):
    from cachesim import Cache as Level, CacheSimulator, MainMemory

    print("program,loads,stores,l1d.misses,l2.misses")
    for path in sorted(glob.glob(os.path.join(suite, "*", "*", "program.trace.json"))):
        folder = os.path.dirname(path)
        memory = MainMemory()
        l2 = Level("L2", 1024, 16, 64, "LRU")
        memory.load_to(l2)
        memory.store_from(l2)
        l1 = Level("L1", int(faults.get("sets", 64)), int(faults.get("ways", 8)), 64, faults.get("policy", "LRU"),
                   store_to=l2, load_from=l2)
        simulator = CacheSimulator(l1, memory)
        count = collections.Counter()
        before = "warmup"
        for part, entry in parts(folder):
            if part == "measured" and before == "warmup":
                simulator.reset_stats()
                count.clear()
            before = part
            for address, store in entry.accesses:
                count["stores" if store else "loads"] += 1
                (simulator.store if store else simulator.load)(address)
        stats = list(simulator.stats())
        print(f"{os.path.relpath(folder, suite)},{count['loads']},{count['stores']},"
              f"{stats[0]['MISS_count']},{stats[1]['MISS_count']}")


def settings(words):
    return dict(word.split("=") for word in words if word != "none")


if __name__ == "__main__":
    action, where, *rest = sys.argv[1:]
    if action == "check":
        check(where)
    elif action == "play":
        os.makedirs(rest[0], exist_ok=True)
        play(where, [(open(os.path.join(rest[0], fault), "w"), settings([fault])) for fault in sys.stdin.read().split()])
    else:
        play_pycachesim(where, settings(rest))
