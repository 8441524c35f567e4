"""A simulated AMD chip (GFX7): executes a suite's emitted programs and counts the activity of its wires.

It reads the text of a program (program.s), the words of its data and its grid, but nothing that the recipe or the plan promises
of rates, bandwidth or idle time. The dispatcher assigns waves to units. Their requests queue at the channels of L2 that their
addresses select. Each channel sends a line (64 bytes) per cycle, over wires of its own, to the compute units in turn; a unit
accepts one line per cycle.
"""
import functools
import heapq
import itertools
import json
import random
import re

LANES, LINE, DATA = 64, 64, 1 << 36
UNDER_WAY, LATENCY = 8, 250  # requests of a wave that are on their way at a time; cycles of one
APART, WARM, END = 6000, 12000, 24000  # cycles: within which waves begin; from which on what they do counts; at which it ends
MASK = 0xFFFFFFFF
FOREVER = 1 << 20  # passes


class Unknown(Exception):
    """The program has what this chip does not."""


# ---- memory ----

def image(document):
    """The bytes of a manifest's data."""
    content = bytearray(document["bytes"])
    for region in document["regions"]:
        fill, start, size = region["fill"], region["offset"], region["bytes"]
        if fill["kind"] == "zeros":
            continue
        if fill["kind"] != "words":
            raise Unknown(f"data that is filled by {fill['kind']}")
        words = b"".join(int(word, 16).to_bytes(fill["width"], "little") for word in fill["words"])
        content[start:start + size] = (words * (size // len(words) + 1))[:size]
    return bytes(content)


# ---- one wave ----

@functools.cache
def number(text):
    return int(text, 0) & MASK if re.fullmatch(r"-?(0x)?[0-9a-fA-F]+", text) else None


class Wave:
    """Executes the program for one wave: yields what it does between clock reads after the warm-up, as ("idle", cycles),
    ("load", lines of its lanes) and ("pass",)."""

    def __init__(self, code, block, number_in_block, threads, where, passes):
        self.code, self.labels = code
        self.s = {2: block}
        self.v = {0: [min(number_in_block * LANES + lane, threads) for lane in range(LANES)]}
        self.lanes = max(0, min(LANES, threads - number_in_block * LANES))
        self.where, self.passes = where, passes
        self.scc, self.apart = 0, {}  # by the lanes' register and a base's place in its line: lines from the base's

    def scalar(self, name):
        value = number(name)
        if value is None and name.startswith("s") and name[1:].isdigit():
            value = self.s.get(int(name[1:]))
        return value

    def known(self, name):
        value = self.scalar(name)
        if value is None:
            raise Unknown(f"{name}, which is not known there")
        return value

    def put(self, name, value):
        self.s[int(name[1:])] = None if value is None else value & MASK

    def lines(self, words):
        """Of buffer_load_dword VALUE, LANES, s[12:15], OFFSET offen offset:N: the lines that it asks for, in the order of lanes."""
        lanes = self.v.get(int(words[2][1:]))
        if lanes is None or "offen" not in words:
            raise Unknown("the addresses of " + " ".join(words))
        base = (self.known("s12") | (self.known("s13") & 0xFFFF) << 32) + self.known(words[4])
        base += next((int(word[7:]) for word in words if word.startswith("offset:")), 0)
        key = words[2], base % LINE
        if key not in self.apart:
            self.apart[key] = list(dict.fromkeys((base % LINE + lane) // LINE * LINE for lane in lanes[:self.lanes]))
        return [base - base % LINE + each for each in self.apart[key]]

    def step_scalar(self, name, words):
        """Scalar arithmetic; False for what it does not know."""
        a = self.known(words[2]) if len(words) > 2 else 0
        b = self.known(words[3]) if len(words) > 3 else 0
        results = {"s_mov_b32": a, "s_mul_i32": a * b, "s_or_b32": a | b, "s_lshl_b32": a << (b & 31), "s_xor_b32": a ^ b,
                   "s_add_u32": a + b, "s_addc_u32": a + b + self.scc, "s_sub_u32": a - b, "s_subb_u32": a - b - self.scc,
                   "s_cselect_b32": a if self.scc else b}
        if name not in results:
            return False
        value = results[name]
        if name in ("s_add_u32", "s_addc_u32", "s_sub_u32", "s_subb_u32"):
            self.scc = int(not 0 <= value <= MASK)
        elif name in ("s_or_b32", "s_lshl_b32", "s_xor_b32"):
            self.scc = int(value & MASK != 0)
        self.put(words[1], value)
        return True

    def compare(self, name, words):
        a, b = self.known(words[1]), self.known(words[2])
        results = {"s_cmp_ge_u32": a >= b, "s_cmp_lt_u32": a < b, "s_cmp_eq_u32": a == b, "s_bitcmp1_b32": a >> (b & 31) & 1}
        if name not in results:
            raise Unknown(name)
        self.scc = int(results[name])

    def vector(self, name, words):
        """Registers that addresses need; others are not known."""
        value, first = None, self.scalar(words[2])
        if name == "v_mov_b32" and first is not None:
            value = [first] * LANES
        if name == "v_mul_u32_u24" and first is not None and words[3].startswith("v"):
            value = [first * lane for lane in self.v[int(words[3][1:])]]
        if re.fullmatch(r"v\d+", words[1]):
            self.v[int(words[1][1:])] = value
            self.apart.clear()

    def run(self):
        at, clocks = 0, 0
        while at < len(self.code):
            words = self.code[at]
            name, at = words[0], at + 1
            if name == "trauma_leave:":
                return
            if name == "trauma_advance:" and clocks == 3:
                yield ("pass",)
            if name.endswith(":") or name in ("s_waitcnt", "s_barrier"):
                continue
            if clocks == 4:
                return
            timed = clocks == 3
            if name == "s_nop":
                if timed:
                    yield ("idle", 4 * (int(words[1], 0) % 16 + 1))
                continue
            if timed:
                yield ("idle", 4)  # a wave starts an instruction every fourth cycle
            if name.startswith("s_load_dwordx4"):
                self.s.update({4: self.passes, 5: 0, 6: 1, 7: 0} if words[3] == "0x0" else
                              {8: DATA & MASK, 9: DATA >> 32, 10: 0, 11: 1})
            elif name == "s_memtime":
                clocks += 1
            elif name == "s_getreg_b32":
                _, low, size = (int(each) for each in re.findall(r"\d+", " ".join(words[2:]))[:3])
                self.put(words[1], self.where >> low & (1 << size) - 1)
            elif name == "s_branch":
                at = self.labels[words[1]]
            elif name in ("s_cbranch_scc0", "s_cbranch_scc1"):
                at = self.labels[words[1]] if self.scc == int(name[-1]) else at
            elif name.startswith(("s_cmp", "s_bitcmp")):
                self.compare(name, words)
            elif name.startswith("buffer_load"):
                if name != "buffer_load_dword":
                    raise Unknown(name)
                if timed:
                    yield ("load", self.lines(words))
            elif name.startswith("v_"):
                self.vector(name, words)
            elif not self.step_scalar(name, words):
                raise Unknown(name)


def read_code(path):
    """The kernel's instructions, each as words, and where labels are."""
    code, labels, inside = [], {}, False
    for line in open(path):
        text = line.split("//")[0].replace(",", " ").strip()
        inside = text == "trauma_kernel:" or (inside and not text.startswith(".Ltrauma_end"))
        if not inside or not text or (text.startswith(".") and not text.endswith(":")):
            continue
        if text.endswith(":"):
            labels[text[:-1]] = len(code)
        code.append(text.split())
    return code, labels


# ---- the chip ----

def hw_id(gpu, block):
    """Blocks go to shader engines in turn, then to their arrays, then to compute units: the bits of HW_ID."""
    se, rest = block % gpu["se"], block // gpu["se"]
    sh, rest = rest % gpu["sh_per_se"], rest // gpu["sh_per_se"]
    return (rest % gpu["cu_per_sh"]) << 8 | sh << 12 | se << 13


class Trace:
    """What the chip does from WARM to END: waves' instructions, with idle ones counted by their cycles, compute units that work,
    passes of the whole grid, and the lines that each channel sends, in its order."""

    def __init__(self, channels):
        self.issued = self.units = self.passes = 0
        self.lines = [[] for _ in range(channels)]


class Runner:
    """A wave on the chip: up to which of its steps it has come, and when."""

    def __init__(self, steps, where, now):
        self.steps, self.where, self.now = steps, where, now
        self.under_way, self.load, self.loads, self.per_pass = 0, None, 0, None

    def go_on(self, trace):
        """Idles and passes until its next load."""
        self.load = None
        for step in self.steps:
            if step[0] == "load":
                self.load = step[1]
                self.loads += 1
                return
            if step[0] == "pass":
                self.per_pass = self.per_pass or self.loads
                continue
            trace.issued += step[1] / 4 if WARM <= self.now < END else 0
            self.now += step[1]


class Request:
    """Lines of one load that are still to come."""

    def __init__(self, runner, left):
        self.runner, self.left = runner, left


class Channel:
    """Lines that compute units ask for, a queue for each: they have turns, as at the outputs of a crossbar."""

    def __init__(self, units):
        self.queues, self.units, self.next, self.waiting = {unit: [] for unit in units}, units, 0, 0
        self.busy = False

    def ask(self, unit, line, request):
        self.queues[unit].append((line, request))
        self.waiting += 1

    def send(self):
        """The next line and whose it is."""
        while not self.queues[self.units[self.next]]:
            self.next = (self.next + 1) % len(self.units)
        unit, self.next, self.waiting = self.units[self.next], (self.next + 1) % len(self.units), self.waiting - 1
        return self.queues[unit].pop(0)


def start(code, grid, gpu):
    """The waves that do not leave, at random moments, as waves that have run for long are at any place of their loop."""
    chance, runners = random.Random(str(code)), []
    for block in range(grid["blocks"]):
        for each in range((grid["threads"] + LANES - 1) // LANES):
            where = hw_id(gpu, block)
            steps = Wave(code, block, each, grid["threads"], where, FOREVER).run()
            first = next(steps, None)
            if first is not None:
                runners.append(Runner(itertools.chain([first], steps), where, chance.random() * APART))
    return runners


def execute(code, grid, gpu):
    """The Trace of a program's text (read_code)."""
    trace, runners = Trace(gpu["l2_channels"]), start(code, grid, gpu)
    units = sorted({runner.where for runner in runners})
    channels, port = [Channel(units) for _ in trace.lines], dict.fromkeys(units, 0.0)
    events, order = [], itertools.count()

    def later(when, what, whom):
        heapq.heappush(events, (when, next(order), what, whom))

    def issue(now, runner):
        if runner.load is None or runner.under_way == UNDER_WAY:
            return
        request = Request(runner, len(runner.load))
        for line in (each - DATA for each in runner.load):
            number_of = line // gpu["interleave"] % len(channels)
            channels[number_of].ask(runner.where, line, request)
            if not channels[number_of].busy:
                channels[number_of].busy = True
                later(now, send, number_of)
        runner.under_way += 1
        runner.now = now
        if WARM <= now < END:
            trace.passes += 1 / runner.per_pass / len(runners)
        runner.go_on(trace)
        later(runner.now, issue, runner)

    def send(now, number_of):
        line, request = channels[number_of].send()
        if WARM <= now < END:
            trace.lines[number_of].append(line)
        where = request.runner.where
        port[where] = max(port[where], now) + 1
        request.left -= 1
        if request.left == 0:
            later(port[where] + LATENCY, back, request.runner)
        channels[number_of].busy = channels[number_of].waiting > 0
        if channels[number_of].busy:
            later(now + 1, send, number_of)

    def back(now, runner):
        runner.under_way -= 1
        if runner.under_way == UNDER_WAY - 1 and runner.now <= now:
            issue(now, runner)

    for runner in runners:
        runner.go_on(trace)
        later(runner.now, issue, runner)
    while events and events[0][0] < END:
        now, _, what, whom = heapq.heappop(events)
        what(now, whom)
    trace.units = len(port)
    return trace


def flips_of(trace, content):
    """Bits that flip on the channels' wires."""
    flips = 0
    for channel in trace.lines:
        last = None
        for at in channel:
            data = int.from_bytes(content[at:at + LINE], "little")
            flips += 0 if last is None else bin(last ^ data).count("1")
            last = data
    return flips


class Chip:
    """Executes each text once, whatever its data."""

    def __init__(self, gpu):
        self.gpu, self.traces = gpu, {}

    def run(self, manifest, program):
        """The program's Trace and the bits that flip."""
        code, grid = read_code(program), manifest["grid"]
        key = json.dumps([code[0], grid])
        if key not in self.traces:
            self.traces[key] = execute(code, grid, self.gpu)
        return self.traces[key], flips_of(self.traces[key], image(manifest["data"]))
