#!/bin/sh
# Measures this version's promises on the present NVIDIA GPU, in calls of under ten minutes:
#
#     sh examples/gpu/check.sh FOLDER [PART...]     parts: first look energy paths memory speed; without any, all of them
#
# The parts are ordered by importance: the first call measures the rates and latencies of each level, the energy of an access and,
# as a rule, the paths to both sides of L2; repeat the command to continue. FOLDER gets results, tables, verdicts, models and
# figures. A failure ends only its own step, and failed.txt names it; without a GPU the script reports this and exits 4. The GPU's
# clocks are left alone: LOCK=1 lets recipes lock them.
#
#     TRAUMA=FILE     the command; default: that of the bundle (bundle.sh), or build/trauma
#     CALL_S=570      seconds of a call, after which it is ended; PART_S=540 the same of each part
#     PACK=FILE       an archive of FOLDER (.tar.gz), updated after each step, if few files can be copied back
#     TOLERANCE=0.01  how far a measured share may be from the expected one; differs.txt lists shares that are further off
set -u
here=$(cd "$(dirname "$0")" && pwd)
trauma=$here/trauma
[ -x "$trauma" ] || trauma=$here/../../build/trauma
trauma=${TRAUMA:-$trauma}
out=${1:?usage: sh check.sh FOLDER [first|look|energy|paths|memory|speed]...}
shift
again=
[ $# -gt 0 ] || { again=yes && set -- first look energy paths memory speed; }
for part in "$@"; do
    case $part in
    first | look | speed | energy | paths | memory) ;;
    *) echo "there is no part '$part'" >&2 && exit 2 ;;
    esac
done
mkdir -p "$out" || exit 1
if ! "$trauma" --version >"$out/version.txt" 2>&1 </dev/null; then
    echo "the command does not work: $trauma: $(cat "$out/version.txt")" >&2
    exit 1
fi
status=0
"$trauma" machine detect -t ptx >"$out/detected.lua" 2>"$out/detect.txt" </dev/null || status=$?
if [ "$status" -eq 4 ]; then
    cat "$out/detect.txt" >&2
    echo "nothing is measured here: what the programs do is checked without a GPU by: $trauma check RECIPE -m h200" >&2
    exit 4
fi
state=
[ -z "${LOCK:-}" ] || state=--allow-state
called=$(date +%s)
began=$called

# GNU's timeout if present; an interrupted trauma keeps its results so far.
limited()
{
    now=$(date +%s)
    left=$((began + ${PART_S:-540} - now))
    whole=$((called + ${CALL_S:-570} - now))
    [ "$whole" -gt "$left" ] || left=$whole
    if [ "$left" -le 5 ]; then
        echo "no time is left" >&2
        return 124
    fi
    if command -v timeout >/dev/null; then
        timeout -s INT -k 15 "$left" "$@"
    else
        "$@"
    fi
}

pack()
{
    [ -n "${PACK:-}" ] || return 0
    tar -czf "$PACK.new" -C "$out" . && mv "$PACK.new" "$PACK"
}

step()
{
    echo "== $(date +%T) $*"
    limited "$@" </dev/null
    status=$?
    [ "$status" -eq 0 ] || echo "ended with $status: $*" | tee -a "$out/failed.txt"
    [ "$status" -ne 124 ] || cut=yes
    pack
}

# keep FILE COMMAND...: saves its output, also when it fails.
keep()
{
    file=$1
    shift
    limited "$@" >"$out/$file" 2>&1 </dev/null || echo "(ended with $?)" >>"$out/$file"
}

# lines RESULTS PATTERN: the matching metrics, one per line: point, metric, value, interval; then the value that the executor
# (warp) observed on the described machine, or else the plan expects, and the difference. "-" stands for a missing number.
# Shares that are further off than TOLERANCE are marked, and differs.txt collects them.
lines()
{
    [ -s "$out/$1.jsonl" ] || return 0
    "$trauma" export "$out/$1.jsonl" -v -o "$out/$1.csv" -q || return 0
    awk -F, -v pattern="^($2)\$" -v tolerance="${TOLERANCE:-0.01}" '
        function gap(i, below, above) {
            below = expected_low[i] - high[i]
            above = low[i] - expected_high[i]
            return below > above ? below : above
        }
        BEGIN { rank["predicted"] = 1; rank["inspected"] = 2; rank["simulated"] = 3 }
        NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i }
        NR > 1 {
            line = $0
            while (match(line, /"[^"]*"/)) {
                quoted = substr(line, RSTART + 1, RLENGTH - 2)
                gsub(/,/, ";", quoted)
                line = substr(line, 1, RSTART - 1) quoted substr(line, RSTART + RLENGTH)
            }
            split(line, f, ",")
            if (f[column["metric"]] !~ pattern || f[column["part"]] != "" || f[column["value"]] == "")
                next
            name = f[1] " " f[2] " " f[column["metric"]]
            if (!(name in place)) {
                place[name] = ++count
                names[count] = name
            }
            i = place[name]
            of = rank[f[column["kind"]]] + 0
            if (of == 0 && value[i] == "") {
                value[i] = f[column["value"]]
                low[i] = f[column["low"]]
                high[i] = f[column["high"]]
                unit[i] = f[column["unit"]]
            } else if (of > best[i]) {
                best[i] = of
                expected[i] = f[column["value"]]
                expected_low[i] = f[column["low"]]
                expected_high[i] = f[column["high"]]
                source[i] = f[column["source"]]
            }
        }
        END {
            for (i = 1; i <= count; i++) {
                text = names[i] (value[i] == "" ? " -" : " " value[i] " [" low[i] " " high[i] "]")
                text = text (best[i] == 0 ? " expected -" : " expected " expected[i] " (" source[i] ")")
                if (value[i] != "" && best[i] > 0) {
                    text = text sprintf(" difference %+.3g", value[i] - expected[i])
                    text = text ((unit[i] == "" || unit[i] == "share") && gap(i) > tolerance ? " OUTSIDE" : "")
                }
                print text
            }
        }' "$out/$1.csv" | tee "$out/$1.txt"
    sed -n 's/ OUTSIDE$//p' "$out/$1.txt" >>"$out/differs.txt"
}

