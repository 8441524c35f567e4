# Points as `trauma run` writes them, for the benchmarks of papers.lua: numbers of the papers' shape, made up.
function interval(name, value, part) { return sprintf("\"%s\":{\"value\":%.6g,\"low\":%.6g,\"high\":%.6g,\"n\":5}", name, value, value * (1 - part), value * (1 + part)) }
function rate(name, value) { return sprintf("\"%s\":{\"target\":null,\"verdict\":\"observed\",\"observations\":[{\"source\":\"perf\",\"kind\":\"measured\",\"value\":%.6g,\"low\":%.6g,\"high\":%.6g,\"n\":5}]}", name, value, value * 0.97, value * 1.03) }
function put(benchmark, name, point, rates, power, more) { if (name == "x") name = "x" ++places; printf "{\"kind\":\"point\",\"recipe\":\"papers.lua\",\"benchmark\":\"%s\",\"name\":\"%s\",\"point\":{%s},\"target\":\"x86_64\",\"rates\":{%s},\"power\":{%s}%s}\n", benchmark, name, point, rates, power, more }
function watts(value, part) { return interval("power.dynamic_w", value, part) }

# A loop at `busy` watts above 40 between idle intervals, with a fan that turns up, by an energy counter every 10 ms.
function trace(file, busy,    t, joules, w, phase) {
  print "t_s,channel,value" >file
  split("idle_before warmup rep_1 rep_2 rep_3 idle_after end", phase, " ")
  split("0 3 4 7 10 13 18", begin, " ")
  next_phase = 1
  for (t = 0; t <= 18; t += 0.01) {
    while (next_phase <= 7 && begin[next_phase] <= t + 1e-9) {
      sub("_", phase[next_phase] ~ /^rep/ ? " " : "_", phase[next_phase])
      printf "%.6f,mark,%s\n", t, phase[next_phase++] >file
    }
    w = 40 + (t > 3 && t < 13 ? busy : 0) + (t > 8 && t < 14 ? 7 : 0) + 0.5 * sin(50 * t)
    joules += w * 0.01
    printf "%.6f,chip,%.9g\n", t, joules >file
    if (int(t * 100 + 0.5) % 40 == 0) printf "%.6f,heat,%.4g\n", t, 45 + (t > 3 && t < 13 ? 2 * (t - 3) : t <= 3 ? 0 : 20 * exp((13 - t) / 3)) >file
  }
  close(file)
}

# Cooling from 80 degrees; power is linear in temperature where cubic is 0.
function cooling(base, slope, cubic,    t, joules, celsius, text, w, dt) {
  dt = 0.2
  for (t = 0; t <= 60; t += dt) {
    celsius = 40 + 40 * exp(-t / 20)
    text = text sprintf("%s{\"t_s\":%.3g,\"energy_j\":{\"chip\":%.8g},\"temperature_c\":{\"heat\":%.5g,\"board\":30}}", t == 0 ? "" : ",", t, joules, celsius)
    joules += (base + slope * celsius + cubic * celsius * celsius * celsius) * dt
  }
  return ",\"idle_after\":{\"seconds\":60,\"samples\":[" text "]}"
}

