"""Mutants of GPU programs: each breaks one promise of a program that is right, and check must not pass it.

    gpu_mutants.py ptx|gcn [--seed N] [--count N] [--list]

Programs come from the recipes below, mutants from the tables; with --count only so many of them, chosen by the seed. Programs as
they are must pass, and at least 95 of 100 mutants must not. TRAUMA is the program, GCN_FILE the assembler of the tests. Runs in
the present folder; prints a line for each mutant that passes.
"""
import argparse
import concurrent.futures
import json
import os
import random
import re
import shutil
import subprocess
import sys

TRAUMA, GCN_FILE = os.environ.get("TRAUMA", "trauma"), os.environ.get("GCN_FILE", "gcn_file")
LIMIT = 300

RECIPE = """
local function one(name, unit, more)
  local all = { name = name, target = "%s", grid = { blocks = %d, threads = 96 }, kernel = function() return unit end }
  for key, value in pairs(more or {}) do all[key] = value end
  benchmark(all)
end
one("walk", { load { served_by = { L2 = 1 }, width = 8 }, store { served_by = { L2 = 1 }, data = pattern.ones() },
              add { dependents = 1 } })
one("near", { load { served_by = { L1 = 0.5, L2 = 0.5 } }, add { count = 2 } })
one("chase", { load { served_by = { L2 = 1 }, address = "chase" } })
one("shared", { load { served_by = { SHARED = 1 }, width = 8 } })
one("ring", { load { served_by = { SHARED = 1 }, address = "chase" } })
one("bare", { add { count = 3 }, fma {} })
"""
MORE = {
    "ptx": """
one("placed", { load { served_by = { L2 = 1 } } }, { place = { sm = { 1, 6 } } })
one("async", { load { served_by = { L2 = 1 }, source = "async" } })
one("cluster", { load { served_by = { DSMEM = 1 } } }, { grid = { blocks = 8, threads = 64, cluster = 2 } })
""",
    "gcn": """
one("swapped", { atomic { op = "swap", address = "block" }, atomic { op = "add", address = "warp", returns = false, count = 2 },
                 add { dependents = 1 } })
one("compared", { atomic { op = "cas", address = "warp", served_by = { SHARED = 1 } } })
one("placed", { load { served_by = { L2 = 1 } } }, { place = { se = 1 } })
""",
}
MACHINES = {"ptx": ["h100"], "gcn": ["w9100", "vega10", "rdna2", "rx9070"]}
BLOCKS = {"ptx": 8, "gcn": 24}

# Mutants of texts: a name, the programs that they are made of ("": all), and substitutions: each a pattern, what takes its
# place, and which of the pattern's matches that is ("all", or its number from 0).
START = r"    mov\.u64 %start, %clock64;\n"
START_NS = r"    mov\.u64 %start_ns, %globaltimer;\n"
STOP = r"    mov\.u64 %stop, %clock64;\n"
STOP_NS = r"    mov\.u64 %stop_ns, %globaltimer;\n"
AGAIN = r"TRAUMA_AGAIN:\n    bar\.sync 0;\n"
MEET = r"    bar\.sync 0; +// a pass is over.*\n"
PTX_BUSY = ("    mov.u64 %t3, 64;\nTRAUMA_BUSY:\n    sub.u64 %t3, %t3, 1;\n"
            "    setp.ne.u64 %wrap, %t3, 0;\n    @%wrap bra TRAUMA_BUSY;\n")
