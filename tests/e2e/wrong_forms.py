"""Chips whose energies are known, of the model's own form and of others, for the models incremental, access-energy and
interconnect. The results are written as docs/reference/results.md states them, by nothing of TraumaGen's own.

    wrong_forms.py TRAUMA [--machines N] [--model NAME] [--kind NAME] [--most SHARE] [--least SHARE] [--keep DIR]

Prints for each model and kind: machines whose fit was refused, whose first line says that the model is not to be trusted, that were
wrong (a coefficient outside its interval, and nothing in the first line; of the coefficient for which most are), and the share of
intervals that contain the truth.
Exits 1 if more than --most of the machines of a kind are wrong, if fewer than --least of the intervals of a right form contain the
truth, or if more than a tenth of the machines of a right form (of few machines: more than one) are refused or not trusted.
"""
import argparse
import concurrent.futures
import json
import math
import os
import random
import subprocess
import sys
import tempfile

KINDS = {  # what differs from the model's form
    "right": "nothing",
    "noisy": "nothing; the meter's noise grows with the power",
    "quiet": "nothing; few repetitions, and no error common to all repetitions of a point",
    "constant": "a constant power whenever a program runs",
    "warm": "energies that rise with the temperature",
    "quadratic": "energies that rise with the rate",
    "interaction": "two levels that take more together than apart",
    "drift": "a gain that drifts over time",
    "turbo": "turbo that ends inside each repetition of a program, whose clock was recorded",
    "hidden-turbo": "turbo that lasts into the first repetitions of some points, whose clock was not recorded",
    "throttled": "a program throttled in its last two repetitions",
    "saturating": "power that saturates",
    "placement": "points placed otherwise than others that count as the same",
    "droop": "a voltage that droops with the load",
    "range": "a meter whose gain differs by range",
}
RIGHT = ("right", "noisy", "quiet")
# With --without, the points that vary the activity alone are missing, as in older results: each fit has to say so.
WITHOUT = False


class Chip:
    """One machine: its random numbers, its meter and the way in which its power differs from the model's form."""

    def __init__(self, model, kind, number):
        self.random = random.Random(f"{model} {kind} {number}")
        self.without = WITHOUT
        self.kind, self.points, self.truth, self.when = kind, [], {}, 0.0
        self.reps = 3 if kind == "quiet" else 5
        self.shift = 0 if kind == "quiet" else 5e-4  # of a whole point, which its repetitions do not show
        self.size = self.random.uniform(1, 2)        # of what differs

    def near(self, value, spread=0.15):
        return value * math.exp(self.random.gauss(0, spread))

    def distort(self, watts, most):
        """Dynamic power, of which `most` is the highest, as a chip of this kind draws it."""
        share = watts / most
        return watts * {"quadratic": 1 + 0.1 * self.size * share,
                        "saturating": (1 - math.exp(-0.3 * self.size * share)) / (0.3 * self.size * share) if share else 1,
                        "droop": 1 - 0.06 * self.size * share}.get(self.kind, 1)

    def read(self, watts, seconds, noise_w, idle_w):
        """The mean of a meter's readings of so many seconds, a tenth of a second each."""
        noise = noise_w * (watts / idle_w) ** 2 if self.kind == "noisy" else noise_w
        if self.kind == "range" and watts > 1.25 * idle_w:
            watts *= 1 + 0.01 * self.size
        if self.kind == "drift":
            watts *= 1 + 0.01 * self.size * (self.when - 0.5)
        return self.random.gauss(watts, noise / math.sqrt(seconds / 0.1))

    def idle(self, idle_w, noise_w, seconds):
        """An idle level and its interval."""
        error = noise_w / math.sqrt(seconds / 0.1)
        value = self.random.gauss(idle_w * (1 + 0.01 * self.size * (self.when - 0.5)) if self.kind == "drift" else idle_w, error)
        return {"value": value, "low": value - 1.96 * error, "high": value + 1.96 * error, "n": int(seconds / 0.1)}

    def of_point(self, watts):
        return watts * (1 + self.shift * self.random.gauss(0, 1))

    def add(self, recipe, parameters, reps, power, rates, per_pass, **more):
        name = ",".join(f"{k}={v}" for k, v in sorted(parameters.items()))
        power = {"power.static_w": power, "verdict": "trustworthy", "reason": "", "from": ["meter"]}
        def rate(v):
            return {"target": None, "verdict": "observed", "code": None, "silicon": "observed", "observations": [
                {"source": "perf", "kind": "measured", "value": v, "low": v, "high": v, "n": 1000}]}
        self.points.append(dict({
            "kind": "point", "recipe": recipe, "benchmark": recipe.split("/")[-1], "point": parameters, "name": name,
            "index": len(self.points), "program_hash": name, "per_pass": per_pass, "reps": reps, "power": power,
            "rates": {k: rate(v) for k, v in rates.items()}}, **more))

    def write(self, path, machine):
        context = {"schema": 1, "kind": "context", "tool": {"name": "trauma", "version": "0"}, "machine": machine, "host": "h",
                   "cpu": "c", "sensors": [], "benchmarks": []}
        with open(path, "w", encoding="utf-8") as out:
            for line in [context] + self.points:
                out.write(json.dumps(line) + "\n")


