#include "report/scorecard/scorecard.h"

#include "base/json.h"
#include "base/json/field_json.h"
#include "base/text/plural.h"
#include "generator/metric/metric.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- filling ---- */

static const enum evidence_side sides[SCORE_SIDES] = {
    [SCORE_CODE] = SIDE_CODE, [SCORE_SILICON] = SIDE_SILICON};

static double distance(const struct score_observation *observed, double stated)
{
    return fabs(observed->value - stated);
}

/* The side's observation of the best kind; of several, that farthest from the target. The plan's expectation
 * belongs to no side. */
static struct score_observation decisive(const struct result_rate *rate, enum score_side side,
                                         struct arena *arena)
{
    struct score_observation best = {0};
    for (size_t i = 0; i < rate->seen.count; i++) {
        const struct observation *one = &rate->seen.items[i];
        const struct score_observation observed = {one->source, one->kind, one->value, one->low, one->high};
        if (one->copy != 0 || evidence_kinds[one->kind].side != sides[side] || !isfinite(one->value))
            continue;
        if (best.source == NULL || observed.kind > best.kind ||
            (observed.kind == best.kind && distance(&observed, rate->target) > distance(&best, rate->target)))
            best = observed;
    }
    if (best.source != NULL)
        best.source = arena_strdup(arena, best.source);
    return best;
}

static const struct score_behaviour *behaviour_named(const struct scorecard *card, const char *name)
{
    for (size_t i = 0; i < card->behaviour_count; i++)
        if (strcmp(card->behaviours[i].name, name) == 0)
            return &card->behaviours[i];
    return NULL;
}

static bool is_listed(const struct score_behaviour *behaviour, const struct result_rate *rate)
{
    bool listed = behaviour == NULL;
    for (size_t i = 0; !listed && i < behaviour->metric_count; i++)
        listed = strcmp(behaviour->metrics[i], rate->metric) == 0;
    return listed && isfinite(rate->target) && metric_is_share(rate->metric) &&
           rate->verdict != VERDICT_OBSERVED && rate->verdict != VERDICT_NOT_APPLICABLE;
}

static const struct score_row *find_row(const struct scorecard *card, const char *behaviour,
                                        const char *metric)
{
    for (size_t i = 0; i < card->row_count; i++)
        if (strcmp(card->rows[i].behaviour, behaviour) == 0 && strcmp(card->rows[i].metric, metric) == 0)
            return &card->rows[i];
    return NULL;
}

static struct score_row *row_of(struct scorecard *card, const char *behaviour, const char *metric)
{
    const struct score_row *found = find_row(card, behaviour, metric);
    if (found != NULL)
        return &card->rows[found - card->rows];
    card->rows = arena_next(&card->arena, card->rows, card->row_count, sizeof *card->rows);
    card->rows[card->row_count] = (struct score_row){.behaviour = arena_strdup(&card->arena, behaviour),
                                                     .metric = arena_strdup(&card->arena, metric)};
    return &card->rows[card->row_count++];
}

static void add_point(struct scorecard *card, const struct check_finding *finding,
                      const struct result_rate *rate)
{
    struct score_row *row = row_of(card, finding->benchmark, rate->metric);
    row->points = arena_next(&card->arena, row->points, row->count, sizeof *row->points);
    struct score_point *point = &row->points[row->count++];
    *point = (struct score_point){.name = arena_strdup(&card->arena, finding->point),
                                  .stated = rate->target,
                                  .verdict = rate->verdict,
                                  .reason = arena_strdup(&card->arena, rate->reason)};
    for (enum score_side side = SCORE_CODE; side < SCORE_SIDES; side++)
        point->observed[side] = decisive(rate, side, &card->arena);
}

void scorecard_add(struct scorecard *card, const struct check_finding *finding)
{
    if (finding->failure != NULL) {
        card->gaps = arena_next(&card->arena, card->gaps, card->gap_count, sizeof *card->gaps);
        card->gaps[card->gap_count++] =
            (struct score_gap){.behaviour = arena_strdup(&card->arena, finding->benchmark),
                               .point = arena_strdup(&card->arena, finding->point),
                               .word = failure_word(finding->code),
                               .why = arena_strdup(&card->arena, finding->failure)};
        return;
    }
    const struct score_behaviour *behaviour = behaviour_named(card, finding->benchmark);
    bool failed = false; /* an added rate failed */
    for (size_t i = 0; i < finding->rates.count; i++)
        if (is_listed(behaviour, &finding->rates.items[i])) {
            failed = failed || finding->rates.items[i].verdict == VERDICT_FAIL;
            add_point(card, finding, &finding->rates.items[i]);
        }
    for (size_t i = 0; !failed && i < finding->rates.count; i++)
        if (finding->rates.items[i].verdict == VERDICT_FAIL && isfinite(finding->rates.items[i].target)) {
            failed = true;
            add_point(card, finding, &finding->rates.items[i]);
        }
}

