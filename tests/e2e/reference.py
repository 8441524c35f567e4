"""Compares the reference pages with what the program accepts and prints.

    reference.py recipes          options of the recipe language, by the names that a refused one is answered with; examples
    reference.py machines         fields of machine files, likewise
    reference.py metrics          the table, from trauma list --metrics; with --write it writes the page
    reference.py evidence         sources and sensors of trauma sensors
    reference.py results          trauma export --schema
    reference.py exit-codes       the manual's
    reference.py commands         the whole page, from --help; with --write it writes the page

SOURCE is the repository, TRAUMA the program; the present folder takes files.
"""
import json
import os
import re
import subprocess
import sys

SOURCE, TRAUMA = os.environ["SOURCE"], os.environ.get("TRAUMA", "trauma")
faults = []


def page_text(name):
    with open(os.path.join(SOURCE, "docs/reference", name + ".md"), encoding="utf-8") as file:
        return file.read()


def trauma(*words):
    return subprocess.run([TRAUMA, *words], capture_output=True, text=True, stdin=subprocess.DEVNULL)


def section(text, heading):
    """The lines under the heading, up to the next one of its level or above."""
    found = re.search(r"^(#+) " + re.escape(heading) + r"$", text, re.M)
    if not found:
        faults.append(f"no heading '{heading}'")
        return ""
    end = re.search(r"^#{1," + str(len(found.group(1))) + r"} ", text[found.end():], re.M)
    return text[found.end():found.end() + end.start() if end else len(text)]


def own(text):
    """What stands before the section's first heading of a lower level."""
    return re.split(r"^#", text, maxsplit=1, flags=re.M)[0]


def first_cells(text, header=None):
    """The code spans in the first cells of the tables' rows; with header, of the tables whose first cell says it."""
    found, table, rows = [], None, 0
    for line in text.split("\n"):
        if not line.startswith("|"):
            table = None
            continue
        cell = re.split(r"(?<!\\)\|", line)[1].strip()
        if table is None:
            table, rows = cell, 0
        rows += 1
        if rows > 2 and (header is None or table.strip("`") == header):
            found += re.findall(r"`([^`]+)`", cell)
    return found


def compare(what, ours, theirs):
    for name in sorted(set(theirs) - set(ours)):
        faults.append(f"{what}: '{name}' is accepted, and the page does not tell it")
    for name in sorted(set(ours) - set(theirs)):
        faults.append(f"{what}: the page tells '{name}', which the program does not know")


# ---- recipes ----

UNIT = "benchmark { name = 'b', %s kernel = function(p, m) return { %s } end }"
ODD = "qqqqqqq = 1"


def expected(recipe, machine):
    """The names in the answer to the recipe's unknown one."""
    with open("odd.lua", "w", encoding="utf-8") as file:
        file.write(recipe)
    answer = trauma("list", "odd.lua", "-m", machine).stderr
    found = re.search(r"qqqqqqq' ?(?:in [^:]*)?: expected (?:one of )?(.*)", answer)
    if not found:
        faults.append(f"no list of names in the answer to: {recipe}: {answer}")
        return []
    return re.findall(r"[\w.]+", found.group(1).replace(" or ", " "))


def behaviour(words, machine="zen5"):
    fields = "target = { 'ptx', 'gcn' }," if machine in ("h200", "w9100") else ""
    return expected(UNIT % (fields, words), machine)


def field(words, machine="zen5"):
    fields = "target = { 'ptx', 'gcn' }, " if machine in ("h200", "w9100") else ""
    return expected(UNIT % (fields + words + ",", "add {}"), machine)


def check_examples(text):
    blocks = re.findall(r"<!-- example: (\w+), ([\w-]+) -->\n```lua\n(.*?)```", text, re.S)
    if len(blocks) < 10:
        faults.append(f"only {len(blocks)} examples")
    for kind, machine, words in blocks:
        whole = {"whole": "%s", "unit": UNIT % ("sweep = { n = { 3 } },", "%s"), "fields": UNIT % ("%s", "add {}")}[kind]
        with open("example.lua", "w", encoding="utf-8") as file:
            file.write(whole.replace("%s", words))
        done = trauma("gen", "example.lua", "-m", machine, "--dry-run")
        if done.returncode != 0:
            faults.append(f"the example is refused: {done.stderr.strip()}\n{words}")


