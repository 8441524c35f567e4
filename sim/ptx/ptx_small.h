/* Floating-point numbers of 16 bits and fewer, which C has no types for. */
#ifndef SIM_PTX_PTX_SMALL_H
#define SIM_PTX_PTX_SMALL_H

#include <stdbool.h>
#include <stdint.h>

struct ptx_small {
    unsigned mantissa, exponent; /* bits */
    bool infinite; /* the highest exponent is for infinity and what is no number; else for one of
                      the latter only, all ones */
};

extern const struct ptx_small ptx_half, ptx_brain, ptx_e4m3; /* f16, bf16, e4m3 */

/* The number that the bits stand for. */
double ptx_small_number(const struct ptx_small *format, uint32_t bits);

/* The nearest one, of two the even one. */
uint32_t ptx_small_nearest(const struct ptx_small *format, double number);

/* a * b + c of such numbers, in so much precision that it can still be rounded correctly. */
double ptx_small_fma(double a, double b, double c);

#endif
