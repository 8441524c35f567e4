#!/usr/bin/env python3
"""Counts again what the manifests of a suite's programs state under "counts".

    event_counts.py SUITE PLUGIN [--cachegrind]

Nothing here is the program's own count. Instructions, jumps and operations come from the text of the program, which is followed
for a pass; accesses, misses and outcomes of branches from QEMU with the plugin, with --cachegrind also from Valgrind. Then the
matrix of programs and quantities is examined: each quantity that the machine has must be in it, and its condition number, with
columns of length 1, is printed. Exits 1 where a count differs, or the number is above 30.
"""
import concurrent.futures
import json
import math
import pathlib
import re
import subprocess
import sys

PASSES = 1000
MOST_CONDITION = 30

CONDITIONAL = {"x86_64": r"j(?!mp)", "aarch64": r"(b\.|cbn?z|tbn?z)", "riscv64": r"b(eq|ne|lt|ge|gt|le)"}
DIRECT = {"x86_64": r"jmp$", "aarch64": r"b$", "riscv64": r"j$"}
INDIRECT = {"x86_64": r"jmpq$", "aarch64": r"bl?r$", "riscv64": r"(jr|jalr)$"}
FLOATING = {"x86_64": r"v?(add|sub|mul|div|sqrt)[sp][sd]$", "aarch64": r"f(add|sub|mul|div|sqrt)$",
            "riscv64": r"v?f(add|sub|mul|div|sqrt)\."}
DIVIDES = {"x86_64": r"(i?div[lq]$|v?(div|sqrt)[sp][sd]$)", "aarch64": r"([us]div|fdiv|fsqrt)$",
           "riscv64": r"(divu?w?$|v?f(div|sqrt)\.)"}
ATOMIC = {"x86_64": r"(lock|xchg)", "aarch64": r"(ldadd|swp|ldaxr)", "riscv64": r"amo"}
IDLE = {"x86_64": r"(not|rol)q$", "aarch64": r"mvn$", "riscv64": r"not$"}

# By definition sums of others.
SUMS = {"l1d.accesses": ("loads", "stores"), "l1d.misses": ("l1d.load_misses", "l1d.store_misses"),
        "l2.accesses": ("l1d.misses", "l1i.misses"), "l2.misses": ("l2.load_misses", "l2.store_misses"),
        "l3.accesses": ("l2.misses",), "l3.misses": ("l3.load_misses", "l3.store_misses")}
FOLLOWED = {"l1d.followed", "l2.followed", "l3.followed"}


def width_of(isa, mnemonic, operands, point):
    """Bytes that the floating-point instruction computes with."""
    if isa == "x86_64":
        if mnemonic.endswith(("ss", "sd")):
            return 4 if mnemonic.endswith("ss") else 8
        return 64 if "zmm" in operands else 32 if "ymm" in operands else 16
    if isa == "aarch64" and re.match(r"[sd]\d", operands):
        return 4 if operands[0] == "s" else 8
    if isa == "riscv64" and mnemonic.startswith("f"):
        return 4 if mnemonic.endswith(".s") else 8
    return int(point.rsplit("-", 1)[1])  # the length of the machine's vectors


