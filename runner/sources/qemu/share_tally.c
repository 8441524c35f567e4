#include "runner/sources/qemu/share_tally.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Accesses of a copy of one kind to one word. */
struct share_row {
    uint64_t place;
    unsigned copy, kind, width;
    double stated, made, in_turn;
    bool reads;   /* an atomic's own reading: at least as many as stated */
    bool ordered; /* those that count are in turn */
};

struct share_rows {
    struct share_row *items;
    size_t count;
};

static void add(struct share_rows *rows, const struct share_row *row)
{
    rows->items = memory_next(rows->items, rows->count, sizeof *rows->items);
    rows->items[rows->count++] = *row;
}

/* ---- what the kernel states ---- */

static enum board_kind kind_of(const struct behaviour *item)
{
    if (strcmp(item->op, "load") == 0)
        return BOARD_LOAD;
    return strcmp(item->op, "store") == 0 || behaviour_is_atomic(item, "turn") ? BOARD_STORE : BOARD_ATOMIC;
}

/* One access of the behaviour, made so many times. Compare-and-swap may read the word before, and a turn is
 * waited for by reading it. */
static void state_access(struct share_rows *rows, const struct behaviour *item, unsigned copy, uint64_t place,
                         double times)
{
    bool turn = behaviour_is_atomic(item, "turn");
    struct share_row row = {.place = place,
                            .copy = copy,
                            .kind = kind_of(item),
                            .width = item->width,
                            .stated = times,
                            .ordered = turn};
    add(rows, &row);
    if (!turn && !behaviour_is_atomic(item, "cas"))
        return;
    row.kind = BOARD_LOAD;
    row.stated = turn ? times : 0;
    row.reads = true;
    row.ordered = false;
    add(rows, &row);
}

/* Walks go on from pass to pass; other accesses stay where they are. */
static void state_item(struct share_rows *rows, const struct share_request *request,
                       const struct behaviour *item, unsigned copy)
{
    const struct shared_access *access = &item->shared;
    uint64_t start = (1 + access->region) * BOARD_SPAN + access->offset + copy * access->apart;
    unsigned count = request->units * item->count;
    bool walks = access->working_set > 0;
    uint64_t at = 0;
    for (unsigned pass = 0; pass < (walks ? request->passes : 1); pass++) {
        for (unsigned i = 0; i < count; i++)
            state_access(rows, item, copy, start + at + i * access->stride, walks ? 1 : request->passes);
        at += count * access->stride;
        if (walks && at >= access->working_set)
            at -= access->working_set;
    }
}

/* ---- what was made ---- */

static void take_board(struct share_rows *rows, const struct board_access *table, size_t entries)
{
    for (size_t i = 0; i < entries; i++)
        if (table[i].count > 0 && table[i].kind != BOARD_WORD)
            add(rows, &(struct share_row){.place = table[i].place,
                                          .copy = table[i].copy,
                                          .kind = table[i].kind,
                                          .width = table[i].width,
                                          .made = table[i].count,
                                          .in_turn = table[i].in_turn});
}

static int compare(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int compare_rows(const void *a, const void *b)
{
    const struct share_row *left = a, *right = b;
    int order = compare(left->copy, right->copy);
    order = order != 0 ? order : compare(left->place, right->place);
    order = order != 0 ? order : compare(left->kind, right->kind);
    return order != 0 ? order : compare(left->width, right->width);
}

/* Sorts them, and joins those of the same copy, place, kind and width. */
static void join(struct share_rows *rows)
{
    size_t kept = 0;
    if (rows->count > 0)
        qsort(rows->items, rows->count, sizeof *rows->items, compare_rows);
    for (size_t i = 0; i < rows->count; i++) {
        struct share_row *last = kept == 0 ? NULL : &rows->items[kept - 1];
        const struct share_row *row = &rows->items[i];
        if (last == NULL || compare_rows(last, row) != 0) {
            rows->items[kept++] = *row;
            continue;
        }
        last->stated += row->stated;
        last->made += row->made;
        last->in_turn += row->in_turn;
        last->reads = last->reads || row->reads;
        last->ordered = last->ordered || row->ordered;
    }
    rows->count = kept;
}

/* ---- which of them several copies touch ---- */

struct share_touch {
    uint64_t part; /* the line's or word's number */
    unsigned copy;
    size_t row;
};

static int compare_touches(const void *a, const void *b)
{
    const struct share_touch *left = a, *right = b;
    int order = compare(left->part, right->part);
    return order != 0 ? order : compare(left->copy, right->copy);
}

/* Accesses to parts of so many bytes that another copy accesses too. */
static double count_common(const struct share_rows *rows, unsigned bytes)
{
    struct share_touch *touches = NULL;
    size_t count = 0;
    bool *common = memory_zeroed(rows->count, sizeof *common);
    for (size_t i = 0; i < rows->count; i++) {
        const struct share_row *row = &rows->items[i];
        for (uint64_t part = row->place / bytes; part <= (row->place + row->width - 1) / bytes; part++) {
            if (row->reads || row->made == 0)
                continue;
            touches = memory_next(touches, count, sizeof *touches);
            touches[count++] = (struct share_touch){part, row->copy, i};
        }
    }
    if (count > 0)
        qsort(touches, count, sizeof *touches, compare_touches);
    for (size_t first = 0, end = 0; first < count; first = end) {
        while (end < count && touches[end].part == touches[first].part)
            end++;
        for (size_t i = first; touches[first].copy != touches[end - 1].copy && i < end; i++)
            common[touches[i].row] = true;
    }
    double sum = 0;
    for (size_t i = 0; i < rows->count; i++)
        sum += common[i] ? rows->items[i].made : 0;
    free(common);
    free(touches);
    return sum;
}

struct share_tally share_tally_of(const struct share_request *request, const struct board_access *table,
                                  size_t entries)
{
    enum { SMALLEST_WORD = 4 };
    struct share_rows rows = {0};
    struct share_tally tally = {0};
    take_board(&rows, table, entries);
    for (unsigned copy = request->first; copy < request->first + request->counted; copy++)
        for (size_t i = 0; i < request->kernel->count; i++)
            if (request->kernel->items[i].kind == BEHAVIOUR_SHARED)
                state_item(&rows, request, &request->kernel->items[i], copy);
    join(&rows);
    for (size_t i = 0; i < rows.count; i++) {
        const struct share_row *row = &rows.items[i];
        double made = row->ordered ? fmin(row->made, row->in_turn) : row->made;
        tally.as_stated += fmin(row->stated, made);
        tally.all += row->reads ? row->stated : fmax(row->stated, row->made);
        tally.made += row->reads ? 0 : row->made;
    }
    tally.on_common_lines = count_common(&rows, request->line);
    tally.on_common_words = count_common(&rows, SMALLEST_WORD);
    free(rows.items);
    return tally;
}
