/* trauma measure loaded: load latency against the bandwidth that other cores, or other blocks of a GPU, use
 * at the same time: a curve for each level and each mix of reads and writes. */
#include "base/json/json_text.h"
#include "base/memory.h"
#include "cli/measure/measure_command.h"
#include "report/metric_value.h"
#include "report/table.h"
#include "session/find_machine.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const accepted[] = {"op", "streams", "node", MEASURE_RECIPE_OPTIONS, NULL};
static const char *const operations[] = {"read", "write", "copy", NULL};
static const char LATENCY[] = "loaded.latency_ns", BANDWIDTH[] = "loaded.bandwidth";

/* The knee of a curve: the latency is this many times the unloaded one. */
static const double SATURATED = 2;

struct loaded_row {
    const struct result_point *point;
    const char *level, *op;
    double node;                   /* of the data; NAN: any */
    double duty, streams, overlap; /* overlap: see overlap_of */
    bool counts;                   /* it has both a bandwidth and a latency */
    struct metric_value bandwidth, latency;
    char why[256]; /* the reason why it does not count */
};

static const char *text_of(const struct result_point *point, const char *name)
{
    const char *text = result_parameter_text(point, name);
    return text == NULL ? "" : text;
}

static void set_reason(struct loaded_row *row)
{
    const struct result_point *point = row->point;
    if (point->error != NULL || point->skipped != NULL)
        snprintf(row->why, sizeof row->why, "%s", point->error != NULL ? point->error : point->skipped);
    else if (row->overlap < RESULT_BESIDE)
        snprintf(row->why, sizeof row->why,
                 "withheld: the streams ran during %.2f of the chase, less than %g, in each repetition",
                 row->overlap, RESULT_BESIDE);
    else
        snprintf(row->why, sizeof row->why, "not observed");
}

/* The share of the chase during which the streams ran: the least of the repetitions that count, or else the
 * greatest of the others; NAN: nothing ran beside the chase. */
static double overlap_of(const struct result_point *point)
{
    double least = INFINITY, greatest = NAN;
    for (size_t i = 0; i < point->rep_count; i++) {
        double own = result_rep_overlap(&point->reps[i]);
        if (point->reps[i].company.count > 0 && own >= RESULT_BESIDE)
            least = fmin(least, own);
        if (point->reps[i].company.count > 0)
            greatest = fmax(own, greatest);
    }
    return isfinite(least) ? least : greatest;
}

static struct loaded_row row_of(const struct result_point *point)
{
    struct loaded_row row = {.point = point,
                             .level = text_of(point, "level"),
                             .op = text_of(point, "op"),
                             .node = result_parameter(point, "node"),
                             .duty = result_parameter(point, "duty"),
                             .overlap = overlap_of(point)};
    for (size_t i = 0; point->rep_count > 0 && i < point->reps[0].company.count; i++)
        row.streams += fmax(point->reps[0].company.items[i].blocks, 1);
    row.counts =
        metric_value_of(point, BANDWIDTH, &row.bandwidth) && metric_value_of(point, LATENCY, &row.latency);
    if (!row.counts)
        set_reason(&row);
    return row;
}

/* By level, node and mix; then by duty. */
static int compare_curves(const struct loaded_row *a, const struct loaded_row *b)
{
    int level = strcmp(a->level, b->level), op = strcmp(a->op, b->op);
    return level != 0 ? level : a->node != b->node && isfinite(a->node) ? (a->node > b->node) - 1 : op;
}

static bool is_before(const struct loaded_row *a, const struct loaded_row *b)
{
    int curve = compare_curves(a, b);
    return curve != 0 ? curve < 0 : a->duty < b->duty;
}

static struct loaded_row *rows_of(const struct result_points *points)
{
    struct loaded_row *rows = memory_zeroed(points->count + 1, sizeof *rows);
    for (size_t i = 0; i < points->count; i++) {
        struct loaded_row row = row_of(&points->items[i]);
        size_t at = i;
        for (; at > 0 && is_before(&row, &rows[at - 1]); at--)
            rows[at] = rows[at - 1];
        rows[at] = row;
    }
    return rows;
}

static const char *doubt_of(const struct loaded_row *row)
{
    return row->bandwidth.doubt[0] != '\0' ? row->bandwidth.doubt : row->latency.doubt;
}

/* ---- the summary of a curve ---- */

/* Of the rows without a doubt, in ascending order of duty. NULL: none. */
struct curve {
    const struct loaded_row *unloaded; /* the chase alone */
    const struct loaded_row *fastest;  /* of the largest bandwidth */
    const struct loaded_row *slowest;  /* of the largest latency */
    double knee; /* the bandwidth at which the latency doubles, between two rows; NAN: nowhere */
};