def follow(source, isa, point):
    """The counts of a pass that the program's text shows, from the loop's label to its branch back."""
    lines, labels = [], {}
    comment = "//" if isa == "aarch64" else "#"
    for line in source.splitlines():
        line = line.split(comment + " ", 1)[0].strip() if isa != "aarch64" else line.split(" //", 1)[0].strip()
        label = re.match(r"([\w.$]+):\s*", line)
        while label:
            labels.setdefault(label[1], []).append(len(lines))
            line = line[label.end():]
            label = re.match(r"([\w.$]+):\s*", line)
        if line and not line.startswith((".", comment)):
            lines.append(re.sub(r"^\{disp32\}\s*", "", line))

    def target(name, at):
        if re.fullmatch(r"\d+[fb]", name):
            places = labels[name[:-1]]
            return min(p for p in places if p > at) if name[-1] == "f" else max(p for p in places if p <= at)
        return labels[name][0]

    counts = dict.fromkeys(("instructions", "conditional", "jumps", "indirect", "entries", "divisions", "atomics", "idle"), 0)
    counts.update({f"fp.{width}": 0 for width in (4, 8, 16, 32, 64)})
    at, end = target("trauma_loop", 0), target("trauma_loop_end", 0)
    for _ in range(100000):
        mnemonic, _, operands = lines[at].partition(" ")
        operands = operands.strip()
        if mnemonic == "repne":
            mnemonic, _, operands = operands.partition(" ")
            operands = operands.strip()
        counts["instructions"] += 1
        if re.match(CONDITIONAL[isa], mnemonic):
            counts["conditional"] += 1
            if at + 1 == end:
                goal = target(operands.split(",")[-1].strip(), at)
                if isa == "riscv64" and 4 * (at - goal) > 4096:  # the assembler writes an opposite branch over a jump
                    counts["instructions"] += 1
                    counts["jumps"] += 1
                if re.match(DIRECT[isa], lines[goal].split()[0]):  # the branch back is too far
                    counts["instructions"] += 1
                    counts["jumps"] += 1
                return counts
        elif re.match(DIRECT[isa], mnemonic):
            counts["jumps"] += 1
            at = target(operands, at)
            continue
        elif re.match(INDIRECT[isa], mnemonic):
            counts["indirect"] += 1
            if "trauma_copies" in labels:
                counts["entries"] += 1
                at = labels["trauma_copies"][0]
                continue
        if re.match(FLOATING[isa], mnemonic):
            counts[f"fp.{width_of(isa, mnemonic, operands, point)}"] += 1
        counts["divisions"] += bool(re.match(DIVIDES[isa], mnemonic))
        counts["atomics"] += bool(re.match(ATOMIC[isa], mnemonic))
        counts["idle"] += bool(re.match(IDLE[isa], mnemonic))
        at += 1
    raise ValueError("the loop has no end")


def plugin_options(machine):
    options = ["seed=1"]
    for name, cache in machine["caches"].items():
        policy = cache.get("policy", "lru").replace("-", "_").replace("unknown", "lru")
        options.append(f"{name.lower()}={cache['size']}:{cache['ways']}:{cache['line']}:{policy}")
    tlb = machine.get("tlb", {})
    if "data" in tlb:
        page = tlb["data"]["page"]
        options.append(f"tlb={tlb['data']['entries'] * page}:{tlb['data']['ways']}:{page}:lru")
        options.append("huge=2097152" if page == 4096 else "huge=0")
    if "huge" in tlb:
        options.append(f"huge_tlb={tlb['huge']['entries'] << 21}:{tlb['huge']['ways']}:{1 << 21}:lru")
    return ",".join(options)


def simulate(folder, isa, plugin, machine):
    """The plugin's counts of a pass; None where QEMU has no processor for the program."""
    cpu = "rv64,v=true,vlen=256,zba=true,zbb=true" if isa == "riscv64" else "max"
    said = subprocess.run([f"qemu-{isa}", "-cpu", cpu, "-plugin", f"{plugin},{plugin_options(machine)}",
                           str(folder / "program"), "20", f"+{PASSES}"], capture_output=True, text=True, check=False)
    lines = [json.loads(line) for line in said.stdout.splitlines()]
    fewer, more = ([line for line in lines if "qemu" in line] + [None, None])[:2]
    if more is None:
        assert "Illegal instruction" in said.stderr, said.stderr
        return None
    return {name: (more[name] - fewer[name]) / PASSES for name in more}


