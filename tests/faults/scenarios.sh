# What tests/faults/run.sh does to each command, and how it judges what came of it. Needs TRAUMA, FAULT, GCN_FILE,
# JSON_LINES, WORK, SEED, KILLS, CALLS and KINDS. A scenario is a command in a folder of its own, in which only its
# output stands:
#
#   NAME_begin   puts what was there before into the folder
#   NAME_args    the command
#   NAME_is_old, NAME_is_new   true where the folder holds the one, the other
#   NAME_again   the arguments that go on after a fault; without, NAME_begin and NAME_args
#   NAME_names   what the folder may hold
scenarios="gen regen run resume check merge patch fit export"
tried=0
wrong=0

quick="--time 0.001 --reps 1 --counters bytes,plan --power none -q"

trauma()
{
    "$TRAUMA" "$@" >"$WORK/out" 2>"$WORK/err" </dev/null
}

# What the commands read, and what they write when nothing fails.
prepare_ground()
{
    mkdir -p "$WORK/prepared" "$WORK/case/out" "$WORK/case/tmp"
    (
        cd "$WORK/prepared"
        cat >small.lua <<RECIPE
benchmark {
  name   = "small",
  sweep  = { hit = { 0.5, 0.75 } },
  loop   = { units = 40 },
  kernel = function(p)
    return { load { served_by = { L1 = p.hit, L2 = 1 - p.hit } }, add { dependents = 1 } }
  end,
}
RECIPE
        WORK=$prepared
        trauma gen $prepared/small.lua -m pentium-pro --seed 2 -o old-suite
        trauma gen $prepared/small.lua -m pentium-pro -o suite
        trauma run $prepared/suite --filter 'hit=0.5$' $quick -o first.jsonl
        trauma run $prepared/suite --shard 1/2 $quick -o a.jsonl
        trauma run $prepared/suite --shard 2/2 $quick -o b.jsonl
        trauma check $prepared/suite --counters bytes,plan --junit junit.xml
        mv out check.out
        trauma merge $prepared/a.jsonl $prepared/b.jsonl -o merged.jsonl
        trauma export $prepared/a.jsonl -o table.csv
        "$GCN_FILE" rocm gfx906 in.bin "s_movk_i32 s7, 0x7a5a
s_endpgm"
        trauma patch $prepared/in.bin -o out.bin --kernel first --marker --field se
        . "$SOURCE/tests/e2e/incremental_results.sh"
        write_incremental known.jsonl
        trauma fit incremental $prepared/known.jsonl -o model.json
    ) || { cat "$WORK/prepared/err"; exit 125; }
}

prepared=$WORK/prepared
same() { cmp -s "$1" "$2"; }
lacks() { [ ! -e "$1" ]; }

gen_begin() { :; }
gen_args() { echo "gen $prepared/small.lua -m pentium-pro -o suite -q"; }
gen_is_old() { lacks suite; }
gen_is_new() { diff -r suite $prepared/suite >/dev/null 2>&1; }
gen_names=suite

regen_begin() { cp -r $prepared/old-suite suite; }
regen_args() { echo "gen $prepared/small.lua -m pentium-pro -o suite -q -j 2"; }
regen_is_old() { diff -r suite $prepared/old-suite >/dev/null 2>&1; }
regen_is_new() { gen_is_new; }
regen_names=suite

# Whole lines, the first a context, and no point measured twice: one that failed may come again.
is_results()
{
    [ -s results.jsonl ] || return 0
    [ -z "$(tail -c 1 results.jsonl)" ] && "$JSON_LINES" results.jsonl kind name error >../lines 2>/dev/null &&
        awk 'NR == 1 ? $1 != "context" : $1 != "point" { exit 1 }
             NR > 1 && $3 == "-" && seen[$2]++ { exit 1 }' ../lines
}
all_points()
{
    is_results && [ -s results.jsonl ] && [ "$(awk 'NR > 1 && $3 == "-"' ../lines | wc -l)" -eq 2 ]
}
run_begin() { :; }
run_args() { echo "run $prepared/suite -o results.jsonl $quick"; }
run_is_old() { is_results; }
run_is_new() { all_points; }
run_again="--resume"
run_names=results.jsonl

