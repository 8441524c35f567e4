#include "base/text/text_set.h"

#include "base/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_PLACES = 64 };

/* FNV-1a: Fowler, Noll and Vo. */
static size_t hash_of(const char *text)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (; *text != '\0'; text++)
        hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return (size_t)(hash ^ hash >> 32);
}

/* The place that has the text, or the free one where it belongs. The set has places. */
static size_t place_of(const struct text_set *set, const char *text)
{
    size_t at = hash_of(text) & (set->place_count - 1);
    while (set->places[at] != 0 && strcmp(set->texts[set->places[at] - 1], text) != 0)
        at = (at + 1) & (set->place_count - 1);
    return at;
}

/* At most half of the places are taken, so that searches stay short. */
static void make_room(struct text_set *set)
{
    if (2 * (set->count + 1) <= set->place_count)
        return;
    set->place_count = set->place_count == 0 ? FIRST_PLACES : 2 * set->place_count;
    free(set->places);
    set->places = memory_zeroed(set->place_count, sizeof *set->places);
    for (size_t i = 0; i < set->count; i++)
        set->places[place_of(set, set->texts[i])] = i + 1;
}

size_t text_set_find(const struct text_set *set, const char *text)
{
    if (set->count == 0)
        return 0;
    size_t known = set->places[place_of(set, text)];
    return known == 0 ? set->count : known - 1;
}

size_t text_set_add(struct text_set *set, const char *text)
{
    size_t number = text_set_find(set, text);
    if (number < set->count)
        return number;
    make_room(set);
    set->texts = memory_next(set->texts, set->count, sizeof *set->texts);
    set->texts[set->count++] = memory_text(text);
    set->places[place_of(set, text)] = set->count;
    return number;
}

void text_set_free(struct text_set *set)
{
    for (size_t i = 0; i < set->count; i++)
        free(set->texts[i]);
    free(set->texts);
    free(set->places);
    *set = (struct text_set){0};
}
