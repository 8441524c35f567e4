/* Gathers the operations and the energy of a point's pass (Kestor et al. 2013, section IV). */
#include "base/json.h"
#include "base/memory.h"
#include "model/data/pooled.h"
#include "model/incremental/incremental.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The power of memory counts if memory serves at least this share of the loads. */
static const double SOME = 0.01;

/* ---- energy ---- */

/* The idle power of a channel, W; NAN: unknown. */
static struct interval idle_of(const struct result_power *power, const char *name)
{
    for (size_t i = 0; name != NULL && i < power->channel_count; i++)
        if (strcmp(power->channels[i].name, name) == 0)
            return power->channels[i].static_w;
    return (struct interval){NAN, NAN, NAN, 0};
}

/* The repetition's dynamic energy by the channels of the chip's own meter; NAN: there are none. *error_w: the
 * standard error of their idle power. */
static double chip_joules(const struct dataset_row *row, double *error_w)
{
    const struct result_power *power = &row->point->power;
    double joules = power->inside.count > 0 ? 0 : NAN;
    *error_w = 0;
    for (size_t i = 0; i < power->inside.count; i++) {
        const char *name = power->inside.items[i];
        struct interval idle = idle_of(power, name);
        joules += result_value(&row->rep->energy_j, name).value - idle.value * row->seconds;
        *error_w = hypot(*error_w, dataset_error(idle));
    }
    return joules;
}

/* Power outside the chip, of memory alone. Fans start after the first loop begins: if they did, it is the
 * last loop's power less that of the fans; else the mean over the repetitions. */
static struct interval outside_w(const struct dataset_row *rows, size_t count)
{
    struct interval fans = result_value(&rows[0].point->power.values, "power.fans_w");
    double error_w;
    double sum = 0;
    double squares = 0;
    double last = NAN;
    for (size_t i = 0; i < count; i++) {
        last = (rows[i].dynamic_j - chip_joules(&rows[i], &error_w)) / rows[i].seconds;
        sum += last;
        squares += last * last;
    }
    double n = (double)count;
    double mean = sum / n;
    double error = count > 1 ? sqrt(fmax(0, squares / n - mean * mean) / (n - 1)) : 0;
    if (fans.low > 0) {
        mean = last - fans.value;
        error = dataset_error(fans);
    }
    chip_joules(&rows[0], &error_w);
    error = hypot(error, hypot(error_w, dataset_idle_error(rows[0].point)));
    return (struct interval){mean, mean - 1.96 * error, mean + 1.96 * error, count};
}

/* One repetition's dynamic energy: with_chip by the chip's meter, plus that of memory. */
static double joules_of(const struct dataset_row *row, bool with_chip, double memory_w)
{
    double error_w;
    return with_chip ? chip_joules(row, &error_w) + memory_w * row->seconds : row->dynamic_j;
}

/* The whole reading of the same meter, J. */
static double whole_joules(const struct dataset_row *row, bool with_chip)
{
    const struct manifest_words *names = &row->point->power.inside;
    double joules = 0;
    for (size_t i = 0; with_chip && i < names->count; i++)
        joules += result_value(&row->rep->energy_j, names->items[i]).value;
    return with_chip ? joules : row->energy_j;
}

/* ---- stalls ---- */

/* Cycles in which no instruction is issued. Each load occupies a cycle, up to all cycles; other instructions
 * issue in the same cycles, up to the machine's width. Programs without loads do not stall. */
static double derived_stalls(double cycles, double instructions, double loads, double width)
{
    double issued = fmin(loads, cycles);
    if (width > 0)
        issued = fmax(issued, fmin(instructions / width, cycles));
    return loads > 0 ? cycles - issued : 0;
}

static void set_stalls(const struct dataset_row *row, double issue_width, struct incremental_point *point)
{
    struct interval counter = result_value(&row->point->counters, "stall_cycles");
    if (isnan(counter.value))
        counter = result_value(&row->point->counters, "load_stall_cycles");
    double cycles = dataset_number(row, "cycles") / row->passes;
    struct interval ipc;
    point->counted_stalls = isfinite(counter.value);
    point->stall_error = dataset_error(counter);
    point->counts[COST_STALL] = counter.value;
    if (point->counted_stalls)
        return;
    point->counts[COST_STALL] =
        derived_stalls(cycles, dataset_number(row, "instructions") / row->passes,
                       dataset_number(row, "loads") / row->passes, isnan(issue_width) ? 0 : issue_width);
    if (point->counts[COST_STALL] > 0 && dataset_best(row->point, "ipc", &ipc))
        point->stall_error = cycles * dataset_error(ipc) / ipc.value;
}

