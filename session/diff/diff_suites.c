#include "session/diff/differences.h"

#include "base/buffer.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/json/field_json.h"
#include "base/memory.h"
#include "base/text/text_set.h"
#include "generator/suite/suite.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One of the two suites. */
struct side {
    const char *folder;
    struct suite_index index;
    struct machine machine;
    struct text_set names; /* "benchmark/point"; with several targets "benchmark/point (target)" */
    const struct suite_entry **entries; /* [names.count]: the last entry with that name */
};

static enum status open_side(const char *folder, struct side *side, struct error *error)
{
    *side = (struct side){.folder = folder};
    enum status status = suite_read(folder, &side->index, &side->machine, error);
    side->entries = memory_zeroed(side->index.count + 1, sizeof *side->entries);
    for (size_t i = 0; status == STATUS_OK && i < side->index.count; i++) {
        const struct suite_entry *entry = &side->index.entries[i];
        struct buffer name = {0};
        buffer_printf(&name, "%s/%s", entry->benchmark, entry->point);
        if (text_set_find(&side->names, name.data) < side->names.count)
            buffer_printf(&name, " (%s)", entry->target == NULL ? "" : entry->target);
        side->entries[text_set_add(&side->names, name.data)] = entry;
        buffer_free(&name);
    }
    return status;
}

static void close_side(struct side *side)
{
    machine_free(&side->machine);
    suite_index_free(&side->index);
    text_set_free(&side->names);
    free(side->entries);
}

/* The suite's entry with that name; NULL: none. */
static const struct suite_entry *entry_of(const struct side *side, const char *name)
{
    size_t index = text_set_find(&side->names, name);
    return index < side->names.count ? side->entries[index] : NULL;
}

/* ---- two programs ---- */

/* Counts the bytes that differ, including those that only one side has. */
static size_t differing(const struct buffer *a, const struct buffer *b)
{
    size_t least = a->size < b->size ? a->size : b->size;
    size_t count = (a->size > b->size ? a->size : b->size) - least;
    for (size_t i = 0; i < least; i++)
        count += a->data[i] != b->data[i];
    return count;
}

static struct value start_of(const char *hash, struct arena *arena)
{
    return value_word(arena_print(arena, "%.8s", hash), arena);
}

/* Compares the files' bytes, regardless of the manifests. */
static void compare_bytes(struct diff *diff, const char *name, const struct program *old,
                          const struct program *new)
{
    size_t count = differing(&old->executable, &new->executable);
    size_t object = differing(&old->object, &new->object);
    char what[96];
    char hashes[2][HASH_TEXT_BYTES];
    hash_bytes(old->executable.data, old->executable.size, hashes[0]);
    hash_bytes(new->executable.data, new->executable.size, hashes[1]);
    diff->compared++;
    if (count > 0 || object > 0)
        snprintf(what, sizeof what, "changed: %zu of %zu bytes", count > 0 ? count : object,
                 count > 0 ? new->executable.size : new->object.size);
    else
        snprintf(what, sizeof what, "same");
    diff_row(diff, name, "", count == 0 && object > 0 ? "object" : "program",
             start_of(hashes[0], &diff->arena), start_of(hashes[1], &diff->arena), DIFF_NO_NUMBER, what,
             count > 0 || object > 0, false);
}

static void compare_rates(struct diff *diff, const char *name, const struct rates *old,
                          const struct rates *new)
{
    for (size_t i = 0; i < old->count; i++) {
        const char *metric = old->items[i].metric;
        double rate = old->items[i].value, other = rates_get(new, metric, NAN);
        if (isnan(other)) {
            diff_row(diff, name, "", metric, value_plain(rate), value_none, DIFF_NO_NUMBER,
                     "is promised otherwise", true, false);
            continue;
        }
        double change = other - rate;
        bool past = fabs(change) > diff->threshold[VALUE_RATE];
        diff->compared++;
        diff_row(diff, name, "", metric, value_plain(rate), value_plain(other),
                 (struct diff_change){.by = change},
                 past          ? "moved"
                 : change == 0 ? "same"
                               : "moved, within the threshold",
                 past, change != 0);
    }
    for (size_t i = 0; i < new->count; i++)
        if (isnan(rates_get(old, new->items[i].metric, NAN)))
            diff_row(diff, name, "", new->items[i].metric, value_none, value_plain(new->items[i].value),
                     DIFF_NO_NUMBER, "is promised now", true, true);
}

/* True if the member has the same text in both manifests. */
static bool same_member(const struct manifest *old, const struct manifest *new, const char *name)
{
    const char *const names[] = {name, NULL};
    const struct field_choice choice = {names, false};
    const struct manifest *const sides[] = {old, new};
    struct buffer members[2] = {{0}, {0}};
    for (size_t i = 0; i < 2; i++) {
        struct json_text text = {.buffer = &members[i]};
        json_text_open(&text, NULL, '{');
        manifest_write_members(sides[i], &choice, &text);
        json_text_close(&text, '}');
    }
    bool same =
        members[0].size == members[1].size && memcmp(members[0].data, members[1].data, members[0].size) == 0;
    buffer_free(&members[0]);
    buffer_free(&members[1]);
    return same;
}

