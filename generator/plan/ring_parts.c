#include "generator/plan/ring_parts.h"

enum { WORD_BYTES = 8 };

/* A walk takes all lines of its working set, and nothing is promised of it. */
void rings_write_walk(const struct ring_request *wanted, unsigned line, uint64_t start, struct random *random,
                      struct arena *arena, struct ring *ring)
{
    uint64_t spacing = wanted->stride > 0 ? wanted->stride : line;
    uint64_t lines = wanted->working_set / spacing == 0 ? 1 : wanted->working_set / spacing;
    uint64_t turns = (lines + wanted->lines / 2) / wanted->lines;
    ring->at = rotation_by(start, turns > 1 ? spacing * wanted->lines : 0, turns == 0 ? 1 : (unsigned)turns);
    ring->lines = turns > 1 ? turns * wanted->lines : lines;
    ring->offsets = arena_alloc(arena, wanted->lines + 1, sizeof *ring->offsets);
    for (unsigned i = 0; i < wanted->lines; i++)
        ring->offsets[i] = (uint32_t)(i % lines * spacing);
    if (!wanted->in_order)
        random_shuffle_numbers(random, ring->offsets, wanted->lines);
}

/* Words in lines of colors that no ring has, as many rows of them as L1D has ways, from the first on. A ring
 * that is still without colors needs at least one. */
enum status rings_place_hot(const struct rings_request *request, struct palette *palette, unsigned rings_left,
                            uint64_t first, struct arena *arena, struct rings_layout *layout,
                            struct error *error)
{
    const struct cache *l1 = &request->machine->l1d;
    unsigned in_line = l1->line / WORD_BYTES;
    unsigned rows = (unsigned)(l1->size / palette->row);
    unsigned lines = request->hot_apart + (request->hot_words + in_line - 1) / in_line;
    unsigned wanted = (lines + rows - 1) / rows;
    unsigned left = palette_left(palette);
    unsigned most = 1 + (left > rings_left ? left - rings_left : 0);
    if (wanted > most) {
        unsigned room = most * rows > request->hot_apart ? (most * rows - request->hot_apart) * in_line : 0;
        layout->hot_room = room > 0 ? room : 1;
        error_set(error, STATUS_RECIPE,
                  "%u words that always hit are wanted, and L1D has room for %u beside the rest",
                  request->hot_words, room);
        error_hint(error, "a smaller loop needs fewer: loop = { units = }");
        return STATUS_RECIPE;
    }
    unsigned *colors = arena_alloc(arena, wanted + 1, sizeof *colors);
    for (unsigned i = 1; i < wanted; i++)
        palette_take(palette, 1, palette->open, &colors[i]);
    layout->hot = arena_alloc(arena, (size_t)lines * in_line + 1, sizeof *layout->hot);
    unsigned placed = 0;
    for (unsigned i = 0; i < lines; i++) {
        uint64_t line = (first + i / wanted) * palette->row + colors[i % wanted] * palette->unit;
        for (unsigned word = 0; word < (i < request->hot_apart ? 1 : in_line); word++)
            layout->hot[placed++] = line + word * (uint64_t)WORD_BYTES;
    }
    layout->state = (first + (lines + wanted - 1) / wanted) * palette->row;
    return STATUS_OK;
}
