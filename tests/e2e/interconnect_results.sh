# Results of a made-up GPU's short and long path. For tests that source lib.sh first.

# write_interconnect FILE: constant 2 W/mm and floor 0.12 W/mm at the 10.5 mm of the paper, without noise.
write_interconnect()
{
    awk 'BEGIN {
    print "{\"schema\":1,\"kind\":\"context\",\"tool\":{\"name\":\"trauma\",\"version\":\"0\"},\"machine\":{\"name\":\"w9100\"},\"host\":\"h\",\"cpu\":\"c\",\"sensors\":[],\"benchmarks\":[]}"
    patterns = split("zeros half_random random", pattern, " ")
    split("0 0.25 0.5", toggle, " ")
    for (share = 0.9; share > 0.4; share -= 0.45)
        for (i = 1; i <= patterns; i++)
            for (long = 0; long < 2; long++) {
                watts = 40 + 150 * share + long * share * 10.5 * (2 * toggle[i] + 0.12)
                path = long ? "long" : "short"
                printf "{\"kind\":\"point\",\"recipe\":\"r%d.lua\",\"benchmark\":\"%s-path\",\"name\":\"%s %g\",", (share > 0.5), path, pattern[i], share
                printf "\"point\":{\"pattern\":\"%s\",\"bandwidth_share\":%g},\"target\":\"gcn\",\"program_hash\":\"1\",", pattern[i], share
                printf "\"reps\":[{\"iterations\":1,\"seconds\":2,\"energy_j\":{\"chip\":%.12g}},{\"iterations\":1,\"seconds\":1,\"energy_j\":{\"chip\":%.12g}}],", 2 * watts, watts
                printf "\"rates\":{\"data.toggle_rate\":{\"observations\":[{\"source\":\"plan\",\"kind\":\"predicted\",\"value\":%g}]}},", toggle[i]
                print "\"power\":{\"power.static_w\":{\"value\":40},\"verdict\":\"trustworthy\",\"from\":[\"chip\"]}}"
            }
}' >"$1"
}
