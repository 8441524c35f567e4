#!/bin/sh
# What this version promises of an NVIDIA GPU, measured on the one that is here; some 25 minutes in all, in parts of under ten:
#
#     sh examples/gpu/check.sh FOLDER [PART...]     parts: look speed energy paths; without any, all of them
#
# FOLDER gets results, verdicts, models and figures; examples/results/ is where those of a known machine are kept.
# TRAUMA names the command, where it is not build/trauma.
set -eu
cd "$(dirname "$0")/../.."
trauma=${TRAUMA:-build/trauma}
out=${1:?usage: sh examples/gpu/check.sh FOLDER [look|speed|energy|paths]...}
shift
[ $# -gt 0 ] || set -- look speed energy paths
mkdir -p "$out"

# What fails ends its own step; the others tell the more.
step()
{
    echo "== $*"
    "$@" || echo "ended with $?: $*" | tee -a "$out/failed.txt"
}

# Which GPU it is, its caches and latencies, and the served rates of every level by CUPTI.
look()
{
    nvidia-smi -q >"$out/nvidia-smi.txt" 2>&1 || true
    step "$trauma" machine detect -t ptx -o "$out/machine.lua"
    step "$trauma" machine probe -t ptx -o "$out/probed.lua" --figure "$out/latency.svg"
    "$trauma" sensors >"$out/sensors.txt" 2>&1 || true
    step "$trauma" run gpu-bandwidth/latency -o "$out/latency.jsonl" --counters cupti,record,bytes --power none
    step "$trauma" check "$out/latency.jsonl"
    step "$trauma" plot "$out/latency.jsonl" -o "$out/latency-by-level.svg"
}

# Read bandwidth beside a plain CUDA kernel, in turn: nvcc is asked for that one.
speed()
{
    nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
    "$nvcc" -O3 -o "$out/stream" examples/gpu/stream.cu || echo "no nvcc: without the plain kernel" | tee -a "$out/failed.txt"
    for turn in 1 2 3; do
        [ ! -x "$out/stream" ] || "$out/stream" | tee -a "$out/stream.txt"
        step "$trauma" run gpu-bandwidth/bandwidth -o "$out/bandwidth-$turn.jsonl" --power none --reps 3 --time 0.2 \
            --filter gpu-read --set level=L2,MEM --set width=16 --set threads=512,1024 --counters record
    done
}

# Energy of a 32-byte access by level, and the model of it.
energy()
{
    step "$trauma" run gpu-energy-2024/load -o "$out/energy.jsonl" --allow-state --reps 3 \
        --set threads=1024 --set seconds=2,4,6 --counters record
    step "$trauma" fit access-energy "$out/energy.jsonl" -o "$out/energy-model.json"
    step "$trauma" plot "$out/energy.jsonl" -o "$out/energy.svg"
}

# Near and far L2: latency, fabric traffic, power.
paths()
{
    step "$trauma" run interconnect-2016/nvidia-near-far-latency -o "$out/paths-latency.jsonl" --power none \
        --counters cupti,record
    step "$trauma" check "$out/paths-latency.jsonl"
    step "$trauma" run interconnect-2016/nvidia-near-far -o "$out/paths.jsonl" --allow-state --filter near-far/ \
        --set toggle=0,0.5 --set bandwidth_share=1 --reps 3 --time 6 --counters record
    step "$trauma" fit interconnect "$out/paths.jsonl" -o "$out/paths-model.json"
    step "$trauma" plot "$out/paths.jsonl" -o "$out/paths.svg"
}

for part in "$@"; do
    case $part in
    look | speed | energy | paths) "$part" ;;
    *) echo "there is no part '$part'" >&2 && exit 2 ;;
    esac
done
[ ! -s "$out/failed.txt" ] || { echo "not all of it worked: $out/failed.txt" && exit 1; }
