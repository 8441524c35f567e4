# Points with the same program are simulated once in a check; a twin with other bytes is simulated itself.
. "$SOURCE/tests/e2e/lib.sh"
need_program valgrind
sources=cachegrind:valgrind
! loads_plugins qemu-x86_64 || sources="$sources qemu:qemu-x86_64"

# Each simulator counts how often it is started; qemu, how often on a program of a suite, which makes MORE passes.
mkdir bin
count_starts()
{
    real=$(command -v "$1") || return 0
    printf '#!/bin/sh\ncase "$*" in %s) echo >>"%s/%s.runs" ;; esac\nexec "%s" "$@"\n' "$2" "$WORK" "$1" "$real" >"bin/$1"
    chmod +x "bin/$1"
}
count_starts valgrind '*'
count_starts qemu-x86_64 '*" +"*'
PATH=$WORK/bin:$PATH
export PATH

# expect_runs PROGRAM COUNT: that many starts since the last call.
expect_runs()
{
    expect_same "$(wc -l <"$WORK/$1.runs")" "$2" "starts of $1"
    rm "$WORK/$1.runs"
}

cat >twins.lua <<'RECIPE'
benchmark {
  name = "twins", target = "x86_64", sweep = { seconds = { 1, 2, 3 } },
  measure = function(p) return { time = p.seconds } end,
  kernel = function() return { load { served_by = { L1 = 1 } }, add { count = 2 } } end,
}
benchmark {
  name = "other", target = "x86_64", kernel = function() return { load { served_by = { L1 = 0.4, L2 = 0.6 } } } end,
}
RECIPE
expect_exit 0 "$TRAUMA" gen twins.lua -m pentium-pro -o suite
cmp "suite/twins/seconds=1/program" "suite/twins/seconds=3/program" || fail "the programs differ"
expect_exit 0 "$TRAUMA" check suite -j 1 --counters cachegrind
expect_same "$(grep -c 'seconds=. .*l1d.miss_rate .* pass (code) .*cachegrind' out)" 3 "twins judged by cachegrind"
expect_runs valgrind 2
if [ "$sources" != cachegrind:valgrind ]; then
    expect_exit 0 "$TRAUMA" check suite -j 1 --counters qemu
    expect_same "$(grep -c 'seconds=. .*l1d.miss_rate .* pass (code) .*qemu' out)" 3 "twins judged by qemu"
    expect_runs qemu-x86_64 2
fi

# With the code of another point, whose rate is not its own.
cp suite/other/default/program "suite/twins/seconds=2/program"
for source in $sources; do
    got=0
    "$TRAUMA" check suite --as-is -j 1 --counters "${source%:*}" >out 2>err || got=$?
    [ $got -ne 0 ] || fail "a changed twin passes"
    expect_same "$(grep -c 'seconds=2 .*l1d.miss_rate .* fail ' out)" 1 "the changed twin by ${source%:*}"
    expect_same "$(grep -c 'seconds=[13] .*l1d.miss_rate .* pass (code) ' out)" 2 "the others by ${source%:*}"
    expect_runs "${source#*:}" 3
done

# wave takes a point's copy of a program as it takes the first.
cat >waves.lua <<'RECIPE'
benchmark { name = "waves", target = "gcn", grid = { blocks = 2, threads = 64 }, sweep = { seconds = { 1, 2, 3 } },
            measure = function(p) return { time = p.seconds } end,
            kernel = function() return { load { served_by = { L2 = 1 } } } end }
RECIPE
expect_exit 0 "$TRAUMA" gen waves.lua -m w9100 -o waves
expect_exit 0 "$TRAUMA" check waves -j 1 --counters wave
expect_same "$(grep -c 'seconds=. .*served.L2 .* pass (code) .*wave' out)" 3 "twins judged by wave"
