/* Floating-point formats of 16 bits or fewer, for which C has no types. */
#ifndef SIM_PTX_PTX_SMALL_H
#define SIM_PTX_PTX_SMALL_H

#include <stdbool.h>
#include <stdint.h>

struct ptx_small {
    unsigned mantissa, exponent; /* bits */
    bool infinite; /* the highest exponent is reserved for infinity and NaNs; else only all ones is a NaN */
};

extern const struct ptx_small ptx_half, ptx_brain, ptx_e4m3; /* f16, bf16, e4m3 */

/* The number that the bits encode. */
double ptx_small_number(const struct ptx_small *format, uint32_t bits);

/* The bits of the nearest number of the format, ties to even. */
uint32_t ptx_small_nearest(const struct ptx_small *format, double number);

/* a * b + c of such numbers, precise enough to be rounded correctly to any of the formats. */
double ptx_small_fma(double a, double b, double c);

#endif
