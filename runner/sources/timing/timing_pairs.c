#include "runner/sources/timing/timing_pairs.h"

#include "base/memory.h"
#include "base/random.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PASSES = 3, SAMPLE = 16, TRIES = 3 };

/* If a larger share of the sample differs when timed alone, the other pairs disturb. */
static const double MOST_APART = 0.1;

/* ---- rounds ---- */

static int by_number(const void *a, const void *b)
{
    return (*(const int *)a > *(const int *)b) - (*(const int *)a < *(const int *)b);
}

/* The processors of all pairs, each once, in ascending order. Free with free. */
static int *list_cpus(const struct core_pair *pairs, size_t count, size_t *found)
{
    int *cpus = memory_zeroed(2 * count + 1, sizeof *cpus);
    for (size_t i = 0; i < count; i++)
        memcpy(&cpus[2 * i], pairs[i].cpus, sizeof pairs[i].cpus);
    qsort(cpus, 2 * count, sizeof *cpus, by_number);
    *found = 0;
    for (size_t i = 0; i < 2 * count; i++)
        if (i == 0 || cpus[i] != cpus[*found - 1])
            cpus[(*found)++] = cpus[i];
    return cpus;
}

static size_t place_of(const int *cpus, size_t count, int cpu)
{
    return (size_t)((const int *)bsearch(&cpu, cpus, count, sizeof *cpus, by_number) - cpus);
}

/* The round in which two of that many players meet: with an even number, the last player stays, and the
 * others rotate. */
static size_t meeting_of(size_t a, size_t b, size_t players)
{
    size_t rounds = players - 1 + players % 2, low = a < b ? a : b, high = a < b ? b : a;
    return players % 2 == 0 && high == rounds ? 2 * low % rounds : (low + high) % rounds;
}

static void arrange(struct timed_pairs *timed)
{
    size_t players, used = 0;
    int *cpus = list_cpus(timed->pairs, timed->count, &players);
    size_t all = players - 1 + players % 2;
    uint32_t *shuffled = memory_zeroed(all, sizeof *shuffled);
    size_t *meeting = memory_zeroed(timed->count, sizeof *meeting),
           *places = memory_zeroed(all + 1, sizeof *places);
    struct random random = random_start(timed->seed, "rounds of pairs");
    timed->order = memory_zeroed(timed->count, sizeof *timed->order);
    timed->begins = memory_zeroed(all + 1, sizeof *timed->begins);
    for (size_t i = 0; i < all; i++)
        shuffled[i] = (uint32_t)i;
    random_shuffle_numbers(&random, shuffled, all);
    for (size_t i = 0; i < timed->count; i++) {
        const int *own = timed->pairs[i].cpus;
        meeting[i] =
            shuffled[meeting_of(place_of(cpus, players, own[0]), place_of(cpus, players, own[1]), players)];
        places[meeting[i] + 1]++;
    }
    for (size_t i = 0; i < all; i++) {
        if (places[i + 1] > 0)
            timed->begins[++timed->rounds] = used + places[i + 1];
        used += places[i + 1];
        places[i + 1] = used;
    }
    for (size_t i = 0; i < timed->count; i++)
        timed->order[places[meeting[i]]++] = i;
    free(cpus);
    free(shuffled);
    free(meeting);
    free(places);
}

/* ---- the result of a pair's rounds ---- */

enum pair_finding { FOUND, DISTURBED, CONTRADICTS, FAILED };

static enum pair_finding judge(const struct turn_rounds *rounds, struct turn_time *time)
{
    double quartile, first, second;
    size_t half = rounds->count / 2;
    if (rounds->error.code != STATUS_OK) {
        time->withheld = rounds->error;
        return FAILED;
    }
    bool each = short_turns_agree(rounds->ns, half, &first);
    each = short_turns_agree(rounds->ns + half, rounds->count - half, &second) && each;
    bool contradict = each && fmax(first, second) > TURNS_AGREE * fmin(first, second);
    bool agree = short_turns_agree(rounds->ns, rounds->count, &quartile);
    if (!isfinite(quartile)) {
        error_set(&time->withheld, STATUS_UNAVAILABLE,
                  "the frequency of the programs' clock is not known here");
        return FAILED;
    }
    if (contradict && time->ns.n > 0)
        return DISTURBED;
    if (contradict) {
        error_set(&time->withheld, STATUS_UNAVAILABLE,
                  "withheld: in one half of its rounds a pass takes %.3g ns, in the other %.3g ns, each time",
                  first, second);
        return CONTRADICTS;
    }
    if (agree || time->ns.n == 0 || quartile < time->ns.value)
        time->ns = short_turns_value(rounds->ns, rounds->count, &agree);
    time->withheld = (struct error){.code = STATUS_OK};
    snprintf(time->doubt, sizeof time->doubt, "%s", agree ? "" : TURNS_DISTURBED);
    return agree ? FOUND : DISTURBED;
}

/* Times the wanted pairs of a round. Returns how many of them need more rounds. */
static size_t time_round(struct timed_pairs *timed, size_t round, bool *wanted)
{
    size_t begin = timed->begins[round], most = timed->begins[round + 1] - begin, count = 0, left = 0;
    struct core_pair *pairs = memory_zeroed(most, sizeof *pairs);
    struct turn_rounds *found = memory_zeroed(most, sizeof *found);
    for (size_t i = begin; i < begin + most; i++)
        if (wanted[timed->order[i]])
            pairs[count++] = timed->pairs[timed->order[i]];
    if (count > 0)
        timed->timer->time(timed->timer->context, pairs, count, found);
    for (size_t i = begin, at = 0; i < begin + most; i++) {
        size_t pair = timed->order[i];
        if (!wanted[pair])
            continue;
        enum pair_finding finding = judge(&found[at++], &timed->times[pair]);
        wanted[pair] = finding == DISTURBED || finding == CONTRADICTS;
        left += wanted[pair];
    }
    free(pairs);
    free(found);
    return left;
}

