# What the tests of a shell's limits share.
write_recipe small.lua 'plot = { x = "hit", y = "ipc" },'
expect_exit 0 "$TRAUMA" gen small.lua -m pentium-pro -o suite -q

# under LIMIT COMMAND...: exit 0, or 1 with the limit's name and without the file or folder that -o names; in $code.
under()
{
    limit=$1
    shift
    code=0
    # The limit is of the command alone, once its output is open.
    (ulimit $limit && exec "$TRAUMA" "$@") >"$WORK/out" 2>"$WORK/err" </dev/null || code=$?
    case $code in
    0) ;;
    1)
        grep -q "ulimit ${limit%% *}. allows ${limit#* }" "$WORK/err" || fail "the limit $limit is not named: $*"
        [ ! -e "$WORK/made" ] || fail "what -o names is there after $*"
        ;;
    127) grep -q "error while loading shared libraries" "$WORK/err" || fail "exit code 127 under $limit: $*" ;;
    *) fail "exit code $code under $limit: $*" ;;
    esac
    rm -rf "$WORK/made" "$WORK"/made.*
}

# all LIMIT: every command that reads or writes files, or starts processes; how many of them end well, in $well.
all()
{
    well=0
    for command in "list small.lua" "gen small.lua -m pentium-pro -o made" "check small.lua -m pentium-pro -j1 --counters bytes" \
        "check suite -j2 --counters bytes" "explain small.lua -m pentium-pro --counters bytes" "diff suite suite" \
        "machine show zen5" "sensors"; do
        under "$1" $command
        well=$((well + (code == 0)))
    done
}
