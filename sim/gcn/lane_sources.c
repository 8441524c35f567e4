#include "sim/gcn/lane_sources.h"

enum { ROW = 16, NO_LANE = -1 };

/* The lane `away` from this one in its 16, or none. */
static int in_row(int lane, int away)
{
    int at = lane % ROW + away;
    return at < 0 || at >= ROW ? NO_LANE : lane / ROW * ROW + at;
}

/* The last lane of the 16, or of the 32, before those that the lane is in. */
static int last_before(int lane, int size)
{
    return lane < size ? NO_LANE : lane / size * size - 1;
}

static int by_control(unsigned control, int lane, int lanes)
{
    int number = (int)(control & 15), row = lane / ROW * ROW, at = lane % ROW;
    if (control < 0x100)
        return (lane & ~3) | (int)(control >> 2 * (lane % 4) & 3);
    switch (control & 0x1f0) {
    case 0x100:
        return in_row(lane, number);
    case 0x110:
        return in_row(lane, -number);
    case 0x120:
        return row + (at - number + ROW) % ROW;
    case 0x150:
        return row + number;
    case 0x160:
        return row + (at ^ number);
    default:
        break;
    }
    switch (control) {
    case 0x130:
        return lane + 1 < lanes ? lane + 1 : NO_LANE;
    case 0x134:
        return (lane + 1) % lanes;
    case 0x138:
        return lane - 1;
    case 0x13c:
        return (lane + lanes - 1) % lanes;
    case 0x140:
        return row + ROW - 1 - at;
    case 0x141:
        return (lane & ~7) + 7 - lane % 8;
    case 0x142:
        return last_before(lane, ROW);
    default:
        return last_before(lane, 2 * ROW);
    }
}

/* NO_LANE also where the source is inactive and that counts. */
static int source_of(const struct gcn_instruction *in, uint64_t exec, unsigned lanes, unsigned lane)
{
    int from = in->extension == GCN_DPP8 ? (int)((lane & ~7u) | (in->dpp.lanes >> 3 * (lane % 8) & 7))
                                         : by_control(in->dpp.control, (int)lane, (int)lanes);
    return from == NO_LANE || in->dpp.inactive || (exec >> from & 1) != 0 ? from : NO_LANE;
}

uint64_t wave_dpp_written(const struct gcn_instruction *in, uint64_t exec, unsigned lanes)
{
    uint64_t written = 0;
    for (unsigned i = 0; i < lanes; i++) {
        bool allowed = (in->dpp.rows >> i / ROW & 1) != 0 && (in->dpp.banks >> i % ROW / 4 & 1) != 0;
        bool served = in->dpp.zero || source_of(in, exec, lanes, i) != NO_LANE;
        written |= (uint64_t)(allowed && served) << i;
    }
    return written & exec;
}

void wave_dpp_read(const struct gcn_instruction *in, uint64_t exec, unsigned lanes,
                   const uint32_t from[WAVE_LANES], uint32_t to[WAVE_LANES])
{
    for (unsigned i = 0; i < lanes; i++) {
        int lane = source_of(in, exec, lanes, i);
        to[i] = lane == NO_LANE ? 0 : from[lane];
    }
    for (unsigned i = lanes; i < WAVE_LANES; i++)
        to[i] = 0;
}
