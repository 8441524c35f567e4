/* Counts an application: runs it in qemu-user with our plugin (sim/qemu/app_watch.c), for several machines at
 * once, and sorts its instructions into classes, by templates/<isa>/classes.txt. It is not a source of
 * evidence: nothing that it counts has a target. */
#ifndef RUNNER_SOURCES_QEMU_QEMU_APPLICATION_H
#define RUNNER_SOURCES_QEMU_QEMU_APPLICATION_H

#include "base/arena.h"
#include "base/error.h"
#include "generator/machine/machine.h"
#include "isa/isa.h"
#include "isa/template.h"
#include "sim/qemu/app_stream.h"

#include <stdbool.h>
#include <stddef.h>

/* Classes of instructions: those that store, those that load and do not store, then the sections of
 * classes.txt, and what none of these has. */
enum { CLASS_LOAD, CLASS_STORE, CLASS_OTHER, CLASS_FIRST, CLASS_MOST = 64 };

struct instruction_class {
    const char *name; /* a recipe's operation: "add"; "branch", "flow" */
    unsigned width;   /* bytes of its operands */
};

struct instruction_classes {
    struct instruction_class items[CLASS_MOST]; /* from CLASS_FIRST on */
    const char *patterns[CLASS_MOST];           /* a line each */
    size_t count;                               /* CLASS_FIRST and those of the file */
    const struct isa *isa;
    struct template texts;
};

/* STATUS_FAILED if the ISA's file is missing or wrong. Free with instruction_classes_close even then. */
enum status instruction_classes_open(const struct isa *isa, struct instruction_classes *classes,
                                     struct error *error);
/* The class of an instruction that accesses no memory, as the disassembler prints it; CLASS_OTHER: none. */
size_t instruction_class_of(const struct instruction_classes *classes, const char *text);

void instruction_classes_close(struct instruction_classes *classes);

/* Counts of an interval. */
struct application_counts {
    struct app_tally tally;
    struct app_caches caches[APP_MACHINES];
    double classes[CLASS_MOST]; /* instructions */
};

/* a += sign b */
void application_counts_add(struct application_counts *a, const struct application_counts *b, int sign);

enum { MNEMONIC_BYTES = 24, MNEMONICS_MOST = 4 };

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
    const void *program;  /* bytes of a standalone executable, which gets the one argument; what it prints */
    size_t program_size;  /* is dropped */
    const char *argument;
    const char *cpu;                       /* QEMU's option -cpu; NULL: for any program */
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
