# Programs for NVIDIA's GPUs that tests break on purpose; begins a test, after lib.sh.

# broken POINT SED TEXT [SOURCE]: the point's program in the suite h100, changed by sed, is failed by check, which says the text.
count=0
broken()
{
    rm -rf bad
    cp -r h100 bad
    sed -i "$2" "bad/$1/program.ptx"
    ! cmp -s "h100/$1/program.ptx" "bad/$1/program.ptx" || fail "$2 changes nothing in $1"
    got=0
    "$TRAUMA" check bad --as-is -j 1 --counters "${4:-warp}" --filter "^$1\$" >out 2>err </dev/null || got=$?
    [ $got -eq 1 ] || [ $got -eq 5 ] || fail "$1 with $2 is not failed: exit $got: $(cat out)"
    cat out err | grep -q -e "$3" || fail "$1 with $2: '$3' is not said: $(cat out err)"
    count=$((count + 1))
}