PTX = [
    ("the block's number for the multiprocessor's", "", [(r"%place, %smid", "%place, %ctaid.x", 0)]),
    ("the first multiprocessor for all", "walk near", [(r"%place, %smid", "%place, 0", 0)]),
    ("the warp's number for the multiprocessor's", "walk", [(r"%place, %smid", "%place, %warpid", 0)]),
    ("no barrier behind what fills shared memory", "shared ring", [(AGAIN, "TRAUMA_AGAIN:\n", 0)]),
    ("the barrier before what fills shared memory", "shared ring",
     [(AGAIN, "TRAUMA_AGAIN:\n", 0), (r"TRAUMA_COPY_0:\n", "    bar.sync 0;\nTRAUMA_COPY_0:\n", 0)]),
    ("the barrier behind the clock", "shared ring walk", [(AGAIN + START + START_NS,
     "TRAUMA_AGAIN:\n    mov.u64 %start, %clock64;\n    mov.u64 %start_ns, %globaltimer;\n    bar.sync 0;\n", 0)]),
    ("no barrier before the start", "walk bare", [(AGAIN, "TRAUMA_AGAIN:\n", 0)]),
    ("no barrier before the stop", "", [(MEET, "", 0)]),
    ("the stop before the barrier", "", [("(" + MEET + ")(" + STOP + STOP_NS + ")", r"\2\1", 0)]),
    ("the stop in ticks before the barrier", "walk", [("(" + MEET + ")(" + STOP + ")", r"\2\1", 0)]),
    ("the stop before the pass ends", "",
     [(STOP, "", 0),
      (r"TRAUMA_ADVANCE:\n", "TRAUMA_ADVANCE:\n    mov.u64 %stop, %clock64;\n", 0)]),
    ("the stop's ns before the pass ends", "walk chase", [(STOP_NS, "", 0),
     (r"TRAUMA_ADVANCE:\n", "TRAUMA_ADVANCE:\n    mov.u64 %stop_ns, %globaltimer;\n", 0)]),
    ("a stop of 1000 ns", "", [(STOP_NS, "    add.u64 %stop_ns, %start_ns, 1000;\n", 0)]),
    ("a stop of 1000 ticks", "walk chase bare", [(STOP, "    add.u64 %stop, %start, 1000;\n", 0)]),
    ("100 ticks less", "walk ring", [("(" + STOP + ")", r"\1    sub.u64 %stop, %stop, 100;\n", 0)]),
    ("100 ns later", "walk", [("(" + START_NS + ")", r"\1    add.u64 %start_ns, %start_ns, 100;\n", 0)]),
    ("the start in ns for that in ticks", "walk", [(START, "    mov.u64 %start, %globaltimer;\n", 0)]),
    ("ticks for ns", "walk chase", [(r"%globaltimer", "%clock64", "all")]),
    ("ns for ticks", "near bare", [(r"%clock64", "%globaltimer", "all")]),
    ("the stop in ns for that in ticks", "shared", [(STOP, "    mov.u64 %stop, %globaltimer;\n", 0)]),
    ("32 bits of the clock", "walk", [(START, "    mov.u32 %word, %clock;\n    cvt.u64.u32 %start, %word;\n", 0),
                                     (STOP, "    mov.u32 %word, %clock;\n    cvt.u64.u32 %stop, %word;\n", 0)]),
    ("the start before the warm-up", "",
     [(START, "", 0),
      (r"TRAUMA_AGAIN:\n", "    mov.u64 %start, %clock64;\nTRAUMA_AGAIN:\n", 0)]),
    ("the start's ns before the warm-up", "walk", [(START_NS, "", 0),
     (r"TRAUMA_AGAIN:\n", "    mov.u64 %start_ns, %globaltimer;\nTRAUMA_AGAIN:\n", 0)]),
    ("a start within the loop", "walk bare", [(r"TRAUMA_LOOP:\n", "TRAUMA_LOOP:\n    mov.u64 %start, %clock64;\n", 0)]),
    ("a sleep before the loop", "", [("(" + START_NS + ")", r"\1    nanosleep.u32 1000;\n", 0)]),
    ("a sleep behind the loop", "walk chase bare", [(r"TRAUMA_STOP:\n", "TRAUMA_STOP:\n    nanosleep.u32 1000;\n", 0)]),
    ("a sleep between the stops", "walk", [("(" + STOP + ")", r"\1    nanosleep.u32 1000;\n", 0)]),
    ("a busy loop before the loop", "", [("(" + START_NS + ")", r"\1" + PTX_BUSY, 0)]),
    ("a busy loop behind the loop", "walk ring bare", [(r"TRAUMA_STOP:\n", "TRAUMA_STOP:\n" + PTX_BUSY, 0)]),
    ("a load between clock and loop", "walk chase", [("(" + START_NS + ")",
     r"\1    ld.global.u32 %word, [%data];\n    xor.b32 %sum0, %sum0, %word;\n", 0)]),
    ("a load before the stop", "walk", [(r"TRAUMA_STOP:\n", "TRAUMA_STOP:\n    ld.global.cg.u32 %bits, [%data];\n", 0),
     (r"TRAUMA_LEAVE:\n", "TRAUMA_LEAVE:\n    xor.b32 %sum0, %sum0, %bits;\n", 0)]),
    ("stop and start change places", "walk",
     [(r"\[%entry\], %start;", "[%entry], %stop;", 0),
      (r"\[%entry\+8\], %stop;", "[%entry+8], %start;", 0)]),
    ("ns for ticks in the record", "bare", [(r"\[%entry\+8\], %stop;", "[%entry+8], %stop_ns;", 0)]),
    ("the same start and stop", "walk", [(r"\[%entry\+16\], %start_ns;", "[%entry+16], %stop_ns;", 0)]),
    ("a store to what the next run reads", "walk chase shared",
     [(r"TRAUMA_LEAVE:\n", "TRAUMA_LEAVE:\n    st.global.u64 [%data+64], %zero;\n", 0)]),
    ("a store before the loop", "near chase",
     [(r"TRAUMA_AGAIN:\n", "    st.global.u32 [%data+4096], %thread;\nTRAUMA_AGAIN:\n", 0)]),
    ("an atomic on the data", "walk ring",
     [(r"TRAUMA_LEAVE:\n", "TRAUMA_LEAVE:\n    atom.global.add.u32 %word, [%data], 1;\n"
      "    xor.b32 %sum0, %sum0, %word;\n", 0)]),
    ("an atomic in another's record", "walk", [(r"    st\.global\.u64 \[%entry\+56\], %zero;\n",
     "    atom.global.add.u32 %word, [%record+52], 1;\n"
      "    st.global.u64 [%entry+56], %zero;\n    xor.b32 %sum0, %sum0, %word;\n", 0)]),
    ("a store in the first block's record", "walk bare", [(r"\[%entry\+56\], %zero;", "[%record+56], %zero;", 0)]),
    ("all threads write the record", "walk", [(r"    @%none bra TRAUMA_END;\n", "", 0)]),
    ("a store more in the loop", "walk near",
     [(r"TRAUMA_ADVANCE:\n", "TRAUMA_ADVANCE:\n    st.global.u32 [%record+60], %thread;\n", 0)]),
    ("no wait for copies", "async", [(r"    cp\.async\.wait_all;\n", "", 0)]),
    ("a place more", "placed", [(r"(trauma_places\[\d+\] = \{0x0000004)2", r"\g<1>3", 0)]),
    ("a place less", "placed", [(r"(trauma_places\[\d+\] = \{0x000000)42", r"\g<1>02", 0)]),
    ("no cluster barrier behind what fills shared memory", "cluster",
     [(r"    barrier\.cluster\.arrive[^\n]*\n", "", 0),
      (r"    barrier\.cluster\.wait[^\n]*\n", "", 0)]),
    ("no cluster barrier before the end", "cluster",
     [(r"    barrier\.cluster\.arrive[^\n]*\n", "", 1),
      (r"    barrier\.cluster\.wait[^\n]*\n", "", 1)]),
]

