# A run killed at any moment continues with --resume: every point once, no broken line.
. "$SOURCE/tests/e2e/lib.sh"

write_recipe small.lua
sed -i 's/hit = { [^}]* }/hit = range(0.05, 0.6, 0.05)/' small.lua
expect_exit 0 "$TRAUMA" gen small.lua -m pentium-pro -o suite
points=12

run()
{
    exec "$TRAUMA" run suite -o results.jsonl --resume --time 0.01 --reps 2 --counters bytes,plan
}

# Moments from a fixed seed; some kills come before the first line, some in mid-point.
for moment in $(awk 'BEGIN { srand(7); for (i = 0; i < 8; i++) printf "%.3f ", 0.03 + 0.25 * rand() }'); do
    (run) >/dev/null 2>&1 &
    child=$!
    sleep "$moment"
    kill -9 "$child" 2>/dev/null || true
    wait "$child" 2>/dev/null || true
    [ -e results.jsonl ] || continue
    # All lines but a last one without its end are whole.
    lines=$(tr -cd '\n' <results.jsonl | wc -c)
    head -n "$lines" results.jsonl >whole
    json whole kind >/dev/null
done
expect_exit 0 "$TRAUMA" run suite -o results.jsonl --resume --time 0.01 --reps 2 --counters bytes,plan
expect_same "$(json results.jsonl kind | grep -cx context)" 1 "context lines"
expect_same "$(json results.jsonl name | tail -n +2 | wc -l)" "$points" "lines of points"
expect_same "$(json results.jsonl name | tail -n +2 | sort -u | wc -l)" "$points" "points"

# Ctrl-C ends it by the signal and says how to go on; --quiet says nothing.
cat >interrupt.py <<'PYTHON'
import os, signal, subprocess, sys
# A shell lets what it starts in the background ignore the signal, and so all that this starts.
signal.signal(signal.SIGINT, signal.default_int_handler)
run = subprocess.Popen(sys.argv[2:], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
while run.poll() is None and not (os.path.exists(sys.argv[1]) and os.path.getsize(sys.argv[1])):
    pass
run.send_signal(signal.SIGINT)
said = run.communicate()[1]
assert run.returncode == -signal.SIGINT, (run.returncode, said)
print(said)
PYTHON
expect_exit 0 python3 interrupt.py long.jsonl "$TRAUMA" run suite -o long.jsonl --time 5 --counters bytes,plan
expect_text out "trauma: interrupted: long.jsonl has the points that were finished; the same command with --resume takes the others"
expect_exit 0 python3 interrupt.py quiet.jsonl "$TRAUMA" run suite -o quiet.jsonl --time 5 --counters bytes,plan -q
expect_no_text out "interrupted"

# What was begun as something else is refused, and the file stays as it is.
cp results.jsonl before
quick="--time 0.01 --reps 2 --counters bytes,plan -o results.jsonl --resume"
refused()
{
    wanted_text=$1
    shift
    expect_exit 2 "$TRAUMA" run "$@" $quick
    expect_text err "$wanted_text"
    cmp -s results.jsonl before || fail "a refused run wrote into the file: $*"
}
sed 's/"small"/"other"/' small.lua >other.lua
refused "was started without the benchmark other of other.lua" other.lua -m pentium-pro
expect_exit 0 "$TRAUMA" gen small.lua -m pentium-pro --seed 2 -o seed2
refused "was started with another seed" seed2
expect_exit 0 "$TRAUMA" gen small.lua -m interlagos -o machine2
refused "was started with another machine" machine2
refused "was started with another shard" suite --shard 1/2
sed 's/dependents = 1/dependents = 1, count = 2/' small.lua >changed.lua
mv small.lua kept.lua
mv changed.lua small.lua
refused " from another program" small.lua -m pentium-pro
mv kept.lua small.lua
sed -i '/name   = "small"/s/$/ plot = { x = "hit", y = "ipc" },/' small.lua
refused "had another plot or fit" small.lua -m pentium-pro

