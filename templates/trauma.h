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
    uint64_t bytes; /* of data */
    uint64_t align; /* the data's address is a multiple of this */
    uint64_t fill;  /* 1: every 8-byte word holds the data's address; 0: word */
    uint64_t word;
    uint64_t warmup; /* passes of warm-up, a multiple of the period */
    uint64_t period; /* passes */
    uint64_t words;  /* how many trauma_words there are */
};

/* A word that differs from the others. */
struct trauma_word {
    uint64_t offset; /* bytes from the start of the data, a multiple of 8 */
    uint64_t value;
};

#ifdef __cplusplus
extern "C" {
#endif

extern const struct trauma_layout trauma_layout;
extern const struct trauma_word trauma_words[];

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

/* Writes every word: a page that was never written would share its memory with all the others. */
static inline void trauma_setup(void *data)
{
    uint64_t *words = (uint64_t *)data;
    uint64_t word = trauma_layout.fill ? (uint64_t)(uintptr_t)data : trauma_layout.word;
    for (uint64_t i = 0; i < trauma_layout.bytes / sizeof *words; i++)
        words[i] = word;
    for (uint64_t i = 0; i < trauma_layout.words; i++)
        words[trauma_words[i].offset / sizeof *words] = trauma_words[i].value;
}

#endif
