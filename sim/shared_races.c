#include "sim/shared_races.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* Threads are noted from 1 on. */
enum { ROWS = 4096, WORD = 4, NOBODY = 0, SEVERAL = RACE_MOST_THREADS + 1, ATOMICALLY = 1 << 15 };

struct race_word {
    uint32_t written, read; /* when */
    uint16_t writer, reader;
};

/* Accesses of several threads that were in order. */
struct race_row {
    uint64_t address, changes;
    int64_t stride;
    uint32_t now;
    uint16_t first, count;
    uint32_t bytes, kind; /* no room is left between members: rows are compared as bytes */
};

/* Time is the number of barriers so far, of all kinds. */
struct shared_races {
    unsigned group;
    uint32_t now, met;
    uint32_t group_met[RACE_MOST_THREADS];
    uint64_t changes; /* stores and atomics so far that were not in rows; never 0 */
    struct race_row rows[ROWS];
    struct race_word words[];
};

struct shared_races *shared_races_new(size_t bytes, unsigned group)
{
    size_t words = bytes / WORD + 1;
    struct shared_races *races = memory_zeroed(1, sizeof *races + words * sizeof races->words[0]);
    races->group = group;
    races->changes = 1;
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
    races->changes += kind != LANE_LOAD;
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

static struct race_row *row_of(struct shared_races *races, const struct race_row *row)
{
    uint64_t mixed =
        row->address * 0x9e3779b97f4a7c15 + (uint64_t)row->first * 0xc2b2ae3d27d4eb4f + row->kind;
    return &races->rows[mixed >> 40 & (ROWS - 1)];
}

/* Between barriers, accesses that were in order and that nothing but such has followed are so again, and
 * change nothing: a reader stays the only one or one of several, and a word that another thread wrote or read
 * meanwhile was a race then. */
unsigned shared_races_note_even(struct shared_races *races, unsigned first, unsigned count,
                                enum lane_kind kind, uint64_t address, int64_t stride, unsigned bytes)
{
    struct race_row row = {.address = address,
                           .changes = races->changes,
                           .stride = stride,
                           .now = races->now,
                           .first = (uint16_t)first,
                           .count = (uint16_t)count,
                           .bytes = bytes,
                           .kind = kind};
    struct race_row *known = row_of(races, &row);
    if (memcmp(known, &row, sizeof row) == 0)
        return count;
    unsigned i = 0;
    while (i < count &&
           shared_races_note(races, first + i, kind, false, address + (uint64_t)stride * i, bytes))
        i++;
    row.changes = races->changes;
    if (i == count)
        *known = row;
    return i;
}
