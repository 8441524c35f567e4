#!/bin/sh
# Counts events of this suite's programs by `perf stat` and nothing else: sh events.sh EVENT... >counts.csv
# Elsewhere, `trauma events --suite THIS_FOLDER --counts counts.csv` says what the events count.
#
# Each program makes few and many passes, several times: what a pass counts is their difference. PASSES="1000 21000" and
# REPEATS=5 may be set otherwise, as may PERF, the program. Counts that perf scaled, as it had not the whole time, are left
# out and named on standard error.
set -eu
cd "$(dirname "$0")"
perf=${PERF:-perf}
if [ $# -eq 0 ]; then
    echo "usage: sh events.sh EVENT... >counts.csv" >&2
    exit 2
fi
command -v "$perf" >/dev/null || {
    echo "events.sh: there is no $perf" >&2
    exit 4
}

# The count of $event in a run of $1 with $2 passes: a number, or perf's words for none; nothing where it was scaled.
count() {
    said=$("$perf" stat -x, -e "$event" -- "./$1/program" "$2" 2>&1 >/dev/null) || {
        echo "events.sh: $event: $said" >&2
        echo "<not supported>"
        return
    }
    line=$(echo "$said" | grep -m 1 '^[0-9<]') || {
        echo "events.sh: $event: $said" >&2
        echo "<not counted>"
        return
    }
    rest=${line#*,*,}
    rest=${rest#"$event"}
    rest=${rest#*,} # behind the event: how long it counted, and which share of the time
    share=${rest#*,}
    share=${share%%,*}
    case $share in
    100* | '' | *[!0-9.]*) echo "${line%%,*}" ;;
    *) echo "events.sh: $1, $2 passes: $event had $share % of the time" >&2 ;;
    esac
}

echo "program,event,passes,count"
for event; do
    counts=untold
    repeat=0
    while [ $repeat -lt "${REPEATS:-5}" ] && [ $counts != no ]; do
        for program in */*/program; do
            program=${program%/program}
            for passes in ${PASSES:-1000 21000}; do
                counted=$(count "$program" "$passes")
                [ -z "$counted" ] || printf '"%s","%s",%s,%s\n' "$program" "$event" "$passes" "$counted"
                case $counts$counted in
                "untold<not supported>") counts=no && break ;; # nor by other programs
                *) counts=yes ;;
                esac
            done
            [ $counts != no ] || break
        done
        repeat=$((repeat + 1))
    done
done
