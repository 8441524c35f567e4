#!/usr/bin/env python3
"""Replays designs on synthetic chips: the intervals that the fit reports against those that trauma design predicts, the
true coefficients, and the recipes' own points in the same time.

    design_chips.py TRAUMA MODEL MACHINE NOISE SECONDS CHIPS [design's further arguments]

Chips have the machine file's latencies, bandwidths and widths, and energies and idle power of their own, drawn by the seed. Exits 1, with the reason, if the
median interval of a coefficient is more than a quarter from the predicted one (few chips scatter), the mean over coefficients
is more than 0.65 of that of the recipes' own points, more than a tenth of the intervals do not hold the true value, or a fit says that its form is not tested.
"""
import json
import math
import os
import random
import statistics
import subprocess
import sys

TRAUMA, MODEL, MACHINE, NOISE, SECONDS, CHIPS = sys.argv[1:7]
MORE = sys.argv[7:]
NOISE, SECONDS, CHIPS = float(NOISE), float(SECONDS), int(CHIPS)
EVENTS = {"uops": 0.8e-9, "fpu": 1.2e-9, "l1i_fetches": 1e-9, "l1d_accesses": 0.9e-9, "l2_requests": 6e-9, "branches": 0.7e-9,
          "mispredictions": 15e-9, "l2_misses": 25e-9, "stalls": 0.25e-9}
COUNTERS = dict(zip(EVENTS, ["uops_retired", "fpu_assignments", "l1i_fetches", "l1d_accesses", "l2_requests", "branches",
                             "branch_misses", "l2_misses", "dispatch_stalls"]))


def trauma(*arguments):
    done = subprocess.run([TRAUMA, *arguments], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"trauma {' '.join(arguments)}: exit {done.returncode}: {done.stderr}")
    return done.stdout


