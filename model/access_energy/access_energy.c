/* The model "access-energy" (Delestrac et al. 2024, section III): at each level, E = accesses * epsilon +
 * delta over loops of different lengths. The level's epsilon is the least over the numbers of threads, as the
 * energy of waiting adds to it when threads are few. */
#include "base/memory.h"
#include "model/access_energy/access_line.h"
#include "model/chart.h"
#include "model/data/dataset.h"
#include "model/data/point_clock.h"
#include "model/data/pooled.h"
#include "model/fitting/form.h"
#include "model/fitting/least.h"
#include "model/fitting/point_error.h"
#include "model/fitting/squeeze.h"
#include "model/model.h"
#include "runner/results/recorded_machine.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The operation that the sweep puts beside each load, as a parameter of its name. */
struct access_beside {
    const char *operation; /* "div"; NULL: no such parameter */
    double count;          /* per load; 0: none */
};

/* The names of these parameters. */
static const char *const operations[] = {"add",  "sub",  "xor",  "mul",   "shift", "div",
                                         "fadd", "fmul", "fdiv", "fsqrt", "fma"};

static struct access_beside access_beside_of(const struct dataset_row *row)
{
    for (size_t i = 0; i < sizeof operations / sizeof operations[0]; i++) {
        double count = result_parameter(row->point, operations[i]);
        if (isfinite(count))
            return (struct access_beside){operations[i], count};
    }
    return (struct access_beside){NULL, 0};
}

/* The members of the document that only this model has: energies of operations, and the lines. blocks NAN:
 * unknown. */
struct access_row {
    const char *operation, *level;
    double threads;
    struct interval joules;
    double blocks;
};

struct access_fit {
    const char *level;
    double threads;
    size_t rows;
    struct interval epsilon, delta;
    double r2, blocks;
    struct access_beside beside;
};

struct access_own {
    struct access_row *operations;
    size_t operation_count;
    struct access_fit *lines;
    size_t line_count;
};

/* The ratio of threads' loads to accesses at that level; 1 if the results do not contain it. */
static double access_sharing(const struct dataset_row *row, const char *level)
{
    const struct result_values *pass = &row->point->per_pass;
    char loads[32];
    char transfers[32];
    snprintf(loads, sizeof loads, "accesses.%s", level);
    snprintf(transfers, sizeof transfers, "transfers.%s", level);
    double sharing = result_value(pass, loads).value / result_value(pass, transfers).value;
    return isfinite(sharing) && sharing > 0 ? sharing : 1;
}

/* ---- accesses of an application ---- */

/* The accesses to a level are the sum of these counters, each times its factor. */
static const struct {
    const char *level, *counter;
    double factor; /* accesses of 32 bytes per count */
} rows[] = {
    {"SHARED", "gpu_shared_wavefronts", 4}, /* a wavefront is 32 banks of 4 bytes */
    {"L1", "gpu_l1_hits", 1},
    {"L2", "gpu_l2_hits", 1},
    {"L2", "gpu_l2_writes", 1},
    {"MEM", "gpu_memory_read_bytes", 1.0 / 32},
    {"MEM", "gpu_memory_written_bytes", 1.0 / 32},
};

/* Accesses to the level ("SHARED", "DSMEM", "L1", "L2", "MEM"): "accesses.LEVEL" if given; else accesses of
 * 32 bytes from a GPU profiler's counts (templates/imports/ncu.txt): the level's sectors, of loads and stores
 * alike (Delestrac et al. 2024, section VI-A). NAN: the counters lack them. */
static double access_counter(const struct named_numbers *counters, const char *level)
{
    char name[48];
    double sum = NAN;
    snprintf(name, sizeof name, "accesses.%.30s", level);
    const struct named_number *given = named_number_find(counters, name);
    if (given != NULL)
        return given->value;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        double counted = named_number_value(counters, rows[i].counter);
        if (strcmp(rows[i].level, level) == 0 && isfinite(counted))
            sum = (isnan(sum) ? 0 : sum) + rows[i].factor * counted;
    }
    return sum;
}

/* ---- points and lines ---- */

enum { LEVELS = 6, LEAST_LENGTHS = 3, LINE_BYTES = 64 };
static const char *const levels[LEVELS] = {"SHARED", "DSMEM", "L1", "L2", "L3", "MEM"};

/* The share of all accesses, within the accuracy of the evidence. */
static const double ALL = 0.99;

/* The paper's own fits have an R^2 of 0.96 and more. */
static const double GOOD_R2 = 0.95;

/* Sums over the repetitions of one point, which share their idle level and its error. */
struct energy_mean {
    const struct result_point *point;
    double accesses, joules, squares, seconds, whole_j; /* squares: of joules */
    double idle_error_w;
    size_t count;
};

/* Points that differ only in how long they ran. */
struct energy_line {
    const char *level;
    double threads, blocks; /* threads per block; blocks per multiprocessor, or of the grid; NAN: unknown */
    char label[LINE_BYTES];
    struct access_beside beside;
    double sharing; /* loads that one access serves: threads of a sector */
    struct energy_mean *means;
    size_t count, rows;
    struct access_point *points; /* one for each mean */
    struct access_line fit;
};