# The libraries, the GPU, and one short program of each kind: half a minute, before minutes are spent.
first()
{
    keep host.txt sh -c 'uname -a; cat /etc/os-release; nproc; free -m; ls -l /dev/nvidia*; cat /proc/driver/nvidia/params'
    step "$trauma" --version
    step "$trauma" machine detect -t ptx -o "$out/machine.lua"
    keep sensors.txt "$trauma" sensors
    cat "$out/sensors.txt"
    step "$trauma" run gpu-bandwidth/latency -o "$out/first.jsonl" --filter 'level=L2,order=random' --counters cupti,record,warp \
        --power none --reps 2 --time 0.1
    step "$trauma" run gpu-bandwidth/bandwidth -o "$out/first-power.jsonl" --filter 'gpu-read/level=L2,per_sm=1,threads=1024,width=16' \
        --counters record --reps 2 --time 2
    lines first 'time.*|served.*'
    lines first-power 'time.*|power.*|bandwidth.*'
}

# Its caches and latencies, and the served rates of every level by CUPTI.
look()
{
    step "$trauma" machine detect -t ptx -o "$out/machine.lua"
    step "$trauma" machine probe -t ptx -o "$out/probed.lua" --figure "$out/latency.svg"
    keep sensors.txt "$trauma" sensors
    step "$trauma" run gpu-bandwidth/latency -o "$out/latency.jsonl" --counters cupti,record,bytes,warp --power none
    step "$trauma" plot "$out/latency.jsonl" -o "$out/latency-by-level.svg"
    lines latency 'time.*|served.*'
}

# Read bandwidth against a plain CUDA kernel, in alternation.
speed()
{
    stream=$here/stream
    nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
    if [ ! -x "$stream" ]; then
        stream=$out/stream
        step "$nvcc" -O3 -o "$stream" "$here/stream.cu"
    fi
    for turn in 1 2 3; do
        limited "$stream" >"$out/stream-$turn.txt" 2>&1 </dev/null || echo "ended with $?: $stream" | tee -a "$out/failed.txt"
        cat "$out/stream-$turn.txt"
        step "$trauma" run gpu-bandwidth/bandwidth -o "$out/bandwidth-$turn.jsonl" --power none --reps 3 --time 0.2 \
            --filter gpu-read --set level=L2,MEM --set width=16 --set threads=512,1024 --counters record
        lines "bandwidth-$turn" 'bandwidth.*|time.*'
    done
    rm -f "$out/stream"
}

# Energy of a 32-byte access by level, and the model of it.
energy()
{
    keep energy-served.txt "$trauma" check gpu-energy-2024/load --set threads=1024 --set seconds=2 --counters cupti,warp
    cat "$out/energy-served.txt"
    step "$trauma" run gpu-energy-2024/load -o "$out/energy.jsonl" $state --reps 3 \
        --set threads=1024 --set seconds=2,4,6 --counters record,plan # the model asks which level serves all
    step "$trauma" fit access-energy "$out/energy.jsonl" -o "$out/energy-model.json"
    step "$trauma" plot "$out/energy.jsonl" -o "$out/energy.svg"
    lines energy 'energy.per_access.*|power.dynamic_w'
}

