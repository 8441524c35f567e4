# trauma measure instruction finds the latencies that are published for this processor (published/latencies.txt) within 5 %. A
# busy machine may add to a number: then it is measured again, and a number that stays off by less than a fifth is said to be
# disturbed; one that is off by more is wrong, and so is one that is off by the same each time.
. "$SOURCE/tests/e2e/lib.sh"

table=$SOURCE/tests/e2e/published/latencies.txt
[ "$(uname -m)" = x86_64 ] || skip "the published numbers here are of x86-64 processors"
family=$(sed -n 's/^cpu family[^:]*: //p' /proc/cpuinfo | head -n 1)
model=$(sed -n 's/^model[^:n]*: //p' /proc/cpuinfo | head -n 1)
vendor=$(sed -n 's/^vendor_id[^:]*: //p' /proc/cpuinfo | head -n 1)
flags=$(sed -n 's/^flags[^:]*: //p' /proc/cpuinfo | head -n 1)
column=$(awk -v vendor="$vendor" -v family="$family" -v model="$model" -v flags=" $flags " '$1 == "core" { n++
    for (i = 5; i <= NF; i++) {
    split($i "+", wanted, "+"); if (wanted[2] != "" && !index(flags, " " wanted[2] " ")) continue
    split(wanted[1] "-" wanted[1], range, "-"); if ($3 == vendor && $4 == family && model >= range[1] + 0 && model <= range[2] + 0) { print n; exit } } }' "$table")
[ -n "$column" ] || skip "no published numbers here are of this $vendor family $family model $model"

# A row: what is published, the pair, the instruction. Without those of features that this processor lacks.
awk -v column="$column" '/^[0-9-]/ && $column != "-" { pair = $6; value = $column; sub(/^ *([^ ]+ +)([^ ]+ +)([^ ]+ +)([^ ]+ +)([^ ]+ +)([^ ]+ +)/, "")
    print value "\t" pair "\t" $0 }' "$table" >left.txt
[ "$(wc -l <left.txt)" -ge 30 ] || fail "there are only $(wc -l <left.txt) published numbers"

places=
for i in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
    places="$places latency/$i/from latency/$i/to latency/$i/cycles/value latency/$i/queued"
done
for attempt in 1 2 3 4 5 6; do
    cut -f3 left.txt >list.txt
    got=0
    "$TRAUMA" measure instruction list.txt --json >found.jsonl 2>err || got=$?
    grep -q "Operation not permitted\|sandbox" err && skip "$(cat err)"
    # shellcheck disable=SC2086 # the places are words
    "$JSON_LINES" found.jsonl error $places >found.txt
    expect_same "$(wc -l <found.txt)" "$(wc -l <left.txt)" "instructions measured: $(cat err)"
    # Value, published, pair, instruction; with values of the operands, the lowest and highest stand for the range.
    paste left.txt found.txt | awk -F'\t' '
        function off(value, wanted) { return value > wanted * 1.05 || value < wanted * 0.95 }
        $4 ~ /it needs .* which this processor lacks/ { next }
        $4 != "-" { print "error\t" $1 "\t" $2 "\t" $3 "\t" $4; next }
        { low = high = ""
          for (i = 5; i + 3 <= NF; i += 4) {
              if ($i == "-") break
              if ($2 == "longest" ? $(i + 1) == "flags" || $i == "flags" : $i ">" $(i + 1) != $2) continue
              value = $(i + 3) != "-" && !off($(i + 3), $1) ? $(i + 3) : $(i + 2) # some publish what a full queue makes of it
              if (low == "" || value < low) low = value + 0
              if (high == "" || value > high) high = value + 0 }
          if (split($1, range, "-") == 1) { range[2] = range[1]; low = high }
          if (high == "" || off(low, range[1]) || off(high, range[2]))
              print (high == "" ? "none" : low == high ? high : low "-" high) "\t" $1 "\t" $2 "\t" $3 }' >off.txt
    [ -s off.txt ] || exit 0
    cat off.txt >>all.txt
    ! grep -q '^error\|^none' off.txt || fail "measured, published, pair, instruction: $(cat off.txt)"
    cut -f2- off.txt >left.txt
done
awk -F'\t' '{ n = split($1, found, "-"); m = split($2, wanted, "-"); for (i = 1; i <= n; i++) {
    off = found[i] / wanted[m < i ? m : i] - 1; if (off > 0.2 || off < -0.2) { print; next } } }' off.txt >wrong.txt
[ ! -s wrong.txt ] || unless_busy "measured, published, pair, instruction: $(cat wrong.txt)"
awk -F'\t' '{ key = $3 "\t" $4; n = split($1, found, "-"); times[key]++
    if (!(key in least) || found[1] < least[key]) least[key] = found[1]
    if (found[n] > most[key]) most[key] = found[n]
    if (n > 1 || width[key] == "") width[key] = found[n] / found[1] }
    END { for (key in times) if (times[key] == 6 && most[key] / least[key] < width[key] * 1.02) print least[key] "-" most[key] "\t" key
}' all.txt >same.txt
[ ! -s same.txt ] || unless_busy "the same in 6 attempts: measured, pair, instruction: $(cat same.txt)"
skip "the machine is too busy for: $(cat off.txt)"