/* The number of threads: the sweep's parameter, or the copies that ran. */
static double threads_of(const struct dataset_row *row)
{
    double threads = dataset_number(row, "parameter.threads");
    return isnan(threads) ? (double)row->rep->copies : threads;
}

/* The sweep's number of blocks; NAN: none. */
static double blocks_of(const struct dataset_row *row)
{
    double on_each = dataset_number(row, "parameter.per_sm");
    return isnan(on_each) ? dataset_number(row, "parameter.blocks") : on_each;
}

/* The level that serves all of the row's accesses; NULL when there is none. */
static const char *level_of(const struct dataset_row *row)
{
    for (size_t i = 0; i < LEVELS; i++) {
        char metric[32];
        snprintf(metric, sizeof metric, "served.%s", levels[i]);
        if (dataset_number(row, metric) >= ALL)
            return levels[i];
    }
    return NULL;
}

/* Adds a repetition to the sums of its point, which is the line's last or a new one. */
static void add(struct energy_line *line, const struct dataset_row *row, double accesses)
{
    if (line->count == 0 || line->means[line->count - 1].point != row->point) {
        line->means = memory_resized(line->means, line->count + 1, sizeof *line->means);
        line->means[line->count++] =
            (struct energy_mean){.point = row->point, .idle_error_w = dataset_idle_error(row->point)};
    }
    struct energy_mean *mean = &line->means[line->count - 1];
    mean->accesses += accesses;
    mean->joules += row->dynamic_j;
    mean->squares += row->dynamic_j * row->dynamic_j;
    mean->seconds += row->seconds;
    mean->whole_j += row->energy_j;
    mean->count++;
    line->rows++;
}

static void free_lines(struct energy_line *lines, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(lines[i].means);
        free(lines[i].points);
    }
    free(lines);
}

/* Whether the lines have the same level, threads and blocks. */
static bool is_same_place(const struct energy_line *a, const struct energy_line *b)
{
    bool blocks = a->blocks == b->blocks || (isnan(a->blocks) && isnan(b->blocks));
    return a->level == b->level && a->threads == b->threads && blocks;
}

static bool is_of(const struct energy_line *line, const struct energy_line *key)
{
    return is_same_place(line, key) && line->beside.count == key->beside.count &&
           (line->beside.count == 0 || line->beside.operation == key->beside.operation);
}

/* The line of the row; adds it if it is new. */
static struct energy_line *find_line(struct energy_line **lines, size_t *count, const struct dataset_row *row,
                                     const char *level)
{
    struct energy_line key = {.level = level,
                              .threads = threads_of(row),
                              .blocks = blocks_of(row),
                              .beside = access_beside_of(row),
                              .sharing = access_sharing(row, level)};
    for (size_t i = 0; i < *count; i++)
        if (is_of(&(*lines)[i], &key))
            return &(*lines)[i];
    *lines = memory_resized(*lines, *count + 1, sizeof **lines);
    snprintf(key.label, sizeof key.label, "%s at %g threads", level, key.threads);
    if (isfinite(key.blocks) && key.blocks != 1)
        snprintf(key.label + strlen(key.label), sizeof key.label - strlen(key.label), ", %g blocks",
                 key.blocks);
    if (key.beside.count > 0)
        snprintf(key.label + strlen(key.label), sizeof key.label - strlen(key.label), ", with %s",
                 key.beside.operation);
    (*lines)[*count] = key;
    return &(*lines)[(*count)++];
}

/* Sorts rows into lines and counts those that belong to none. */
static struct energy_line *gather(const struct dataset *dataset, size_t *count, size_t *without_energy,
                                  size_t *mixed)
{
    struct energy_line *lines = NULL;
    *count = *without_energy = *mixed = 0;
    for (size_t i = 0; i < dataset->count; i++) {
        const struct dataset_row *row = &dataset->rows[i];
        const char *level = level_of(row);
        double accesses = dataset_number(row, "loads");
        if (!isfinite(row->dynamic_j))
            ++*without_energy;
        else if (level == NULL || !(accesses > 0) || dataset_number(row, "stores") > 0)
            ++*mixed;
        else
            add(find_line(&lines, count, row, level), row, accesses);
    }
    return lines;
}

/* The share of the chip that runs the loop. Points of smaller shares belong to the same line, as the energy
 * of an access is the same; they serve to test the form. */
static double share_of(const struct energy_mean *mean)
{
    double share = result_parameter(mean->point, "share");
    return isnan(share) ? 1 : share;
}

/* The number of different loop lengths on the whole chip: lengths within a hundredth are equal. */
static size_t lengths(const struct energy_line *line)
{
    size_t count = 0;
    for (size_t i = 0; i < line->count; i++) {
        const struct energy_mean *mean = &line->means[i];
        double accesses = mean->accesses / (double)mean->count;
        bool fresh = !(share_of(mean) < 1);
        for (size_t j = 0; fresh && j < i; j++) {
            double before = line->means[j].accesses / (double)line->means[j].count;
            fresh = fabs(before - accesses) > 0.01 * accesses;
        }
        count += fresh;
    }
    return count;
}

