/* The programs of a suite in a harness of one's own. Link with the program.o of one point:
 *
 *     void *data = aligned_alloc(trauma_layout.align, trauma_size());
 *     trauma_setup(data);
 *     trauma_kernel(trauma_layout.warmup, data);
 *     trauma_kernel(iterations, data);             rates hold over trauma_layout.period passes
 *
 * With several objects, trauma_kernel is the first one's on the linker's command line. Each also has names of
 * its own, which begin with the text "symbols" of its manifest.json:
 *
 *     TRAUMA_DECLARE(trauma_small__hit_0_5);
 *     static const struct trauma_program half = TRAUMA_PROGRAM(trauma_small__hit_0_5);
 *
 *     void *data = aligned_alloc(half.layout->align, trauma_program_size(&half));
 *     trauma_program_setup(&half, data);
 *     half.kernel(half.layout->warmup, data);
 *
 * trauma gen --prefix NAME puts NAME in the place of "trauma" in all these names.
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

/* What one object exports. Makes that many passes of its loop. data: layout->bytes, aligned and set up. */
struct trauma_program {
    const struct trauma_layout *layout;
    const struct trauma_run *runs;
    void (*kernel)(uint64_t iterations, void *data);
};

#ifdef __cplusplus
#define TRAUMA_EXTERN extern "C"
#else
#define TRAUMA_EXTERN extern
#endif

/* Declares the names of one object, which TRAUMA_PROGRAM makes a struct trauma_program. */
#define TRAUMA_DECLARE(symbols)                                                                              \
    TRAUMA_EXTERN const struct trauma_layout symbols##_layout;                                               \
    TRAUMA_EXTERN const struct trauma_run symbols##_runs[];                                                  \
    TRAUMA_EXTERN void symbols##_kernel(uint64_t iterations, void *data)
#define TRAUMA_PROGRAM(symbols)                                                                              \
    {                                                                                                        \
        &symbols##_layout, symbols##_runs, symbols##_kernel                                                  \
    }

/* The only object's, or the first one's. */
TRAUMA_DECLARE(trauma);

/* layout->bytes, rounded up as aligned_alloc wants it. */
static inline size_t trauma_program_size(const struct trauma_program *program)
{
    uint64_t align = program->layout->align;
    return (size_t)((program->layout->bytes + align - 1) / align * align);
}

/* Writes every word that is read: a page that was never written would share its memory with all the others.
 */
static inline void trauma_program_setup(const struct trauma_program *program, void *data)
{
    uint64_t *words = (uint64_t *)data;
    uint64_t relative = program->layout->relative ? (uint64_t)(uintptr_t)data : 0;
    for (uint64_t i = 0; i < program->layout->runs; i++) {
        const struct trauma_run *run = &program->runs[i];
        for (uint64_t k = 0; k < run->count; k++)
            words[(run->offset + k * run->step) / sizeof *words] = run->value + relative;
    }
}

/* The same for trauma_kernel. */
static inline size_t trauma_size(void)
{
    const struct trauma_program program = TRAUMA_PROGRAM(trauma);
    return trauma_program_size(&program);
}

static inline void trauma_setup(void *data)
{
    const struct trauma_program program = TRAUMA_PROGRAM(trauma);
    trauma_program_setup(&program, data);
}

#endif
