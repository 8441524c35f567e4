#include "runner/evidence/evidence.h"

#include "base/buffer.h"
#include "base/memory.h"
#include "base/text/names.h"
#include "base/text/suggest.h"
#include "generator/metric/metric.h"
#include "runner/evidence/speed.h"
#include "runner/results/evidence_width.h"
#include "runner/sources/source.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

bool evidence_check_names(const char *counters, struct error *error)
{
    const char *names[EVIDENCE_SOURCES];
    size_t count = 0;
    for (size_t i = 0; counter_sources[i] != NULL; i++)
        names[count++] = counter_sources[i]->name;
    char word[64];
    if (!names_find_unknown(counters, names, count, word, sizeof word))
        return true;
    error_set(error, STATUS_USAGE, "there is no source of evidence '%s'", word);
    suggest_hint(error, word, names, count, "trauma sensors lists them");
    return false;
}

static void add_reason(struct evidence *evidence, const char *of, const char *reason)
{
    struct unseen *reasons = &evidence->reasons;
    reasons->items = memory_next(reasons->items, reasons->count, sizeof *reasons->items);
    reasons->items[reasons->count++] = (struct unseen_reason){of, memory_text(reason)};
}

static void note(struct evidence *evidence, const struct counter_source *from, const struct error *reason)
{
    const char *source = from->name;
    size_t used = strlen(evidence->unseen);
    snprintf(evidence->unseen + used, sizeof evidence->unseen - used, "%s%s: %s", used == 0 ? "" : "; ",
             source, reason->message);
    struct buffer text = {0};
    buffer_printf(&text, "%s: %s", source, reason->message);
    add_reason(evidence, source, text.data);
    buffer_free(&text);
}

/* True if the source is named, or all are, and observes such programs. */
static bool wanted(const struct counter_source *source, const char *counters,
                   const struct test_program *test_program)
{
    struct test_program request = *test_program;
    request.all_counts = counters != NULL;
    return names_contain(counters, source->name) &&
           source_serves(source,
                         manifest_text_or(test_program->manifest->target, test_program->machine->isa)) &&
           (source->concerns == NULL || source->concerns(&request));
}

/* Two quiet runs of one program that uses L3 or memory, which other cores and guests share, differ by as much
 * in each direction: measured on two virtual machines, in runs some minutes apart. */
static const double SHARED_WIDTH = 0.025;

static void widen_shared(const struct test_program *test_program, struct observations *list)
{
    for (size_t i = 0; i < list->count && test_program_shares(test_program); i++) {
        struct observation *seen = &list->items[i];
        const struct metric *row = metric_find(seen->metric);
        if (row == NULL || row->trend == TREND_NONE || isnan(seen->low))
            continue;
        seen->low = fmin(seen->low, seen->value * (1 - SHARED_WIDTH));
        seen->high = fmax(seen->high, seen->value * (1 + SHARED_WIDTH));
    }
}

static void join(const struct test_program *test_program, struct evidence_rounds *rounds, double width,
                 struct evidence_part *part)
{
    bool any = rounds->count > 0;
    evidence_rounds_join(rounds, width, part);
    if (any)
        widen_shared(test_program, &part->seen);
    speed_name_solo(test_program->manifest, &part->seen);
}

/* True if one round suffices: every requested rate passes, and no further round could change that. A failed
 * rate may be due to a disturbance. */
static bool is_settled(const struct manifest *manifest, const struct evidence_part *part)
{
    static const double NEAR = 0.03;
    bool enough = part->status != STATUS_FAILED;
    for (size_t i = 0; enough && i < part->seen.count; i++) {
        const struct observation *seen = &part->seen.items[i];
        double target = rates_get(&manifest->targets, seen->metric, seen->value);
        enough = verdict_settled(manifest, seen) && fabs(seen->value - target) <= NEAR;
    }
    return enough;
}

