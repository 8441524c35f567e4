/* A processor as it describes itself: identity, features, and its numbers of caches and clocks. Each ISA
 * whose processors can be detected has a row in a table, with functions that read the present processor, by
 * instructions and system calls, and that read a copy of a machine's /proc and /sys. */
#ifndef GENERATOR_MACHINE_PROCESSOR_H
#define GENERATOR_MACHINE_PROCESSOR_H

#include "base/text/text_set.h"
#include "generator/machine/machine.h"

#include <stdbool.h>

enum processor_cache { PROCESSOR_L1I, PROCESSOR_L1D, PROCESSOR_L2, PROCESSOR_L3, PROCESSOR_CACHES };

enum { PROCESSOR_TEXT_BYTES = 64 };

struct processor {
    char
        product[PROCESSOR_TEXT_BYTES]; /* from which the machine's name is made: "Neoverse N1"; "": unknown */
    char vendor[PROCESSOR_TEXT_BYTES]; /* "Arm"; "": unknown */
    char cpu[PROCESSOR_TEXT_BYTES];    /* its own numbers: "GenuineIntel-6-85-4"; "": unknown */
    bool is_virtual;
    struct text_set features;              /* as machine files name them; owned */
    struct cache caches[PROCESSOR_CACHES]; /* 0 for each number that it does not report */
    struct tlb data_tlb;                   /* entries 0: not reported */
    struct tlb huge_tlb;                   /* for pages of 2 MiB; likewise */
    double clock_ghz;                      /* the core's clock; 0: not reported */
    double tick_ghz;                       /* the programs' clock (isa/isa.h); 0: not reported */
};

/* The files of a machine: below the root folder ("" for this machine), of the logical processor. */
struct processor_files {
    const char *root;
    unsigned cpu;
    const char *cpuinfo; /* the text of /proc/cpuinfo; "" if there is none */
};

struct processor_kind {
    const char *isa;
    const char *source; /* where its numbers come from, for messages: "CPUID" */

    /* Fills *processor from the files; false if they are not of a processor of this ISA. */
    bool (*read_files)(const struct processor_files *files, struct processor *processor);

    /* Fills *processor from the processor that the calling thread is bound to, and its files. NULL in a
     * build for another ISA. */
    bool (*read_host)(const struct processor_files *files, struct processor *processor);
};

extern const struct processor_kind processor_x86;
extern const struct processor_kind processor_arm;
extern const struct processor_kind processor_riscv;

enum { PROCESSOR_NAME_BYTES = 128 };

/* Writes the name that the files state for a processor of another ISA: "an s390x processor (vendor_id
 * IBM/S390)"; "" if they state none. */
void processor_name_other(const char *root, char name[PROCESSOR_NAME_BYTES]);

/* Reads the processor that the calling thread is bound to (`cpu`) or, with a root, that of the files there.
 * False if it is of no kind; otherwise *kind is its row. Free with processor_free in both cases. */
bool processor_read(const char *root, unsigned cpu, struct processor *processor,
                    const struct processor_kind **kind);

void processor_free(struct processor *processor);

/* ---- for the kinds ---- */

/* Reads a file below the root to a text of at most `size` bytes, without the line's end; "" if there is none.
 * Returns the text. */
const char *processor_file(const struct processor_files *files, const char *path, char *text, size_t size);

/* Adds the feature whose name is the first `length` characters. */
void processor_add_feature(struct text_set *features, const char *text, size_t length);

/* True if the files report a hypervisor. */
bool processor_files_are_virtual(const struct processor_files *files);

#endif
