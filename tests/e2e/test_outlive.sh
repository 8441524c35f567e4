# Whatever a program or tool starts ends with it or with the command, however that ends; impossible measurements fail
# the point.
. "$SOURCE/tests/e2e/lib.sh"

write_recipe small.lua
expect_exit 0 "$TRAUMA" gen small.lua -m pentium-pro --filter hit=0.5 -o suite
cp "$STRAY" suite/small/hit=0.5/program
run="$TRAUMA run suite --counters bytes --power none --reps 1 --time 0.01"

# wait_for_file FILE: until it has a line.
wait_for_file()
{
    attempt=0
    until [ -s "$1" ] && [ "$(wc -l <"$1")" -ge 1 ]; do
        attempt=$((attempt + 1))
        [ $attempt -lt 1200 ] || fail "nothing in $1 after 120 s"
        sleep 0.1
    done
}

# is_running PID: a zombie is not, as only its parent can take it away.
is_running()
{
    [ -e "/proc/$1/stat" ] && ! grep -q ') Z ' "/proc/$1/stat" 2>/dev/null
}

# gone PID WORDS...: it ends within a minute.
gone()
{
    pid=$1
    shift
    attempt=0
    while is_running "$pid"; do
        attempt=$((attempt + 1))
        [ $attempt -lt 600 ] || { kill -KILL "$pid"; fail "process $pid outlives $*"; }
        sleep 0.1
    done
}

# refused SAYS TEXT: the point of a program that says so ends with the text.
refused()
{
    rm -f results.jsonl
    expect_exit 1 env STRAY_SAYS="$1" $run -o results.jsonl
    json results.jsonl error | grep -qF -e "$2" || fail "of '$1' the results do not say '$2': $(json results.jsonl error)"
}
refused '{"iterations":%s,"ticks":0}' 'iterations took 0 ticks'
refused '{"iterations":%s,"ticks":-5}' 'expected whole numbers of 0 and more'
refused '{"iterations":%s,"ticks":1.5}' 'expected whole numbers of 0 and more'
refused '{"iterations":%s,"ticks":NaN}' 'is not JSON'
refused '{"iterations":%s,"ticks":1e999}' 'real number overflow'
refused '{"iterations":%s,"ticks":9000000000000000000}' 'no clock ticks as often'
refused '{"iterations":7,"ticks":7000}' 'made 7 iterations; 0 were requested'
refused '{"iterations":%s,"ticks":5000,"start":-3}' 'expected whole numbers of 0 and more'

# A program that ends and leaves another: the point says so, and that one is ended.
expect_exit 1 env STRAY_SAYS='{"iterations":%s,"ticks":5000}' STRAY_FILE="$WORK/left" $run -o left.jsonl
wait_for_file left
left=$(json left.jsonl error | sed -n 's/.*left process \([0-9]*\) (.*/\1/p')
[ -n "$left" ] || fail "the results do not say what was left: $(json left.jsonl error)"
is_running "$left" && fail "process $left outlives its point"
is_running "$(cat left)" && fail "process $(cat left), which was left before, outlives the point"

# killed SIGNAL group|one COMMAND...: the command is sent the signal when the file "left" is there; what wrote it is gone.
killed()
{
    signal=$1
    whom=$2
    shift 2
    rm -f left killed.jsonl
    "$STRAY" launch "$@" >out 2>err </dev/null &
    child=$!
    wait_for_file left
    left=$(cat left)
    is_running "$left" || fail "nothing was left to outlive it: $*"
    if [ "$whom" = group ]; then
        kill "-$signal" "-$child"
    else
        kill "-$signal" "$child"
    fi
    wait $child 2>/dev/null || true
    gone "$left" "a command that $whom was sent SIG$signal: $*"
}
for signal in KILL INT TERM; do
    killed $signal one env STRAY_STAYS=1 STRAY_FILE="$WORK/left" $run -o killed.jsonl
done
killed KILL group env STRAY_STAYS=1 STRAY_FILE="$WORK/left" $run -o killed.jsonl

# Tools, too: of check, whose workers ask them, and of plot.
mkdir tools
cat >tools/valgrind <<TOOL
#!/bin/sh
exec env STRAY_STAYS=1 STRAY_FILE="$WORK/left" "$STRAY"
TOOL
chmod +x tools/valgrind
cp tools/valgrind tools/gnuplot
expect_exit 0 "$TRAUMA" gen small.lua -m pentium-pro -o two
for jobs in 1 2; do
    killed KILL one env PATH="$WORK/tools:$PATH" "$TRAUMA" check two --counters cachegrind -j $jobs
    killed INT group env PATH="$WORK/tools:$PATH" "$TRAUMA" check two --counters cachegrind -j $jobs
done

# And what a GPU's driver has started.
libraries=$(dirname "$JSON_LINES")
[ -f "$libraries/libfake_cuda.so" ] || skip "the made-up GPU is not built; all else passed"
cat >gpu.lua <<'RECIPE'
benchmark { name = "gpu", target = "ptx", grid = { blocks = 8, threads = 128 },
  kernel = function() return { load { served_by = { L1 = 1 }, address = "chase" } } end }
RECIPE
expect_exit 0 "$TRAUMA" gen gpu.lua -m h200 -o hanging
sed -i '1s|^|//FAKE hang\n|' hanging/gpu/default/program.ptx
for signal in KILL INT; do
    killed $signal one env STRAY="$STRAY" STRAY_STAYS=1 STRAY_FILE="$WORK/left" TRAUMA_CUDA="$libraries/libfake_cuda.so" \
        "$TRAUMA" run hanging --power none --reps 1 --time 0.01 -o killed.jsonl
done