/* Naming sources also requests their counts. */
static void ask(const struct counter_source *source, const char *counters,
                const struct test_program *test_program, struct evidence_memory *memory,
                struct evidence_part *part)
{
    struct test_program request = *test_program;
    struct evidence_rounds rounds = {0};
    request.all_counts = counters != NULL;
    bool alone =
        request.brief && test_program->manifest->expect_count == 0; /* the first round may be the only one */
    if (!source->in_rounds || request.turns != NULL) {              /* turns were timed in rounds before */
        evidence_memory_ask(memory, source, &request, part);
        if (source->in_rounds)
            widen_shared(test_program, &part->seen);
        speed_name_solo(test_program->manifest, &part->seen);
        return;
    }
    bool enough = false;
    for (unsigned i = 0; i < EVIDENCE_ROUNDS && !enough; i++) {
        request.rounds = alone && i == 0 ? 1 : EVIDENCE_ROUNDS;
        evidence_rounds_ask(&rounds, source, &request);
        enough = alone && is_settled(test_program->manifest, &rounds.parts[i]);
    }
    join(test_program, &rounds, 0, part);
}

void evidence_time(const struct test_program *test_program, const char *counters,
                   struct evidence_timed *timed)
{
    struct test_program request = *test_program;
    request.all_counts = counters != NULL;
    for (size_t i = 0; i < EVIDENCE_SOURCES && counter_sources[i] != NULL; i++)
        if (counter_sources[i]->in_rounds && wanted(counter_sources[i], counters, test_program))
            evidence_rounds_ask(&timed->of[i], counter_sources[i], &request);
}

double evidence_timed_width(const struct evidence_timed *timed)
{
    double width = 0;
    for (size_t i = 0; i < EVIDENCE_SOURCES; i++)
        width = fmax(width, evidence_rounds_width(&timed->of[i]));
    return width;
}

void evidence_join_timed(const struct test_program *test_program, struct evidence_timed *timed, double width,
                         struct evidence_parts *parts)
{
    for (size_t i = 0; i < EVIDENCE_SOURCES; i++)
        join(test_program, &timed->of[i], width, &parts->of[i]);
}

double evidence_disagreement(const struct evidence_timed *timed)
{
    double worst = NAN;
    for (size_t i = 0; i < EVIDENCE_SOURCES; i++)
        worst = fmax(worst, evidence_rounds_disagreement(&timed->of[i], "pass.ns")); /* leaves NAN out */
    return worst;
}

void evidence_free_timed(struct evidence_timed *timed)
{
    for (size_t i = 0; i < EVIDENCE_SOURCES; i++)
        evidence_rounds_free(&timed->of[i]);
}

/* Takes the source's observations, even incomplete ones. */
static enum status take(const struct counter_source *source, struct evidence_part *part,
                        struct evidence *evidence, struct error *error)
{
    observations_move(&evidence->observations, &part->seen);
    if (part->status == STATUS_FAILED) {
        *error = part->reason;
        error_prefix(error, "%s", source->name);
        return STATUS_FAILED;
    }
    if (part->status != STATUS_OK)
        note(evidence, source, &part->reason);
    return STATUS_OK;
}

enum status evidence_gather(const struct test_program *test_program, const char *counters,
                            struct evidence *evidence, struct error *error)
{
    enum status status = STATUS_OK;
    memset(evidence, 0, sizeof *evidence);
    for (size_t i = 0; status == STATUS_OK && counter_sources[i] != NULL; i++) {
        struct evidence_part part;
        if (!wanted(counter_sources[i], counters, test_program))
            continue;
        ask(counter_sources[i], counters, test_program, NULL, &part);
        status = take(counter_sources[i], &part, evidence, error);
    }
    return status;
}

bool evidence_wants_alone(const char *counters)
{
    bool wants = false;
    for (size_t i = 0; counter_sources[i] != NULL; i++)
        wants = wants || (counter_sources[i]->alone && names_contain(counters, counter_sources[i]->name));
    return wants;
}

