#include "runner/results/verdict.h"

#include "base/buffer.h"
#include "generator/metric/metric.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- the weight of evidence ---- */

/* Sources of the code side that are not TraumaGen's own, and so share no mistake with the plan. */
static const char *const independent[] = {"cachegrind"};

static const double ROUNDING = 1e-9;

/* The relative error of a duty that a whole number of idle instructions makes (throttle.c, gpu_plan_make.c).
 */
static const double WHOLE_IDLE = 0.03;

static enum evidence_side side_of(const struct observation *seen)
{
    return evidence_kinds[seen->kind].side;
}

/* Among the observations of one side, those of the highest rank decide: on the code side those of an
 * independent source, on the silicon side measured ones. */
enum { LOW_RANK = 1, HIGH_RANK, MEASURED = HIGH_RANK };

static int rank_of(const struct observation *seen)
{
    if (side_of(seen) == SIDE_SILICON)
        return seen->kind == EVIDENCE_MEASURED ? MEASURED : LOW_RANK;
    for (size_t i = 0; i < sizeof independent / sizeof independent[0]; i++)
        if (strcmp(seen->source, independent[i]) == 0)
            return HIGH_RANK;
    return LOW_RANK;
}

/* ---- one side ---- */

/* The requirements of one metric. */
struct wanted {
    const struct metric *row; /* NULL: it is not in the table of metrics */
    bool has_target;
    double target;
    double min, max;      /* the author's own bounds; infinite if not given */
    double own_tolerance; /* the recipe's, for measured values; negative: none */
    int least_rank;       /* of observations that may decide */
};

static bool is_required(const struct wanted *wanted)
{
    return wanted->has_target || isfinite(wanted->min) || isfinite(wanted->max);
}

static double tolerance_of(const struct wanted *wanted, enum evidence_kind kind)
{
    const struct evidence_kind_row *of = &evidence_kinds[kind];
    const struct metric *row = wanted->row;
    if (kind == EVIDENCE_MEASURED && wanted->own_tolerance >= 0)
        return wanted->own_tolerance;
    if (row != NULL && row->near > 0)
        return row->near;
    if (row != NULL && row->tolerance == TOLERANCE_OF_IDLE && of->side == SIDE_CODE)
        return WHOLE_IDLE * wanted->target;
    return of->tolerances[row == NULL ? TOLERANCE_USUAL : row->tolerance];
}

static enum verdict within(double low, double high, double least, double most)
{
    if (low >= least - ROUNDING && high <= most + ROUNDING)
        return VERDICT_PASS;
    return high < least - ROUNDING || low > most + ROUNDING ? VERDICT_FAIL : VERDICT_INCONCLUSIVE;
}

static enum verdict worse(enum verdict a, enum verdict b)
{
    return a > b ? a : b;
}

static enum verdict judge_target(const struct wanted *wanted, enum evidence_kind kind, double low,
                                 double high)
{
    double tolerance = tolerance_of(wanted, kind);
    return wanted->has_target ? within(low, high, wanted->target - tolerance, wanted->target + tolerance)
                              : VERDICT_PASS;
}

static enum verdict judge_one(const struct wanted *wanted, const struct observation *seen)
{
    return worse(within(seen->low, seen->high, wanted->min, wanted->max),
                 judge_target(wanted, seen->kind, seen->low, seen->high));
}

bool verdict_settled(const struct manifest *manifest, const struct observation *seen)
{
    const struct wanted wanted = {.row = metric_find(seen->metric),
                                  .has_target = manifest_has_target(manifest, seen->metric),
                                  .target = rates_get(&manifest->targets, seen->metric, 0),
                                  .own_tolerance = -1};
    return manifest->expect_count == 0 &&
           judge_target(&wanted, seen->kind, seen->low, seen->high) != VERDICT_INCONCLUSIVE;
}

