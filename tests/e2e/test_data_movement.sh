# Table I of Kestor et al. 2013, in every column that can be observed without the paper's machine: each program's
# share of instructions in its body and its cache rates. MB_MEM64's few L3 misses are caused by its prefetcher and are
# excluded.
. "$SOURCE/tests/e2e/lib.sh"
need_program valgrind

expect_exit 0 "$TRAUMA" check data-movement-2013/programs -m interlagos
while read -r program metric bound; do
    grep -qE "program=$program +$metric .*$bound +pass " "$WORK/out" ||
        fail "$program: $metric $bound is no pass: $(grep "$program " "$WORK/out")"
done <<'TABLE'
MB_NOP body.share >= 0.9998
MB_iADD body.share >= 0.9992
MB_L1 body.share >= 0.9989
MB_L1 l1d.miss_rate <= 0.0003
MB_L2 body.share >= 0.9912
MB_L2 l1d.miss_rate >= 0.9996
MB_L2 l2.miss_rate <= 0.0013
MB_L3 body.share >= 0.9945
MB_L3 l1d.miss_rate >= 0.9958
MB_L3 l2.miss_rate >= 0.9947
MB_L3 l3.miss_rate <= 0.0056
MB_MEM body.share >= 0.9987
MB_MEM l1d.miss_rate >= 0.9948
MB_MEM l2.miss_rate >= 0.9948
MB_MEM l3.miss_rate >= 0.9918
MB_L1asm body.share >= 0.9932
MB_L1asm l1d.miss_rate <= 0.0001
MB_MEM64 body.share >= 0.9969
MB_MEM64 l1d.miss_rate 1
MB_MEM64 l2.miss_rate 1
TABLE
grep -qE 'program=MB_MEM64 +l3.miss_rate .*<= 0.0215 +unobserved' "$WORK/out" &&
    grep -qE '^\[[0-9]+\] .*only hardware counters observe prefetchers' "$WORK/out" ||
    fail "MB_MEM64's L3 misses: $(grep MEM64 "$WORK/out")"

# Strictly, what was not seen is no pass.
expect_exit 4 "$TRAUMA" check data-movement-2013/programs -m interlagos --filter MB_MEM64 --strict

# Where there is no L3 its program is left out, and the body has what L1I holds.
expect_exit 0 "$TRAUMA" gen data-movement-2013 -m pentium-pro -o suite
[ ! -e suite/programs/program=MB_L3 ] || fail "MB_L3 on a machine without L3"
[ -e suite/programs/program=MB_MEM ] || fail "no MB_MEM on a machine without L3"
expect_same "$(json_document suite/programs/program=MB_MEM/manifest.json targets/served.MEM units)" "1	8" "share of MB_MEM, units"
expect_same "$(find suite/mixtures -name manifest.json | wc -l)" 9 "mixtures without L3"