void scorecard_free(struct scorecard *card)
{
    arena_free(&card->arena);
    *card = (struct scorecard){0};
}

/* ---- rows ---- */

enum verdict score_row_verdict(const struct score_row *row, size_t *count)
{
    enum verdict worst = VERDICT_PASS;
    *count = 0;
    for (size_t i = 0; i < row->count; i++)
        if (verdict_urgency(row->points[i].verdict) < verdict_urgency(worst))
            worst = row->points[i].verdict;
    for (size_t i = 0; i < row->count; i++)
        *count += row->points[i].verdict == worst;
    return worst;
}

const struct score_point *score_row_worst(const struct score_row *row, enum score_side side, double *error)
{
    const struct score_point *worst = NULL;
    *error = NAN;
    for (size_t i = 0; i < row->count; i++) {
        const struct score_point *point = &row->points[i];
        if (point->observed[side].source == NULL)
            continue;
        double here = distance(&point->observed[side], point->stated);
        if (worst == NULL || here > *error) {
            worst = point;
            *error = here;
        }
    }
    return worst;
}

void score_row_stated(const struct score_row *row, char *text, size_t capacity)
{
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < row->count; i++) {
        low = fmin(low, row->points[i].stated);
        high = fmax(high, row->points[i].stated);
    }
    if (low < high)
        snprintf(text, capacity, "%.3g to %.3g", low, high);
    else
        snprintf(text, capacity, "%.3g", low);
}

void score_row_sources(const struct score_row *row, enum score_side side, char *text, size_t capacity)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < row->count; i++) {
        const char *source = row->points[i].observed[side].source;
        if (source == NULL || strstr(text, source) != NULL || used >= capacity)
            continue;
        used += (size_t)snprintf(text + used, capacity - used, "%s%s", used > 0 ? ", " : "", source);
    }
}

struct score_counts scorecard_count(const struct scorecard *card)
{
    struct score_counts counts = {0};
    for (size_t i = 0; i < card->row_count; i++) {
        size_t unused;
        double error;
        counts.rows[score_row_verdict(&card->rows[i], &unused)]++;
        counts.silicon += score_row_worst(&card->rows[i], SCORE_SILICON, &error) != NULL;
    }
    return counts;
}

void scorecard_summary(const struct scorecard *card, struct buffer *text)
{
    static const enum verdict order[] = {VERDICT_PASS,         VERDICT_PASS_CODE, VERDICT_FAIL,
                                         VERDICT_INCONCLUSIVE, VERDICT_DISPUTED,  VERDICT_UNOBSERVED};
    const struct score_counts counts = scorecard_count(card);
    const char *gap = ": ";
    buffer_printf(text, "%zu rate%s", card->row_count, plural_s(card->row_count));
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++)
        if (counts.rows[order[i]] > 0) {
            buffer_printf(text, "%s%zu %s", gap, counts.rows[order[i]], verdict_name(order[i]));
            gap = ", ";
        }
    if (card->gap_count > 0)
        buffer_printf(text, "; %zu point%s did not run", card->gap_count, plural_s(card->gap_count));
}

/* ---- two cards ---- */

static void add_change(struct scorecard *card, struct score_changes *changes, const struct score_row *row,
                       bool worse, const char *what)
{
    changes->items = arena_next(&card->arena, changes->items, changes->count, sizeof *changes->items);
    changes->items[changes->count++] = (struct score_change){
        arena_strdup(&card->arena, row->behaviour), arena_strdup(&card->arena, row->metric), worse, what};
    changes->worse += worse;
}

/* The least error that the interval of the side's observation allows. */
static double least_error(const struct score_point *point, enum score_side side)
{
    const struct score_observation *observed = &point->observed[side];
    if (!isfinite(observed->low) || !isfinite(observed->high))
        return distance(observed, point->stated);
    return fmax(0, fmax(observed->low - point->stated, point->stated - observed->high));
}