void evidence_ask(const struct test_program *test_program, const char *counters, bool alone,
                  struct evidence_memory *memory, struct evidence_parts *parts)
{
    for (size_t i = 0; i < EVIDENCE_SOURCES && counter_sources[i] != NULL; i++)
        if (counter_sources[i]->alone != alone)
            continue;
        else if (parts->of[i].present)
            evidence_memory_keep(memory, counter_sources[i], test_program, &parts->of[i]);
        else if (wanted(counter_sources[i], counters, test_program))
            ask(counter_sources[i], counters, test_program, memory, &parts->of[i]);
}

void evidence_prepare(struct test_program *const *list, size_t count, const char *counters, size_t step,
                      struct evidence_memory *memory)
{
    struct test_program **chosen = memory_zeroed(count, sizeof *chosen);
    size_t first = memory->turn;
    for (size_t i = 0; counter_sources[i] != NULL; i++) {
        const struct counter_source *source = counter_sources[i];
        if (source->prepare == NULL || source->alone)
            continue;
        for (size_t j = 0; j < count; j++) {
            memory->turn = first + j * step;
            bool will = list[j] != NULL && wanted(source, counters, list[j]) &&
                        evidence_memory_will_ask(memory, source, list[j]);
            chosen[j] = will ? list[j] : NULL;
        }
        source->prepare(chosen, count);
    }
    memory->turn = first;
    free(chosen);
}

enum status evidence_join(struct evidence_parts *parts, struct evidence *evidence, struct error *error)
{
    enum status status = STATUS_OK;
    memset(evidence, 0, sizeof *evidence);
    for (size_t i = 0; status == STATUS_OK && i < EVIDENCE_SOURCES && counter_sources[i] != NULL; i++)
        if (parts->of[i].present)
            status = take(counter_sources[i], &parts->of[i], evidence, error);
    return status;
}

/* The longest text that is transferred, in bytes. */
enum { MOST_TEXT = 1 << 16 };

/* The fixed-size fields of a part; its observations follow. */
struct sent {
    enum status status;
    struct error reason;
    size_t count;
    size_t warnings; /* follow, too */
};

static bool send_text(const char *text, FILE *to)
{
    size_t size = strlen(text) + 1;
    return fwrite(&size, sizeof size, 1, to) == 1 && fwrite(text, size, 1, to) == 1;
}

/* NULL if it is incomplete. */
static char *receive_text(FILE *from, struct arena *arena)
{
    size_t size;
    if (fread(&size, sizeof size, 1, from) != 1 || size == 0 || size > MOST_TEXT)
        return NULL;
    char *text = arena_alloc(arena, size, 1);
    return fread(text, size, 1, from) == 1 && text[size - 1] == '\0' ? text : NULL;
}

static bool receive_warning(FILE *from, struct warnings *warnings)
{
    struct arena arena = {0};
    const char *what = receive_text(from, &arena), *mend = what == NULL ? NULL : receive_text(from, &arena);
    if (mend != NULL)
        warning_add(warnings, mend, "%s", what);
    arena_free(&arena);
    return mend != NULL;
}

bool evidence_send(const struct evidence_parts *parts, FILE *to)
{
    bool good = true;
    uint32_t present = 0;
    for (unsigned i = 0; i < EVIDENCE_SOURCES; i++)
        present |= (uint32_t)parts->of[i].present << i;
    good = fwrite(&present, sizeof present, 1, to) == 1;
    for (size_t i = 0; good && i < EVIDENCE_SOURCES; i++) {
        const struct evidence_part *part = &parts->of[i];
        struct sent sent;
        if (!part->present)
            continue;
        memset(&sent, 0, sizeof sent); /* padding is written too */
        sent.status = part->status;
        sent.reason = part->reason;
        sent.count = part->seen.count;
        sent.warnings = part->seen.warnings.count;
        good = fwrite(&sent, sizeof sent, 1, to) == 1 &&
               (sent.count == 0 ||
                fwrite(part->seen.items, sizeof *part->seen.items, sent.count, to) == sent.count);
        for (size_t j = 0; good && j < sent.warnings; j++)
            good = send_text(part->seen.warnings.items[j].what, to) &&
                   send_text(part->seen.warnings.items[j].mend, to);
    }
    return good && fflush(to) == 0;
}

