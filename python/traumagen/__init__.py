"""TraumaGen from Python: its program's results as pandas data frames.

    import traumagen
    frame = traumagen.check("my.lua", machine="zen5")
    frame[frame.verdict == "fail"]

Every function runs the program `trauma` and reads the JSON that it writes; nothing is computed here. Options have the names
of the command line, with an underscore for a dash:

    traumagen.run("my.lua", filter="miss=0.37", reps=5, set={"miss": [0.1, 0.2]}, allow_state=True)

True gives a flag, False or None leaves an option out. A list is joined by commas, or repeats an option that can be repeated
(set, tune). The program's progress and warnings appear on sys.stderr, in a notebook below the cell; quiet=True silences them.

Frames have one row per point and metric: benchmark, point, a column per sweep parameter, metric, unit, wanted, value, low and
high (an interval of 95 %), verdict, its sides code and silicon, source, and then what else the program told. A rate that
missed its target is a row whose verdict is "fail"; whatever else fails raises Error.
"""

from __future__ import annotations

import os
import sys

from ._frames import events, fit, measure, read, run, check, validate
from ._program import Error, program, version

__all__ = ["Error", "check", "events", "fit", "main", "measure", "program", "read", "run", "validate", "version"]

Error.__module__ = __name__  # as users catch it


def main() -> None:
    """The command `trauma`: the program inside the package, in place of this process."""
    os.execv(program(), ["trauma", *sys.argv[1:]])
