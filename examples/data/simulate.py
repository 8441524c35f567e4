#!/usr/bin/env python3
"""A simulated meter: makes the sample data of this folder. Everything that it computes is marked as simulated.

    simulate.py meter RESULTS.jsonl NAME -o OUT.jsonl      power for a real run, by the energies of NAME
    simulate.py suite SUITE NAME -o OUT.jsonl [--evidence CHECK.jsonl]
                                                           results of a suite that no machine here can run
    simulate.py counters NAME -o OUT.csv                   counters of two applications on that machine

NAME is an entry of energies.json. The same input gives the same bytes: the noise is seeded by the point's name.
"""
import argparse
import json
import math
import os
import random
import re
import statistics
import sys

sys.dont_write_bytecode = True  # this folder may be one of an installation
import chip  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
METER = "meter"
# From weakest to strongest, as in runner/results/result_point.c.
KINDS = ["predicted", "inferred", "simulated", "inspected", "measured"]


def rounded(value, digits=8):
    """Nine digits are more than any meter has, and keep the files small."""
    return float(f"%.{digits}g" % value)


def interval(values):
    """A median with a 95 % interval, by Student's factor for few values."""
    middle = statistics.median(values)
    if len(values) < 2:
        return {"value": rounded(middle), "low": rounded(middle), "high": rounded(middle), "n": len(values)}
    half = 2.1 * statistics.stdev(values) / math.sqrt(len(values))
    return {"value": rounded(middle), "low": rounded(middle - half), "high": rounded(middle + half), "n": len(values)}


def mark(context, energies, what):
    context["simulated"] = {"what": what, "how": energies["how"]}
    context["sensors"] = [{"name": METER, "label": "simulated", "quantity": "energy", "unit": "J",
                           "period_s": None, "update_s": None, "resolution": None}]


def set_power(point, energies, joules, chance):
    """joules: of each repetition, as the chip draws them; the meter adds its noise."""
    static = energies["static_w"] if "static_w" in energies else point.pop("static_w")
    dynamic = []
    for rep, true in zip(point["reps"], joules):
        rep["energy_j"] = {METER: rounded(true * (1 + energies["noise"] * chance.gauss(0, 1)), 10)}
        dynamic.append(rep["energy_j"][METER] - static * rep["seconds"])
    watts = [j / rep["seconds"] for j, rep in zip(dynamic, point["reps"])]
    quantities = {
        "power.static_w": {"value": static, "low": static * 0.9999, "high": static * 1.0001, "n": 20},
        "power.dynamic_w": interval(watts),
        "power.total_w": interval([w + static for w in watts]),
        "energy.dynamic_j": interval(dynamic),
        "verdict": "trustworthy", "reason": "",
    }
    point["power"] = dict(quantities, simulated=True, **{"from": [METER]})
    point["power"]["sensors"] = {METER: dict(quantities, label="simulated", quantity="energy")}


# ---- a real run ----

def best(point, metric):
    """By the strongest evidence; what the plan alone says is none: it is the recipe's own promise."""
    found = None
    for each in point.get("rates", {}).get(metric, {}).get("observations", []):
        if each["source"] == "plan":
            continue
        if found is None or KINDS.index(each["kind"]) > KINDS.index(found["kind"]):
            found = each
    if found is None and metric in point.get("rates", {}):
        raise SystemExit(f"{point['benchmark']}/{point['name']}: nobody but the plan saw {metric}: trauma check observes it")
    return found["value"] if found else 0


def operations(point, width):
    """Of one pass: what the energies are of, by the best evidence in the results. Cycles that wait are those in which
    nothing is issued, as `trauma fit incremental` derives them."""
    instructions, loads = point["per_pass"]["instructions"], point["per_pass"]["loads"]
    ipc = best(point, "ipc")
    cycles = instructions / ipc if ipc > 0 else 0
    counts = {op: instructions * best(point, "mix." + op) for op in ("nop", "add")}
    counts.update({level: loads * best(point, "served." + level) for level in ("L1", "L2", "L3", "MEM")})
    issued = max(min(loads, cycles), min(instructions / width, cycles) if width else 0)
    counts["stall"] = cycles - issued if loads else 0
    return counts


