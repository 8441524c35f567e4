/* Measures the present machine by microbenchmarks: cache sizes and latencies, TLB reach, bandwidth, the cost
 * of a mispredicted branch, the core's width and clock. Each family of measurements is a file and a row of
 * the table in probe.c; it adds values with intervals, and the reason for each that it cannot measure. */
#ifndef RUNNER_PROBE_PROBE_H
#define RUNNER_PROBE_PROBE_H

#include "base/error.h"
#include "generator/machine/machine.h"
#include "runner/probe/measured.h"

/* Measures the requested values; free with probe_free in every case. STATUS_UNAVAILABLE on processors without
 * probe texts, or when the system does not allow measuring at all. */
enum status probe_run(const struct probe_request *request, struct probe *probe, struct error *error);

void probe_free(struct probe *probe);

/* The machine's description with the measurements; if a size agrees with the system's, the system's is kept.
 * Free *machine with machine_free. */
enum status probe_describe(const struct probe *probe, struct machine *machine, struct error *error);

/* Whether machine files have a word for that replacement policy. */
bool probe_policy_known(const char *name);

/* As probe_run, for request->machine, a GPU. Values: "latency.SHARED", "latency.L1", "latency.L2" and
 * "latency.MEM"; "latency_ns." of all but the first; "latency.L2_NEAR" and "latency.L2_FAR" of a two-sided
 * L2; "l1.size" and "l2.size"; and the curve. device: its number in the driver's list. STATUS_UNAVAILABLE
 * when there is none, STATUS_FAILED when a program fails there. */
enum status device_probe(const struct probe_request *request, unsigned device, struct probe *probe,
                         struct error *error);

/* The machine's description with the measured latencies. Free *machine with machine_free. */
enum status device_probe_describe(const struct probe *probe, struct machine *machine, struct error *error);

#endif
