# trauma check of GCN programs by the source wave: the emitted code meets its rates, and code with a wrong word does
# not.
. "$SOURCE/tests/e2e/lib.sh"

cat >paths.lua <<'EOF'
benchmark {
    name = "path", target = "gcn", grid = { blocks = 44, threads = 256 },
    sweep = { se = { 0, 1 }, toggle = { 0, 0.25 } },
    place = function(p) return { se = p.se, l2_channels = { 0, 1, 2, 3 } } end,
    kernel = function(p) return { load { served_by = { L2 = 1 }, data = pattern.toggle(p.toggle) } } end,
}
benchmark {
    name = "levels", target = "gcn", grid = { blocks = 44, threads = 256 },
    kernel = function() return { load { served_by = { SHARED = 0.25, L1 = 0.25, L2 = 0.25, MEM = 0.25 } } } end,
}
EOF
expect_exit 0 "$TRAUMA" gen paths.lua -m w9100 -o suite
[ -s "suite/path/se=0,toggle=0/program.co" ] || skip "this LLVM assembles nothing for AMD's GPUs"

# lines_of POINT METRIC: what check says of it.
lines_of()
{
    awk -v point="$1" -v metric="$2" '$1 == point && $2 == metric && /wave/ { $1 = $2 = ""; sub(/^ */, ""); print }' out
}

expect_exit 0 "$TRAUMA" check suite --counters wave
expect_empty err
for toggle in 0 0.25; do
    for se in 0 1; do
        point="path/se=$se,toggle=$toggle"
        expect_same "$(lines_of "$point" place.se$se.share)" "1 pass (code) wave 1" "$point: who works"
        expect_same "$(lines_of "$point" served.L2)" "1 pass (code) wave 1" "$point: who serves"
        expect_same "$(lines_of "$point" served.L1)" "0 pass (code) wave 0" "$point: what L1 serves"
        for metric in data.toggle_rate data.toggle_rate.dealt; do
            expect_same "$(lines_of "$point" $metric | awk -v near=${near=0.001} '{ print $1, $2, $3, ($4 - $1 < near && $1 - $4 < near) }')" \
                "$toggle pass wave 1" "$point: $metric"
            near=0.01
        done
        near=0.001
        expect_same "$(lines_of "$point" l2.channel3.share)" "0.25 pass (code) wave 0.25" "$point: channels"
    done
done

# However many places and channels are named, each has its share promised and seen.
sed 's/sh_per_se = 1, cu_per_sh = 11/sh_per_se = 2, cu_per_sh = 6/' "$SOURCE/recipes/machines/w9100.lua" >arrays.lua
cat >many.lua <<'EOF'
benchmark {
    name = "many", target = "gcn", grid = { blocks = 48, threads = 64 },
    place = { se = { 0, 1, 2, 3 }, sh = 1, cu = { 0, 1, 2, 3, 4 }, l2_channels = { 0, 1, 2, 3, 4, 5, 6, 7 } },
    kernel = function() return { load { served_by = { L2 = 1 } } } end,
}
EOF
expect_exit 0 "$TRAUMA" check many.lua -m arrays.lua --counters wave
expect_same "$(lines_of many/default place.sh1.share)" "1 pass (code) wave 1" "the array"
for number in 0 1 2 3 4 5 6 7; do
    expect_same "$(lines_of many/default l2.channel$number.share)" "0.125 pass (code) wave 0.125" "channel $number"
    [ $number -ge 5 ] || expect_same "$(lines_of many/default place.cu$number.share)" "0.2 pass (code) wave 0.2" "unit $number"
    [ $number -ge 4 ] || expect_same "$(lines_of many/default place.se$number.share)" "0.25 pass (code) wave 0.25" "engine $number"
done
expect_exit 0 "$TRAUMA" check suite --counters wave
for level in SHARED L1 L2 MEM; do
    expect_same "$(lines_of levels/default served.$level)" "0.25 pass (code) wave 0.25" "$level"
done

# Wrong words, each in a suite of its own, in the place of s_getreg_b32 s27, hwreg(HW_REG_HW_ID, 13, 2): bytes in octal.
# wrong CODE BYTES TEXT: check of the suite with the word ends with the code and says so.
wrong()
{
    rm -rf wrong
    cp -r suite wrong
    program="wrong/path/se=1,toggle=0/program.co"
    at=$(od -An -v -tx4 -w4 "$program" | awk '$1 == "b91b0b44" { print NR - 1; exit }')
    [ -n "$at" ] || fail "no instruction reads the shader engine"
    printf "$2" | dd of="$program" bs=4 seek="$at" conv=notrunc 2>"$WORK/dd"
    expect_exit "$1" "$TRAUMA" check wrong --as-is --counters wave --filter "path/se=1,toggle=0$"
    cat out err >both
    expect_text both "$3"
}
wrong 1 '\104\013\233\270' "0xb89b0b44 at offset 0x" # as GFX8 and GFX9 have it
wrong 1 '\104\023\033\271' "none of 176 waves"       # three bits: a size for a size less one
wrong 1 '\104\003\033\271' "22 of the grid's blocks work and 22 leave; by the manifest 11 would work and 33 leave" # one bit: SE 3 passes too
wrong 1 '\004\013\033\271' "none of 176 waves"       # a bit too low
