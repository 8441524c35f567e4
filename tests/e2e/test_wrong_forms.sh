# Chips whose power has another form than the model's: no coefficient is outside its interval in more than one tenth of the
# machines unless the first line says that the model is not to be trusted, and chips of the model's form are not doubted. A
# few machines of each kind; wrong_forms.py prints the table for more.
. "$SOURCE/tests/e2e/lib.sh"
without_sanitizers
command -v python3 >/dev/null || skip "python3 writes the chips"
plain_program
expect_exit 0 python3 "$SOURCE/tests/e2e/wrong_forms.py" "$PLAIN" --machines 6 --most 0.17
cat out

# Results without the points that vary the activity, as of other recipes: every fit says that its form is not tested.
for model in incremental access-energy interconnect; do
    expect_exit 0 python3 "$SOURCE/tests/e2e/wrong_forms.py" "$PLAIN" --machines 2 --without --model $model
done

# What throttles or leaves turbo within a point is named, whatever the model.
mkdir kept
python3 "$SOURCE/tests/e2e/wrong_forms.py" "$PLAIN" --machines 1 --keep kept >/dev/null || true
expect_exit 2 "$TRAUMA" fit incremental kept/incremental-turbo-0.jsonl
expect_text err "4 of 26 points are left out: their clock moved while they ran"
expect_text err "no results for MB_NOP"
expect_exit 0 "$TRAUMA" fit incremental kept/incremental-throttled-0.jsonl
expect_text out "2 of 26 points have repetitions at another clock than most, which are left out"
expect_text out "repetition 4 takes 1.4 times as long as in most"
expect_exit 0 "$TRAUMA" fit access-energy kept/access-energy-throttled-0.jsonl
expect_text out "repetition 3 takes 1.4 times as long as in most"
