#include "sim/bus.h"

#include <string.h>

/* Adds neighbouring groups of bits. Not every processor has POPCNT; without it the compiler would call a
 * function, and this is most of a bus's work. */
static unsigned ones(uint64_t word)
{
    word -= word >> 1 & 0x5555555555555555;
    word = (word & 0x3333333333333333) + (word >> 2 & 0x3333333333333333);
    word = (word + (word >> 4)) & 0x0f0f0f0f0f0f0f0f;
    return (unsigned)(word * 0x0101010101010101 >> 56);
}

void bus_send(struct bus *bus, struct bus_count *count, const unsigned char *bytes, unsigned size,
              unsigned width)
{
    for (unsigned at = 0; at < size; at += width) {
        for (unsigned i = 0; i < width; i += 8) {
            uint64_t now = 0;
            uint64_t before = 0;
            size_t part = width - i < 8 ? width - i : 8;
            memcpy(&now, bytes + at + i, part);
            memcpy(&before, bus->bytes + i, part);
            count->ones += ones(now);
            count->toggles += bus->used ? ones(now ^ before) : 0;
        }
        count->transfers++;
        count->bits += 8 * (uint64_t)width;
        count->compared += bus->used ? 8 * (uint64_t)width : 0;
        memcpy(bus->bytes, bytes + at, width);
        bus->used = true;
    }
}

void bus_subtract(struct bus_count *more, const struct bus_count *fewer)
{
    more->transfers -= fewer->transfers;
    more->bits -= fewer->bits;
    more->ones -= fewer->ones;
    more->compared -= fewer->compared;
    more->toggles -= fewer->toggles;
}
