/* A program's operations and energy per pass (Kestor et al. 2013, section IV). */
#include "base/json.h"
#include "model/data/pooled.h"
#include "model/incremental/incremental.h"

#include <math.h>
#include <string.h>

/* From the width of a 95 % interval to a standard error. */
static const double WIDTH_IN_ERRORS = 3.92;

/* Loads that memory serves make memory's meter count. */
static const double SOME = 0.01;

/* ---- energy ---- */

/* The idle power of a channel. */
static struct interval idle_of(const struct result_power *power, const char *name)
{
    for (size_t i = 0; name != NULL && i < power->channel_count; i++)
        if (strcmp(power->channels[i].name, name) == 0)
            return power->channels[i].static_w;
    return (struct interval){NAN, NAN, NAN, 0};
}

/* The repetition's dynamic energy from the channels of the chip's own meter; *error_w gets the standard error
 * of their idle power. NAN when there are none. */
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

/* Power outside the chip in each repetition of the point of row first, without fans: fans start after the
 * first loop begins, so the last loop's power less what was added since is that of memory alone. */
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

/* One repetition's dynamic energy: from the chip's meter if there is one, plus memory's where memory serves
 * loads. */
static double joules_of(const struct dataset_row *row, bool with_chip, double memory_w)
{
    double error_w;
    return with_chip ? chip_joules(row, &error_w) + memory_w * row->seconds : row->dynamic_j;
}

/* The whole reading of the same meter. */
static double whole_joules(const struct dataset_row *row, bool with_chip)
{
    const struct manifest_words *names = &row->point->power.inside;
    double joules = 0;
    for (size_t i = 0; with_chip && i < names->count; i++)
        joules += result_value(&row->rep->energy_j, names->items[i]).value;
    return with_chip ? joules : row->energy_j;
}

/* ---- stalls ---- */

/* Cycles in which no instruction is issued. A load that waits for the previous one takes its own cycle,
 * independent loads fill all cycles, and other instructions issue beside them, up to the machine's width;
 * programs without loads do not stall. */
static double derived_stalls(double cycles, double instructions, double loads, double width)
{
    double issued = fmin(loads, cycles);
    if (width > 0)
        issued = fmax(issued, fmin(instructions / width, cycles));
    return loads > 0 ? cycles - issued : 0;
}

static void set_stalls(const struct dataset_row *row, double issue_width, struct incremental_program *program)
{
    static const char *const names[] = {"load_stall_cycles",
                                        "stall_cycles"}; /* the last one takes precedence */
    struct interval counter = {NAN, NAN, NAN, 0};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct interval found = result_value(&row->point->counters, names[i]);
        counter = isnan(found.value) ? counter : found;
    }
    double counted = counter.value;
    double cycles = dataset_number(row, "cycles") / row->passes;
    program->cycles = cycles;
    program->counted_stalls = isfinite(counted);
    program->stall_error = dataset_error(counter);
    program->counts[COST_STALL] = counted;
    if (program->counted_stalls)
        return;
    program->counts[COST_STALL] =
        derived_stalls(cycles, dataset_number(row, "instructions") / row->passes,
                       dataset_number(row, "loads") / row->passes, isnan(issue_width) ? 0 : issue_width);
    struct interval ipc;
    if (program->counts[COST_STALL] > 0 && dataset_best(row->point, "ipc", &ipc))
        program->stall_error = cycles * (ipc.high - ipc.low) / ipc.value / WIDTH_IN_ERRORS;
}

/* ---- a whole program ---- */

static void set_counts(const struct dataset_row *row, double issue_width, struct incremental_program *program)
{
    static const char *const asked[COSTS] = {
        "op.nop",      "op.add",       "accesses.L1", "accesses.L2",
        "accesses.L3", "accesses.MEM", NULL,          "counter.prefetches"};
    for (size_t i = 0; i < COSTS; i++) {
        double number = asked[i] == NULL ? NAN : dataset_number(row, asked[i]) / row->passes;
        program->counts[i] = isfinite(number) ? number : 0;
    }
    set_stalls(row, issue_width, program);
}

static enum status check_row(const struct dataset_row *row, const char *name, struct error *error)
{
    if (isfinite(row->dynamic_j))
        return STATUS_OK;
    error_set(error, STATUS_USAGE, "a repetition of %s has no dynamic energy", name);
    error_hint(error,
               "run on a machine with a power sensor (trauma sensors), with idle_before or idle_after");
    return STATUS_USAGE;
}

/* Running sums over repetitions. */
struct sums {
    size_t rows, points;
    double joules, idle_variance, whole_j;
    double points_j, points_squares; /* over the points' means */
    double within, freedom;          /* squares about these, with their degrees of freedom */
    double passes, seconds;
    double dram_w, dram_variance;
};

/* With fewer repetitions, a line says nothing about their noise. */
enum { LEAST_OF_LINE = 4 };

/* Adds the scatter of a point's repetitions about their mean, in joules per pass; with several, about a line
 * over their order, as subtracting the idle levels before and after removes a drift between them. */
static void add_scatter(const struct dataset_row *rows, size_t count, bool with_chip, double memory_w,
                        double mean, struct sums *sums)
{
    double squares = 0;
    double along = 0;
    double across = 0;
    for (size_t i = 0; i < count; i++) {
        double off = joules_of(&rows[i], with_chip, memory_w) / rows[i].passes - mean;
        double at = (double)i - ((double)count - 1) / 2;
        squares += off * off;
        along += at * off;
        across += at * at;
    }
    bool line = count >= LEAST_OF_LINE;
    sums->within += line ? fmax(0, squares - along * along / across) : squares;
    sums->freedom += (double)count - (line ? 2 : 1);
}

