/* The clock of an NVIDIA GPU's multiprocessors, locked by NVML where the user allows it (state = { gpu_clock
 * }), and put back whatever becomes of this process: one of its own locks it, and unlocks it when told to or
 * when this one is no more. NVML does not tell what was locked before, so that a lock of somebody else's is
 * gone afterwards. What is locked stands in the journal first, for when that one is ended, too. Nobody has
 * seen this on a real GPU yet. */
#ifndef RUNNER_CONDITIONS_GPU_CLOCK_H
#define RUNNER_CONDITIONS_GPU_CLOCK_H

#include "base/error.h"
#include "runner/conditions/journal.h"
#include "runner/launch/worker.h"

#include <jansson.h>
#include <stdbool.h>

struct gpu_clock {
    struct worker keeper; /* all zeros: nothing is locked by anybody */
    bool allowed;
    bool locked;
    char pci[JOURNAL_WORD_BYTES];  /* of the one that is locked */
    const struct journal *journal; /* NULL: none */
};

/* allowed: the user lets it be locked; only then there is a process. To be called before NVML is opened in
 * this process, whose state the other one would inherit broken. STATUS_FAILED when there is no process. */
enum status gpu_clock_open(bool allowed, struct gpu_clock *clock, struct error *error);

/* Locks the GPU at that PCI address to what is wanted, GHz or "base", if that is allowed, and adds to record
 * {"wanted": {"gpu_clock"}, "observed": {"gpu_clock": {"sm", "memory"}} in GHz now, "unmet": [sentences]}. */
void gpu_clock_lock(struct gpu_clock *clock, const char *pci, const json_t *wanted, json_t *record);

/* Unlocks it again. STATUS_FAILED when that could not be done. */
enum status gpu_clock_unlock(struct gpu_clock *clock, struct error *error);

/* Unlocks the clock of a GPU that a process which is no more has locked. */
enum status gpu_clock_release(const char *pci, struct error *error);

void gpu_clock_close(struct gpu_clock *clock);

/* Adds to warnings [{"what", "mend"}] where the clock that repetitions recorded (launch/record.h) is not what
 * is wanted, NULL: anything, or was another in one than in the others. */
void gpu_clock_judge(const json_t *reps, const json_t *wanted, json_t *warnings);

#endif
