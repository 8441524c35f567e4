/* The kinds of cores of a machine: Arm's big and little cores, Intel's cpu_core and cpu_atom. Only files are
 * read, so that a copied machine gets the same kinds as the present one. */
#ifndef GENERATOR_MACHINE_CORE_KINDS_H
#define GENERATOR_MACHINE_CORE_KINDS_H

#include "base/buffer.h"
#include "generator/machine/processor.h"

#include <stdbool.h>
#include <stddef.h>

enum { CORE_KINDS_MOST = 8 };

struct core_kind {
    char name[32];      /* "core" and "atom" of Intel, else "part-0xd41" of Arm, else "kind-2" */
    unsigned first;     /* its first logical processor */
    struct buffer cpus; /* all of them, as Linux writes lists: "0-3,8" */
};

struct core_kinds {
    struct core_kind items[CORE_KINDS_MOST]; /* in the order of their first processors */
    size_t count;                            /* 0: the files do not list processors */
};

/* Reads the files below files->root. Two processors are of one kind if their identification register, their
 * membership in cpu_core or cpu_atom, and the sizes of their own caches agree. Free with core_kinds_free. */
struct core_kinds core_kinds_read(const struct processor_files *files);

/* The same of the machine whose /proc and /sys are below the root folder. */
struct core_kinds core_kinds_at(const char *root);

/* The kind that has the processor; NULL if none has. */
const struct core_kind *core_kinds_of(const struct core_kinds *kinds, unsigned cpu);

void core_kinds_free(struct core_kinds *kinds);

#endif
