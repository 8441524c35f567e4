# Results of the programs and mixtures of data-movement-2013. For tests that source lib.sh first.

# write_incremental FILE: one pass a repetition of each program, with the costs of Kestor et al. 2013, table II, over 259 W.
# name, nJ a pass, operations, of which nops, adds, loads; the level that serves these; stalls; nJ as in the table.
write_incremental()
{
    awk '
    BEGIN {
        print "{\"schema\":1,\"kind\":\"context\",\"machine\":{\"name\":\"interlagos\",\"issue_width\":4,\"ports\":{\"load\":2}," \
              "\"latency\":{\"L1D\":4},\"caches\":{\"L3\":{}}},\"benchmarks\":[]}"
    }
    function rate(name, value) {
        return sprintf("\"%s\":{\"observations\":[{\"source\":\"perf\",\"kind\":\"measured\",\"value\":%g}]}", name, value)
    }
    {
        joules = 259 * 2 + $3 * 100
        printf "{\"kind\":\"point\",\"recipe\":\"data-movement-2013/%ss\",\"benchmark\":\"%ss\",\"point\":{\"%s\":\"%s\"},", $1, $1, $1, $2
        printf "\"name\":\"%s=%s\",\"program_hash\":\"%d\",\"per_pass\":{\"instructions\":1000,\"loads\":%d,\"stores\":0},", $1, $2, NR, $6
        printf "\"reps\":["
        for (i = 0; i < 3; i++)
            printf "%s{\"iterations\":100000000000,\"seconds\":2,\"energy_j\":{\"m\":%.9f}}", i ? "," : "", joules
        printf "],\"power\":{\"from\":[\"m\"],\"power.static_w\":{\"value\":259,\"low\":259,\"high\":259}},"
        printf "\"counters\":{\"stall_cycles\":{\"value\":%d,\"low\":%d,\"high\":%d}},\"rates\":{%s,%s%s}}\n", $8, $8, $8,
               rate("mix.nop", $4 / 1000), rate("mix.add", $5 / 1000), $6 ? "," rate("served." $7, 1) : ""
    }' >"$1" <<END
program MB_NOP 480 1000 0 0 - 0
program MB_iADD 640 0 1000 0 - 0
program MB_L1asm 1110 0 0 1000 L1 0
program MB_L1 6232.5 0 0 1000 L1 3000
program MB_L2 29380 0 0 1000 L2 19000
program MB_L3 79870 0 0 1000 L3 49000
program MB_MEM 205210 0 0 1000 MEM 99000
program MB_MEM64 110840 0 0 1000 MEM 32000
mixture L1+NOP 3109.5 500 0 500 L1 1500
mixture NOP+ADD 560 500 500 0 - 0
END
}