def check_shipped():
    """recipes/README.md names every recipe."""
    with open(os.path.join(SOURCE, "recipes/README.md"), encoding="utf-8") as file:
        ours = first_cells(file.read(), "recipe")
    theirs = []
    for folder, _, names in os.walk(os.path.join(SOURCE, "recipes")):
        path = os.path.relpath(folder, os.path.join(SOURCE, "recipes"))
        if path != "machines":
            theirs += [f"{path}/{name[:-4]}" for name in names if name.endswith(".lua") and path != "."]
    compare("recipes/README.md", ours, theirs)


def check_recipes():
    check_shipped()
    text = page_text("recipes")
    check_examples(text)
    for name in ("load", "store"):
        theirs = behaviour(name + " { %s }" % ODD) + behaviour(name + " { %s }" % ODD, "h200") + \
            behaviour(name + " { %s }" % ODD, "w9100")
        compare(name, first_cells(section(text, name)), theirs)
    refused = {"served_by", "miss_rate", "data"}  # of shared regions: always answered with the reason
    shared = section(text, "Options of shared accesses")
    theirs = [name for each in ("load", "store", "atomic") for name in behaviour(each + " { shared = 'x', %s }" % ODD)]
    compare("shared accesses", first_cells(shared), set(theirs) - refused)
    gpu = first_cells(section(text, "Loads and stores of GPUs"), "option")
    for name in set(gpu) - set(behaviour("load { %s }" % ODD, "h200")):
        faults.append(f"Loads and stores of GPUs: '{name}' is refused there")
    compare("operations", first_cells(section(text, "Operations"), "option"), behaviour("add { %s }" % ODD))
    for name in ("branch", "code", "tlb", "throttle", "asm"):
        theirs = behaviour(name + " { %s }" % ODD) + (behaviour("branch { %s }" % ODD, "h200") if name == "branch" else [])
        compare(name, first_cells(section(text, name)), theirs)
    compare("benchmark", first_cells(section(text, "Fields of a benchmark"), "field"), field(ODD))
    for name, heading in (("loop", "Loop"), ("measure", "Measure"), ("place", "Place and threads"), ("state", "State")):
        compare(name, first_cells(section(text, heading)), field("%s = { %s }" % (name, ODD)))
    places = first_cells(section(text, "Places on a GPU"))
    for name in set(places) - set(field("place = { %s }" % ODD, "h200")):
        faults.append(f"Places on a GPU: place has no '{name}'")
    compare("grid", first_cells(section(text, "GPUs"), "grid"), field("grid = { %s }" % ODD, "h200"))
    compare("plot", first_cells(section(text, "Plot")), field("plot = { %s }" % ODD))
    compare("range", first_cells(section(text, "Sweeps"), "option"), field("sweep = { a = range { 1, 2, %s } }" % ODD))
    operations = re.findall(r"`(\w+)\{\}`", "\n".join(
        line.split("|")[1] for line in section(text, "Operations").split("\n") if line.startswith("|")))
    with open("odd.lua", "w", encoding="utf-8") as file:  # AArch64 has all of them but this one
        file.write(UNIT % ("", "shadd {}"))
    answer = trauma("list", "odd.lua", "-m", "neoverse-n1").stderr
    known = re.findall(r"\w+", answer[answer.rfind("expected ") + 9:].replace(" or ", " "))
    compare("operations", set(operations) - {"shadd"} | {"load", "store", "atomic", "branch", "asm", "code"}, known)
    for name in re.findall(r"`pattern\.(\w+)", text):
        with open("odd.lua", "w", encoding="utf-8") as file:
            file.write("x = pattern." + name)
        if "unknown name" in trauma("list", "odd.lua").stderr:
            faults.append(f"there is no pattern.{name}")


# ---- machines ----

def machine_names(text):
    with open("odd.lua", "w", encoding="utf-8") as file:
        file.write(text)
    answer = trauma("machine", "show", "./odd.lua").stderr
    found = re.search(r"qqqqqqq' in [^:]*: expected one of (.*)", answer)
    if not found:
        faults.append(f"no list of names in the answer to: {text}: {answer}")
        return []
    return re.findall(r"\w+", found.group(1))


