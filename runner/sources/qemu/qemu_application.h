/* Counts an application: runs it in qemu-user with our plugin (sim/qemu/app_watch.c), for several machines at
 * once, and classifies its instructions (templates/<isa>/classes.txt). It is not a source of evidence, as its
 * counts have no targets. */
#ifndef RUNNER_SOURCES_QEMU_QEMU_APPLICATION_H
#define RUNNER_SOURCES_QEMU_QEMU_APPLICATION_H

#include "base/arena.h"
#include "base/error.h"
#include "generator/machine/machine.h"
#include "isa/isa.h"
#include "runner/sources/qemu/application_code.h"
#include "sim/qemu/app_stream.h"

#include <stdbool.h>
#include <stddef.h>

/* A load waits for an earlier load if its address depends on that load's value, by registers, within that
 * many instructions. */
enum { WAIT_REACH = 64 };

/* Waits in sampled paths. */
struct application_waits {
    double loads;
    double waiting;               /* loads that wait for a load */
    double chained;               /* loads that wait for a load that waits itself */
    double instructions, between; /* sums of the distances to that load: in instructions, in loads */
};

/* Counts of an interval. */
struct application_counts {
    struct app_tally tally;
    struct app_caches caches[APP_MACHINES];
    double classes[CLASS_MOST]; /* instructions */
    double updates;             /* instructions of class store that also load from the same place */
    struct application_waits waits;
};

/* a += b */
void application_counts_add(struct application_counts *a, const struct application_counts *b);

enum { MNEMONICS_MOST = 4 };

struct application_profile {
    struct application_counts *intervals; /* owned */
    size_t count;
    struct app_header header;
    double accessing_flow; /* jumps, calls and returns of class load or store */
    int exit_code;
    char others[MNEMONICS_MOST][MNEMONIC_BYTES]; /* the most frequent of CLASS_OTHER; "" ends them */
};

struct application_run {
    const struct instruction_classes *classes;
    char *const *command; /* with its arguments; NULL: the program */
    const void *program;  /* a standalone executable of ours, of which only passes are counted; */
    size_t program_size;  /* its output is discarded */
    unsigned passes;      /* counted passes of the program, after its first pass */
    const char *cpu;      /* QEMU's option -cpu; NULL: for any program */
    const struct machine *const *machines; /* [machine_count], at most APP_MACHINES */
    size_t machine_count;
};

/* Determines the ISA of an executable on PATH. STATUS_UNAVAILABLE if no executable has the name, it is a
 * script, or no programs are generated for its ISA. */
enum status application_isa(const char *name, const struct isa **isa, struct error *error);

/* Runs the application to its end. STATUS_UNAVAILABLE if it cannot be counted here, STATUS_FAILED if it was
 * not counted to its end. Free *profile with application_profile_free in every case. */
enum status application_count(const struct application_run *request, struct application_profile *profile,
                              struct error *error);

void application_profile_free(struct application_profile *profile);

#endif