G_BARRIER = r"    s_barrier(?:_signal -1\n    s_barrier_wait -1)?\n"
G_START = r"    (?:s_memtime|s_sendmsg_rtn_b64) s\[20:21\].*\n"
G_STOP = r"    (?:s_memtime|s_sendmsg_rtn_b64) s\[22:23\].*\n"
G_WAIT = r"    (?:s_waitcnt lgkmcnt\(0\)|s_wait_kmcnt 0x0)\n"
G_LOADS = r"    (?:s_waitcnt vmcnt\(0\) lgkmcnt\(0\)|s_wait_loadcnt_dscnt 0x0)\n"
G_DONE = G_LOADS + r"    (?:s_waitcnt vmcnt\(0\)|s_waitcnt_vscnt null, 0x0|s_wait_storecnt 0x0)\n"
GCN_BUSY = "    s_movk_i32 s27, 64\n.Lbusy:\n    s_sub_u32 s27, s27, 1\n    s_cmp_lg_u32 s27, 0\n    s_cbranch_scc1 .Lbusy\n"
GCN = [
    ("no barrier behind what fills LDS", "shared ring", [(G_BARRIER, "", 0)]),
    ("the barrier before what fills LDS", "shared ring",
     [(G_BARRIER, "", 0),
      (r"    s_mov_b32 s27, \d+ +// stream 0: its region", r"    s_barrier\n\g<0>", 0)]),
    ("no barrier before the start", "walk bare", [(G_BARRIER, "", 0)]),
    ("the start before the barrier", "walk shared", [("(" + G_BARRIER + ")(" + G_START + ")", r"\2\1", 0)]),
    ("no wait before the stop", "chase shared ring", [(r"(trauma_stop:\n)" + G_DONE, r"\1", 0)]),
    ("no wait for loads before the stop", "near chase",
     [(r"(trauma_stop:\n)    s_waitcnt vmcnt\(0\) lgkmcnt\(0\)\n", r"\1    s_waitcnt lgkmcnt(0)\n", 0),
      (r"(trauma_stop:\n    s_waitcnt lgkmcnt\(0\)\n)    s_waitcnt vmcnt\(0\)\n", r"\1", 0)]),
    ("a wait for all but one", "near", [(r"(trauma_stop:\n)" + G_DONE, r"\1    s_waitcnt vmcnt(1)\n", 0)]),
    ("the stop before the wait", "walk near chase shared ring",
     [(r"(trauma_stop:\n)(" + G_DONE + ")(" + G_STOP + ")", r"\1\3\2", 0)]),
    ("the stop before the pass ends", "walk chase",
     [(G_STOP, "", 0),
      (r"trauma_advance:\n", "trauma_advance:\n    s_memtime s[22:23]\n", 0)]),
    ("a stop of 1000 ticks", "", [(G_STOP, "    s_add_u32 s22, s20, 1000\n    s_addc_u32 s23, s21, 0\n", 0)]),
    ("100 ticks less", "walk bare",
     [(r"(" + G_STOP + G_WAIT + ")", r"\1    s_sub_u32 s22, s22, 100\n    s_subb_u32 s23, s23, 0\n", 0)]),
    ("another clock for the stop", "walk near", [(G_STOP, "    s_memrealtime s[22:23]\n", 0)]),
    ("another clock", "chase bare walk", [(r"s_memtime", "s_memrealtime", "all")]),
    ("the start before the warm-up", "walk bare",
     [(G_START, "", 0),
      (r"trauma_again:\n", "    s_memtime s[20:21]\n    s_waitcnt lgkmcnt(0)\ntrauma_again:\n", 0)]),
    ("a sleep before the loop", "", [("(" + G_START + G_WAIT + ")", r"\1    s_sleep 100\n", 0)]),
    ("a sleep behind the loop", "walk bare", [(r"trauma_stop:\n", "trauma_stop:\n    s_sleep 100\n", 0)]),
    ("a busy loop before the loop", "", [("(" + G_START + G_WAIT + ")", r"\1" + GCN_BUSY, 0)]),
    ("a busy loop behind the loop", "walk near", [(r"trauma_stop:\n", "trauma_stop:\n" + GCN_BUSY, 0)]),
    ("idle cycles before the loop", "bare", [("(" + G_START + G_WAIT + ")", r"\1" + "    s_nop 7\n" * 20, 0)]),
    ("a load between clock and loop", "walk",
     [("(" + G_START + G_WAIT + ")", r"\1    buffer_load_dword v1, off, s[12:15], 0\n    s_waitcnt vmcnt(0)\n", 0)]),
    ("stop and start change places", "walk",
     [(r"v_mov_b32 v10, s20", "v_mov_b32 v10, s22", 0),
      (r"v_mov_b32 v12, s22", "v_mov_b32 v12, s20", 0)]),
    ("half of the stop", "bare", [(r"v_mov_b32 v13, s23", "v_mov_b32 v13, 0", 0)]),
    ("the start twice", "walk",
     [(r"v_mov_b32 v12, s22", "v_mov_b32 v12, s20", 0),
      (r"v_mov_b32 v13, s23", "v_mov_b32 v13, s21", 0)]),
    ("the work-group's number for the place", "walk bare", [(r"v_mov_b32 v18, s3", "v_mov_b32 v18, s2", 0)]),
    ("a test of the work-group's number", "placed",
     [(r"    s_getreg_b32 s27, hwreg\([^\n]*\n", "    s_and_b32 s27, s2, 3\n", 0)]),
    ("a store to what the next run reads", "walk chase",
     [(r"trauma_leave:\n", "    buffer_store_dword v4, off, s[12:15], 0\n    s_waitcnt vmcnt(0)\ntrauma_leave:\n", 0)]),
    ("a store before the loop", "near ring",
     [(r"trauma_again:\n", "    buffer_store_dword v0, off, s[12:15], 0\n    s_waitcnt vmcnt(0)\ntrauma_again:\n", 0)]),
    ("an atomic on the data", "walk shared",
     [(r"trauma_leave:\n", "    buffer_atomic_add v0, off, s[12:15], 0\n    s_waitcnt vmcnt(0)\ntrauma_leave:\n", 0)]),
    ("another's record", "walk bare", [(r"s_lshl_b32 s27, s2, 6", "s_lshl_b32 s27, 0, 6", 0)]),
    ("an atomic of another kind", "swapped", [(r"_atomic_swap(?:_b32)?", "_atomic_or", 0)]),
    ("an atomic more", "swapped", [(r"(    \w+_atomic_add\w* [^\n]*\n)", r"\1\1", 0)]),
    ("an atomic less", "swapped", [(r"    \w+_atomic_add\w* [^\n]*\n", "", 1)]),
    ("a result that none asked for", "swapped", [(r"(_atomic_add\w*) (v\[[^\n]*)", r"\1 v20, \2 glc", 0)]),
    ("no result", "swapped", [(r"(_atomic_swap\w*) v\d+, ([^\n]*) (?:glc|th:TH_ATOMIC_RETURN)", r"\1 \2", 0)]),
    ("another operand", "swapped", [(r"v_mov_b32 v30, 1", "v_mov_b32 v30, 2", 0)]),
    ("a register's upper half", "swapped", [(r"(_atomic_add\w* v\[[^\n]*, )v30", r"\1v31", 0)]),
    ("a store for the atomic", "swapped", [(r"flat_atomic_add (v\[\d+:\d+\]), v30", r"flat_store_dword \1, v30", 0)]),
    ("no wait for the result", "swapped", [(G_LOADS + r"(    v_add)", r"\1", 0)]),
    ("each thread's own word", "swapped compared", [(r"v_lshrrev_b32 v5, \d+, v0", "v_mov_b32 v5, v0", 0)]),
    ("a word for two waves", "swapped compared", [(r"v_lshrrev_b32 v5, (?:5|6), v0", "v_lshrrev_b32 v5, 7, v0", 0)]),
    ("one word for all blocks", "swapped", [(r"s_mul_i32 s32, s2, \d+", "s_mul_i32 s32, s2, 0", 0)]),
    ("a word that is never met", "compared", [(r"v_mov_b32 v44, 0", "v_mov_b32 v44, 5", 0)]),
    ("a new word", "compared", [(r"v_mov_b32 v45, 0", "v_mov_b32 v45, 1", 0)]),
    # GFX12's own: the work-group's number, the barrier's parts, a counter of each kind, scopes.
    ("another trap register", "walk near bare", [(r"ttmp9", "ttmp7", 0)]),
    ("the work-group's number where it was", "walk bare", [(r"    s_mov_b32 s2, ttmp9\n", "", 0)]),
    ("a barrier that none waits for", "walk shared", [(r"    s_barrier_wait -1\n", "", 0)]),
    ("a barrier at which none arrives", "walk shared", [(r"    s_barrier_signal -1\n", "", 0)]),
    ("the start between the barrier's parts", "shared", [("(    s_barrier_wait -1\n)(" + G_START + ")", r"\2\1", 0)]),
    ("the wait of old", "walk bare", [(r"s_wait_kmcnt 0x0", "s_waitcnt lgkmcnt(0)", 0)]),
    ("a wait for LDS alone", "near chase", [(r"(trauma_stop:\n)    s_wait_loadcnt_dscnt 0x0\n", r"\1    s_wait_dscnt 0x0\n", 0)]),
    ("no wait for stores", "walk", [(r"(trauma_stop:\n[^\n]*\n)    s_wait_storecnt 0x0\n", r"\1", 0)]),
    ("a wait for stores, not loads", "walk", [(r"s_wait_loadcnt_dscnt 0x0\n(    v_add)", r"s_wait_storecnt 0x0\n\1", 0)]),
    ("cycles for the clock", "walk bare", [(G_STOP, "    s_getreg_b32 s22, hwreg(HW_REG_SHADER_CYCLES_LO)\n", 0)]),
    ("the scope of a compute unit", "walk near chase placed", [(r" scope:SCOPE_DEV", "", 0)]),
    ("a wider scope than L1's", "near", [(r"(buffer_load_b32 [^\n:]*offset:\d+)\n", r"\1 scope:SCOPE_SE\n", 0)]),
    ("another scope of an atomic", "swapped", [(r"scope:SCOPE_DEV", "scope:SCOPE_SYS", 0)]),
    ("a narrower scope of an atomic", "swapped", [(r"scope:SCOPE_DEV", "scope:SCOPE_SE", 1)]),
    ("a hint that none asked for", "walk placed", [(r" scope:SCOPE_DEV", " th:TH_LOAD_NT scope:SCOPE_DEV", 0)]),
    ("an engine more", "placed", [(r"hwreg\(23, 18, 3\)", "hwreg(23, 18, 1)", 0)]),
    ("all threads write the record", "near", [(r"    s_and_saveexec_b(?:64|32) .*\n    s_cbranch_execz trauma_end\n", "", 0)]),
]
MUTANTS = {"ptx": PTX, "gcn": GCN}
TOTALS = [("accesses", 2), ("accesses", 0.5), ("transfers", 2), ("transfers", 0.5), ("stored", 2), ("grid.blocks", 2),
          ("grid.blocks", 0.5), ("grid.threads", 2)]


