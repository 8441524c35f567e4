#include "generator/plan/data/word_sequence.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Indices of sums of changes: at each distance, then in each further order, then at each port of several. */
enum {
    ORDER_SUMS = WORD_SEQUENCE_LAGS,
    PORT_SUMS = ORDER_SUMS + WORD_SEQUENCE_ORDERS,
    MOST_SUMS = PORT_SUMS + 9
};

/* A search ends when all distances and orders are within NEAR of the rate, and single ports within PORT_NEAR.
 * This leaves room for counts that a caller takes in other ways. */
static const double NEAR = 0.004, PORT_NEAR = 0.008;

/* Weights of the squared deviations: program order must be met exactly, the share of ones only nearly. */
static const double PROGRAM_WEIGHT = 64, TOTAL_WEIGHT = 8, ONES_WEIGHT = 0.05;

/* Steps of a search, steps without an improvement after which it stops, and the most searches, each from
 * other words. */
enum { STEPS = 10000, IDLE_STEPS = 2500, SEARCHES = 6 };

/* A sum's changes, its wanted changes, and the pairs of bits that it compares. */
struct sum {
    double changes, wanted, pairs;
};

struct word_search {
    const struct word_sequence *request;
    struct random *random;
    uint64_t *words;
    size_t room;
    unsigned *wires; /* [wire_count]: bits that may be one */
    unsigned wire_count;
    unsigned lags; /* 1: only program order */
    size_t orders;
    uint32_t *before[WORD_SEQUENCE_ORDERS]; /* which word each follows in a further order */
    struct sum sums[MOST_SUMS];
    double ones, wanted_ones;
};

static bool bit_of(const struct word_search *search, size_t word, unsigned wire)
{
    return search->words[word * search->room + wire / 64] >> wire % 64 & 1;
}

static void turn(struct word_search *search, size_t word, unsigned wire)
{
    search->words[word * search->room + wire / 64] ^= UINT64_C(1) << wire % 64;
}

/* ---- first words ---- */

static double most_changes(const struct word_sequence *request, unsigned wires)
{
    return (double)(request->count - request->count % 2) * wires;
}

/* The wanted changes in program order: an even number, because each wire returns to its first value. */
static double changes_wanted(const struct word_sequence *request, unsigned wires)
{
    double even = 2 * round(request->toggle * request->bits * (double)request->count / 2);
    return fmin(even, most_changes(request, wires));
}

/* The number of ones of a wire at which that share of all pairs of its words differ; for larger shares the
 * number at which most do. */
static double ones_for(double share, double count)
{
    double inner = 1 - 2 * share * (count - 1) / count;
    return count / 2 * (1 - sqrt(fmax(inner, 0)));
}

static double pair_share(double ones, double count)
{
    return count < 2 ? 0 : 2 * ones * (count - ones) / (count * (count - 1));
}

/* Sets that many ones of the wire, at random places. */
static void place_ones(struct word_search *search, unsigned wire, size_t ones, uint32_t *places)
{
    size_t count = search->request->count;
    for (size_t i = 0; i < ones; i++) {
        size_t other = i + random_below(search->random, (uint32_t)(count - i));
        uint32_t chosen = places[other];
        places[other] = places[i];
        places[i] = chosen;
        turn(search, chosen, wire);
    }
}

static void shuffle_wires(struct word_search *search)
{
    for (unsigned i = search->wire_count; i > 1; i--) {
        unsigned j = random_below(search->random, i);
        unsigned wire = search->wires[i - 1];
        search->wires[i - 1] = search->wires[j];
        search->wires[j] = wire;
    }
}

/* Chooses the first words: independent wires with the wanted shares of ones; for a rate above a half, wires
 * that alternate except at such ones. */
