#!/usr/bin/env python3
"""Whether commands on results take time in proportion to the points, and how much memory.

    bench/points.py TRAUMA [--points N] [--shape NAME] [--most RATIO] [--peak MIB] [COMMAND...]

Each command reads made-up results of N / 4 points and of N (100,000), in three shapes; a row shows the processor time and
the peak memory of both, and the ratio of the times: 4 is linear, 16 is quadratic. --most and --peak fail above
that ratio or peak.
"""
import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile

# A shape's points: their benchmark and their sweep values. All reasons and warnings differ.
SHAPES = {
    "lines": lambda i: ("b", {"k": i % 10, "n": "w%d" % (i // 10)}),
    "series": lambda i: ("b", {"k": i // 4, "n": "w%d" % (i % 4)}),
    "benchmarks": lambda i: ("b%d" % (i // 4), {"k": 0, "n": "w%d" % (i % 4)}),
}
# A picture of each benchmark takes gnuplot as long as thousands of points.
PICTURES = {"benchmarks": 16}
COMMANDS = {
    "check": "check {results}",
    "tap": "check --tap {results}",
    "report": "report {results} -o page.html",
    "plot": "plot {results} -o figure.svg",
    "export": "export {results} -o table.csv",
    "diff": "diff {results} {results}",
    "merge": "merge {results} -o merged-{results}",
}


def seen(source, kind, value):
    return {"source": source, "kind": kind, "value": value, "low": value - 0.001, "high": value + 0.001, "n": 5}


def rate(value, reason=None):
    observations = [] if reason else [seen("plan", "predicted", value), seen("cachegrind", "simulated", value),
                                      seen("perf", "measured", value)]
    return {"target": 0.5, "verdict": "unobserved" if reason else "pass", "reason": reason or "",
            "observations": observations}


def point(i, benchmark, values):
    return {"kind": "point", "recipe": "r.lua", "benchmark": benchmark,
            "name": ",".join("%s=%s" % pair for pair in sorted(values.items())), "index": i, "point": values,
            "target": "x86_64", "program_hash": "%08x" % i,
            "reps": [{"iterations": 1000, "ticks": i + j, "wall_s": 0.5, "cpu": 1, "energy_j": {"a": j}}
                     for j in range(5)],
            "rates": {"ipc": rate(0.5 + i % 3 / 1000), "l1d.miss_rate": rate(0.5), "l2.miss_rate": rate(0.5),
                      "l3.miss_rate": rate(0, "perf: no counter %d can be opened for this program on this machine, "
                                              "whatever is tried, with any of its names" % i)},
            "time": {"wall_s": {"value": 0.5, "low": 0.4, "high": 0.6, "n": 5}},
            "power": {"power.dynamic_w": {"value": 3, "low": 2, "high": 4, "n": 5}, "verdict": "trustworthy",
                      "sensors": {}},
            "warnings": [{"what": "cpu%d was late by %d s" % (i, i), "mend": "wait %d" % i}]}


def make(path, shape, count):
    """In a child, as a command's peak would count what this process holds when it starts it."""
    child = os.fork()
    if child == 0:
        write(path, shape, count)
        os._exit(0)
    if os.waitpid(child, 0)[1] != 0:
        sys.exit("%s cannot be written" % path)


def write(path, shape, count):
    rows = [SHAPES[shape](i) for i in range(count)]
    names = list(dict.fromkeys(benchmark for benchmark, _ in rows))
    plot = [{"x": "n", "y": ["ipc"], "by": "k"}]
    context = {"schema": 1, "kind": "context", "tool": {"name": "trauma", "version": "0"}, "seed": 1, "present": False,
               "machine": {"name": "any", "isa": "x86_64"},
               "benchmarks": [{"name": name, "recipe": "r.lua", "plot": plot} for name in names]}
    with open(path, "w") as out:
        for line in [context] + [point(i, *row) for i, row in enumerate(rows)]:
            out.write(json.dumps(line, separators=(",", ":")) + "\n")


def measure(command, folder):
    """Processor time in seconds, of children too, and the peak in MiB."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=err, cwd=folder)
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        err.seek(0)
        if child.returncode not in (0, 5):
            sys.exit("%s: exit %d: %s" % (" ".join(command), child.returncode, err.read()[-500:].decode()))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, used.ru_maxrss / 1024


def measure_shape(options, shape, start, folder):
    """Prints the shape's rows; returns how many are above what is allowed."""
    wrong = 0
    for name in options.commands or COMMANDS:
        if name == "plot" and not shutil.which("gnuplot"):
            continue
        few = options.points // 4 // (PICTURES.get(shape, 1) if name in ("plot", "report") else 1)
        rows = []
        for count in (few, 4 * few):
            results = "results-%d.jsonl" % count
            if not os.path.exists(os.path.join(folder, results)):
                make(os.path.join(folder, results), shape, count)
            rows.append(measure([options.trauma] + COMMANDS[name].format(results=results).split(), folder))
        ratio = (rows[1][0] - start) / max(rows[0][0] - start, 0.01)
        print("%-10s %-7s %9.2f %9.2f %6.1f %10.0f %10.0f" % (shape, name, rows[0][0], rows[1][0], ratio, rows[0][1],
                                                             rows[1][1]), flush=True)
        slow = options.most is not None and ratio > options.most
        large = options.peak is not None and rows[1][1] > options.peak
        wrong += slow or large
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trauma")
    parser.add_argument("commands", nargs="*", metavar="COMMAND", help=", ".join(COMMANDS))
    parser.add_argument("--points", type=int, default=100000)
    parser.add_argument("--shape", choices=SHAPES)
    parser.add_argument("--most", type=float, metavar="RATIO")
    parser.add_argument("--peak", type=float, metavar="MIB")
    options = parser.parse_intermixed_args()
    options.trauma = os.path.abspath(options.trauma)
    wrong = 0
    start = min(measure([options.trauma, "--version"], ".")[0] for _ in range(3))
    print("%-10s %-7s %9s %9s %6s %10s %10s" % ("shape", "command", "s of 1/4", "s of all", "ratio", "MiB of 1/4", "MiB of all"))
    for shape in [options.shape] if options.shape else SHAPES:
        with tempfile.TemporaryDirectory() as folder:
            wrong += measure_shape(options, shape, start, folder)
    if wrong:
        sys.exit("%d rows are above a ratio of %s or a peak of %s MiB" % (wrong, options.most, options.peak))


main()