static enum status check_lengths(const struct energy_line *line, struct error *error)
{
    size_t found = lengths(line);
    if (found >= LEAST_LENGTHS)
        return STATUS_OK;
    error_set(error, STATUS_USAGE, "%s at %g threads: %zu loop lengths cannot determine a slope", line->level,
              line->threads, found);
    error_hint(error, "sweep the number of accesses, or the time of a repetition, over %d values or more",
               LEAST_LENGTHS);
    return STATUS_USAGE;
}

/* ---- grouping into lines ---- */

/* Loops whose accesses differ by a smaller share have the same length. */
static const double ONE_LENGTH = 0.05;

/* The parameter in which alone the points differ, apart from those that make lines; NULL: none, or several.
 */
static const char *only_difference(const struct result_point *a, const struct result_point *b,
                                   const char *operation)
{
    const char *named[] = {
        "level", "threads", "per_sm", "blocks", "share", operation == NULL ? "level" : operation, NULL, NULL};
    const char *first = pooled_parameter(a, b, named, true);
    named[6] = first;
    return first == NULL || pooled_parameter(a, b, named, true) != NULL ? NULL : first;
}

/* Whether the parameter sets a condition, not a length, even if it changes the number of accesses. */
static bool is_condition(const char *parameter, const struct result_point *point)
{
    static const char *const numbers[] = {"ghz", "mhz", "frequency", "vf", "volts", "voltage"};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (strcmp(numbers[i], parameter) == 0)
            return true;
    return isnan(result_parameter(point, parameter));
}

static bool is_one_length(const struct energy_mean *a, const struct energy_mean *b)
{
    double ratio = a->accesses / (double)a->count / (b->accesses / (double)b->count);
    return fabs(ratio - 1) <= ONE_LENGTH;
}

/* Refuses conditions that are mixed: between two lines of a level, whose least is taken, or within one line
 * (a == b).
 */
static enum status check_two(const struct energy_line *a, const struct energy_line *b, struct error *error)
{
    for (size_t i = 0; i < a->count; i++)
        for (size_t j = 0; j < b->count; j++) {
            const struct result_point *one = a->means[i].point;
            const struct result_point *other = b->means[j].point;
            const char *name = only_difference(one, other, b->beside.operation);
            if (name != NULL && share_of(&a->means[i]) == share_of(&b->means[j]) &&
                (is_condition(name, one) || (a == b && is_one_length(&a->means[i], &b->means[j]))))
                return pooled_refuse(one, other, b->level, name, error);
        }
    return STATUS_OK;
}

static enum status check_pooled(const struct energy_line *lines, size_t count, struct error *error)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < count; i++)
        for (size_t j = 0; status == STATUS_OK && j <= i; j++)
            if (lines[j].level == lines[i].level)
                status = check_two(&lines[j], &lines[i], error);
    return status;
}

static enum status check_clocks(const struct dataset *dataset, struct error *error)
{
    enum status status = STATUS_OK;
    for (size_t i = 1; status == STATUS_OK && i < dataset->count; i++)
        if (level_of(&dataset->rows[i]) != NULL)
            status = pooled_clock(&dataset->rows[0], &dataset->rows[i], error);
    return status;
}

/* ---- lines through points ---- */

/* The variance of a repetition's energy per second of its duration, J^2/s: a meter's readings have
 * independent errors, so that the variance of their sum grows with their number. No degrees of freedom if no
 * point has two repetitions. */
static struct squeeze_variance variance_per_second(const struct energy_line *line)
{
    double squares = 0;
    double freedom = 0;
    for (size_t i = 0; i < line->count; i++) {
        const struct energy_mean *mean = &line->means[i];
        double n = (double)mean->count;
        squares += fmax(0, mean->squares - mean->joules * mean->joules / n) * n / mean->seconds;
        freedom += n - 1;
    }
    return (struct squeeze_variance){freedom > 0 ? squares / freedom : 0, freedom};
}

static void set_points(struct energy_line *line, const struct squeeze_variance *per_second)
{
    line->points = memory_zeroed(line->count, sizeof *line->points);
    for (size_t i = 0; i < line->count; i++) {
        const struct energy_mean *mean = &line->means[i];
        double n = (double)mean->count;
        line->points[i] =
            (struct access_point){.accesses = mean->accesses / n,
                                  .joules = mean->joules / n,
                                  .repetitions_j2 = per_second->variance * mean->seconds / (n * n),
                                  .idle_j2 = pow(mean->idle_error_w * mean->seconds / n, 2),
                                  .whole_j = mean->whole_j / n};
    }
    line->fit =
        (struct access_line){.points = line->points, .count = line->count, .freedom = per_second->freedom};
}

static void note_line(const struct energy_line *line, struct model_result *result)
{
    if (line->fit.r2 < GOOD_R2)
        model_note(result,
                   "%s at %g threads: R^2 is %.3f, below %.2f: the energy is not linear in the accesses",
                   line->level, line->threads, line->fit.r2, GOOD_R2);
}

