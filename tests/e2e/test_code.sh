# code{}: the lines of code that a pass enters, and those that miss L1I, in a real cache simulator that gets no
# information from trauma, alone and beside everything else that a unit may contain. The test, not trauma, runs
# Valgrind.
. "$SOURCE/tests/e2e/lib.sh"
without_sanitizers
need_program valgrind

cat >code.lua <<'RECIPE'
benchmark {
  name   = "alone",
  sweep  = { miss = { 0, 0.004, 0.03, 0.37, 0.5, 0.89, 1 } },
  kernel = function(p) return { add { count = 3 }, code { served_by = { L1I = 1 - p.miss, L2 = p.miss } } } end,
}
benchmark {
  name   = "mixed",
  sweep  = { miss = { 0.07, 0.6 } },
  kernel = function(p)
    return {
      load   { miss_rate = { L1 = 0.25 } },
      xor    { count = 9, dependents = 2 },
      code   { served_by = { L1I = 1 - p.miss, L2 = p.miss } },
      branch { accuracy = 0.9 },
      store  { served_by = { L1 = 1 } },
    }
  end,
}
benchmark {
  name   = "long",
  kernel = function() return { add { count = 70 }, code { served_by = { L1I = 0.6, L2 = 0.4 } }, mul { count = 2 } } end,
}
RECIPE

# simulate PROGRAM ITERATIONS L1I: "instructions L1I-misses L2-code-misses" of a whole run.
simulate()
{
    valgrind --tool=cachegrind --cache-sim=yes --vex-iropt-level=0 "--I1=$3" "--D1=8192,2,32" "--LL=$ll" \
        --cachegrind-out-file="$2.cg" "$1" "$2" >/dev/null 2>"$WORK/err" || fail "valgrind failed on $1"
    awk '$1 == "events:" { for (i = 2; i <= NF; i++) at[$i] = i }
         $1 == "summary:" { print $at["Ir"], $at["I1mr"], $at["ILmr"] }' "$2.cg"
}

programs=0
while read -r size1 ways1 line1 size2 ways2 line2; do
    cat >machine.lua <<MACHINE
machine {
  name = "odd", isa = "x86_64",
  caches = {
    L1I = { size = $size1, ways = $ways1, line = $line1, policy = "lru" },
    L1D = { size = 8192, ways = 2, line = 32, policy = "lru" },
    L2  = { size = $size2, ways = $ways2, line = $line2, policy = "lru" },
  },
}
MACHINE
    ll=$size2,$ways2,$line2
    expect_exit 0 "$TRAUMA" gen code.lua -m machine.lua -o suite -q
    for manifest in suite/*/*/manifest.json; do
        program=$(dirname "$manifest")/program
        # A hundred passes, and the first ones as long: set-up and warm-up drop out.
        simulate "$program" 120 "$size1,$ways1,$line1" >few
        simulate "$program" 220 "$size1,$ways1,$line1" >many
        wanted=$(json_document "$manifest" targets/l1i.miss_rate)
        lines=$(json_document "$manifest" code_lines_entered)
        instructions=$(json_document "$manifest" instructions)
        paste -d ' ' few many | awk -v wanted="$wanted" -v lines="$lines" -v instructions="$instructions" '{
            if ($4 - $1 != 100 * instructions) { print ($4 - $1) / 100 " instructions, not " instructions; exit 1 }
            off = ($5 - $2) / (100 * lines) - wanted
            if (off > 0.001 || off < -0.001) { print "rate " ($5 - $2) / (100 * lines) " instead of " wanted; exit 1 }
            if ($6 != $3) { print $6 - $3 " lines came from beyond L2"; exit 1 }
        }' >verdict || fail "$program on I1=$size1,$ways1,$line1 LL=$ll: $(cat verdict)"
        programs=$((programs + 1))
    done
done <<'GEOMETRIES'
2048 4 32 65536 8 64
4096 1 64 131072 4 32
16384 16 128 262144 16 64
65536 2 64 1048576 16 128
GEOMETRIES
expect_same "$programs" 40 "programs simulated"

# The lines entered, counted: in a cache of two lines only a line that comes back after one other is a hit.
program=suite/alone/miss=0.5
simulate $program/program 120 128,1,64 >few
simulate $program/program 220 128,1,64 >many
lines=$(json_document $program/manifest.json code_lines_entered)
paste -d ' ' few many | awk -v lines="$lines" '{ n = ($5 - $2) / 100; exit !(n <= lines && n > 0.7 * lines) }' ||
    fail "the passes do not enter $lines lines each"

# trauma's own verdict, with the other rates.
expect_exit 0 "$TRAUMA" check code.lua -m pentium-pro --counters cachegrind,bytes --strict --json
json "$WORK/out" metric verdict >verdicts
expect_same "$(grep -c '^l1i.miss_rate	pass' verdicts)" 10 "L1I rates on pentium-pro"
expect_same "$(grep -c '^l1d.miss_rate	pass' verdicts)" 2 "L1D rates beside them"
expect_same "$(grep -c '^branch.miss_rate	pass' verdicts)" 2 "branch rates beside them"
expect_same "$(grep -c '^mix.code	pass' verdicts)" 10 "shares of jumps"