class Chip:
    def __init__(self, seed, machine):
        self.chance, self.machine = random.Random(seed), machine
        self.static = self.chance.uniform(15, 30)
        self.own = {}

    def energy(self, name, usual):
        """Of this chip: the usual one within a fifth."""
        if name not in self.own:
            self.own[name] = usual * self.chance.uniform(0.8, 1.2)
        return self.own[name]

    def processor(self, manifest, ghz):
        """Counts of a pass."""
        stated = self.machine.get("latency", {})
        latency = {"L1": stated.get("L1D", 4.0), "L2": stated.get("L2", 14.0), "L3": stated.get("L3", 45.0),
                   "MEM": stated.get("MEM", 250.0) * ghz / self.machine["clock_ghz"]}
        units, level = manifest["units"], dict.fromkeys(latency, 0.0)
        waits = ports = vector = branches = missed = far = 0.0
        for item in manifest["kernel"]["unit"]:
            count, op = units * item.get("count", 1), item["op"]
            if op in ("load", "store"):
                for name, share in item.get("served", {"L1": 1}).items():
                    level[name] += count * share
                    wait = count * share * latency[name]
                    wait = wait if item.get("address") == "chase" else 0 if name == "L1" or op == "store" else wait / 10
                    waits += wait if name != "MEM" else 0
                    far += wait if name == "MEM" and op == "load" else 0
                ports += count / (2 if op == "load" else 1)
            elif op == "branch":
                branches, missed = branches + count, missed + count * (1 - item.get("accuracy", 1))
            elif op not in ("nop", "throttle"):
                ports += count / self.machine.get("per_cycle", {}).get(op, 2)
                vector += count if op[0] == "f" else 0
                waits += units * item.get("chain", 0) * {"mul": 4}.get(op, 1) if item.get("chain", 0) > 1 else 0
        busy = max(ports, manifest["instructions"] / self.machine["issue_width"])
        cycles = max(busy, waits) + 20 * missed + far
        beyond = level["L2"] + level["L3"] + level["MEM"]
        return {"cycles": cycles, "instructions": manifest["instructions"], "uops": manifest["instructions"], "fpu": vector,
                "l1i_fetches": manifest["code"]["loop_bytes"] / 32 + missed, "l1d_accesses": manifest["loads"] + manifest["stores"],
                "l2_requests": beyond, "branches": branches + 1, "mispredictions": missed, "l2_misses": level["L3"] + level["MEM"],
                "stalls": cycles - busy, "leading": far, "level": level}

    def ppep(self, manifest, point):
        own, states = manifest["parameters"], self.machine["vf"]
        state = states[own["vf"] - 1] if "vf" in own else states[-1]
        counts = self.processor(manifest, state["ghz"])
        seconds = counts["cycles"] / state["ghz"] / 1e9
        alpha, watts = self.energy("alpha", 2.2), 0.0
        for name, usual in EVENTS.items():
            scale = (state["volts"] / states[-1]["volts"]) ** alpha if name not in ("l2_misses", "stalls") else 1
            watts += self.energy("w." + name, usual) * counts[name] / seconds * scale
        point["counters"] = {key: counts[name] for name, key in COUNTERS.items()}
        point["counters"].update({key: counts[key] for key in ("cycles", "instructions")}, mab0_wait_cycles=counts["leading"])
        return seconds, watts

    def incremental(self, manifest, point):
        own = manifest["parameters"]
        counts = self.processor(manifest, self.machine["clock_ghz"])
        seconds, level = counts["cycles"] / self.machine["clock_ghz"] / 1e9, counts["level"]
        ops = {op: manifest["instructions"] * manifest["expected"].get("mix." + op, 0) for op in ("nop", "add")}
        prefetched = level["MEM"] if own.get("program") == "MB_MEM64" else 0
        factor = 1.75 if own.get("program") == "MB_L1" else 1
        joules = (self.energy("E_NOP", 0.5e-9) * ops["nop"] + self.energy("E_ADD", 0.6e-9) * ops["add"] +
                  factor * self.energy("E_L1", 1.1e-9) * level["L1"] + self.energy("E_L2", 2.2e-9) * level["L2"] +
                  self.energy("E_L3", 1e-8) * level["L3"] + self.energy("E_stall", 1.4e-9) * counts["stalls"] +
                  (self.energy("E_prefetch", 6.5e-8) * prefetched or self.energy("E_MEM", 6e-8) * level["MEM"]))
        point["counters"] = {"cycles": counts["cycles"], "stall_cycles": counts["stalls"], "prefetches": prefetched}
        point["rates"]["ipc"] = manifest["instructions"] / counts["cycles"]
        copies = point["copies"] = 2 if "copies" in own else 1
        return seconds, copies * joules / seconds

    def access_energy(self, manifest, point):
        own, gpu = manifest["parameters"], self.machine["gpu"]
        level, clock = own["level"], self.machine["clock_ghz"] * 1e9
        latency = {"SHARED": 29, "L1": 36, "L2": 211, "MEM": 571}[level]
        transfers = manifest["transfers"][level]
        peak = gpu["bandwidth"][level] * (gpu["sm"] * own.get("share", 1) if level in ("SHARED", "L1") else 1)
        units = manifest["units"]
        cycles = max(units * latency, 32 * transfers / peak) + units * 40 * max(4, own["threads"] / 128) * own.get("div", 0)
        seconds = cycles / clock
        point["per_pass"].update({"transfers." + k: v for k, v in manifest["transfers"].items()})
        point["per_pass"].update({"accesses." + k: v for k, v in manifest["accesses"].items()})
        usual = {"SHARED": 8e-11, "L1": 1.1e-10, "L2": 3.7e-10, "MEM": 2.1e-9}[level]
        joules = self.energy("pj." + level, usual) * transfers
        joules += own.get("div", 0) * self.energy("pj.div", 5e-10) * manifest["accesses"][level]
        joules += 20 * own.get("share", 1) * seconds  # what the chip draws while it waits is in each access
        if own["threads"] == 1024 and not own.get("div") and "share" not in own:
            self.own["epsilon." + level] = joules / transfers
        return seconds, joules / seconds

    def interconnect(self, manifest, point):
        own, clock = manifest["parameters"], self.machine["clock_ghz"] * 1e9
        if "units" in own:
            return 4 * manifest["instructions"] / clock, self.energy("unit", 2.5) * own["units"]
        duty = manifest["targets"].get("throttle.duty", 1)
        rate = 4 * 64 * clock * duty
        seconds = 64 * manifest["transfers"]["L2"] / rate
        toggle = manifest["expected"]["data.toggle_rate"]
        still = own.get("pattern", "unnamed") if toggle < 1e-3 else ""
        mm = 4 + (10.5 if own.get("path") == "long" or own.get("quadrant") else 0)
        per_mm = self.energy("constant", 1) * toggle + self.energy("floor", 0.1)
        per_mm += self.energy("pattern." + still, 0.1) if still not in ("", "zeros") else 0
        point["per_pass"]["transfers.L2"] = manifest["transfers"]["L2"]
        point["rates"]["bandwidth.L2"] = rate
        return seconds, 30 + mm * duty * per_mm


