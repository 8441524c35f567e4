#include "session/events.h"

#include "base/buffer.h"
#include "base/memory.h"
#include "base/text/plural.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__attribute__((format(printf, 3, 0))) static void
report(const struct session_events *events, enum session_level level, const char *format, va_list arguments)
{
    char *text = memory_printed(format, arguments);
    events->report(events->context, level, text);
    free(text);
}

void session_detail(const struct session_events *events, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    report(events, SESSION_DETAIL, format, arguments);
    va_end(arguments);
}

void session_note(const struct session_events *events, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    report(events, SESSION_NOTE, format, arguments);
    va_end(arguments);
}

void session_warn(const struct session_events *events, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    report(events, SESSION_WARNING, format, arguments);
    va_end(arguments);
}

struct point_note {
    enum session_level level;
    char *name, *place, *text; /* of the first point: "benchmark/point", "file:line: ", the sentence */
    char *last;                /* name of the latest point, which may have several such sentences */
    char *key;                 /* the place and the sentence with "#" for each number */
    size_t others;
    bool alike; /* another point's sentence has other numbers */
};

/* Leaves the numbers out: a clock that is too low at many points, by different amounts, is one warning. */
static char *key_of(const char *place, const char *text)
{
    struct buffer key = {0};
    buffer_text(&key, place);
    for (const char *c = text; *c != '\0'; c++) {
        bool digit = isdigit((unsigned char)*c) != 0;
        if (digit && c > text && (isdigit((unsigned char)c[-1]) || c[-1] == '.'))
            continue;
        if (*c != '.' || !isdigit((unsigned char)c[1]))
            buffer_append(&key, digit ? "#" : c, 1);
    }
    buffer_text(&key, "");
    return key.data;
}

static void report_note(const struct session_events *events, const struct point_note *note)
{
    struct buffer text = {0};
    buffer_printf(&text, "%s%s", note->place, note->name);
    if (note->others > 0)
        buffer_printf(&text, " and %zu more point%s%s", note->others, plural_s(note->others),
                      note->alike ? ", with other numbers" : "");
    buffer_printf(&text, ": %s", note->text);
    events->report(events->context, note->level, text.data);
    buffer_free(&text);
}

static void free_note(struct point_note *note)
{
    free(note->name);
    free(note->last);
    free(note->place);
    free(note->text);
    free(note->key);
}

static void add_note(const struct session_events *events, struct point_note note)
{
    struct point_notes *notes = events->notes;
    size_t i = 0;
    while (notes != NULL && i < notes->count &&
           (notes->items[i].level != note.level || strcmp(notes->items[i].key, note.key) != 0))
        i++;
    if (notes != NULL && i == notes->count) {
        notes->items = memory_next(notes->items, notes->count, sizeof *notes->items);
        notes->items[notes->count++] = note;
        return;
    }
    if (notes == NULL) {
        report_note(events, &note);
    } else {
        struct point_note *first = &notes->items[i];
        bool other = strcmp(first->last, note.last) != 0;
        first->others += other;
        if (other) {
            free(first->last);
            first->last = memory_text(note.last);
        }
        first->alike = first->alike || strcmp(first->text, note.text) != 0;
    }
    free_note(&note);
}

static void note_point(const struct session_events *events, enum session_level level, const char *place,
                       const char *benchmark, const char *point, const char *text)
{
    struct buffer name = {0};
    buffer_printf(&name, "%s/%s", benchmark, point);
    add_note(events, (struct point_note){.level = level,
                                         .name = name.data,
                                         .last = memory_text(name.data),
                                         .place = memory_text(place),
                                         .text = memory_text(text),
                                         .key = key_of(place, text)});
}

void session_point(const struct session_events *events, enum session_level level, const char *benchmark,
                   const char *point, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = memory_printed(format, arguments);
    va_end(arguments);
    note_point(events, level, "", benchmark, point, text);
    free(text);
}

void session_point_warnings(const struct session_events *events, const char *benchmark, const char *point,
                            const struct warnings *warnings)
{
    for (size_t i = 0; i < warnings->count; i++) {
        const struct result_warning *one = &warnings->items[i];
        session_point(events, SESSION_WARNING, benchmark, point, "%s%s%s", one->what,
                      one->mend[0] == '\0' ? "" : "; ", one->mend);
    }
}

void session_refuse(const struct session_events *events, const char *benchmark, const char *point,
                    const struct error *error)
{
    struct buffer place = {0};
    buffer_text(&place, "");
    if (error->file[0] != '\0' && error->line > 0)
        buffer_printf(&place, "%s:%d: ", error->file, error->line);
    else if (error->file[0] != '\0')
        buffer_printf(&place, "%s: ", error->file);
    note_point(events, SESSION_REFUSAL, place.data, benchmark, point, error->message);
    buffer_free(&place);
}

void session_report_points(const struct session_events *events)
{
    struct point_notes *notes = events->notes;
    for (size_t i = 0; notes != NULL && i < notes->count; i++) {
        report_note(events, &notes->items[i]);
        free_note(&notes->items[i]);
    }
    if (notes == NULL)
        return;
    free(notes->items);
    *notes = (struct point_notes){0};
}

void session_progress(const struct session_events *events, const char *what, size_t done, size_t total)
{
    events->progress(events->context, what, done, total);
}

void session_progress_end(const struct session_events *events)
{
    events->progress(events->context, NULL, 0, 0);
}
