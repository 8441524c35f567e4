# A job array's own numbers select a shard. What is no number, or half of them, is refused: it would select everything,
# in each task of the array.
. "$SOURCE/tests/e2e/lib.sh"
unset SLURM_ARRAY_TASK_ID SLURM_ARRAY_TASK_COUNT SLURM_ARRAY_TASK_MIN
write_recipe small.lua
selects()
{
    expect_exit 0 env "$@" "$TRAUMA" gen small.lua -o suite -q
    ls suite/small | grep -c hit=
}
refuses()
{
    expect_exit 2 env "$@" "$TRAUMA" gen small.lua -o refused -q
    expect_text err "$said"
    [ ! -e refused ] || fail "a refused shard left a suite"
}

all=$(selects TASKS=none)
[ "$all" -gt 1 ] || fail "the recipe has one point"
expect_same "$(selects SLURM_ARRAY_TASK_ID=1 SLURM_ARRAY_TASK_COUNT="$all" SLURM_ARRAY_TASK_MIN=1)" 1 "points of a task"
expect_same "$(selects SLURM_ARRAY_TASK_ID=0 SLURM_ARRAY_TASK_COUNT=1)" "$all" "points of the only task"

for value in 3x '' 18446744073709551616 -1 ' 1' 1.0 0x1 1e0; do
    said="SLURM_ARRAY_TASK_ID is '$value', which is not a whole number below 2^64"
    refuses "SLURM_ARRAY_TASK_ID=$value" SLURM_ARRAY_TASK_COUNT=8
    said="SLURM_ARRAY_TASK_COUNT is '$value', which is not"
    refuses SLURM_ARRAY_TASK_ID=3 "SLURM_ARRAY_TASK_COUNT=$value"
    said="SLURM_ARRAY_TASK_MIN is '$value', which is not"
    refuses SLURM_ARRAY_TASK_ID=3 SLURM_ARRAY_TASK_COUNT=8 "SLURM_ARRAY_TASK_MIN=$value"
done
said="SLURM_ARRAY_TASK_ID is set, but not SLURM_ARRAY_TASK_COUNT"
refuses SLURM_ARRAY_TASK_ID=3
said="SLURM_ARRAY_TASK_COUNT is set, but not SLURM_ARRAY_TASK_ID"
refuses SLURM_ARRAY_TASK_COUNT=8
said="must have no gaps"
refuses SLURM_ARRAY_TASK_ID=9 SLURM_ARRAY_TASK_COUNT=8
refuses SLURM_ARRAY_TASK_ID=0 SLURM_ARRAY_TASK_COUNT=0
refuses SLURM_ARRAY_TASK_ID=1 SLURM_ARRAY_TASK_COUNT=8 SLURM_ARRAY_TASK_MIN=2

# --shard says it in any case.
expect_exit 0 env SLURM_ARRAY_TASK_ID=3x "$TRAUMA" gen small.lua -o suite -q --shard 1/1

# Numbers of options are whole words, too.
for option in --reps=3x --reps= --time=1x --seed=18446744073709551616 -j2x --shard=1/2x --shard=18446744073709551617/2; do
    expect_exit 2 "$TRAUMA" run small.lua -o refused.jsonl $option
done
