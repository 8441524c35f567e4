#include "sim/bus.h"

#include "sim/number_bits.h"

#include <string.h>

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
            count->ones += bits_set(now);
            count->toggles += bus->used ? bits_set(now ^ before) : 0;
        }
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
        uint64_t toggles[BUS_TURNS] = {0}, set = 0;
        uint64_t bits = 8 * (uint64_t)width;
        for (unsigned i = 0; i < width; i += 8) {
            uint64_t now = 0;
            size_t part = width - i < 8 ? width - i : 8;
            memcpy(&now, bytes + at + i, part);
            set += bits_set(now);
            for (unsigned turn = 0; turn < BUS_TURNS && turn < turns->sent; turn++) {
                uint64_t before = 0;
                memcpy(&before, turns->words[(turns->sent - turn - 1) % BUS_TURNS] + i, part);
                toggles[turn] += bits_set(now ^ before);
            }
        }
        for (unsigned turn = 0; turn < BUS_TURNS; turn++) {
            counts[turn].transfers++;
            counts[turn].bits += bits;
            counts[turn].ones += set;
            counts[turn].compared += turn < turns->sent ? bits : 0;
            counts[turn].toggles += toggles[turn];
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
