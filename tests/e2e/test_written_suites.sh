# A suite is put in place completely, and nothing that is not its own is lost: whatever call fails, whenever it is
# killed, whoever else writes. EVERY=1 tries each call of the sweeps.
. "$SOURCE/tests/e2e/lib.sh"
without_sanitizers

every=${EVERY:-5}
write_recipe small.lua
cut="small.lua -m pentium-pro --filter hit=0.5"
expect_exit 0 "$TRAUMA" gen $cut -o new
expect_exit 0 "$TRAUMA" gen $cut --seed 2 -o old
expect_exit 1 diff -rq old new

# ---- only a suite is replaced, and of it only what its index lists ----
cp -a old mine
echo measured >mine/results.jsonl
mkdir mine/small/notes
echo noted >mine/small/notes/.hidden
cp -a mine before
expect_exit 2 "$TRAUMA" gen $cut -o mine
expect_text err "results.jsonl, small/notes; it is left as it is"
expect_text err "--force"
expect_exit 0 diff -r before mine
expect_exit 0 "$TRAUMA" gen $cut -o mine --force
expect_same "$(cat mine/results.jsonl mine/small/notes/.hidden)" "measured
noted" "what --force kept"
rm -r mine/results.jsonl mine/small/notes
expect_exit 0 diff -r new mine

# An index of another tool's makes no suite, and neither does a program's folder that the index does not list.
for index in '{}' '{"schema":1,"kind":"tests","programs":[],"benchmarks":[]}' 'no JSON'; do
    rm -rf other
    mkdir other
    echo "$index" >other/suite.json
    expect_exit 2 "$TRAUMA" gen $cut -o other
    expect_text err "is not a suite"
    expect_same "$(cat other/suite.json)" "$index" "another tool's suite.json"
done
cp -a old unlisted
cp -a "unlisted/small/hit=0.5" unlisted/small/hit=0.9
expect_exit 2 "$TRAUMA" gen $cut -o unlisted
expect_text err "small/hit=0.9"
cp -a old linked
echo mine >elsewhere
ln -sf "$WORK/elsewhere" linked/small/hit=0.5/program.s
expect_exit 2 "$TRAUMA" gen $cut -o linked
expect_text err "small/hit=0.5/program.s"
expect_exit 0 "$TRAUMA" gen $cut -o linked --force
expect_same "$(cat elsewhere)" mine "what a link in a suite led to"
expect_exit 0 diff -r new linked

# --force and a folder that is not a suite: what is in it stays; a name that cannot be kept is refused.
mkdir plain
echo noted >plain/notes
expect_exit 0 "$TRAUMA" gen $cut -o plain --force
expect_same "$(cat plain/notes)" noted "a note in a folder that became a suite's"
mkdir clash
echo noted >clash/small
expect_exit 2 "$TRAUMA" gen $cut -o clash --force
expect_text err "cannot be kept"
expect_same "$(ls -A clash) $(cat clash/small)" "small noted" "what --force cannot keep"

# The folder's permissions are those of the one that was there.
cp -a old private
chmod 750 private
expect_exit 0 "$TRAUMA" gen $cut -o private
expect_same "$(stat -c %a private)" 750 "permissions of the folder"

# A failure takes away the folders that it made.
expect_exit 3 "$TRAUMA" gen small.lua -m pentium-pro --set hit=9 -o made/for/it
[ ! -e made ] || fail "folders of a suite that was not written are left"

