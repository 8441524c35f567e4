#include "generator/plan/memory/rotating_set.h"

#include "base/rational.h"

struct rotation rotation_by(uint64_t start, uint64_t step, unsigned turns)
{
    return (struct rotation){.start = start, .step = step, .positions = turns, .jump = 1};
}

unsigned rotation_turns(const struct rotation *rotation)
{
    if (rotation->until == 0)
        return rotation->positions;
    unsigned moves = rotation->until - rotation->from;
    return rotation->positions / (unsigned)rational_gcd(rotation->positions, moves) * rotation->period;
}

uint64_t rotation_at(const struct rotation *rotation, uint64_t pass)
{
    uint64_t moves = pass;
    if (rotation->until > 0) {
        uint64_t place = pass % rotation->period;
        uint64_t begun = place < rotation->from    ? 0
                         : place < rotation->until ? place - rotation->from
                                                   : rotation->until - rotation->from;
        moves = pass / rotation->period * (rotation->until - rotation->from) + begun;
    }
    return rotation->start + moves * rotation->jump % rotation->positions * rotation->step;
}