static struct curve curve_of(const struct loaded_row *rows, size_t count)
{
    struct curve curve = {.knee = NAN};
    const struct loaded_row *before = NULL;
    for (size_t i = 0; i < count; i++) {
        const struct loaded_row *row = &rows[i];
        if (!row->counts || doubt_of(row)[0] != '\0')
            continue;
        if (row->duty == 0)
            curve.unloaded = row;
        if (row->duty > 0 && (curve.fastest == NULL || row->bandwidth.value > curve.fastest->bandwidth.value))
            curve.fastest = row;
        if (curve.slowest == NULL || row->latency.value > curve.slowest->latency.value)
            curve.slowest = row;
        double twice = curve.unloaded == NULL ? NAN : SATURATED * curve.unloaded->latency.value;
        if (isnan(curve.knee) && before != NULL && row->latency.value >= twice &&
            before->latency.value < twice) {
            double part = (twice - before->latency.value) / (row->latency.value - before->latency.value);
            curve.knee = before->bandwidth.value + part * (row->bandwidth.value - before->bandwidth.value);
        }
        before = row;
    }
    return curve;
}

static void print_curve(const struct loaded_row *rows, size_t count)
{
    struct curve curve = curve_of(rows, count);
    printf("%s, ", rows->level);
    if (isfinite(rows->node))
        printf("node %.0f, ", rows->node);
    printf("%s: ", rows->op);
    if (curve.unloaded != NULL)
        printf("unloaded %.4g ns", curve.unloaded->latency.value);
    else
        printf("no unloaded latency without a doubt");
    if (curve.fastest != NULL)
        printf("; peak %.4g GB/s at %.4g ns", curve.fastest->bandwidth.value * 1e-9,
               curve.fastest->latency.value);
    else
        printf("; no row with streams is without a doubt");
    if (isfinite(curve.knee))
        printf("; knee near %.3g GB/s", curve.knee * 1e-9);
    else if (curve.unloaded != NULL && curve.fastest != NULL)
        printf("; no knee: latency is at most %.3g times the unloaded one",
               curve.slowest->latency.value / curve.unloaded->latency.value);
    printf("\n");
}

/* ---- the table ---- */

static void value_cell(struct table *table, const struct loaded_row *row, const struct metric_value *seen,
                       double scale, const char *name)
{
    char text[128] = "-";
    if (row->counts)
        metric_value_write(seen, scale, 4, text, sizeof text);
    table_cell(table, "%s", text);
    if (row->counts)
        table_doubt(table, seen->doubt, name);
}

static void fill(const struct loaded_row *rows, size_t count, struct table *table)
{
    for (size_t i = 0; i < count; i++) {
        const struct loaded_row *row = &rows[i];
        char name[96], why[256] = "";
        char place[48];
        int length = snprintf(place, sizeof place, "%.16s", row->level);
        if (isfinite(row->node))
            snprintf(place + length, sizeof place - (size_t)length, ", node %.0f", row->node);
        snprintf(name, sizeof name, "%.40s, %.16s, duty %.4g", place, row->op, row->duty);
        table_texts(table, place, row->op);
        table_cell(table, "%.4g", row->duty);
        table_cell(table, "%.0f", row->streams);
        value_cell(table, row, &row->bandwidth, 1e-9, name);
        value_cell(table, row, &row->latency, 1, name);
        if (isfinite(row->overlap))
            table_cell(table, "%.3f", row->overlap);
        else
            table_cell(table, "-");
        if (!row->counts)
            table_note(table, row->why, why, sizeof why);
        table_cell(table, "%s", why);
    }
}

static void print(const struct result_points *points)
{
    struct loaded_row *rows = rows_of(points);
    struct table table = table_of("level|op|>duty|>streams|>GB/s|>latency, ns|>overlap|");
    fill(rows, points->count, &table);
    table_print(&table, stdout);
    printf("\n");
    for (size_t i = 0, next; i < points->count; i = next) {
        for (next = i + 1; next < points->count && compare_curves(&rows[i], &rows[next]) == 0;)
            next++;
        print_curve(&rows[i], next - i);
    }
    printf(
        "\nGB/s: bytes that the streams loaded and stored while the chase ran, without the lines that stores "
        "read. overlap:\nthe share of the chase during which they ran. knee: where the latency is %g times "
        "the "
        "unloaded one, between two rows.\n",
        SATURATED);
    table_free(&table);
    free(rows);
}

static void write_number(struct json_text *text, const char *name, double value)
{
    if (isfinite(value))
        json_text_number(text, name, value);
    else
        json_text_null(text, name);
}

