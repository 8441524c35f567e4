# Damaged suites and results: damage is reported and counted, intact parts are judged, and nothing outside the suite
# is read.
. "$SOURCE/tests/e2e/lib.sh"

write_recipe small.lua
expect_exit 0 "$TRAUMA" gen small.lua -m pentium-pro -o whole
quick="--counters bytes,plan"

# broken TEXT: of the suite "suite" the point hit=0.5 does not run, for a reason with TEXT; the other one passes.
broken()
{
    expect_exit 1 "$TRAUMA" check suite $quick --json
    expect_text err "$1"
    expect_same "$(json "$WORK/out" point metric wanted verdict '#observations' | grep '^hit=0.5	')" \
        "$(printf 'hit=0.5\tnull\tnull\tdid not run\t0')" "the broken point's line"
    json "$WORK/out" reason | grep -qF -e "$1" || fail "no reason with '$1'"
    expect_same "$(json "$WORK/out" point metric verdict | grep 'body.share')" "hit=0.75	body.share	pass" "the whole point"
    expect_exit 1 "$TRAUMA" check suite $quick --tap
    expect_same "$(grep -c '^not ok' "$WORK/out")" 1 "failures in TAP"
    expect_text out "not ok 1 - small/hit=0.5"
    rm -f results.jsonl
    expect_exit 1 "$TRAUMA" run suite $quick -o results.jsonl --time 0.01 --reps 1
    expect_text out "1 point that did not run"
    grep -Eq '^small/hit=0.5( +-)+ +did not run' "$WORK/out" || fail "the table has numbers for it"
    expect_same "$(json results.jsonl name rates/body.share/verdict | tail -n 2 | sort)" \
        "$(printf 'hit=0.5\t-\nhit=0.75\tpass')" "the points of the run"
    json results.jsonl error | grep -qF -e "$1" || fail "the results do not say '$1'"
    rm -rf suite
}

damage()
{
    cp -r whole suite
    cd suite/small/hit=0.5
}
damage && echo '{}' >manifest.json && cd "$WORK" && broken 'as "benchmark"'
damage && echo '[' >manifest.json && cd "$WORK" && broken 'not JSON'
damage && sed -i 's/"targets": {/"targets": [], "was": {/' manifest.json && cd "$WORK" && broken 'an object as "targets"'
damage && echo text >program && cd "$WORK" && broken 'not an ELF file'
damage && : >program.o && cd "$WORK" && broken 'not an ELF file'
damage && rm program.o && cd "$WORK" && broken 'cannot read'

# --resume takes the repaired suite up where the damaged one failed.
expect_exit 0 "$TRAUMA" run whole $quick -o results.jsonl --time 0.01 --reps 1 --resume
expect_same "$(json results.jsonl rates/body.share/verdict | grep -c pass)" 2 "finished points after the repair"

# A changed file is refused, or judged as it stands, with a warning.
cp -r whole suite
expect_exit 0 "$TRAUMA" check suite $quick
expect_empty err
sed -i 's/"period": 1,/"period": 1, "note": "mine",/' suite/small/hit=0.5/manifest.json
expect_exit 1 "$TRAUMA" check suite $quick
expect_text err "its files differ from those generated; generate the suite anew"
expect_text err "hit=0.5"
expect_exit 0 "$TRAUMA" check suite $quick --as-is
expect_text err "hit=0.5: its files differ from those generated; the present files are judged"
expect_exit 0 "$TRAUMA" explain suite --counters plan
expect_text err "hit=0.5: its files differ from those generated"

# Nothing outside the suite is read.
for path in ../whole/small/hit=0.5 small/../../whole/small/hit=0.5 "$WORK/whole/small/hit=0.5" .. ''; do
    sed "s|\"path\": \"small/hit=0.5\"|\"path\": \"$path\"|" whole/suite.json >suite/suite.json
    expect_exit 2 "$TRAUMA" check suite $quick
    expect_text err "is not in the suite"
done
sed 's|"path": "small/hit=0.5",||' whole/suite.json >suite/suite.json
expect_exit 2 "$TRAUMA" check suite $quick
expect_text err "suite.json: program 1 has no"

# Results whose rates are none.
refused()
{
    sed "$1" results.jsonl >bad.jsonl
    if cmp -s bad.jsonl results.jsonl; then
        fail "nothing was changed by $1"
    fi
    expect_exit 2 "$TRAUMA" check bad.jsonl
    expect_text err "bad.jsonl:"
    expect_text err "expected"
}
refused 's/"rates":{.*}}/"rates":5}/'
refused 's/"rates":/"rated":/'
refused 's/"observations":\[/"observations":7,"was":[/'
refused 's/"kind":"inspected","value":[0-9.]*/"kind":"inspected","value":null/'
