/* Reproducible random numbers, equal on every host for equal seeds: PCG32 (O'Neill 2014, XSH-RR 64/32). */
#ifndef BASE_RANDOM_H
#define BASE_RANDOM_H

#include <stddef.h>
#include <stdint.h>

struct random {
    uint64_t state;
};

/* A separate stream for each (seed, label), so that a point's numbers do not depend on earlier points. */
struct random random_start(uint64_t seed, const char *label);

uint32_t random_next(struct random *random);

/* Uniform in [0, bound), without modulo bias. bound must not be 0. */
uint32_t random_below(struct random *random, uint32_t bound);

/* Fisher-Yates over count bytes. */
void random_shuffle(struct random *random, unsigned char *items, size_t count);

/* The same for numbers. */
void random_shuffle_numbers(struct random *random, uint32_t *items, size_t count);

#endif
