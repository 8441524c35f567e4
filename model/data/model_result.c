#include "model/data/model_result.h"

#include "base/json.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { SENTENCE_BYTES = 512 };

static bool is_finite(struct interval at)
{
    return isfinite(at.value) && isfinite(at.low) && isfinite(at.high);
}

/* ---- members ---- */

static size_t place_of(const struct model_result *result, const char *member)
{
    size_t at = 0;
    while (at < result->stated_count && strcmp(result->stated[at], member) != 0)
        at++;
    return at;
}

bool model_is_stated(const struct model_result *result, const char *member)
{
    return place_of(result, member) < result->stated_count;
}

void model_states(struct model_result *result, const char *member)
{
    if (!model_is_stated(result, member) && result->stated_count < MODEL_STATED)
        result->stated[result->stated_count++] = member;
}

void model_withdraw(struct model_result *result, const char *member)
{
    size_t at = place_of(result, member);
    if (at == result->stated_count)
        return;
    result->stated_count--;
    memmove(result->stated + at, result->stated + at + 1,
            (result->stated_count - at) * sizeof *result->stated);
}

/* ---- coefficients ---- */

static struct model_coefficient *find(const struct model_result *result, const char *name)
{
    for (size_t i = 0; i < result->coefficient_count; i++)
        if (strcmp(result->coefficients[i].name, name) == 0)
            return &result->coefficients[i];
    return NULL;
}

void model_set_coefficient(struct model_result *result, const char *name, struct interval at,
                           const char *unit)
{
    struct model_coefficient *to = find(result, name);
    model_states(result, "coefficients");
    if (!is_finite(at))
        return;
    if (to == NULL) {
        result->coefficients = arena_next(&result->arena, result->coefficients, result->coefficient_count,
                                          sizeof *result->coefficients);
        to = &result->coefficients[result->coefficient_count++];
    }
    *to = (struct model_coefficient){arena_strdup(&result->arena, name), arena_strdup(&result->arena, unit),
                                     at};
}

bool model_coefficient(const struct model_result *result, const char *name, struct interval *at)
{
    const struct model_coefficient *found = find(result, name);
    *at = found == NULL ? (struct interval){NAN, NAN, NAN, 0} : found->at;
    return found != NULL;
}

void model_widen(struct model_result *result, const char *name, double half)
{
    struct model_coefficient *of = find(result, name);
    if (of == NULL)
        return;
    of->at.low = of->at.value - hypot(of->at.value - of->at.low, half);
    of->at.high = of->at.value + hypot(of->at.high - of->at.value, half);
}

struct interval interval_times(struct interval at, double times)
{
    return (struct interval){times * at.value, times * at.low, times * at.high, at.n};
}

struct interval interval_exact(double value)
{
    return (struct interval){value, value, value, 1};
}

/* ---- sentences ---- */

const char *sentence_copy(struct arena *arena, const char *text)
{
    char *copy = arena_strdup(arena, text);
    for (size_t i = strlen(copy); i > 0 && !json_is_text(copy); i--)
        copy[i - 1] = (unsigned char)copy[i - 1] > 127 ? '?' : copy[i - 1];
    return copy;
}

static void add_sentence(struct sentences *sentences, struct arena *arena, const char *format,
                         va_list arguments)
{
    char text[SENTENCE_BYTES];
    vsnprintf(text, sizeof text, format, arguments);
    sentences->items = arena_next(arena, sentences->items, sentences->count, sizeof(const char *));
    sentences->items[sentences->count++] = sentence_copy(arena, text);
}

void sentence_add(struct sentences *sentences, struct arena *arena, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    add_sentence(sentences, arena, format, arguments);
    va_end(arguments);
}

void model_disbelieve(struct model_result *result, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    add_sentence(&result->disbelief, &result->arena, format, arguments);
    va_end(arguments);
    model_states(result, "disbelief");
}

void model_note(struct model_result *result, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    add_sentence(&result->notes, &result->arena, format, arguments);
    va_end(arguments);
    model_states(result, "notes");
}

void model_take_notes(struct model_result *result, const struct sentences *notes)
{
    for (size_t i = 0; i < notes->count; i++)
        model_note(result, "%s", notes->items[i]);
}

/* ---- numbers ---- */

/* Replaces the number of that name, or adds it. */
static void set_number(struct arena *arena, struct model_number **list, size_t *count,
                       struct model_number number)
{
    size_t at = 0;
    while (at < *count && strcmp((*list)[at].name, number.name) != 0)
        at++;
    if (at == *count)
        *list = arena_next(arena, *list, (*count)++, sizeof **list);
    (*list)[at] = number;
}

void model_set_quality(struct model_result *result, const char *name, double value, bool whole)
{
    model_states(result, "quality");
    if (isfinite(value))
        set_number(&result->arena, &result->quality, &result->quality_count,
                   (struct model_number){name, value, whole});
}

void model_leave_out(struct model_result *result, const char *reason, size_t points)
{
    model_states(result, "left_out");
    set_number(&result->arena, &result->left_out, &result->left_out_count,
               (struct model_number){reason, (double)points, true});
}

void model_add_part(struct model_result *result, const char *name, struct interval at, const char *unit,
                    bool sum)
{
    model_states(result, "parts");
    if (!is_finite(at))
        return;
    result->parts = arena_next(&result->arena, result->parts, result->part_count, sizeof *result->parts);
    result->parts[result->part_count++] =
        (struct model_part){arena_strdup(&result->arena, name), arena_strdup(&result->arena, unit), at, sum};
}

struct model_span model_span(double low, double high, struct arena *arena)
{
    struct model_span span = {arena_alloc(arena, 2, sizeof(double)), 2, low <= high};
    span.ends[0] = low;
    span.ends[1] = high;
    return span;
}

/* ---- charts ---- */

struct chart *model_chart(struct model_result *result, enum chart_kind kind, const char *title,
                          const char *subtitle, const char *x, const char *y)
{
    model_states(result, "charts");
    return chart_add(&result->charts, &result->arena, kind, title, subtitle, x, y);
}

void model_chart_parts(struct model_result *result, const char *title, const char *unit, const char *but,
                       const char *y)
{
    struct chart *chart = model_chart(result, CHART_BARS, title, "", "", y);
    for (size_t i = 0; i < result->part_count; i++) {
        const struct model_part *part = &result->parts[i];
        if (strcmp(part->unit, unit) == 0 && (but == NULL || strcmp(part->name, but) != 0))
            chart_bar(chart, "", part->name, part->at);
    }
}

void model_result_free(struct model_result *result)
{
    arena_free(&result->arena);
    *result = (struct model_result){0};
}
