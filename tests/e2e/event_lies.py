"""event_lies.py TRAUMA SUITE FOLDER honest|lies SEED: makes counts of 200 events from the suite's manifests, honest ones
or lies, and judges them by `trauma events`; prints how many verdicts and quantities are right, and each that is not."""
import csv
import glob
import json
import os
import random
import subprocess
import sys

trauma, suite, folder, kind, seed = sys.argv[1:]
EVENTS, REPEATS = 200, 3
QUANTITIES = ["instructions", "loads", "stores", "branches", "branches.taken", "branches.missed", "l1d.misses",
              "l2.accesses", "l2.misses", "l3.misses", "l1i.misses", "dtlb.misses", "fp.8", "fp.32", "divisions", "atomics"]
LEVELS = ["l1d.misses", "l2.accesses", "l2.misses", "l3.misses"]


def programs():
    for path in sorted(glob.glob(os.path.join(suite, "*", "*", "manifest.json"))):
        with open(path, encoding="utf-8") as file:
            manifest = json.load(file)
        yield manifest["benchmark"] + "/" + manifest["point"], manifest["counts"]


def lie(draw, number, moved):
    """What is claimed, what is counted, the verdict, the start's counts and the counter's bits."""
    claim = draw.choice([quantity for quantity in QUANTITIES if quantity in moved])
    levels = [quantity for quantity in LEVELS if quantity in moved]
    start = draw.choice([0, draw.randrange(100000)])
    which = number % 8 if kind == "lies" else -1
    if which == 0:
        return claim, {claim: draw.choice([0.5, 2, 3, 4, 0.25, 1.5, 8])}, "scaled", start, 0
    if which == 1:
        claim, other = draw.sample(levels, 2)
        return claim, {other: 1}, "other", start, 0
    if which == 2:
        return draw.choice(["loads", "stores"]), {"loads": 1, "stores": 1}, "mixture", start, 0
    if which == 3:
        return "l1d.misses", {"l1d.misses": 1, "l1d.followed": 1}, "mixture", start, 0
    if which == 4:
        return "branches.missed", {"branches.missed": 0.5}, "scaled", start, 0
    if which == 5:
        return claim, {claim: 1}, "exact", start, draw.choice([32, 48])
    if which == 6:
        return claim, {}, "dead", start, 0
    return claim, {claim: 1}, "exact", start + (100000 if which == 7 else 0), 0


known = dict(programs())
moved = {quantity for counts in known.values() for quantity in counts if counts[quantity] > 0}
wanted = {}
with open(os.path.join(folder, "counts.csv"), "w", encoding="utf-8", newline="") as table:
    rows = csv.writer(table)
    rows.writerow(["program", "event", "passes", "count"])
    for number in range(EVENTS):
        draw = random.Random(int(seed) + number)
        event = f"event{number}"
        claim, per, verdict, start, bits = wanted[event] = lie(draw, number, moved)
        noise = min([0, 0.01, 0.1][number // 8 % 3], 0.01 if bits else 1)
        for name, counts in known.items():
            each = sum(factor * counts.get(quantity, 0) for quantity, factor in per.items())
            for passes in {0: (1000, 21000), 32: (5000000, 100000000), 48: (3 * 10**11, 6 * 10**12)}[bits]:
                for _ in range(REPEATS):
                    count = round((each * passes + start) * max(0, 1 + noise * draw.gauss(0, 1)))
                    count += draw.randrange(300) if number % 2 == 1 else 0  # interrupts
                    rows.writerow([name, event, passes, count % 2**bits if bits else count])
with open(os.path.join(folder, "claims.txt"), "w", encoding="utf-8") as claims:
    claims.writelines(f"{event} = {want[0]}\n" for event, want in wanted.items())
judged = subprocess.run([trauma, "events", "--suite", suite, "--counts", table.name, "--claims", claims.name, "--json"],
                        capture_output=True, text=True, check=False)
right = 0
for line in judged.stdout.splitlines():
    found = json.loads(line)
    claim, per, verdict, _, _ = wanted[found["event"]]
    if found["verdict"] == verdict and {term["quantity"] for term in found["counts"]} == set(per):
        right += 1
    else:
        print(found["event"], "claims", claim, "is", verdict, per, "found", line, file=sys.stderr)
print(right, judged.returncode)