def interval(value, error):
    return {"value": value, "low": value - 1.96 * error, "high": value + 1.96 * error, "n": 20}


def measured(chip, manifest, recipe, factor, index):
    """The point's line of results, all its times scaled by the factor."""
    measure, chance = manifest["measure"], chip.chance
    point = {"kind": "point", "recipe": recipe, "benchmark": manifest["benchmark"], "point": manifest.get("parameters", {}),
             "name": manifest["point"], "index": index, "target": manifest["target"], "program_hash": str(index),
             "per_pass": {key: manifest[key] for key in ("instructions", "loads", "stores") if key in manifest},
             "rates": dict(manifest["expected"])}
    seconds, watts = getattr(chip, MODEL.replace("-", "_"))(manifest, point)
    passes = round(factor * measure["time"] / seconds)
    took = passes * seconds
    idle_s = factor * (measure.get("idle_before", 1) + measure.get("idle_after", 0))
    static = chip.static + NOISE / math.sqrt(idle_s) * chance.gauss(0, 1)
    copies = {"threads": [{"cpu": i, "iterations": passes, "ticks": 1, "start": 1} for i in range(point.pop("copies"))]} if "copies" in point else {}
    point["reps"] = [{**copies, "iterations": passes, "ticks": took * 1e9, "seconds": took, "wall_s": took, "energy_j": {
        "meter": (chip.static + watts) * took + NOISE * math.sqrt(took) * chance.gauss(0, 1)}} for _ in range(measure.get("reps", 5))]
    point["power"] = {"from": ["meter"], "power.static_w": interval(static, NOISE / math.sqrt(idle_s)), "verdict": "trustworthy",
                      "reason": ""}
    if "counters" in point:
        point["counters"] = {key: {"value": v, "low": v, "high": v, "n": 5} for key, v in point["counters"].items()}
    point["rates"] = {key: {"target": None, "verdict": "observed", "code": "observed", "silicon": None, "observations": [
        {"source": "chip", "kind": "simulated", "value": v, "low": v, "high": v, "n": 3}]} for key, v in point["rates"].items()}
    return point


def manifests_of(suite):
    index = json.load(open(os.path.join(suite, "suite.json")))
    found = []
    for each in index["benchmarks"]:
        folder = os.path.join(suite, each["name"])
        if MODEL not in each.get("fit", []) or not os.path.isdir(folder):
            continue
        for name in sorted(os.listdir(folder)):
            found.append((json.load(open(os.path.join(folder, name, "manifest.json"))), each["recipe"]))
    return index, found


def takes(manifest):
    measure = manifest["measure"]
    return measure["time"] * (measure.get("reps", 5) + 1) + measure.get("idle_before", 1) + measure.get("idle_after", 0)


