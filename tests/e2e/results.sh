# Results files that are made up, one of each kind of verdict. For tests that source lib.sh first.

# Texts as somebody hostile would have them: markup, quotes, directives, control characters, both ends of Unicode.
hostile='\"><script>document.title=\\\"pwned\\\"</script>&amp; # TO''DO \\\\ ]]> \u0001\u001b[31m\n\u202e \ufffe e\u0301 \ud83d\ude00'

# observation SOURCE KIND VALUE LOW HIGH
observation()
{
    printf '{"source":"%s","kind":"%s","value":%s,"low":%s,"high":%s,"n":5}' "$@"
}

# rate METRIC TARGET REASON OBSERVATIONS
rate()
{
    printf '"%s":{"target":%s,"verdict":"unobserved","reason":"%s","observations":[%s]}' "$@"
}

# write_context FILE: with warnings, a sensor and a benchmark that asks for a plot.
write_context()
{
    cat >"$1" <<CONTEXT
{"schema":1,"kind":"context","tool":{"name":"trauma","version":"0"},"machine":{"name":"$hostile"},"present":true,"host":"h","cpu":"c","sensors":[{"name":"chip","label":"$hostile","quantity":"energy","unit":"J","period_s":0.01,"update_s":null,"resolution":0.001}],"warnings":[{"what":"the governor is powersave","mend":"cpupower frequency-set -g performance"},{"what":"$hostile","mend":null}],"benchmarks":[{"recipe":"r.lua","name":"b","title":"$hostile","plot":[{"x":"n","y":["ipc"]}]}]}
CONTEXT
}

# write_points FILE: appends points with 1 pass, 1 pass by the code, 1 disputed, 1 inconclusive, 1 fail and 1 unobserved
# rate, one that did not run, one that cannot run here, and one whose every text is hostile and whose rate fails.
write_points()
{
    sure=$(observation perf measured 0.5 0.5 0.5)
    unsure=$(observation perf measured 0.5 0.3 0.7)
    simulated=$(observation cachegrind simulated 0.5 0.5 0.5)
    other=$(observation qemu simulated 0.9 0.9 0.9)
    {
        printf '{"kind":"point","recipe":"r.lua","benchmark":"b","name":"n=1","point":{"n":1},"target":"x86_64","program_hash":"1","reps":[{"wall_s":0.75,"iterations":40,"ticks":400,"seconds":0.6},{"wall_s":0.5,"iterations":40,"ticks":400,"seconds":0.6}],"time":{"ticks_per_pass":{"value":10,"low":9,"high":11,"n":2}},"rates":{%s,%s,%s,%s,%s,%s,%s},' \
            "$(rate ipc 0.5 '' "$sure")" "$(rate l1d.miss_rate 0.5 '' "$sure,$simulated,$other")" \
            "$(rate l2.miss_rate 0.5 '' "$unsure")" "$(rate branch.miss_rate 0.1 '' "$sure")" \
            "$(rate bandwidth.L2 null '' "$(observation perf measured 12.5e9 12e9 13e9)")" \
            "$(rate l3.miss_rate 0.5 'perf: there is no PMU' '')" \
            "$(rate l1i.miss_rate 0.5 'timing: it does not see code' "$simulated")"
        printf '"power":{"power.dynamic_w":{"value":3,"low":1,"high":5,"n":3},"verdict":"untrustworthy","reason":"the noise is above the power","sensors":{}},"warnings":[{"what":"the SMT sibling was busy","mend":"echo off"}],"trace":"results.traces/b/n=1.csv"}\n'
        printf '{"kind":"point","benchmark":"b","name":"n=2","point":{"n":2},"target":"x86_64","program_hash":"2","error":"ended by signal 4"}\n'
        printf '{"kind":"point","benchmark":"other","name":"n=3","point":{"n":3},"target":"x86_64","program_hash":"3","error":"it needs 64 cores","code":4}\n'
        printf '{"kind":"point","benchmark":"other","name":"%s","point":{"n":4},"target":"x86_64","program_hash":"4","rates":{%s},"trace":"javascript:alert(1)","warnings":[{"what":"%s","mend":"%s"}]}\n' \
            "$hostile" "$(rate "$hostile" 0.1 "$hostile" "$sure")" "$hostile" "$hostile"
    } >>"$1"
}