/* The rows of one point, which share their idle level. */
static void add_point(const struct dataset_row *rows, size_t count, struct incremental_program *program,
                      struct sums *sums)
{
    bool memory = program->counts[COST_MEM] > SOME * dataset_number(&rows[0], "loads") / rows[0].passes;
    double copies = (double)rows[0].rep->copies;
    double error_w = dataset_idle_error(rows[0].point);
    double seconds = 0;
    double mean = 0;
    struct interval outside = {0};
    program->with_chip = rows[0].point->power.inside.count > 0;
    if (program->with_chip)
        chip_joules(&rows[0], &error_w);
    if (program->with_chip && memory) {
        outside = outside_w(rows, count);
        error_w = hypot(error_w, (outside.high - outside.low) / WIDTH_IN_ERRORS);
        sums->dram_w += outside.value / copies;
        sums->dram_variance += pow((outside.high - outside.low) / WIDTH_IN_ERRORS / copies, 2);
    }
    for (size_t i = 0; i < count; i++) {
        double joules = joules_of(&rows[i], program->with_chip, outside.value) / rows[i].passes;
        sums->joules += joules;
        sums->whole_j += whole_joules(&rows[i], program->with_chip) / rows[i].passes;
        seconds += rows[i].seconds / rows[i].passes;
        sums->seconds += rows[i].seconds;
        sums->passes += rows[i].passes;
        mean += joules / (double)count;
    }
    sums->points_j += mean;
    sums->points_squares += mean * mean;
    add_scatter(rows, count, program->with_chip, outside.value, mean, sums);
    sums->rows += count;
    sums->points++;
    sums->idle_variance += error_w * error_w * seconds * seconds;
}

static void finish(const struct sums *sums, struct incremental_program *program)
{
    double n = (double)sums->rows;
    double points = (double)sums->points;
    double dram_error = sqrt(sums->dram_variance) / points;
    program->rows = sums->rows;
    program->points = sums->points;
    program->whole_j = sums->whole_j / n;
    program->energy_j.value = sums->joules / n;
    program->idle_error_j = sqrt(sums->idle_variance) / n;
    program->between.off = fmax(0, sums->points_squares - sums->points_j * sums->points_j / points);
    program->between.squared = pow(program->whole_j, 2);
    program->between.freedom = points - 1;
    program->seconds = sums->seconds / sums->passes;
    program->passes_j2 = pow(sums->passes / n, 2) / (sums->seconds / n);
    incremental_set_noise(program, sums->freedom > 0 ? sums->within / sums->freedom : 0, sums->freedom);
    program->dram_w = (struct interval){NAN, NAN, NAN, sums->rows};
    if (program->with_chip && sums->dram_w != 0) {
        program->dram_w.value = sums->dram_w / points;
        program->dram_w.low = program->dram_w.value - 1.96 * dram_error;
        program->dram_w.high = program->dram_w.value + 1.96 * dram_error;
    }
}

void incremental_set_noise(struct incremental_program *program, double variance, double freedom)
{
    double error = sqrt(variance / (double)program->rows);
    program->energy_j = (struct propagate_input){program->energy_j.value, error, (size_t)(freedom + 0.5)};
    program->rep_variance = variance;
    program->rep_freedom = freedom;
    /* A point's mean has the noise of its own repetitions and of its own idle level. */
    program->between.variance = (double)program->points * (error * error + pow(program->idle_error_j, 2));
}

static bool is_meant(const struct dataset_row *row, const char *parameter, const char *name)
{
    const char *text = dataset_text(row, parameter);
    return text != NULL && strcmp(text, name) == 0;
}

static enum status check_program(const struct incremental_program *program, struct error *error)
{
    if (program->rows == 1) {
        error_set(error, STATUS_USAGE, "%s has one repetition: its noise is unknown", program->name);
        error_hint(error, "run it with --reps 3 or more");
        return STATUS_USAGE;
    }
    if (isfinite(program->counts[COST_STALL]))
        return STATUS_OK;
    error_set(error, STATUS_USAGE, "the results have neither stall_cycles nor cycles nor ipc of %s",
              program->name);
    error_hint(error, "run with --counters plan,bytes,timing or, where there is a PMU, perf");
    return STATUS_USAGE;
}

enum status incremental_gather(const struct dataset *dataset, double issue_width, const char *parameter,
                               const char *name, struct incremental_program *program, struct error *error)
{
    struct sums sums = {0};
    enum status status = STATUS_OK;
    *program = (struct incremental_program){.name = name};
    const char *const named[] = {parameter, NULL};
    for (size_t i = 0, next; status == STATUS_OK && i < dataset->count; i = next) {
        const struct dataset_row *row = &dataset->rows[i];
        for (next = i + 1; next < dataset->count && dataset->rows[next].point == row->point;)
            next++;
        if (!is_meant(row, parameter, name))
            continue;
        if (program->first == NULL)
            program->first = row;
        status = pooled_check(program->first, row, name, named, true, error);
        for (size_t j = i; status == STATUS_OK && j < next; j++)
            status = check_row(&dataset->rows[j], name, error);
        if (status != STATUS_OK)
            continue;
        set_counts(row, issue_width, program);
        add_point(row, next - i, program, &sums);
    }
    if (status == STATUS_OK && sums.rows == 0) {
        error_set(error, STATUS_USAGE, "there are no results for %s", name);
        error_hint(error, "trauma run data-movement-2013/programs measures all that the model needs");
        return STATUS_USAGE;
    }
    if (status != STATUS_OK)
        return status;
    finish(&sums, program);
    return check_program(program, error);
}

double incremental_sum(const double *counts, const double *costs)
{
    double joules = 0;
    for (size_t i = 0; i < COSTS; i++)
        joules += counts[i] * costs[i];
    return joules;
}
