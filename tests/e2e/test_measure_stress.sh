# The mix that stresses most: by IPC and vector width without a sensor, by power with a mock one.
. "$SOURCE/tests/e2e/lib.sh"
without_sanitizers
few="--set reach=none,L1 --set fma=2 --reps 1 --time 0.005"
mkdir empty
got=0
"$TRAUMA" measure stress --threads 1 $few --sysfs-root empty >out 2>err || got=$?
grep -q "Operation not permitted\|sandbox" err && skip "$(cat err)"
[ "$got" -eq 0 ] || fail "exit code $got: $(cat err)"
cp out "$WORK/out" 2>/dev/null || true
without=$(grep -c 'as no power sensor was read' out || true)
if grep -q "stresses the most" out; then
    grep -q "by IPC and vector width, as no power sensor was read" out || fail "it does not say by what: $(cat out)"
    # The rows fall by the last column, and the sentence names the first.
    sed -n '2,/^$/p' out | awk 'NF { if (NR > 1 && $NF > before) exit 1; before = $NF }' || fail "rows out of order: $(cat out)"
    first=$(sed -n 2p out | awk '{ print "reach=" $1 " --set fma=" $2 " --set width=" $3 "B" }')
    expect_text out "$first"
    # The command works as it stands.
    command=$(sed -n 's/^to run it: trauma \(.*\) --reps.*/\1/p' out)
    expect_exit 0 "$TRAUMA" $command --reps 1 --time 0.005 --counters plan --sysfs-root empty -o again.jsonl
else
    grep -q "left out: neither power nor IPC" out || fail "no word about IPC: $(cat out)"
fi

# A sensor that stands still decides nothing, and the rows are as they were.
mkdir -p tree/sys/class/powercap/intel-rapl:0
echo psys >tree/sys/class/powercap/intel-rapl:0/name
echo 262143328850 >tree/sys/class/powercap/intel-rapl:0/max_energy_range_uj
echo 0 >tree/sys/class/powercap/intel-rapl:0/energy_uj
expect_exit 0 "$TRAUMA" measure stress --threads 1 $few --sysfs-root tree
expect_same "$(grep -c 'by dynamic power' out)" 0 "winners by the power of a dead sensor"
expect_same "$(grep -c 'as no power sensor was read' out)" "$without" "winners without a sensor"
expect_text err "did not change"

# With a sensor power decides. The made-up chip draws 40 W for a program's work: rows fall by it, and the sentence names the first.
# Those whose power is in doubt stand behind them in no order of its.
LD_PRELOAD=$BURNING_CHIP ASAN_OPTIONS=verify_asan_link_order=0 "$TRAUMA" measure stress --threads 1 --set reach=none \
    --set fma=2,4 --reps 3 --time 0.2 --sysfs-root tree >powered 2>err || fail "the run failed: $(cat err)"
grep -q "by dynamic power" powered || unless_busy "power does not decide: $(cat powered)"
grep -q "dynamic power, W" powered || fail "no watts: $(cat powered)"
sed -n '2,/^$/p' powered | sed '/\] ?/d' | sed -n 's/^\([^ ]*\) *\([0-9]*\) *\([0-9]*\) *\(-\{0,1\}[0-9.]*\) .*/\4 reach=\1 --set fma=\2 --set width=\3B/p' >rows
[ "$(wc -l <rows)" -ge 2 ] || fail "no rows of watts: $(cat powered)"
awk 'NR > 1 && $1 > before { exit 1 } { before = $1 }' rows || fail "rows out of order: $(cat powered)"
grep -qF -e "$(sed -n '1s/^[^ ]* //p' rows)" powered || fail "the first row is not the one to run: $(cat powered)"