/* ---- a point ---- */

static void set_counts(const struct dataset_row *row, double issue_width, struct incremental_point *point)
{
    static const char *const names[COSTS] = {
        "op.nop",      "op.add",       "accesses.L1", "accesses.L2",
        "accesses.L3", "accesses.MEM", NULL,          "counter.prefetches"};
    for (size_t i = 0; i < COSTS; i++) {
        double number = names[i] == NULL ? NAN : dataset_number(row, names[i]) / row->passes;
        point->counts[i] = isfinite(number) ? number : 0;
    }
    set_stalls(row, issue_width, point);
}

/* The fewest repetitions whose noise is their scatter about a line. */
enum { LEAST_OF_LINE = 4 };

/* Sets the noise from the scatter of the repetitions, watts[count]: about their mean or, with LEAST_OF_LINE
 * of them, about a line over their order, as subtracting the idle levels before and after removes a drift. */
static void set_noise(const double *watts, size_t count, struct incremental_point *point)
{
    double squares = 0;
    double along = 0;
    double across = 0;
    for (size_t i = 0; i < count; i++) {
        double off = watts[i] - point->watts;
        double at = (double)i - ((double)count - 1) / 2;
        squares += off * off;
        along += at * off;
        across += at * at;
    }
    bool line = count >= LEAST_OF_LINE;
    point->freedom = (double)count - (line ? 2 : 1);
    double within = line ? fmax(0, squares - along * along / across) : squares;
    point->variance = point->freedom > 0 ? within / point->freedom / (double)count : 0;
}

/* Sets power, times and noise from the rows of the point, which share their idle level. */
static void set_energy(const struct dataset_row *rows, size_t count, struct incremental_point *point)
{
    bool memory = point->counts[COST_MEM] > SOME * dataset_number(&rows[0], "loads") / rows[0].passes;
    double *watts = memory_zeroed(count + 1, sizeof *watts);
    double passes = 0, n = (double)count;
    struct interval outside = {0};
    point->reps = count;
    point->with_chip = rows[0].point->power.inside.count > 0;
    point->idle_error_w = dataset_idle_error(rows[0].point);
    point->dram_w = (struct interval){NAN, NAN, NAN, count};
    if (point->with_chip)
        chip_joules(&rows[0], &point->idle_error_w);
    if (point->with_chip && memory) {
        double copies = (double)rows[0].rep->copies;
        outside = outside_w(rows, count);
        point->idle_error_w = hypot(point->idle_error_w, dataset_error(outside));
        point->dram_w =
            (struct interval){outside.value / copies, outside.low / copies, outside.high / copies, count};
    }
    for (size_t i = 0; i < count; i++) {
        watts[i] = joules_of(&rows[i], point->with_chip, outside.value) / rows[i].seconds;
        point->watts += watts[i] / n;
        point->whole_w += whole_joules(&rows[i], point->with_chip) / rows[i].seconds / n;
        point->seconds += rows[i].seconds;
        passes += rows[i].passes;
    }
    set_noise(watts, count, point);
    point->length_s = point->seconds / n;
    point->seconds /= passes;
    free(watts);
}

static enum status check_point(const struct dataset_row *rows, size_t count,
                               const struct incremental_point *point, struct error *error)
{
    for (size_t i = 0; i < count; i++) {
        if (isfinite(rows[i].dynamic_j))
            continue;
        error_set(error, STATUS_USAGE, "a repetition of %s has no dynamic energy", point->name);
        error_hint(error,
                   "run on a machine with a power sensor (trauma sensors), with idle_before or idle_after");
        return STATUS_USAGE;
    }
    if (isfinite(point->counts[COST_STALL]))
        return STATUS_OK;
    error_set(error, STATUS_USAGE, "the results have neither stall_cycles nor cycles nor ipc of %s",
              point->name);
    error_hint(error, "run with --counters plan,bytes,timing or, where there is a PMU, perf");
    return STATUS_USAGE;
}

enum status incremental_gather(const struct dataset_row *rows, size_t count, double issue_width,
                               const char *parameter, struct incremental_point *point, struct error *error)
{
    *point = (struct incremental_point){.name = dataset_text(&rows[0], parameter), .first = rows};
    set_counts(&rows[0], issue_width, point);
    enum status status = check_point(rows, count, point, error);
    if (status == STATUS_OK)
        set_energy(rows, count, point);
    return status;
}