def run(*command):
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LIMIT, check=False)


def check(suite, point):
    """The exit code of check of the point, and its messages."""
    source = "warp" if os.path.exists(f"{suite}/{point}/default/program.ptx") else "wave"
    ran = run(TRAUMA, "check", suite, "--as-is", "-j", "1", "--counters", source, "--filter", f"^{point}/")
    return ran.returncode, ran.stdout + ran.stderr


def replaced(text, pattern, by, which):
    """The text with one of the pattern's matches, or all of them, replaced; None if there is no such match."""
    matches = list(re.finditer(pattern, text))
    if which == "all":
        return re.sub(pattern, by, text) if matches else None
    if which >= len(matches):
        return None
    match = matches[which]
    return text[:match.start()] + match.expand(by) + text[match.end():]


def changed_text(text, substitutions):
    for pattern, by, which in substitutions:
        text = replaced(text, pattern, by, which) if text is not None else None
    return text


def changed_totals(manifest, field, factor):
    """The manifest with the field times the factor; None if that changes nothing."""
    def times(value):
        return int(value * factor)
    holder, _, name = field.rpartition(".")
    place = manifest[holder] if holder else manifest
    old = json.dumps(place.get(name))
    if isinstance(place.get(name), dict):
        place[name] = {level: times(value) for level, value in place[name].items()}
    elif name in place:
        place[name] = times(place[name])
    return manifest if name in place and json.dumps(place[name]) != old else None