def write_trace(path, point, idle, energies):
    """Joules over time: idle, the repetitions, idle; some 40 samples of each."""
    chance = random.Random(path)
    static, total = energies["static_w"], point["power"]["power.total_w"]["value"]
    phases = [("idle_before", idle, static)]
    phases += [(f"rep {i + 1}", rep["seconds"], total) for i, rep in enumerate(point["reps"])]
    phases += [("idle_after", idle, static)]
    os.makedirs(os.path.dirname(path), exist_ok=True)
    now = joules = 0.0
    with open(path, "w") as out:
        out.write("t_s,channel,value\n")
        for phase, seconds, watts in phases:
            out.write(f"{now:.6f},mark,{phase}\n")
            for _ in range(40):
                step = seconds / 40
                joules += step * watts * (1 + 5 * energies["noise"] * chance.gauss(0, 1))
                now += step
                out.write(f"{now:.6f},{METER},{joules:.7g}\n")
        out.write(f"{now:.6f},mark,end\n")


def traced(context, point):
    """Whether a plot of the recipe asks for this point over time."""
    for benchmark in context["benchmarks"]:
        for plot in benchmark.get("plot", []):
            only = plot.get("only", {})
            if benchmark["name"] == point["benchmark"] and plot.get("from") == "trace" and all(
                    point["point"].get(name) in values for name, values in only.items()):
                return True
    return False


def meter(path, energies, output):
    with open(path) as lines:
        context, *points = [json.loads(line) for line in lines]
    mark(context, energies, "meter")
    context["host"] = "example"
    width = context["machine"].get("issue_width", 0)
    for point in points:
        if "reps" not in point:
            continue
        chance = random.Random(point["benchmark"] + "/" + point["name"])
        counts = operations(point, width)
        joules = 1e-9 * sum(energies["nj"].get(name, 0) * count for name, count in counts.items())
        # Watts of passes that nothing disturbed: what else ran on the machine meanwhile is not in the meter's sight.
        watts = energies["static_w"] + 1e9 * joules / best(point, "pass.ns")
        set_power(point, energies, [watts * rep["seconds"] for rep in point["reps"]], chance)
        point.pop("warnings", None)
        point.pop("state", None)  # the stated energies do not depend on the clock
    return [context] + points


# ---- a suite that cannot run here ----

def evidence(path):
    """The observations of `trauma check --json`, by point."""
    rates = {}
    for line in open(path) if path else []:
        row = json.loads(line)
        if "metric" not in row:
            continue
        rate = {"target": row.get("wanted"), "verdict": row["verdict"], "code": row.get("code"),
                "silicon": row.get("silicon"), "observations": row["observations"]}
        if "reason" in row:
            rate["reason"] = row["reason"]
        rates.setdefault((row["benchmark"], row["point"]), {})[row["metric"]] = rate
    return rates


def suite_points(folder, rates):
    """The points of a suite without repetitions, and their manifests."""
    index = json.load(open(os.path.join(folder, "suite.json")))
    context = {"schema": 1, "kind": "context", "tool": index["tool"], "seed": index["seed"],
               "machine": index["machine"], "present": False, "host": "example", "kernel": None,
               "cpu": "of " + index["machine"]["name"], "sensors": [],
               "sources": ["plan"], "benchmarks": index["benchmarks"]}
    context["benchmarks"] = [each for each in index["benchmarks"] if os.path.isdir(os.path.join(folder, each["name"]))]
    recipes = {each["name"]: each["recipe"] for each in context["benchmarks"]}
    points = []
    for name in recipes:
        for each in sorted(os.listdir(os.path.join(folder, name))):
            manifest = json.load(open(os.path.join(folder, name, each, "manifest.json")))
            manifest["folder"] = os.path.join(folder, name, each)
            program = manifest["hashes"].get("program", next(iter(v for k, v in sorted(manifest["hashes"].items())
                                                                  if k.startswith("program")), ""))
            point = {"kind": "point", "recipe": recipes[name], "benchmark": name, "point": manifest["parameters"],
                     "name": manifest["point"], "target": manifest["target"], "program_hash": program,
                     "per_pass": {"instructions": manifest["instructions"]}, "simulated": True, "reps": []}
            if (name, each) in rates:
                point["rates"] = rates[(name, each)]
            points.append((point, manifest))
    return context, points


