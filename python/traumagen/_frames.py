"""The commands whose results are tables, and the frames made of their JSON."""

from __future__ import annotations

import json
import os
import tempfile
from typing import Any, Dict, Iterable, List, Optional, Sequence, Union

import pandas

from ._program import MISSED, Answer, Error, answer, call, input_words, option_words

Path = Union[str, "os.PathLike[str]"]
Paths = Union[Path, Sequence[Path]]

FIRST = ["benchmark", "point"]
MIDDLE = ["metric", "unit", "wanted", "value", "low", "high", "verdict", "code", "silicon", "source"]
LAST = ["target", "part", "min", "max", "kind", "n", "doubt", "reason", "host", "program_hash"]
NUMBERS = ["wanted", "value", "low", "high", "min", "max", "n"]
DID_NOT_RUN = ("refused", "cannot run here", "did not run")


# ---- frames ----

def _lines(text: str) -> List[Dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines() if line]


def _frame(rows: List[Dict[str, Any]], columns: Iterable[str]) -> pandas.DataFrame:
    frame = pandas.DataFrame(rows, columns=list(columns))
    for name in NUMBERS:
        if name in frame:
            frame[name] = frame[name].astype(float)
    for name in frame.columns[frame.isna().all()].difference(NUMBERS):
        frame[name] = frame[name].astype(object)  # texts, of which none is there
    return frame


def _point_frame(rows: List[Dict[str, Any]], parameters: Iterable[str]) -> pandas.DataFrame:
    """One row per point and metric. A parameter that has a column's name is p.NAME."""
    fixed = FIRST + MIDDLE + LAST
    names = [f"p.{name}" if name in fixed else name for name in parameters]
    for row in rows:
        for name, value in row.pop("parameters", {}).items():
            row[f"p.{name}" if name in fixed else name] = value
    return _frame(rows, FIRST + names + MIDDLE + LAST)


def _names(rows: Iterable[Dict[str, Any]]) -> List[str]:
    return list(dict.fromkeys(name for row in rows for name in row["parameters"]))


def _of_exported(rows: List[Dict[str, Any]]) -> pandas.DataFrame:
    for row in rows:
        row["parameters"] = {name[2:]: row.pop(name) for name in list(row) if name.startswith("p.")}
    return _point_frame(rows, _names(rows))


def _of_checked(rows: List[Dict[str, Any]]) -> pandas.DataFrame:
    for row in rows:
        row["parameters"] = row.get("parameters") or {}
        wanted = row["wanted"]
        bounds = wanted if isinstance(wanted, dict) else row.get("expect") or {}
        row.update({"min": bounds.get("min"), "max": bounds.get("max"),
                    "wanted": None if isinstance(wanted, dict) else wanted})
        best: Dict[str, Any] = next((seen for seen in row["observations"] if seen["source"] == row.get("source")), {})
        row.update({"kind": best.get("kind"), "n": best.get("n"), "doubt": best.get("doubt")})
    return _point_frame(rows, _names(rows))


def _finish(told: Answer, frame: pandas.DataFrame) -> pandas.DataFrame:
    """The frame; or the program's error, with the rows that there are, which name the points that did not run."""
    if told.error is None and told.code in (0, MISSED):
        return frame
    results = frame if len(frame) > 0 else None
    idle = frame[frame["verdict"].isin(DID_NOT_RUN)] if "verdict" in frame else frame[:0]
    if told.error is not None:
        error = Error(told.error.code, told.error.message, told.error.hint, results)
    elif len(idle) > 0:
        row = idle.iloc[0]
        error = Error(told.code, f"{len(idle)} point{'s' if len(idle) > 1 else ''} did not run; "
                      f"{row['benchmark']}/{row['point']}: {row['verdict']}: {row['reason']}",
                      "the exception's results hold the rows of all points", results)
    else:
        error = Error(told.code, told.last or f"the program ended with exit code {told.code}", "", results)
    raise error


# ---- commands ----

def _words(command: Sequence[str], inputs: Iterable[str], options: Dict[str, Any], **more: Any) -> List[str]:
    for name in more:
        if options.get(name) is not None:
            more[name] = options[name]
    for name in ("json", "help", "csv", "tap", "dry_run"):
        if options.get(name):
            raise Error(2, f"the option {name} changes what the program prints, which is read here",
                        "leave it out, or run the program `trauma` itself")
    return [*command, *inputs, *option_words({**options, **more})]


