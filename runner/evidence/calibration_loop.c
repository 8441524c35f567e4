#include "runner/evidence/calibration_loop.h"

#include <math.h>
#include <string.h>

/* The depths to try, in multiples of the ways. A plan that chooses for itself begins with OWN_DEPTH. */
static const double depths[] = {2, 3, 4, 6, 8, 12, 16};
enum { DEPTHS = sizeof depths / sizeof depths[0], MOST_FLAT = 2, MOST_REPEATS = 2 };
static const double OWN_DEPTH = 2;

/* Another depth is better if it removes this share of the distance from the aim; depth is considered as a
 * cause only if the distance exceeds this. */
static const double BETTER = 0.1;
static const double FAULT = 0.004;

/* Below this share of the aim, all lines are assumed to fit: nothing misses yet. */
static const double NOTHING = 0.25;

/* Aims are whole steps; aims closer than half a step are equal. Slopes of a rate against its aim outside
 * these limits are not trusted. */
static const double AIM_STEP = 0.001;
static const double LEAST_SLOPE = 0.25, MOST_SLOPE = 4;

/* A first observation within this distance, from a source that is not exact, may be due to a disturbance. */
static const double DOUBTFUL = 0.1;

/* A new aim keeps this share of a bracket away from its ends, so that the bracket shrinks from both. */
static const double BRACKET_EDGE = 0.1;

/* A search in progress. */
struct calibration_search {
    calibrate_look *look;
    void *context;
    struct calibrate_result *result;
    enum status status;
    struct error *error;
    bool passed;
    unsigned repeats;
};

static double in_steps(double aim)
{
    return round(aim / AIM_STEP) * AIM_STEP;
}

static double aim_of(const struct plan_tuning *tuning, const struct calibrate_rate *rate)
{
    return tuning->aimed[rate->rate] ? tuning->aim[rate->rate] : rate->target;
}

static double depth_of(const struct plan_tuning *tuning)
{
    return tuning->depth > 0 ? tuning->depth : OWN_DEPTH;
}

static bool is_of_caches(const struct calibrate_rate *rate)
{
    return rate->rate != TUNING_BRANCH;
}

/* The rate that is farthest from its target; NULL if none was observed. */
static const struct calibrate_rate *worst_of(const struct calibrate_seen *seen)
{
    const struct calibrate_rate *worst = NULL;
    for (size_t i = 0; i < seen->count; i++) {
        const struct calibrate_rate *rate = &seen->rates[i];
        if (worst == NULL || fabs(rate->value - rate->target) > fabs(worst->value - worst->target))
            worst = rate;
    }
    return worst;
}

static double distance(const struct calibrate_round *round)
{
    const struct calibrate_rate *worst = worst_of(&round->seen);
    return round->refused || worst == NULL ? INFINITY : fabs(worst->value - worst->target);
}

static bool all_pass(const struct calibrate_seen *seen)
{
    for (size_t i = 0; i < seen->count; i++)
        if (seen->rates[i].verdict != VERDICT_PASS)
            return false;
    return seen->count > 0;
}

static bool is_over(const struct calibration_search *search)
{
    return search->status != STATUS_OK || search->passed || search->result->count == CALIBRATE_ROUNDS;
}

static struct calibrate_round *best_of(const struct calibration_search *search)
{
    return &search->result->rounds[search->result->best];
}

/* One round. NULL if no such plan is possible, or the observation failed. */
static const struct calibrate_round *try(struct calibration_search *search, const struct plan_tuning *tuning)
{
    struct calibrate_result *result = search->result;
    struct calibrate_round *round = &result->rounds[result->count];
    *round = (struct calibrate_round){.tuning = *tuning};
    enum status status = search->look(search->context, tuning, &round->seen, search->error);
    round->refused = status == STATUS_RECIPE;
    if (status != STATUS_OK && !round->refused) {
        search->status = status;
        return NULL;
    }
    result->count++;
    search->passed = !round->refused && all_pass(&round->seen);
    if (search->passed || distance(round) < distance(best_of(search)))
        result->best = result->count - 1;
    return round->refused ? NULL : round;
}

/* ---- depth ---- */

/* The distance of the machine from its aims, for the worst of the caches' rates; above 0 with too few
 * misses. */
static double fault_of(const struct calibrate_round *round)
{
    double fault = 0;
    for (size_t i = 0; i < round->seen.count; i++) {
        const struct calibrate_rate *rate = &round->seen.rates[i];
        double off = aim_of(&round->tuning, rate) - rate->value;
        if (is_of_caches(rate) && rate->verdict != VERDICT_PASS && fabs(off) > fabs(fault))
            fault = off;
    }
    return fault;
}