def seen(value):
    """A rate that the simulation observed."""
    return {"target": None, "verdict": "observed", "code": "observed", "silicon": None, "observations": [
        {"source": "simulate.py", "kind": "simulated", "value": value, "low": value, "high": value, "n": 3}]}


def add_reps(point, seconds_per_pass, seconds, reps, clock, copies=1):
    iterations = max(1, round(seconds / seconds_per_pass))
    for _ in range(reps):
        took = iterations * seconds_per_pass
        point["reps"].append({"iterations": iterations, "ticks": round(took * clock), "wall_s": rounded(took),
                              "seconds": rounded(took)})
        if copies > 1:
            point["reps"][-1]["threads"] = [{"cpu": cpu, "iterations": iterations, "ticks": round(took * clock), "start": 0}
                                            for cpu in range(copies)]
    ticks = seconds_per_pass * clock
    point["time"] = {"ticks_per_pass": {"value": rounded(ticks), "low": rounded(ticks), "high": rounded(ticks), "n": reps},
                     "ticks_per_s": clock}


WORD, SECTOR = 8, 32  # bytes: of a load, and of what moves


def loads_of_text(manifest):
    """Loads of a pass of the whole grid, as the text's loop has them."""
    with open(os.path.join(manifest["folder"], "program.ptx")) as text:
        loop = text.read().split("TRAUMA_LOOP:")[1].split("bra TRAUMA_LOOP")[0]
    loads = re.findall(r"^ *ld\.(?:global|shared)\S*\.(\w+) ", loop, re.MULTILINE)
    if set(loads) - {"u64"}:
        raise SystemExit(f"{manifest['point']}: expected loads of {WORD} bytes")
    return len(loads) * manifest["grid"]["blocks"] * manifest["grid"]["threads"]


def gpu_suite(context, points, energies):
    """Loads are those of the text's loop, by the levels that the executor saw serve them; neighbours share sectors. A pass takes
    the longest of its loads' latency and of each level's transfer at its bandwidth; while it waits for
    latency, a chip that is full of blocks draws waiting_w."""
    machine, gpu = context["machine"], context["machine"]["gpu"]
    clock = machine["clock_ghz"] * 1e9
    for point, manifest in points:
        chance = random.Random(point["name"])
        loaded = {level: loads_of_text(manifest) * best(point, "served." + level) for level in energies["pj"]}
        sectors = {level: rounded(count * WORD / SECTOR) for level, count in loaded.items()}
        transfers = {level: count for level, count in sectors.items() if count}
        sm = min(manifest["grid"]["blocks"], gpu["sm"])  # that run blocks
        busy = max(count * SECTOR / (gpu["bandwidth"][level] * (sm if level in ("SHARED", "L1") else 1))
                   for level, count in transfers.items()) / clock
        latency = max(machine["latency"].get(level, 30) for level in transfers)
        taken = max(busy, manifest["instructions"] * latency / clock)
        point["per_pass"].update({f"accesses.{level}": rounded(n) for level, n in loaded.items()})
        point["per_pass"].update({f"transfers.{level}": n for level, n in sectors.items()})
        add_reps(point, taken, manifest["measure"]["time"], 3, clock)
        joules = 1e-12 * sum(energies["pj"][level] * count for level, count in transfers.items())
        joules += energies["waiting_w"] * sm / gpu["sm"] * (taken - busy)
        set_power(point, energies,
                  [energies["static_w"] * rep["seconds"] + joules * rep["iterations"] + energies["start_j"]
                   for rep in point["reps"]], chance)
        level, count = next(iter(transfers.items()))
        each = point["power"]["energy.dynamic_j"]
        passes = point["reps"][0]["iterations"]
        point["power"][f"energy.per_access_j.{level}"] = {
            key: rounded(each[key] / passes / count) if key != "n" else each[key] for key in each}


