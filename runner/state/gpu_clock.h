/* Locks the clock of an NVIDIA GPU's multiprocessors through NVML if the user allows it (state = { gpu_clock
 * }), and unlocks it however this process ends: a separate process locks the clock, and unlocks it on request
 * or when this process ends. NVML does not report an earlier lock, so another user's lock is lost. Each lock
 * is first written to the journal, in case the separate process is killed too. Not yet tested on a real GPU.
 */
#ifndef RUNNER_STATE_GPU_CLOCK_H
#define RUNNER_STATE_GPU_CLOCK_H

#include "base/error.h"
#include "runner/process/worker.h"
#include "runner/results/result_point.h"
#include "runner/state/journal.h"

#include <stdbool.h>
#include <stddef.h>

struct gpu_clock {
    struct worker keeper; /* all zeros: nothing is locked */
    bool allowed;
    bool locked;
    char pci[JOURNAL_WORD_BYTES];  /* of the locked GPU */
    const struct journal *journal; /* NULL: none */
};

/* allowed: the user permits locking; only then the process is started. Call it before this process opens
 * NVML, whose state would be broken in the forked process. STATUS_FAILED when the process cannot be started.
 */
enum status gpu_clock_open(bool allowed, struct gpu_clock *clock, struct error *error);

/* Locks the GPU at that PCI address to the record's wanted clock ("gpu_clock": GHz or "base") if that is
 * allowed. Adds to the record the reason if the request is unmet, and the observed clocks, "sm" and "memory"
 * in GHz. */
void gpu_clock_lock(struct gpu_clock *clock, const char *pci, struct state_record *record);

/* Unlocks it again. STATUS_FAILED when it cannot. */
enum status gpu_clock_unlock(struct gpu_clock *clock, struct error *error);

/* Unlocks a GPU's clock that a process locked before it ended. */
enum status gpu_clock_release(const char *pci, struct error *error);

void gpu_clock_close(struct gpu_clock *clock);

/* Adds a warning if the clock in the repetitions' records is not the requested one (in GHz; NAN: any), or
 * differs between them. Returns the relative difference; NAN: unknown. */
double gpu_clock_judge(const struct result_rep *reps, size_t count, double requested,
                       struct warnings *warnings);

#endif
