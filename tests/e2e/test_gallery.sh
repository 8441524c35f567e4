# The gallery: each recipe has a page, a figure and the results that it comes from, and makes the figure anew; its rates hold on
# machines of every kind.
. "$SOURCE/tests/e2e/lib.sh"
without_sanitizers
gallery=$SOURCE/docs/gallery

expect_exit 0 "$TRAUMA" list gallery
sed -n 's|^gallery/\([a-z-]*\) .*|\1|p' out >names
expect_same "$(wc -l <names)" 12 "recipes in the gallery"
while read -r name; do
    for file in "$gallery/$name.md" "$gallery/$name.svg" "$gallery/results/$name.jsonl"; do
        [ -s "$file" ] || fail "$file is missing"
    done
    grep -q "($name.md)" "$gallery/index.md" || fail "the index does not lead to $name"
    grep -q "($name.svg)" "$gallery/$name.md" || fail "the page of $name does not show its figure"
    "$JSON_LINES" "$gallery/results/$name.jsonl" benchmarks/0/recipe | head -n 1 | grep -qx "gallery/$name" ||
        fail "the results of $name are of another recipe"
done <names

# The recipes have no sizes of caches: they make points on every described machine, and their rates hold.
sources=plan,bytes
command -v qemu-x86_64 >/dev/null && sources=$sources,qemu
points='^(memory-mountain/.*stride=64$|stream/op=triad,threads=1|branch-predictor/accuracy=0.75,work=8|ports/beside=(mul|store),count=3$|tlb-reach/pages=(16|96)$'
points="$points|prefetcher/level=L[12],|store-forwarding/|false-sharing/|throttle/duty=0.25,|toggle-energy/toggle=0.25\$)"
for machine in zen5 neoverse-n1 sifive-u74; do
    expect_exit 0 "$TRAUMA" check gallery -m $machine --counters "$sources" --filter "$points"
    grep -q ' pass' out || fail "nothing passes on $machine: $(head -n 3 out)"
    if grep -qw fail out; then fail "a rate fails on $machine: $(grep -w fail out | head -n 3)"; fi
done
expect_exit 0 "$TRAUMA" check gallery/gpu-latency-ladder -m a100 --counters plan,warp --filter 'size=(8192|65536)$'
expect_exit 0 "$TRAUMA" check gallery/cu-placement -m w9100 --counters plan,wave --filter 'units=2$'
expect_text out pass
# Every point of each can be generated.
expect_exit 0 "$TRAUMA" gen gallery -m pentium-pro -o suite
expect_exit 0 "$TRAUMA" gen gallery -m vega10 -o suite-gpu

# The figures, from the results.
need_program gnuplot
while read -r name; do
    expect_exit 0 "$TRAUMA" plot "$gallery/results/$name.jsonl" -o "$name.svg"
    title=$("$JSON_LINES" "$gallery/results/$name.jsonl" benchmarks/0/title | head -n 1)
    expect_text "$name.svg" "$title"
    grep -q '<path\|<rect\|<use' "$name.svg" || fail "the figure of $name is empty"
done <names
for name in throttle toggle-energy gpu-latency-ladder cu-placement; do
    expect_text $name.svg "simulated results"
    grep -q "simulated results" "$gallery/$name.svg" || fail "the shown figure of $name does not say that it is simulated"
done

# An application and its clone: counted, not from results.
grep -q "(application-clone.md)" "$gallery/index.md" && grep -q "(application-clone.svg)" "$gallery/application-clone.md" ||
    fail "the gallery does not lead to the clone"
grep -q "gzip and its clone, on skylake-sp" "$gallery/application-clone.svg" || fail "the shown figure is of another clone"
expect_exit 2 "$TRAUMA" clone --figure clone.txt -- true
[ ! -e clone.lua ] || fail "a clone was made for a figure of no kind"
if command -v gzip >/dev/null && [ "$(uname -m)" = x86_64 ] && loads_plugins qemu-x86_64; then
    plain_program
    expect_exit 0 env TRAUMA="$PLAIN" TRAUMA_ROOT="$SOURCE" sh "$gallery/make.sh" counted application-clone
    for text in "gzip and its clone, on skylake-sp" "its clone" "L1D misses/load" "add 4 B"; do
        expect_text counted/application-clone.svg "$text"
    done
fi

# The script makes them anew.
need_program python3
expect_exit 0 env TRAUMA="$TRAUMA" sh "$gallery/make.sh" made toggle-energy cu-placement
expect_text made/toggle-energy.svg "simulated results"
expect_text made/cu-placement.svg "simulated by wave"

# And another draws the figures of other pages; a page's picture takes a browser.
expect_exit 0 env TRAUMA="$TRAUMA" sh "$SOURCE/docs/figures/make.sh" figures
for name in dcache dcache-power mountain; do
    head -c 8 figures/$name.png | grep -q PNG || fail "$name.png is no picture"
done