def cpu_suite(context, points, energies):
    """Cycles: chases wait for each load's latency, what does not chase issues beside it. The counters are exact. A chase in
    L1 alone costs chase_factor times a load from L1, as in the paper."""
    machine = context["machine"]
    clock, width = machine["clock_ghz"] * 1e9, machine["issue_width"]
    latency = {"L1": machine["latency"]["L1D"], "L2": machine["latency"]["L2"], "L3": machine["latency"]["L3"],
               "MEM": machine["latency"]["MEM"]}
    for point, manifest in points:
        chance = random.Random(point["name"])
        own, instructions = manifest["parameters"], manifest["instructions"]
        executed = instructions * best(point, "mix.load")
        loads = {level: executed * best(point, "served." + level) for level in latency}
        adds, nops = (instructions * best(point, "mix." + op) for op in ("add", "nop"))
        chases = any(each.get("address") == "chase" for each in manifest["kernel"]["unit"])
        prefetches = 0
        if own.get("program") == "MB_MEM64":
            prefetches, loads = executed, dict.fromkeys(latency, 0)
            waits = energies["prefetched_cycles"] * prefetches
        else:
            waits = sum(latency[level] * count for level, count in loads.items()) if chases else executed / 2
        chain = any(each.get("chain", 0) > 1 for each in manifest["kernel"]["unit"])  # one addition a cycle
        cycles = max(waits, instructions / width, adds / (1 if chain else 2))
        stalls = max(0, cycles - max(executed, instructions / width)) if chases else 0
        nj = energies["nj"]
        factor = energies["chase_factor"] if own.get("program") == "MB_L1" else 1
        joules = 1e-9 * (nj["nop"] * nops + nj["add"] * adds + factor * nj["L1"] * loads["L1"] + nj["stall"] * stalls +
                         nj["prefetch"] * prefetches + sum(nj[level] * loads[level] for level in ("L2", "L3", "MEM")))
        point["per_pass"].update({"loads": rounded(executed), "stores": 0})
        point["counters"] = {name: {"value": count, "low": count, "high": count, "n": 3} for name, count in
                             (("cycles", rounded(cycles)), ("stall_cycles", rounded(stalls)), ("prefetches", prefetches))}
        point.setdefault("rates", {})["ipc"] = seen(rounded(instructions / cycles))
        copies = own.get("copies", 1)
        add_reps(point, cycles / clock, manifest["measure"]["time"], 3, clock, copies)
        set_power(point, energies,
                  [energies["static_w"] * rep["seconds"] + joules * copies * rep["iterations"] for rep in point["reps"]], chance)