resume_begin() { cp $prepared/first.jsonl results.jsonl; }
resume_args() { echo "run $prepared/suite -o results.jsonl --resume $quick"; }
resume_is_old() { is_results && [ "$(head -n 2 results.jsonl)" = "$(cat $prepared/first.jsonl)" ]; }
resume_is_new() { resume_is_old && all_points; }
resume_again=" "
resume_names=results.jsonl

check_begin() { echo old >junit.xml; }
check_args() { echo "check $prepared/suite --counters bytes,plan --junit junit.xml"; }
# A report that tells what could not be looked at is one too; then the exit code is not 0.
check_is_old()
{
    [ "$(cat junit.xml)" = old ] ||
        { [ "$(tail -n 1 junit.xml)" = "</testsuites>" ] && grep -qE '<error|unobserved' junit.xml; }
}
without_times() { sed 's/ time="[0-9.e+-]*"//' "$1"; }
check_is_new() { [ "$(without_times junit.xml)" = "$(without_times $prepared/junit.xml)" ]; }
check_shows() { same ../stdout $prepared/check.out; }
check_names=junit.xml

merge_begin() { :; }
merge_args() { echo "merge $prepared/a.jsonl $prepared/b.jsonl -o merged.jsonl"; }
merge_is_old() { lacks merged.jsonl; }
merge_is_new() { same merged.jsonl $prepared/merged.jsonl; }
merge_names=merged.jsonl

patch_begin() { echo old >out.bin; }
patch_args() { echo "patch $prepared/in.bin -o out.bin --kernel first --marker --field se"; }
patch_is_old() { [ "$(cat out.bin)" = old ]; }
patch_is_new() { same out.bin $prepared/out.bin; }
patch_names=out.bin

fit_begin() { echo old >model.json; }
fit_args() { echo "fit incremental $prepared/known.jsonl -o model.json"; }
fit_is_old() { [ "$(cat model.json)" = old ]; }
fit_is_new() { same model.json $prepared/model.json; }
fit_names=model.json

export_begin() { :; }
export_args() { echo "export $prepared/a.jsonl -o table.csv"; }
export_is_old() { lacks table.csv; }
export_is_new() { same table.csv $prepared/table.csv; }
export_names=table.csv

# ---- one case ----

begin()
{
    cd "$WORK/case"
    rm -rf out tmp
    mkdir out tmp
    cd out
    ${scenario}_begin
}

complain()
{
    wrong=$((wrong + 1))
    {
        echo "$scenario: $* [$(grep '^hit' "$WORK/case/report" || echo "no hit")]"
        grep -v '^trauma: warning' "$WORK/case/err" | head -n 2 | sed 's/^/    /'
        echo "    TRY='$deed' KINDS=$KINDS sh tests/faults/run.sh $scenario"
    } | tee -a "$WORK/wrong"
}

# Other names than the output's, in its folder and in the one for temporary files.
strays()
{
    ls -A . | grep -vx "$names" || true
    ls -A ../tmp
}

# What a kill, or a file that cannot be removed, left: the next command that writes there names it, and the command that it
# gives removes it.
unnamed_drafts()
{
    trauma machine show pentium-pro -o ./named
    rm -f named
    for draft in $(ls -Ad .trauma-* 2>/dev/null); do
        if grep -qF "\`rm -r $draft\`" "$WORK/err"; then
            rm -r "$draft"
        else
            echo "$draft"
        fi
    done
}

# The command itself, a last time and undisturbed: it ends well, and nothing of before stands in its way.
recover()
{
    eval "more=\${${scenario}_again:-}"
    if [ -n "$more" ]; then
        arguments="$(${scenario}_args) $more"
    else
        [ ! -e "$names" ] || [ "$scenario" != merge ] || rm "$names"
        arguments=$(${scenario}_args)
    fi
    code=0
    TMPDIR=$WORK/case/tmp "$TRAUMA" $arguments >../again.out 2>../again.err </dev/null || code=$?
    if [ "$code" -ne 0 ]; then
        complain "the next run ended with $code: $(head -n 1 ../again.err)"
    elif ! ${scenario}_is_new; then
        complain "the next run did not write what it should"
    elif [ -n "$(unnamed_drafts)" ]; then
        complain "left over and not named: $(unnamed_drafts)"
    elif [ -n "$(strays)" ]; then
        complain "left over after the next run: $(strays | tr '\n' ' ')"
    fi
}