/* Adds a regression for each line and tests the form, which may raise the errors of slope and constant. */
static void set_fitted(const struct dataset *dataset, struct energy_line *lines, size_t count,
                       struct fitted *fitted, struct model_result *result)
{
    struct fitted *each = NULL;
    for (size_t i = 0; i < count; i++) {
        struct access_line *fit = &lines[i].fit;
        each = fitted_begin(fitted, "dynamic energy", "J", lines[i].label);
        each->suspects[0] = "a power whenever the loop runs";
        each->suspects[1] = "the square of the accesses per second";
        each->spread = (struct spread){.columns = 2,
                                       .value = {fit->epsilon.value, fit->delta.value},
                                       .covariance = {pow(fit->epsilon.error, 2), fit->together,
                                                      fit->together, pow(fit->delta.error, 2)},
                                       .freedom = (double)fit->epsilon.freedom,
                                       .rows = lines[i].rows};
        snprintf(each->names[0], LINEAR_NAME_BYTES, "epsilon");
        snprintf(each->names[1], LINEAR_NAME_BYTES, "delta");
        for (size_t j = 0; j < lines[i].count; j++) {
            const struct access_point *point = &lines[i].points[j];
            struct fitted_row *row = fitted_add(each);
            fitted_place(row, dataset, lines[i].means[j].point);
            row->x[0] = point->accesses;
            row->x[1] = 1;
            row->measured = point->joules;
            row->predicted = fit->delta.value + fit->epsilon.value * point->accesses;
            row->own = sqrt(point->repetitions_j2 + point->idle_j2);
            row->freedom = fit->freedom;
            row->whole = point->whole_j;
            row->suspects[0] = lines[i].means[j].seconds / (double)lines[i].means[j].count;
            row->watts = row->whole / row->suspects[0];
            row->suspects[1] = pow(point->accesses, 2) / row->suspects[0];
        }
    }
    form_test(fitted, result);
    each = fitted;
    for (size_t i = 0; i < count; i++, each = each->next) {
        lines[i].fit.epsilon.error = sqrt(each->spread.covariance[0]);
        lines[i].fit.together = each->spread.covariance[1];
        lines[i].fit.delta.error = sqrt(each->spread.covariance[3]);
    }
}

/* Fits all lines. The scatter of the meter's readings and the error of whole points are estimated from all
 * lines together, as one meter read them. */
static enum status fit_lines(const struct dataset *dataset, struct energy_line *lines, size_t count,
                             double assumed, struct fitted *fitted, struct model_result *result,
                             struct error *error)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < count; i++)
        status = check_lengths(&lines[i], error);
    if (status != STATUS_OK)
        return status;
    struct squeeze_variance *per_second = memory_zeroed(count, sizeof *per_second);
    struct access_line *fits = memory_zeroed(count, sizeof *fits);
    for (size_t i = 0; i < count; i++)
        per_second[i] = variance_per_second(&lines[i]);
    squeeze(per_second, count);
    for (size_t i = 0; i < count; i++) {
        set_points(&lines[i], &per_second[i]);
        fits[i] = lines[i].fit;
    }
    const struct point_error shift = access_lines_error(fits, count, assumed);
    point_error_report(shift, result);
    for (size_t i = 0; i < count; i++) {
        access_line_fit(&lines[i].fit, &shift);
        note_line(&lines[i], result);
    }
    free(per_second);
    free(fits);
    set_fitted(dataset, lines, count, fitted, result);
    return STATUS_OK;
}

/* ---- tests of what the model assumes ---- */

/* Rates that differ by a smaller share are equal. */
static const double SAME_RATE = 0.05;

static double rate_of(const struct energy_mean *mean)
{
    return mean->accesses / mean->seconds;
}

/* The mean rate of the line's loops on the whole chip. */
static double rate_of_line(const struct energy_line *line)
{
    double sum = 0, count = 0;
    for (size_t i = 0; i < line->count; i++)
        if (share_of(&line->means[i]) == 1) {
            sum += rate_of(&line->means[i]);
            count++;
        }
    return sum / count;
}

/* Disbelieves the model if no line has loops at two rates: only these reveal power that any running loop
 * draws, and energies that depend on the power. */
static void judge_shares(const struct energy_line *lines, size_t count, struct model_result *result)
{
    static const double APART = 1.3;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < lines[i].count; j++) {
            double ratio = rate_of(&lines[i].means[j]) / rate_of_line(&lines[i]);
            if (ratio > APART || ratio < 1 / APART)
                return;
        }
    model_disbelieve(result,
                     "do not trust this model's form, which is not tested: no loop ran on a share of the "
                     "chip, so that epsilon may include power that any running loop draws, or depend on the "
                     "power; the benchmark shares of gpu-energy-2024/load measures this");
}