def interconnect_suite(context, points, energies):
    """chip.py executes what was emitted. A line takes an energy where it is served, and on its way one for each bit and mm and
    one for each bit that flips and mm; working units and the waves' instructions take theirs. Units whose L1 serves all of their
    loop take a stated power each, and issue an instruction in four cycles."""
    gpu, clock = context["machine"]["gpu"], context["machine"]["clock_ghz"] * 1e9
    simulated = chip.Chip(gpu)
    for point, manifest in points:
        chance = random.Random(point["name"])
        if "units" in point["point"]:
            pass_s, watts = 4 * manifest["instructions"] / clock, energies["loop_w"] * point["point"]["units"]
            add_reps(point, pass_s, manifest["measure"]["time"], 3, clock)
            set_power(point, energies, [(energies["static_w"] + watts) * rep["seconds"] for rep in point["reps"]], chance)
            continue
        trace, flips = simulated.run(manifest, os.path.join(manifest["folder"], "program.s"))
        mm = energies["near_mm"] + (energies["mm"] if point["point"]["path"] == "long" else 0)
        lines, seconds = sum(len(each) for each in trace.lines), (chip.END - chip.WARM) / clock
        joules = energies["unit_w"] * trace.units * seconds + 1e-12 * (
            energies["pj_per_line"] * lines + energies["pj_per_instruction"] * trace.issued +
            mm * (energies["pj_per_bit_mm"] * 8 * chip.LINE * lines + energies["pj_per_flip_mm"] * flips))
        joules /= trace.passes
        point["per_pass"]["transfers.L2"] = rounded(lines / trace.passes)
        point.setdefault("rates", {})["bandwidth.L2"] = seen(rounded(chip.LINE * lines / seconds))
        add_reps(point, seconds / trace.passes, manifest["measure"]["time"], 3, clock)
        set_power(point, energies,
                  [energies["static_w"] * rep["seconds"] + joules * rep["iterations"] for rep in point["reps"]], chance)


def throttle_suite(context, points, energies):
    """The unit's work takes its cycles at the peak, and idle instructions, as inspection found them, one each beside it."""
    machine = context["machine"]
    clock = machine["clock_ghz"] * 1e9
    for point, manifest in points:
        chance = random.Random(point["name"])
        op, instructions = manifest["parameters"]["op"], manifest["instructions"]
        work, idle = (instructions * best(point, "mix." + each) for each in (op, "throttle"))
        peak = machine["ports"]["load"] if op == "load" else machine["per_cycle"]["add"]
        cycles = max(work / peak, idle)
        joules = 1e-9 * (energies["nj"][op] * work + energies["nj"]["idle"] * idle)
        add_reps(point, cycles / clock, manifest["measure"]["time"], 3, clock)
        set_power(point, energies,
                  [energies["static_w"] * rep["seconds"] + joules * rep["iterations"] for rep in point["reps"]], chance)


def words_of(manifest):
    """What a pass's loads read, in their order: the words of the emitted image."""
    words = {}
    for region in manifest["data"]["regions"]:
        for run in region["runs"]:
            for i in range(run["count"]):
                words[region["offset"] + run["offset"] + i * run["step"]] = int(run["word"], 16)
    return [words[offset] for offset in manifest["accesses"]]


def flips_of(words, ports):
    """Bits that flip in a pass on the wires of load ports that take the loads in turn."""
    passes = words * ports  # after which each port has had its words
    return sum(bin(a ^ b).count("1") for port in range(ports)
               for a, b in zip(passes[port::ports], passes[port::ports][1:] + passes[port::ports][:1])) / ports


def toggle_suite(context, points, energies):
    """Each load takes an energy of its own, and one for each bit that flips on the wires of the port to which it is dealt."""
    machine = context["machine"]
    clock, ports = machine["clock_ghz"] * 1e9, machine["ports"]["load"]
    for point, manifest in points:
        chance = random.Random(point["name"])
        words = words_of(manifest)
        joules = len(words) * 1e-9 * energies["nj"]["load"] + 1e-12 * energies["pj_per_flip"] * flips_of(words, ports)
        add_reps(point, len(words) / ports / clock, manifest["measure"]["time"], 3, clock)
        set_power(point, energies,
                  [energies["static_w"] * rep["seconds"] + joules * rep["iterations"] for rep in point["reps"]], chance)


def ladder_suite(context, points, energies):
    """A load takes the stated latency of the level that serves it, as the executor counts it."""
    machine = context["machine"]
    clock = machine.get("clock_ghz", 1) * 1e9
    context["sensors"] = []
    for point, manifest in points:
        latency = sum(machine["latency"][level] * best(point, "served." + level) for level in ("L1", "L2", "MEM"))
        point["per_pass"].update({f"accesses.{level}": n for level, n in manifest["accesses"].items()})
        add_reps(point, sum(manifest["accesses"].values()) * latency / clock, manifest["measure"]["time"], 3, clock)


