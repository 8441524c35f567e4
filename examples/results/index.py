#!/usr/bin/env python3
"""Writes README.md of this folder from the scorecards FOLDER/card.json beside it.

    python3 examples/results/index.py [FOLDER]
"""
import json
import pathlib
import sys
import textwrap

HEAD = """# Scorecards

This page collects scorecards of `trauma validate`, one folder per processor on which it ran: observed against requested rates.

"""
TAIL = """
**Code** is what the generated program does on the described machine, **silicon** what the processor did. An error is the largest
distance between an observed and the requested rate; `-`: nothing observed it there. [Validate a
machine](../../docs/howto/validate.md) describes how to make a scorecard and how to send one in: a folder with `card.json`, named
after the processor.
"""


def worst(rows, side):
    errors = [row[side] for row in rows if side in row]
    return f"{max(errors):.3f}" if errors else "-"


def wrapped(text):
    return textwrap.fill(text, 130, break_long_words=False, break_on_hyphens=False)


def section(folder, card):
    machine = card["machine"]
    usable = ", ".join(source["name"] for source in card["sources"] if source["usable"] and source["kind"] != "predicted")
    yield f"## {folder.name}\n"
    yield wrapped(f"{machine['name']} ({machine['cpu']}), {machine['isa']}{', virtual' if machine['virtual'] else ''}; "
                  f"{machine['caches']}. Observed on {card['date']} in {card['seconds']:.0f} s by {usable}: "
                  f"[card.json]({folder.name}/card.json)")
    if (folder / "card.svg").exists():
        yield f"\n![Observed against requested rates on {machine['name']}]({folder.name}/card.svg)"
    yield "\n| behaviour | rates | code, largest error | silicon, largest error | verdicts |\n| --- | --- | --- | --- | --- |"
    for behaviour in card["behaviours"]:
        rows = [row for row in card["rows"] if row["behaviour"] == behaviour["name"]]
        verdicts = [point["verdict"] for row in rows for point in row["points"]]
        counts = ", ".join(f"{verdicts.count(word)} {word}" for word in sorted(set(verdicts)))
        why = [gap["why"] for gap in card["gaps"] if gap["behaviour"] == behaviour["name"]]
        yield f"| {behaviour['title']} | {len(rows)} | {worst(rows, 'code_error')} | {worst(rows, 'silicon_error')} | " \
              f"{counts or 'did not run: ' + why[0]} |"
    if card["warnings"]:
        yield "\n" + wrapped("Disturbed: " + "; ".join(card["warnings"]) + ".")


def main():
    home = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).parent
    parts = ["\n".join(section(path.parent, json.loads(path.read_text()))) for path in sorted(home.glob("*/card.json"))]
    (home / "README.md").write_text(HEAD + "\n\n".join(parts) + "\n" + TAIL)


main()