def _exported(paths: Iterable[str], verbose: bool) -> List[Dict[str, Any]]:
    rows: List[Dict[str, Any]] = []
    for path in paths:
        rows += _lines(answer(["export", path, "--json", "-q", *(["-v"] if verbose else [])]))
    return rows


def _recorded(command: Sequence[str], inputs: Iterable[str], machine: Optional[Path],
              options: Dict[str, Any]) -> pandas.DataFrame:
    """A command that writes results, into a file that is gone afterwards unless the option output names one."""
    with tempfile.TemporaryDirectory(prefix="traumagen-") as folder:
        path = os.fspath(options.get("output") or os.path.join(folder, "results.jsonl"))
        if options.get("resume") and not options.get("output"):
            raise Error(2, "resume continues results that exist", "name them in output")
        told = call(_words(command, inputs, options, machine=machine, output=path))
        rows = _exported([path], False) if os.path.exists(path) else []
        return _finish(told, _of_exported(rows))


def run(recipe: Paths, machine: Optional[Path] = None, **options: Any) -> pandas.DataFrame:
    """Executes the recipe's programs and records time, counters and power (`trauma run`). output="r.jsonl" keeps the results."""
    return _recorded(["run"], input_words(recipe), machine, options)


def check(recipe: Paths, machine: Optional[Path] = None, **options: Any) -> pandas.DataFrame:
    """Compares the rates of a recipe, a suite or results with what is observed (`trauma check`): one row per rate."""
    told = call(_words(["check"], input_words(recipe), options, machine=machine, json=True))
    return _finish(told, _of_checked(_lines(told.output)))


def measure(question: str, *what: Any, machine: Optional[Path] = None, **options: Any) -> pandas.DataFrame:
    """Answers a question about this machine (`trauma measure`): measure("latency"), measure("bandwidth", op="copy"),
    measure("instruction", "imul rax, rbx")."""
    return _recorded(["measure", question], input_words(what), machine, options)


def read(path: Paths, verbose: bool = False) -> pandas.DataFrame:
    """Reads results, or a fitted model, from files (`trauma export`). verbose: one row per observation, not only the best."""
    rows = _exported(input_words(path), verbose)
    if rows and "metric" not in rows[0]:
        return pandas.DataFrame(rows)
    return _of_exported(rows)


def fit(model: Optional[str], results: Paths, **options: Any) -> pandas.DataFrame:
    """Fits an energy model to results (`trauma fit`): one row per coefficient. None takes the model that their recipes name.
    output="model.json" keeps it."""
    with tempfile.TemporaryDirectory(prefix="traumagen-") as folder:
        path = os.fspath(options.get("output") or os.path.join(folder, "model.json"))
        named = [] if model is None else [model]
        told = call(_words(["fit", *named], input_words(results), options, output=path))
        rows = _exported([path], False) if os.path.exists(path) else []
        return _finish(told, pandas.DataFrame(rows))


def events(*event: str, machine: Optional[Path] = None, **options: Any) -> pandas.DataFrame:
    """Puts performance events on trial (`trauma events`): one row per event and quantity that it counts, none as None."""
    told = call(_words(["events"], input_words(event), options, machine=machine, json=True))
    rows = []
    for trial in _lines(told.output):
        counts = trial.pop("counts", None) or [{}]
        rows += [{**trial, "quantity": count.get("quantity"), "per": count.get("per"), "low": count.get("low"),
                  "high": count.get("high")} for count in counts]
    return _finish(told, pandas.DataFrame(rows))


def validate(machine: Optional[Path] = None, **options: Any) -> pandas.DataFrame:
    """Measures on this machine how well stated rates hold (`trauma validate`): one row per rate that was asked, with what the
    code and the silicon showed."""
    told = call(_words(["validate"], [], options, machine=machine, json=True))
    rows = []
    for behaviour in (json.loads(told.output) if told.output.strip() else {}).get("rows", []):
        for point in behaviour["points"]:
            row = {name: behaviour.get(name) for name in ("behaviour", "metric")}
            row.update((name, point.get(name)) for name in ("point", "asked", "verdict", "reason"))
            for side in ("code", "silicon"):
                row.update((f"{side}_{name}", (point.get(side) or {}).get(name)) for name in ("value", "low", "high", "source"))
            rows.append(row)
    frame = pandas.DataFrame(rows)
    numbers = [name for name in frame.columns if name.endswith(("_value", "_low", "_high"))]
    return _finish(told, frame.astype({name: float for name in numbers}))