def check_machines():
    text = page_text("machines")
    processor = "machine { name = 'm', isa = 'x86_64', %s, caches = { L1I = %s, L1D = %s, L2 = %s, %s } }"
    cache = "{ size = '32KiB', ways = 8, line = 64 }"

    def cpu(words="vendor = 'v'", l1d=cache, levels=""):
        return machine_names(processor % (words, cache, l1d, cache, levels))
    compare("machine", first_cells(section(text, "Fields of a processor")), set(cpu(ODD)) - {"gpu"})
    compare("caches", first_cells(section(text, "Caches"), "cache"), cpu(levels=ODD))
    compare("a cache", first_cells(section(text, "Caches"), "field"), cpu(l1d=cache[:-1] + ", " + ODD + " }"))
    compare("tlb", first_cells(section(text, "TLB"), "table"), cpu("tlb = { %s }" % ODD))
    entries = "tlb = { data = { entries = 64, ways = 4, page = '4KiB', %s } }"
    compare("tlb.data", first_cells(section(text, "TLB"), "field"), cpu(entries % ODD))
    compare("latency", first_cells(section(text, "Times"), "latency"), cpu("latency = { %s }" % ODD))
    compare("ports", first_cells(section(text, "Times"), "ports"), cpu("ports = { %s }" % ODD))
    gpu = "machine { name = 'm', isa = 'ptx', %s, caches = { L1 = %s, L2 = %s, %s }, gpu = { arch = 'sm_90', sm = 132, %s } }"
    small = "{ size = '256KiB', line = 128 }"

    def of_gpu(words="vendor = 'v'", l1=small, levels="", fields=""):
        return machine_names(gpu % (words, l1, small, levels, fields))
    gpus = section(text, "GPUs")
    compare("machine of a GPU", first_cells(gpus, "field"), of_gpu(ODD))
    compare("caches of a GPU", first_cells(gpus, "cache"), set(of_gpu(levels=ODD)) - {"SHARED", "LDS"})
    compare("a cache of a GPU", first_cells(gpus, "of a cache"), of_gpu(l1=small[:-1] + ", " + ODD + " }"))
    compare("gpu", first_cells(gpus, "gpu"), of_gpu(fields=ODD))
    compare("latency of a GPU", first_cells(gpus, "latency"), of_gpu("latency = { %s }" % ODD))
    compare("bandwidth of a GPU", first_cells(gpus, "bandwidth"), of_gpu(fields="bandwidth = { %s }" % ODD))
    shipped = [name[:-4] for name in os.listdir(os.path.join(SOURCE, "recipes/machines")) if name.endswith(".lua")]
    compare("shipped machines", first_cells(section(text, "Shipped machines")), shipped)
    families = [name[:-4] for name in os.listdir(os.path.join(SOURCE, "templates/events")) if name.endswith(".txt")]
    if not families:
        faults.append("no families of events")


# ---- metrics, evidence, results, exit codes ----

BEGIN, END = "<!-- made from trauma list --metrics -->\n", "<!-- end -->\n"


def metrics_table():
    """A row per metric of `trauma list --metrics --json`."""
    rows = [json.loads(line) for line in trauma("list", "--metrics", "--json").stdout.split("\n") if line]
    made = ["| metric | unit | what it counts | a pass needs | observed by |", "| --- | --- | --- | --- | --- |"]
    names = {"processor": "processors", "ptx": "NVIDIA", "gcn": "AMD"}
    for row in rows:
        sources = row["sources"]
        groups = {}
        for target in names:
            if sources[target]:
                groups.setdefault(", ".join(sources[target]), []).append(names[target])
        seen = "; ".join((", ".join(targets) + ": " if len(targets) < 3 else "") + words for words, targets in groups.items())
        made.append(f"| `{row['metric']}` | {row['shown']} | {row['meaning']} | {'bytes' if row['of_bytes'] else 'silicon'} | {seen} |")
    return "\n".join(made) + "\n"


def check_metrics():
    text = page_text("metrics")
    begin, end = text.find(BEGIN), text.find(END)
    made = text[:begin] + BEGIN + "\n" + metrics_table() + "\n" + text[end:]
    keep_or_compare("metrics", made)


