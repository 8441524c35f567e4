/* The plan of a GPU's program: streams of accesses, each served by one level, and the slots of the loop that
 * every thread runs. ISA-independent: emission turns it into text.
 *
 * Rates by footprint and operator: what is read again before more than a cache's size came by is found in it.
 * Streams walk their regions round and round, so each reads a line again after just its region's lines (and
 * what other streams bring meanwhile: gpu_reach.c). */
#ifndef GENERATOR_PLAN_GPU_GPU_PLAN_H
#define GENERATOR_PLAN_GPU_GPU_PLAN_H

#include "base/arena.h"
#include "base/error.h"
#include "generator/kernel/gpu_kernel.h"
#include "generator/machine/machine.h"
#include "generator/plan/gpu/image.h"
#include "generator/plan/rates.h"
#include "isa/template.h"

#include <stdbool.h>
#include <stdint.h>

/* Accesses of one behaviour that one level serves. All threads make each of them; thread t of block b makes
 * its k-th at offset + (b * block) mod bytes + k * step + t * lane; the region goes on beyond its end as it
 * began (ahead). From pass to pass that is advance more, and bytes less where it would be beyond the region.
 */
struct gpu_stream {
    unsigned item; /* index into the kernel's behaviours */
    enum gpu_level level;
    enum gpu_level predicted; /* by the footprint and the operator; the level, but for working sets */
    const char *cache;        /* the operator: "ca", "cg"; "" for shared memory */
    bool store, chase;
    unsigned width;
    uint64_t lane, step;
    uint64_t bytes;     /* of the region, a multiple of step */
    uint64_t tail;      /* beyond it, that the last threads reach */
    uint64_t offset;    /* in the data */
    uint64_t ahead;     /* beyond it, that passes reach which begin at its last rows; a multiple of step */
    uint64_t block;     /* from one block's start to the next one's; a multiple of advance, or of step */
    uint64_t advance;   /* from pass to pass: per_pass * step, or 0 when a pass goes round the region */
    uint64_t rows;      /* in the region, without what channels leave out */
    uint64_t row_bytes; /* of the lines that one row's access of a whole block touches, at most step */
    uint64_t brought;   /* bytes of lines that this access brings: in random order no two rows share one */
    uint64_t dense,
        apart;         /* of every `apart` bytes of the region it has `dense`, in chosen channels; 0: all */
    unsigned per_pass; /* accesses of one thread */
    const char *side;  /* "near", "far": of L2, whose chunks it reads (gpu_sides.h); NULL: any */
    unsigned hop;      /* accesses in a chunk of a side */
    struct gpu_rule rule; /* what it reads */
    const char *kept;     /* stores: what is said of their data; NULL: zeros */
};

/* One instance of a behaviour in the loop. */
struct gpu_slot {
    unsigned item;
    int stream;     /* index of the access's stream; -1: no access */
    unsigned index; /* accesses: which of its stream's in a pass */
    bool dependent; /* operations: consumes the last load's value */
    bool diverges;  /* branches */
    unsigned unit;
};

enum { GPU_STREAMS = 64, GPU_SHARED_ALIGN = 128 };

struct gpu_plan {
    const struct gpu_kernel *kernel;
    const struct machine *machine;
    unsigned blocks, threads; /* the grid */
    unsigned resident;        /* its blocks on one multiprocessor at a time */
    unsigned units;           /* of a pass */
    struct gpu_slot *slots;   /* [slot_count], in the order of the loop */
    size_t slot_count;
    struct gpu_stream streams[GPU_STREAMS];
    size_t stream_count;
    unsigned idle;                  /* idle instructions that a throttle{} comes to, in a unit */
    double duty, expected_duty;     /* what is asked, and what idle comes to; 0: there is no throttle{} */
    uint64_t bytes, align;          /* of the data */
    uint64_t shared;                /* bytes of shared memory of a block: of its streams, each aligned to the
                                       widest bus */
    uint64_t warmup;                /* passes */
    uint64_t loads[GPU_LEVELS];     /* of one thread in a pass, by the level that serves them */
    uint64_t transfers[GPU_LEVELS]; /* sectors or lines that one block's loads of a pass are */
    uint64_t stored[GPU_LEVELS];    /* the same of one block's stores */
    unsigned first_channel, channels; /* of L2 that serve what goes past L1; channels 0: all do */
    struct rates targets, expected;
    struct arena arena;
};

/* Makes the plan; kernel and machine must outlive it. label: "benchmark/point", which with the seed gives its
 * random numbers. STATUS_RECIPE with the reason when a rate cannot be reached. Free with gpu_plan_free also
 * after an error. */
enum status gpu_plan_make(const struct gpu_kernel *kernel, const struct machine *machine,
                          const struct template *templates, uint64_t seed, const char *label,
                          struct gpu_plan *plan, struct error *error);

/* Bytes from a stream's region to its index-th access in a pass. */
uint64_t gpu_slot_displacement(const struct gpu_stream *stream, unsigned index);

/* Bytes from the region's begin to the end of what is ever read. */
uint64_t gpu_stream_reach(const struct gpu_stream *stream);

/* True for "", for the machine's own architecture, and for those that it has all of: "sm_70" or later, "gfx9"
 * or later. */
bool gpu_has_feature(const struct machine *machine, const char *feature);

/* The first row of that name whose feature the machine has; NULL when there is none. */
const struct form *gpu_form(const struct template *templates, const struct machine *machine,
                            const char *name);

/* The row for the access; NULL when there is none: the operator is not the ISA's, or not the architecture's.
 */
const struct form *gpu_access_form(const struct template *templates, const struct machine *machine,
                                   const struct gpu_stream *stream);

void gpu_plan_free(struct gpu_plan *plan);

#endif
