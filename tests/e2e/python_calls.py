"""What test_python.sh asks of the installed package: python_calls.py calls | models | progress | page FILE | notebook FILE. In the folder: small.lua"""
import io, json, os, pathlib, sys

import pandas
import traumagen

FIRST = ["benchmark", "point", "hit", "metric", "unit", "wanted", "value", "low", "high", "verdict", "code", "silicon", "source"]


def fails(code, *texts, call):
    try:
        call()
    except traumagen.Error as error:
        assert error.code == code, (error.code, error.message)
        whole = error.message + "|" + error.hint
        assert all(text in whole for text in texts), whole
        return error
    raise AssertionError(f"no Error of code {code}")


def calls():
    checked = traumagen.check("small.lua", machine="zen5", counters=["bytes", "cachegrind"], quiet=True)
    assert list(checked.columns[:13]) == FIRST, list(checked.columns)
    assert set(checked.hit) == {0.5, 0.75}
    row = checked[(checked.hit == 0.75) & (checked.metric == "served.L1")].iloc[0]
    assert row.point == "hit=0.75" and row.unit == "share" and row.wanted == 0.75 and row.source == "cachegrind"
    assert row.value == row.low == row.high == 0.75 and row.verdict == "pass (code)" and row.code == "pass"
    assert pandas.isna(row.silicon) and checked.value.dtype == float

    pathlib.Path("r.jsonl").unlink(missing_ok=True)
    # What ran, kept and read again; options of every kind.
    options = dict(machine="zen5", counters="plan,bytes,cachegrind", power="none", reps=1, time=0.001, quiet=True)
    ran = traumagen.run("small.lua", set={"hit": [0.25, 0.5]}, output=pathlib.Path("r.jsonl"), here=True, calibrate=False, **options)
    assert list(ran.columns[:13]) == FIRST and set(ran.hit) == {0.25, 0.5}
    assert len(ran[ran.metric == "time.ticks_per_pass"]) == 2
    assert traumagen.read("r.jsonl").equals(ran)
    assert len(traumagen.read(["r.jsonl"], verbose=True)) > len(ran)
    again = traumagen.check("r.jsonl", quiet=True)
    assert set(again.hit) == {0.25, 0.5}, again
    fails(2, "r.jsonl exists already", call=lambda: traumagen.run("small.lua", output="r.jsonl", **options))
    one = traumagen.run("small.lua", filter="hit=0.5$", set=["hit=0.5"], **options)
    assert set(one.point) == {"hit=0.5"}

    # A missed rate is a row.
    text = pathlib.Path("small.lua").read_text()
    pathlib.Path("missed.lua").write_text(text.replace("kernel =", 'expect = { ["l1d.miss_rate"] = { max = 0.1 } },\n kernel ='))
    missed = traumagen.check("missed.lua", "zen5", counters="bytes,cachegrind", quiet=True)
    row = missed[(missed.metric == "l1d.miss_rate") & (missed.hit == 0.5)].iloc[0]
    assert row.verdict == "fail" and row["max"] == 0.1 and row.value == 0.5, row

    # Points that are refused raise, and the others are there.
    pathlib.Path("refused.lua").write_text(text.replace("0.75", "0.75, 0.123").replace("40", "2"))
    error = fails(3, "1 point did not run", "refused", call=lambda: traumagen.check("refused.lua", "zen5", counters="bytes", quiet=True))
    assert set(error.results.hit) == {0.5, 0.75, 0.123}, error.results

    # Errors of every kind.
    error = fails(2, "smal.lua", "did you mean 'small.lua'?", call=lambda: traumagen.check("smal.lua"))
    assert "did you mean" in error.hint and "did you mean" not in error.message and error.hint in str(error)
    fails(2, "--conters", "did you mean --counters?", call=lambda: traumagen.run("small.lua", conters="bytes"))
    fails(2, "trauma", call=lambda: traumagen.measure("latencies"))
    fails(2, "json", call=lambda: traumagen.check("small.lua", json=True))
    fails(2, "resume", call=lambda: traumagen.run("small.lua", resume=True))
    pathlib.Path("broken.lua").write_text("benchmark {\n  name = 1,\n}\n")
    fails(3, "broken.lua:", call=lambda: traumagen.check("broken.lua"))

    measured = traumagen.measure("instruction", "imulq %rbx, %rax", quiet=True, power="none")
    row = measured[measured.metric == "insn.latency"].iloc[0]
    assert row.unit == "cycles" and 1 < row.value < 20, row

    assert traumagen.version()[0].isdigit()