def placement_suite(context, points, energies):
    """Nothing but what the executor counts."""
    context["sensors"] = []
    for point, _ in points:
        del point["reps"]


# ---- a chip with states of voltage and frequency ----

EVENTS = ["uops", "fpu", "l1i_fetches", "l1d_accesses", "l2_requests", "branches", "mispredictions", "l2_misses", "stalls"]
COUNTERS = ["uops_retired", "fpu_assignments", "l1i_fetches", "l1d_accesses", "l2_requests", "branches", "branch_misses",
            "l2_misses", "dispatch_stalls"]
USUAL = [1.05, 0.02, 0.25, 0.05, 0.001, 0.02, 2e-4, 2e-4, 0]
MOST = [1, 0.9, 0.6, 0.8, 0.4, 0.5, 0.08, 0.05, 0]
RAISES = {"fpu_fused": "fpu", "l1d_loads": "l1d_accesses", "l1d_stores": "l1d_accesses", "l3_misses": "l2_misses",
          "integer": "uops", "floating": "fpu", "cached": "l1d_accesses", "l2": "l2_requests", "memory2": "l2_misses",
          "memory10": "l2_misses", "memory50": "l2_misses", "branches": "branches"}
SHARES = {"memory2": 0.1, "memory10": 0.4, "memory50": 1}


def cubic(factors, volts):
    return sum(factor * volts ** i for i, factor in enumerate(factors))


def idle_watts(energies, volts, celsius):
    return cubic(energies["w1"], volts) * celsius + cubic(energies["w0"], volts)


def program(name, raised, share):
    """Events of an instruction, its cycles without memory, and nanoseconds of leading loads."""
    chance = random.Random(name)
    cpi = 0.45 + 0.2 * chance.random()
    event = [usual * (0.7 + 0.6 * chance.random()) for usual in USUAL]
    event[raised] += share * MOST[raised]
    if raised in (4, 7):
        event[3] += event[raised]
    if raised == 7:
        event[4] += event[7]
    if raised == 6:
        event[5] += 0.5
    return {"event": event, "cpi": cpi + 8 * event[4] + 20 * event[6] + (share * 2 if raised == 8 else 0),
            "busy": 0.4, "leading_ns": 20 * event[7]}


def rates_at(made, ghz):
    """Counts per second."""
    leading = made["leading_ns"] * ghz
    cpi = made["cpi"] + leading
    instructions = ghz * 1e9 / cpi
    rates = [each * instructions for each in made["event"]]
    rates[8] = max(cpi - made["busy"], 0) * instructions
    return {"cycles": ghz * 1e9, "instructions": instructions, "leading": leading * instructions, "event": rates}


def dynamic_watts(energies, rates, volts):
    watts = 0
    for name, rate in zip(EVENTS, rates["event"]):
        scaled = (volts / 1.32) ** energies["alpha"] if name not in ("l2_misses", "stalls") else 1
        watts += 1e-9 * energies["nj"][name] * rate * scaled
    return watts


def warm_reps(point, energies, volts, dynamic, idle_share, chance, count=4, seconds=10):
    """Repetitions in which the chip warms up to what its power makes of it."""
    rise = 6 + 0.4 * dynamic
    joules = []
    for i in range(count):
        mean = 40 + rise * (1 - 4 * (math.exp(-i / 4) - math.exp(-(i + 1) / 4)))
        point["reps"].append({"iterations": 1000000, "ticks": round(seconds * 3.5e9), "wall_s": seconds, "seconds": seconds,
                              "temperature_c": {"k10temp": rounded(40 + rise * (1 - math.exp(-(i + 1) / 4)), 6)}})
        joules.append(seconds * (dynamic + idle_share * idle_watts(energies, volts, mean)))
    point["static_w"] = rounded(idle_share * idle_watts(energies, volts, 45), 6)
    set_power(point, energies, joules, chance)