def check_evidence():
    text = page_text("evidence")
    rows = json.loads(trauma("sensors", "--json").stdout)
    kinds = {row["name"]: row["kind"] for row in rows if row["type"] == "counters"}
    compare("sources", first_cells(section(text, "Sources"), "source"), kinds)
    for line in section(text, "Sources").split("\n"):
        cells = [cell.strip() for cell in line.split("|")]
        name = cells[1].strip("`") if len(cells) > 2 else ""
        if name in kinds and cells[2] != kinds[name]:
            faults.append(f"{name} is {kinds[name]}, not {cells[2]}")
    sensors = {row["name"] for row in rows if row["type"] in ("power", "temperature")}
    compare("sensors", first_cells(section(text, "Sensors"), "sensor"), sensors)


def check_results():
    text = page_text("results")
    with open(os.path.join(SOURCE, "generator/metric/quantity.c"), encoding="utf-8") as file:
        compare("quantities", first_cells(section(text, "Counts"), "quantity"), re.findall(r'^ +\{"([a-z0-9_.]+)", ', file.read(), re.M))
    schema = json.loads(trauma("export", "--schema").stdout)
    definitions = schema["$defs"]

    def names(node):
        found = set()
        if isinstance(node, dict):
            found |= set(node.get("properties", {}))
            for value in node.values():
                found |= names(value)
        elif isinstance(node, list):
            for value in node:
                found |= names(value)
        return found
    told = set()
    for name, node in definitions.items():
        fields = names(node)
        if not fields:
            continue
        heading = "Fields of " + {each: each for each in ("copies", "cores", "counters", "quantities", "power", "warnings")}.get(
            name, ("an " if name[0] in "aeio" else "a ") + name)
        ours = set(first_cells(own(section(text, heading)), "field"))
        compare(heading, ours, fields)
        told |= ours
    compare("results.jsonl", told, names(definitions))


def check_exit_codes():
    text = page_text("exit-codes")
    manual = trauma("man").stdout
    manual = manual[manual.find(".SH EXIT STATUS"):]
    manual = manual[:manual.find(".SH", 5)]
    compare("exit codes", first_cells(text, "code"), re.findall(r"^\.TP\n(\d+)$", manual, re.M))


# ---- commands ----

def commands():
    overview = trauma("--help").stdout
    return re.findall(r"^  ([a-z]+) ", overview, re.M)


def one(words):
    """A command's text of --help as a part of the page."""
    text = trauma(*words, "--help").stdout.rstrip("\n")
    return "\n```text\n" + text + "\n```\n"


def commands_page():
    made = ["# Commands\n\nThis page holds what `trauma COMMAND --help` prints, for every command; `tests/e2e/reference.py` writes it "
            "from there.\n\nThe options of all commands that have them mean the same. [Exit codes](exit-codes.md) are the same, too.\n"]
    names = commands()
    made.append(" ·\n".join(f"[{name}](#trauma-{name})" for name in names) + "\n")
    for name in names:
        made.append(f"## trauma {name}\n" + one([name]))
        if name == "measure":
            for question in re.findall(r"^  ([a-z]+) ", trauma("measure", "--help").stdout, re.M):
                if f"usage: trauma measure {question}" in trauma("measure", question, "--help").stdout:
                    made.append(f"### trauma measure {question}\n" + one(["measure", question]))
    return "\n".join(made)


def check_commands():
    keep_or_compare("commands", commands_page())


def keep_or_compare(name, made):
    """With --write the page is written, else compared."""
    if "--write" in sys.argv:
        with open(os.path.join(SOURCE, "docs/reference", name + ".md"), "w", encoding="utf-8") as file:
            file.write(made)
        return
    ours, theirs = page_text(name).split("\n"), made.split("\n")
    for number in range(max(len(ours), len(theirs))):
        here = ours[number] if number < len(ours) else "(nothing)"
        there = theirs[number] if number < len(theirs) else "(nothing)"
        if here != there:
            faults.append(f"docs/reference/{name}.md:{number + 1}: '{here}' where the program says '{there}'; `sh tests/bless.sh` "
                          "writes the page anew")
            return


def main():
    checks = {"recipes": check_recipes, "machines": check_machines, "metrics": check_metrics, "evidence": check_evidence,
              "results": check_results, "exit-codes": check_exit_codes, "commands": check_commands}
    if len(sys.argv) < 2 or sys.argv[1] not in checks:
        print(__doc__)
        return 2
    checks[sys.argv[1]]()
    for text in faults:
        print(text)
    return 1 if faults else 0


sys.exit(main())
