# The recipes of recipes/ppep-2014: as many points as the machine has compute units, clean on the paper's machine and here.
. "$SOURCE/tests/e2e/lib.sh"

expect_exit 0 "$TRAUMA" list ppep-2014 -m fx-8320 -v
expect_same "$(grep -c '^power-gating/' out)" 10 "points of none to four units, gating on and off"
expect_same "$(grep -c '^heat-and-cool/' out)" 5 "clocks"

expect_exit 0 "$TRAUMA" gen ppep-2014 -m fx-8320 -o suite
fields="threads place/cu state/idle_states"
expect_same "$(json_document suite/power-gating/busy=0,gating=false/manifest.json $fields | tr '\t' ' ')" "0 all false" "no unit busy"
expect_same "$(json_document suite/power-gating/busy=4,gating=true/manifest.json $fields | tr '\t' ' ')" "4 all true" "all units busy"
expect_same "$(json_document suite/heat-and-cool/ghz=1.7/manifest.json place/cores state/frequency measure/idle_after | tr '\t' ' ')" \
    "all 1.7 300" "heating and cooling"
need_program valgrind
expect_exit 0 "$TRAUMA" check suite --strict --filter 'busy=[04],|ghz=3.5'
expect_exit 0 "$TRAUMA" check ppep-2014 --counters bytes --filter 'busy=[01],|ghz=3.5'
# The length of a run is that of its points' own times.
expect_exit 0 "$TRAUMA" run suite --dry-run --filter ghz=3.5
expect_text err "1 point, about 571 s"