/* "NAME", "NAME_low" and "NAME_high"; null if there is no value. */
static void write_value(struct json_text *text, const char *name, bool has, const struct metric_value *seen)
{
    char end[48];
    write_number(text, name, has ? seen->value : NAN);
    snprintf(end, sizeof end, "%s_low", name);
    write_number(text, end, has ? seen->low : NAN);
    snprintf(end, sizeof end, "%s_high", name);
    write_number(text, end, has ? seen->high : NAN);
}

static void print_json_row(const struct loaded_row *row)
{
    struct buffer line = {0};
    struct json_text text = {.buffer = &line, .first = true, .compact = true};
    json_text_open(&text, NULL, '{');
    json_text_string(&text, "level", row->level);
    json_text_string(&text, "op", row->op);
    if (isfinite(row->node))
        json_text_number(&text, "node", row->node);
    write_number(&text, "duty", row->duty);
    write_number(&text, "streams", row->streams);
    write_value(&text, "bandwidth_bps", row->counts, &row->bandwidth);
    write_value(&text, "latency_ns", row->counts, &row->latency);
    write_number(&text, "overlap", row->overlap);
    if (!row->counts)
        json_text_string(&text, "withheld", row->why);
    else if (doubt_of(row)[0] != '\0')
        json_text_string(&text, "doubt", doubt_of(row));
    json_text_close(&text, '}');
    command_print_json_lines(&line);
}

static void print_json(const struct result_points *points)
{
    struct loaded_row *rows = rows_of(points);
    for (size_t i = 0; i < points->count; i++)
        print_json_row(&rows[i]);
    free(rows);
}

/* If -m names a GPU, another recipe is used, in which other grids stream; no share of caches needs a probe.
 */
static enum status choose_recipe(const char *name, struct measure_recipe *question, struct error *error)
{
    struct machine machine;
    enum status status = name == NULL ? STATUS_OK : find_machine(name, "", &machine, error);
    if (name == NULL)
        return status;
    if (status == STATUS_OK && machine_is_gpu(&machine)) {
        question->recipe = "gpu-bandwidth/loaded";
        question->filter = "loaded/.*grid=0,";
        question->shares = false;
    }
    if (status == STATUS_OK && strcmp(machine.isa, "gcn") == 0)
        status = error_set(
            error, STATUS_USAGE,
            "measure loaded runs two grids at the same time, which needs CUDA, and %s is an AMD GPU; "
            "for the latency alone: `trauma run gallery/gpu-latency-ladder -m %s`",
            machine.name, name);
    machine_free(&machine);
    return status;
}

static int run(const struct options *options)
{
    struct error error;
    struct measure_recipe question = {.command = "measure loaded",
                                      .ops = operations,
                                      .mixes = true,
                                      .filter = "loaded/core=0,",
                                      .counters = "bytes",
                                      .power = "none",
                                      .shares = true,
                                      .print = print,
                                      .print_json = print_json};
    if (choose_recipe(options->machine, &question, &error) != STATUS_OK)
        return command_fail(&error);
    if (question.recipe != NULL && options->node != NULL) {
        error_set(&error, STATUS_USAGE,
                  "--node is of a processor's memory, and %s is a GPU: expected no --node", options->machine);
        return command_fail(&error);
    }
    return measure_recipe(options, &question);
}

const struct command measure_loaded = {
    .name = "measure loaded",
    .arguments = "[--op read|write|copy|N:M] [--streams N] [--node N|all] [OPTIONS]",
    .summary = "load latency against bandwidth: one core chases while others stream",
    .details =

        "Core 0 follows a pointer chase that L3 or memory serves. Meanwhile other cores read, write or "
        "copy data of that level (N:M: N reads to M writes), at a rate that idle instructions reduce. "
        "duty is this rate as a share of what their L1 could serve; at 0 the chase runs alone. The "
        "bandwidth is computed from the bytes that the other cores moved while the chase ran. A row "
        "counts only if they ran during at least 0.95 of the chase; it is in doubt if other programs took "
        "their processors.\n"
        "\n"
        "With -m and an NVIDIA GPU, blocks of one thread chase in L2 or memory while the blocks of "
        "another grid stream (recipes/gpu-bandwidth/loaded.lua). duty is then a share of the level's "
        "bandwidth or, if the machine file states none, of the blocks (--streams).\n"
        "\n"
        "--node N puts the data of all cores on that NUMA node; --node all measures a curve for each. "
        "--set duty=0,0.01,1 selects rates, --set level=MEM a level.\n",
    .examples = "  trauma measure loaded --op 3:1 --figure loaded.svg\n"
                "  trauma measure loaded --op read --streams 4 --set level=MEM\n"
                "  trauma measure loaded -m h100 --set level=L2\n",
    .options = accepted,
    .run = run,
};