static bool nothing_misses(const struct calibrate_round *round)
{
    for (size_t i = 0; i < round->seen.count; i++) {
        const struct calibrate_rate *rate = &round->seen.rates[i];
        if (is_of_caches(rate) && rate->value < NOTHING * aim_of(&round->tuning, rate))
            return true;
    }
    return false;
}

/* The next depth in the table; 0 at its end. */
static double next_depth(double depth)
{
    for (size_t i = 0; i < DEPTHS; i++)
        if (depths[i] > depth)
            return depths[i];
    return 0;
}

static bool is_exact(const struct calibrate_seen *seen)
{
    for (size_t i = 0; i < seen->count; i++)
        if (seen->rates[i].low != seen->rates[i].high)
            return false;
    return true;
}

/* A depth that only just passes now may fail later: one step deeper is chosen if that passes too. A depth
 * known from another plan was chosen this way already. */
static void add_margin(struct calibration_search *search, double known_depth)
{
    struct calibrate_result *result = search->result;
    const struct calibrate_round *passed = best_of(search);
    size_t index = result->best;
    struct plan_tuning tuning = passed->tuning;
    bool needed = tuning.depth > OWN_DEPTH && tuning.depth != known_depth && !is_exact(&passed->seen);
    tuning.depth = next_depth(tuning.depth);
    if (!needed || tuning.depth == 0 || result->count == CALIBRATE_ROUNDS)
        return;
    (void)try(search, &tuning);
    if (!search->passed)
        result->best = index;
    search->passed = true;
}

/* Eviction sets that are too large spill out of the next cache or of the TLB, and time cannot distinguish
 * this from misses: the plan's own depth is tried at once. Returns NULL under the same conditions as try. */
static const struct calibrate_round *come_up(struct calibration_search *search)
{
    const struct calibrate_round *best = best_of(search);
    struct plan_tuning tuning = best->tuning;
    if (fault_of(best) >= -FAULT || depth_of(&tuning) <= OWN_DEPTH || is_over(search))
        return best;
    tuning.depth = OWN_DEPTH;
    return try(search, &tuning);
}

/* Goes deeper while the machine comes closer to its aims, or while nothing misses at all. */
static void move_depth(struct calibration_search *search, double known_depth)
{
    const struct calibrate_round *nearest = come_up(search);
    const struct calibrate_round *last = nearest;
    unsigned flat = 0;
    while (last != NULL && !is_over(search) && flat < MOST_FLAT && fault_of(last) > FAULT) {
        struct plan_tuning tuning = nearest->tuning;
        double depth = depth_of(&last->tuning);
        bool jump = known_depth > depth && last == nearest;
        tuning.depth = jump ? known_depth : next_depth(depth);
        if (tuning.depth == 0)
            return;
        last = try(search, &tuning);
        if (last == NULL)
            return;
        if (search->passed)
            add_margin(search, known_depth);
        bool better = fabs(fault_of(last)) < (1 - BETTER) * fabs(fault_of(nearest));
        flat = better || nothing_misses(last) ? 0 : flat + 1;
        nearest = better ? last : nearest;
    }
}

/* ---- aims ---- */

/* The observed value of a rate at an aim. */
struct answer {
    bool known;
    double aim, value;
};

/* Observations of one rate at one depth: the nearest on both sides of the target, and the next ones beyond
 * them. */
struct bracket {
    struct answer below, above, below_next, above_next;
};

static void note(struct answer *nearest, struct answer *next, struct answer seen, double target)
{
    if (nearest->known && fabs(nearest->aim - seen.aim) < AIM_STEP / 2) {
        nearest->value = (nearest->value + seen.value) / 2; /* a repetition */
        return;
    }
    if (!nearest->known || fabs(seen.value - target) < fabs(nearest->value - target)) {
        *next = *nearest;
        *nearest = seen;
    } else if (!next->known || fabs(seen.value - target) < fabs(next->value - target)) {
        *next = seen;
    }
}