def replay(suite, seed, settings):
    """The fitted coefficients and the chip."""
    index, found = manifests_of(suite)
    chip = Chip(seed, index["machine"])
    factor = min(1, SECONDS / sum(takes(manifest) for manifest, _ in found))
    context = {"schema": 1, "kind": "context", "tool": index["tool"], "seed": 1, "machine": index["machine"], "present": False,
               "host": "synthetic", "kernel": None, "cpu": "synthetic", "sensors": [], "sources": ["plan"],
               "benchmarks": index["benchmarks"]}
    with open("results.jsonl", "w") as out:
        for line in [context] + [measured(chip, m, recipe, factor, i) for i, (m, recipe) in enumerate(found)]:
            out.write(json.dumps(line) + "\n")
    return json.loads(trauma("fit", MODEL, "results.jsonl", "--json", *settings)), chip


def half(coefficient):
    return (coefficient["high"] - coefficient["low"]) / 2


def main():
    settings = [word for i, word in enumerate(MORE) if word == "--set" or (i and MORE[i - 1] == "--set")]
    design = json.loads(trauma("design", MODEL, "-m", MACHINE, "--time", str(SECONDS), "--noise", str(NOISE), "--json", *settings))
    trauma("design", MODEL, "-m", MACHINE, "--time", str(SECONDS), "--noise", str(NOISE), "-o", "design.lua", "-q", *settings)
    trauma("gen", "design.lua", "-m", MACHINE, "-o", "designed", "-q")
    shipped = {"ppep": ["ppep-2014/training", "ppep-2014/across-vf", "ppep-2014/program-a"], "incremental": ["data-movement-2013"],
               "access-energy": ["gpu-energy-2024/div", "gpu-energy-2024/load"], "interconnect": ["interconnect-2016/amd-paths", "interconnect-2016/units"]}
    trauma("gen", *shipped[MODEL], "-m", MACHINE, "-o", "shipped", "-q")
    widths, own, outside, held, disbelieved, untested = {}, {}, 0, 0, 0, 0
    for seed in range(CHIPS):
        fitted, chip = replay("designed", seed, settings)
        other, _ = replay("shipped", seed, settings) if seed < 5 else ({"coefficients": {}}, None)
        disbelieved += "disbelief" in fitted
        untested += any("which is not tested" in each for each in fitted.get("disbelief", []))
        for name, each in fitted["coefficients"].items():
            widths.setdefault(name, []).append(half(each))
            if name in other["coefficients"]:
                own.setdefault(name, []).append(half(other["coefficients"][name]))
            truth = chip.own.get(name)
            if truth is not None and name in design["coefficients"]:
                held += 1
                outside += not each["low"] <= truth <= each["high"]
    faults, ratios = [], []
    for name, each in design["coefficients"].items():
        if name not in widths or each["half"] <= 1e-9 * abs(each["value"]):
            continue
        ratio = statistics.median(widths[name]) / each["half"]
        gain = statistics.median(widths[name]) / statistics.median(own[name]) if name in own else float("nan")
        ratios.append(gain)
        print(f"{name:22} predicted {each['half']:.3g}, {ratio:.2f} of it came out, {gain:.2f} of the recipes' own")
        if not 0.75 <= ratio <= 1.25:
            faults.append(f"{name}: {ratio:.2f} of the predicted half-width")
    gain = math.exp(statistics.mean(math.log(each) for each in ratios if each == each))
    print(f"{outside} of {held} intervals do not hold the truth; {gain:.2f} of the recipes' own; {disbelieved} of {CHIPS} disbelieved")
    if gain > 0.65:
        faults.append(f"{gain:.2f} of the recipes' own half-widths")
    if untested:
        faults.append(f"the form of {untested} is not tested")
    if outside > 0.1 * held + 1:
        faults.append(f"{outside} of {held} intervals do not hold the truth")
    if faults:
        sys.exit("; ".join(faults))


main()