/* Disbelieves the model if loops of one line have different rates: their clock changed. */
static void judge_clock(const struct energy_line *lines, size_t count, struct model_result *result)
{
    const struct energy_line *worst = NULL;
    double apart = CLOCK_APART;
    for (size_t i = 0; i < count; i++) {
        double least = INFINITY, most = 0;
        for (size_t j = 0; j < lines[i].count; j++) {
            if (share_of(&lines[i].means[j]) < 1)
                continue;
            least = fmin(least, rate_of(&lines[i].means[j]));
            most = fmax(most, rate_of(&lines[i].means[j]));
        }
        if (most / least - 1 <= apart)
            continue;
        apart = most / least - 1;
        worst = &lines[i];
    }
    if (worst != NULL)
        model_disbelieve(
            result,
            "do not trust this model: loops of %s make up to %.3g %% more accesses per second at "
            "one length than at another: their clock changed with the time",
            worst->label, 100 * apart);
}

/* Weighted sums of the energies per access of a level's lines against x. */
struct across {
    double s, sx, sxx, sy, sxy, syy;
    size_t count, rates; /* lines, and different rates among them */
};

static bool is_bare(const struct energy_line *line, const char *level)
{
    return line->level == level && !(line->beside.count > 0);
}

/* Whether no line before has the same rate. */
static bool is_rate_new(const struct energy_line *lines, size_t which)
{
    for (size_t i = 0; i < which; i++)
        if (is_bare(&lines[i], lines[which].level) &&
            fabs(rate_of_line(&lines[i]) / rate_of_line(&lines[which]) - 1) < SAME_RATE)
            return false;
    return true;
}

static struct across sum_across(const struct energy_line *lines, size_t count, const char *level,
                                bool of_time)
{
    struct across sums = {0};
    for (size_t i = 0; i < count; i++) {
        const struct least_estimate *epsilon = &lines[i].fit.epsilon;
        double weight = 1 / fmax(pow(epsilon->error, 2), pow(1e-6 * epsilon->value, 2));
        double rate = rate_of_line(&lines[i]), x = of_time ? 1 / rate : rate;
        if (!is_bare(&lines[i], level))
            continue;
        sums.count++;
        sums.rates += is_rate_new(lines, i);
        sums.s += weight;
        sums.sx += weight * x;
        sums.sxx += weight * x * x;
        sums.sy += weight * epsilon->value;
        sums.sxy += weight * x * epsilon->value;
        sums.syy += weight * pow(epsilon->value, 2);
    }
    return sums;
}

/* The normal deviate of a sum of squares (Wilson and Hilferty 1931). */
static double deviate(double squares, double freedom)
{
    double spread = 2 / (9 * freedom);
    return (cbrt(fmax(0, squares) / freedom) - 1 + spread) / sqrt(spread);
}

/* Tests whether the energies per access of a level's lines are a straight line over their rate: then the
 * model is disbelieved. If they are one over the time of an access, a note reports it: the cause is waiting
 * threads, or power that any running loop draws, which these data do not distinguish. */
static void judge_rates(const struct energy_line *lines, size_t count, const char *level,
                        struct model_result *result)
{
    static const double SIGNIFICANT = 3.09, FITS = 2.33;
    size_t which = 0;
    for (size_t i = 0; i < count; i++)
        if (lines[i].level == level &&
            (!is_bare(&lines[which], level) || lines[i].fit.epsilon.value < lines[which].fit.epsilon.value))
            which = i;
    for (int of_time = 0; of_time < 2; of_time++) {
        const struct across sums = sum_across(lines, count, level, of_time);
        double rate = rate_of_line(&lines[which]), own = sums.sxx - sums.sx * sums.sx / sums.s;
        double slope = (sums.sxy - sums.sx * sums.sy / sums.s) / own;
        double about = sums.syy - sums.sy * sums.sy / sums.s;
        if (sums.rates < 3 || deviate(about, (double)sums.count - 1) < SIGNIFICANT ||
            deviate(about - slope * slope * own, (double)sums.count - 2) > FITS || (of_time && slope < 0))
            continue;
        double part = slope * (of_time ? 1 / rate : rate) / lines[which].fit.epsilon.value;
        if (of_time)
            model_note(
                result,
                "the energy of an access of %s grows with its time, by %.3g W: threads wait, or any running "
                "loop draws this power, which is then %.2g %% of epsilon",
                level, slope, 100 * part);
        else
            model_disbelieve(
                result,
                "do not trust this model: the energy of an access of %s follows the accesses per "
                "second, by %+.2g %% of epsilon: it is not proportional to them",
                level, 100 * part);
        return;
    }
}

/* ---- the least of the lines ---- */

static struct interval interval_of(const struct least_estimate *estimate)
{
    size_t which;
    struct interval at = least_of(estimate, 1, &which);
    at.value = estimate->value;
    return at;
}

static struct access_fit fit_of(const struct energy_line *line)
{
    return (struct access_fit){line->level,
                               line->threads,
                               line->rows,
                               interval_of(&line->fit.epsilon),
                               interval_of(&line->fit.delta),
                               line->fit.r2,
                               line->blocks,
                               line->beside};
}

/* The line's constant if its slope is the level's epsilon: the line was chosen for its low slope, and a slope
 * that is low by chance comes with a constant that is high by chance. */
