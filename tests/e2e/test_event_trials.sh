# trauma events: counts made elsewhere, as a table and as perf writes them, with 200 lies and 200 honest events by the
# suite's own manifests; the table, the page and the corrected file, which the source perf reads; refusals.
. "$SOURCE/tests/e2e/lib.sh"
without_sanitizers
need_program python3
cd "$WORK"
XDG_CONFIG_HOME=$WORK/config
export XDG_CONFIG_HOME

# expect_row FILE PATTERN: a line has it.
expect_row()
{
    grep -q -e "$2" "$1" || fail "no line of $1 has '$2': $(cat "$1")"
}

# Lies and honest events of three machines.
plain_program
for machine in skylake-sp neoverse-n1 sifive-u74; do
    "$PLAIN" gen events -m $machine -q -o $machine
    set -- $(python3 "$SOURCE/tests/e2e/event_lies.py" "$PLAIN" $machine "$WORK" lies 0 2>"$WORK/err")
    [ "$1" -ge 198 ] || fail "$1 of 200 lies of $machine are found"
    expect_same "$2" 5 "exit code of lies"
    set -- $(python3 "$SOURCE/tests/e2e/event_lies.py" "$PLAIN" $machine "$WORK" honest 1000 2>"$WORK/err")
    [ "$1" -ge 198 ] || fail "$1 of 200 honest events of $machine are acquitted"
done

# One event of each kind, by the names of the machine's own events.
cat >events.py <<'END'
import glob, json, os
names = {"branches": {"branches": 0.5}, "l1d_load_misses": {"l2.misses": 1}, "r0151": {"l1d.load_misses": 1}, "instructions": {"instructions": 1},
         "stores": {}, "nothing_claimed": {"loads": 1}}
print("program,event,passes,count")
for path in sorted(glob.glob("skylake-sp/*/*/manifest.json")):
    manifest = json.load(open(path))
    counts = manifest["counts"]
    name = manifest["benchmark"] + "/" + manifest["point"]
    for event, per in names.items():
        for passes in 1000, 21000:
            each = sum(factor * counts.get(quantity, 0) for quantity, factor in per.items())
            print(f"{name},{event},{passes},{round(each * passes) + 77}")  # no quotes: a point's name has commas
            folder = os.path.join("perf", name)
            os.makedirs(folder, exist_ok=True)
            with open(os.path.join(folder, f"{passes}.csv"), "a") as file:
                file.write(f"{round(each * passes) + 77},,{event}:u,1000,100.00,,\n")
print("level/none,broken")
END
python3 events.py >all.csv
grep -v broken all.csv >counts.csv
expect_exit 5 "$TRAUMA" events --suite skylake-sp --counts counts.csv
expect_row out 'instructions  *instructions  *exact  *1 '
expect_row out 'branches  *branches  *scaled  *0.5 '
expect_row out 'l1d_load_misses  *l1d.load_misses  *other  *1 .* l2.misses'
expect_row out 'stores  *stores  *dead'
expect_row out 'nothing_claimed  *-  *exact  *1 .* loads'
expect_row out 'condition number 1[0-9]'
cp out table
expect_exit 5 "$TRAUMA" events --suite skylake-sp --counts perf
expect_same "$(sort out)" "$(sort table)" "a folder of what perf wrote"
expect_exit 0 "$TRAUMA" events --suite skylake-sp --counts counts.csv --json instructions
grep -q '^{"event":"instructions","claims":"instructions","verdict":"exact","counts":\[{"quantity":"instructions","per":' out || fail "no line of JSON"
code=0
"$TRAUMA" events instructions >out 2>err || code=$?
case $code in
0 | 5) ;;                         # counted here
4) expect_text err 'events.sh' ;; # how to count elsewhere
*) fail "exit code $code of a trial here" ;;
esac

# Claims of the user's own.
printf '# mine\nnothing_claimed = loads\nstores = loads\ngone = loads\n' >claims.txt
expect_exit 5 "$TRAUMA" events --suite skylake-sp --counts counts.csv --claims claims.txt
expect_row out 'nothing_claimed  *loads  *exact'
expect_row out 'branches  *-  *scaled'
expect_row out 'gone  *loads  *unavailable'
printf 'stores = lods\n' >claims.txt
expect_exit 2 "$TRAUMA" events --suite skylake-sp --counts counts.csv --claims claims.txt
expect_row err "claims.txt:1: .*loads"

# What is wrong is refused at its line.
expect_exit 2 "$TRAUMA" events --suite skylake-sp --counts all.csv
expect_row err 'all.csv:[0-9]*: '
printf 'program,event,passes,count\nlevel/none,x,1000,5\n' >other.csv
expect_exit 2 "$TRAUMA" events --suite skylake-sp --counts other.csv
expect_text err 'has no program "level/none"'
echo 'program,event,passes,count' >none.csv
expect_exit 2 "$TRAUMA" events --suite skylake-sp --counts none.csv
expect_text err "none.csv has no count of an event"
expect_exit 2 "$TRAUMA" events --counts counts.csv
expect_exit 2 "$TRAUMA" events --suite skylake-sp

# The corrected file takes precedence in the tables of its processors: what failed is counted otherwise, or not at all.
mkdir -p config/traumagen/events
expect_exit 5 "$TRAUMA" events --suite skylake-sp --counts counts.csv -o config/traumagen/events/trial.txt
expect_row config/traumagen/events/trial.txt '^none branches: on trial it was scaled'
expect_row config/traumagen/events/trial.txt '^count branches = 2 \* branches_counted'
expect_row config/traumagen/events/trial.txt '^metric branch.miss_rate = branch_misses / branches'
expect_row config/traumagen/events/trial.txt '^none l1d_load_misses: .*l2.misses, not l1d.load_misses; r0151 counts that'
expect_exit 0 "$TRAUMA" sensors --events
if command -v gnuplot >/dev/null; then
    expect_exit 5 "$TRAUMA" events --suite skylake-sp --counts counts.csv -o trial.html --figure trial.svg
    grep -q '<td class="verdict fail">other</td>' trial.html || fail "the page has no verdict"
    grep -q 'l2.misses' trial.svg || fail "the picture has no quantity"
fi

# GPUs: accesses by level, as their manifests have them, from programs that are shipped.
for machine in h100 w9100; do
    "$PLAIN" gen gpu-events -m $machine -q -o $machine
    python3 - $machine >gpu.csv <<'END'
import glob, json, sys
print("program,event,passes,count")
for path in sorted(glob.glob(sys.argv[1] + "/*/*/manifest.json")):
    manifest = json.load(open(path))
    for passes in 100, 300:
        count = round(manifest["transfers"].get("L2", 0) * passes * 4) + 12
        print(f'"{manifest["benchmark"]}/{manifest["point"]}",sectors,{passes},{count}')
END
    printf 'sectors = transfers.L2\n' >claims.txt
    expect_exit 5 "$TRAUMA" events --suite $machine --counts gpu.csv --claims claims.txt
    expect_row out 'sectors  *transfers.L2  *scaled  *4 '
done
