#include "generator/metric/quantity.h"

#include <stddef.h>
#include <string.h>

const struct quantity quantity_table[] = {
    {"instructions", NULL, "instructions that a pass executes"},
    {"loads", NULL, "instructions that read data; an atomic that changes its word is a load and a store"},
    {"stores", NULL, "instructions that write data"},
    {"branches", NULL, "instructions that may jump, whether they do or not"},
    {"branches.conditional", NULL, "branches that may fall through"},
    {"branches.indirect", NULL, "branches whose target is in a register"},
    {"branches.taken", NULL, "branches that jump"},
    {"branches.missed", NULL,
     "branches that no predictor can predict: half of the random ones, as a mean over many passes"},
    {"l1d.accesses", "loads,stores", "accesses to the L1 data cache"},
    {"l1d.load_misses", NULL, "loads whose line is not in the L1 data cache"},
    {"l1d.store_misses", NULL, "stores whose line is not in the L1 data cache"},
    {"l1d.misses", "l1d.load_misses,l1d.store_misses", "accesses whose line is not in the L1 data cache"},
    {"l1i.misses", NULL, "lines of code that are entered and not in the L1 instruction cache"},
    {"l2.accesses", "l1d.misses,l1i.misses", "accesses that reach L2, of data and code"},
    {"l2.load_misses", NULL, "loads whose line is not in L2"},
    {"l2.store_misses", NULL, "stores whose line is not in L2"},
    {"l2.misses", "l2.load_misses,l2.store_misses", "accesses whose line is not in L2"},
    {"l3.accesses", "l2.misses", "accesses that reach L3"},
    {"l3.load_misses", NULL, "loads whose line is not in L3"},
    {"l3.store_misses", NULL, "stores whose line is not in L3"},
    {"l3.misses", "l3.load_misses,l3.store_misses", "accesses whose line is not in L3"},
    {"l1d.followed", NULL,
     "misses of the L1 data cache in an order that prefetchers follow; beside them the misses are not known"},
    {"l2.followed", NULL, "the same misses, of L2"},
    {"l3.followed", NULL, "the same misses, of L3"},
    {"dtlb.misses", NULL, "accesses whose page is not in the first data TLB"},
    {"fp.4", NULL, "floating-point instructions on 4 bytes: one number of single precision"},
    {"fp.8", NULL, "floating-point instructions on 8 bytes: one number of double precision"},
    {"fp.16", NULL, "floating-point instructions on vectors of 16 bytes"},
    {"fp.32", NULL, "floating-point instructions on vectors of 32 bytes"},
    {"fp.64", NULL, "floating-point instructions on vectors of 64 bytes"},
    {"divisions", NULL, "instructions that divide or take a root, of integers or floating-point numbers"},
    {"atomics", NULL, "atomic instructions that change a word"},
    {"idle", NULL, "idle instructions, which wait for one another, a cycle each"},
    {NULL}};

const struct quantity *quantity_find(const char *name)
{
    for (const struct quantity *row = quantity_table; row->name != NULL; row++)
        if (strcmp(row->name, name) == 0)
            return row;
    return NULL;
}