static struct interval delta_at(const struct access_line *line, const struct interval *epsilon)
{
    const struct least_estimate *slope = &line->epsilon;
    double follows = slope->error > 0 ? line->together / pow(slope->error, 2) : 0;
    double own = line->delta.error * line->delta.error - follows * line->together;
    struct least_estimate rest = {line->delta.value + follows * (epsilon->value - slope->value),
                                  sqrt(fmax(0, own)), line->delta.freedom};
    size_t which;
    struct interval delta = least_of(&rest, 1, &which);
    double at_low = follows * (epsilon->low - epsilon->value);
    double at_high = follows * (epsilon->high - epsilon->value);
    delta.high = delta.value + hypot(delta.high - delta.value, fmax(at_low, at_high));
    delta.low = delta.value - hypot(delta.value - delta.low, fmin(at_low, at_high));
    return delta;
}

/* Sets the level's coefficients: epsilon is the least over the numbers of threads, delta that of the same
 * line. */
static void set_level(const struct energy_line *lines, size_t count, const char *level,
                      struct model_result *result)
{
    struct least_estimate epsilons[LEAST_MOST];
    const struct energy_line *from[LEAST_MOST];
    char name[48];
    size_t found = 0;
    size_t which;
    for (size_t i = 0; i < count && found < LEAST_MOST; i++) {
        if (lines[i].level != level || lines[i].beside.count > 0)
            continue;
        from[found] = &lines[i];
        epsilons[found++] = lines[i].fit.epsilon;
    }
    if (found == 0)
        return;
    struct interval epsilon = least_of(epsilons, found, &which);
    const struct energy_line *least = from[which];
    struct interval delta = delta_at(&least->fit, &epsilon);
    epsilon.n = delta.n = least->rows;
    snprintf(name, sizeof name, "epsilon.%s", level);
    model_set_coefficient(result, name, epsilon, "J/access");
    snprintf(name, sizeof name, "delta.%s", level);
    model_set_coefficient(result, name, delta, "J");
}

/* ---- operations beside loads ---- */

/* The energy of an operation (Delestrac et al. 2024, section VI-D) is that of a load with it less that of the
 * load alone, at the same level, threads and blocks. */
static const struct energy_line *find_bare(const struct energy_line *lines, size_t count,
                                           const struct energy_line *with)
{
    for (size_t i = 0; i < count; i++)
        if (!(lines[i].beside.count > 0) && is_same_place(&lines[i], with))
            return &lines[i];
    return NULL;
}

static struct interval difference(const struct energy_line *with, const struct energy_line *bare)
{
    const struct least_estimate *a = &with->fit.epsilon;
    const struct least_estimate *b = &bare->fit.epsilon;
    double each = with->beside.count * with->sharing;
    struct least_estimate estimate = {(a->value - b->value) / each, hypot(a->error, b->error) / each,
                                      a->freedom < b->freedom ? a->freedom : b->freedom};
    size_t which;
    return least_of(&estimate, 1, &which);
}

static bool has_more_threads(const struct energy_line *a, const struct energy_line *b)
{
    return b == NULL || a->threads > b->threads || (a->threads == b->threads && a->blocks > b->blocks);
}

enum { LABEL_BYTES = 48 };

/* The level and, if not one, the blocks. */
static void label_of(const struct energy_line *line, char label[LABEL_BYTES])
{
    if (isfinite(line->blocks) && line->blocks != 1)
        snprintf(label, LABEL_BYTES, "%s, %g blocks", line->level, line->blocks);
    else
        snprintf(label, LABEL_BYTES, "%s", line->level);
}

/* Draws the energy of one access over the threads of a block (the paper's figures 6 and 7). */
static void draw_threads(const struct energy_line *lines, size_t count, struct model_result *result)
{
    struct chart *chart = model_chart(result, CHART_LINES, "Energy of one access, over threads", "",
                                      "Threads per block", "Energy (pJ)");
    chart->log = "xy";
    for (size_t i = 0; i < count; i++) {
        size_t which;
        char label[LABEL_BYTES];
        struct interval epsilon = least_of(&lines[i].fit.epsilon, 1, &which);
        label_of(&lines[i], label);
        if (!(lines[i].beside.count > 0))
            chart_sample(chart, label, lines[i].threads, interval_times(epsilon, 1e12));
    }
}

static void add_row(struct model_result *result, struct chart *chart, const struct energy_line *with,
                    struct interval joules)
{
    struct access_own *own = result->own;
    char label[LABEL_BYTES];
    label_of(with, label);
    own->operations =
        arena_next(&result->arena, own->operations, own->operation_count, sizeof *own->operations);
    own->operations[own->operation_count++] =
        (struct access_row){with->beside.operation, with->level, with->threads, joules, with->blocks};
    chart_sample(chart, label, with->threads, interval_times(joules, 1e9));
}

/* Whether the line has the operation, and there is one without it. */
static bool has_cost(const struct energy_line *lines, size_t count, const struct energy_line *with,
                     const char *operation)
{
    return with->beside.operation == operation && with->beside.count > 0 &&
           find_bare(lines, count, with) != NULL;
}