/* Adds rows for how two programs differ. They are informative and not counted, as the bytes were counted. */
static void compare_sizes(struct diff *diff, const char *name, const struct manifest *old,
                          const struct manifest *new)
{
    static const char *const objects[] = {"data", "accesses", "kernel", "features"};
    const struct {
        const char *name;
        double old, new;
    } numbers[] = {{"units", old->units, new->units},
                   {"instructions", old->instructions, new->instructions},
                   {"code/loop_bytes", old->code.loop_bytes, new->code.loop_bytes},
                   {"data/bytes", old->data.bytes, new->data.bytes},
                   {"loads", old->loads, new->loads},
                   {"stores", old->stores, new->stores},
                   {"period", old->period, new->period},
                   {"warmup", old->warmup, new->warmup}};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        bool same = numbers[i].old == numbers[i].new;
        struct diff_change change = {.by = numbers[i].new - numbers[i].old};
        diff_row(diff, name, "", numbers[i].name, value_plain(numbers[i].old), value_plain(numbers[i].new),
                 change, same ? "same" : "another size", false, !same);
    }
    for (size_t i = 0; i < sizeof objects / sizeof objects[0]; i++) {
        bool same = same_member(old, new, objects[i]);
        diff_row(diff, name, "", objects[i], value_none, value_none, DIFF_NO_NUMBER,
                 same ? "same" : "changed", false, !same);
    }
}

static enum status load(struct diff *diff, const struct side *side, const char *name, struct program *program,
                        struct error *error)
{
    bool changed;
    enum status status = suite_load(side->folder, entry_of(side, name), program, &changed, error);
    if (status == STATUS_OK && changed)
        session_warn(diff->events, "%s: %s: its files differ from those generated", side->folder, name);
    return status;
}

static struct value reason_of(const char *refusal, struct arena *arena)
{
    char *plain = json_plain(refusal == NULL ? "" : refusal);
    struct value reason = refusal == NULL ? value_none : value_word(plain, arena);
    free(plain);
    return reason;
}

/* Adds the row of a point without a program in one suite, or in both. */
static void compare_refusals(struct diff *diff, const char *name, const char *old, const char *new)
{
    bool both = old != NULL && new != NULL;
    diff->compared++;
    diff_row(diff, name, "", "program", reason_of(old, &diff->arena), reason_of(new, &diff->arena),
             DIFF_NO_NUMBER,
             both          ? "refused in both"
             : old == NULL ? "refused in NEW"
                           : "refused in OLD",
             !both, !both);
}

static void compare_programs(struct diff *diff, const char *name, const struct side *old,
                             const struct side *new)
{
    struct program programs[2] = {0};
    struct error error;
    enum status status = load(diff, old, name, &programs[0], &error);
    const char *broken = status == STATUS_OK ? "damaged in NEW" : "damaged in OLD";
    if (status == STATUS_OK)
        status = load(diff, new, name, &programs[1], &error);
    if (status == STATUS_OK) {
        compare_bytes(diff, name, &programs[0], &programs[1]);
        compare_rates(diff, name, &programs[0].manifest->expected, &programs[1].manifest->expected);
        compare_sizes(diff, name, programs[0].manifest, programs[1].manifest);
    } else {
        session_warn(diff->events, "%s: %s", name, error.message);
        diff->compared++;
        diff_row(diff, name, "", "program", value_none, value_none, DIFF_NO_NUMBER, broken, true, true);
    }
    program_free(&programs[0]);
    program_free(&programs[1]);
}

static void only(struct diff *diff, const char *name, const char *where)
{
    diff->compared++;
    diff_row(diff, name, "", "program", value_none, value_none, DIFF_NO_NUMBER, where, true, true);
}

static void compare_sides(struct diff *diff, const struct side *old, const struct side *new)
{
    const struct value contexts[2] = {value_read(old->index.document, &diff->arena),
                                      value_read(new->index.document, &diff->arena)};
    diff_contexts(diff, &contexts[0], &contexts[1]);
    for (size_t i = 0; i < old->names.count; i++) {
        const char *name = old->names.texts[i];
        const struct suite_entry *entry = entry_of(new, name);
        if (entry == NULL) {
            only(diff, name, "removed: only in OLD");
            continue;
        }
        const char *refused[2] = {old->entries[i]->refused, entry->refused};
        diff->points++;
        if (refused[0] != NULL || refused[1] != NULL)
            compare_refusals(diff, name, refused[0], refused[1]);
        else
            compare_programs(diff, name, old, new);
    }
    for (size_t i = 0; i < new->names.count; i++)
        if (entry_of(old, new->names.texts[i]) == NULL)
            only(diff, new->names.texts[i], "added: only in NEW");
}

enum status diff_suites(struct diff *diff, const char *old, const char *new, struct error *error)
{
    struct side sides[2] = {0};
    enum status status = open_side(old, &sides[0], error);
    if (status == STATUS_OK)
        status = open_side(new, &sides[1], error);
    if (status == STATUS_OK)
        compare_sides(diff, &sides[0], &sides[1]);
    close_side(&sides[0]);
    close_side(&sides[1]);
    return status;
}