static void choose_first(struct word_search *search, uint32_t *places)
{
    size_t count = search->request->count;
    double wires = search->wire_count;
    double share = changes_wanted(search->request, search->wire_count) / ((double)count * wires);
    bool alternates = share > 0.5 && search->request->program_order;
    double rate = !alternates      ? share
                  : count % 2 == 0 ? 1 - share
                                   : (double)(count - 1) / (double)count - share;
    double ideal = ones_for(rate, (double)count);
    size_t few = (size_t)ideal;
    size_t many = few + 1 <= count / 2 ? few + 1 : few;
    double owed = 0, ones = 0;
    memset(search->words, 0, count * search->room * sizeof *search->words);
    shuffle_wires(search);
    for (unsigned i = 0; i < search->wire_count; i++) {
        owed += rate;
        double less = owed - pair_share((double)few, (double)count);
        double more = owed - pair_share((double)many, (double)count);
        bool takes = fabs(more) < fabs(less);
        size_t own = takes ? many : few;
        owed = takes ? more : less;
        own = 2 * ones > (double)i * (double)count ? own : count - own;
        ones += (double)own;
        for (size_t j = 0; j < count; j++)
            places[j] = (uint32_t)j;
        place_ones(search, search->wires[i], own, places);
        for (size_t j = 1; alternates && j < count; j += 2)
            turn(search, j, search->wires[i]);
    }
}

/* ---- sums ---- */

/* The sum of the port that transfers both the word and the lag-th word after it; NULL if that is in the next
 * round. */
static struct sum *port_sum(struct word_search *search, unsigned lag, size_t word)
{
    return lag == 1 || word + lag >= search->request->count
               ? NULL
               : &search->sums[PORT_SUMS + lag * (lag - 1) / 2 - 1 + word % lag];
}

/* Adds the change of the wire from the word to the lag-th after it. */
static void count_step(struct word_search *search, size_t word, unsigned lag, unsigned wire, double by)
{
    size_t after = (word + lag) % search->request->count;
    struct sum *port = port_sum(search, lag, word);
    if (bit_of(search, word, wire) == bit_of(search, after, wire))
        return;
    search->sums[lag - 1].changes += by;
    if (port != NULL)
        port->changes += by;
}

/* Adds to each sum, `by` times, the changes of the wire from the word's neighbours to it and from it to them.
 */
static void count_bit(struct word_search *search, size_t word, unsigned wire, double by)
{
    size_t count = search->request->count;
    bool own = bit_of(search, word, wire);
    for (unsigned lag = 1; lag <= search->lags; lag++) {
        count_step(search, (word + count * lag - lag) % count, lag, wire, by);
        count_step(search, word, lag, wire, by);
    }
    for (size_t i = 0; i < search->orders; i++) {
        struct sum *sum = &search->sums[ORDER_SUMS + i];
        sum->changes += own != bit_of(search, search->before[i][word], wire) ? by : 0;
        sum->changes += own != bit_of(search, search->request->orders[i].after[word], wire) ? by : 0;
    }
    search->ones += own ? by : 0;
}

static void count_all(struct word_search *search)
{
    const struct word_sequence *request = search->request;
    double share = changes_wanted(request, search->wire_count) / (double)request->count;
    for (size_t i = 0; i < MOST_SUMS; i++)
        search->sums[i] = (struct sum){0};
    search->ones = 0;
    for (size_t word = 0; word < request->count; word++) {
        for (unsigned lag = 1; lag <= search->lags; lag++) {
            struct sum *port = port_sum(search, lag, word);
            search->sums[lag - 1].pairs += lag % request->count != 0;
            if (port != NULL)
                port->pairs++;
        }
        for (size_t i = 0; i < search->orders; i++)
            search->sums[ORDER_SUMS + i].pairs++;
        for (unsigned i = 0; i < search->wire_count; i++)
            count_bit(search, word, search->wires[i], 0.5); /* each change is of two bits */
    }
    search->ones *= 2;
    for (size_t i = 0; i < MOST_SUMS; i++)
        search->sums[i].wanted = share * search->sums[i].pairs;
    search->wanted_ones = (double)request->count * search->wire_count / 2;
}

static double square(double value)
{
    return value * value;
}

static double weight_of(size_t sum)
{
    return sum == 0 ? PROGRAM_WEIGHT : sum < PORT_SUMS ? TOTAL_WEIGHT : 1;
}

static double cost_of(const struct word_search *search)
{
    double cost = ONES_WEIGHT * square(search->ones - search->wanted_ones) / (double)search->request->count;
    for (size_t i = 0; i < MOST_SUMS; i++) {
        const struct sum *sum = &search->sums[i];
        if (sum->pairs > 0)
            cost += weight_of(i) * square(sum->changes - sum->wanted) / sum->pairs;
    }
    return cost;
}

