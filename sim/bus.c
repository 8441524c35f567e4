#include "sim/bus.h"

#include <string.h>

/* The ones in each byte of the word; neighbouring groups of bits are added. */
static uint64_t ones_by_byte(uint64_t word)
{
    word -= word >> 1 & 0x5555555555555555;
    word = (word & 0x3333333333333333) + (word >> 2 & 0x3333333333333333);
    return (word + (word >> 4)) & 0x0f0f0f0f0f0f0f0f;
}

/* The bits in which two words of width bytes differ. Bytes are summed last: the widest word has 128 ones in
 * each, and executors spend much of their time here. */
static unsigned differing(const unsigned char *word, const unsigned char *other, unsigned width)
{
    const uint64_t evens = 0x00ff00ff00ff00ff;
    uint64_t sums, now, before;
    uint32_t last = 0, last_before = 0;
    if (width % 8 != 0) { /* a half more */
        memcpy(&last, word + width - 4, 4);
        memcpy(&last_before, other + width - 4, 4);
    }
    sums = ones_by_byte(last ^ last_before);
    for (unsigned i = 0; i + 8 <= width; i += 8) {
        memcpy(&now, word + i, 8);
        memcpy(&before, other + i, 8);
        sums += ones_by_byte(now ^ before);
    }
    sums = (sums & evens) + (sums >> 8 & evens);
    return (unsigned)(sums * 0x0001000100010001 >> 48);
}

static const unsigned char no_ones[BUS_MOST_BYTES];

void bus_send(struct bus *bus, struct bus_count *count, const unsigned char *bytes, unsigned size,
              unsigned width)
{
    for (unsigned at = 0; at < size; at += width) {
        count->ones += differing(bytes + at, no_ones, width);
        count->toggles += bus->used ? differing(bytes + at, bus->bytes, width) : 0;
        count->transfers++;
        count->bits += 8 * (uint64_t)width;
        count->compared += bus->used ? 8 * (uint64_t)width : 0;
        memcpy(bus->bytes, bytes + at, width);
        bus->used = true;
    }
}

void bus_deal(struct bus_turns *turns, struct bus_count counts[BUS_TURNS], const unsigned char *bytes,
              unsigned size, unsigned width)
{
    for (unsigned at = 0; at < size; at += width, turns->sent++) {
        uint64_t bits = 8 * (uint64_t)width;
        unsigned set = differing(bytes + at, no_ones, width);
        for (unsigned turn = 0; turn < BUS_TURNS; turn++) {
            counts[turn].transfers++;
            counts[turn].bits += bits;
            counts[turn].ones += set;
            if (turn >= turns->sent)
                continue;
            counts[turn].compared += bits;
            counts[turn].toggles +=
                differing(bytes + at, turns->words[(turns->sent - turn - 1) % BUS_TURNS], width);
        }
        memcpy(turns->words[turns->sent % BUS_TURNS], bytes + at, width);
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
