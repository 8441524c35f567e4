"""Deals the words of emitted GPU data as channels, queues and schedulers would, and counts what each bus then sees.

    gpu_dealt.py SUITE [--tolerance 0.02]

Shares no code with the program: it reads a suite's manifests, lays out the regions that loads read by their rules, and deals
their lines, sectors and bus words. Prints one row for each order and exits with 1 if a rate is farther than the tolerance from
the manifest's target (or, without one, from what it expects).
"""
import argparse
import json
import os
import random
import sys

WINDOW = 1 << 18  # bytes of a region that are dealt
TURNS = (1, 2, 3, 4, 8, 16)


def words_of(fill):
    width = fill["width"]
    return b"".join(int(word, 16).to_bytes(width, "little") for word in fill["words"])


def repeat(words, start, size):
    start %= len(words)
    times = (start + size) // len(words) + 1
    return (words * times)[start:start + size]


def bytes_of(region, size):
    """The data's bytes, as far as the manifest says them: of the sides of L2 without what leads from chunk to chunk."""
    fill = region["fill"]
    words = words_of(fill)
    if fill["kind"] == "words":
        return repeat(words, 0, size)
    chunk, header, made = fill["chunk"], fill["header"], b""
    table = -(-fill["sm"] * fill["starts"] * 8 // chunk) * chunk
    size = min(size, region["bytes"] - table)
    while len(made) < size:
        made += repeat(words, 0, header) + repeat(words, len(made) + header, chunk - header)
    return made[:size]


def flips(transfers):
    """Bits that change from one transfer to the next, and all that could."""
    changed = sum(bin(a ^ b).count("1") for a, b in zip(transfers, transfers[1:]))
    return changed, max(len(transfers) - 1, 0)


def rate_of(buses, bits):
    """Of several buses together."""
    changed = compared = 0
    for transfers in buses:
        own, among = flips(transfers)
        changed += own
        compared += among
    return changed / (compared * bits) if compared else None


def orders(data, bus, unit):
    """Names and buses: units (lines, sectors, words of the bus) dealt in turn, in address order, and interleaved at random."""
    transfers = [int.from_bytes(data[at:at + bus], "little") for at in range(0, len(data) - bus + 1, bus)]
    per = max(unit // bus, 1)
    units = [transfers[at:at + per] for at in range(0, len(transfers), per)]
    for turn in TURNS:
        dealt = [[word for one in units[phase::turn] for word in one] for phase in range(turn)]
        yield f"every {turn}", dealt
        if len(units) // turn >= 64:
            for phase in range(turn):
                yield f"every {turn} from {phase}", [dealt[phase]]
    chance = random.Random(20161)
    heads = [chance.randrange(len(units)) for _ in range(16)]
    mixed = []
    for _ in range(4 * len(units)):
        one = chance.randrange(len(heads))
        mixed += units[heads[one] % len(units)]
        heads[one] += 1
    yield "at random", [mixed]


def check(manifest, tolerance, place):
    wrong = rows = 0
    told = manifest["targets"].get("data.toggle_rate.dealt")
    if told is None:  # promised in program order alone, or not at all
        return 0, 0
    for region in manifest["data"]["regions"]:
        if "words" not in region["fill"]:
            continue
        stream = manifest["streams"][region["stream"]]
        data = bytes_of(region, min(WINDOW, region["bytes"]))
        for unit in sorted({stream["bus"], max(32, stream["bus"]), max(128, stream["bus"])}):
            if len(data) < 64 * unit:
                continue
            for name, buses in orders(data, stream["bus"], unit):
                found = rate_of(buses, 8 * stream["bus"])
                far = abs(found - told) > tolerance
                wrong += far
                rows += 1
                if far:
                    print(f"{place} {region['level']} units of {unit} bytes, bus of {stream['bus']}, {name}: {found:.4f}, "
                          f"told {told:.4f}")
    return rows, wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("suite")
    parser.add_argument("--tolerance", type=float, default=0.02)
    options = parser.parse_args()
    rows = wrong = 0
    for folder, _, files in sorted(os.walk(options.suite)):
        if "manifest.json" not in files:
            continue
        with open(os.path.join(folder, "manifest.json"), encoding="utf-8") as file:
            manifest = json.load(file)
        if "data.toggle_rate" not in manifest["expected"] or "regions" not in manifest.get("data", {}):
            continue
        seen = check(manifest, options.tolerance, os.path.relpath(folder, options.suite))
        rows += seen[0]
        wrong += seen[1]
    print(f"{rows} orders, {wrong} of another rate")
    return 1 if wrong or rows == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