def cachegrind(folder, machine):
    """Misses of a pass by a simulator that is not ours: loads and stores of L1D and, of two levels, L2."""
    caches = machine["caches"]

    def run(passes):
        options = [f"--{name}={caches[cache]['size']},{caches[cache]['ways']},{caches[cache]['line']}"
                   for name, cache in (("I1", "L1I"), ("D1", "L1D"), ("LL", "L2"))]
        said = subprocess.run(["valgrind", "--tool=cachegrind", "--cache-sim=yes", "--vex-iropt-level=0", "--cachegrind-out-file=/dev/null", *options,
                               str(folder / "program"), str(passes)], capture_output=True, text=True, check=True).stderr

        def row(name):
            numbers = re.search(name + r":\s+[\d,]+\s+\(\s*([\d,]+) rd\s+\+\s+([\d,]+) wr", said)
            return [int(number.replace(",", "")) for number in numbers.groups()]

        return row("D +refs") + row("D1 +misses") + row("LLd misses")

    names = ("loads", "stores", "l1d.load_misses", "l1d.store_misses", "l2.load_misses", "l2.store_misses")
    fewer, more = run(20), run(20 + PASSES)
    return {name: (more[i] - fewer[i]) / PASSES for i, name in enumerate(names)}


def compare(folder, isa, plugin, machine, by_cachegrind):
    """The counts that are wrong, and how many were compared."""
    manifest = json.loads((folder / "manifest.json").read_text())
    stated = manifest["counts"]
    text = follow((folder / "program.s").read_text(), isa, manifest["point"])
    seen = {"instructions": text["instructions"], "branches": text["conditional"] + text["jumps"] + text["indirect"],
            "branches.conditional": text["conditional"], "branches.indirect": text["indirect"]}
    seen.update({name: text[name] for name in text if name.startswith("fp.") or name in ("divisions", "atomics", "idle")})
    ours = simulate(folder, isa, plugin, machine)
    if ours is not None:
        assert abs(ours["instructions"] - text["instructions"]) < 0.02, (folder, ours["instructions"], text["instructions"])
        seen["loads"], seen["stores"] = ours["loads"], ours["stores"]
        levels = ["l1d", "l2"] + (["l3"] if "L3" in machine["caches"] else [])
        for level in levels:
            seen[f"{level}.load_misses"], seen[f"{level}.store_misses"] = ours[f"{level}_load_misses"], ours[f"{level}_store_misses"]
            seen[f"{level}.followed"] = sum(ours[f"{level}_{kind}_misses"] for kind in ("load", "store"))
        seen["l1i.misses"], seen["dtlb.misses"] = ours["l1i_misses"], ours["tlb_misses"]
        seen["branches.missed"] = ours["branch_misses"] + ours["jump_misses"]
        if ours["blind"] == 0:
            # The plugin takes the jump to a copy of code for no branch, as it is none of the recipe's.
            assert abs(ours["jumps"] + text["entries"] - text["indirect"]) < 0.02, (folder, ours["jumps"], text)
            seen["branches.taken"] = ours["branches_taken"] + text["indirect"] + text["jumps"]
    wrong, compared = [], 0
    chance = 5 * math.sqrt(stated.get("branches.missed", 0) / 2 / PASSES)  # of random outcomes
    for name, value in stated.items():
        parts = SUMS.get(name)
        if name in FOLLOWED and value == 0 and stated.get(name.replace("followed", "misses")) is not None:
            continue  # nothing follows, and misses have counts of their own
        found = seen.get(name) if parts is None else sum(stated[part] for part in parts)
        if found is None:
            continue
        compared += 1
        near = max(0.02, 0.03 * value if name == "dtlb.misses" else 0)
        near += chance if name in ("branches.missed", "branches.taken") else 0
        if abs(found - value) > near:
            wrong.append(f"{folder}: {name} is {found:.6g} a pass, and {value:.6g} in the manifest")
    if by_cachegrind:
        for name, found in cachegrind(folder, machine).items():
            compared += name in stated
            if name in stated and abs(found - stated[name]) > 0.02:
                wrong.append(f"{folder}: {name} is {found:.6g} by cachegrind, and {stated[name]:.6g} in the manifest")
    return wrong, compared


