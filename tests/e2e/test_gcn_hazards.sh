# Hazards that AMD processors leave to the program, which no simulation here would notice. Sources: AMD's ISA manuals,
# "manually inserted wait states"; LLVM's GCNHazardRecognizer, VMEMtoScalarWriteHazard of GFX10.1.
. "$SOURCE/tests/e2e/lib.sh"
. "$SOURCE/tests/e2e/gcn_kinds.sh"

cat >hazards.awk <<'AWK'
function fail(what) { printf "%s:%d: %s: %s\n", FILENAME, FNR, what, $0; bad = 1 }

# regs(OPERAND, FILE, SET): adds the operand's registers of the file to the set.
function regs(operand, file, set,   part, i) {
    if (operand ~ "^" file "[0-9]+$")
        set[substr(operand, 2) + 0] = 1
    else if (operand ~ "^" file "\\[[0-9]+:[0-9]+\\]$") {
        split(substr(operand, 3), part, /[:\]]/)
        for (i = part[1] + 0; i <= part[2] + 0; i++) set[i] = 1
    }
}
function meets(operand, file, set,   own, i) {
    regs(operand, file, own)
    for (i in own) if (i in set) return 1
    return 0
}
function look(line,   word, n, operand, i) {
    sub(/ *\/\/.*/, "", line)
    sub(/^ +/, "", line)
    if (line == "" || line ~ /:$/ || line ~ /^\./) return
    word = line
    sub(/ .*/, "", word)
    sub(/^[^ ]+ */, "", line)
    n = split(line, operand, /, */)
    sub(/ .*/, "", operand[n])
    looked++
    if (word ~ /^v_/) { # writes what stores have yet to read, reads what the hardware then waits for
        if (apart > 0 && meets(operand[1], "v", stored)) fail("a store's data changes at once")
        split("", read)
    }
    apart = word == "s_nop" ? apart - operand[1] - 1 : apart - 1
    if (old10 && word ~ /^s_/ && word !~ /^s_(cmp|cbranch|branch|waitcnt|nop|barrier|bitcmp|endpgm)/ && meets(operand[1], "s", read))
        fail("a register changes that an access may not have read")
    if (word == "s_waitcnt_depctr" && operand[1] == "0xffe3") split("", read)
    if (word ~ /^buffer_/) for (i = 1; i <= n; i++) regs(operand[i], "s", read)
    if (word ~ /store_(dwordx[34]|b96|b128)$/ && word !~ /^ds_/ && !(word ~ /^buffer_/ && operand[4] ~ /^s[0-9]/)) {
        split("", stored)
        regs(operand[word ~ /^buffer_/ ? 1 : 2], "v", stored)
        apart = 2
        stores++
    }
    if (word ~ /_store_/ && word !~ /^ds_/) open = 1
    if ((word == "s_waitcnt_vscnt" && line ~ /null, 0x0/) || (word == "s_wait_storecnt" && line == "0x0")) open = 0
    if (own_counter && open && (line ~ /^s\[22:23\]/) && (word == "s_memtime" || word == "s_sendmsg_rtn_b64"))
        fail("the clock is read before stores are done")
}
{ lines[FNR] = $0; count = FNR }
/^trauma_loop:/ { first = FNR }
/s_cbranch_scc1 trauma_loop/ { last = FNR }
END {
    for (at = 1; at <= count; at++) {
        FNR = at; $0 = lines[at]
        look(lines[at])
        if (at == last && !again) { again = 1; at = first }
    }
    if (looked < 60 || stores == 0 || !again) { print FILENAME ": not looked at"; bad = 1 }
    exit bad
}
AWK

for arch in gfx1010 gfx1012 gfx1030 gfx1100 gfx1201; do
    sed "s/gfx1030/$arch/" "$SOURCE/recipes/machines/rdna2.lua" >$arch.lua
done
seen=0
for machine in w9100 fiji vega10 mi210 gfx1010.lua gfx1012.lua gfx1030.lua gfx1100.lua gfx1201.lua; do
    rm -rf programs
    expect_exit 0 "$TRAUMA" gen kinds.lua -m $machine -o programs
    for program in programs/kinds/*/program.s; do
        arch=$(sed -n 's/.*amdgcn-amd-amdhsa--\(gfx[0-9a-f]*\).*/\1/p' "$program")
        old=0 own=0
        case $arch in gfx101?) old=1 own=1 ;; gfx1[01]??) own=1 ;; esac
        awk -v old10=$old -v own_counter=$own -f hazards.awk "$program" >"$WORK/told" || fail "$machine: $(head -n 3 "$WORK/told")"
        seen=$((seen + 1))
    done
done
[ "$seen" -ge 144 ] || fail "only $seen programs were looked at"

# What the test would see: the same with a nop less, and without the waits.
program="programs/kinds/kind=stores/program.s"
grep -v s_wait_storecnt "$program" >without.s
! awk -v own_counter=1 -f hazards.awk without.s >"$WORK/told" || fail "stores that are not waited for are not seen"
expect_text told "before stores are done"
rm -rf programs
expect_exit 0 "$TRAUMA" gen kinds.lua -m gfx1010.lua -o programs
grep -v depctr "programs/kinds/kind=wide/program.s" >without.s
! awk -v old10=1 -f hazards.awk without.s >"$WORK/told" || fail "registers that change too early are not seen"
expect_text told "may not have read"
