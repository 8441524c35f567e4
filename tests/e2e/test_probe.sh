# The probe of the present machine: its numbers have intervals and agree with the system's or state why not, and its
# file is a machine that programs can be generated for. This machine's speed is not tested.
. "$SOURCE/tests/e2e/lib.sh"
without_sanitizers

figure=""
if command -v gnuplot >/dev/null 2>&1; then
    figure="--figure latency.svg"
fi
got=0
# shellcheck disable=SC2086 # two words or none
"$TRAUMA" machine probe --time 2 --json -o probed.lua $figure >probe.json 2>"$WORK/err" </dev/null || got=$?
[ "$got" -ne 4 ] || skip "$(head -n 1 "$WORK/err")"
expect_same "$got" 0 "exit code of machine probe"
[ ! -s "$WORK/err" ] || fail "the probe says something where nobody watches"

expect_same "$(json_document probe.json machine/isa)" x86_64 "isa"
[ "$(json_document probe.json '#latency_curve')" -ge 40 ] || fail "the latency curve has too few points"
value()
{
    json_document probe.json "values/$1/$2"
}
for name in clock.tsc clock.core l1d.size.curve l1d.size l1d.ways l1d.line l2.size l2.ways latency.L1D latency.L2 \
    latency.MEM dtlb.entries bandwidth.read.L1D bandwidth.write.L1D bandwidth.read.MEM branch.miss width.issue width.add \
    width.load width.load_wide width.store l1i.size; do
    case "$(value $name found)" in
    true)
        seen="$(value $name low) $(value $name value) $(value $name high)"
        expect_same "$seen" "$(echo "$seen" | tr ' ' '\n' | sort -g | xargs)" "the interval of $name in order"
        [ "$(value $name agreement)" != differs ] || [ -n "$(value $name remark)" ] || fail "$name differs, without why"
        ;;
    false) [ -n "$(value $name remark)" ] || fail "$name is not found, without why" ;;
    *) fail "no $name among the values" ;;
    esac
done
# Beside other programs the clock and the latency of L1 are those of a run without, or in doubt. What one of three runs
# shows may be a neighbour's doing, which no doubt can cover.
differs()
{
    for name in clock.cycles_per_tick latency.L1D; do
        for file in probe.json beside.json; do
            [ -z "$(json_document $file values/$name/doubt 2>/dev/null || true)" ] || continue 2
        done
        awk -v a="$(value $name value)" -v b="$(json_document beside.json values/$name/value)" \
            'BEGIN { exit !(a > 1.02 * b || b > 1.02 * a) }' && echo "$name: $(value $name value) and $(json_document beside.json values/$name/value)"
    done
    return 0
}
beside()
{
    hogs=""
    for i in 1 2 3; do
        sh -c 'while :; do :; done' &
        hogs="$hogs $!"
    done
    got=0
    "$TRAUMA" machine probe --time 2 --json >beside.json </dev/null || got=$?
    # shellcheck disable=SC2086 # a word for each
    kill $hogs && wait $hogs || true
    [ $got -eq 0 ] || fail "no probe beside other programs"
}
seen=""
for i in 1 2 3; do
    beside
    found=$(differs)
    [ -n "$found" ] || break
    seen="$seen; $found"
    [ $i -lt 3 ] || fail "differs beside other programs, without a doubt$seen"
done
# What no neighbour can disturb: the geometry of the core's own cache.
for name in l1d.size l1d.ways l1d.line; do
    [ "$(value $name agreement)" != differs ] ||
        fail "$name is $(value $name value), the system says $(value $name reported)"
done

if [ -n "$figure" ]; then
    expect_text latency.svg "</svg>"
    expect_text latency.svg "Latency of a load over the working set"
    expect_text latency.svg "16 KiB"
fi

# What a core has of a cache is no more than its size, which stays what the system says.
for name in L2 L3; do
    effective=$(json_document probe.json "values/$(echo $name | tr L l).effective/found" 2>/dev/null || true)
    [ "$effective" = true ] || continue
    grep -q "$name .*effective = " probed.lua || fail "the file does not say what a core has of $name"
done
expect_exit 0 "$TRAUMA" machine detect --json -o detected.json
for name in L2 L3; do
    size=$(json_document detected.json caches/$name/size 2>/dev/null || true)
    [ -z "$size" ] || expect_same "$(json_document probe.json machine/caches/$name/size)" "$size" "size of $name"
done

# The file is a machine file, this machine's, and one to generate for.
expect_exit 0 "$TRAUMA" machine show ./probed.lua -o again.lua
expect_exit 0 "$TRAUMA" machine show ./probed.lua --json -o first.json
expect_exit 0 "$TRAUMA" machine show ./again.lua --json -o second.json
expect_exit 0 cmp first.json second.json
write_recipe small.lua
expect_exit 0 "$TRAUMA" gen small.lua -m probed.lua -o suite
expect_exit 0 "$TRAUMA" check small.lua -m probed.lua --counters plan,bytes,timing --json
expect_no_text out "not the present"

# Operations a cycle, also of divisions and of vectors, and more additions than divisions.
for name in add mul div div.4 fadd fdiv fsqrt add.16 fadd.16 fdiv.16; do
    [ -z "$(value "rate.$name" doubt 2>/dev/null || true)" ] || continue
    json_document probe.json "machine/per_cycle/$name" | awk '!($1 > 0 && $1 <= 64) { exit 1 }' || fail "per_cycle has no $name"
done
json_document probe.json values/rate.add/value values/rate.div/value values/rate.fadd/value values/rate.fdiv/value |
    awk '!($1 > $2 && $3 > $4) { exit 1 }' || fail "divisions are not slower than additions"

# What it does not do.
expect_exit 2 "$TRAUMA" machine probe -m pentium-pro
expect_text err "the present machine"
expect_exit 2 "$TRAUMA" machine probe --figure latency.gif
expect_text err ".svg or .png"
expect_exit 2 "$TRAUMA" machine detect --figure latency.svg
expect_text err "measures nothing"
expect_exit 2 "$TRAUMA" machine show --time 3
