#include "model/access_energy/access_line.h"

#include "base/memory.h"
#include "model/fitting/algebra.h"

#include <math.h>
#include <stdlib.h>

/* If points are off a line by this many times their noise, the energy is not linear, and the errors grow by
 * the same factor. */
static const double FURTHER = 1.7;

/* The degrees of freedom of an idle level's error: many readings. */
static const double IDLE_FREEDOM = 100;

/* The variance of a point's own noise, above 0: the weights of computed values must stay finite. */
static double own_variance(const struct access_line *line, size_t which)
{
    double most = 0;
    for (size_t i = 0; i < line->count; i++)
        most = fmax(most, fabs(line->points[i].joules));
    return fmax(line->points[which].repetitions_j2 + line->points[which].idle_j2, pow(1e-9 * most, 2));
}

/* ---- residuals ---- */

/* Makes the vector orthogonal to those before it and scales it to length 1. False: it depends on them. */
static bool make_orthogonal(double *vectors, size_t which, size_t length)
{
    double *own = vectors + which * length;
    double size = 0;
    for (size_t round = 0; round < 2; round++)
        for (size_t k = 0; k < which; k++) {
            double common = 0;
            for (size_t i = 0; i < length; i++)
                common += own[i] * vectors[k * length + i];
            for (size_t i = 0; i < length; i++)
                own[i] -= common * vectors[k * length + i];
        }
    for (size_t i = 0; i < length; i++)
        size = hypot(size, own[i]);
    for (size_t i = 0; i < length; i++)
        own[i] /= size;
    return size > 1e-6;
}

/* Sets the residuals to independent combinations of the points, divided by their noise, that no line affects.
 * Returns their number, two fewer than the points. */
static size_t add_contrasts(const struct access_line *line, struct point_residual *residuals)
{
    size_t n = line->count;
    size_t found = 0;
    double *root = algebra_numbers(n + (n + 2) * n);
    double *vectors = root + n;
    for (size_t i = 0; i < n; i++) {
        root[i] = sqrt(own_variance(line, i));
        vectors[i] = 1 / root[i];
        vectors[n + i] = line->points[i].accesses / line->points[n - 1].accesses / root[i];
    }
    make_orthogonal(vectors, 0, n);
    make_orthogonal(vectors, 1, n);
    for (size_t k = 0; k < n && found + 2 < n; k++) {
        double *contrast = vectors + (found + 2) * n;
        struct point_residual residual = {.variance = 1, .freedom = 1};
        double off = 0;
        for (size_t i = 0; i < n; i++)
            contrast[i] = i == k;
        if (!make_orthogonal(vectors, found + 2, n))
            continue;
        for (size_t i = 0; i < n; i++) {
            off += contrast[i] * line->points[i].joules / root[i];
            residual.squared += pow(contrast[i] * line->points[i].whole_j / root[i], 2);
        }
        residual.off = off * off;
        residuals[found++] = residual;
    }
    free(root);
    return found;
}

struct point_error access_lines_error(const struct access_line *lines, size_t count, double assumed)
{
    size_t most = 1;
    size_t found = 0;
    for (size_t i = 0; i < count; i++)
        most += lines[i].count;
    struct point_residual *residuals = memory_zeroed(most, sizeof *residuals);
    for (size_t i = 0; i < count; i++)
        found += add_contrasts(&lines[i], residuals + found);
    struct point_error error = point_error_of(residuals, found, assumed);
    free(residuals);
    return error;
}

/* ---- one line ---- */

/* Weighted sums over the points; accesses relative to those of the last point. */
struct sums {
    double s, sx, sxx, sy, sxy, scale;
};

static double variance_of(const struct access_line *line, size_t which, const struct point_error *error)
{
    return own_variance(line, which) + pow(error->share * line->points[which].whole_j, 2);
}

static struct sums sum_up(const struct access_line *line, const struct point_error *error)
{
    struct sums sums = {.scale = line->points[line->count - 1].accesses};
    for (size_t i = 0; i < line->count; i++) {
        double weight = 1 / variance_of(line, i, error);
        double x = line->points[i].accesses / sums.scale;
        sums.s += weight;
        sums.sx += weight * x;
        sums.sxx += weight * x * x;
        sums.sy += weight * line->points[i].joules;
        sums.sxy += weight * x * line->points[i].joules;
    }
    return sums;
}

/* Degrees of freedom of the variance of the slope or the constant, which has several parts (Satterthwaite
 * 1946). */
static double freedom_of(const struct access_line *line, const struct point_error *error,
                         const struct sums *sums, bool slope)
{
    double determinant = sums->s * sums->sxx - sums->sx * sums->sx;
    double parts[3] = {0};
    for (size_t i = 0; i < line->count; i++) {
        const struct access_point *point = &line->points[i];
        double x = point->accesses / sums->scale;
        double moves = (slope ? sums->s * x - sums->sx : sums->sxx - sums->sx * x) / determinant /
                       variance_of(line, i, error);
        parts[0] += moves * moves * point->repetitions_j2;
        parts[1] += moves * moves * point->idle_j2;
        parts[2] += moves * moves * pow(error->share * point->whole_j, 2);
    }
    double own = parts[0] + parts[1];
    double over = pow(parts[0], 2) / fmax(1, line->freedom) + pow(parts[1], 2) / IDLE_FREEDOM;
    double of_own = over > 0 ? own * own / over : IDLE_FREEDOM;
    return own + parts[2] > 0 ? point_error_freedom(*error, own, of_own, parts[2]) : IDLE_FREEDOM;
}

static double r2_of(const struct access_line *line)
{
    double mean = 0;
    double about = 0;
    double off = 0;
    for (size_t i = 0; i < line->count; i++)
        mean += line->points[i].joules / (double)line->count;
    for (size_t i = 0; i < line->count; i++) {
        double predicted = line->delta.value + line->epsilon.value * line->points[i].accesses;
        about += pow(line->points[i].joules - mean, 2);
        off += pow(line->points[i].joules - predicted, 2);
    }
    return about > 0 ? 1 - off / about : 1;
}

void access_line_fit(struct access_line *line, const struct point_error *error)
{
    struct sums sums = sum_up(line, error);
    double determinant = sums.s * sums.sxx - sums.sx * sums.sx;
    double slope = (sums.s * sums.sxy - sums.sx * sums.sy) / determinant;
    double constant = (sums.sxx * sums.sy - sums.sx * sums.sxy) / determinant;
    double off = 0;
    for (size_t i = 0; i < line->count; i++) {
        const struct access_point *point = &line->points[i];
        off += pow(point->joules - constant - slope * point->accesses / sums.scale, 2) /
               variance_of(line, i, error);
    }
    double further = sqrt(off / (double)(line->count - 2));
    further = further < FURTHER ? 1 : further;
    size_t of_slope = (size_t)fmax(1, freedom_of(line, error, &sums, true));
    size_t of_constant = (size_t)fmax(1, freedom_of(line, error, &sums, false));
    line->epsilon = (struct least_estimate){slope / sums.scale,
                                            further * sqrt(sums.s / determinant) / sums.scale, of_slope};
    line->delta = (struct least_estimate){constant, further * sqrt(sums.sxx / determinant), of_constant};
    line->together = -further * further * sums.sx / determinant / sums.scale;
    line->r2 = r2_of(line);
}
