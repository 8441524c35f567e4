#include "sim/shared_races.h"

#include "base/memory.h"

#include <stdlib.h>

/* Threads are noted from 1 on. */
enum { WORD = 4, NOBODY = 0, SEVERAL = RACE_MOST_THREADS + 1, ATOMICALLY = 1 << 15 };

struct race_word {
    uint32_t written, read; /* when */
    uint16_t writer, reader;
};

/* Time is the number of barriers so far, of all kinds. */
struct shared_races {
    unsigned group;
    uint32_t now, met;
    uint32_t group_met[RACE_MOST_THREADS];
    struct race_word words[];
};

struct shared_races *shared_races_new(size_t bytes, unsigned group)
{
    size_t words = bytes / WORD + 1;
    struct shared_races *races = memory_zeroed(1, sizeof *races + words * sizeof races->words[0]);
    races->group = group;
    return races;
}

void shared_races_free(struct shared_races *races)
{
    free(races);
}

void shared_races_meet(struct shared_races *races)
{
    races->met = ++races->now;
}

void shared_races_meet_group(struct shared_races *races, unsigned group)
{
    races->group_met[group] = ++races->now;
}

/* True if a barrier stands between what the other did then and what the thread does now. */
static bool is_ordered(const struct shared_races *races, unsigned other, uint32_t then, unsigned thread)
{
    if (other == NOBODY || other == thread + 1 || then < races->met)
        return true;
    unsigned group = thread / races->group;
    return other != SEVERAL && (other - 1) / races->group == group && then < races->group_met[group];
}

bool shared_races_note(struct shared_races *races, unsigned thread, enum lane_kind kind, bool same,
                       uint64_t address, unsigned bytes)
{
    for (uint64_t at = address / WORD; bytes >= WORD && at <= (address + bytes - 1) / WORD; at++) {
        struct race_word *word = &races->words[at];
        if (kind == LANE_LOAD && word->written < races->met && word->reader == thread + 1 &&
            word->read == races->now)
            continue; /* as it did before: so are most of a loop's loads */
        bool both_atomic = kind == LANE_ATOMIC && (word->writer & ATOMICALLY) != 0;
        unsigned writer = word->writer & ~ATOMICALLY;
        if (!both_atomic && !same && !is_ordered(races, writer, word->written, thread))
            return false;
        if (kind != LANE_LOAD && !is_ordered(races, word->reader, word->read, thread))
            return false;
        if (kind != LANE_LOAD) {
            word->writer = (uint16_t)((thread + 1) | (kind == LANE_ATOMIC ? ATOMICALLY : 0));
            word->written = races->now;
        } else if (word->reader != thread + 1 || word->read != races->now) {
            bool alone = word->reader == NOBODY || word->reader == thread + 1 || word->read < races->met;
            word->reader = alone ? (uint16_t)(thread + 1) : SEVERAL;
            word->read = races->now;
        }
    }
    return true;
}