def singular_values(rows):
    """Of a matrix, by rotations of the columns until they are at right angles (Hestenes)."""
    columns = [list(column) for column in zip(*rows)]
    for _ in range(60):
        turned = False
        for p in range(len(columns)):
            for q in range(p + 1, len(columns)):
                a, b = columns[p], columns[q]
                alpha, beta = sum(x * x for x in a), sum(x * x for x in b)
                gamma = sum(x * y for x, y in zip(a, b))
                if abs(gamma) <= 1e-14 * math.sqrt(alpha * beta):
                    continue
                turned = True
                zeta = (beta - alpha) / (2 * gamma)
                t = math.copysign(1, zeta) / (abs(zeta) + math.hypot(1, zeta))
                c = 1 / math.hypot(1, t)
                columns[p] = [c * (x - t * y) for x, y in zip(a, b)]
                columns[q] = [c * (t * x + y) for x, y in zip(a, b)]
        if not turned:
            break
    return [math.sqrt(sum(x * x for x in column)) for column in columns]


def quantities_of(machine, isa):
    """Those that a suite must have for the machine."""
    named = ["instructions", "loads", "stores", "branches", "branches.conditional", "branches.indirect", "branches.taken",
             "branches.missed", "l1i.misses", "fp.8", "divisions", "atomics", "idle"]
    levels = ["l1d", "l2"] + (["l3"] if "L3" in machine["caches"] else [])
    named += [f"{level}.{kind}_misses" for level in levels for kind in ("load", "store")]
    named += ["dtlb.misses"] if "tlb" in machine else []
    features = machine.get("features", [])
    wide = {"x86_64": {4: "sse2", 16: "sse2", 32: "avx2", 64: "avx512f"}, "aarch64": {4: "fp", 16: "asimd"}, "riscv64": {16: "v"}}
    return named + [f"fp.{width}" for width, feature in wide[isa].items() if feature in features]


def examine(manifests, machine, isa):
    """The condition number; what is wrong with the matrix."""
    quantities = quantities_of(machine, isa)
    rows = [[manifest["counts"][name] for name in quantities] for manifest in manifests
            if all(name in manifest["counts"] for name in quantities)]
    norms = [math.sqrt(sum(row[i] ** 2 for row in rows)) for i in range(len(quantities))]
    absent = [name for name, norm in zip(quantities, norms) if norm == 0]
    if absent:
        return math.inf, [f"no program has {', '.join(absent)}"]
    values = singular_values([[x / norm for x, norm in zip(row, norms)] for row in rows])
    number = max(values) / min(values)
    print(f"{machine['name']}: {len(rows)} of {len(manifests)} programs, {len(quantities)} quantities, condition number {number:.3g}")
    return number, [] if number <= MOST_CONDITION else ["the condition number is too large"]


def main():
    suite, plugin = pathlib.Path(sys.argv[1]), sys.argv[2]
    index = json.loads((suite / "suite.json").read_text())
    machine, isa = index["machine"], index["machine"]["isa"]
    folders = [suite / program["path"] for program in index["programs"] if "path" in program]
    assert all("path" in program for program in index["programs"]), "points are refused"
    wrong, compared = [], 0
    with concurrent.futures.ThreadPoolExecutor(2) as workers:
        for some, count in workers.map(lambda folder: compare(folder, isa, plugin, machine, "--cachegrind" in sys.argv), folders):
            wrong += some
            compared += count
    number, faults = examine([json.loads((folder / "manifest.json").read_text()) for folder in folders], machine, isa)
    print(f"{machine['name']}: {compared} counts of {len(folders)} programs compared, {len(wrong)} wrong")
    for line in (wrong + faults)[:20]:
        print(line)
    sys.exit(1 if wrong or faults else 0)


if __name__ == "__main__":
    main()
