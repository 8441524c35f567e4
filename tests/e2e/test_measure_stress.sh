# The mix that stresses most: by IPC and vector width without a sensor, by power with a mock one.
. "$SOURCE/tests/e2e/lib.sh"
few="--set reach=none,L1 --set fma=2 --reps 1 --time 0.005"
mkdir empty
got=0
"$TRAUMA" measure stress --threads 1 $few --sysfs-root empty >out 2>err || got=$?
grep -q "Operation not permitted\|sandbox" err && skip "$(cat err)"
[ "$got" -eq 0 ] || fail "exit code $got: $(cat err)"
cp out "$WORK/out" 2>/dev/null || true
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

# With a sensor power decides. The made-up one draws more and more, so that each mix has a power of its own: rows fall by it, and
# the sentence names the first.
mkdir -p tree/sys/class/powercap/intel-rapl:0
echo package-0 >tree/sys/class/powercap/intel-rapl:0/name
echo 262143328850 >tree/sys/class/powercap/intel-rapl:0/max_energy_range_uj
echo 1000000 >tree/sys/class/powercap/intel-rapl:0/energy_uj
"$TRAUMA" measure stress --threads 1 --set reach=none --set fma=2,4 --reps 3 --time 0.2 --sysfs-root tree >powered 2>err &
child=$!
energy=1000000
step=100000
while kill -0 $child 2>/dev/null; do
    energy=$((energy + step))
    step=$((step + 1000))
    echo $energy >tree/new
    mv tree/new tree/sys/class/powercap/intel-rapl:0/energy_uj
    sleep 0.01
done
wait $child || fail "the run failed: $(cat err)"
grep -q "by dynamic power" powered || fail "power does not decide: $(cat powered)"
grep -q " W \[" powered || fail "no watts: $(cat powered)"
sed -n '2,/^$/p' powered | sed -n 's/^\([^ ]*\) *\([0-9]*\) *\([0-9]*\) *\(-\{0,1\}[0-9.]*\) W .*/\4 reach=\1 --set fma=\2 --set width=\3B/p' >rows
[ "$(wc -l <rows)" -ge 2 ] || fail "no rows of watts: $(cat powered)"
awk 'NR > 1 && $1 > before { exit 1 } { before = $1 }' rows || fail "rows out of order: $(cat powered)"
grep -qF -e "$(sed -n '1s/^[^ ]* //p' rows)" powered || fail "the first row is not the one to run: $(cat powered)"