def make(number, family, machine, mutant):
    """Makes the mutant's suite; None if the program has nothing to change."""
    name, point, change = mutant
    suite, folder = f"{machine}/suite", f"{machine}/mutants/{number}"
    text_name = "program.ptx" if family == "ptx" else "program.s"
    file = "manifest.json" if isinstance(change, tuple) else text_name
    with open(f"{suite}/{point}/default/{file}", encoding="utf-8") as source:
        text = source.read()
    if isinstance(change, tuple):
        manifest = changed_totals(json.loads(text), *change)
        made = None if manifest is None else json.dumps(manifest, indent=2)
    else:
        made = changed_text(text, change)
    if made is None or made == text:
        return None
    shutil.copytree(suite, folder, copy_function=os.link)
    path = f"{folder}/{point}/default/{file}"
    os.remove(path)
    with open(path, "w", encoding="utf-8") as target:
        target.write(made)
    if file == "program.s":
        os.remove(f"{folder}/{point}/default/program.co")
        with open(f"{folder}/{point}/default/manifest.json", encoding="utf-8") as source:
            arch = json.load(source)["arch"]
        ran = run(GCN_FILE, "program", arch, f"{folder}/{point}/default/program.co", path)
        if ran.returncode != 0:
            shutil.rmtree(folder)
            return None  # this processor has no such instruction
    return folder