def cooling(energies, volts, chance):
    """A sample per second of 240 s."""
    samples, joules = [], 0.0
    for i in range(240):
        celsius = 38 + 30 * math.exp(-i / 240)
        samples.append({"t_s": i, "energy_j": {METER: rounded(joules, 9)}, "temperature_c": {"k10temp": rounded(celsius, 6)}})
        middle = 38 + 30 * math.exp(-(i + 0.5) / 240)
        joules += idle_watts(energies, volts, middle) * (1 + energies["noise"] * chance.gauss(0, 1))
    return {"seconds": 240.0, "samples": samples}


def ppep_suite(context, points, energies):
    states = context["machine"]["vf"]
    fastest = states[-1]
    for point, manifest in points:
        chance = random.Random(point["benchmark"] + point["name"])
        own, state, counted = manifest["parameters"], fastest, True
        if "vf" in own:
            state = states[own["vf"] - 1]
        if "ghz" in own:
            state = next(each for each in states if each["ghz"] == own["ghz"])
        name = own.get("event", own.get("mix", point["benchmark"] + str(own.get("mem", own.get("miss", "")))))
        share = own.get("share", SHARES.get(name, own.get("mem", own.get("miss", 0.5))))
        kind = RAISES.get(name, name if name in EVENTS else "l2_misses" if "mem" in own or "miss" in own else "uops")
        made = program(name + str(own.get("share", "")) + str(own.get("accuracy", "")), EVENTS.index(kind), share)
        rates, busy = rates_at(made, state["ghz"]), 1
        if point["benchmark"] == "power-gating":
            gated, units = own["gating"], own["busy"]
            on = energies["cu_share"] * units + (energies["nb_share"] if units else 0) + energies["base_share"]
            warm_reps(point, energies, state["volts"], 6.0 * units, on if gated else 1, chance)
            counted = False
        elif point["benchmark"] == "heat-and-cool":
            warm_reps(point, energies, state["volts"], 60, 1, chance, count=1)
            point["idle_after"] = cooling(energies, state["volts"], chance)
            counted = False
        else:
            warm_reps(point, energies, state["volts"], busy * dynamic_watts(energies, rates, state["volts"]), 1, chance)
        if counted:
            per_pass = 10 / 1e6
            values = {"cycles": rates["cycles"], "instructions": rates["instructions"], "mab0_wait_cycles": rates["leading"]}
            values.update(zip(COUNTERS, rates["event"]))
            point["counters"] = {key: {"value": rounded(value * per_pass), "low": rounded(value * per_pass),
                                       "high": rounded(value * per_pass), "n": 4} for key, value in values.items()}
            point["per_pass"]["instructions"] = rounded(rates["instructions"] * per_pass)


SUITES = {"incremental": cpu_suite, "access-energy": gpu_suite, "interconnect": interconnect_suite, "ppep": ppep_suite, "idle": ppep_suite,
          "throttle": throttle_suite, "toggle-energy": toggle_suite, "gpu-latency-ladder": ladder_suite,
          "cu-placement": placement_suite}


def suite(folder, name, energies, path, output):
    context, points = suite_points(folder, evidence(path))
    mark(context, energies, "results")
    SUITES[name](context, points, energies)
    for point, manifest in points:
        if traced(context, point):
            traces = os.path.splitext(os.path.basename(output))[0] + ".traces"
            point["trace"] = f"{traces}/{point['benchmark']}/{point['name']}.csv"
            write_trace(os.path.join(os.path.dirname(output), point["trace"]), point, manifest["measure"]["idle_before"], energies)
    return [context] + [point for point, _ in points]


# ---- counters of applications ----