/* The verdict of one side on a metric. */
struct view {
    enum verdict verdict;               /* VERDICT_UNOBSERVED: it has no observation, or none that decides */
    const struct observation *decisive; /* the worst of the deciding observations; NULL: it has none */
    const struct observation *against;  /* another one that disputes it; NULL: none does */
};

static struct view view_side(const struct wanted *wanted, const struct observations *observations,
                             enum evidence_side side)
{
    struct view view = {.verdict = VERDICT_UNOBSERVED};
    int best = wanted->least_rank;
    for (size_t i = 0; i < observations->count; i++) {
        const struct observation *seen = &observations->items[i];
        if (side_of(seen) == side && rank_of(seen) > best)
            best = rank_of(seen);
    }
    for (size_t i = 0; i < observations->count; i++) {
        const struct observation *seen = &observations->items[i];
        if (side_of(seen) != side)
            continue;
        enum verdict here = judge_one(wanted, seen);
        bool decides = rank_of(seen) == best;
        if (decides && (view.decisive == NULL || here > view.verdict)) {
            view.verdict = here;
            view.decisive = seen;
        } else if (!decides && here == VERDICT_FAIL && side == SIDE_CODE) {
            view.against = seen;
        }
    }
    if (view.decisive != NULL && !is_required(wanted))
        view.verdict = VERDICT_OBSERVED;
    else if (view.verdict == VERDICT_PASS && view.against != NULL)
        view.verdict = VERDICT_DISPUTED;
    return view;
}

/* Appends "; WORDSwanted 0.5 +- 0.01, perf saw 0.47 [0.46, 0.48]": the target, or else the bounds, and the
 * observation. */
static void write_miss(struct buffer *text, const char *words, const struct wanted *wanted,
                       const struct observation *seen)
{
    double low = seen->low;
    double high = seen->high;
    double tolerance = tolerance_of(wanted, seen->kind);
    bool target =
        wanted->has_target && judge_target(wanted, seen->kind, low, high) == judge_one(wanted, seen);
    char unit[32];
    double scale = metric_scale(seen->metric), min = wanted->min * scale, max = wanted->max * scale;
    metric_write_unit(seen->metric, unit, sizeof unit);
    buffer_printf(text, "%s%swanted ", text->size > 0 ? "; " : "", words);
    if (target && tolerance > 0)
        buffer_printf(text, "%.6g \xc2\xb1 %.6g", wanted->target * scale, tolerance * scale);
    else if (target || min == max)
        buffer_printf(text, "%.6g", target ? wanted->target * scale : min);
    else if (isfinite(min) && isfinite(max))
        buffer_printf(text, "%.6g to %.6g", min, max);
    else if (isfinite(min))
        buffer_printf(text, ">= %.6g", min);
    else
        buffer_printf(text, "<= %.6g", max);
    buffer_printf(text, "%s, %s saw %.5g", unit, seen->source, seen->value * scale);
    if (isfinite(low) && low != high)
        buffer_printf(text, " [%.4g, %.4g]", low * scale, high * scale);
    buffer_text(text, unit);
    if (!isfinite(low))
        buffer_printf(text, " without an interval%s%s", seen->doubt[0] == '\0' ? "" : ": ", seen->doubt);
}

/* ---- both sides ---- */

/* The request for one metric. */
struct metric_request {
    const char *metric;
    const struct metric *row;           /* NULL: it is not in the table of metrics */
    double target;                      /* NAN: none */
    const struct metric_bounds *bounds; /* NULL: none */
    const struct tolerances *tolerance; /* NULL: none */
    bool present;    /* the program is for the present machine: its silicon can be observed */
    bool applicable; /* the plan can compute it, or this is unknown; observations are judged in either case */
    bool prefetched; /* the target is without prefetchers, the bounds are with them */
    enum evidence_kind calibrated; /* the calibration's evidence: the code was adjusted so that the silicon of
                                      that machine shows the target; EVIDENCE_NONE: not calibrated */
    const char *unseen;            /* why sources observed nothing; "": no reason is known */
    const struct observation *dealt; /* of a toggle rate that the plan guarantees in program order only: the
                                        rate in other orders; NULL: guaranteed too, or unobserved */
};

