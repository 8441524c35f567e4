#!/usr/bin/env python3
"""Deals the words of a suite's programs as hardware may, and says how many of their bits change.

    deal.py SUITE [--image]

Nothing here is the program's own count. The words of loads come from the object's table of initial words, at the addresses that
the manifest's accesses name; those of operations and stores come from the text of the program. They are dealt in turn to one to
four ports, of which each is counted alone, in the order of their addresses, and by a random interleaving of four queues; with
--image also all words of the image by address, and every second of them. One row per stream: benchmark/point, what, and the rates, the last one farthest from the
first. Exits 1 if one of them is further than 0.02 from what the recipe asks (the kernel's data.toggle), except for
order = "program".
"""
import json
import pathlib
import random
import re
import struct
import sys

NEAR = 0.02


def symbol(image, name):
    """The bytes from a symbol of an ELF64 object on, with the name of its section."""
    (offset,) = struct.unpack_from("<Q", image, 40)
    size, count = struct.unpack_from("<HH", image, 58)
    sections = [struct.unpack_from("<IIQQQQIIQQ", image, offset + i * size) for i in range(count)]
    for section in sections:
        if section[1] != 2:
            continue
        names = sections[section[6]]
        for at in range(section[4], section[4] + section[5], 24):
            text, _, _, where, value, _ = struct.unpack_from("<IBBHQQ", image, at)
            start = names[4] + text
            if image[start:image.index(b"\0", start)].decode() == name:
                return image[sections[where][4] + value:sections[where][4] + sections[where][5]]
    raise SystemExit(f"no symbol {name}")


class Image:
    """The initial words: later runs overwrite earlier ones."""

    def __init__(self, path):
        table = symbol(path.read_bytes(), "trauma_layout")
        runs = struct.unpack_from("<Q", table, 48)[0]
        self.runs = [struct.unpack_from("<QQQQ", table, 56 + 32 * i) for i in range(runs)]
        self.single = {run[0]: (i, run[3]) for i, run in enumerate(self.runs) if run[2] == 1 or run[1] == 0}
        self.many = [(i, *run) for i, run in enumerate(self.runs) if run[2] > 1 and run[1] > 0]

    def word(self, offset):
        found, value = self.single.get(offset, (-1, 0))
        for index, start, step, count, own in reversed(self.many):
            if index < found:
                break
            if offset >= start and (offset - start) % step == 0 and (offset - start) // step < count:
                return own
        return value

    def words(self, offset, size):
        size = max(size, 8)
        offset -= offset % size
        return sum(self.word(offset + 8 * i) << 64 * i for i in range(size // 8))

    def all(self, size):
        """All words that hold something, in the order of their addresses: those of bases that step through many."""
        offsets = set()
        for _, start, step, count, own in self.many:
            if own not in (0, 1):  # nothing, and what set-up writes last to clear the caches
                offsets.update(start + i * step - (start + i * step) % max(size, 8) for i in range(count))
        return [self.words(offset, size) for offset in sorted(offsets)]


def changes(words, bits):
    pairs = list(zip(words, words[1:]))
    return sum(bin(a ^ b).count("1") for a, b in pairs) / (len(pairs) * bits) if pairs else None


def dealings(words, bits, addresses=None):
    """Every rate that some wires see. Of ports with few words, and of registers, of which there are two or three and not a word per
    instance, all ports together: a quarter of 68 instances cannot turn 8.5 times."""
    rates = {"order": changes(words + words[:1], bits)}
    for ports in (2, 3, 4):
        round_trip = words * ports
        own = [changes(round_trip[port::ports][:len(words) + 1], bits) for port in range(ports)]
        if addresses is None or len(words) // ports < 20:
            own = [sum(own) / ports]
        for port, rate in enumerate(own):
            rates[f"port {port + 1} of {ports}"] = rate
    if addresses is not None:
        rates["address"] = changes([word for _, word in sorted(dict(zip(addresses, words)).items())], bits)
    queues = [[] for _ in range(4)]
    chosen = random.Random(1)
    rounds = 16 if addresses is not None else 160  # words of registers are the same or differ in all that they can
    for word in words * rounds if len(words) >= 100 else []:  # of a few, too often the same follows itself
        chosen.choice(queues).append(word)
    if queues[0]:
        rates["queues"] = sum(changes(queue, bits) for queue in queues) / 4
    return rates


def operands(folder, manifest, index):
    """The words of an operation's instances, in the order of the loop, by the program's text: nothing else reads these."""
    entry = next(entry for entry in manifest["operands"] if entry["behaviour"] == index + 1)
    before, loop = (folder / "program.s").read_text().split("\ntrauma_loop:\n")
    values = {}
    for value, name, source, copy in re.findall(r"movabsq \$(0x[0-9a-f]+), %(\w+)|v?movq %(\w+), %(xmm\d+)", before):
        values[name or copy] = int(value, 16) if value else values.get(source)
    stream = []
    for line in loop.split("\ntrauma_loop_end:\n")[0].splitlines():
        used = [re.sub("^[yz]mm", "xmm", name) for name in re.findall(r"%(\w+)", line.split("#")[0])]
        used = [name for name in used if name in entry["registers"]]
        if used:
            stream.append(values[used[0]])
    return stream


def streams(folder):
    manifest = json.loads((folder / "manifest.json").read_text())
    for index, item in enumerate(manifest["kernel"]["unit"]):
        data = item.get("data")
        if not isinstance(data, dict) or "toggle" not in data:
            continue
        if item["op"] != "load":
            words = operands(folder, manifest, index)
            yield 64 * len(words), data, item["op"], dealings(words, 64)
            continue
        if any(other["op"] == "load" and other.get("data") != data for other in manifest["kernel"]["unit"]):
            continue  # loads of several patterns, or of none, share a bus: nothing is promised
        image = Image(folder / "program.o")
        bits = item.get("bus", 8 * item.get("width", 8))
        lane = min(bits, 64)  # all 8 bytes of a word are the same
        kinds = manifest.get("access_kinds", "l")
        addresses = [offset for i, offset in enumerate(manifest["accesses"]) if kinds[i % len(kinds)] != "s"]
        words = [image.words(offset, bits // 8) % (1 << bits) for offset in addresses]
        rates = dealings(words, bits, addresses)
        if "--image" in sys.argv:
            every = [word % (1 << bits) for word in image.all(bits // 8)]
            if every:
                rates["image"] = changes(every, bits)
                rates["every 2nd of the image"] = changes(every[::2], bits)
        yield lane * len(set(addresses)), data, "load", rates


def main():
    failed = False
    for path in sorted(pathlib.Path(sys.argv[1]).glob("*/*/manifest.json")):
        for bits, data, what, rates in streams(path.parent):
            wanted = data["toggle"]
            order = rates.pop("order")
            name, farthest = max(rates.items(), key=lambda item: abs(item[1] - order))
            good = abs(order - wanted) <= 1 / bits + 1e-9
            if data.get("order") != "program":
                good = good and abs(farthest - wanted) <= NEAR
            failed = failed or not good
            print(f"{path.parent.parent.name}/{path.parent.name}\t{what}\t{order:.6g}\t{farthest:.4f}\t{name}\t{'ok' if good else 'BAD'}")
    return failed


if __name__ == "__main__":
    sys.exit(main())
