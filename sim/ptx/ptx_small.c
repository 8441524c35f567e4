#include "sim/ptx/ptx_small.h"

#include "sim/number_bits.h"

#include <math.h>

const struct ptx_small ptx_half = {10, 5, true};
const struct ptx_small ptx_brain = {7, 8, true};
const struct ptx_small ptx_e4m3 = {3, 4, false};

static int bias_of(const struct ptx_small *format)
{
    return (1 << (format->exponent - 1)) - 1;
}

/* 2 to that power, for normal results. ldexp and frexp would take most of the time of operations on
 * halves. */
static double power_of_two(int power)
{
    return double_of((uint64_t)(power + 1023) << 52);
}

/* The number's exponent; for a subnormal number, one below that of every normal number. */
static int exponent_of(double number)
{
    return (int)(bits_of_double(number) >> 52 & 0x7ff) - 1023;
}

double ptx_small_number(const struct ptx_small *format, uint32_t bits)
{
    uint32_t most = (1U << format->exponent) - 1;
    uint32_t fraction = bits & ((1U << format->mantissa) - 1);
    uint32_t exponent = bits >> format->mantissa & most;
    double sign = (bits >> (format->mantissa + format->exponent) & 1) != 0 ? -1 : 1;
    if (exponent == most && format->infinite)
        return fraction == 0 ? sign * (double)INFINITY : (double)NAN;
    if (exponent == most && fraction == (1U << format->mantissa) - 1)
        return (double)NAN;
    int scale = (exponent == 0 ? 1 : (int)exponent) - bias_of(format) - (int)format->mantissa;
    return sign * (double)(fraction | (exponent == 0 ? 0 : 1U << format->mantissa)) * power_of_two(scale);
}

uint32_t ptx_small_nearest(const struct ptx_small *format, double number)
{
    uint32_t sign = (signbit(number) ? 1U : 0U) << (format->mantissa + format->exponent);
    uint32_t most = (1U << format->exponent) - 1;
    const int bias = bias_of(format);
    if (isnan(number))
        return (1U << (format->mantissa + format->exponent)) - 1;
    if (isinf(number) || number == 0)
        return sign | (number == 0 ? 0 : most << format->mantissa);
    int exponent = exponent_of(number);
    exponent = exponent < 1 - bias ? 1 - bias : exponent;
    double steps = fabs(number) * power_of_two((int)format->mantissa - exponent);
    steps = (steps + 0x1p52) - 0x1p52; /* to the nearest integer, ties to even */
    uint32_t whole = (uint32_t)steps;  /* the mantissa with its leading bit, without it if subnormal */
    uint32_t bits = ((uint32_t)(exponent + bias - 1) << format->mantissa) + whole;
    return sign | (bits > most << format->mantissa ? most << format->mantissa : bits);
}

/* The product is exact. The sum is rounded to odd: its last bit becomes 1 if bits are lost, so that it cannot
 * lie halfway between two numbers of a format unless the exact sum does. */
double ptx_small_fma(double a, double b, double c)
{
    double product = a * b, sum = product + c, part = sum - product;
    double lost = (product - (sum - part)) + (c - part);
    uint64_t bits = bits_of_double(sum);
    if (!isfinite(sum) || lost == 0 || (bits & 1) != 0)
        return sum;
    return double_of((lost > 0) == (sum > 0) ? bits + 1 : bits - 1);
}
