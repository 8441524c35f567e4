# The examples that --help shows run as they stand, in their order, in a folder with my.lua (examples/my.lua).
. "$SOURCE/tests/e2e/lib.sh"
without_sanitizers
need_program gnuplot
mkdir here
cd here
cp "$SOURCE/examples/my.lua" .

# examples COMMAND...: what its help shows.
examples()
{
    "$TRAUMA" "$@" --help | sed -n '/^examples:$/,/^$/s/^  //p'
}

# Only where the hardware is, slow, or about files that are not here.
stands_alone()
{
    case $1 in
    *" measure "* | *" machine probe "* | *"/dev/ttyACM0"* | *" patch "* | *" old.jsonl "* | *"other-suite"*) return 1 ;;
    *) return 0 ;;
    esac
}

PATH="$WORK/bin:$PATH"
mkdir ../bin
# Short repetitions, as nothing is measured here.
cat >../bin/trauma <<RUN
#!/bin/sh
usual="--time 0.002 --power none -q"
case \$* in
*"-o results.jsonl"*) exec "$TRAUMA" "\$@" \$usual --counters bytes,timing --filter miss=0.37 ;;
run*) exec "$TRAUMA" "\$@" \$usual --counters bytes ;;
esac
exec "$TRAUMA" "\$@"
RUN
chmod +x ../bin/trauma

count=0
for command in list gen run check explain merge plot report export diff machine sensors; do
    examples $command >lines
    [ -s lines ] || fail "trauma $command --help has no examples"
    while read -r line; do
        stands_alone "$line" || continue
        case $line in
        trauma\ check\ my*|trauma\ explain*) line=$(echo "$line" | sed 's/ *#.*//')" --counters bytes" ;;
        esac
        got=0
        sh -c "$line" >"$WORK/out" 2>"$WORK/err" </dev/null || got=$?
        case $got.$line in 0.* | 5.trauma\ diff*) ;; *) fail "exit code $got of: $line" ;; esac
        count=$((count + 1))
    done <lines
done
[ "$count" -ge 20 ] || fail "only $count examples ran"

# All that any help or manual shows fits a line, and has options that exist.
for command in list gen run check explain merge plot report export diff machine sensors patch \
    "measure latency" "measure bandwidth" "measure instruction" "measure cores" "measure stress"; do
    examples $command >lines
    [ -s lines ] || fail "trauma $command --help has no examples"
    "$TRAUMA" $command --help >help
    grep -o ' --[a-z-]*' lines | sort -u >options || true
    while read -r option; do
        grep -q -- "^ *\(-[a-z], \)\{0,1\}$option\( \|$\)" help || "$TRAUMA" run --help | grep -q -- "$option " ||
            fail "trauma $command has no $option"
    done <options
    awk 'length > 78 { exit 1 }' lines || fail "an example of $command is too long"
    case $command in *" "*) continue ;; esac
    "$TRAUMA" man $command | grep -q '^.SH EXAMPLES$' || fail "the manual of $command has no examples"
done