/* ---- company ---- */

static bool had_company(const struct timed_pairs *timed, const size_t *round_sizes, size_t pair)
{
    return timed->times[pair].withheld.code == STATUS_OK && timed->times[pair].doubt[0] == '\0' &&
           round_sizes[pair] > 1;
}

/* The pair's time alone, from a start whose rounds agree; NAN: all were disturbed. */
static double time_alone(const struct timed_pairs *timed, size_t pair)
{
    double quartile;
    for (int i = 0; i < TRIES; i++) {
        struct turn_rounds rounds = {.count = 0};
        timed->timer->time(timed->timer->context, &timed->pairs[pair], 1, &rounds);
        if (rounds.error.code == STATUS_OK && short_turns_agree(rounds.ns, rounds.count, &quartile))
            return quartile;
    }
    return NAN;
}

static void check_alone(struct timed_pairs *timed, size_t pair)
{
    struct turn_time *time = &timed->times[pair];
    double alone = time_alone(timed, pair);
    if (isnan(alone))
        return;
    timed->alone++;
    if (fmax(alone, time->ns.value) <= TURNS_AGREE * fmin(alone, time->ns.value))
        return;
    timed->apart++;
    snprintf(time->doubt, sizeof time->doubt, "alone its turns take %.3g times as long as beside other pairs",
             alone / time->ns.value);
}

/* Times a random sample alone. */
static void check_company(struct timed_pairs *timed)
{
    size_t count = 0, *sizes = memory_zeroed(timed->count, sizeof *sizes);
    uint32_t *chosen = memory_zeroed(timed->count, sizeof *chosen);
    struct random random = random_start(timed->seed, "pairs alone");
    for (size_t round = 0; round < timed->rounds; round++)
        for (size_t i = timed->begins[round]; i < timed->begins[round + 1]; i++)
            sizes[timed->order[i]] = timed->begins[round + 1] - timed->begins[round];
    for (size_t i = 0; i < timed->count; i++)
        if (had_company(timed, sizes, i))
            chosen[count++] = (uint32_t)i;
    random_shuffle_numbers(&random, chosen, count);
    for (size_t i = 0; i < count && i < SAMPLE; i++)
        check_alone(timed, chosen[i]);
    for (size_t i = 0; i < count && (double)timed->apart > MOST_APART * (double)timed->alone; i++)
        if (timed->times[chosen[i]].doubt[0] == '\0')
            snprintf(timed->times[chosen[i]].doubt, sizeof timed->times->doubt,
                     "of %zu pairs of a sample, %zu take another time alone than beside other pairs",
                     timed->alone, timed->apart);
    free(sizes);
    free(chosen);
}

/* ---- all ---- */

static size_t largest_round(const struct timed_pairs *timed)
{
    size_t largest = 0;
    for (size_t i = 0; i < timed->rounds; i++)
        if (timed->begins[i + 1] - timed->begins[i] > timed->begins[largest + 1] - timed->begins[largest])
            largest = i;
    return largest;
}

void timed_pairs_open(const struct core_pair *pairs, size_t count, uint64_t seed,
                      const struct pair_timer *timer, struct timed_pairs *timed)
{
    *timed = (struct timed_pairs){.timer = timer, .seed = seed, .pairs = pairs, .count = count};
    timed->times = memory_zeroed(count, sizeof *timed->times);
    arrange(timed);
    size_t round = largest_round(timed), size = timed->begins[round + 1] - timed->begins[round];
    bool *wanted = memory_zeroed(count, sizeof *wanted);
    struct turn_rounds unused;
    memset(wanted, true, count);
    double begin_s = timer->now_s(timer->context);
    size_t left = time_round(timed, round, wanted);
    double round_s = timer->now_s(timer->context) - begin_s;
    begin_s += round_s;
    if (size > 1)
        timer->time(timer->context, pairs, 1, &unused);
    double alone_s = timer->now_s(timer->context) - begin_s;
    double more_s = size > 1 ? fmax(0, round_s - alone_s) / (double)(size - 1) : 0; /* for each other pair */
    double again_s = left > 0 ? round_s - more_s * (double)(size - left) : 0;
    timed->estimated_s = (double)timed->rounds * (round_s + (PASSES - 1) * again_s) +
                         (size > 1 ? fmin(SAMPLE, (double)count) * alone_s : 0);
    memset(timed->times, 0, count * sizeof *timed->times);
    free(wanted);
}

void timed_pairs_measure(struct timed_pairs *timed)
{
    bool *wanted = memory_zeroed(timed->count, sizeof *wanted);
    size_t left = timed->count;
    memset(wanted, true, timed->count);
    for (int pass = 0; pass < PASSES && left > 0; pass++) {
        left = 0;
        for (size_t round = 0; round < timed->rounds; round++) {
            left += time_round(timed, round, wanted);
            if (pass == 0)
                timed->timer->progress(timed->timer->context, timed->begins[round + 1], timed->count);
        }
        timed->again = pass == 0 ? left : timed->again;
    }
    free(wanted);
    check_company(timed);
}

void timed_pairs_close(struct timed_pairs *timed)
{
    free(timed->times);
    free(timed->order);
    free(timed->begins);
}