def models():
    """In the folder: fx.jsonl, results of a simulated machine of the model ppep."""
    fitted = traumagen.fit("ppep", "fx.jsonl", output="model.json", quiet=True)
    uops = fitted[fitted.coefficient == "w.uops"].iloc[0]
    assert uops.low <= uops.value <= uops.high and uops.unit, fitted
    assert traumagen.read("model.json").equals(fitted)
    assert traumagen.fit("ppep", ["fx.jsonl"], quiet=True).equals(fitted)
    fails(2, "pep", call=lambda: traumagen.fit("pep", "fx.jsonl"))

    seen = traumagen.validate("zen5", filter="^branches", counters="bytes,cachegrind", quiet=True)
    assert set(seen.behaviour) == {"branches"} and set(seen.metric) == {"branch.miss_rate"}, seen
    row = seen[seen.asked == 0.1].iloc[0]
    assert row.code_source == "cachegrind" and abs(row.code_value - 0.1) < 0.02 and row.verdict == "pass (code)", row
    assert pandas.isna(row.silicon_value) and seen.silicon_value.dtype == float

    # Counts made elsewhere, of a generated suite: each program's, as often as it counts a branch.
    suite = pathlib.Path("events")
    counts = ["program,event,passes,count"]
    for path in sorted(suite.glob("*/*/manifest.json")):
        manifest = json.loads(path.read_text())
        for passes in 1000, 21000:
            counts.append(f"{manifest['benchmark']}/{manifest['point']},branches,{passes},{round(manifest['counts'].get('branches', 0) * passes)}")
    pathlib.Path("counts.csv").write_text("\n".join(counts) + "\n")
    tried = traumagen.events(suite="events", counts="counts.csv", quiet=True)
    row = tried.iloc[0]
    assert list(tried.event) == ["branches"] and row.quantity == "branches" and row.low <= 1 <= row.high, tried


def shown(stream, **options):
    kept, sys.stderr = sys.stderr, stream
    try:
        traumagen.run("small.lua", counters="bytes", power="none", **options)
    finally:
        sys.stderr = kept
    return stream.getvalue()


class Terminal(io.StringIO):
    def isatty(self):
        return True


def progress():
    """Warnings and told lines go to sys.stderr; on a terminal, progress too."""
    plain = shown(io.StringIO(), reps=1, time=0.001)
    assert "2 points, about" in plain and "[#" not in plain and "\r" not in plain, plain
    drawn = shown(Terminal(), reps=5, time=0.4)
    assert "2 points, about" in drawn and "\r[" in drawn and "\x1b[K" in drawn, drawn
    assert "[#" in drawn, repr(drawn)


def notebook(path):
    cells = json.loads(pathlib.Path(path).read_text())["cells"]
    names = {}
    for cell in cells:
        if cell["cell_type"] == "code":
            assert cell["outputs"] == [] and cell["execution_count"] is None, "outputs are not cleared"
            exec(compile("".join(cell["source"]), path, "exec"), names)


def page(path):
    """The code of the page, in order."""
    blocks = pathlib.Path(path).read_text().split("```python\n")[1:]
    assert len(blocks) >= 3
    names = {}
    for block in blocks:
        exec(compile(block.split("\n```")[0], path, "exec"), names)


{"calls": calls, "models": models, "page": page, "progress": progress, "notebook": notebook}[sys.argv[1]](*sys.argv[2:])