def cpu_applications(energies):
    """A product of matrices that stays in cache, and a search through a list in memory."""
    rows = []
    for name, seconds, accesses, misses, stalls in (
            ("matrix", 4.0, 2.4e10, (6e8, 8e7, 4e6, 9e7), 2e9), ("search", 6.0, 3e9, (1.4e9, 9e8, 2.4e8, 2e7), 1.6e10)):
        nj = energies["nj"]
        l1, l2, l3, prefetches = misses
        joules = 1e-9 * (nj["L1"] * (accesses - l1) + nj["L2"] * (l1 - l2) + nj["L3"] * (l2 - l3) + nj["MEM"] * l3 +
                         nj["prefetch"] * prefetches + nj["stall"] * stalls)
        rows.append([name, seconds, accesses, l1, l2, l3, prefetches, stalls,
                     rounded(1.3 * joules + energies["static_w"] * seconds, 6), energies["static_w"]])
    return "application,seconds,accesses.L1,l1d_misses,l2_misses,l3_misses,prefetches,stall_cycles,energy_j,static_w", rows


def gpu_applications(energies):
    rows = []
    for name, seconds, shared, l1, l2, memory in (("stencil", 0.8, 0, 6e9, 2.4e9, 1.1e9), ("matmul", 1.2, 4e10, 2e9, 1.6e9, 2e8)):
        pj = energies["pj"]
        joules = 1e-12 * (pj["SHARED"] * shared + pj["L1"] * l1 + pj["L2"] * l2 + pj["MEM"] * memory)
        rows.append([name, seconds, shared, l1, l2, memory,
                     rounded(1.4 * joules + energies["static_w"] * seconds, 6), energies["static_w"]])
    return "application,seconds,accesses.SHARED,accesses.L1,accesses.L2,accesses.MEM,energy_j,static_w", rows


def interconnect_applications(energies):
    return ("application,seconds,l1_accesses,l2_hits,l2_misses,dynamic_w,reg_l1,l1_l2,l2_mc",
            [["bfs", 0.5, 6e9, 3e9, 1.5e9, 95, 3.5, 10.5, 11.5], ["gemm", 1.0, 1.2e10, 3e9, 4e8, 140, 3.5, 10.5, 11.5]])


def ppep_trace(energies):
    """Two cores in steps of 0.2 s: the first half computes, the second waits for memory; the cap falls and rises."""
    header = "t_s,core,ghz,temperature_c,power_w,cap_w,cycles,instructions,mab0_wait_cycles," + ",".join(COUNTERS)
    rows = []
    for step in range(40):
        made = program("traced", 3 if step < 20 else 7, 0.5)
        rates = rates_at(made, 3.5)
        watts = 2 * dynamic_watts(energies, rates, 1.32) + idle_watts(energies, 1.32, 50)
        for core in range(2):
            counts = [rates["cycles"], rates["instructions"], rates["leading"], *rates["event"]]
            rows.append([rounded(0.2 * step, 4), core, 3.5, 50, rounded(watts, 6), 100 if step // 10 % 2 == 0 else 30] +
                        [round(0.2 * count) for count in counts])
    return header, rows


COUNTS = {"incremental": cpu_applications, "access-energy": gpu_applications, "interconnect": interconnect_applications,
          "ppep": ppep_trace}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mode", choices=["meter", "suite", "counters"])
    parser.add_argument("inputs", nargs="+")
    parser.add_argument("-o", "--output", required=True)
    parser.add_argument("--evidence")
    options = parser.parse_args()
    name = options.inputs[-1]
    energies = json.load(open(os.path.join(HERE, "energies.json")))[name if name != "idle" else "ppep"]
    if options.mode == "counters":
        header, rows = COUNTS[name](energies)
        with open(options.output, "w") as out:
            out.write(header + "\n")
            out.writelines(",".join("%.10g" % each if not isinstance(each, str) else each for each in row) + "\n" for row in rows)
        return
    try:
        lines = (meter(options.inputs[0], energies, options.output) if options.mode == "meter"
                 else suite(options.inputs[0], name, energies, options.evidence, options.output))
    except chip.Unknown as what:
        raise SystemExit(f"the simulated chip does not know {what}")
    with open(options.output, "w") as out:
        out.writelines(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)


if __name__ == "__main__":
    main()