BEGIN {
  joules = 0
  for (d = 0; d < 3; d++) for (i = 0; i <= 10; i++) { hit = i / 10
    put("f2001-8", "dependents=" d ",hit=" hit, "\"dependents\":" d ",\"hit\":" hit, rate("ipc", (0.5 + 2.2 * hit ^ (2 + d)) * (1 - 0.1 * d)), watts(9 + (3 - 0.4 * d) * hit - 3.2 * (hit - 0.8) ^ 2, 0.02) (d == 1 && i > 7 ? ",\"verdict\":\"untrustworthy\"" : "")) }
  n = split("0 1 4 10", distances, " ")
  for (k = 1; k <= n; k++) for (i = 5; i <= 10; i++)
    put("f2001-12", "x", "\"accuracy\":" i / 10 ",\"distance\":" distances[k], rate("dpc", i / 4 + distances[k] / 20), watts(8 + i / 5 + distances[k] / 8, 0.03))
  for (i = 32; i >= 0; i -= 4) {
    put("f2001-14", "x", "\"n\":" i ",\"value\":\"mask\"", rate("ipc", 1), watts(10 + i / 80, 0.005))
    put("f2001-14", "x", "\"n\":" i ",\"value\":\"bit\"", rate("ipc", 1), watts(10.02, 0.005)) }

  trace("made.traces/profile.csv", 60)
  put("f2013-3", "program=MB_L2", "\"program\":\"MB_L2\"", "", watts(60, 0.01), ",\"trace\":\"made.traces/profile.csv\"")
  n = split("LULESH CG FT MG", applications, " ")
  for (k = 1; k <= n; k++) for (l = 4; l >= 1; l--)
    put("f2013-7", "x", "\"application\":\"" applications[k] "\",\"level\":\"" substr("L1 L2 L3 MEM", 3 * l - 2, l == 4 ? 3 : 2) "\"", "", interval("energy.dynamic_j", 10 * k / l, 0.1))

  put("f2014", "ghz=1.4", "\"ghz\":1.4", "", watts(20, 0.1) ",\"from\":[\"chip\"]", cooling(8, 0.1, 0))
  put("f2014", "ghz=2.3", "\"ghz\":2.3", "", watts(40, 0.1) ",\"from\":[\"chip\"]", cooling(10, 0.25, 0))
  put("f2014", "ghz=3.5", "\"ghz\":3.5", "", watts(90, 0.1) ",\"from\":[\"chip\"]", cooling(14, 0.5, 0))
  put("f2016-4", "state=DPM7", "\"state\":\"DPM7\"", "", watts(90, 0.1) ",\"from\":[\"chip\"]", cooling(20, 0.1, 0.00002))

  split("short a b long", paths, " ")
  for (k = 1; k <= 4; k++) put("f2016-5", "x", "\"mm\":" 3.5 * (k - 1) ",\"path\":\"" paths[k] "\"", "", watts(100 + 1.6 * (k - 1), 0.004))
  n = split("random,half random,As,ones,zeros", patterns, ",")
  for (k = 1; k <= n; k++) { put("f2016-7", "x", "\"pattern\":\"" patterns[k] "\",\"path\":\"short\"", "", watts(100 - 18 * k, 0.03))
    put("f2016-7", "x", "\"pattern\":\"" patterns[k] "\",\"path\":\"long\"", "", watts(110 - 18 * k, 0.03)) }
  split("300 600 930", clocks, " "); split("0.2 0.5 1", v2f, " ")
  for (k = 1; k <= 3; k++) { at = "\"state\":\"" clocks[k] " MHz\",\"v2f\":" v2f[k] ",\"path\":"
    put("f2016-8", "x", at "\"long\"", "", watts(110 * v2f[k], 0.05) "," interval("power.static_w", 30 + 10 * v2f[k], 0.02))
    put("f2016-8", "x", at "\"short\"", "", watts(100 * v2f[k], 0.05)) }
  for (k = 0; k <= 8; k += 8) { put("f2016-9", "x", "\"nops\":" k ",\"path\":\"short\"", "", watts(100 - k * 6, 0.05))
    put("f2016-9", "x", "\"nops\":" k ",\"path\":\"long\"", "", watts(110 - k * 6.5, 0.05)) }

  n = split("1e3 1e4 1e5 15e4 19e4 1e6 1e7 2e7 4e7 1e8 1e9", sizes, " ")
  for (k = 1; k <= n; k++) put("f2024-2", "x", "\"bytes\":" sizes[k], rate("l1d.miss_rate", k < 4 ? 0.001 : k < 5 ? 0.2 : 1) "," rate("l2.miss_rate", k < 7 ? 0.002 : k < 9 ? 0.3 : 0.99), "")
  trace("made.traces/gpu.csv", 210)
  put("f2024-4", "threads=1024", "\"threads\":1024", "", watts(210, 0.01), ",\"trace\":\"made.traces/gpu.csv\"")
  n = split("1e9 1e10 5e10 1e11", accesses, " ")
  for (k = 1; k <= n; k++) {
    put("f2024-5", "x", "\"accesses\":" accesses[k] ",\"threads\":1024", rate("ipc", 1 + k / 4), watts(100 + 20 * k, 0.05) "," interval("energy.dynamic_j", accesses[k] * 1.07e-10 + 0.3, 0.04))
    put("f2024-5", "x", "\"accesses\":" accesses[k] ",\"threads\":1", rate("ipc", 0.1 + k / 10), watts(50 + 10 * k, 0.05) "," interval("energy.dynamic_j", accesses[k] * 16e-10 + 0.3, 0.04)) }
}
