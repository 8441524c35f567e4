# examples/ci: both pipelines are YAML, and their trauma commands do what docs/howto/regression.md says: pass on the small
# suite beside them, and fail with 5 when a bound is missed or a rate moved.
. "$SOURCE/tests/e2e/lib.sh"
need_program python3
need_program valgrind
python3 -c 'import yaml' 2>/dev/null || skip "python3 has no yaml (Debian: python3-yaml)"

mkdir -p here/ci
cd here
cp "$SOURCE"/examples/ci/*.lua ci
PATH="$(dirname "$TRAUMA"):$PATH"

# commands FILE: every line of its scripts that begins with trauma, and NAME=VALUE of what else the file must have.
cat >read.py <<'PYTHON'
import sys, yaml

def lines(script):
    return [line for text in ([script] if isinstance(script, str) else script) for line in text.splitlines()]

pipeline = yaml.safe_load(open(sys.argv[1]))
jobs = pipeline["jobs"] if "jobs" in pipeline else {k: v for k, v in pipeline.items() if isinstance(v, dict) and "script" in v}
scripts = []
for job in jobs.values():
    if "steps" in job:
        scripts += [line for step in job["steps"] for line in lines(step.get("run", ""))]
    else:
        scripts += [line for part in ("before_script", "script", "after_script") for line in lines(job.get(part, []))]
print("\n".join(line for line in scripts if line.startswith("trauma ")))
text = " ".join(" ".join(line.rstrip("\\") for line in scripts).split())
print(text[text.index("ca-certificates"):].split(" mkdir ")[0], file=sys.stderr)
PYTHON
for file in github gitlab-ci; do
    python3 read.py "$SOURCE/examples/ci/$file.yml" >$file.commands 2>$file.packages || fail "$file.yml: $(cat $file.packages)"
done
diff github.commands gitlab-ci.commands >differences || fail "the pipelines differ: $(cat differences)"
diff github.packages gitlab-ci.packages >differences || fail "their packages differ: $(cat differences)"
expect_same "$(wc -l <github.commands | tr -d ' ')" 4 "trauma commands of a pipeline"
for package in $(cat github.packages); do
    case $package in
    curl | xz-utils) ;;
    *) grep -q -- "$package" "$SOURCE/Containerfile" || fail "Containerfile has no $package" ;;
    esac
done

step() { sed -n "$1p" github.commands; }
case $(step 3) in "trauma diff ci/baseline.jsonl new.jsonl "*) ;; *) fail "the third command: $(step 3)" ;; esac

# The baseline is what the second command writes. The page and the pipelines have the same commands.
sh -c "$(step 2 | sed 's/-o new.jsonl/-o ci\/baseline.jsonl/')" >"$WORK/out" 2>"$WORK/err" || fail "the baseline: $?"
if [ -e "$SOURCE/docs/howto/regression.md" ]; then
    for number in 1 2 3; do
        grep -qF -e "$ $(step $number)" "$SOURCE/docs/howto/regression.md" || fail "the page has no: $(step $number)"
    done
fi
for number in 1 2 3 4; do
    expect_exit 0 sh -c "$(step $number)"
done
grep -q '<testsuites' junit.xml || fail "no JUnit"
[ -s report.html ] || fail "no report"

# A promise that the code breaks ends the first step.
sed 's/kernel = function/expect = { ["l1d.miss_rate"] = { max = 0.1 } },\n  kernel = function/' ci/checks.lua >changed
cp changed ci/checks.lua
expect_exit 5 sh -c "$(step 1)"
# A rate that moved ends the third.
sed 's/0.95/0.8/' "$SOURCE/examples/ci/checks.lua" >ci/checks.lua
expect_exit 0 sh -c "$(step 1)"
rm new.jsonl
expect_exit 0 sh -c "$(step 2)"
expect_exit 5 sh -c "$(step 3)"
expect_text out "branch.miss_rate"
# Whatever the machine that runs it, time alone does not.
cp "$SOURCE/examples/ci/checks.lua" ci/checks.lua
sed 's/"ticks_per_pass":{"value":[0-9.]*,"low":[0-9.]*,"high":[0-9.]*/"ticks_per_pass":{"value":1,"low":1,"high":1/' \
    ci/baseline.jsonl >slower.jsonl
rm new.jsonl
expect_exit 0 sh -c "$(step 2)"
expect_exit 0 sh -c "$(step 3 | sed 's/ci.baseline.jsonl/slower.jsonl/')"

# ---- action.yml and the GitLab template: their check, as the services run it ----
cp "$SOURCE"/examples/ci/checks.lua ci
cat >step.py <<'PYTHON'
import sys, yaml
document = yaml.safe_load(open(sys.argv[1]))
if "runs" in document:
    steps = document["runs"]["steps"]
    assert all("shell" in step for step in steps if "run" in step)
    print(next(step["run"] for step in steps if step["name"] == "Check"))
    print(next(step["run"] for step in steps if step["name"] == "Build"), file=sys.stderr)
else:
    print("\n".join(document[".traumagen"]["script"]))
PYTHON
python3 step.py "$SOURCE/action.yml" >action.sh 2>action.build || fail "action.yml: $(cat action.build)"
python3 step.py "$SOURCE/examples/ci/gitlab-template.yml" >template.sh 2>"$WORK/err" || fail "gitlab-template.yml"
for package in $(tr '\n\\' '  ' <action.build | sed 's/.*install -y --no-install-recommends //; s/ cmake -S.*//'); do
    grep -q -- "$package" "$SOURCE/Containerfile" || fail "Containerfile has no $package"
done
need_program bash
for script in action template; do
    for code in 0 5; do
        mkdir "$script-$code"
        cp -r ci "$script-$code"
        [ $code = 0 ] || cp changed "$script-$code/ci/checks.lua"
        (
            cd "$script-$code"
            RECIPES=ci/checks.lua MACHINE=ci/machine.lua OPTIONS="--filter loads" GITHUB_STEP_SUMMARY=shown
            export RECIPES MACHINE OPTIONS GITHUB_STEP_SUMMARY
            expect_exit $code bash -e ../$script.sh
        )
        grep -q '<testsuites' "$script-$code/traumagen-junit.xml" || fail "$script: no JUnit"
        grep -q '^### Microbenchmarks: 2 points: ' "$script-$code/traumagen-summary.md" || fail "$script: no counts"
        grep -q "ended with $code" "$script-$code/traumagen-summary.md" || fail "$script: no exit code"
    done
done
cmp action-5/shown action-5/traumagen-summary.md || fail "the run's page has another summary"
