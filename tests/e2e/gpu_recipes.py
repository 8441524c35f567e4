"""Random recipes for GPUs: each is refused with what would work, or check passes without a GPU.

    gpu_recipes.py ptx|gcn FIRST COUNT      makes and judges the recipes of these seeds, in the present folder
    gpu_recipes.py ptx|gcn SEED             prints one, with its machine in the first line

SOURCE is the repository, TRAUMA the program. A promise may stay unobserved only where just the hardware can show it. LIMIT is the
most seconds of a command (300).
"""
import json
import os
import random
import re
import subprocess
import sys

SOURCE, TRAUMA = os.environ["SOURCE"], os.environ.get("TRAUMA", "trauma")
LIMIT = float(os.environ.get("LIMIT", "300"))
HARDWARE = {"throttle.duty"}
BYTES = ("mix.", "body.", "data.")
MACHINES = {
    "ptx": ["h100", "h200", "a100", "ada"],
    "gcn": ["w9100", "fiji", "vega10", "mi100", "mi210", "mi300x", "rdna2", "rx7900", "rx9070"],
}
OPERATIONS = {
    "ptx": "add sub xor mul div shift fadd fmul fdiv fsqrt fma dot hadd hmul hfma bfma badd bmul mma mma_bf16 mma_fp8 mma_int8 nop",
    "gcn": "add sub xor shift fma mul fadd fmul hadd hmul hfma dot nop",
}
LACKS = {
    "a100": {"badd", "bmul", "mma_fp8"}, "ada": {"badd", "bmul"}, "h100": {"mma_fp8"}, "h200": {"mma_fp8"}, "vega10": {"dot"},
    "w9100": {"hadd", "hmul", "hfma", "dot"}, "fiji": {"hadd", "hmul", "hfma", "dot"},
}
NARROW = {"gcn": {"mul", "fadd", "fmul"}, "ptx": set()}
PAIRS = {"dot", "hadd", "hmul", "hfma", "bfma", "badd", "bmul"}


def multiprocessors(machine):
    """As many as the machine's file says."""
    with open(f"{SOURCE}/recipes/machines/{machine}.lua", encoding="utf-8") as file:
        text = re.sub(r"--.*", "", file.read())
    number = {name: int(count) for name, count in re.findall(r"\b(sm|se|sh_per_se|cu_per_sh) = (\d+)", text)}
    return number.get("sm") or number["se"] * number["sh_per_se"] * number["cu_per_sh"]