/* Adds a row and a sample of the chart for each line with the operation. The coefficient "OPERATION.LEVEL"
 * (J) is that at the most threads, where the operation is the largest share of the power. */
static void set_operation(const struct energy_line *lines, size_t count, const char *operation,
                          struct model_result *result)
{
    char title[64];
    snprintf(title, sizeof title, "Energy of a %s, beside loads", operation);
    struct chart *chart = model_chart(result, CHART_LINES, title, "", "Threads per block", "Energy (nJ)");
    chart->log = "x";
    for (size_t i = 0; i < count; i++) {
        const struct energy_line *with = &lines[i];
        const struct energy_line *most = NULL;
        char name[48];
        if (!has_cost(lines, count, with, operation))
            continue;
        struct interval joules = difference(with, find_bare(lines, count, with));
        add_row(result, chart, with, joules);
        for (size_t j = 0; j < count; j++)
            if (lines[j].level == with->level && has_cost(lines, count, &lines[j], operation) &&
                has_more_threads(&lines[j], most))
                most = &lines[j];
        snprintf(name, sizeof name, "%s.%s", operation, with->level);
        if (most == with)
            model_set_coefficient(result, name, joules, "J");
    }
}

static void set_operations(const struct energy_line *lines, size_t count, struct model_result *result)
{
    for (size_t i = 0; i < sizeof operations / sizeof operations[0]; i++) {
        bool any = false;
        for (size_t j = 0; j < count; j++)
            any = any || has_cost(lines, count, &lines[j], operations[i]);
        if (any)
            set_operation(lines, count, operations[i], result);
    }
    if (((struct access_own *)result->own)->operation_count > 0)
        model_states(result, "operations");
}

/* ---- the model ---- */

static void draw(struct model_result *result)
{
    const char *machine = result->machine.name;
    struct chart *chart = model_chart(result, CHART_BARS, "Energy of one access, by serving level",
                                      machine == NULL ? "" : machine, "", "Energy (pJ)");
    for (size_t i = 0; i < LEVELS; i++) {
        struct interval epsilon;
        char name[48];
        snprintf(name, sizeof name, "epsilon.%s", levels[i]);
        if (model_coefficient(result, name, &epsilon))
            chart_bar(chart, "", levels[i], interval_times(epsilon, 1e12));
    }
}

static const char *label(const struct dataset_row *row, char *buffer)
{
    const char *level = level_of(row);
    if (level != NULL)
        snprintf(buffer, MODEL_LABEL_BYTES, "%s", level);
    return level == NULL ? NULL : buffer;
}

static enum status nothing_to_fit(size_t without_energy, size_t mixed, struct error *error)
{
    error_set(error, STATUS_USAGE,
              "no repetition gives the energy of accesses to a single level: %zu have no dynamic energy, %zu "
              "are served by several levels, store, or do not load",
              without_energy, mixed);
    error_hint(error, "run recipes whose loads are all served by one level, on a machine with a power sensor "
                      "(trauma sensors)");
    return STATUS_USAGE;
}

static enum status fit(const struct dataset *dataset, const struct model_settings *settings,
                       struct fitted *fitted, struct model_result *result, struct error *error)
{
    size_t count;
    size_t without_energy;
    size_t mixed;
    struct energy_line *lines = gather(dataset, &count, &without_energy, &mixed);
    enum status status = count == 0 ? nothing_to_fit(without_energy, mixed, error) : STATUS_OK;
    struct access_own *own = result->own;
    if (status == STATUS_OK)
        status = check_clocks(dataset, error);
    if (status == STATUS_OK)
        status = check_pooled(lines, count, error);
    if (status == STATUS_OK)
        status = fit_lines(dataset, lines, count, point_error_assumed(model_access_energy.settings, settings),
                           fitted, result, error);
    for (size_t i = 0; status == STATUS_OK && i < count; i++) {
        own->lines = arena_next(&result->arena, own->lines, own->line_count, sizeof *own->lines);
        own->lines[own->line_count++] = fit_of(&lines[i]);
    }
    for (size_t i = 0; status == STATUS_OK && i < LEVELS; i++)
        set_level(lines, count, levels[i], result);
    if (status == STATUS_OK)
        judge_clock(lines, count, result);
    if (status == STATUS_OK)
        judge_shares(lines, count, result);
    for (size_t i = 0; status == STATUS_OK && i < LEVELS; i++)
        judge_rates(lines, count, levels[i], result);
    if (status == STATUS_OK) {
        draw(result);
        draw_threads(lines, count, result);
        set_operations(lines, count, result);
    }
    if (without_energy > 0)
        model_note(result, "%zu repetitions have no dynamic energy and are left out", without_energy);
    if (mixed > 0)
        model_note(result, "%zu repetitions do not load from a single level and are left out", mixed);
    model_states(result, "lines");
    free_lines(lines, count);
    return status;
}

/* Predicts the energy of each level: its accesses times epsilon. If the counters include the total (energy_j,
 * static_w, seconds), it is broken down. */