# Near and far L2: latency and fabric traffic by operator, then power. An operator whose far lines are copies in the near part
# measures nothing: the one with the most fabric traffic is chosen. If the machine file states the bandwidth, half of it is also
# measured: at full bandwidth the far side may be slower, and power must be compared at the same rate.
paths()
{
    step "$trauma" run interconnect-2016/nvidia-near-far-latency -o "$out/paths-latency.jsonl" --power none --reps 3 \
        --counters cupti,record,warp
    lines paths-latency 'time.*|l2.far_share'
    operator=$(operator_of_fabric)
    echo "the operator whose far lines come over the fabric: $operator"
    set -- --set bandwidth_share=1
    known=$(known_machine)
    [ -z "$known" ] || set -- -m "$known" --set bandwidth_share=0.5,1
    step "$trauma" run interconnect-2016/nvidia-near-far -o "$out/near-far.jsonl" $state --filter '^near-far/' "$@" \
        --set toggle=0,0.5 --set "cache=$operator" --reps 3 --time 6 --counters cupti,record,warp
    lines near-far 'served.*|l2.far_share|power.dynamic_w|energy.*|time.*'
    step "$trauma" plot "$out/near-far.jsonl" -o "$out/near-far.svg"
    step "$trauma" fit interconnect "$out/near-far.jsonl" --set access_bytes=16 -o "$out/paths-model.json"
}

# The same from memory, whose lines are new to both parts of L2.
memory()
{
    step "$trauma" run interconnect-2016/nvidia-near-far-memory -o "$out/near-far-memory.jsonl" $state \
        --set toggle=0.5 --set bandwidth_share=1 --reps 3 --time 6 --counters cupti,record,warp
    lines near-far-memory 'l2.far_share|served.*|power.dynamic_w|energy.*|time.*'
    step "$trauma" plot "$out/near-far-memory.jsonl" -o "$out/near-far-memory.svg"
}

# The shipped description of this GPU, if there is one: its name is in the detected one's, and both have as many multiprocessors.
known_machine()
{
    units=$(grep -o 'sm = [0-9]*' "$out/detected.lua")
    "$trauma" machine list | awk '$2 == "ptx" { print $1 }' | while read -r machine; do
        grep -q "name = \"[a-z0-9-]*$machine" "$out/detected.lua" || continue
        ! "$trauma" machine show "$machine" | grep -q "[ {]$units," || echo "$machine"
    done | head -n 1
}

operator_of_fabric()
{
    sed -n 's/^near-far-latency cache=\([a-z_]*\);side=far l2.far_share \([0-9][^ ]*\) .*/\2 \1/p' "$out/paths-latency.txt" 2>/dev/null |
        awk 'BEGIN { best = "cg" } $1 > most + 0.02 { most = $1; best = $2 } END { print best }'
}

# CUPTI may be in an unusual place, such as a Python package: the newest by its number, which is that of CUDA (12, or 11.8) or of a
# year (2022.3 is CUDA 11.8, 2023.1 12.1).
newest_cupti()
{
    find / -xdev -name 'libcupti.so*' ! -path '/proc/*' 2>/dev/null | while read -r file; do
        echo "$(readlink -f "$file") $file"
    done | awk '{ split($1, part, "libcupti.so."); split(part[2], n, "."); if (n[1] == "") n[1] = 0
                  print (n[1] < 100 ? 2000 + 2 * n[1] - 1 : n[1]) + n[2] / 100, $2 }' | sort -n | tail -n 1 | sed 's/^[^ ]* //'
}
if [ -z "${TRAUMA_CUPTI:-}" ] && ! ls /usr/local/cuda*/lib64/libcupti.so >/dev/null 2>&1; then
    found=$(newest_cupti)
    [ -z "$found" ] || export TRAUMA_CUPTI="$found"
fi

# Keeps the driver loaded between programs, which would otherwise take seconds to start, and records clocks.
watcher=
if command -v nvidia-smi >/dev/null; then
    keep nvidia-smi.txt nvidia-smi -q
    nvidia-smi --query-gpu=timestamp,pstate,clocks.sm,clocks.mem,power.draw,temperature.gpu \
        --format=csv,noheader -l 1 >>"$out/nvidia-smi.csv" 2>&1 </dev/null &
    watcher=$!
fi
trap '[ -z "$watcher" ] || kill "$watcher" 2>/dev/null' EXIT
trap 'exit 1' INT TERM HUP

rest=
ran=
for part in "$@"; do
    if [ -n "$again" ] && [ -e "$out/done-$part" ]; then
        continue
    fi
    began=$(date +%s)
    if [ -n "$rest" ] || { [ -n "$ran" ] && [ $((called + ${CALL_S:-570} - began)) -le 30 ]; }; then
        rest="$rest $part"
        continue
    fi
    cut=
    ran=yes
    "$part"
    if [ -n "$cut" ]; then
        rest="$rest $part"
    else
        : >"$out/done-$part"
    fi
    [ -z "$watcher" ] || keep "nvidia-smi-$part.txt" nvidia-smi -q -d PERFORMANCE,POWER,CLOCK,TEMPERATURE
    echo "== $part took $(($(date +%s) - began)) s"
done
if [ -s "$out/differs.txt" ]; then
    echo "measured otherwise than expected, by more than ${TOLERANCE:-0.01}: $out/differs.txt"
    cat "$out/differs.txt"
fi
pack
du -sk "$out" ${PACK:+"$PACK"}
[ -z "$rest" ] || echo "left for the same command again:$rest"
[ ! -s "$out/failed.txt" ] || { echo "not all of it worked: $out/failed.txt" && cat "$out/failed.txt" && exit 1; }
