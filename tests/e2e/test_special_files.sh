# Every reader accepts only regular files up to a stated size: a FIFO without a writer, an endless device and a file
# larger than any of its kind are refused at once.
. "$SOURCE/tests/e2e/lib.sh"

mkfifo fifo
truncate -s 3T large
write_recipe small.lua
expect_exit 0 "$TRAUMA" machine show pentium-pro -o mine.lua
expect_exit 0 "$TRAUMA" gen small.lua -m pentium-pro -o suite -q
printf '{"schema":1,"kind":"model","model":"idle","coefficients":{}}\n' >model.json
program=$(find suite -name program)
[ "$(printf '%s\n' "$program" | wc -l)" -eq 2 ] || fail "the suite has other programs than two"

# What reads on and on is to fail, and not to fill the machine; a sanitizer's build has its own use for addresses.
most=16000000
if grep -q __asan_init "$TRAUMA"; then
    most=unlimited
fi

# refused COMMAND...: ends by itself, soon, with a sentence.
refused()
{
    got=0
    (ulimit -v "$most" && timeout 600 "$TRAUMA" "$@") >"$WORK/out" 2>"$WORK/err" </dev/null || got=$?
    [ "$got" -ge 1 ] && [ "$got" -le 4 ] || fail "exit code $got of: trauma $*"
    grep -qE "not a regular file|at most|there is no results file|is not a file|is not a suite|is no suite|is not a calibration|the limit for" "$WORK/err" || fail "trauma $*: $(cat "$WORK/err")"
}

# What the commands read, by the name @, as a file of each kind.
for kind in fifo large /dev/zero; do
    for name in x.lua x.jsonl x.csv x.json x.co; do
        rm -f "$name"
        ln -s "$kind" "$name"
    done
    refused list x.lua
    refused check x.lua -m pentium-pro
    refused check small.lua -m ./x.lua
    refused machine show ./x.lua
    refused check small.lua -m pentium-pro --set hit=0.5 --import x.csv
    refused check x.jsonl
    refused plot x.jsonl -o x.svg
    refused report x.jsonl -o x.html
    refused export x.jsonl
    refused diff x.jsonl x.jsonl
    refused merge x.jsonl -o merged.jsonl
    refused fit idle x.jsonl -o y.json
    refused predict x.json x.csv
    refused predict model.json --idle x.json x.csv
    refused patch x.co -o y.co --marker --field cu
    for part in suite.json $(cd suite && find . -name manifest.json -o -name program | head -n 2); do
        rm -rf damaged
        cp -r suite damaged
        rm "damaged/$part"
        ln -s "$(realpath -s "$WORK/x.json" 2>/dev/null || echo "$WORK/x.json")" "damaged/$part"
        refused check damaged --counters bytes,plan
    done
done
[ ! -e merged.jsonl ] && [ ! -e y.json ] && [ ! -e y.co ] || fail "something was written"

# A tree of sysfs that holds none but FIFOs is read through, too.
for file in proc/cpuinfo proc/meminfo proc/stat sys/devices/system/cpu/online sys/devices/system/cpu/smt/active \
    sys/class/powercap/intel-rapl:0/name sys/class/powercap/intel-rapl:0/energy_uj sys/class/hwmon/hwmon0/name \
    sys/class/hwmon/hwmon0/temp1_input sys/bus/event_source/devices/cpu/type; do
    mkdir -p "tree/$(dirname "$file")"
    mkfifo "tree/$file"
done
got=0
timeout 600 "$TRAUMA" sensors --sysfs-root tree >"$WORK/out" 2>"$WORK/err" </dev/null || got=$?
[ "$got" -ne 124 ] || fail "a tree of FIFOs is waited for"

# The shell's own pipes are files as good as any.
echo '{"schema":1,"kind":"context","machine":{"name":"m"}}
{"kind":"point","benchmark":"b","name":"n=1","point":{"n":1},"target":"x86_64","program_hash":"1","error":"it ended"}' >good.jsonl
expect_exit 0 "$TRAUMA" export good.jsonl
cp out wanted
cat good.jsonl | "$TRAUMA" export /dev/stdin >found || fail "a pipe was refused"
cmp -s found wanted || fail "a pipe tells something else"