/* The verdicts of both sides. */
struct judgement {
    enum verdict verdict;
    bool silicon_due; /* the code passes on the present machine, and no observation judges the silicon */
    struct wanted of_code, of_silicon;
    struct view code, silicon;
    struct buffer reason;
};

static struct wanted make_wanted(const struct metric_request *request)
{
    bool has_target = !isnan(request->target);
    return (struct wanted){.row = request->row,
                           .has_target = has_target,
                           .target = has_target ? request->target : 0,
                           .min = request->bounds == NULL ? -INFINITY : request->bounds->min,
                           .max = request->bounds == NULL ? INFINITY : request->bounds->max,
                           .own_tolerance = request->tolerance == NULL
                                                ? -1
                                                : tolerances_get(request->tolerance, request->metric)};
}

/* Targets of caches are without prefetchers, which simulations lack, so the code side judges them. The
 * author's bounds are with prefetchers, whose effect only counters show, so the silicon side judges them. */
static void part_prefetched(struct wanted *of_code, struct wanted *of_silicon)
{
    of_code->min = -INFINITY;
    of_code->max = INFINITY;
    of_silicon->has_target = false;
    if (is_required(of_silicon))
        of_silicon->least_rank = MEASURED;
}

static bool is_judged(const struct view *view)
{
    return view->verdict != VERDICT_UNOBSERVED && view->verdict != VERDICT_OBSERVED;
}

/* True if the code passes, no observation judges the silicon, and the bytes alone do not settle the metric.
 */
static bool is_half(const struct metric_request *request, const struct judgement *sides)
{
    bool passed = sides->code.verdict == VERDICT_PASS || sides->code.verdict == VERDICT_DISPUTED;
    return passed && !is_judged(&sides->silicon) && !(request->row != NULL && request->row->of_bytes);
}

/* The verdict of both sides; a side that alone can judge a requirement must have an observation. */
static enum verdict join(const struct metric_request *request, const struct judgement *sides)
{
    const struct view *code = &sides->code;
    const struct view *silicon = &sides->silicon;
    bool code_missing = !is_judged(code) && is_required(&sides->of_code);
    bool silicon_missing = !is_judged(silicon) && is_required(&sides->of_silicon);
    if (code->verdict == VERDICT_FAIL || silicon->verdict == VERDICT_FAIL)
        return VERDICT_FAIL;
    if ((code_missing && silicon_missing) || (request->prefetched && (code_missing || silicon_missing)))
        return VERDICT_UNOBSERVED;
    if (!is_judged(code) && !is_judged(silicon))
        return worse(code->verdict, silicon->verdict); /* observed if either side has an observation */
    if (!is_judged(code))
        return silicon->verdict;
    if (is_judged(silicon))
        return worse(code->verdict, silicon->verdict);
    return is_half(request, sides) && (sides->silicon_due || code->verdict == VERDICT_PASS)
               ? VERDICT_PASS_CODE
               : code->verdict;
}

/* If the plan was calibrated on a machine, the code deviates from the target deliberately: that is no miss.
 */
static void excuse_calibrated(const struct metric_request *request, struct judgement *judged)
{
    struct view *code = &judged->code;
    if (request->calibrated == EVIDENCE_NONE || !is_judged(code) || code->verdict == VERDICT_PASS)
        return;
    code->verdict = VERDICT_UNOBSERVED;
    buffer_printf(&judged->reason,
                  "%s does not decide: the program was calibrated on a machine that it does not model",
                  code->decisive->source);
}

/* Explains a verdict other than a plain pass, by the observation of each side with this verdict and the one
 * that disputes it. */
