#include "report/scorecard/scorecard_json.h"

#include "base/json.h"
#include "base/json/field_json.h"

#include <math.h>
#include <string.h>

static const char KIND[] = "scorecard";
enum { SCHEMA = 1 };

/* The document as a struct. */
struct score_file {
    const char *kind;
    double schema;
    struct scorecard card;
};

/* ---- rows of fields ---- */

static bool read_verdict(struct fields_reader *reader, const json_t *value, void *at)
{
    (void)reader;
    if (json_is_string(value))
        *(enum verdict *)at = verdict_from_name(json_string_value(value));
    return json_is_string(value);
}

static void write_verdict(struct json_text *text, const char *name, const void *at)
{
    json_text_string(text, name, verdict_name(*(const enum verdict *)at));
}

static bool read_kind(struct fields_reader *reader, const json_t *value, void *at)
{
    (void)reader;
    *(enum evidence_kind *)at = evidence_kind_named(json_string_value(value));
    return json_is_string(value);
}

static void write_kind(struct json_text *text, const char *name, const void *at)
{
    json_text_string(text, name, evidence_kinds[*(const enum evidence_kind *)at].name);
}

/* A field that two functions of its own read and write. */
#define FIELD_BOTH(of, title, member, reading, writing)                                                      \
    {                                                                                                        \
        .name = (title), .type = FIELD_OWN, .offset = offsetof(struct of, member), .read = (reading),        \
        .write = (writing)                                                                                   \
    }

static const struct field_row seen_rows[] = {FIELD_ROW(score_seen, "source", FIELD_TEXT, source),
                                             FIELD_BOTH(score_seen, "kind", kind, read_kind, write_kind),
                                             FIELD_ROW(score_seen, "value", FIELD_NUMBER, value),
                                             FIELD_ROW(score_seen, "low", FIELD_UNKNOWN, low),
                                             FIELD_ROW(score_seen, "high", FIELD_UNKNOWN, high),
                                             {0}};

static bool read_seen(struct fields_reader *reader, const json_t *value, void *at)
{
    *(struct score_seen *)at = (struct score_seen){.low = NAN, .high = NAN};
    fields_read(reader, value, NULL, seen_rows, at);
    return json_is_object(value);
}

/* Null: nothing saw it. */
static void write_seen(struct json_text *text, const char *name, const void *at)
{
    const struct score_seen *seen = at;
    if (seen->source == NULL) {
        json_text_value(text, name, json_null());
        return;
    }
    json_text_open(text, name, '{');
    fields_write(text, seen_rows, NULL, seen);
    json_text_close(text, '}');
}

static const struct field_row point_rows[] = {
    FIELD_ROW(score_point, "point", FIELD_TEXT, name),
    FIELD_ROW(score_point, "asked", FIELD_NUMBER, asked),
    FIELD_BOTH(score_point, "verdict", verdict, read_verdict, write_verdict),
    FIELD_BOTH(score_point, "code", seen[SCORE_CODE], read_seen, write_seen),
    FIELD_BOTH(score_point, "silicon", seen[SCORE_SILICON], read_seen, write_seen),
    FIELD_ROW(score_point, "reason", FIELD_TEXT, reason),
    {0}};

/* What the points say together, for readers; it is not read. */
static void write_worst(struct json_text *text, const char *name, const void *at)
{
    const struct score_row *row = at;
    size_t count;
    double error;
    json_text_string(text, name, verdict_name(score_row_verdict(row, &count)));
    score_row_worst(row, SCORE_CODE, &error);
    if (isfinite(error))
        json_text_real(text, "code_error", error);
    score_row_worst(row, SCORE_SILICON, &error);
    if (isfinite(error))
        json_text_real(text, "silicon_error", error);
}

static const struct field_row row_rows[] = {
    FIELD_ROW(score_row, "behaviour", FIELD_TEXT, behaviour),
    FIELD_ROW(score_row, "metric", FIELD_TEXT, metric),
    {.name = "verdict", .type = FIELD_OWN, .write = write_worst, .former = false, .read = NULL},
    FIELD_STRUCTS(score_row, "points", points, count, point_rows, struct score_point),
    {0}};

static const struct field_row gap_rows[] = {FIELD_ROW(score_gap, "behaviour", FIELD_TEXT, behaviour),
                                            FIELD_ROW(score_gap, "point", FIELD_TEXT, point),
                                            FIELD_ROW(score_gap, "outcome", FIELD_TEXT, word),
                                            FIELD_ROW(score_gap, "why", FIELD_TEXT, why),
                                            {0}};

static const struct field_row behaviour_rows[] = {FIELD_ROW(score_behaviour, "name", FIELD_TEXT, name),
                                                  FIELD_ROW(score_behaviour, "title", FIELD_TEXT, title),
                                                  {0}};

static const struct field_row source_rows[] = {FIELD_ROW(score_source, "name", FIELD_TEXT, name),
                                               FIELD_BOTH(score_source, "kind", kind, read_kind, write_kind),
                                               FIELD_ROW(score_source, "usable", FIELD_FLAG, usable),
                                               FIELD_ROW(score_source, "why", FIELD_TEXT, why),
                                               {0}};