def interval(value, low=None, high=None):
    return {"value": value, "low": value if low is None else low, "high": value if high is None else high, "n": 10}


# ---- incremental: Kestor et al. 2013 ----

MACHINE = {"name": "interlagos", "issue_width": 4, "ports": {"load": 2}, "latency": {"L1D": 4}, "caches": {"L3": {}}}
THREADS, OPERATIONS, FACTOR = 16, 1900, 1.75


def incremental(chip):
    cost = {k: chip.near(v) * 1e-9 for k, v in {"NOP": .48, "ADD": .64, "L1": 1.11, "L2": 2.21, "L3": 9.8, "MEM": 63.6, "stall": 1.43,
                                                "prefetch": 65.1}.items()}
    hz, idle_w = chip.near(2.1e9, 0.1), chip.near(259)
    stall = {"L1": 3, "L2": 19, "L3": 49, "MEM": 99, "prefetch": 32}  # cycles per load
    issue = {"NOP": 1 / 3.86, "ADD": 1 / 2.03, "L1asm": 0.5}          # cycles per operation; a waiting load, or a chain's, takes one
    chip.truth = {f"E_{k}": v for k, v in cost.items()}
    levels = ["L1", "L2", "L3", "MEM"]
    for i, level in enumerate(levels):
        chip.truth[f"increment.{level}"] = cost[level] - (cost[levels[i - 1]] if i else 0)
    single = [("MB_NOP", {"NOP": 1}), ("MB_iADD", {"ADD": 1}), ("MB_L1asm", {"L1asm": 1}), ("MB_L1", {"L1": 1}), ("MB_L2", {"L2": 1}),
              ("MB_L3", {"L3": 1}), ("MB_MEM", {"MEM": 1}), ("MB_MEM64", {"prefetch": 1})]
    mixed = [("NOP+ADD", {"NOP": .5, "ADD": .5})] + [(f"{a}+{b}", {a: .5, b: .5}) for a in levels for b in ("NOP", "ADD")]
    mixed.append(("L1+L2", {"L1": .5, "L2": .5}))
    mixed.append(("ADD-chain", {"chain": 1}))
    work = [("program", n, s, THREADS) for n, s in single] + [("mixture", n, s, THREADS) for n, s in mixed]
    most = max(power_of(cost, stall, issue, s, 1, hz)[0] for _, _, s, _ in work)
    if not chip.without:
        work += [("program", n, s, THREADS // 2) for n, s in single if n != "MB_L3"]
    hotter = chip.random.sample(range(len(work)), 4)
    order = list(range(len(work)))
    chip.random.shuffle(order)
    for place, which in enumerate(order):
        parameter, name, shares, copies = work[which]
        together = chip.random.uniform(.93, 1) if len(shares) > 1 and "chain" not in shares else 1  # what a mixture overlaps
        watts, pass_s, stalls = power_of(cost, stall, issue, shares, together, hz)
        watts *= copies / THREADS
        if chip.kind == "interaction" and len(shares) > 1:
            watts *= 1 + 0.02 * chip.size
        if chip.kind == "placement" and which in hotter:
            watts *= 1 + 0.05 * chip.size
        if chip.kind == "constant":
            watts += 4 * chip.size
        watts, passes, reps = chip.distort(watts, most), round((30 if copies == THREADS else 10) / pass_s), []
        celsius, shift, clock = 45.0, chip.of_point(1), None
        for rep in range(chip.reps):
            chip.when = (place + rep / chip.reps) / len(order)
            own, seconds = watts, passes * pass_s
            if chip.kind == "throttled" and name == ("MB_MEM", "MB_L2", "MB_iADD")[int(chip.size * 3) % 3] and rep >= 3:
                seconds *= 1.4
                own = own / 1.4 + 8  # the idle parts of the chip wait longer
            if chip.kind == "turbo" and name in ("MB_NOP", "MB_L1"):
                own *= 1 + 0.35 * chip.size
                seconds /= 1.15
                clock = interval(hz * 1.15e-9, hz * 1e-9, hz * 1.3e-9)
            if chip.kind == "hidden-turbo" and name in ("MB_NOP", "MB_iADD") and rep < 2:
                own, seconds = own * 1.7, seconds / 1.25
            if chip.kind == "warm":
                celsius += 0.5 * (45 + 0.35 * own - celsius)
                own *= 1 + 0.002 * chip.size * (celsius - 45)
            else:
                celsius = 45 + chip.random.gauss(0, 0.3)
            joules = chip.read(shift * (idle_w + own), seconds, 0.5, idle_w) * seconds
            reps.append({"iterations": passes, "ticks": round(seconds * 2.1e9), "wall_s": seconds, "seconds": seconds,
                         "energy_j": {"meter": joules}, "temperature_c": {"chip": celsius},
                         "threads": [{"cpu": i, "iterations": passes, "ticks": 1, "start": 1 + int(3e12 * chip.when)} for i in range(copies)]})
        loads = OPERATIONS * sum(v for k, v in shares.items() if k not in ("NOP", "ADD", "chain"))
        rates = {"mix.nop": shares.get("NOP", 0), "mix.add": shares.get("ADD", 0) + shares.get("chain", 0)}
        for level in levels if loads else []:
            names = (level, "L1asm") if level == "L1" else (level, "prefetch") if level == "MEM" else (level,)
            rates[f"served.{level}"] = sum(shares.get(n, 0) for n in names) * OPERATIONS / loads
        more = {"counters": {"stall_cycles": interval(stalls)}}
        if clock:
            more["state"] = {"observed": {"clock": {"core_ghz": clock, "core_by": "chain"}}}
        chip.add(f"data-movement-2013/{parameter}s", {parameter: name, **({"copies": copies} if copies < THREADS else {})}, reps, chip.idle(idle_w, 0.5, 180), rates,
                 {"instructions": OPERATIONS, "loads": loads, "stores": 0}, **more)
    return MACHINE


def power_of(cost, stall, issue, shares, together, hz):
    """Dynamic power of all threads, seconds of a pass, stalls of a pass."""
    only = len(shares) == 1
    joules = cycles = stalls = 0
    chained = "chain" in shares
    for name, share in shares.items():
        cycles += share * OPERATIONS if name == "chain" else 0 if chained else share * OPERATIONS * (issue.get(name, 1) + stall.get(name, 0))
        stalls += share * OPERATIONS * stall.get(name, 0)
        own = {"chain": cost["ADD"], "L1asm": cost["L1"], "L1": FACTOR * cost["L1"] if only else cost["L1"]}.get(name, cost.get(name))
        joules += share * OPERATIONS * own
    hidden = (1 - together) * min(stalls, cycles)
    cycles, stalls = cycles - hidden, stalls - hidden
    joules += stalls * cost["stall"]
    return joules * THREADS * hz / cycles, cycles / hz, stalls


# ---- access-energy: Delestrac et al. 2024 ----

def access_energy(chip):
    idle_w, threads, lengths = chip.near(62), [128, 256, 512, 1024], [2, 4, 6, 8, 10]
    # What waiting adds hides what follows the rate: the forms that differ in that are of chips whose threads do not wait.
    waits = chip.random.random() < 0.5 and chip.kind not in ("constant", "quadratic", "saturating", "droop", "range")
    full = 256 if waits else 1024  # threads that reach the whole rate
    waiting = {128: 2, 256: 1.02} if waits else {}
    table = {"SHARED": (82, 95), "L1": (107, 110), "L2": (368, 120), "MEM": (2090, 160)}
    work = [(level, count, seconds, 1) for level in table for count in threads for seconds in lengths]
    if not chip.without:
        work += [(level, 1024, 10, share) for level in ("SHARED", "L1") for share in (0.5, 0.25)]
    epsilon = {level: chip.near(pj) * 1e-12 for level, (pj, _) in table.items()}
    for level in table:
        chip.truth[f"epsilon.{level}"], chip.truth[f"delta.{level}"] = epsilon[level], 0.5
    order = list(range(len(work)))
    chip.random.shuffle(order)
    for place, which in enumerate(order):
        level, count, seconds, busy = work[which]
        rate = busy * table[level][1] / (table[level][0] * 1e-12) * min(1, count / full)
        joules = epsilon[level] * waiting.get(count, 1)
        loads, reps, shift = round(rate * seconds), [], chip.of_point(1)
        watts = chip.distort(rate * joules, 200)
        if chip.kind == "constant":
            watts += 4 * chip.size
        if chip.kind == "interaction":  # of length and rate: a buffer that the longer loops no longer fit
            watts *= 1 + 0.02 * chip.size * max(0, seconds - 4) / 6
        if chip.kind == "placement" and place % 2:
            watts *= 1 + 0.03 * chip.size
        for rep in range(3):
            chip.when = (place + rep / 3) / len(order)
            own, time, celsius = watts + 0.5 / seconds, seconds, 40 + chip.random.gauss(0, 0.3)
            if chip.kind == "warm":
                celsius = 40 + 0.2 * own * (1 - math.exp(-seconds / 4))
                own *= 1 + 0.003 * chip.size * (celsius - 40) * 0.7
            if chip.kind == "turbo" or (chip.kind == "hidden-turbo" and level in ("L1", "SHARED")):
                boost = 3  # seconds at a quarter more clock and half more power
                short = min(time, 1.25 * boost) / 1.25
                base = max(0, time - 1.25 * boost)
                own, time = (own * 1.5 * short + own * base) / (short + base), short + base
            if chip.kind == "throttled" and level == "MEM" and rep == 2 and seconds > 6:
                own, time = own / 1.4 + 8, time * 1.4
            joules = chip.read(shift * (idle_w + own), time, 0.8, idle_w) * time
            reps.append({"iterations": loads / 1e6, "ticks": round(time * 1e9), "wall_s": time, "seconds": time,
                         "energy_j": {"meter": joules}, "temperature_c": {"gpu": celsius}})
        chip.add("gpu-energy-2024/load", {"level": level, "threads": count, "seconds": seconds, **({"share": busy} if busy < 1 else {})}, reps, chip.idle(idle_w, 0.8, 20),
                 {f"served.{level}": 1}, {"instructions": 64, "loads": 1e6, "stores": 0})
    return {"name": "a100", "gpu": {}}


# ---- interconnect: Adhinarayanan et al. 2016 ----

PATH_MM, PEAK = 10.5, 16 * 64 * 0.93e9


def interconnect(chip):
    idle_w, constant, floor, base_w = chip.near(40), chip.near(2), chip.near(0.12), chip.near(150)
    patterns = {"zeros": 0, "quarter": 0.25, "random": 0.5, "flips": 0.75}
    chip.truth = {"constant": constant, "floor": floor, "product": constant + floor / 0.75,
                  "energy_per_bit_mm": (constant / 2 + floor) / PEAK / 8, "energy_per_toggle_mm": constant / PEAK / 8}
    work = [(recipe, name, share, far) for recipe in ("a", "b") for name in patterns for share in (0.3, 0.6, 0.9) for far in (0, 1)]
    chip.random.shuffle(work)
    if not chip.without:  # a recipe of its own, which runs last
        work += [("units", count, count / 44, 0) for count in (1, 2, 5, 11, 22, 44)]
    for place, (recipe, name, share, far) in enumerate(work):
        if recipe == "units":
            name = "zeros"
        toggle, mm = patterns[name], PATH_MM * far
        if chip.kind == "placement" and place % 3 == 0:
            mm *= 0.6
        moved = (constant * toggle + floor) * share
        if chip.kind == "interaction":
            moved *= 1 + 0.15 * chip.size * share * toggle
        if chip.kind == "quadratic":
            moved *= 1 + 0.3 * chip.size * share
        if chip.kind == "saturating":
            moved = share * (floor + constant * toggle * (1 - 0.4 * chip.size * toggle))
        watts = share * (1 if recipe == "a" else 0.8) * base_w * (1 + 0.1 * toggle) + moved * mm
        if recipe == "units":
            watts = 1.3 * base_w * share
        watts += 4 * chip.size if chip.kind == "constant" else 0
        if chip.kind == "droop":
            watts = chip.distort(watts, 200)
        reps, shift, celsius = [], chip.of_point(1), 60.0
        for rep in range(chip.reps):
            chip.when = (place + rep / chip.reps) / len(work)
            own, seconds = watts, 10.0 if recipe == "units" else 20.0
            if chip.kind == "warm":
                celsius += 0.5 * (60 + 0.15 * own - celsius)
                own += moved * mm * (recipe != "units") * 0.01 * chip.size * (celsius - 60) + 0.1 * chip.size * (celsius - 60)
            if chip.kind in ("turbo", "hidden-turbo") and far and share > 0.8 and rep < 2:
                own, seconds = own * 1.4, seconds / 1.2
            if chip.kind == "throttled" and far and name == "random" and rep >= chip.reps - 2:
                own, seconds = own / 1.4 + 3, seconds * 1.4
            joules = chip.read(shift * (idle_w + own), seconds, 0.3, idle_w) * seconds
            reps.append({"iterations": 1e6, "ticks": round(seconds * 1e9), "wall_s": seconds, "seconds": seconds,
                         "energy_j": {"meter": joules}, "temperature_c": {"gpu": celsius + chip.random.gauss(0, 0.1)}})
        chip.add(f"interconnect-2016/{recipe}", {"units": round(44 * share)} if recipe == "units" else
                 {"pattern": name, "bandwidth_share": share, "path": "long" if far else "short"}, reps,
                 chip.idle(idle_w, 0.3, 20 if recipe == "units" else 60), {"data.toggle_rate": toggle}, {"instructions": 1000, "loads": 1000, "stores": 0})
    return {"name": "w9100", "gpu": {}}


MODELS = {"incremental": (incremental, []), "access-energy": (access_energy, []),
          "interconnect": (interconnect, ["--set", "distance=10.5", "--set", "banks=16", "--set", "ghz=0.93"])}


def judge(trauma, model, kind, number, keep):
    """(refused, doubted, coefficients outside, inside, intervals, what was said, the worst coefficient)"""
    chip = Chip(model, kind, number)
    make, settings = MODELS[model]
    machine = make(chip)
    with tempfile.TemporaryDirectory() as scratch:
        path = os.path.join(keep or scratch, f"{model}-{kind}-{number}.jsonl")
        out = os.path.join(scratch, "model.json")
        chip.write(path, machine)
        ran = subprocess.run([trauma, "fit", model, path, "-o", out] + settings, capture_output=True, text=True, check=False)
        if ran.returncode:
            return True, False, [], 0, 0, ran.stderr.strip().split("\n")[0], ""
        with open(out, encoding="utf-8") as text:
            document = json.load(text)
    doubt = document.get("disbelief", [])
    if doubt and not ran.stdout.startswith(doubt[0]):
        return False, False, list(chip.truth), 0, 0, "the first line is not the disbelief", ""
    outside, worst, far = [], "", 0
    known = {k: v for k, v in chip.truth.items() if k in document["coefficients"]}
    for name, truth in known.items():
        seen = document["coefficients"][name]
        if not seen["low"] <= truth <= seen["high"]:
            outside.append(name)
        off = max(seen["low"] - truth, truth - seen["high"]) / abs(truth)
        if off > far:
            worst, far = f"{name} {seen['value']:.4g} [{seen['low']:.4g}, {seen['high']:.4g}], true {truth:.4g}", off
    return False, bool(doubt), [] if doubt else outside, len(known) - len(outside), len(known), doubt[0] if doubt else "", worst


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("trauma")
    parser.add_argument("--machines", type=int, default=20)
    parser.add_argument("--model")
    parser.add_argument("--kind")
    parser.add_argument("--most", type=float, default=0.1)
    parser.add_argument("--least", type=float, default=0.9)
    parser.add_argument("--keep")
    parser.add_argument("--without", action="store_true")
    parser.add_argument("-v", action="store_true")
    given = parser.parse_args()
    global WITHOUT
    WITHOUT = given.without
    bad = 0
    print(f"{'model':14}{'kind':14}{'refused':>8}{'doubted':>8}{'wrong':>6}{'inside':>8}  an example")
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for model in [given.model] if given.model else MODELS:
            for kind in [given.kind] if given.kind else KINDS:
                seen = list(pool.map(lambda n, m=model, k=kind: judge(given.trauma, m, k, n, given.keep), range(given.machines)))
                refused, doubted, inside, count = (sum(s[i] for s in seen) for i in (0, 1, 3, 4))
                all_wrong = [name for s in seen for name in s[2]]
                wrong = max(map(all_wrong.count, all_wrong), default=0)
                said = next((s[5] + " " + s[6] for s in seen if s[2]), next((s[5] for s in seen if s[5]), ""))
                share = inside / count if count else 1
                if given.without:
                    fails = refused + doubted < given.machines
                elif kind in RIGHT:  # a right form may miss single intervals; those must be few
                    fails = share < given.least or refused + doubted > max(1, 0.1 * given.machines)
                else:
                    fails = wrong > given.most * given.machines
                bad += fails
                print(f"{model:14}{kind:14}{refused:8}{doubted:8}{wrong:6}{share:8.2f}{' !' if fails else '  '}{said[:200]}", flush=True)
                for s in seen if given.v else []:
                    print("   ", *s)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
