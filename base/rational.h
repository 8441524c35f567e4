/* The fraction that a rate means: a recipe's 0.37 is 37/100, and 1 - 0.7 is 3/10 whatever its last bit says.
 */
#ifndef BASE_RATIONAL_H
#define BASE_RATIONAL_H

#include <stdint.h>

struct rational {
    uint64_t numerator;
    uint64_t denominator; /* at least 1; the fraction is in lowest terms */
};

/* The fraction with the smallest denominator within 1e-9 of value in [0, 1]; the denominator is at most
 * 1,000,000, where the nearest such fraction is taken. */
struct rational rational_of(double value);

uint64_t rational_gcd(uint64_t a, uint64_t b);

#endif
