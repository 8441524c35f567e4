#include "generator/plan/code/code_share.h"

#include "base/rational.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A period divides 100, so that rates hold over every hundred passes (DESIGN.md section 3). */
static const unsigned periods[] = {1, 2, 4, 5, 10, 20, 25, 50, 100};
enum { PERIOD_COUNT = sizeof periods / sizeof periods[0], MOST_RUN = 64, MOST_CLASSES = 64 };

static const double EXACT = 1e-9;

/* Chunks of one length. */
struct class
{
    unsigned lines;
    unsigned count;
};

/* The possible sums of chunks outside a run. */
struct share_sums {
    struct class classes[MOST_CLASSES];
    size_t class_count;
    unsigned total;
    unsigned least; /* the fewest lines, in whole chunks, that can overflow a set */
    int *needed;    /* [class_count][total + 1]: chunks of the class in a sum; -1: there is no such sum */
};

static void add_class(struct share_sums *sums, unsigned lines)
{
    size_t i = 0;
    sums->total += lines;
    while (i < sums->class_count && sums->classes[i].lines != lines)
        i++;
    if (i == MOST_CLASSES)
        return;
    if (i == sums->class_count)
        sums->classes[sums->class_count++] = (struct class){lines, 0};
    sums->classes[i].count++;
}

/* Sums of this class and all earlier ones. */
static void fill_class(struct share_sums *sums, size_t index)
{
    const struct class *class = &sums->classes[index];
    size_t width = (size_t)sums->total + 1;
    int *row = sums->needed + index * width;
    const int *before = index == 0 ? NULL : row - width;
    for (size_t sum = 0; sum < width; sum++) {
        row[sum] = -1;
        if (index == 0 ? sum == 0 : before[sum] >= 0)
            row[sum] = 0;
        else if (sum >= class->lines && row[sum - class->lines] >= 0 &&
                 row[sum - class->lines] < (int)class->count)
            row[sum] = row[sum - class->lines] + 1;
    }
}

/* Longest chunks first: shorter ones fill the rest. */
static int by_lines(const void *a, const void *b)
{
    unsigned x = ((const struct class *)a)->lines;
    unsigned y = ((const struct class *)b)->lines;
    return (x < y) - (x > y);
}

static void find_sums(const unsigned *lines, size_t count, size_t run, unsigned ways, struct arena *arena,
                      struct share_sums *sums)
{
    memset(sums, 0, sizeof *sums);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || i > run)
            add_class(sums, lines[i]);
    qsort(sums->classes, sums->class_count, sizeof *sums->classes, by_lines);
    sums->least = sums->total + 1;
    for (size_t i = 0; i < sums->class_count; i++) {
        unsigned lines_needed = sums->classes[i].lines * (ways + 1);
        if (sums->classes[i].count > ways && lines_needed < sums->least)
            sums->least = lines_needed;
    }
    sums->needed = arena_alloc(arena, sums->class_count * ((size_t)sums->total + 1), sizeof *sums->needed);
    for (size_t i = 0; i < sums->class_count; i++)
        fill_class(sums, i);
}

static bool reaches(const struct share_sums *sums, double misses)
{
    if (misses == 0)
        return true;
    if (misses < sums->least || misses > sums->total)
        return false;
    size_t width = (size_t)sums->total + 1;
    return sums->needed[(sums->class_count - 1) * width + (size_t)misses] >= 0;
}

/* The list so far. */
struct share_list {
    struct code_share *shares;
    size_t count;
    unsigned lines; /* of a pass */
    double rate;
    double off_by; /* shares further from the rate are not listed */
    double *nearest;
};

static double reached(const struct share_list *list, const struct code_share *share)
{
    return ((double)share->misses * share->period + (double)share->run_lines * share->moves) /
           ((double)list->lines * share->period);
}

/* Keeps the list sorted by cost; drops the most expensive when full. */
static void insert(struct share_list *list, const struct code_share *share)
{
    size_t place = list->count;
    while (place > 0 && list->shares[place - 1].cost > share->cost)
        place--;
    if (place == CODE_SHARES)
        return;
    size_t moved = (list->count < CODE_SHARES ? list->count : CODE_SHARES - 1) - place;
    memmove(&list->shares[place + 1], &list->shares[place], moved * sizeof *list->shares);
    list->shares[place] = *share;
    list->count += list->count < CODE_SHARES;
}