static void explain_verdict(struct judgement *judged)
{
    const struct view *code = &judged->code;
    const struct view *silicon = &judged->silicon;
    struct buffer *reason = &judged->reason;
    bool failed = judged->verdict == VERDICT_FAIL;
    bool open = failed || judged->verdict == VERDICT_INCONCLUSIVE;
    if (open && code->verdict == judged->verdict)
        write_miss(reason, "", &judged->of_code, code->decisive);
    if (code->verdict == VERDICT_DISPUTED)
        write_miss(reason, "another source disputes it: ", &judged->of_code, code->against);
    if (!open || silicon->verdict != judged->verdict)
        return;
    const char *words = failed ? "the silicon contradicts: " : "undecided on the silicon: ";
    if (code->verdict == silicon->verdict)
        words = "on the silicon: ";
    write_miss(reason, is_judged(code) ? words : "", &judged->of_silicon, silicon->decisive);
}

static const char NOT_SEEN[] = "only hardware counters observe prefetchers; ";

/* Explains why a side has no observation. */
static void explain_unseen(const struct metric_request *request, struct judgement *judged)
{
    bool half = judged->verdict == VERDICT_PASS_CODE;
    if (judged->reason.size > 0 || (judged->verdict != VERDICT_UNOBSERVED && !judged->silicon_due))
        return;
    bool by_counters = request->prefetched && request->bounds != NULL &&
                       strncmp(request->unseen, NOT_SEEN, strlen(NOT_SEEN)) != 0;
    const char *none = half ? "no source used here observes the silicon" : "no source used here observes it";
    buffer_printf(&judged->reason, "%s%s", by_counters ? NOT_SEEN : "",
                  request->unseen[0] == '\0' ? none : request->unseen);
}

/* Notes with a pass that the plan itself does not reach the target exactly, as it may be with few branches,
 * one of which is the loop's own. */
static void note_planned(const struct metric_request *request, const struct observations *observations,
                         struct judgement *judged)
{
    bool passed = judged->verdict == VERDICT_PASS || judged->verdict == VERDICT_PASS_CODE;
    if (!passed || isnan(request->target) || request->calibrated != EVIDENCE_NONE)
        return;
    for (size_t i = 0; i < observations->count; i++) {
        const struct observation *one = &observations->items[i];
        if (one->kind == EVIDENCE_PREDICTED &&
            fabs(one->value - request->target) >
                fmax(ROUNDING, request->row == NULL ? 0 : request->row->near)) {
            char words[64];
            snprintf(words, sizeof words, "the plan's own rate is %.6g",
                     one->value * metric_scale(request->metric));
            bool noted = judged->reason.size > 0 && strstr(judged->reason.data, words) != NULL; /* as read */
            if (!noted)
                buffer_printf(&judged->reason, "%s%s", judged->reason.size > 0 ? "; " : "", words);
            return;
        }
    }
}

/* Notes with a pass of a toggle rate that it holds in program order only. */
static void note_order(const struct metric_request *request, struct judgement *judged)
{
    bool passed = judged->verdict == VERDICT_PASS || judged->verdict == VERDICT_PASS_CODE;
    if (!passed || request->dealt == NULL || isnan(request->target))
        return;
    buffer_printf(&judged->reason,
                  "%sit holds in program order alone, and depends on how hardware deals the accesses out: of "
                  "the rates over every second, third and fourth and by address, the farthest that %s saw is "
                  "%.4g",
                  judged->reason.size > 0 ? "; " : "", request->dealt->source, request->dealt->value);
}

static void judge_request(const struct metric_request *request, const struct observations *observations,
                          struct judgement *judged)
{
    *judged = (struct judgement){.of_code = make_wanted(request)};
    judged->of_silicon = judged->of_code;
    if (request->prefetched)
        part_prefetched(&judged->of_code, &judged->of_silicon);
    judged->code = view_side(&judged->of_code, observations, SIDE_CODE);
    judged->silicon = view_side(&judged->of_silicon, observations, SIDE_SILICON);
    excuse_calibrated(request, judged);
    judged->silicon_due = is_half(request, judged) && request->present && !request->prefetched;
    judged->verdict = join(request, judged);
    explain_verdict(judged);
    if (judged->verdict == VERDICT_UNOBSERVED && !request->applicable && judged->reason.size == 0)
        judged->verdict = VERDICT_NOT_APPLICABLE;
    explain_unseen(request, judged);
    note_planned(request, observations, judged);
    note_order(request, judged);
}

