/* Measures a GPU with generated chases: latency against array size, whose plateaus are the levels and whose
 * steps are their sizes (Delestrac et al. 2024, section III-B and figure 2, by time instead of counters). One
 * thread of one block follows addresses a line apart, through arrays from 4 KiB to four times L2. */
#ifndef RUNNER_PROBE_DEVICE_H
#define RUNNER_PROBE_DEVICE_H

#include "base/error.h"
#include "runner/probe/probe.h"

/* As probe_run, for request->machine, a GPU: values "latency.SHARED", ".L1", ".L2", ".MEM" and likewise
 * "latency_ns.", "latency.L2_NEAR" and "latency.L2_FAR" of a two-sided L2, "l1.size" and "l2.size", and the
 * curve. device: its number in the driver's list. STATUS_UNAVAILABLE when there is none, STATUS_FAILED when a
 * program fails there. */
enum status device_probe(const struct probe_request *request, unsigned device, struct probe *probe,
                         struct error *error);

/* The machine's description with the measured latencies. Free *machine with machine_free. */
enum status device_probe_describe(const struct probe *probe, struct machine *machine, struct error *error);

#endif