/* How the side became worse; NULL: it did not. */
static const char *worse_side(const struct score_row *old, const struct score_row *row, enum score_side side,
                              double threshold, struct arena *arena)
{
    static const char *const words[SCORE_SIDES] = {"code", "silicon"};
    double before, now;
    const struct score_point *was = score_row_worst(old, side, &before);
    const struct score_point *is = score_row_worst(row, side, &now);
    if (was == NULL)
        return NULL;
    if (is == NULL)
        return arena_print(arena, "%s: observed before by %s, now by no source", words[side],
                           was->observed[side].source);
    if (least_error(is, side) <= before + threshold)
        return NULL;
    return arena_print(arena, "%s: largest error %.3g before, now %.3g (%s)", words[side], before, now,
                       is->observed[side].source);
}

static void compare_rows(const struct score_row *old, const struct score_row *row, struct scorecard *card,
                         struct score_changes *changes, double threshold)
{
    size_t unused;
    enum verdict before = score_row_verdict(old, &unused), now = score_row_verdict(row, &unused);
    if (before != now)
        add_change(card, changes, row, now == VERDICT_FAIL,
                   arena_print(&card->arena, "%s before, now %s", verdict_name(before), verdict_name(now)));
    for (enum score_side side = SCORE_CODE; side < SCORE_SIDES; side++) {
        const char *what = worse_side(old, row, side, threshold, &card->arena);
        if (what != NULL)
            add_change(card, changes, row, true, what);
    }
}

struct score_changes scorecard_compare(const struct scorecard *old, struct scorecard *card, double threshold)
{
    struct score_changes changes = {0};
    for (size_t i = 0; i < old->row_count; i++) {
        const struct score_row *before = &old->rows[i];
        const struct score_row *row = find_row(card, before->behaviour, before->metric);
        if (row == NULL && behaviour_named(card, before->behaviour) == NULL)
            continue; /* the later card does not cover it */
        if (row == NULL)
            add_change(card, &changes, before, true, "judged before, but not now");
        else
            compare_rows(before, row, card, &changes, threshold);
    }
    for (size_t i = 0; i < card->row_count; i++)
        if (find_row(old, card->rows[i].behaviour, card->rows[i].metric) == NULL)
            add_change(card, &changes, &card->rows[i], false, "judged now, but not before");
    return changes;
}

/* ---- the document: scorecard.schema.json describes it ---- */

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

/* A field with its own functions for reading and writing. */
#define FIELD_BOTH(of, title, member, reading, writing)                                                      \
    {                                                                                                        \
        .name = (title), .type = FIELD_OWN, .offset = offsetof(struct of, member), .read = (reading),        \
        .write = (writing)                                                                                   \
    }

static const struct field_row observation_rows[] = {
    FIELD_ROW(score_observation, "source", FIELD_TEXT, source),
    FIELD_BOTH(score_observation, "kind", kind, read_kind, write_kind),
    FIELD_ROW(score_observation, "value", FIELD_NUMBER, value),
    FIELD_ROW(score_observation, "low", FIELD_UNKNOWN, low),
    FIELD_ROW(score_observation, "high", FIELD_UNKNOWN, high),
    {0}};

static bool read_observation(struct fields_reader *reader, const json_t *value, void *at)
{
    *(struct score_observation *)at = (struct score_observation){.low = NAN, .high = NAN};
    fields_read(reader, value, NULL, observation_rows, at);
    return json_is_object(value);
}

/* Writes null if there is no observation. */
static void write_observation(struct json_text *text, const char *name, const void *at)
{
    const struct score_observation *observed = at;
    if (observed->source == NULL) {
        json_text_value(text, name, json_null());
        return;
    }
    json_text_open(text, name, '{');
    fields_write(text, observation_rows, NULL, observed);
    json_text_close(text, '}');
}

static const struct field_row point_rows[] = {
    FIELD_ROW(score_point, "point", FIELD_TEXT, name),
    FIELD_ROW(score_point, "asked", FIELD_NUMBER, stated),
    FIELD_BOTH(score_point, "verdict", verdict, read_verdict, write_verdict),
    FIELD_BOTH(score_point, "code", observed[SCORE_CODE], read_observation, write_observation),
    FIELD_BOTH(score_point, "silicon", observed[SCORE_SILICON], read_observation, write_observation),
    FIELD_ROW(score_point, "reason", FIELD_TEXT, reason),
    {0}};

/* Writes the row's verdict and largest errors for readers of the document; they are not read back. */
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

/* Whether all rows and points have their texts, which whoever shows them requires. */
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

/* Copies the texts that are used of a card that was read, those of the machine and of rows, to its arena;
 * clears the others. */
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
                if (point->observed[side].source != NULL)
                    point->observed[side].source = arena_strdup(arena, point->observed[side].source);
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
        status =
            error_set(error, STATUS_USAGE,
                      "%s is no scorecard: expected a file that `trauma validate -o FILE.json` wrote", path);
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
