/* Counts an application: runs it in qemu-user with our plugin (sim/qemu/app_watch.c), for several machines at
 * once, and sorts its instructions into classes, by templates/<isa>/classes.txt. It is not a source of
 * evidence: nothing that it counts has a target. */
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

/* A load waits for another if its address comes from it, by registers, so many instructions before or less.
 */
enum { WAIT_REACH = 64 };

/* Of sampled paths. */
struct application_waits {
    double loads;
    double waiting; /* for a load */
    double chained; /* for one that waits itself */
    double instructions,
        between; /* from the load that is waited for, of all that wait: instructions, loads */
};

/* Counts of an interval. */
struct application_counts {
    struct app_tally tally;
    struct app_caches caches[APP_MACHINES];
    double classes[CLASS_MOST]; /* instructions */
    double updates;             /* of class store: those that also load, from there */
    struct application_waits waits;
};

/* a += b */
void application_counts_add(struct application_counts *a, const struct application_counts *b);

enum { MNEMONICS_MOST = 4 };

struct application_profile {
    struct application_counts *intervals; /* owned */
    size_t count;
    struct app_header header;
    double accessing_flow; /* instructions that lead elsewhere, of class load or store: calls, returns */
    int exit_code;
    char others[MNEMONICS_MOST][MNEMONIC_BYTES]; /* the most frequent of CLASS_OTHER; "" ends them */
};

struct application_run {
    const struct instruction_classes *classes;
    char *const *command; /* and its arguments; NULL: the program */
    const void *program;  /* bytes of a standalone executable of ours, of which only passes are counted; */
    size_t program_size;  /* what it prints is dropped */
    unsigned passes;      /* of the program, behind its first */
    const char *cpu;      /* QEMU's option -cpu; NULL: for any program */
    const struct machine *const *machines; /* [machine_count], at most APP_MACHINES */
    size_t machine_count;
};

/* The ISA that the executable is of, found on PATH. STATUS_UNAVAILABLE if there is none of that name, it is a
 * script, or of an ISA that no program is made for. */
enum status application_isa(const char *name, const struct isa **isa, struct error *error);

/* Runs it to the end. STATUS_UNAVAILABLE if it cannot be counted here, STATUS_FAILED if it was not counted to
 * its end. Free *profile with application_profile_free in every case. */
enum status application_count(const struct application_run *request, struct application_profile *profile,
                              struct error *error);

void application_profile_free(struct application_profile *profile);

#endif
