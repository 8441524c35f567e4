/* trauma_kernel, for use in a harness of one's own. Link with the program.o of one point.
 *
 *     void *data = aligned_alloc(trauma_layout.align, trauma_size());
 *     trauma_setup(data);
 *     trauma_kernel(trauma_layout.warmup, data);
 *     trauma_kernel(iterations, data);             rates hold over trauma_layout.period passes
 */
#ifndef TRAUMA_H
#define TRAUMA_H

#include <stddef.h>
#include <stdint.h>

struct trauma_layout {
    uint64_t bytes;    /* of data */
    uint64_t align;    /* the data's address is a multiple of this */
    uint64_t relative; /* 1: set-up adds the data's address to every value */
    uint64_t huge;     /* from this byte on better in huge pages, as madvise gives them; bytes: none */
    uint64_t warmup;   /* passes of warm-up, a multiple of the period */
    uint64_t period;   /* passes */
    uint64_t runs;     /* how many trauma_runs there are */
};

/* Words of the data before anything runs. A later run overwrites an earlier one. */
struct trauma_run {
    uint64_t offset; /* of the first word: bytes from the start of the data, a multiple of 8 */
    uint64_t step;   /* bytes from one word to the next */
    uint64_t count;
    uint64_t value;
};

#ifdef __cplusplus
extern "C" {
#endif

extern const struct trauma_layout trauma_layout;
extern const struct trauma_run trauma_runs[];

/* Makes that many passes of the loop. data: trauma_layout.bytes, aligned and set up. */
void trauma_kernel(uint64_t iterations, void *data);

#ifdef __cplusplus
}
#endif

/* trauma_layout.bytes, rounded up as aligned_alloc wants it. */
static inline size_t trauma_size(void)
{
    return (size_t)((trauma_layout.bytes + trauma_layout.align - 1) / trauma_layout.align *
                    trauma_layout.align);
}

/* Writes every word that is read: a page that was never written would share its memory with all the others.
 */
static inline void trauma_setup(void *data)
{
    uint64_t *words = (uint64_t *)data;
    uint64_t relative = trauma_layout.relative ? (uint64_t)(uintptr_t)data : 0;
    for (uint64_t i = 0; i < trauma_layout.runs; i++)
        for (uint64_t k = 0; k < trauma_runs[i].count; k++)
            words[(trauma_runs[i].offset + k * trauma_runs[i].step) / sizeof *words] =
                trauma_runs[i].value + relative;
}

#endif