# ---- what a dead writer left is named, and a live one's stays ----
sed 's/hit = { 0.5, 0.75 }/hit = range(0, 1, 0.002)/' small.lua >long.lua
begin_long()
{
    "$TRAUMA" gen long.lua -m pentium-pro -q -o shared "$@" >"$WORK/out.long" 2>"$WORK/err.long" </dev/null &
    child=$!
    until ls -d .trauma-*/suite/small/* >/dev/null 2>&1; do
        kill -0 $child || fail "the writer ended too soon"
        sleep 0.01
    done
}
for jobs in 1 2; do
    begin_long -j$jobs
    expect_same "$(stat -c %a .trauma-*)" 700 "permissions of the folder while it is written"
    kill -9 $child
    wait $child 2>/dev/null || true
    left=$(ls -d .trauma-*)
    for i in 1 2 3 4 5; do # a killed writer's workers take a moment to die
        expect_exit 0 "$TRAUMA" gen $cut -o shared
        ! grep -q "a killed command left" "$WORK/err" || break
        sleep 1
    done
    expect_text err "a killed command left $left: \`rm -r $left\` removes it"
    expect_exit 0 diff -r new shared
    expect_same "$(ls -d .trauma-*)" "$left" "what a killed writer left"
    # Other commands that write there tell it too, and its command is right.
    expect_exit 0 "$TRAUMA" machine show pentium-pro -o ./shared.lua
    expect_text err "$left"
    sh -c "$(sed -n 's/.*`\(rm -r .*\)`.*/\1/p' "$WORK/err")"
    expect_exit 0 "$TRAUMA" gen $cut -o shared
    expect_empty err
    rm -r shared shared.lua
done
mkdir -m 700 "it's mine" "it's mine/.trauma-0123456789abcdef"
chmod 700 "it's mine/.trauma-0123456789abcdef"
expect_exit 0 "$TRAUMA" machine show pentium-pro -o "it's mine/m.lua"
sh -c "$(sed -n 's/.*`\(rm -r .*\)`.*/\1/p' "$WORK/err")"
expect_same "$(ls -A "it's mine")" m.lua "what the named command left"

# Two writers of one suite: the other's folder stays and is not called left, also where its process is not seen.
second="env"
if unshare --pid --fork --mount-proc true 2>/dev/null; then
    second="unshare --pid --fork --mount-proc"
else
    echo "not tried: no PID namespace may be made here"
fi
begin_long -j1
expect_exit 0 $second "$TRAUMA" gen $cut -o shared
expect_empty err
ls -d .trauma-* >/dev/null 2>&1 || fail "a live writer's folder was removed"
expect_exit 0 diff -r new shared
got=0
wait $child || got=$?
expect_same "$got" 0 "exit code of the first writer"
expect_exit 0 "$TRAUMA" check shared --counters bytes,plan -q --filter 'hit=0$'
expect_same "$(json_document shared/suite.json '#programs') $(ls shared/small | wc -l)" "501 501" "programs of the suite that was last"
rm -r shared

# A file that goes while the suite is written is seen before the suite takes its place.
begin_long -j1
until ls -d .trauma-*/suite/small/hit=0.01 >/dev/null 2>&1; do # what is removed is no longer written
    kill -0 $child || fail "the writer ended too soon"
    sleep 0.01
done
rm -r .trauma-*/suite/small/hit=0
got=0
wait $child || got=$?
expect_same "$got" 1 "exit code of a writer whose files were removed"
grep -q "another process" "$WORK/err.long" || fail "no word of files that were removed"
[ ! -e shared ] || fail "a suite that lacks files was put in place"
expect_same "$(ls -d .trauma-* 2>/dev/null || true)" "" "what such a writer left"

# ---- any call that fails, and a kill before any call ----
# try CALL HOW: what is there afterwards is the old suite or the new one, with the files beside it.
try()
{
    rm -rf place
    mkdir place
    cp -a old place/s
    [ -z "$force" ] || echo mine >place/s/results.jsonl
    got=0
    FAIL_AT=$1 FAIL_WITH=$2 LD_PRELOAD=$FAILING_CALLS ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0 \
        "$TRAUMA" gen $cut -q -o place/s $force >"$WORK/out" 2>"$WORK/err" </dev/null || got=$?
    found=$(ls -A place | tr '\n' ' ')
    [ -z "$force" ] || expect_same "$(cat place/s/results.jsonl)" mine "call $1, $2: results.jsonl"
    is=broken
    for suite in old new; do
        ! diff -rq -x results.jsonl $suite place/s >"$WORK/different" 2>&1 || is=$suite
    done
    case "$2 $got $is" in
    "kill 137 old" | "kill 137 new") ;;
    "kill 137 broken") [ ! -e place/s ] && diff -rq -x results.jsonl old place/.trauma-*/before >/dev/null && [ -n "${NO_EXCHANGE:-}" ] || fail "call $1, $2: no suite" ;;
    *" 0 new") ;;
    *" 1 old") expect_text err "cannot" ;;
    *" 1 new") expect_text err "has the new suite" ;;
    *) fail "call $1, $2: exit code $got and $is" ;;
    esac
    [ $got -eq 137 ] || [ "$found" = "s " ] || grep -q "cannot be removed" "$WORK/err" ||
        [ "$2" = EACCES ] || [ "$2" = EIO ] || fail "call $1, $2: left $found"
    # What is left is named by the next writer, and in nobody's way.
    if [ "$found" != "s " ] && [ -n "$(ls -A place)" ]; then
        expect_exit 0 "$TRAUMA" gen $cut -o place/s $force
        for left in place/.trauma-*; do
            [ ! -e "$left" ] || expect_text err "$left"
        done
        [ $is != broken ] || expect_text err "left the former suite in $left/before"
        expect_exit 0 diff -r -x results.jsonl new place/s
        [ -z "$force" ] || [ $is = broken ] || expect_same "$(cat place/s/results.jsonl)" mine "results.jsonl after the next writer"
    fi
}

tried=0
for force in "" --force in-two; do
    if [ "$force" = in-two ]; then # where two folders cannot be exchanged, as on NFS
        force=""
        NO_EXCHANGE=yes
        export NO_EXCHANGE
    fi
    rm -rf place
    mkdir place
    cp -a old place/s
    [ -z "$force" ] || echo mine >place/s/results.jsonl
    FAIL_COUNT="$WORK/count" FAIL_AT=1000000 FAIL_WITH=EIO LD_PRELOAD=$FAILING_CALLS \
        ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0 "$TRAUMA" gen $cut -q -o place/s $force >"$WORK/out"
    calls=$(cat "$WORK/count")
    [ "$calls" -gt 20 ] || fail "only $calls calls were seen"
    offset=0
    for how in kill EIO ENOSPC EINTR EACCES short; do
        call=$((1 + offset))
        while [ $call -le "$calls" ]; do
            try $call $how
            tried=$((tried + 1))
            call=$((call + every))
        done
        offset=$(((offset + 1) % every))
    done
done
echo "$tried faults of $calls calls"
