# Energy per instruction, with a made-up chip whose energy goes by the processor time of what runs: an instruction of a third
# of the rate takes three times the energy. Without a sensor, one line says so.
. "$SOURCE/tests/e2e/lib.sh"

case $(uname -m) in
x86_64) ;;
*) skip "the instructions here are of x86-64" ;;
esac
mkdir empty
expect_exit 0 "$TRAUMA" measure instruction 'imul {r0}, {r1}' --sysfs-root empty
expect_text out "no energy per instruction:"
expect_exit 0 "$TRAUMA" measure instruction 'imul {r0}, {r1}' --power none
expect_text out "no energy per instruction:"

mkdir -p tree/sys/class/powercap/intel-rapl:0
echo package-0 >tree/sys/class/powercap/intel-rapl:0/name
echo 262143328850 >tree/sys/class/powercap/intel-rapl:0/max_energy_range_uj
echo 1000000 >tree/sys/class/powercap/intel-rapl:0/energy_uj
LD_PRELOAD=$BURNING_CHIP ASAN_OPTIONS=verify_asan_link_order=0 "$TRAUMA" measure instruction 'imul {r0}, {r1}' \
    'vdivpd {y0}, {y1}, {y2}' --sysfs-root tree -o results.jsonl >"$WORK/out" 2>err || fail "$(cat err)"
expect_text out "energy per instruction"
grep -Eq '^imul .* [0-9.]+ [pnu]J .*\[[0-9.]+, [0-9.]+\] [pnu]J' out || fail "no joules: $(cat out)"

# 40 W of work: the joules per instruction are 40 divided by instructions per second of processor time, which the rate in
# cycles gives, too; so both instructions' joules are as their rates are.
sed 1d results.jsonl >points
"$JSON_LINES" points rates/insn.energy_j/observations/0/value rates/insn.per_cycle/observations/0/value >found
awk -F'\t' '{ product[NR] = $1 * $2; joules = joules " " $1 }
    END { ratio = product[1] / product[2]; exit !(NR == 2 && $1 > 0 && ratio > 0.6 && ratio < 1.7) }' found ||
    fail "joules and instructions per cycle: $(cat found)"
expect_exit 0 "$TRAUMA" export results.jsonl -o table.csv
grep -q 'insn.energy_j' table.csv || fail "the exported table has no energy"
expect_exit 0 "$TRAUMA" list --metrics
expect_text out "insn.energy_j"
