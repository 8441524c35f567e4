# The standalone program's reads and misses do not depend on its argument's length and place: subtracting two runs
# leaves only the loop, even one with few loads.
. "$SOURCE/tests/e2e/lib.sh"
need_program valgrind

cat >few.lua <<'LUA'
benchmark { name = "few", kernel = function() return { load { miss_rate = { L1 = 0.5 } } } end, loop = { units = 4 } }
LUA
expect_exit 0 "$TRAUMA" gen few.lua -m odd-24k -o suite
# count NUMBER [VARIABLE=TEXT...]: reads of data, and their misses at both levels
count()
{
    number=$1
    shift
    expect_exit 0 env "$@" valgrind --tool=cachegrind --cache-sim=yes --vex-iropt-level=0 --D1=24576,6,64 \
        --I1=32768,8,64 --LL=262144,4,64 --cachegrind-out-file="$WORK/counts" suite/few/default/program "$number"
    # Ir I1mr ILmr Dr D1mr DLmr
    sed -n 's/^summary: *//p' counts | cut -d ' ' -f 4-6
}

text=
for length in 1 3 5 8 11 14 17 20; do
    number=$(printf "%0${length}d" 7)
    # Variables move the argument's text by their length, and the pointers to it by their number; the stack as well, to
    # each of its places in a block of 128 bytes.
    count "$number" A="$text"
    count "$number" A="aaaaaaaaaaaaaaaaaaa" B=b C=c
    count "$number" A=a B=b C=c D=d E="$text"
    text="${text}0123456789abcdef"
done >seen
expect_same "$(wc -l <seen | tr -d ' ')" 24 "runs counted"
expect_same "$(sort -u seen | wc -l | tr -d ' ')" 1 "different counts among the runs: $(sort seen | uniq -c | tr '\n' ';')"
