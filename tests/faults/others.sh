# What another user may do where both may write: plant links, folders and files under the names that are used, and
# exchange them while they are used. Nothing that is not this command's own is removed, moved, written or waited for.
# As root, with the user nobody as the other one. ROUNDS=N races of each kind (6).
. "$SOURCE/tests/e2e/lib.sh"
. "$SOURCE/tests/e2e/state_tree.sh"

nobody="setpriv --reuid 65534 --regid 65534 --clear-groups"
as_nobody()
{
    $nobody "$@"
}
[ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null && as_nobody true 2>/dev/null || skip "a second user takes root and setpriv"
chmod 755 "$WORK"
cp "$EXCHANGE" exchange # the other user may not reach where it was built
: "${ROUNDS:=6}"
write_recipe small.lua
sed -i 's/hit = { [^}]* }/hit = { 0.5, 0.75 }/' small.lua
gen="$TRAUMA gen small.lua -m pentium-pro"
quick="--time 0.001 --reps 1 --counters bytes,plan --power none -q"
expect_exit 0 $gen -o new

# What is root's alone, and has to stay.
mkdir -m 700 private
expect_exit 0 $gen --seed 2 -o private/suite
echo precious >private/suite/small/precious
echo precious >private/precious
mkdir private/empty
sum_of() { (cd private && find . -printf '%p %y %m %s %T@\n' | sort && find . -type f -exec cat {} + | cksum); }
sum_of >before
expect_private()
{
    sum_of >after
    cmp -s before after || fail "$*: $(diff before after)"
}
fresh()
{
    rm -rf shared
    mkdir -m 777 shared
}

# ---- what is planted beforehand ----
# Names of this version's unfinished folders, and of earlier ones'.
boot=$(cut -c 1-8 /proc/sys/kernel/random/boot_id)
for name in .trauma-0123456789abcdef "suite.$boot-0123456789abcdef.new" "suite.00000000-0123456789abcdef.old"; do
    fresh
    as_nobody ln -s "$WORK/private/suite" "shared/$name"
    expect_exit 0 $gen -o shared/suite
    expect_empty err
    expect_private "a link $name"
    as_nobody rm "shared/$name"
    as_nobody mkdir -m 700 "shared/$name"
    as_nobody touch "shared/$name/theirs"
    rm -r shared/suite
    expect_exit 0 $gen -o shared/suite
    expect_empty err
    expect_exit 0 diff -r new shared/suite
    [ -e "shared/$name/theirs" ] || fail "another user's folder $name is gone"
    as_nobody rm -r "shared/$name"
    as_nobody cp -r new "shared/$name"
    rm -r shared/suite
    expect_exit 0 $gen --seed 2 -o shared/suite
    expect_exit 0 diff -r new "shared/$name"
    cmp -s new/suite.json shared/suite/suite.json && fail "another user's folder became the suite"
done

# Another user's suite, an empty folder of his, and his links: as the target and on the way.
fresh
as_nobody cp -r new shared/theirs
as_nobody mkdir shared/empty
as_nobody ln -s "$WORK/private/suite" shared/link
as_nobody ln -s "$WORK/private/empty" shared/to-empty
as_nobody ln -s "$WORK/private" shared/way
ls -lAR shared >listed
for target in theirs empty; do
    for force in "" --force; do
        expect_exit 2 $gen -o shared/$target $force
        expect_text err "belongs to another user"
    done
done
for target in link to-empty way/suite way/empty way/new/suite; do
    for force in "" --force; do
        expect_exit 2 $gen -o shared/$target $force
        expect_text err "a link on the way belongs to another user"
    done
done
expect_private "links in the target's path"
ls -lAR shared | diff listed - >differences || fail "another user's files changed: $(cat differences)"

# One's own suite with something of another user's in it is none.
umask 000
expect_exit 0 $gen -o shared/mixed
umask 022
as_nobody touch shared/mixed/small/theirs
as_nobody ln -s "$WORK/private" shared/mixed/small/hit=0.9
expect_exit 2 $gen -o shared/mixed
expect_text err "small/hit=0.9 of user 65534, small/theirs of user 65534"
as_nobody rm shared/mixed/small/hit=0.9
expect_exit 0 $gen -o shared/mixed --force
[ -e shared/mixed/small/theirs ] || fail "--force lost another user's file"
rm shared/mixed/small/theirs
as_nobody mkdir shared/theirs.d
expect_exit 0 $gen -o shared/mixed
chmod 777 shared/mixed shared/mixed/small
as_nobody mv shared/theirs.d shared/mixed/small/hit=0.9
expect_exit 2 $gen -o shared/mixed --force
expect_text err "belongs to another user"
[ -d shared/mixed/small/hit=0.9 ] || fail "another user's folder is gone"

# ---- results, their traces, and single files ----
expect_exit 0 "$TRAUMA" run new $quick -o mine.jsonl
cp mine.jsonl private/r.jsonl
sum_of >before
fresh
as_nobody ln -s "$WORK/private/r.jsonl" shared/r.jsonl
as_nobody ln -s "$WORK/private/new.jsonl" shared/dangling.jsonl
for resume in "" --resume; do
    for name in r dangling; do
        expect_exit 2 "$TRAUMA" run new $quick -o shared/$name.jsonl $resume
        expect_text err "belongs to another user"
    done
done
ln -s "$WORK/private/made.jsonl" own.jsonl # one's own link to nothing makes nothing either
expect_exit 2 "$TRAUMA" run new $quick -o own.jsonl
expect_text err "dangling link"
expect_private "results through links"
mkdir -p r.traces/b
echo "t_s,channel,value" >r.traces/b/p.csv
echo '{"schema":1,"kind":"context","machine":{"name":"m"}}
{"kind":"point","benchmark":"b","name":"p","point":{},"target":"x86_64","program_hash":"aa","trace":"r.traces/b/p.csv"}' >r.jsonl
as_nobody ln -s "$WORK/private" shared/all.traces
as_nobody mkdir shared/all-2.traces
expect_exit 0 "$TRAUMA" merge r.jsonl -o shared/all.jsonl
expect_same "$(json shared/all.jsonl trace | tail -n 1)" all-3.traces/b/p.csv "the trace beside another user's link and folder"
cmp -s r.traces/b/p.csv shared/all-3.traces/b/p.csv || fail "the trace is not copied"
mkdir -p tree/sys/class/powercap/intel-rapl:0
echo package-0 >tree/sys/class/powercap/intel-rapl:0/name
echo 1000000 >tree/sys/class/powercap/intel-rapl:0/energy_uj
echo 262143328850 >tree/sys/class/powercap/intel-rapl:0/max_energy_range_uj
powered="env LD_PRELOAD=$BURNING_CHIP ASAN_OPTIONS=verify_asan_link_order=0 $TRAUMA run new --filter hit=0.5 --time 0.05 --reps 1
    --counters bytes,plan --sysfs-root tree --power powercap -q"
as_nobody ln -s "$WORK/private" shared/p.traces
as_nobody mkdir shared/q.traces
mkdir shared/o.traces
ln -s "$WORK/private" shared/o.traces/small
for name in p q o; do
    expect_exit 1 $powered -o shared/$name.jsonl
    expect_text out "a folder on the way"
done
expect_private "traces through links"
for name in x.lua x.csv x.html x.json; do
    as_nobody ln -s "$WORK/private/precious" shared/$name
done
expect_exit 1 "$TRAUMA" machine show pentium-pro -o shared/x.lua
expect_text err "belongs to another user"
expect_exit 1 "$TRAUMA" export mine.jsonl -o shared/x.csv
expect_exit 1 "$TRAUMA" report mine.jsonl -o shared/x.html
expect_exit 1 "$TRAUMA" machine show pentium-pro --json -o shared/x.json
expect_private "files through links"

# ---- the journal of the machine's state, where a group may write ----
journal_case()
{
    unshare -m sh -c "mount -t tmpfs none /run && mkdir -m 777 /run/traumagen && $1
        timeout 60 \"\$0\" sensors --power none >'$WORK/out' 2>'$WORK/err' </dev/null" "$TRAUMA"
}
if unshare -m mount -t tmpfs none /run 2>/dev/null; then
    echo '{"schema": 1, "kind": "state", "pid": 1, "started": 1, "boot": ""}
{"knob": "governor", "path": "/sys/devices/system/cpu/online", "old": "evil\n", "wrote": "x\n"}' >theirs.journal
    chmod 644 theirs.journal
    at=/run/traumagen/state.journal
    for plant in "$nobody mkfifo $at" "$nobody ln -s '$WORK/private/precious' $at" "$nobody cp '$WORK/theirs.journal' $at" \
        "cp '$WORK/theirs.journal' $at; chmod 664 $at" "$nobody mkdir $at" "$nobody ln -s /dev/zero $at"; do
        journal_case "$plant" || fail "sensors with a journal planted by: $plant: exit code $?"
        expect_no_text err evil
        grep -qE "is ignored|cannot be (read|written)" "$WORK/err" || fail "no word of: $plant: $(cat "$WORK/err")"
    done
else
    echo "not tried: a /run of one's own takes a mount namespace"
fi

# ---- the sandbox's filter does not heed the environment ----
if grep -q "^Seccomp:" /proc/self/status; then
    echo 'while true do end' >loop.lua
    LD_PRELOAD="$WORK/vgpreload_core.so" ASAN_OPTIONS=verify_asan_link_order=0 "$TRAUMA" list loop.lua >"$WORK/out" 2>"$WORK/err" </dev/null &
    lister=$!
    is_filtered() { grep -qs "^Seccomp:.2" $(sed 's|[^ ]*|/proc/&/status|g' /proc/$lister/task/*/children 2>/dev/null) /dev/null; }
    until_true 8 is_filtered || fail "a name in LD_PRELOAD switches the sandbox's filter off"
    kill $lister
    wait $lister 2>/dev/null || true
fi

# ---- races ----
# race NAME COMMAND...: the command with another user exchanging; whatever comes of it, it ends by itself.
race()
{
    name=$1
    shift
    for round in $(seq "$ROUNDS"); do
        fresh
        umask 000 # so that the other one may also change what is inside
        $gen -q -o shared/suite >"$WORK/out"
        mkdir shared/deep
        umask 022
        $nobody ./exchange shared "$WORK/private/suite" 2>"$WORK/err.attacker" &
        attacker=$! # a simple command's own number
        for i in 1 2 3 4; do
            got=0
            umask 000
            timeout 60 "$@" >"$WORK/out" 2>"$WORK/err" </dev/null || got=$?
            umask 022
            [ $got -le 2 ] || fail "$name, round $round: exit code $got"
            [ $got -eq 0 ] || grep -q '^trauma: ' "$WORK/err" || fail "$name, round $round: exit code $got without a sentence"
            expect_private "$name, round $round"
        done
        kill $attacker || fail "the other user gave up: $(cat "$WORK/err.attacker")"
        wait $attacker 2>/dev/null || true
        # Nothing of the private folder was moved out: its names are only reached through links.
        [ -z "$(find shared -name precious)" ] || fail "$name, round $round: moved $(find shared -name precious)"
    done
}
race gen $gen -q -o shared/suite
race force $gen -q -o shared/suite --force
race workers $gen -q -j 2 -o shared/suite
race below $gen -q -o shared/deep/er/suite
race merge "$TRAUMA" merge r.jsonl -o shared/deep/all.jsonl
race run "$TRAUMA" run new $quick --resume -o shared/deep/r.jsonl
echo "$ROUNDS rounds of 6 races"