static struct bracket find_bracket(const struct calibrate_result *result, enum tuning_rate which,
                                   double depth)
{
    struct bracket bracket = {{false, 0, 0}, {false, 0, 0}, {false, 0, 0}, {false, 0, 0}};
    for (size_t i = 0; i < result->count; i++) {
        const struct calibrate_round *round = &result->rounds[i];
        for (size_t k = 0; k < round->seen.count && !round->refused; k++) {
            const struct calibrate_rate *rate = &round->seen.rates[k];
            struct answer seen = {true, aim_of(&round->tuning, rate), rate->value};
            if (rate->rate != which || depth_of(&round->tuning) != depth)
                continue;
            if (rate->value < rate->target)
                note(&bracket.below, &bracket.below_next, seen, rate->target);
            else
                note(&bracket.above, &bracket.above_next, seen, rate->target);
        }
    }
    return bracket;
}

/* Extrapolates: along the line through the last two observations, or as if the rate equalled its aim. */
static double step_out(struct answer nearest, struct answer next, double target)
{
    double slope = 1;
    if (next.known && next.aim != nearest.aim)
        slope = (nearest.value - next.value) / (nearest.aim - next.aim);
    slope = fmin(fmax(slope, LEAST_SLOPE), MOST_SLOPE);
    return nearest.aim + (target - nearest.value) / slope;
}

/* True if the aim was already tried at this depth. */
static bool aim_tried(const struct calibrate_result *result, enum tuning_rate which, double depth, double aim)
{
    for (size_t i = 0; i < result->count; i++) {
        const struct calibrate_round *round = &result->rounds[i];
        for (size_t k = 0; k < round->seen.count; k++)
            if (round->seen.rates[k].rate == which && depth_of(&round->tuning) == depth &&
                fabs(aim_of(&round->tuning, &round->seen.rates[k]) - aim) < AIM_STEP / 2)
                return true;
    }
    return false;
}

/* The middle of the widest gap between two tried aims in the bracket. Used when a noisy observation leads
 * back to an aim that was tried. */
static double middle_of_gap(const struct calibrate_result *result, enum tuning_rate which, double depth,
                            const struct bracket *bracket)
{
    double low = fmin(bracket->below.aim, bracket->above.aim);
    double high = fmax(bracket->below.aim, bracket->above.aim);
    double widest = 0;
    double middle = low;
    double before = low;
    for (double aim = low; aim < high + AIM_STEP / 2; aim += AIM_STEP) {
        if (!aim_tried(result, which, depth, aim))
            continue;
        if (aim - before > widest) {
            widest = aim - before;
            middle = (aim + before) / 2;
        }
        before = aim;
    }
    return middle;
}

static double next_aim(const struct bracket *bracket, double target)
{
    struct answer below = bracket->below;
    struct answer above = bracket->above;
    if (!below.known || !above.known) {
        struct answer nearest = below.known ? below : above;
        return step_out(nearest, below.known ? bracket->below_next : bracket->above_next, target);
    }
    if (below.aim >= above.aim) /* noise, or a rate that falls as its aim rises */
        return (below.aim + above.aim) / 2;
    double part = (target - below.value) / (above.value - below.value);
    part = fmin(fmax(part, BRACKET_EDGE), 1 - BRACKET_EDGE);
    return below.aim + part * (above.aim - below.aim);
}

/* The interval is too wide to decide: it covers both the target and a limit of the tolerance. */
static bool is_blurred(const struct calibrate_rate *rate)
{
    return rate->verdict == VERDICT_INCONCLUSIVE &&
           fabs(rate->value - rate->target) <= (rate->high - rate->low) / 2;
}

static bool was_tried(const struct calibrate_result *result, const struct plan_tuning *tuning)
{
    for (size_t i = 0; i < result->count; i++)
        if (tuning_same(&result->rounds[i].tuning, tuning))
            return true;
    return false;
}

/* The next aims of the rates that do not pass. False if nothing new is left to try. */
static bool move_aims(struct calibration_search *search, struct plan_tuning *tuning)
{
    const struct calibrate_round *best = best_of(search);
    double depth = depth_of(&best->tuning);
    *tuning = best->tuning;
    for (size_t i = 0; i < best->seen.count; i++) {
        const struct calibrate_rate *rate = &best->seen.rates[i];
        bool fixed = rate->target <= 0 || rate->target >= tuning_most(rate->rate);
        if (rate->verdict == VERDICT_PASS || is_blurred(rate) || fixed)
            continue;
        struct bracket bracket = find_bracket(search->result, rate->rate, depth);
        double aim = in_steps(next_aim(&bracket, rate->target));
        bool enclosed = bracket.below.known && bracket.above.known;
        if (enclosed && aim_tried(search->result, rate->rate, depth, aim))
            aim = in_steps(middle_of_gap(search->result, rate->rate, depth, &bracket));
        tuning->aimed[rate->rate] = true;
        tuning->aim[rate->rate] = fmin(fmax(aim, 0), tuning_most(rate->rate));
    }
    return !was_tried(search->result, tuning);
}

