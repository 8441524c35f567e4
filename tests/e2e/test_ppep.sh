# The recipes of recipes/ppep-2014: as many points as the machine has compute units, valid on the paper's machine and
# here.
. "$SOURCE/tests/e2e/lib.sh"

expect_exit 0 "$TRAUMA" list ppep-2014 -m fx-8320 -v
expect_same "$(grep -c '^power-gating/' out)" 10 "points of none to four units, gating on and off"
expect_same "$(grep -c '^heat-and-cool/' out)" 5 "clocks"
expect_same "$(grep -c '^vf-states/' out)" 15 "clocks by shares of memory"
expect_same "$(grep -c '^training/event=fpu,' out)" 4 "steps of assignments to the floating point unit"
expect_same "$(grep -c '^training/event=fpu_fused,' out)" 4 "steps of fused assignments, where the machine has FMA"
expect_exit 0 "$TRAUMA" list ppep-2014/training -m odd-24k -v
expect_same "$(grep -c '^training/event=fpu,' out)" 4 "steps where the machine has SSE2"
expect_same "$(grep -c '^training/event=fpu_fused,' out || true)" 0 "fused steps without FMA"

expect_exit 0 "$TRAUMA" gen ppep-2014 -m fx-8320 -o suite
fields="threads place/cu state/idle_states"
expect_same "$(json_document suite/power-gating/busy=0,gating=false/manifest.json $fields | tr '\t' ' ')" "0 all false" "no unit busy"
expect_same "$(json_document suite/power-gating/busy=4,gating=true/manifest.json $fields | tr '\t' ' ')" "4 all true" "all units busy"
expect_same "$(json_document suite/heat-and-cool/ghz=1.7/manifest.json place/cores state/frequency measure/idle_after | tr '\t' ' ')" \
    "all 1.7 300" "heating and cooling"
# Three quarters of a unit of 16: 6 additions and 6 multiplications, and none of them in the step of fused ones.
expect_exit 0 "$TRAUMA" check suite --counters bytes --filter 'event=fpu.*,share=0.75' --json
grep -F 'event=fpu,' out >fpu.jsonl || fail "no rate of event=fpu"
grep -F '"mix.fadd"' fpu.jsonl >/dev/null && grep -F '"mix.fmul"' fpu.jsonl >/dev/null || fail "no mix.fadd or mix.fmul"
grep -F 'event=fpu_fused,' out | grep -F '"mix.fma"' >/dev/null || grep -F 'event=fpu_fused' err >/dev/null || fail "no mix.fma"
need_program valgrind
expect_exit 0 "$TRAUMA" check suite --strict --filter 'busy=[04],|ghz=3.5'
expect_exit 0 "$TRAUMA" check ppep-2014 --counters bytes --filter 'busy=[01],|ghz=3.5'
# The length of a run is that of its points' own times.
expect_exit 0 "$TRAUMA" run suite --dry-run --filter heat-and-cool.ghz=3.5
grep -Eq "^1 point, about 4 min( ([0-9]|[1-5][0-9]) s)? and" err || fail "not the time of its point: $(cat err)"
