# trauma measure instruction finds the latencies that are published for this processor (uops.info, Agner Fog's tables) within
# 5 %. A busy machine may add to a number: then it is measured again, and a number that stays off by less than a fifth is
# said to be disturbed; one that is off by more is wrong.
. "$SOURCE/tests/e2e/lib.sh"

[ "$(uname -m)" = x86_64 ] || skip "the published numbers here are of an x86-64 processor"
family=$(sed -n 's/^cpu family[^:]*: //p' /proc/cpuinfo | head -n 1)
model=$(sed -n 's/^model[^:n]*: //p' /proc/cpuinfo | head -n 1)
vendor=$(sed -n 's/^vendor_id[^:]*: //p' /proc/cpuinfo | head -n 1)
case "$vendor $family $model" in
"AuthenticAMD 25 17" | "AuthenticAMD 25 97" | "AuthenticAMD 25 116" | "AuthenticAMD 25 160") ;;
*) skip "the published numbers here are of a Zen 4; this is $vendor family $family model $model" ;;
esac

cat >zen4.txt <<'END'
1 add {r0}, {r1}
3 imul {r0}, {r1}
3 imul {r0:32}, {r1:32}
1 popcnt {r0}, {r1}
1 lzcnt {r0}, {r1}
1 adc {r0}, {r1}
3 crc32 {r0}, {r1}
3 pdep {r0}, {r1}, {r2}
3 pext {r0}, {r1}, {r2}
4 mulx {r0}, {r1}, {r2}
1 andn {r0}, {r1}, {r2}
1 bswap {r0}
1 rol $5, {r0}
1 cmovz {r0}, {r1}
1 cmp {r0}, {r1}
4 mov rax, [rbx]
4 movq (%rax), %rax
3 vpmulld {y0}, {y1}, {y2}
3 vaddps {y0}, {y1}, {y2}
3 vmulpd {y0}, {y1}, {y2}
4 vfmadd231ps {y0}, {y1}, {y2}
11 vdivps {y0}, {y1}, {y2}
13 vdivpd {y0}, {y1}, {y2}
15 vsqrtps {y0}, {y1}
21 sqrtsd {x0}, {x1}
2 maxsd {x0}, {x1}
4 aesenc {x0}, {x1}
4 pclmulqdq $0, {x0}, {x1}
4 vpermd {y0}, {y1}, {y2}
1 vpaddd {y0}, {y1}, {y2}
2 vpshufb {y0}, {y1}, {y2}
3 vpsadbw {y0}, {y1}, {y2}
2 vpcmpgtq {y0}, {y1}, {y2}
3 cvtss2sd {x0}, {x1}
END
cp zen4.txt left.txt
for attempt in 1 2 3 4 5 6; do
    sed 's/^[0-9]* //' left.txt >list.txt
    rm -f results.jsonl
    expect_exit 0 "$TRAUMA" measure instruction list.txt -o results.jsonl -q
    expect_exit 0 "$TRAUMA" export results.jsonl -o table.csv -q
    # The points are in the order of the list, each with its latency's value in the column "value".
    sed 's/"[^"]*"/text/g' table.csv | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
        $column["metric"] == "insn.latency" { print $column["value"] }' >values.txt
    expect_same "$(wc -l <values.txt)" "$(wc -l <left.txt)" "latencies"
    paste -d' ' values.txt left.txt | awk '{ off = $1 / $2 - 1; if (off < 0) off = -off
        if (off > 0.05) print }' >off.txt
    [ -s off.txt ] || exit 0
    cut -d' ' -f2- off.txt >left.txt
done
awk '{ off = $1 / $2 - 1; if (off > 0.2 || off < -0.2) print }' off.txt >wrong.txt
[ ! -s wrong.txt ] || fail "measured, published, instruction: $(cat wrong.txt)"
skip "the machine is too busy for: $(cat off.txt)"