static bool only_blurred(const struct calibrate_seen *seen)
{
    for (size_t i = 0; i < seen->count; i++)
        if (seen->rates[i].verdict != VERDICT_PASS && !is_blurred(&seen->rates[i]))
            return false;
    return true;
}

/* Moves the aims halfway back to the best round's, because no plan was possible with them. */
static void go_halfway(const struct calibration_search *search, struct plan_tuning *tuning)
{
    const struct calibrate_round *best = best_of(search);
    for (size_t i = 0; i < best->seen.count; i++) {
        enum tuning_rate rate = best->seen.rates[i].rate;
        double from = aim_of(&best->tuning, &best->seen.rates[i]);
        if (tuning->aimed[rate])
            tuning->aim[rate] = in_steps((tuning->aim[rate] + from) / 2);
    }
}

static void correct(struct calibration_search *search)
{
    while (!is_over(search)) {
        struct plan_tuning tuning;
        bool repeat = only_blurred(&best_of(search)->seen);
        if (repeat && search->repeats++ == MOST_REPEATS)
            return;
        if (!move_aims(search, &tuning) && !repeat)
            return;
        while (!is_over(search) && try(search, &tuning) == NULL) {
            go_halfway(search, &tuning);
            if (was_tried(search->result, &tuning))
                return;
        }
    }
}

/* ---- the whole calibration ---- */

static void conclude(struct calibration_search *search)
{
    struct calibrate_result *result = search->result;
    const struct calibrate_round *best = best_of(search);
    const struct calibrate_rate *worst = worst_of(&best->seen);
    if (worst != NULL)
        result->worst = *worst;
    result->end = search->passed              ? CALIBRATE_REACHED
                  : worst == NULL             ? CALIBRATE_UNSEEN
                  : only_blurred(&best->seen) ? CALIBRATE_WITHIN_NOISE
                                              : CALIBRATE_UNREACHABLE;
}

/* Observes the first tuning again: other load on the machine may have disturbed it, and the plan must not be
 * adjusted to that. */
static void look_again(struct calibration_search *search)
{
    const struct calibrate_round *first = best_of(search);
    for (size_t i = 0; i < first->seen.count; i++) {
        const struct calibrate_rate *rate = &first->seen.rates[i];
        if (rate->verdict != VERDICT_PASS &&
            (rate->low == rate->high || fabs(rate->value - rate->target) > DOUBTFUL))
            return;
    }
    const struct plan_tuning again = first->tuning;
    (void)try(search, &again);
}

enum status calibrate(const struct calibrate_start *start, calibrate_look *look, void *context,
                      struct calibrate_result *result, struct error *error)
{
    const struct plan_tuning none = {0};
    memset(result, 0, sizeof *result);
    result->rounds[0].refused = true; /* until there is a better one */
    struct calibration_search search = {.look = look, .context = context, .result = result, .error = error};
    const struct calibrate_round *first = try(&search, &start->tuning);
    if (first == NULL && search.status == STATUS_OK && tuning_is_set(&start->tuning))
        first = try(&search, &none);
    if (first == NULL)
        return search.status == STATUS_OK ? STATUS_RECIPE : search.status;
    if (first->seen.count > 0 && !search.passed) {
        look_again(&search);
        move_depth(&search, start->known_depth);
        correct(&search);
    }
    conclude(&search);
    return search.status;
}

/* The silicon side if it has an observation, else the code side. */
static enum verdict verdict_of(const struct result_rate *rate)
{
    return rate->has_silicon ? rate->silicon : rate->has_code ? rate->code : rate->verdict;
}

void calibrate_rates(const struct result_rates *judged, const char *source, struct calibrate_seen *seen)
{
    seen->count = 0;
    for (int rate = 0; rate < TUNING_RATES; rate++) {
        const struct result_rate *found = result_rates_find(judged, tuning_metric((enum tuning_rate)rate));
        if (found == NULL || isnan(found->target))
            continue;
        for (size_t i = 0; i < found->seen.count; i++) {
            const struct observation *one = &found->seen.items[i];
            if (strcmp(one->source, source) != 0)
                continue;
            seen->rates[seen->count++] = (struct calibrate_rate){.rate = (enum tuning_rate)rate,
                                                                 .target = found->target,
                                                                 .value = one->value,
                                                                 .low = one->low,
                                                                 .high = one->high,
                                                                 .verdict = verdict_of(found)};
            break;
        }
    }
}