static const struct field_row machine_rows[] = {FIELD_ROW(score_file, "name", FIELD_TEXT, card.machine),
                                                FIELD_ROW(score_file, "isa", FIELD_TEXT, card.isa),
                                                FIELD_ROW(score_file, "cpu", FIELD_TEXT, card.cpu),
                                                FIELD_ROW(score_file, "caches", FIELD_TEXT, card.caches),
                                                FIELD_ROW(score_file, "present", FIELD_FLAG, card.present),
                                                FIELD_ROW(score_file, "virtual", FIELD_FLAG, card.is_virtual),
                                                {0}};

static const struct field_row file_rows[] = {
    FIELD_ROW(score_file, "kind", FIELD_TEXT, kind),
    FIELD_ROW(score_file, "schema", FIELD_NUMBER, schema),
    FIELD_ROW(score_file, "version", FIELD_TEXT, card.version),
    FIELD_ROW(score_file, "date", FIELD_TEXT, card.date),
    FIELD_ROW(score_file, "seconds", FIELD_NUMBER, card.seconds),
    FIELD_INNER("machine", machine_rows),
    FIELD_MANY(score_file, "warnings", FIELD_WORDS, card.warnings, card.warning_count),
    FIELD_STRUCTS(score_file, "sources", card.sources, card.source_count, source_rows, struct score_source),
    FIELD_STRUCTS(score_file, "behaviours", card.behaviours, card.behaviour_count, behaviour_rows,
                  struct score_behaviour),
    FIELD_STRUCTS(score_file, "rows", card.rows, card.row_count, row_rows, struct score_row),
    FIELD_STRUCTS(score_file, "gaps", card.gaps, card.gap_count, gap_rows, struct score_gap),
    {0}};

void scorecard_write(const struct scorecard *card, bool one_line, struct buffer *buffer)
{
    const struct score_file file = {.kind = KIND, .schema = SCHEMA, .card = *card};
    struct json_text text = {.buffer = buffer, .first = true, .compact = one_line};
    json_text_open(&text, NULL, '{');
    fields_write(&text, file_rows, NULL, &file);
    json_text_close(&text, '}');
}

/* ---- reading ---- */

/* A row that a document leaves incomplete is of no use, and would be a NULL for who shows it. */
static bool is_complete(const struct scorecard *card)
{
    for (size_t i = 0; i < card->row_count; i++) {
        const struct score_row *row = &card->rows[i];
        if (row->behaviour == NULL || row->metric == NULL || row->count == 0)
            return false;
        for (size_t j = 0; j < row->count; j++)
            if (row->points[j].name == NULL)
                return false;
    }
    return card->machine != NULL && card->cpu != NULL && card->row_count > 0;
}

/* Texts of the document become the card's own. Of a card that was read, these alone are used: who it is of,
 * and its rows. */
static void own_texts(struct scorecard *card)
{
    struct arena *arena = &card->arena;
    card->machine = arena_strdup(arena, card->machine);
    card->cpu = arena_strdup(arena, card->cpu);
    card->version = arena_strdup(arena, card->version == NULL ? "" : card->version);
    card->date = arena_strdup(arena, card->date == NULL ? "" : card->date);
    card->isa = card->caches = "";
    card->behaviour_count = card->source_count = card->warning_count = card->gap_count = 0;
    for (size_t i = 0; i < card->row_count; i++) {
        struct score_row *row = &card->rows[i];
        row->behaviour = arena_strdup(arena, row->behaviour);
        row->metric = arena_strdup(arena, row->metric);
        for (size_t j = 0; j < row->count; j++) {
            struct score_point *point = &row->points[j];
            point->name = arena_strdup(arena, point->name);
            point->reason = "";
            for (enum score_side side = SCORE_CODE; side < SCORE_SIDES; side++)
                if (point->seen[side].source != NULL)
                    point->seen[side].source = arena_strdup(arena, point->seen[side].source);
        }
    }
}

enum status scorecard_read(const char *path, struct scorecard *card, struct error *error)
{
    struct score_file file = {0};
    json_t *document = json_read(path, error);
    *card = (struct scorecard){0};
    if (document == NULL)
        return STATUS_USAGE;
    struct fields_reader reader = {
        .arena = &file.card.arena, .what = path, .kind = "a scorecard", .error = error, .status = STATUS_OK};
    fields_read(&reader, document, NULL, file_rows, &file);
    enum status status = reader.status;
    if (status == STATUS_OK && (file.kind == NULL || strcmp(file.kind, KIND) != 0))
        status = error_set(error, STATUS_USAGE,
                           "%s is no scorecard: expected what `trauma validate -o FILE.json` wrote", path);
    else if (status == STATUS_OK && file.schema > SCHEMA)
        status = error_set(error, STATUS_USAGE,
                           "%s has schema %g, which a later version wrote; this one reads up to %d", path,
                           file.schema, SCHEMA);
    else if (status == STATUS_OK && !is_complete(&file.card))
        status = error_set(
            error, STATUS_USAGE,
            "%s is an incomplete scorecard: expected a machine, and rows of a behaviour, a metric and points",
            path);
    if (status == STATUS_OK)
        own_texts(&file.card);
    *card = file.card;
    json_decref(document);
    return status;
}
