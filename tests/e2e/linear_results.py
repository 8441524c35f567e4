"""Results of a machine whose power is a constant, and energies per load and per miss of L2; of its memory's channel, a constant and
an energy per miss. Written as docs/reference/results.md states them.

    linear_results.py FILE SEED [KIND]     KIND: right, square (energy per load rises with the rate)
"""
import json
import random
import sys

LOAD, MISS, CONSTANT, DRAM_MISS, DRAM_CONSTANT = 8e-10, 6e-8, 3.0, 3e-8, 1.0
PASSES, SECONDS = 1000, 2.0


def interval(value, error):
    return {"value": value, "low": value - 1.96 * error, "high": value + 1.96 * error, "n": 5}


def point(chance, recipe, program, kind):
    loads, misses = chance.uniform(1e8, 1e9), chance.uniform(1e6, 5e7)  # per second
    watts = CONSTANT + LOAD * loads + MISS * misses + (2e-17 * loads * loads if kind == "square" else 0)
    idle = {"powercap:intel-rapl:0": chance.gauss(20, 0.005), "powercap:intel-rapl:0:0": chance.gauss(2, 0.002)}
    reps = []
    for _ in range(5):
        drawn = {"powercap:intel-rapl:0": 20 + watts + chance.gauss(0, 0.02),
                 "powercap:intel-rapl:0:0": 2 + DRAM_CONSTANT + DRAM_MISS * misses + chance.gauss(0, 0.01)}
        reps.append({"iterations": PASSES, "ticks": 4000000000, "wall_s": SECONDS, "seconds": SECONDS,
                     "energy_j": {name: one * SECONDS for name, one in drawn.items()},
                     "temperature_c": {"chip": 50 + chance.random()}})
    sensors = {name: {"label": label, "quantity": "energy", "power.static_w": interval(idle[name], error)}
               for name, label, error in (("powercap:intel-rapl:0", "package-0", 0.005),
                                          ("powercap:intel-rapl:0:0", "package-0/dram", 0.002))}
    return {"kind": "point", "recipe": "recipe%d" % recipe, "benchmark": "program%d" % program, "point": {"n": recipe},
            "name": "n=%d" % recipe, "target": "x86_64", "program_hash": "%d-%d" % (recipe, program), "reps": reps,
            "per_pass": {"loads": loads * SECONDS / PASSES, "instructions": 2 * loads * SECONDS / PASSES},
            "counters": {"l2_misses": misses * SECONDS / PASSES}, "rates": {},
            "power": {"power.static_w": interval(idle["powercap:intel-rapl:0"], 0.005), "verdict": "trustworthy",
                      "from": ["powercap:intel-rapl:0"], "sensors": sensors}}


def main(path, seed, kind="right"):
    chance = random.Random(int(seed))
    with open(path, "w", encoding="utf-8") as file:
        context = {"schema": 1, "kind": "context", "machine": {"name": "chip"}, "host": "here", "benchmarks": []}
        file.write(json.dumps(context) + "\n")
        for recipe in range(3):
            for program in range(6):
                file.write(json.dumps(point(chance, recipe, program, kind)) + "\n")


main(*sys.argv[1:])