static bool receive_part(const struct counter_source *source, struct evidence_part *part, FILE *from)
{
    struct sent sent;
    bool good = fread(&sent, sizeof sent, 1, from) == 1;
    if (!good)
        return false;
    observations_free(&part->seen);
    *part = (struct evidence_part){.present = true, .status = sent.status, .reason = sent.reason};
    for (size_t i = 0; good && i < sent.count; i++) {
        struct observation one;
        good = fread(&one, sizeof one, 1, from) == 1;
        one.source = source->name;
        one.kind = good && one.kind == EVIDENCE_MAPPED ? EVIDENCE_MAPPED : source->kind;
        one.metric[sizeof one.metric - 1] = '\0';
        one.part[sizeof one.part - 1] = '\0';
        one.doubt[sizeof one.doubt - 1] = '\0';
        if (good)
            observations_copy(&part->seen, &one);
    }
    for (size_t i = 0; good && i < sent.warnings; i++)
        good = receive_warning(from, &part->seen.warnings);
    return good;
}

bool evidence_receive(struct evidence_parts *parts, FILE *from)
{
    uint32_t present;
    bool good = fread(&present, sizeof present, 1, from) == 1;
    for (size_t i = 0; good && i < EVIDENCE_SOURCES && counter_sources[i] != NULL; i++)
        if ((present >> i & 1) != 0)
            good = receive_part(counter_sources[i], &parts->of[i], from);
    return good;
}

void evidence_free_parts(struct evidence_parts *parts)
{
    for (size_t i = 0; i < EVIDENCE_SOURCES; i++)
        observations_free(&parts->of[i].seen);
    memset(parts, 0, sizeof *parts);
}

static bool is_observed(const struct observations *list, const char *metric)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i].copy == 0 && strcmp(list->items[i].metric, metric) == 0)
            return true;
    return false;
}

void evidence_judge(const struct test_program *test_program, struct evidence *evidence,
                    struct result_rates *rates)
{
    const struct manifest *manifest = test_program->manifest;
    speed_derive(test_program, &evidence->observations);
    for (size_t i = 0; i < manifest->expect_count; i++) {
        const char *metric = manifest->expect[i].metric;
        char why[200];
        if (!is_observed(&evidence->observations, metric) &&
            speed_why_not(test_program, metric, why, sizeof why))
            add_reason(evidence, metric, why);
    }
    verdict_judge(manifest, &evidence->observations, test_program->machine->present, &evidence->reasons,
                  rates);
}

void evidence_record(struct evidence *evidence, struct result_point *point)
{
    point->seen = evidence->observations;
    evidence->observations = (struct observations){0};
    warnings_extend(&point->warnings, &point->seen.warnings);
}

void evidence_free(struct evidence *evidence)
{
    observations_free(&evidence->observations);
    for (size_t i = 0; i < evidence->reasons.count; i++)
        free((char *)(uintptr_t)evidence->reasons.items[i].reason);
    free(evidence->reasons.items);
    memset(evidence, 0, sizeof *evidence);
}

/* ---- rounds ---- */

void evidence_rounds_ask(struct evidence_rounds *rounds, const struct counter_source *source,
                         const struct test_program *test_program)
{
    struct evidence_part part;
    evidence_memory_ask(NULL, source, test_program, &part);
    rounds->parts = memory_next(rounds->parts, rounds->count, sizeof *rounds->parts);
    rounds->parts[rounds->count++] = part;
}

/* A metric in the rounds that observed it. */
struct round_metrics {
    struct observation last;
    double *values, *lows, *highs; /* count of each; without interval the bounds are the value */
    size_t count;
    double n;
};

static const struct observation *find(const struct evidence_part *part, const struct observation *like)
{
    for (size_t i = 0; i < part->seen.count; i++) {
        const struct observation *seen = &part->seen.items[i];
        if (seen->copy == like->copy && strcmp(seen->metric, like->metric) == 0)
            return seen;
    }
    return NULL;
}

