/* The plan of a GPU's program: streams of accesses, each served by one level, and the slots of the loop that
 * every thread runs. ISA-independent: emission turns it into text.
 *
 * Footprint and operator determine the rates: a cache still holds data that is read again before as much
 * other data as the cache's size. Streams walk their regions cyclically, so a stream reads a line again after
 * all other lines of its region, and the lines that other streams bring meanwhile (gpu_reach.c). */
#ifndef GENERATOR_PLAN_GPU_GPU_PLAN_H
#define GENERATOR_PLAN_GPU_GPU_PLAN_H

#include "base/arena.h"
#include "base/error.h"
#include "generator/kernel/kernel.h"
#include "generator/machine/machine.h"
#include "generator/plan/gpu/gpu_rule.h"
#include "generator/plan/gpu/gpu_tiles.h"
#include "generator/plan/rates.h"
#include "isa/template.h"

#include <stdbool.h>
#include <stdint.h>

/* Accesses of one behaviour that one level serves. All threads make them: thread t of block b makes its k-th
 * access at offset + (b block) mod bytes + k step + t lane. Beyond its end the region repeats its beginning
 * (ahead). Each pass adds advance, and subtracts bytes if the result lies beyond the region. With DSMEM each
 * block of a cluster holds the region, and reads that of the block after it, the last block that of the
 * first. */
struct gpu_stream {
    unsigned item; /* index into the kernel's behaviours */
    enum gpu_level level;
    enum gpu_level predicted; /* by footprint and operator; equals level, except with a working_set */
    const char *cache;        /* the operator: "ca", "cg"; "" for SHARED and DSMEM */
    bool store, chase;        /* store: also an atomic */
    const char *atomic;       /* "add", and so on: all accesses are to the same words; NULL: none */
    bool returns;             /* the atomic returns the word's old value */
    unsigned together; /* neighbouring threads that share a word: thread t uses word t / together; 0: a row,
                          as other streams */
    bool async;        /* copies to the item's ring */
    bool bulk;         /* the block's first thread copies for all threads; stores copy from plan->outgoing */
    unsigned width;
    uint64_t lane, step;
    uint64_t bytes;  /* of the region, a multiple of step */
    uint64_t tail;   /* bytes beyond the region that the last threads reach */
    uint64_t offset; /* in the data */
    uint64_t ahead;  /* bytes beyond the region that passes from its last rows on reach; a multiple of step */
    uint64_t block;  /* from one block's start to the next block's; a multiple of advance, or of step */
    uint64_t advance;   /* from pass to pass: per_pass step, or 0 if a pass covers the whole region */
    uint64_t rows;      /* in the region, without rows that chosen channels exclude */
    uint64_t row_bytes; /* bytes of lines that a whole block's access to one row touches, at most step */
    uint64_t brought; /* bytes of lines that this access fetches; in random order no two rows share a line */
    uint64_t dense,
        apart; /* the stream uses `dense` of every `apart` bytes of the region, in chosen channels; 0: all */
    unsigned per_pass;    /* accesses of one thread */
    const char *side;     /* "near", "far": side of L2 whose chunks it reads (gpu_sides.h); NULL: any */
    unsigned hop;         /* accesses per chunk of a side */
    struct gpu_rule rule; /* the data that it reads */
    const char *kept;     /* stores: the description of their data; NULL: zeros */
};

/* One instance of a behaviour in the loop. */
struct gpu_slot {
    unsigned item;
    int stream;     /* index of the access's stream; -1: no access */
    unsigned index; /* accesses: index within the stream's accesses of a pass */
    bool dependent; /* operations: consumes the last load's value */
    bool diverges;  /* branches */
    unsigned unit;
};

/* Where the copies of one asynchronous load go (gpu_async.h). */
struct gpu_ring {
    unsigned stages;  /* units whose copies are under way at a time; 0: not an asynchronous load */
    unsigned copies;  /* copies of a thread in a unit */
    bool bulk;        /* an mbarrier for each stage counts a unit's copies */
    unsigned pending; /* groups that may be under way after a wait */
    bool read;        /* an operation consumes the unit's last copy, from shared memory */
    uint64_t offset;  /* in a block's shared memory */
};

enum { GPU_STREAMS = 64, GPU_SHARED_ALIGN = 128 };

struct gpu_plan {
    const struct kernel *kernel;
    const struct machine *machine;
    const char *arch; /* the program's target: the machine's, or sm_90a on sm_90 if the program needs it */
    unsigned blocks, threads; /* the grid */
    unsigned cluster;         /* blocks of a cluster; 1: no clusters */
    unsigned resident;        /* blocks on one multiprocessor at a time */
    unsigned units;           /* per pass */
    struct gpu_slot *slots;   /* [slot_count], in loop order */
    size_t slot_count;
    struct gpu_stream streams[GPU_STREAMS];
    size_t stream_count;
    unsigned idle;              /* idle instructions per unit for a throttle{} */
    double duty, expected_duty; /* the requested duty, and the duty with `idle`; 0: no throttle{} */
    uint64_t bytes, align;      /* of the data */
    uint64_t shared;   /* bytes of shared memory per block for its streams, each aligned to the widest bus */
    uint64_t outgoing; /* offset in a block's shared memory of the row that bulk stores write */
    struct gpu_ring *rings;           /* [kernel->count]; NULL: no asynchronous loads */
    unsigned groups;                  /* groups that a thread's copies of a unit form */
    uint64_t warmup;                  /* passes */
    uint64_t loads[GPU_LEVELS];       /* per thread and pass, by level that serves them */
    uint64_t transfers[GPU_LEVELS];   /* sectors or lines that one block's loads transfer per pass */
    uint64_t stored[GPU_LEVELS];      /* the same for one block's stores */
    unsigned first_channel, channels; /* channels of L2 that serve accesses past L1; channels 0: all */
    struct gpu_tiles tiles;           /* of matrix operations with data */
    struct plan_rates rates;
    struct arena arena;
};

/* Bytes from the block's access to the thread's own. */
uint64_t gpu_thread_offset(const struct gpu_stream *stream, unsigned thread);

/* Bytes from a stream's region to its index-th access in a pass. */
uint64_t gpu_slot_displacement(const struct gpu_stream *stream, unsigned index);

/* Loads of a pass that read the address of the next chunk of a side. */
unsigned gpu_stream_links(const struct gpu_stream *stream);

/* Bytes of a bus transfer of the stream, over which the rates of its data are counted. */
unsigned gpu_stream_bus(const struct gpu_plan *plan, const struct gpu_stream *stream);

/* Bytes from the region's start to the end of the last byte that is ever read. */
uint64_t gpu_stream_reach(const struct gpu_stream *stream);

/* The row for the access; NULL if the ISA or the architecture lacks the operator. */
const struct form *gpu_access_form(const struct template *templates, const struct machine *machine,
                                   const struct gpu_stream *stream);

/* The feature that the access's row needs, if only other machines have it; else NULL. */
const char *gpu_access_feature(const struct template *templates, const struct gpu_stream *stream);

void gpu_plan_free(struct gpu_plan *plan);

#endif
