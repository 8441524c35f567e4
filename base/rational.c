#include "base/rational.h"

#include <math.h>

static const double WITHIN = 1e-9;

uint64_t rational_gcd(uint64_t a, uint64_t b)
{
    while (b != 0) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

uint64_t rational_lcm(uint64_t a, uint64_t b)
{
    return a / rational_gcd(a, b) * b;
}

/* A convergent with denominator q is within 1/q^2 of the value, so this ends with small numbers. */
struct rational rational_of(double value)
{
    struct rational before = {1, 0};
    struct rational now = {(uint64_t)floor(value), 1};
    double rest = value - floor(value);
    while (fabs((double)now.numerator / (double)now.denominator - value) > WITHIN && rest > 0) {
        double inverse = 1 / rest;
        uint64_t digit = (uint64_t)floor(inverse);
        rest = inverse - floor(inverse);
        struct rational next = {digit * now.numerator + before.numerator,
                                digit * now.denominator + before.denominator};
        before = now;
        now = next;
    }
    return now;
}
