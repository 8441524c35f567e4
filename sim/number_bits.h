/* Conversions between floating-point numbers and their bits, and a count of set bits. */
#ifndef SIM_NUMBER_BITS_H
#define SIM_NUMBER_BITS_H

#include <math.h>
#include <stdint.h>
#include <string.h>

static inline float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint32_t bits_of_float(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline double double_of(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint64_t bits_of_double(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* Adds neighbouring groups of bits. Where POPCNT is not guaranteed, the compiler's built-in calls a function,
 * and executors spend much of their time here. */
static inline unsigned bits_set(uint64_t word)
{
    word -= word >> 1 & 0x5555555555555555;
    word = (word & 0x3333333333333333) + (word >> 2 & 0x3333333333333333);
    word = (word + (word >> 4)) & 0x0f0f0f0f0f0f0f0f;
    return (unsigned)(word * 0x0101010101010101 >> 56);
}

/* The half (binary16) in the lower 16 bits; exact. */
static inline double of_half(uint32_t bits)
{
    int exponent = (int)(bits >> 10 & 31);
    double fraction = bits & 0x3ff;
    double size = exponent == 31  ? ((bits & 0x3ff) != 0 ? (double)NAN : (double)INFINITY)
                  : exponent == 0 ? ldexp(fraction, -24)
                                  : ldexp(1024 + fraction, exponent - 25);
    return (bits & 0x8000) != 0 ? -size : size;
}

/* The nearest half, ties to even. A half's multiply-add may be rounded to a double first: no bit that is lost
 * then can change the result. */
static inline uint32_t to_half(double value)
{
    uint32_t sign = signbit(value) ? 0x8000 : 0;
    double size = fabs(value);
    int exponent;
    if (isnan(value))
        return 0x7e00;
    if (size == 0)
        return sign;
    if (size >= 65520)
        return sign | 0x7c00;
    frexp(size, &exponent); /* size is below 2 to it */
    exponent = exponent < -13 ? -13 : exponent;
    double units = nearbyint(ldexp(size, 11 - exponent));
    return sign | (((uint32_t)(exponent + 13) << 10) + (uint32_t)units);
}

#endif