/* The largest deviation among the first `sums` sums, in multiples of its tolerance: 1 is near enough. Program
 * order must be exact. */
static double worst_of(const struct word_search *search, size_t sums)
{
    double off = fabs(search->sums[0].changes - search->sums[0].wanted), worst = 0;
    for (size_t i = 1; i < sums; i++) {
        const struct sum *sum = &search->sums[i];
        double near = (i < PORT_SUMS ? NEAR : PORT_NEAR) * sum->pairs * search->request->bits;
        if (sum->pairs > 0)
            worst = fmax(worst, fabs(sum->changes - sum->wanted) / near);
    }
    return off < 0.5 ? worst : 1 / NEAR + off;
}

/* ---- search ---- */

static void flip(struct word_search *search, size_t word, unsigned wire)
{
    count_bit(search, word, wire, -1);
    turn(search, word, wire);
    count_bit(search, word, wire, 1);
}

/* Exchanges a one and a zero of a wire, or flips one bit, and keeps the change if it lowers the cost. */
static void improve(struct word_search *search)
{
    double cost = cost_of(search);
    int improved = 0;
    for (int step = 0; step < STEPS && step < improved + IDLE_STEPS && worst_of(search, MOST_SUMS) > 1;
         step++) {
        unsigned wire = search->wires[random_below(search->random, search->wire_count)];
        size_t a = random_below(search->random, (uint32_t)search->request->count);
        size_t b = random_below(search->random, (uint32_t)search->request->count);
        bool single = bit_of(search, a, wire) == bit_of(search, b, wire);
        if (single && step % 4 != 0)
            continue;
        flip(search, a, wire);
        if (!single)
            flip(search, b, wire);
        double now = cost_of(search);
        if (now <= cost) {
            improved = now < cost ? step : improved;
            cost = now;
            continue;
        }
        flip(search, a, wire);
        if (!single)
            flip(search, b, wire);
    }
}

static void find_wires(struct word_search *search)
{
    const struct word_sequence *request = search->request;
    search->wires = memory_zeroed(request->bits, sizeof *search->wires);
    for (unsigned wire = 0; wire < request->bits; wire++)
        if (request->own == NULL || (request->own[wire / 64] >> wire % 64 & 1) != 0)
            search->wires[search->wire_count++] = wire;
}

static void find_before(struct word_search *search)
{
    size_t count = search->request->count;
    for (size_t i = 0; i < search->orders; i++) {
        search->before[i] = memory_zeroed(count, sizeof *search->before[i]);
        for (size_t word = 0; word < count; word++)
            search->before[i][search->request->orders[i].after[word]] = (uint32_t)word;
    }
}

void word_sequence_make(const struct word_sequence *request, struct random *random, uint64_t *words)
{
    size_t room = word_sequence_room(request->bits), size = request->count * room * sizeof *words;
    bool all = !request->program_order && request->count > 1;
    struct word_search search = {.request = request,
                                 .random = random,
                                 .words = memory_zeroed(request->count * room, sizeof *words),
                                 .room = room,
                                 .lags = all ? WORD_SEQUENCE_LAGS : 1,
                                 .orders = all ? request->order_count : 0};
    uint32_t *places = memory_zeroed(request->count, sizeof *places);
    double best = INFINITY;
    bool near = false;
    memset(words, 0, size);
    find_wires(&search);
    find_before(&search);
    for (int i = 0; i < SEARCHES && search.wire_count > 0 && !near; i++) {
        choose_first(&search, places);
        count_all(&search);
        improve(&search);
        double worst = worst_of(&search, MOST_SUMS);
        near = worst_of(&search, PORT_SUMS) <= 1; /* single ports of a few bits may never be */
        if (near || worst < best) {
            best = worst;
            memcpy(words, search.words, size);
        }
    }
    for (size_t i = 0; i < search.orders; i++)
        free(search.before[i]);
    free(search.wires);
    free(search.words);
    free(places);
}

void word_sequence_ring(const uint32_t *at, size_t count, uint32_t *after)
{
    for (size_t i = 0; i < count; i++)
        after[at[i]] = at[(i + 1) % count];
}
