#include "model/interconnect_charts.h"

#include "model/chart.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A path's power above the shortest of its condition. */
struct difference {
    const struct interconnect_sample *far;
    double distance, watts;
};

struct differences {
    struct difference *items;
    size_t count;
};

static const struct interconnect_sample *shortest(const struct interconnect_samples *means, size_t condition)
{
    const struct interconnect_sample *least = NULL;
    for (size_t i = 0; i < means->count; i++)
        if (means->items[i].condition == condition &&
            (least == NULL || means->items[i].distance < least->distance))
            least = &means->items[i];
    return least;
}

static struct differences differences_of(const struct interconnect_samples *means)
{
    struct differences made = {calloc(means->count + 1, sizeof *made.items), 0};
    if (made.items == NULL)
        abort();
    for (size_t i = 0; i < means->count; i++) {
        const struct interconnect_sample *far = &means->items[i];
        const struct interconnect_sample *near = shortest(means, far->condition);
        if (far->distance > near->distance)
            made.items[made.count++] =
                (struct difference){far, far->distance - near->distance, far->watts - near->watts};
    }
    return made;
}

static struct interval exact(double value)
{
    return (struct interval){value, value, value, 1};
}

/* W for each mm, or path, at full bandwidth and the reference state. */
static double rate_of(const struct difference *one)
{
    return one->watts / (one->distance * one->far->share * one->far->scale);
}

static const char *unit_of(const struct interconnect_samples *samples, const char *mm, const char *paths)
{
    return samples->mm ? mm : paths;
}

/* A line for each condition with three distances or more. */
static void draw_distances(const struct interconnect_samples *samples, const struct differences *all,
                           json_t *document)
{
    json_t *chart =
        chart_add(document, "Power over distance", "above the shortest path", "points",
                  unit_of(samples, "Distance (mm)", "Distance (paths)"), "Interconnect power (W)");
    for (size_t i = 0; i < all->count; i++) {
        size_t same = 0;
        char label[48];
        for (size_t j = 0; j < all->count; j++)
            same += all->items[j].far->condition == all->items[i].far->condition &&
                    all->items[j].distance != all->items[i].distance;
        snprintf(label, sizeof label, "toggle rate %.3g", all->items[i].far->toggle);
        if (same > 0)
            chart_sample(chart, label, all->items[i].distance, exact(all->items[i].watts));
    }
}

/* What a difference has on x: share of the peak, or f V^2. */
static double share_of(const struct difference *one)
{
    return one->far->share;
}

static double scale_of(const struct difference *one)
{
    return one->far->scale;
}

/* The samples that are at more than one value of x, all else of them at its most: full bandwidth, or the
 * reference state. By toggle rate. */
static void draw_over(const struct differences *all, double (*x)(const struct difference *one),
                      double (*fixed)(const struct difference *one), const char *title, const char *axis,
                      json_t *document)
{
    json_t *chart =
        chart_add(document, title, "long path above short", "points", axis, "Interconnect power (W)");
    double most = 0;
    bool several = false;
    for (size_t i = 0; i < all->count; i++) {
        most = fmax(most, fixed(&all->items[i]));
        several = several || fabs(x(&all->items[i]) / x(&all->items[0]) - 1) > 0.01;
    }
    for (size_t i = 0; several && i < all->count; i++) {
        char label[48];
        snprintf(label, sizeof label, "toggle rate %.3g", all->items[i].far->toggle);
        if (fixed(&all->items[i]) > 0.99 * most)
            chart_sample(chart, label, x(&all->items[i]), exact(all->items[i].watts));
    }
}

/* At full bandwidth and the reference state, of the largest share that a pattern was measured at. */
static void draw_patterns(const struct interconnect_samples *samples, const struct differences *all,
                          json_t *document)
{
    json_t *chart =
        chart_add(document, "Power by data pattern", "scaled to full bandwidth and the reference state",
                  "bars", "", unit_of(samples, "Interconnect power (W/mm)", "Interconnect power (W/path)"));
    for (size_t i = 0; i < all->count; i++) {
        const char *pattern = all->items[i].far->pattern;
        double sum = 0;
        size_t count = 0;
        bool first = true;
        for (size_t j = 0; j < all->count; j++) {
            if (strcmp(all->items[j].far->pattern, pattern) != 0)
                continue;
            first = first && j >= i;
            sum += rate_of(&all->items[j]);
            count++;
        }
        if (pattern[0] != '\0' && first)
            chart_bar(chart, "", pattern, exact(sum / (double)count));
    }
}

void interconnect_draw_toggles(const struct interconnect_samples *samples, json_t *chart)
{
    struct interconnect_samples means = interconnect_means(samples);
    struct differences all = differences_of(&means);
    for (size_t i = 0; i < all.count; i++)
        chart_sample(chart, "measured", all.items[i].far->toggle, exact(rate_of(&all.items[i])));
    free(all.items);
    interconnect_free(&means);
}

void interconnect_draw(const struct interconnect_samples *samples, json_t *document)
{
    struct interconnect_samples means = interconnect_means(samples);
    struct differences all = differences_of(&means);
    draw_distances(samples, &all, document);
    draw_patterns(samples, &all, document);
    draw_over(&all, share_of, scale_of, "Power over bandwidth", "Share of peak bandwidth", document);
    draw_over(&all, scale_of, share_of, "Power over states of voltage and frequency",
              "f V² over that of the reference", document);
    free(all.items);
    interconnect_free(&means);
}