expect_exit 0 "$TRAUMA" explain code.lua -m pentium-pro --point miss=0.004
expect_text out "they miss in"
expect_exit 0 "$TRAUMA" explain code.lua -m pentium-pro --point miss=0.37
expect_text out "miss L1I in every pass"

# As an object in a harness of one's own: the loop is found through the object's symbols alone.
expect_exit 0 "$TRAUMA" gen code.lua -m pentium-pro --filter alone/miss=0.37 -o one
cc -I one "$SOURCE/examples/harness.c" one/alone/miss=0.37/program.o -o harness 2>"$WORK/err" || fail "harness"
expect_exit 0 ./harness

# What cannot be is refused with the nearest that can.
cat >wrong.lua <<'RECIPE'
benchmark {
  name = "few", loop = { units = 2 },
  kernel = function() return { nop {}, code { served_by = { L1I = 0.5, L2 = 0.5 } } } end,
}
RECIPE
expect_exit 3 "$TRAUMA" gen wrong.lua -m pentium-pro -o never
expect_text err "an L1I miss rate of 0.5 cannot be reached with the"
expect_text err "nearest reachable L1I miss rate is 0.25"
sed -i 's/units = 2/units = 900/; s/L1I = 0.5, L2 = 0.5/L1I = 0.9, L2 = 0.1/' wrong.lua
expect_exit 3 "$TRAUMA" gen wrong.lua -m pentium-pro -o never
expect_text err "do not fit in L1I (8KiB, 4-way)"
[ ! -e never ] || fail "a suite was written for a rate that cannot be"

# Misses of a unit: as many, whatever lines of code the loop has.
cat >misses.lua <<'LUA'
benchmark { name = "misses", sweep = { misses = { 0, 0.3, 3, 17 } }, kernel = function(p)
  return { code { misses = p.misses, count = 18 }, load { served_by = { L1 = 0.75, MEM = 0.25 }, count = 20 },
           add { count = 60 }, branch { accuracy = 0.9, count = 6 } }
end }
LUA
for way in x86_64:skylake-sp aarch64:cortex-a72 riscv64:sifive-u74; do
    isa=${way%%:*} machine=${way#*:}
    expect_exit 0 "$TRAUMA" gen misses.lua -m $machine -o "misses-$isa" -q
    for point in misses-$isa/misses/*; do
        json_document "$point/manifest.json" code_lines_entered units targets/l1i.miss_rate >seen
        awk -v misses="${point##*=}" '{ off = $1 * $3 / $2 - misses; if (NF != 3 || off < -1e-4 || off > 1e-4) exit 1 }' seen ||
            fail "$point: $(cat seen)"
    done
    ! loads_plugins "qemu-$isa" || expect_exit 0 "$TRAUMA" check misses-$isa --counters qemu
done

# What is wrong is named at its line.
while IFS='|' read -r code message; do
    printf 'benchmark { name = "b", kernel = function()\n  return { %s } end }\n' "$code" >bad.lua
    expect_exit 3 "$TRAUMA" gen bad.lua -m pentium-pro -o never
    expect_text err "$message"
done <<'ROWS'
code {}|bad.lua:2: b/default: code does not state where it is served from
code { serve_by = { L1I = 1 } }|did you mean 'served_by'?
code { served_by = 1 }|code.served_by is 1: expected a table of levels
code { served_by = { L1I = 0.5 } }|code.served_by sums to 0.5
code { served_by = { L1I = 2, L2 = -1 } }|code.served_by.L1I is 2: a share lies between 0 and 1
code { served_by = { L1 = 1 } }|the first level for code is L1I
code { served_by = { L1I = 0.5, L3 = 0.5 } }|code.served_by.L3 is 0.5: the code of a loop stays in L2
code { served_by = { L1I = 0.5, l2 = 0.5 } }|code.served_by has no level 'l2'
code { served_by = { L1I = 1 }, count = 0 }|code.count is 0
code { served_by = { L1I = 1 } }, code { served_by = { L2 = 1 } }|kernel[2]: code.served_by has L2 = 1 where another code{} has 0
code { misses = 2 }, code { served_by = { L2 = 1 } }|kernel[2]: code.served_by has L2 = 1 where another code{} has misses is 2
code { misses = 2 }, code { misses = 3 }|kernel[2]: code.misses is 3 where another code{} has 2
code { misses = 1, served_by = { L2 = 1 } }|code states both served_by and misses
code { misses = -1 }|code.misses is -1: expected
code { misses = 5000 }|code.misses is 5000 per unit, and
code { served_by = { L2 = 1 } }, branch { accuracy = 0.9, kind = "indirect" }|indirect branches need their code twice in L1I
code { served_by = { L1I = 1 } }, asm { x86_64 = "nop" }|without asm{} in the unit
ROWS