def all_mutants(family, points):
    for name, only, change in MUTANTS[family]:
        for point in points:
            if only == "" or point in only.split():
                yield name, point, change
    for field, factor in TOTALS:
        for point in points:
            yield f"{field} times {factor}", point, (field, factor)


def judge(task):
    """The line to print for the mutant, and whether it was made, and failed."""
    number, family, machine, mutant, shows = task
    folder = make(number, family, machine, mutant)
    if folder is None:
        return None, False, False
    code, said = check(folder, mutant[1])
    shutil.rmtree(folder)
    reason = [line for line in said.splitlines() if re.search(r"^trauma|fail|error", line)]
    where = f"{machine} {mutant[1]}: {mutant[0]}"
    if code == 0:
        return f"passes: {where}", True, False
    if code not in (1, 5):
        return f"exit {code}: {where}: {said[-300:]}", True, False
    return (f"{where}: {(reason or [said])[0][:400]}" if shows else None), True, True


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("family", choices=sorted(MUTANTS))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=0)
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    tasks, wrong = [], 0
    for machine in MACHINES[options.family]:
        os.makedirs(machine)
        with open(f"{machine}/r.lua", "w", encoding="utf-8") as file:
            file.write(RECIPE % (options.family, BLOCKS[options.family]) + MORE[options.family])
        ran = run(TRAUMA, "gen", f"{machine}/r.lua", "-m", machine, "-o", f"{machine}/suite")
        if ran.returncode != 0:
            sys.exit(f"gen for {machine}: {ran.stderr}")
        if options.family == "gcn" and not os.path.exists(f"{machine}/suite/walk/default/program.co"):
            sys.exit(77)
        points = sorted(entry for entry in os.listdir(f"{machine}/suite") if os.path.isdir(f"{machine}/suite/{entry}"))
        for point in points:
            code, said = check(f"{machine}/suite", point)
            if code != 0:
                wrong += 1
                print(f"does not pass as it is: {machine} {point}: {said}")
        tasks += [(options.family, machine, mutant, options.list) for mutant in all_mutants(options.family, points)]
    if options.count:
        tasks = random.Random(options.seed).sample(tasks, min(options.count, len(tasks)))
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = list(pool.map(judge, [(number, *task) for number, task in enumerate(tasks)]))
    made, failed = sum(result[1] for result in results), sum(result[2] for result in results)
    for line, _, _ in results:
        if line:
            print(line)
    print(f"{failed} of {made} mutants fail")
    sys.exit(wrong > 0 or failed < 0.95 * made or made == 0)


if __name__ == "__main__":
    main()
