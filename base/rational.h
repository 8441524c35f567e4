/* The fraction that a rate means: a recipe's 0.37 is 37/100, and 1 - 0.7 is 3/10 despite rounding; and
 * arithmetic of divisors and multiples. */
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

/* The least multiple of the unit that is not below the number. */
static inline uint64_t rational_round_up(uint64_t number, uint64_t unit)
{
    return (number + unit - 1) / unit * unit;
}

#endif