static enum status predict(const struct model_result *model, const struct named_numbers *counters,
                           const struct model_settings *settings, struct model_result *result,
                           struct error *error)
{
    (void)settings;
    double moved = 0;
    for (size_t i = 0; i < LEVELS; i++) {
        char name[48];
        struct interval epsilon;
        double accesses = access_counter(counters, levels[i]);
        snprintf(name, sizeof name, "epsilon.%s", levels[i]);
        if (isnan(accesses) || !model_coefficient(model, name, &epsilon))
            continue;
        moved += accesses * epsilon.value;
        model_add_part(result, levels[i], interval_times(epsilon, accesses), "J", false);
    }
    if (result->part_count == 0) {
        error_set(error, STATUS_USAGE, "the counters contain no accesses to a level of the model");
        error_hint(error, "expected some of accesses.SHARED, accesses.DSMEM, accesses.L1, accesses.L2, "
                          "accesses.L3, accesses.MEM, or the output of ncu --csv for a GPU's levels");
        return STATUS_USAGE;
    }
    double idle = named_number_value(counters, "static_w") * named_number_value(counters, "seconds");
    double rest = named_number_value(counters, "energy_j") - idle - moved;
    model_add_part(result, "static", interval_exact(idle), "J", false);
    model_add_part(result, "rest", interval_exact(rest), "J", false);
    model_chart_parts(result, "Where the energy went", "J", NULL, "Energy (J)");
    return STATUS_OK;
}

/* ---- fields in a document ---- */

static const struct field_row joules_rows[] = {FIELD_ROW(interval, "value", FIELD_REAL, value),
                                               FIELD_ROW(interval, "low", FIELD_REAL, low),
                                               FIELD_ROW(interval, "high", FIELD_REAL, high),
                                               {0}};

static const struct field_row operation_rows[] = {FIELD_ROW(access_row, "operation", FIELD_TEXT, operation),
                                                  FIELD_ROW(access_row, "level", FIELD_TEXT, level),
                                                  FIELD_ROW(access_row, "threads", FIELD_REAL, threads),
                                                  FIELD_PART(access_row, "energy_j", joules, joules_rows),
                                                  FIELD_ROW(access_row, "blocks", FIELD_REAL, blocks),
                                                  {0}};

static void write_beside(struct json_text *text, const char *name, const void *at)
{
    const struct access_beside *beside = at;
    (void)name;
    if (beside->count > 0)
        json_text_real(text, beside->operation, beside->count);
}

static const struct field_row fit_rows[] = {FIELD_ROW(access_fit, "level", FIELD_TEXT, level),
                                            FIELD_ROW(access_fit, "threads", FIELD_REAL, threads),
                                            FIELD_ROW(access_fit, "rows", FIELD_WHOLE, rows),
                                            FIELD_PART(access_fit, "epsilon_j", epsilon, joules_rows),
                                            FIELD_PART(access_fit, "delta_j", delta, joules_rows),
                                            FIELD_ROW(access_fit, "r2", FIELD_REAL, r2),
                                            FIELD_ROW(access_fit, "blocks", FIELD_REAL, blocks),
                                            {.name = "beside",
                                             .type = FIELD_OWN,
                                             .offset = offsetof(struct access_fit, beside),
                                             .write = write_beside},
                                            {0}};

static const struct field_row own_rows[] = {
    FIELD_STRUCTS(access_own, "operations", operations, operation_count, operation_rows, struct access_row),
    FIELD_STRUCTS(access_own, "lines", lines, line_count, fit_rows, struct access_fit),
    {0}};

static const struct model_bound bounds[] = {
    {"epsilon.*", "energy falls as the loop gets longer: is its unit wrong, does it come from another "
                  "channel than the idle level, or are lengths mixed up?"},
    {"div.*", "a load with an operation beside it takes less than the load alone: are the two mixed up?"},
    {NULL, NULL}};

static const struct model_setting_row settings[] = {POINT_ERROR_SETTING, {NULL, NULL, 0}};
static const char *const fit_only[] = {"point_error", NULL};

const struct model model_access_energy = {
    .name = "access-energy",
    .title = "energy of one access at each level of the memory hierarchy (Delestrac et al. 2024)",
    .page =
        "E = accesses * epsilon + delta at each level, over loops of different lengths; the level's\n"
        "epsilon is the least over numbers of threads. The model assumes that every access is served by\n"
        "the level that its recipe names (trauma check verifies it), and that other work of the loop is\n"
        "small: epsilon includes it. Do not trust it at few threads, where most of epsilon is the chip's\n"
        "own waiting, where R^2 is below 0.95, or for an application whose accesses differ in width from\n"
        "the recipe's. Power that any running loop draws is in epsilon: loops on a share of the chip test\n"
        "the form for it, and for power that is not linear in the rate; the first line reports when these\n"
        "loops are missing. An error of the meter's gain that is equal at every power is in every epsilon,\n"
        "and no test finds it.\n",
    .settings = settings,
    .own_rows = own_rows,
    .own_size = sizeof(struct access_own),
    .fit_only = fit_only,
    .bounds = bounds,
    .label = label,
    .design = &design_of_access_energy,
    .fit = fit,
    .predict = predict,
};
