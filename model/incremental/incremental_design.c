/* Which points determine the model "incremental": rows of operations per second, from the plan. */
#include "model/design/design_form.h"

#include <math.h>
#include <string.h>

/* Each operation: its coefficient, its count in the results and its typical energy. */
static const struct {
    const char *name, *count;
    double joules;
} operations[] = {{"E_NOP", "op.nop", 0.5e-9},
                  {"E_ADD", "op.add", 0.6e-9},
                  {"E_L1", "accesses.L1", 1.1e-9},
                  {"E_L2", "accesses.L2", 2.2e-9},
                  {"E_L3", "accesses.L3", 10e-9},
                  {"E_MEM", "accesses.MEM", 60e-9},
                  {"E_stall", "counter.stall_cycles", 1.4e-9},
                  {"E_prefetch", "counter.prefetches", 65e-9}};
enum { OPERATIONS = sizeof operations / sizeof operations[0] };

static void add_incremental(const struct design_chip *chip, const struct dataset_row *row,
                            struct design_columns *columns)
{
    (void)chip;
    for (size_t i = 0; dataset_text(row, "program") != NULL && i < OPERATIONS; i++)
        if (dataset_number(row, operations[i].count) > 0)
            design_add(columns, "", operations[i].name, operations[i].joules);
}

static size_t fill_incremental(const struct design_chip *chip, const struct dataset_row *row,
                               const struct design_columns *columns, double *x)
{
    const char *program = dataset_text(row, "program");
    bool prefetches = dataset_number(row, "counter.prefetches") > 0;
    double factor = model_setting(model_incremental.settings, chip->settings, "factor");
    if (isnan(factor))
        factor = chip->machine.load_ports - 1 / chip->machine.latency_l1d;
    for (size_t i = 0; i < OPERATIONS; i++) {
        double rate = dataset_number(row, operations[i].count) / row->seconds;
        bool hidden = prefetches && strncmp(operations[i].count, "accesses", 8) == 0;
        if (program != NULL && strcmp(program, "MB_L1") == 0 && strcmp(operations[i].name, "E_L1") == 0 &&
            isfinite(factor))
            rate *= factor;
        design_set(columns, "", operations[i].name, hidden ? 0 : rate, x);
    }
    return 1;
}

/* Whether the point is fitted: mixtures and programs with a number of copies are only predicted. */
static bool is_program(const struct dataset_row *row)
{
    return dataset_text(row, "program") != NULL && isnan(result_parameter(row->point, "copies"));
}

static bool is_of_copies(const struct dataset_row *row, double *share)
{
    (void)share;
    return dataset_text(row, "program") != NULL && !is_program(row);
}

static const char *const recipes_of_incremental[] = {"data-movement-2013", NULL};
const struct design_form design_of_incremental = {
    .recipes = recipes_of_incremental,
    .needs = "the programs of data-movement-2013, by their parameter program",
    .fits = is_program,
    .tests = is_of_copies,
    .add_columns = add_incremental,
    .fill = fill_incremental};
