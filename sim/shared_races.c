#include "sim/shared_races.h"

#include "base/memory.h"

#include <stdlib.h>

/* Threads are stored by their number plus 1. */
enum { WORD = 4, NOBODY = 0, SEVERAL = RACE_MOST_THREADS + 1, ATOMICALLY = 1 << 15 };

/* Times are numbers of barriers so far, of all threads or of a group. */
struct shared_races {
    unsigned group;
    int32_t now, barrier; /* barrier: of the last one of all threads */
    int32_t group_barriers[RACE_MOST_THREADS];
    int32_t *written, *read;  /* [words]: time of the last write and read */
    int32_t *writer, *reader; /* [words]: its thread, or SEVERAL */
    int32_t words[];          /* memory of these four */
};

struct shared_races *shared_races_new(size_t bytes, unsigned group)
{
    size_t words = bytes / WORD + 1;
    struct shared_races *races = memory_zeroed(1, sizeof *races + 4 * words * sizeof races->words[0]);
    races->group = group;
    races->written = races->words;
    races->read = races->written + words;
    races->writer = races->read + words;
    races->reader = races->writer + words;
    return races;
}

void shared_races_free(struct shared_races *races)
{
    free(races);
}

void shared_races_barrier(struct shared_races *races)
{
    races->barrier = ++races->now;
}

void shared_races_group_barrier(struct shared_races *races, unsigned group)
{
    races->group_barriers[group] = ++races->now;
}

/* True if a barrier lies between the other thread's access at that time and the thread's access now. */
static bool is_ordered(const struct shared_races *races, unsigned other, int32_t then, unsigned thread)
{
    if (other == NOBODY || other == thread + 1 || then < races->barrier)
        return true;
    unsigned group = thread / races->group;
    return other != SEVERAL && (other - 1) / races->group == group && then < races->group_barriers[group];
}

bool shared_races_note(struct shared_races *races, unsigned thread, enum lane_kind kind, bool same,
                       uint64_t address, unsigned bytes)
{
    const int32_t own = (int32_t)thread + 1;
    for (uint64_t at = address / WORD; bytes >= WORD && at <= (address + bytes - 1) / WORD; at++) {
        unsigned reader = (unsigned)races->reader[at], writer = (unsigned)races->writer[at] & ~ATOMICALLY;
        bool both_atomic = kind == LANE_ATOMIC && (races->writer[at] & ATOMICALLY) != 0;
        if (!both_atomic && !same && !is_ordered(races, writer, races->written[at], thread))
            return false;
        if (kind != LANE_LOAD && !is_ordered(races, reader, races->read[at], thread))
            return false;
        if (kind != LANE_LOAD) {
            races->writer[at] = own | (kind == LANE_ATOMIC ? ATOMICALLY : 0);
            races->written[at] = races->now;
        } else {
            bool alone = reader == NOBODY || reader == thread + 1 || races->read[at] < races->barrier;
            races->reader[at] = alone ? own : SEVERAL;
            races->read[at] = races->now;
        }
    }
    return true;
}

/* ---- rows ---- */

/* Records that thread `own` and those after it load 1 << shift words each, from the first one on. False, with
 * nothing recorded, if a word was written since the last barrier of all threads. */
static bool load_row(struct shared_races *races, size_t first, int32_t count, int32_t shift, int32_t own)
{
    const int32_t *restrict written = races->written + first;
    int32_t *restrict read = races->read + first, *restrict reader = races->reader + first;
    const int32_t barrier = races->barrier, now = races->now;
    int32_t late = 0;
    for (int32_t i = 0; i < count; i++)
        late |= -(written[i] >= barrier);
    for (int32_t i = 0; i < count && late == 0; i++) {
        int32_t thread = own + (i >> shift);
        int32_t alone = -((reader[i] == NOBODY) | (reader[i] == thread) | (read[i] < barrier));
        reader[i] = (thread & alone) | (SEVERAL & ~alone);
        read[i] = now;
    }
    return late == 0;
}

/* The same for stores: false if another thread has accessed a word since the last barrier of all threads. */
static bool store_row(struct shared_races *races, size_t first, int32_t count, int32_t shift, int32_t own)
{
    int32_t *restrict written = races->written + first, *restrict writer = races->writer + first;
    const int32_t *restrict read = races->read + first, *restrict reader = races->reader + first;
    const int32_t barrier = races->barrier, now = races->now;
    int32_t late = 0;
    for (int32_t i = 0; i < count; i++) {
        int32_t thread = own + (i >> shift);
        int32_t after_store = (written[i] < barrier) | (writer[i] == thread) | (writer[i] == NOBODY);
        int32_t after_load = (read[i] < barrier) | (reader[i] == thread) | (reader[i] == NOBODY);
        late |= (after_store & after_load) - 1;
    }
    for (int32_t i = 0; i < count && late == 0; i++) {
        writer[i] = own + (i >> shift);
        written[i] = now;
    }
    return late == 0;
}

unsigned shared_races_note_even(struct shared_races *races, unsigned first, unsigned count,
                                enum lane_kind kind, uint64_t address, int64_t stride, unsigned bytes)
{
    const unsigned each = bytes / WORD;
    bool dense = stride == (int64_t)bytes && address % WORD == 0 && bytes % WORD == 0 && each > 0 &&
                 (each & (each - 1)) == 0;
    int32_t words = (int32_t)(count * each), own = (int32_t)first + 1;
    if (dense && kind != LANE_ATOMIC &&
        (kind == LANE_LOAD ? load_row : store_row)(races, address / WORD, words, __builtin_ctz(each), own))
        return count;
    unsigned i = 0;
    while (i < count &&
           shared_races_note(races, first + i, kind, false, address + (uint64_t)stride * i, bytes))
        i++;
    return i;
}