static size_t count_undisturbed(const struct evidence_rounds *rounds, const struct observation *like)
{
    size_t count = 0;
    for (size_t i = 0; i < rounds->count; i++) {
        const struct observation *seen = find(&rounds->parts[i], like);
        count += seen != NULL && seen->doubt[0] == '\0';
    }
    return count;
}

/* Collects the undisturbed rounds if there are two of them, else all rounds. */
static void collect(const struct evidence_rounds *rounds, const struct observation *like,
                    struct round_metrics *found)
{
    bool quiet = count_undisturbed(rounds, like) >= 2;
    *found = (struct round_metrics){.values = memory_zeroed(rounds->count, sizeof(double)),
                                    .lows = memory_zeroed(rounds->count, sizeof(double)),
                                    .highs = memory_zeroed(rounds->count, sizeof(double))};
    for (size_t i = 0; i < rounds->count; i++) {
        const struct observation *seen = find(&rounds->parts[i], like);
        if (seen == NULL || (quiet && seen->doubt[0] != '\0'))
            continue;
        found->last = *seen;
        found->values[found->count] = seen->value;
        found->lows[found->count] = isnan(seen->low) ? seen->value : seen->low;
        found->highs[found->count++] = isnan(seen->high) ? seen->value : seen->high;
        found->n += seen->n;
    }
}

static void free_metrics(struct round_metrics *found)
{
    free(found->values);
    free(found->lows);
    free(found->highs);
}

/* The interval around the median covers that of the most precise round and the rounds' differences. */
static struct interval shares_of(const struct round_metrics *found)
{
    double value = stats_median(found->values, found->count);
    size_t at = 0;
    for (size_t i = 1; i < found->count; i++)
        if (found->highs[i] - found->lows[i] < found->highs[at] - found->lows[at])
            at = i;
    const struct interval spread =
        stats_repeated(found->values, found->count); /* without ends for a single round */
    return (struct interval){value, fmin(spread.low, value - (found->values[at] - found->lows[at])),
                             fmax(spread.high, value + (found->highs[at] - found->values[at])), found->count};
}

/* A metric that grows as time shrinks is a ratio to the clock, which disturbances lengthen as well. */
static struct interval times_of(const struct round_metrics *found, bool ratio)
{
    return ratio ? stats_agreeing(found->values, found->count) : stats_fastest(found->values, found->count);
}

static void doubt_metric(const struct round_metrics *found, struct observations *list)
{
    char why[OBSERVATION_DOUBT_BYTES];
    double least = stats_quantile(found->values, found->count, 0);
    double most = stats_quantile(found->values, found->count, 1);
    if (found->count < 2)
        snprintf(why, sizeof why, "timed in one round alone: there is nothing to compare it with");
    else
        snprintf(why, sizeof why, "the rounds differ by %.2g %%: other programs disturbed it",
                 100 * (most / least - 1));
    observations_doubt(list, why);
}

static void join_metric(const struct evidence_rounds *rounds, const struct observation *like,
                        struct observations *list)
{
    const struct metric *row = metric_find(like->metric);
    enum metric_trend trend = row == NULL ? TREND_NONE : row->trend;
    struct round_metrics found;
    collect(rounds, like, &found);
    struct interval interval =
        trend == TREND_NONE ? shares_of(&found) : times_of(&found, trend == TREND_MORE);
    bool doubted = found.last.doubt[0] != '\0';
    if (doubted)
        interval.low = interval.high = NAN;
    observations_add(list, like->metric, like->source, like->kind, interval.value, interval.low,
                     interval.high, found.n);
    struct observation *added = &list->items[list->count - 1];
    added->copy = like->copy;
    memcpy(added->part, like->part, sizeof added->part);
    if (doubted)
        observations_doubt(list, found.last.doubt);
    else if (isnan(interval.low))
        doubt_metric(&found, list);
    free_metrics(&found);
}

