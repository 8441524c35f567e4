/* The fraction that a rate means: a recipe's 0.37 is 37/100, and 1 - 0.7 is 3/10 despite rounding. */
#ifndef BASE_RATIONAL_H
#define BASE_RATIONAL_H

#include <stdint.h>

struct rational {
    uint64_t numerator;
    uint64_t denominator; /* at least 1; the fraction is in lowest terms */
};

/* The first convergent of the continued fraction of value in [0, 1] that lies within 1e-9 of it: exactly k/n
 * if value stands for a fraction with n below 30,000. */
struct rational rational_of(double value);

/* The greatest common divisor, and the least common multiple; at most one of a and b is 0. */
uint64_t rational_gcd(uint64_t a, uint64_t b);
uint64_t rational_lcm(uint64_t a, uint64_t b);

#endif