/* Adds the judged rate; it takes over the observations. */
static void add_rate(struct result_rates *rates, const struct metric_request *request,
                     struct observations *seen)
{
    struct judgement judged;
    judge_request(request, seen, &judged);
    bool unrequested = isnan(request->target) && request->bounds == NULL;
    const struct result_rate rate = {.metric = request->metric,
                                     .target = request->target,
                                     .bounded = request->bounds != NULL,
                                     .min = request->bounds == NULL ? -INFINITY : request->bounds->min,
                                     .max = request->bounds == NULL ? INFINITY : request->bounds->max,
                                     .prefetched = request->prefetched,
                                     .calibrated = request->calibrated,
                                     .verdict = judged.verdict,
                                     .silicon_due = judged.silicon_due,
                                     .has_code = judged.code.decisive != NULL,
                                     .has_silicon = judged.silicon.decisive != NULL,
                                     .code = judged.code.verdict,
                                     .silicon = judged.silicon.verdict,
                                     .reason = judged.reason.size > 0 ? judged.reason.data : "",
                                     .seen = *seen};
    if (unrequested && judged.verdict == VERDICT_UNOBSERVED) /* only predicted, and not requested */
        observations_free(seen);
    else
        result_rates_add(rates, &rate);
    buffer_free(&judged.reason);
}

/* The observations of the program's metric, or of all if NULL; free with observations_free. */
static struct observations observations_of(const struct observations *all, const char *metric)
{
    struct observations of = {0};
    for (size_t i = 0; i < all->count; i++) {
        const struct observation *one = &all->items[i];
        if (one->copy == 0 && (metric == NULL || strcmp(one->metric, metric) == 0))
            observations_copy(&of, one);
    }
    return of;
}

/* False for a target whose value the plan itself cannot compute, such as misses of a level that nothing
 * reaches. */
static bool is_applicable(const struct manifest *manifest, const char *metric)
{
    return !manifest_has_target(manifest, metric) || !isnan(rates_get(&manifest->expected, metric, NAN));
}

/* The kind of evidence that calibrated a rate of the program, unless it was a simulation. */
static enum evidence_kind calibrated_by(const struct manifest *manifest, const char *metric,
                                        const struct metric *row)
{
    enum evidence_kind kind = evidence_kind_named(manifest->calibration.kind);
    bool moved = (row != NULL && row->of_data_caches) || strcmp(metric, "branch.miss_rate") == 0;
    return moved && kind != EVIDENCE_SIMULATED ? kind : EVIDENCE_NONE;
}

/* True for rates of the data caches in a kernel that triggers prefetchers. */
static bool is_prefetched(const struct manifest *manifest, const struct metric *row)
{
    bool invited = false;
    for (size_t i = 0; i < manifest->unit_count; i++)
        invited = invited || strcmp(manifest_text_or(manifest->unit[i].prefetch, ""), "invite") == 0;
    return invited && row != NULL && row->of_data_caches;
}

static const char TOGGLES[] = "data.toggle_rate", DEALT[] = "data.toggle_rate.dealt";

static const struct observation *first_of(const struct observations *observations, const char *metric)
{
    for (size_t i = 0; i < observations->count; i++)
        if (strcmp(observations->items[i].metric, metric) == 0)
            return &observations->items[i];
    return NULL;
}

/* A program's evidence. */
struct judging {
    const struct manifest *manifest;
    const struct observations *observations;
    bool present;
    const struct unseen *unseen;
};

