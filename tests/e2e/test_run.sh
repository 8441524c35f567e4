# trauma run: the contents of a results file, that none is overwritten, and that one bad program does not end a run.
. "$SOURCE/tests/e2e/lib.sh"

write_recipe small.lua
quick="--time 0.01 --reps 2 --counters bytes,plan"

expect_exit 0 "$TRAUMA" run small.lua -m pentium-pro -o results.jsonl $quick
expect_text err "2 points"
expect_same "$(json results.jsonl kind | tr '\n' ' ')" "context point point " "kinds of lines"
expect_same "$(json results.jsonl schema | head -n 1)" 1 "schema"
expect_same "$(json results.jsonl name '#reps' target | tail -n 2 | sort)" \
    "$(printf 'hit=0.5\t2\tx86_64\nhit=0.75\t2\tx86_64')" "points"
expect_same "$(json results.jsonl rates/body.share/verdict | tail -n 1)" pass "verdict on body.share"

# An existing file is not written over, and going on with it finds nothing to do.
cp results.jsonl before
expect_exit 2 "$TRAUMA" run small.lua -m pentium-pro -o results.jsonl $quick
expect_text err "--resume"
expect_exit 0 cmp results.jsonl before
expect_exit 0 "$TRAUMA" run small.lua -m pentium-pro -o results.jsonl --resume $quick
expect_exit 0 cmp results.jsonl before

# What is no results file is refused and left alone.
echo mine >notes.jsonl
expect_exit 2 "$TRAUMA" run small.lua -m pentium-pro -o notes.jsonl --resume $quick
expect_same "$(cat notes.jsonl)" mine "the file that was refused"

expect_exit 0 "$TRAUMA" run small.lua -m pentium-pro -o dry.jsonl --dry-run
[ ! -e dry.jsonl ] || fail "--dry-run wrote"
grep -Eq "^2 points, about [0-9]+ (s|min|min [0-9]+ s) and 10 kB, into dry\.jsonl\$" err || fail "it is not said how long and how much: $(cat err)"

expect_exit 0 "$TRAUMA" run small.lua -m pentium-pro -o json.jsonl --json $quick
expect_same "$(json "$WORK/out" name | sort | tr '\n' ' ')" "hit=0.5 hit=0.75 " "points on stdout"

# What was only predicted is not shown as if it were seen, a column that nobody fills is left out, and one is one.
expect_exit 0 "$TRAUMA" run small.lua -m pentium-pro -o plan.jsonl --filter hit=0.5 --time 0.01 --reps 1 --counters plan
expect_text err "1 point, "
grep -q '^1 point: ' out && [ "$(sed -n '1s/:.*//p' out)" = "1 point" ] || fail "the counts do not come first: $(cat out)"
expect_no_text out "l1d.miss_rate"
grep -Eq '^point +(n|u|m)s/unit(  ticks/load)?  verdict$' out || fail "the head of the table: $(cat out)"
grep -Eq '^small/hit=0.5 +[0-9.]+ \?( +[0-9.]+ \?)?  unobserved$' out || fail "a prediction in the table: $(cat out)"
expect_exit 0 "$TRAUMA" run small.lua -m pentium-pro -o plan.jsonl --filter hit=0.5 --time 0.01 --counters plan --resume
expect_text err "1 point was in plan.jsonl already"

# Another machine's or seed's results are not gone on with.
expect_exit 2 "$TRAUMA" run small.lua -m pentium-pro --seed 2 -o plan.jsonl --resume $quick
expect_text err "another seed"

# A program with an illegal instruction (ud2) at its entry is recorded with the reason; the other one runs.
expect_exit 0 "$TRAUMA" gen small.lua -m pentium-pro -o suite
need_program readelf
program=suite/small/hit=0.5/program
entry=$(readelf -hW "$program" | sed -n 's/.*Entry point address: *0x//p')
text=$(readelf -SW "$program" | sed -n 's/.*\.text *PROGBITS *\([0-9a-f]*\) *\([0-9a-f]*\) .*/\1 \2/p')
offset=$((0x$entry - 0x${text% *} + 0x${text#* }))
printf '\017\013' | dd of="$program" bs=1 seek="$offset" conv=notrunc 2>/dev/null
expect_exit 1 "$TRAUMA" run suite -o broken.jsonl $quick
expect_text err "signal 4"
expect_same "$(json broken.jsonl name rates/body.share/verdict | tail -n 2 | sort)" \
    "$(printf 'hit=0.5\t-\nhit=0.75\tpass')" "points of the run with a broken program"
json broken.jsonl name error | grep '^hit=0.5	' | grep -q "Illegal instruction" || fail "the reason is not recorded"

# A failed point is worth another try, a finished one is not.
expect_exit 0 "$TRAUMA" gen small.lua -m pentium-pro -o suite
expect_exit 0 "$TRAUMA" run suite -o broken.jsonl --resume $quick
expect_same "$(json broken.jsonl rates/body.share/verdict | grep -c pass)" 2 "finished points after the repair"

# The length of a run is told as people read it, and is longer where programs set up and touch much memory.
seconds_of() # RECIPE: of a dry run
{
    expect_exit 0 "$TRAUMA" run "$1" -o dry.jsonl --dry-run --power none
    sed -n 's/.*, about \(.*\) and .*/\1/p' err | awk '{ for (i = 1; i < NF; i += 2) s += $i * ($(i + 1) == "s" ? 1 : $(i + 1) == "min" ? 60 : 3600); print s }'
}
long_walk() # FILE BYTES
{
    echo "benchmark { name = \"walk\", sweep = { n = range(1, 40, 1) }, kernel = function() return { load { working_set = $2, stride = 64 }, add { count = 1 } } end }" >"$1"
}
long_walk near.lua 16384
long_walk far.lua 1073741824
for _ in 1 2 3 4 5; do # until the machine is as busy for both
    near=$(seconds_of near.lua) far=$(seconds_of far.lua)
    [ "$far" -lt "$((near + 20))" ] || break
done
[ "$far" -ge "$((near + 20))" ] || unless_busy "40 walks through 1 GiB take $far s, through 16 KiB $near s"
write_recipe hours.lua 'measure = { time = 2970, reps = 5 },'
expect_exit 0 "$TRAUMA" run hours.lua -m pentium-pro -o dry.jsonl --dry-run --power none
grep -q '^2 points, about 9 h 5[4-5] min and ' err || unless_busy "not as people read it: $(cat err)"
