#include "runner/devices/l2_sides.h"

#include "base/memory.h"
#include "base/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ITERATIONS = 60 };

/* The minimum for two sides: far pairs take a tenth longer, nine pairs of ten agree, and each side has a
 * tenth of the chunks. */
static const double LEAST_RATIO = 1.1;
static const double LEAST_AGREEMENT = 0.9;
static const double LEAST_SHARE = 0.1;

static double *room(size_t count)
{
    double *numbers = memory_zeroed(count + 1, sizeof *numbers);
    return numbers;
}

/* Ticks without the parts common to their multiprocessor and to their chunk: the distance to a slice of L2
 * varies too, but not by side. */
static double *residuals(const double *ticks, size_t sms, size_t chunks)
{
    double *rest = room(sms * chunks);
    double *of_sm = room(sms);
    double *of_chunk = room(chunks);
    double all = 0;
    for (size_t i = 0; i < sms * chunks; i++) {
        of_sm[i / chunks] += ticks[i] / (double)chunks;
        of_chunk[i % chunks] += ticks[i] / (double)sms;
        all += ticks[i] / (double)(sms * chunks);
    }
    for (size_t i = 0; i < sms * chunks; i++)
        rest[i] = ticks[i] - of_sm[i / chunks] - of_chunk[i % chunks] + all;
    free(of_sm);
    free(of_chunk);
    return rest;
}

static void scale_to_one(double *numbers, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += numbers[i] * numbers[i];
    for (size_t i = 0; sum > 0 && i < count; i++)
        numbers[i] /= sqrt(sum);
}

/* The first principal component, of multiprocessors (u) and of chunks (v), by power iteration. */
static void find_component(const double *rest, size_t sms, size_t chunks, double *u, double *v)
{
    for (size_t s = 0; s < sms; s++)
        u[s] = s == 0 ? 1 : 1e-3 * (double)(s % 7);
    for (int i = 0; i < ITERATIONS; i++) {
        memset(v, 0, chunks * sizeof *v);
        for (size_t k = 0; k < sms * chunks; k++)
            v[k % chunks] += rest[k] * u[k / chunks];
        scale_to_one(v, chunks);
        memset(u, 0, sms * sizeof *u);
        for (size_t k = 0; k < sms * chunks; k++)
            u[k / chunks] += rest[k] * v[k % chunks];
        scale_to_one(u, sms);
    }
}

static void choose_judges(const double *u, size_t sms, const unsigned char *sm_side,
                          struct sides_found *found)
{
    for (unsigned side = 0; side < 2; side++) {
        double last = INFINITY;
        found->judge_count[side] = 0;
        while (found->judge_count[side] < SIDES_JUDGES) {
            size_t best = sms;
            for (size_t s = 0; s < sms; s++)
                if (sm_side[s] == side && fabs(u[s]) < last && (best == sms || fabs(u[s]) > fabs(u[best])))
                    best = s;
            if (best == sms)
                break;
            found->judges[side][found->judge_count[side]++] = best;
            last = fabs(u[best]);
        }
    }
}

void sides_medians(const double *ticks, size_t sms, size_t chunks, const unsigned char *sm_side,
                   const unsigned char *chunk_side, double *near_ticks, double *far_ticks)
{
    double *same = room(sms * chunks);
    double *other = room(sms * chunks);
    size_t counts[2] = {0};
    for (size_t i = 0; i < sms * chunks; i++) {
        if (sm_side[i / chunks] == chunk_side[i % chunks])
            same[counts[0]++] = ticks[i];
        else
            other[counts[1]++] = ticks[i];
    }
    *near_ticks = stats_median(same, counts[0]);
    *far_ticks = stats_median(other, counts[1]);
    free(same);
    free(other);
}

/* Whether the two groups are really two sides. */
static enum status judge(const double *ticks, const double *rest, size_t sms, size_t chunks,
                         const unsigned char *sm_side, const unsigned char *chunk_side,
                         struct sides_found *found, struct error *error)
{
    size_t agree = 0;
    size_t ones = 0;
    for (size_t i = 0; i < sms * chunks; i++)
        agree += (rest[i] > 0) == (sm_side[i / chunks] != chunk_side[i % chunks]);
    for (size_t i = 0; i < chunks; i++)
        ones += chunk_side[i];
    double share = (double)ones / (double)chunks;
    found->agreement = (double)agree / (double)(sms * chunks);
    bool two = found->judge_count[0] > 0 && found->judge_count[1] > 0 && share >= LEAST_SHARE &&
               share <= 1 - LEAST_SHARE && found->agreement >= LEAST_AGREEMENT &&
               found->far_ticks >= LEAST_RATIO * found->near_ticks;
    if (two)
        return STATUS_OK;
    if (found->judge_count[1] == 0 || ones == 0 || ones == chunks)
        error_set(error, STATUS_UNAVAILABLE,
                  "near and far L2 cannot be told apart on this device: all multiprocessors take about %.0f "
                  "ticks to all chunks",
                  stats_median(ticks, sms * chunks));
    else
        error_set(
            error, STATUS_UNAVAILABLE,
            "near and far L2 cannot be told apart on this device: at best %.0f and %.0f ticks, of which "
            "%.0f %% of the pairs of multiprocessor and chunk agree; %.0f %% of the chunks are on one side",
            found->near_ticks, found->far_ticks, 100 * found->agreement, 100 * fmax(share, 1 - share));
    error_hint(error, "other work on the GPU disturbs this measurement; an L2 of one part has no sides");
    return STATUS_UNAVAILABLE;
}

enum status sides_split(const double *ticks, size_t sms, size_t chunks, unsigned char *sm_side,
                        unsigned char *chunk_side, struct sides_found *found, struct error *error)
{
    *found = (struct sides_found){0};
    if (sms < 2 || chunks < 2)
        return error_set(error, STATUS_UNAVAILABLE,
                         "near and far L2 cannot be told apart by %zu multiprocessors and %zu chunks", sms,
                         chunks);
    double *rest = residuals(ticks, sms, chunks);
    double *u = room(sms);
    double *v = room(chunks);
    find_component(rest, sms, chunks, u, v);
    /* What is far from multiprocessor 0 is side 1; a pair is slow if both components have the same sign. */
    for (size_t s = 0; s < sms; s++)
        sm_side[s] = (u[s] < 0) != (u[0] < 0);
    for (size_t c = 0; c < chunks; c++)
        chunk_side[c] = (v[c] < 0) == (u[0] < 0);
    choose_judges(u, sms, sm_side, found);
    sides_medians(ticks, sms, chunks, sm_side, chunk_side, &found->near_ticks, &found->far_ticks);
    enum status status = judge(ticks, rest, sms, chunks, sm_side, chunk_side, found, error);
    free(rest);
    free(u);
    free(v);
    return status;
}

unsigned char sides_classify(const struct sides_found *found, const double mean[2], unsigned char unknown)
{
    double difference = mean[1] - mean[0];
    if (!(fabs(difference) >= (found->far_ticks - found->near_ticks) / 2))
        return unknown;
    return difference < 0;
}