/* Appends the reasons of the sources that could observe the metric but did not. */
static void gather_reasons(const struct unseen *unseen, const char *metric, enum metric_ground ground,
                           struct buffer *text)
{
    for (size_t i = 0; unseen != NULL && i < unseen->count; i++)
        if (strcmp(metric, unseen->items[i].source) == 0 ||
            metric_is_seen_by(metric, unseen->items[i].source, ground))
            buffer_printf(text, "%s%s", text->size > 0 ? "; " : "", unseen->items[i].reason);
}

static void judge_metric(struct result_rates *rates, const struct judging *judging, const char *metric,
                         double target)
{
    const struct manifest *manifest = judging->manifest;
    if (result_rates_find(rates, metric) != NULL)
        return;
    const struct metric *row = metric_find(metric);
    struct buffer unseen = {0};
    buffer_text(&unseen, "");
    gather_reasons(judging->unseen, metric, metric_ground_of(manifest_text_or(manifest->target, "")),
                   &unseen);
    struct metric_request request = {.metric = metric,
                                     .row = row,
                                     .target = target,
                                     .bounds = manifest_bounds(manifest, metric),
                                     .tolerance = &manifest->tolerance,
                                     .present = judging->present,
                                     .applicable = is_applicable(manifest, metric),
                                     .prefetched = is_prefetched(manifest, row),
                                     .calibrated = calibrated_by(manifest, metric, row),
                                     .unseen = unseen.data,
                                     .dealt =
                                         strcmp(metric, TOGGLES) == 0 && !manifest_has_target(manifest, DEALT)
                                             ? first_of(judging->observations, DEALT)
                                             : NULL};
    struct observations seen = observations_of(judging->observations, metric);
    add_rate(rates, &request, &seen);
    buffer_free(&unseen);
}

void verdict_judge(const struct manifest *manifest, const struct observations *observations, bool present,
                   const struct unseen *unseen, struct result_rates *rates)
{
    const struct judging judging = {manifest, observations, present, unseen};
    *rates = (struct result_rates){0};
    for (size_t i = 0; i < manifest->targets.count; i++)
        judge_metric(rates, &judging, manifest->targets.items[i].metric, manifest->targets.items[i].value);
    for (size_t i = 0; i < manifest->expected.count; i++) {
        const struct rate *rate = &manifest->expected.items[i];
        if (metric_is_listed(rate->metric))
            judge_metric(rates, &judging, rate->metric, rate->value);
    }
    for (size_t i = 0; i < manifest->expect_count; i++)
        judge_metric(rates, &judging, manifest->expect[i].metric, NAN);
    for (size_t i = 0; i < observations->count; i++)
        if (observations->items[i].copy == 0)
            judge_metric(rates, &judging, observations->items[i].metric, NAN);
}

void verdict_judge_again(const struct result_rates *recorded, const struct tolerances *tolerance,
                         bool present, struct result_rates *rates)
{
    *rates = (struct result_rates){0};
    for (size_t i = 0; i < recorded->count; i++) {
        const struct result_rate *rate = &recorded->items[i];
        bool unseen = rate->verdict == VERDICT_UNOBSERVED || rate->verdict == VERDICT_PASS_CODE;
        const struct metric_bounds bounds = {rate->metric, rate->min, rate->max};
        const struct result_rate *dealt = result_rates_find(recorded, DEALT);
        bool alone = strcmp(rate->metric, TOGGLES) == 0 && dealt != NULL && isnan(dealt->target);
        struct metric_request request = {.metric = rate->metric,
                                         .row = metric_find(rate->metric),
                                         .target = rate->target,
                                         .bounds = rate->bounded ? &bounds : NULL,
                                         .tolerance = tolerance,
                                         .present = present,
                                         .applicable = rate->verdict != VERDICT_NOT_APPLICABLE,
                                         .prefetched = rate->prefetched,
                                         .calibrated = rate->calibrated,
                                         .unseen = unseen ? rate->reason : "",
                                         .dealt = alone ? first_of(&dealt->seen, DEALT) : NULL};
        struct observations seen = observations_of(&rate->seen, NULL);
        add_rate(rates, &request, &seen);
    }
}
