# From GPU results to an application's energy breakdown: results in the form of GPU runs, with the energies of the
# 2024 paper, and counts from Nsight Compute (examples/gpu).
. "$SOURCE/tests/e2e/lib.sh"

awk 'BEGIN {
    print "{\"schema\":1,\"kind\":\"context\",\"machine\":{\"name\":\"a100\"},\"benchmarks\":[]}"
    split("SHARED L1 L2 MEM", level); split("82.1 107 368 2090", pj); split("95 110 120 160", watts)
    for (i = 1; i <= 4; i++) for (threads = 256; threads <= 1024; threads *= 4) for (seconds = 4; seconds <= 12; seconds += 4) {
        sectors = 1e10 * watts[i] * seconds / pj[i]
        joules = sectors * pj[i] * 1e-12 * (threads == 1024 ? 1 : 1.5) * 100 + 0.5 + 62 * seconds
        printf "{\"kind\":\"point\",\"recipe\":\"gpu-energy-2024/load\",\"benchmark\":\"load\",\"target\":\"ptx\",\"name\":\"%s%d%d\",", level[i], threads, seconds
        printf "\"program_hash\":\"%d%d%d\",\"point\":{\"level\":\"%s\",\"threads\":%d,\"seconds\":%d},", i, threads, seconds, level[i], threads, seconds
        printf "\"per_pass\":{\"instructions\":64"
        for (j = 1; j <= 4; j++) printf ",\"transfers.%s\":%.17g", level[j], j == i ? sectors : 0
        printf "},\"reps\":["
        for (rep = 0; rep < 3; rep++) printf "%s{\"iterations\":100,\"seconds\":%d,\"energy_j\":{\"m\":%.12g}}", rep ? "," : "", seconds, joules
        printf "],\"power\":{\"from\":[\"m\"],\"power.static_w\":{\"value\":62,\"low\":62,\"high\":62}},\"rates\":{\"served.%s\":", level[i]
        print "{\"observations\":[{\"source\":\"cupti\",\"kind\":\"measured\",\"value\":1}]}}}"
    }
}' >load.jsonl
expect_exit 0 "$TRAUMA" fit access-energy load.jsonl -o gpu.json
for line in "epsilon.SHARED *8.21e-11" "epsilon.L1 *1.07e-10" "epsilon.L2 *3.68e-10" "epsilon.MEM *2.09e-09"; do
    grep -q "$line" out || fail "no '$line': $(cat out)"
done

{
    echo '==PROF== Connected to process 1 (matmul)'
    echo '"ID","Kernel Name","Section Name","Metric Name","Metric Unit","Metric Value"'
    while read -r metric unit value; do
        echo "\"0\",\"multiply\",\"s\",\"$metric\",\"$unit\",\"$value\""
    done <<METRICS
l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum sector 1,000,000,000
l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum sector 100,000,000
lts__t_sectors_op_read.sum sector 900,000,000
lts__t_sectors_op_read_lookup_hit.sum sector 800,000,000
lts__t_sectors_op_write.sum sector 2,000,000
dram__bytes_read.sum byte 3,200,000,000
dram__bytes_write.sum byte 64,000,000
l1tex__data_pipe_lsu_wavefronts_mem_shared.sum "" 2,000,000,000
METRICS
} >counters.csv
# Every metric of the example is one that the counters' file has.
for metric in $(tr ',' ' ' <"$SOURCE/examples/gpu/metrics.txt"); do
    expect_text counters.csv "\"$metric\""
done
printf 'seconds,0.05\nstatic_w,62\nenergy_j,8\n' >whole.csv
expect_exit 0 "$TRAUMA" predict gpu.json counters.csv whole.csv --json
tr -d "\n" <out >one-line.json
part()
{
    for i in 0 1 2 3 4 5; do
        [ "$(json one-line.json "parts/$i/part")" = "$1" ] || continue
        json one-line.json "parts/$i/value" | awk -v wanted="$2" \
            '{ exit !($1 > 0.999 * wanted && $1 < 1.001 * wanted) }' ||
            fail "$1 is $(json one-line.json "parts/$i/value") J instead of $2"
        return 0
    done
    fail "no part $1: $(cat one-line.json)"
}
part SHARED 0.6568
part L1 0.0107
part L2 0.295136
part MEM 0.21318
part static 3.1
part rest 3.724184

# The matrix product of several sizes (figure 9): a file of the profiler and one of the meter make an application.
cp counters.csv 512.ncu.csv
cp whole.csv 512.power.csv
sed 's/"2,000,000,000"/"4,000,000,000"/' counters.csv >1024.ncu.csv
printf 'seconds,0.1\nstatic_w,62\nenergy_j,16\n' >1024.power.csv
expect_exit 0 "$TRAUMA" predict gpu.json --each 512.ncu.csv 1024.ncu.csv 512.power.csv 1024.power.csv
grep -Eq '^512 +0\.6568 +0\.0107 +0\.2951 +0\.2132 +3\.1 +3\.724$' out || fail "512 is another: $(cat out)"
grep -Eq '^1024 +1\.314 +0\.0107 +0\.2951 +0\.2132 +6\.2 +7\.967$' out || fail "1024 is another: $(cat out)"
