/* cvt: converts between types. Registers may be wider than the types. */
#include "sim/number_bits.h"
#include "sim/ptx/warp_state.h"

#include <math.h>
#include <string.h>

/* A source's value: `letter` is its type and selects the member. */
struct number {
    char letter; /* u, s, f */
    uint64_t u;
    int64_t s;
    double f;
};

static struct number read_number(const struct ptx_type *type, uint64_t bits)
{
    struct number number = {.letter = type->letter, .u = bits};
    unsigned width = 8 * type->bytes;
    if (width < 64)
        number.u &= (UINT64_C(1) << width) - 1;
    number.s = (int64_t)(width < 64 ? (number.u ^ UINT64_C(1) << (width - 1)) - (UINT64_C(1) << (width - 1))
                                    : number.u);
    number.f = width == 32 ? (double)float_of((uint32_t)bits) : double_of(bits);
    return number;
}

static double rounded(char rounding, double real)
{
    return rounding == 'z'   ? trunc(real)
           : rounding == 'm' ? floor(real)
           : rounding == 'p' ? ceil(real)
                             : nearbyint(real);
}

/* An integer of the instruction's type. Floating-point numbers out of range become its bound, and NaNs 0. */
static uint64_t integer_from(const struct ptx_instruction *it, const struct number *number)
{
    unsigned width = 8 * it->type.bytes;
    bool is_signed = it->type.letter == 's';
    double most = 2.0 * (double)(UINT64_C(1) << (is_signed ? width - 2 : width - 1));
    uint64_t greatest = is_signed    ? (UINT64_C(1) << (width - 1)) - 1
                        : width < 64 ? (UINT64_C(1) << width) - 1
                                     : UINT64_MAX;
    uint64_t least = is_signed ? ~greatest : 0;
    if (number->letter == 'f') {
        double real = rounded(it->rounding == 0 ? 'z' : it->rounding, number->f);
        if (isnan(real))
            return 0;
        if (real >= most)
            return greatest;
        if (real < (is_signed ? -most : 0))
            return least;
        return is_signed ? (uint64_t)(int64_t)real : (uint64_t)real;
    }
    bool minus = number->letter == 's' && number->s < 0;
    uint64_t value = number->letter == 's' ? (uint64_t)number->s : number->u;
    if (!it->saturates)
        return value;
    if (minus)
        return !is_signed || number->s < (int64_t)least ? least : value;
    return value > greatest ? greatest : value;
}

/* A floating-point number, rounded once. */
static uint64_t real_from(const struct ptx_instruction *it, const struct number *number)
{
    if (it->type.bytes == 4) {
        float single = number->letter == 'f'   ? (float)number->f
                       : number->letter == 's' ? (float)number->s
                                               : (float)number->u;
        if (it->rounding != 0 && it->rounding != 'n' && number->letter == 'f')
            single = (float)rounded(it->rounding, number->f);
        if (it->saturates)
            single = single > 0 ? fminf(single, 1) : 0;
        return bits_of_float(single);
    }
    double wide = number->letter == 'f'   ? number->f
                  : number->letter == 's' ? (double)number->s
                                          : (double)number->u;
    if (it->rounding != 0 && it->rounding != 'n' && number->letter == 'f')
        wide = rounded(it->rounding, wide);
    if (it->saturates)
        wide = wide > 0 ? fmin(wide, 1) : 0;
    return bits_of_double(wide);
}

void warp_convert(const struct ptx_instruction *it, const void *source, void *result)
{
    const unsigned char *from = source;
    unsigned char *to = result;
    for (unsigned i = 0; i < PTX_LANES; i++) {
        uint64_t bits = 0;
        memcpy(&bits, from + (size_t)i * it->source_bytes, it->source_bytes);
        struct number number = read_number(&it->from, bits);
        uint64_t value = it->type.letter == 'f' ? real_from(it, &number) : integer_from(it, &number);
        if (it->type.letter != 'f') {
            /* extended to the width of the register */
            struct number own = read_number(&it->type, value);
            value = own.letter == 's' ? (uint64_t)own.s : own.u;
        }
        memcpy(to + (size_t)i * it->result_bytes, &value, it->result_bytes);
    }
}