field()
{
    sed -n "s/^$1 //p" ../report
}

# False where stderr is what failed, by itself or with all that is written.
can_speak()
{
    case "$hit $deed" in
    *" stderr "* | "write "*" -e") return 1 ;;
    esac
}

# True where a file cannot be removed: by a fault of just that; otherwise what stays is told by name.
must_stay()
{
    case "$hit $deed" in
    unlink*\ * | rmdir*\ *) return 0 ;;
    *) strays | while IFS= read -r name; do grep -qF -e "$name" ../err || exit 1; done ;;
    esac
}

# judge KILLED: what a fault, or a kill, may leave.
judge()
{
    tried=$((tried + 1))
    code=$(field exit)
    hit=$(field hit)
    left=$(field left)
    if [ "$(field late)" != 0 ]; then
        complain "it did not end"
    elif [ -n "$left" ]; then
        complain "it left running: $left"
    elif [ "$1" = no ] && [ -z "$code" ]; then
        complain "it died of signal $(field signal)"
    elif grep -qE 'Sanitizer|Assertion|terminate called|LLVM ERROR|runtime error' ../err; then
        complain "it broke"
    elif [ "$1" = no ] && [ "$code" -gt 4 ]; then
        complain "exit code $code"
    elif [ "$code" = 0 ] && ! ${scenario}_is_new; then
        complain "exit code 0, but the output is not whole"
    elif [ "$code" = 0 ] && [ "$scenario" = check ] && ! check_shows; then
        complain "exit code 0, but stdout is not whole"
    elif [ "$1" = no ] && ! ${scenario}_is_old && ! ${scenario}_is_new; then
        complain "the output is neither the old nor the new one"
    elif [ "$1" = no ] && [ "$code" != 0 ] && can_speak && ! grep -q '^trauma: ' ../err &&
        ! grep -qE 'did not run|cannot run here' ../stdout; then
        complain "exit code $code without a sentence"
    elif [ "$1" = no ] && [ -n "$(strays)" ] && ! must_stay; then
        complain "left over: $(strays | tr '\n' ' ')"
    fi
    recover
}

# try_fault OPTIONS...: of fault.
try_fault()
{
    deed="$*"
    begin
    TMPDIR=$WORK/case/tmp "$FAULT" -s "$KINDS" -o ../report "$@" -- "$TRAUMA" $(${scenario}_args) \
        >../stdout 2>../err </dev/null || true
    case $deed in
    *kill*) judge yes ;;
    *) judge no ;;
    esac
}

# Numbers from 1 to $1, $2 of them, one from each stretch of as many; all, where they are no more.
choose()
{
    awk -v most="$1" -v count="$2" -v seed="$3" 'BEGIN {
        srand(seed)
        if (count == "all" || count + 0 >= most) { for (i = 1; i <= most; i++) print i; exit }
        for (i = 0; i < count; i++) print 1 + int((i + rand()) * most / count)
    }'
}

try_scenario()
{
    before=$wrong
    eval "names=\${${scenario}_names}"
    begin
    "$FAULT" -s "$KINDS" -o ../report -- "$TRAUMA" $(${scenario}_args) >../stdout 2>../err </dev/null || true
    calls=$(field calls)
    started=$tried
    if [ -n "${TRY:-}" ]; then
        try_fault $TRY
        calls=0
    fi
    for n in $(choose "$calls" "$CALLS" "$SEED"); do
        # Short writes are one in five, and disks that stay full one in eight.
        deed=pick
        [ $(((n + SEED) % 5)) -ne 0 ] || deed=short
        stays=
        [ $(((n + SEED) % 8)) -ne 0 ] || stays=-e
        try_fault -n "$n" -d $deed -x "$SEED" $stays
    done
    for n in $(choose "$calls" "$KILLS" "$((SEED + 77))"); do
        deed=kill
        [ $((n % 2)) -eq 0 ] || deed=killall
        try_fault -n "$n" -d $deed
    done
    echo "$scenario: $calls calls, $((tried - started)) tries, $((wrong - before)) wrong"
}