double evidence_rounds_disagreement(const struct evidence_rounds *rounds, const char *metric)
{
    struct observation like = {0};
    struct round_metrics found;
    snprintf(like.metric, sizeof like.metric, "%s", metric);
    collect(rounds, &like, &found);
    const struct interval interval = times_of(&found, false);
    bool doubted = found.last.doubt[0] != '\0';
    double half = found.count == 0                 ? NAN
                  : doubted || isnan(interval.low) ? INFINITY
                                                   : (interval.high - interval.low) / 2 / interval.value;
    free_metrics(&found);
    return half;
}

/* 0: not observed. */
static double value_of(const struct evidence_part *part, const char *metric)
{
    struct observation like = {0};
    snprintf(like.metric, sizeof like.metric, "%s", metric);
    const struct observation *seen = find(part, &like);
    return seen == NULL ? 0 : seen->value;
}

/* A round that failed, else one with the status of most rounds. */
static const struct evidence_part *typical(const struct evidence_rounds *rounds)
{
    const struct evidence_part *good = NULL, *bad = NULL;
    size_t good_count = 0;
    for (size_t i = 0; i < rounds->count; i++) {
        const struct evidence_part *part = &rounds->parts[i];
        if (part->status == STATUS_FAILED)
            return part;
        if (part->status == STATUS_OK) {
            good = part;
            good_count++;
        } else {
            bad = part;
        }
    }
    return bad == NULL || 2 * good_count > rounds->count ? good : bad;
}

double evidence_rounds_width(const struct evidence_rounds *rounds)
{
    double width = 0;
    for (size_t i = 0; i < rounds->count; i++)
        width = fmax(width, evidence_width_of(value_of(&rounds->parts[i], EVIDENCE_WIDTH)));
    return width;
}

/* A kernel that executes at most one instruction per cycle is not limited by the core's units. */
static void doubt_shared(struct evidence_rounds *rounds, double width)
{
    width = fmax(width, evidence_rounds_width(rounds));
    for (size_t i = 0; i < rounds->count; i++) {
        struct evidence_part *part = &rounds->parts[i];
        double additions = value_of(part, EVIDENCE_WIDTH);
        if (additions == 0 || value_of(part, "ipc") <= 1 || !evidence_width_is_shared(additions, width))
            continue;
        for (size_t j = 0; j < part->seen.count; j++) {
            const struct metric *row = metric_find(part->seen.items[j].metric);
            if (row != NULL && row->trend != TREND_NONE && part->seen.items[j].doubt[0] == '\0')
                snprintf(
                    part->seen.items[j].doubt, OBSERVATION_DOUBT_BYTES,
                    "another thread used the core's units: this one got %.2f simple operations per cycle",
                    additions);
        }
    }
}

void evidence_rounds_join(struct evidence_rounds *rounds, double width, struct evidence_part *part)
{
    struct observations list = {0};
    if (rounds->count == 0)
        return;
    doubt_shared(rounds, width);
    const struct evidence_part *most = typical(rounds);
    *part = (struct evidence_part){.present = true, .status = most->status, .reason = most->reason};
    for (size_t i = 0; i < rounds->count; i++)
        for (size_t j = 0; j < rounds->parts[i].seen.count; j++) {
            const struct observation *like = &rounds->parts[i].seen.items[j];
            bool done = false;
            for (size_t k = 0; k < i && !done; k++)
                done = find(&rounds->parts[k], like) != NULL;
            if (!done)
                join_metric(rounds, like, &list);
        }
    struct observations *last = &rounds->parts[rounds->count - 1].seen; /* its counts and warnings are kept */
    last->count = 0;
    observations_move(&list, last);
    part->seen = list;
    evidence_rounds_free(rounds);
}

void evidence_rounds_free(struct evidence_rounds *rounds)
{
    for (size_t i = 0; i < rounds->count; i++)
        observations_free(&rounds->parts[i].seen);
    free(rounds->parts);
    *rounds = (struct evidence_rounds){0};
}
