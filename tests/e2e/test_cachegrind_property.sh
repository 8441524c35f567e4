# Odd geometries and rates in a real cache simulator that gets no information from trauma: L1D misses within 0.001 of
# the recipe, and each of them an L2 hit. The test, not trauma, runs Valgrind.
. "$SOURCE/tests/e2e/lib.sh"
without_sanitizers
need_program valgrind

cat >rates.lua <<'RECIPE'
benchmark {
  name   = "rates",
  sweep  = { miss = { 0.03, 0.37, 0.61, 0.89 }, zip { address = { "independent", "chase" }, dependents = { 2, 1 } } },
  kernel = function(p)
    return {
      load { miss_rate = { L1 = p.miss }, address = p.address },
      add  { count = 2, dependents = p.dependents },
    }
  end,
}
benchmark {
  name   = "none-waits",
  kernel = function() return { load { miss_rate = { L1 = 0.37 } }, add { count = 2, dependents = 0 } } end,
}
RECIPE

# write_machine L1D-SIZE WAYS LINE L2-SIZE WAYS LINE
write_machine()
{
    cat >machine.lua <<MACHINE
machine {
  name = "odd", isa = "x86_64",
  caches = {
    L1I = { size = 32768, ways = 8, line = 64, policy = "lru" },
    L1D = { size = $1, ways = $2, line = $3, policy = "lru" },
    L2  = { size = $4, ways = $5, line = $6, policy = "lru" },
  },
}
MACHINE
}

# simulate PROGRAM ITERATIONS: "reads L1D-misses L2-misses" of a whole run. Without the optimizer, which would drop loads
# whose value nobody reads.
simulate()
{
    valgrind --tool=cachegrind --cache-sim=yes --vex-iropt-level=0 --I1=32768,8,64 "--D1=$d1" "--LL=$ll" \
        --cachegrind-out-file="$2.cg" "$1" "$2" >/dev/null 2>"$WORK/err" || fail "valgrind failed on $1"
    awk '$1 == "events:" { for (i = 2; i <= NF; i++) at[$i] = i }
         $1 == "summary:" { print $at["Dr"], $at["D1mr"], $at["DLmr"] }' "$2.cg"
}

programs=0
while read -r size1 ways1 line1 size2 ways2 line2; do
    write_machine "$size1" "$ways1" "$line1" "$size2" "$ways2" "$line2"
    d1=$size1,$ways1,$line1
    ll=$size2,$ways2,$line2
    expect_exit 0 "$TRAUMA" gen rates.lua -m machine.lua -o suite -q
    for manifest in suite/*/*/manifest.json; do
        program=$(dirname "$manifest")/program
        # Set-up and warm-up drop out of the difference; what is left is a hundred passes.
        simulate "$program" 20 >few
        simulate "$program" 120 >many
        wanted=$(json_document "$manifest" targets/l1d.miss_rate)
        paste -d ' ' few many | awk -v wanted="$wanted" '{
            reads = $4 - $1; misses = $5 - $2
            if (reads <= 0) { print "no reads"; exit 1 }
            off = misses / reads - wanted
            if (off > 0.001 || off < -0.001) { print "L1D miss rate " misses / reads " instead of " wanted; exit 1 }
            if ($6 - $3 > 0.002 * misses) { print $6 - $3 " of " misses " misses are no L2 hits"; exit 1 }
        }' >verdict || fail "$program on D1=$d1 LL=$ll: $(cat verdict)"
        programs=$((programs + 1))
    done
done <<'GEOMETRIES'
1024 1 32 16384 4 32
2048 2 32 65536 8 64
4096 1 64 65536 16 64
8192 2 32 262144 4 32
12288 3 64 262144 8 64
16384 4 64 2097152 16 64
20480 5 32 327680 5 32
24576 6 64 524288 8 64
28672 7 64 1048576 16 64
32768 8 64 524288 8 128
49152 12 64 1048576 16 64
65536 16 128 4194304 8 128
GEOMETRIES
expect_same "$programs" 108 "programs simulated"