/* Judges a share; true if it should be listed. */
static bool judge(struct share_list *list, struct code_share *share)
{
    double rate = reached(list, share);
    share->off = fabs(rate - list->rate);
    if (share->off < fabs(*list->nearest - list->rate))
        *list->nearest = rate;
    share->cost = share->run == 0 ? 0 : 1 + 0.1 * log(share->period) + 0.02 * (double)share->run;
    share->cost += share->off <= EXACT ? 0 : 10;
    return share->off <= list->off_by;
}

/* Judges the share with each number of lines that always miss: what the rate leaves for them, none, and the
 * fewest possible; keeps the better ones, without and with such lines. */
static void judge_misses(struct share_list *list, const struct share_sums *sums, struct code_share share,
                         double rest, struct code_share best[2])
{
    const unsigned choices[] = {rest < 0.5 ? 0 : (unsigned)lround(rest), 0, sums->least};
    for (size_t i = 0; i < sizeof choices / sizeof choices[0]; i++) {
        struct code_share *better = &best[choices[i] > 0];
        share.misses = choices[i];
        if (reaches(sums, share.misses) && judge(list, &share) && share.cost < better->cost)
            *better = share;
    }
}

/* Lists, for a run and a period, the best share with lines that always miss and the best without. */
static void list_run(struct share_list *list, const struct share_sums *sums, size_t run, unsigned period)
{
    struct code_share best[2] = {{.cost = INFINITY}, {.cost = INFINITY}};
    unsigned run_lines = list->lines - sums->total;
    double wanted = list->rate * list->lines * period;
    for (unsigned moves = run == 0 ? 0 : 1; moves <= (run == 0 ? 0 : period); moves++) {
        const struct code_share share = {
            .run = run, .run_lines = run_lines, .moves = moves, .period = period};
        if (rational_gcd(moves, period) == 1)
            judge_misses(list, sums, share, (wanted - (double)run_lines * moves) / period, best);
    }
    for (size_t i = 0; i < 2; i++)
        if (isfinite(best[i].cost))
            insert(list, &best[i]);
}

size_t code_shares_list(const struct code_rate_request *request, struct code_share shares[CODE_SHARES],
                        double *nearest)
{
    struct rational meant = rational_of(request->rate);
    struct share_list list = {.shares = shares, .nearest = nearest};
    list.rate = (double)meant.numerator / (double)meant.denominator;
    list.off_by = request->within;
    for (size_t i = 0; i < request->count; i++)
        list.lines += request->lines[i];
    *nearest = 0; /* no line misses */
    struct arena arena = {0};
    size_t most = !request->copies || request->count < 2 ? 0 : request->count - 2;
    most = most > MOST_RUN ? MOST_RUN : most;
    for (size_t run = request->copies; run <= most; run++) {
        struct share_sums sums;
        find_sums(request->lines, request->count, run, request->ways, &arena, &sums);
        for (size_t i = 0; i < (run == 0 ? 1 : PERIOD_COUNT); i++)
            list_run(&list, &sums, run, periods[i]);
        arena_free(&arena);
    }
    return list.count;
}

bool code_share_choose(const unsigned *lines, size_t count, const struct code_share *share,
                       const size_t *order, bool *chosen, struct arena *arena)
{
    struct share_sums sums;
    find_sums(lines, count, share->run, 0, arena, &sums);
    memset(chosen, 0, count * sizeof *chosen);
    if (share->misses > sums.total)
        return false;
    size_t width = (size_t)sums.total + 1;
    unsigned left = share->misses;
    for (size_t class = sums.class_count; class -- > 0;) {
        int needed = sums.needed[class * width + left];
        if (needed < 0)
            return false;
        left -= (unsigned)needed * sums.classes[class].lines;
        for (size_t i = 0; i < count && needed > 0; i++) {
            size_t chunk = order[i];
            bool taken = lines[chunk] == sums.classes[class].lines && (chunk == 0 || chunk > share->run);
            chosen[chunk] = chosen[chunk] || taken;
            needed -= taken;
        }
    }
    return left == 0;
}