class Maker:
    """Makes the recipe of a seed."""

    def __init__(self, family, seed):
        self.random = random.Random(f"{family} {seed}")
        self.family = family
        self.machine = self.pick(MACHINES[family])
        self.units = multiprocessors(self.machine)
        self.word = self.pick([None, None, "pattern.ones()", "pattern.zeros()", "pattern.alternating()"])

    def pick(self, choices):
        return self.random.choice(choices)

    def chance(self, share):
        return self.random.random() < share

    def shares(self, levels):
        whole = self.pick([1, 1, 1, 2, 2, 4, 5, 8, 10])
        parts = {}
        for _ in range(whole):
            level = self.pick(levels)
            parts[level] = parts.get(level, 0) + 1
        return "{ " + ", ".join(f"{level} = {count / whole:g}" for level, count in parts.items()) + " }"

    def pattern(self, bus):
        kind = self.pick(range(9))
        if kind < 3:
            wide = f", {{ bus = {self.pick([32, 64, 128, 256, 512, 1024])} }}" if bus and self.chance(0.3) else ""
            return f"pattern.toggle({self.pick([0, 0.05, 0.1, 0.25, 0.3, 0.5, 0.75, 0.9, 1]):g}{wide})"
        if kind < 7:
            return "pattern." + ("random", "half_random", "ones", "zeros")[kind - 3] + "()"
        if kind == 7:
            number = self.pick(range(31))
            return self.pick(["pattern.alternating()", f"pattern.constant({self.pick(range(1 << 31))})", f"pattern.bit({number})",
                              f"pattern.mask({number})"])
        words = ", ".join(str(self.pick(range(1 << 31))) for _ in range(self.pick([1, 2, 3, 4, 16])))
        return f"pattern.words{{ {words} }}"

    def operator(self, op, asynchronous, levels):
        ptx, any_of = self.family == "ptx", self.chance(0.3)
        if op == "store":
            return self.pick(["wb", "cg", "cs", "wt"] if ptx else ["wb", "stream"])
        if asynchronous:
            return self.pick(["ca", "cg"])
        if any_of:
            return self.pick(["ca", "cg", "cs", "lu", "cv", "nc", "no_allocate", "evict_last"] if ptx else ["l1", "l2", "stream"])
        if "L1" in levels:
            return self.pick(["ca", "nc", "evict_last"] if ptx else ["l1"])
        return self.pick(["cg", "cs", "lu", "cv", "nc", "no_allocate", "ca"] if ptx else ["l2", "l2", "l1"])

    def access(self, op):
        store, width = op == "store", self.pick([4, 8, 16])
        asynchronous = self.family == "ptx" and not store and self.chance(0.15)
        chase = not store and not asynchronous and self.chance(0.25)
        levels = ["SHARED", "L2", "MEM"] if store else ["L1", "L2", "MEM"] if asynchronous else ["SHARED", "L1", "L2", "MEM"]
        where = f"served_by = {self.shares(levels)}"
        if self.chance(0.12):
            where = f"working_set = {self.pick([1 << 10, 2048, 8192, 16384, 65536, 1 << 17, 1 << 20, 3 << 22, 1 << 26, 1 << 28])}"
        options = [where]
        if chase:
            width = 8
            options.append('address = "chase"')
            if self.chance(0.3):
                options.append('stride = "random"')
        elif asynchronous:
            options.append('source = "async"')
            if self.chance(0.4):
                options.append(f"stages = {self.pick([1, 2, 3, 4, 8])}")
            if self.chance(0.4):
                options.append(f"width = {width}")
        elif self.chance(0.6):
            options.append(f"width = {width}")
        else:
            width = 4
        if self.chance(0.4):
            options.append(f"count = {self.pick([1, 2, 3, 4, 7, 8, 16])}")
        if self.chance(0.15):
            options.append(f"lane = {width * self.pick([1, 2, 3, 4, 8, 16])}")
        if self.chance(0.15) and not any("stride" in option for option in options):
            options.append(f"stride = {self.pick([32, 64, 96, 128, 160, 192, 256, 512, 1024, 4096, 8192])}")
        if self.chance(0.3):
            options.append(f'order = "{self.pick(["shuffled", "even", "burst"])}"')
        if self.chance(0.25):
            options.append(f'cache = "{self.operator(op, asynchronous, where)}"')
        if store and self.word:
            options.append(f"data = {self.word}")
        elif not store and not chase and self.chance(0.45):
            options.append(f"data = {self.pattern(True)}")
        return f"{op} {{ {', '.join(options)} }}"

    def operation(self, loads):
        names = OPERATIONS[self.family].split()
        lacks = LACKS.get(self.machine, set()) if self.chance(0.9) else set()
        name = self.pick([each for each in names if each not in lacks])
        count, matrix = self.pick([1, 1, 2, 3, 4, 8, 16]), name.startswith("mma")
        options = [f"count = {count}"]
        if name == "nop":
            return f"nop {{ {options[0]} }}"
        if not matrix and name not in PAIRS and self.chance(0.3):
            options.append(f"width = {4 if name in NARROW[self.family] else self.pick([4, 8])}")
        choice = self.random.random()
        if choice < 0.4 and not matrix and (loads or self.chance(0.05)):
            options.append(f"dependents = {self.pick(range(count + 1))}")
        elif choice < 0.7:
            options.append(f"chain = {self.pick([1, 2, 3, 4, 8, 16])}")
        if self.chance(0.4 if matrix else 0.01):
            options.append(f"data = {self.pattern(False)}")
        return f"{name} {{ {', '.join(options)} }}"

    def some(self, numbers, most):
        return ", ".join(str(each) for each in sorted(self.random.sample(numbers, self.pick(range(1, most + 1)))))

    def place(self):
        fields = []
        if self.family == "ptx":
            if self.chance(0.6):
                fields.append(f"sm = {{ {self.some(range(self.units), 8)} }}")
            if (self.chance(0.6) or not fields) and (self.machine != "ada" or self.chance(0.1)):
                fields.append(f'side = "{self.pick(["near", "far"])}"')
            return fields
        if self.chance(0.5):
            fields.append(f"se = {{ {self.some(range(4), 2)} }}")
        if self.chance(0.4):
            fields.append(f"cu = {{ {self.some(range(5), 2)} }}")
        if (self.chance(0.5) or not fields) and (self.machine[:2] != "mi" or self.chance(0.1)):
            first, count = self.pick(range(16)), self.pick([1, 2, 3, 4, 8])
            fields.append(f"l2_channels = {{ {', '.join(str(each) for each in range(first, min(16, first + count)))} }}")
        return fields

    def grid(self):
        units = self.units
        blocks = self.pick([0, 0, 1, 2, 3, 4, 5, 8, 13, 16, 31, 64, units // 2, units - 1, units, units + 1, 2 * units, 3 * units + 5])
        threads = self.pick([0, 32, 32, 64, 64, 128, 256, 256, 512, 1024, 96, 48, 1, 33] if self.family == "ptx" else
                            [0, 64, 64, 128, 256, 256, 32, 192, 512, 1024, 96, 33, 1])
        return [f"{name} = {count}" for name, count in (("blocks", blocks), ("threads", threads)) if count > 0]

    def unit(self):
        loads = [self.access("load") for _ in range(self.pick([0, 1, 1, 1, 2, 2, 3]))]
        unit = loads + [self.access("store") for _ in range(self.pick([0, 0, 0, 1, 1, 2]))]
        unit += [self.operation(loads) for _ in range(self.pick([0, 0, 1, 1, 2, 3]))]
        if self.chance(0.15):
            unit.append(f"branch {{ divergence = {self.pick([0, 0.25, 0.5, 0.1, 1]):g}, count = {self.pick([1, 2, 4])} }}")
        if self.chance(0.08):
            unit.append(f"throttle {{ duty = {self.pick([0.1, 0.25, 0.5, 0.9, 1]):g} }}")
        if self.chance(0.3):
            self.random.shuffle(unit)
        return unit or [self.access("load")]

    def recipe(self):
        fields, grid = [], self.grid()
        unit = ",\n      ".join(self.unit())
        if grid:
            fields.append(f"grid = {{ {', '.join(grid)} }}")
        if self.chance(0.25):
            fields.append("loop = { " + self.pick([f"units = {self.pick([1, 2, 4, 8, 10, 40])}",
                                                   f"instructions = {self.pick([16, 100, 400, 2000])}"]) + " }")
        place = self.place() if self.chance(0.25) else []
        if place:
            fields.append(f"place = {{ {', '.join(place)} }}")
        head = "".join(f" {field}," for field in fields)
        return (f'-- {self.machine}\nbenchmark {{ name = "r", target = "{self.family}",{head}\n'
                f"  kernel = function()\n    return {{\n      {unit} }}\n  end }}\n")


def trauma(*words):
    """The exit code ("too long" where there is none), and both outputs."""
    try:
        done = subprocess.run([TRAUMA, *words], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=LIMIT)
        return done.returncode, done.stdout, done.stderr
    except subprocess.TimeoutExpired:
        return "too long", "", ""


def files(folder):
    found = {}
    for root, _, names in os.walk(folder):
        for name in names:
            with open(os.path.join(root, name), "rb") as file:
                found[os.path.relpath(os.path.join(root, name), folder)] = file.read()
    return found


def verdicts(output):
    """What is wrong with what check says, one per line and metric; and whether a promise was one of the hardware's."""
    wrong, hardware = [], False
    for line in output.splitlines():
        row = json.loads(line)
        verdict, metric = row.get("verdict"), row.get("metric")
        hardware = hardware or metric in HARDWARE
        passed = "pass" if metric is not None and metric.startswith(BYTES) else "pass (code)"
        if verdict in (passed, "observed", "not applicable") or (verdict == "unobserved" and metric in HARDWARE):
            continue
        wrong.append(f"{metric} is {verdict}: wanted {row.get('wanted')}, saw {row.get('observations')}")
    return wrong, hardware


def judge(machine, again):
    """What is wrong with r.lua; "refused" for a good refusal."""
    code, _, told = trauma("gen", "r.lua", "-m", machine, "-o", "first", "-q")
    if code == 3:
        return "refused" if told.startswith("trauma: r.lua:") else f"refused without the place: {told}"
    if code != 0:
        return f"gen ends with {code}: {told}"
    if again:
        trauma("gen", "r.lua", "-m", machine, "-o", "second", "-q")
        if files("first") != files("second"):
            return "two suites differ"
    code, output, told = trauma("check", "first", "-j", "1", "--json", "--counters", "warp,wave")
    if code == "too long":
        return f"check takes more than {LIMIT:g} s"
    wrong, hardware = verdicts(output)
    if wrong or code not in (0, 4 if hardware else 0):
        return f"check ends with {code}: {'; '.join(wrong)} {told}"
    return ""


def main(family, first, count=None):
    if count is None:
        print(Maker(family, int(first)).recipe(), end="")
        return 0
    refused = failed = 0
    for seed in range(int(first), int(first) + int(count)):
        maker = Maker(family, seed)
        text = maker.recipe()
        with open("r.lua", "w", encoding="utf-8") as file:
            file.write(text)
        wrong = judge(maker.machine, seed % 4 == 0)
        refused += wrong == "refused"
        if wrong not in ("", "refused"):
            failed += 1
            print(f"{family}, seed {seed}: {wrong}\n{text}")
    print(f"{family}: {count} recipes, {refused} refused, {failed} failed")
    return failed > 0 or refused == int(count)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
