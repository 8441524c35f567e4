/* Goes through every access of a GPU's plan, as its threads would make them, over the image of its data. */
#ifndef TESTS_GENERATOR_GPU_WALK_H
#define TESTS_GENERATOR_GPU_WALK_H

#include "generator/plan/gpu/gpu_image.h"
#include "generator/plan/gpu/gpu_plan.h"

#include <stdlib.h>

struct gpu_walk {
    const struct gpu_plan *plan;
    struct gpu_image image;
    uint64_t address;  /* of the data on the device that is played */
    uint64_t *pointer; /* of chases: [stream][block][thread], from the data's start */
};

static inline struct gpu_rule *gpu_walk_rules(const struct gpu_plan *plan)
{
    struct gpu_rule *rules = calloc(plan->stream_count + 1, sizeof *rules);
    assert_non_null(rules);
    size_t count = 0;
    for (int shared = 1; shared >= 0; shared--)
        for (size_t i = 0; i < plan->stream_count; i++)
            if (gpu_level_in_shared(plan->streams[i].level) == (shared == 1))
                rules[count++] = plan->streams[i].rule;
    return rules;
}

static inline uint64_t gpu_walk_start(const struct gpu_stream *stream, unsigned block, unsigned thread)
{
    return (uint64_t)block * stream->block % stream->bytes + thread * stream->lane;
}

static inline void gpu_walk_open(struct gpu_walk *walk, const struct gpu_plan *plan)
{
    size_t threads = (size_t)plan->blocks * plan->threads;
    *walk = (struct gpu_walk){.plan = plan, .address = (uint64_t)1 << 40};
    walk->image = (struct gpu_image){plan->bytes, plan->align, gpu_walk_rules(plan), plan->stream_count};
    walk->pointer = calloc(plan->stream_count * threads + 1, sizeof *walk->pointer);
    assert_non_null(walk->pointer);
    for (size_t s = 0; s < plan->stream_count; s++)
        for (size_t t = 0; t < threads; t++)
            walk->pointer[s * threads + t] = gpu_walk_start(&plan->streams[s], (unsigned)(t / plan->threads),
                                                            (unsigned)(t % plan->threads));
}

static inline uint64_t gpu_walk_word(const struct gpu_walk *walk, uint64_t at)
{
    unsigned char bytes[8];
    uint64_t word = 0;
    gpu_image_fill(&walk->image, walk->address, at, 8, bytes);
    for (int i = 7; i >= 0; i--)
        word = word << 8 | bytes[i];
    return word;
}

/* Where in the stream's region the access of a slot goes, from the region's start. A chase goes on. */
static inline uint64_t gpu_walk_access(struct gpu_walk *walk, const struct gpu_slot *slot, uint64_t pass,
                                       unsigned block, unsigned thread)
{
    const struct gpu_stream *stream = &walk->plan->streams[slot->stream];
    if (!stream->chase) {
        uint64_t row = ((uint64_t)block * stream->block + pass * stream->advance) % stream->bytes;
        return row + thread * stream->lane + gpu_slot_displacement(stream, slot->index);
    }
    size_t threads = (size_t)walk->plan->blocks * walk->plan->threads;
    uint64_t *pointer =
        &walk->pointer[(size_t)slot->stream * threads + (size_t)block * walk->plan->threads + thread];
    uint64_t at = *pointer;
    uint64_t origin = stream->rule.relative ? 0 : walk->address + stream->offset;
    *pointer = gpu_walk_word(walk, stream->offset + at) - origin;
    return at;
}

static inline void gpu_walk_close(struct gpu_walk *walk)
{
    free(walk->image.rules);
    free(walk->pointer);
}

#endif
