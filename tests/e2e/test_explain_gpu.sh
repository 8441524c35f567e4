# trauma explain of GPU programs: the grid, the streams and where blocks run, and nothing specific to CPUs.
. "$SOURCE/tests/e2e/lib.sh"

cat >both.lua <<'RECIPE'
benchmark {
  name = "both", target = { "ptx", "gcn" },
  grid = { blocks = 8, threads = 128 },
  kernel = function() return { load { served_by = { SHARED = 0.5, L2 = 0.5 }, data = pattern.ones() }, add {} } end,
}
RECIPE
expect_exit 0 "$TRAUMA" explain both.lua -m h200 --counters plan
expect_text out "sm_90, 132 multiprocessors, 32 threads in step"
expect_text out "8 blocks of 128 threads, with"
awk '$1 == "load" && $2 == "SHARED" && $3 == "-" && $4 == 4 { shared = $5 }
     $1 == "load" && $2 == "L2" && $3 == "cg" && $4 == 4 { second = $5 }
     END { exit !(shared > 0 && shared == second) }' out || fail "the streams are not shown, or not in equal shares"
for word in L1I "eviction set" "pages of" " 0 B"; do
    if grep -F "$word" out >/dev/null; then
        fail "it says '$word' of a GPU"
    fi
done

expect_exit 0 "$TRAUMA" explain both.lua -m w9100 --counters plan
expect_text out "gfx701, 44 compute units in 4 shader engines, 64 threads in step"
expect_text out "in 16 channels, which take turns every 256 B"
