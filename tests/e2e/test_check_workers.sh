# check -j: workers make the same observations as a sequential check, in the same order; a killed worker causes an
# error message and exit code 1.
. "$SOURCE/tests/e2e/lib.sh"
need_program valgrind

# As many points as make the workers come round, here and on another machine; a broken program among them.
write_recipe small.lua
sed -i 's/hit = { 0.5, 0.75 }/hit = range(0.2, 0.8, 0.1)/' small.lua
for machine in "" "-m pentium-pro"; do
    for jobs in 1 2 3; do
        # shellcheck disable=SC2086 # no word, or two
        expect_exit 0 "$TRAUMA" check small.lua $machine --counters plan,bytes,cachegrind --json -j $jobs
        mv out "lines.$jobs"
        expect_empty err
    done
    expect_same "$(json lines.1 point | sort -u | wc -l)" 7 "points"
    expect_exit 0 cmp lines.1 lines.2
    expect_exit 0 cmp lines.1 lines.3
done
expect_exit 0 "$TRAUMA" check small.lua -m pentium-pro --counters plan,bytes,cachegrind
mv out table
expect_exit 0 "$TRAUMA" check small.lua -m pentium-pro --counters plan,bytes,cachegrind -j1
mv out table.1
expect_exit 0 cmp table table.1

# Timing goes on beside them, and each point has its own observations.
expect_exit 0 "$TRAUMA" check small.lua --filter 'hit=0.[2-5]$' --counters plan,bytes,timing --json -j2
expect_same "$(grep -c '"source":"timing"' out | sed 's/^[1-9][0-9]*$/some/')" some "lines with timing"
expect_same "$(json out point metric | sort | uniq -d | wc -l)" 0 "lines that come twice"

# A damaged program of a suite is one finding, and the others are judged as before.
expect_exit 0 "$TRAUMA" gen small.lua -m pentium-pro -o suite
rm suite/small/hit=0.4/program.o
for jobs in 1 2; do
    expect_exit 1 "$TRAUMA" check suite --counters plan,bytes,cachegrind --json -j $jobs
    mv out "lines.$jobs"
    expect_text "lines.$jobs" "did not run"
    expect_text err "hit=0.4"
done
expect_exit 0 cmp lines.1 lines.2

# A worker that is killed: the stand-in for Valgrind kills who called it, by way of a process that watches it.
worker='$(cut -d " " -f 4 /proc/$PPID/stat)'
mkdir killing
printf '#!/bin/sh\nkill -9 %s\n' "$worker" >killing/valgrind
chmod +x killing/valgrind
PATH="$WORK/killing:$PATH" expect_exit 1 timeout 600 "$TRAUMA" check small.lua -m pentium-pro -j 2
expect_text err "a worker process ended by signal 9"
expect_text err "small/hit=0.2"
expect_text err "-j 1"

# A check that is killed takes its workers with it.
mkdir waiting
printf '#!/bin/sh\necho %s >>%s/workers\nexec sleep 1000\n' "$worker" "$WORK" >waiting/valgrind
chmod +x waiting/valgrind
PATH="$WORK/waiting:$PATH" "$TRAUMA" check small.lua -m pentium-pro -j 2 >out 2>err </dev/null &
check=$!
tries=0
until [ -s workers ]; do
    tries=$((tries + 1))
    [ $tries -lt 1200 ] || fail "no worker began"
    sleep 0.1
done
kill -9 $check
wait $check 2>err || true
worker=$(head -n 1 workers)
tries=0
while kill -0 "$worker" 2>/dev/null && ! grep -q '^State:.Z' "/proc/$worker/status" 2>/dev/null; do
    tries=$((tries + 1))
    [ $tries -lt 1200 ] || fail "a worker outlived its check"
    sleep 0.1
done

expect_exit 2 "$TRAUMA" check small.lua -j 0
expect_text err "--jobs: expected a whole number"

# Points of one program are observed once, but a program or a manifest that was changed is its own.
cat >shared.lua <<'RECIPE'
benchmark {
  name = "shared", target = "ptx", grid = { blocks = 8, threads = 64 }, sweep = { number = { 1, 2, 3, 4 } },
  kernel = function() return { load { served_by = { L2 = 1 } } } end,
}
RECIPE
expect_exit 0 "$TRAUMA" gen shared.lua -m b200 -o shared
tail -n +2 shared/shared/number=1/program.ptx >one
tail -n +2 shared/shared/number=4/program.ptx | cmp -s - one || fail "the points have different programs"
sed -i 's/ld\.global\.cg/ld.global.ca/' shared/shared/number=2/program.ptx
sed -i 's/"L2": 32768/"L2": 65536/' shared/shared/number=3/manifest.json
for jobs in 1 2; do
    expect_exit 1 "$TRAUMA" check shared --as-is --counters warp -j $jobs
    expect_text err 'shared/number=2: warp: the access has the operator "ca"'
    expect_text err 'shared/number=3: warp: in 4 passes the 8 blocks that were executed make 131072 accesses'
    [ "$(grep -c 'served.L2  *1  pass (code)  warp 1' out)" -eq 2 ] || fail "the others do not pass: $(cat out)"
done
