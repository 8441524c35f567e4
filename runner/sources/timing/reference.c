#include "runner/sources/timing/reference.h"

#include "base/json.h"
#include "isa/isa.h"
#include "runner/sources/source.h"

#include <string.h>

enum { CLOCK_CYCLES = 500, CLOCK_BESIDE = 4 };

/* The quantile of the valid rounds that is used: a fifth of the rounds is quiet even on a busy machine. */
static const double QUIET = 0.2;

void race_add(struct race *race, const struct test_program *test_program)
{
    race->parts[race->count++] = *test_program;
}

static enum status add_reference(struct race *race, const struct test_program *test_program,
                                 const struct code_generator *code_generator, const json_t *kernel,
                                 bool indexed, struct error *error)
{
    struct program *program = &race->programs[race->count];
    struct plan_options options = {
        .seed = 1, .label = "reference", .force_indexed = indexed, .unchecked = true};
    const struct machine *machine = test_program_reference_machine(test_program);
    enum status status = program_make_reference(code_generator, kernel, machine, &options, program, error);
    if (status != STATUS_OK) {
        program_free(program);
        error->code = STATUS_UNAVAILABLE;
        return STATUS_UNAVAILABLE;
    }
    struct test_program part = *test_program;
    part.manifest = program->manifest;
    part.executable = program->executable.data;
    part.executable_size = program->executable.size;
    part.object = program->object.data;
    part.object_size = program->object.size;
    race_add(race, &part);
    return STATUS_OK;
}

enum status race_usable(struct error *why_not)
{
    return isa_of_host() != NULL
               ? STATUS_OK
               : error_set(why_not, STATUS_UNAVAILABLE, "no programs are generated for this processor");
}

/* Adds a changed copy of the program's kernel, with the same number of units in its loop. Takes over the
 * reference to it. */
static enum status add_variant(struct race *race, const struct test_program *test_program,
                               const struct code_generator *code_generator, json_t *kernel,
                               struct error *error)
{
    json_object_set_new(kernel, "loop",
                        json_pack("{s:I}", "units", (json_int_t)test_program->manifest->units));
    enum status status =
        add_reference(race, test_program, code_generator, kernel, test_program->manifest->indexed, error);
    json_decref(kernel);
    return status;
}

enum status race_add_end(struct race *race, const struct test_program *test_program,
                         const struct code_generator *code_generator, struct race_end end,
                         struct error *error)
{
    json_t *kernel = json_deep_copy(test_program->manifest->kernel);
    json_t *unit = json_object_get(kernel, "unit");
    for (size_t i = 0; i < json_array_size(unit); i++) {
        json_t *item = json_array_get(unit, i);
        if (json_object_get(item, "served") != NULL)
            json_object_set_new(item, "served", json_pack("{s:f}", level_name((int)end.level), 1.0));
        if (json_object_get(item, "accuracy") != NULL) {
            json_object_set_new(item, "accuracy", json_real(1 - end.random / 2));
            json_object_del(item, "taken");
        }
    }
    return add_variant(race, test_program, code_generator, kernel, error);
}

enum status race_add_unthrottled(struct race *race, const struct test_program *test_program,
                                 const struct code_generator *code_generator, struct error *error)
{
    json_t *kernel = json_deep_copy(test_program->manifest->kernel);
    json_t *unit = json_object_get(kernel, "unit");
    for (size_t i = 0; i < json_array_size(unit); i++)
        if (json_object_get(json_array_get(unit, i), "duty") != NULL)
            json_object_set_new(json_array_get(unit, i), "duty", json_real(1));
    return add_variant(race, test_program, code_generator, kernel, error);
}

/* The operations beside the clock's chain. */
struct beside {
    unsigned width; /* bytes; 0: none */
    bool heavy;     /* floating point or multiplications */
};

static struct beside beside_operation(const struct template *templates, const json_t *item)
{
    const char *op = json_string_or(item, "op", "");
    const struct form *form = template_form(templates, op);
    if (form == NULL || json_object_get(item, "served") != NULL)
        return (struct beside){0};
    return (struct beside){.width = (unsigned)json_integer_value(json_object_get(item, "width")),
                           .heavy = form_has(form, FORM_FLOATING) || strcmp(op, "mul") == 0};
}

/* The operations of a recipe's own text, by the widest register that it names. */
static struct beside beside_text(const struct template *templates, const json_t *item)
{
    static const char *const heavy[] = {"pd ", "ps ", "mul", "madd", "vpdp"};
    const struct text_rules *rules = templates->isa->text_rules;
    const char *text = json_string_or(item, "text", "");
    struct beside beside = {0};
    size_t i;
    json_t *name;
    json_array_foreach(json_object_get(item, "registers"), i, name)
    {
        struct register_use use;
        const char *own = json_is_string(name) ? json_string_value(name) : "";
        if (rules != NULL && rules->read_register(own, strlen(own), &use) && use.kind == 'v' &&
            use.bits / 8 > beside.width)
            beside.width = use.bits / 8;
    }
    for (i = 0; i < sizeof heavy / sizeof *heavy; i++)
        beside.heavy = beside.heavy || strstr(text, heavy[i]) != NULL;
    return beside;
}

/* Finds the operations beside the clock's chain. Cores clock lower while they execute wide vectors, more so
 * for floating point and multiplications, and for some hundred microseconds after (Intel, 64-ia-32
 * optimisation manual, "Skylake Server power management"): the chain then has operations of that kind beside
 * it, which take none of its cycles. */
static struct beside find_beside(const struct template *templates, const json_t *unit)
{
    enum { WIDE = 32 };
    struct beside widest = {0};
    size_t i;
    json_t *item;
    json_array_foreach(unit, i, item)
    {
        bool text = json_object_get(item, "text") != NULL;
        struct beside own = text ? beside_text(templates, item) : beside_operation(templates, item);
        if (own.width > widest.width || (own.width == widest.width && own.heavy))
            widest = own;
    }
    return widest.width >= WIDE ? widest : (struct beside){0};
}

enum status race_add_clock(struct race *race, const struct test_program *test_program,
                           const struct code_generator *code_generator, struct error *error)
{
    const struct beside beside =
        find_beside(&code_generator->templates, json_object_get(test_program->manifest->kernel, "unit"));
    const int chained = beside.width > 0 ? CLOCK_BESIDE : 1;
    json_t *unit = json_pack("[{s:s, s:i, s:i}]", "op", "xor", "count", chained, "chain", 1000000);
    if (beside.width > 0)
        json_array_append_new(unit, json_pack("{s:s, s:i, s:i}", "op", beside.heavy ? "fadd" : "add", "count",
                                              1, "width", (int)beside.width));
    json_t *kernel = json_pack("{s:o, s:{s:i}}", "unit", unit, "loop", "units", CLOCK_CYCLES / chained);
    race->clock_cycles = CLOCK_CYCLES;
    enum status status = add_reference(race, test_program, code_generator, kernel, false, error);
    json_decref(kernel);
    return status;
}

enum status race_add_width(struct race *race, const struct test_program *test_program,
                           const struct code_generator *code_generator, struct error *error)
{
    const struct isa *isa = isa_of_host();
    const char *text = isa == NULL || isa->host == NULL ? NULL : isa->host->independent;
    json_t *item = text == NULL ? json_pack("{s:s}", "op", "add")
                                : json_pack("{s:s, s:s, s:i}", "op", "asm", "text", text, "registers", 2);
    json_t *kernel = json_pack("{s:[o], s:{s:i}}", "unit", item, "loop", "units", (int)race->clock_cycles);
    enum status status = add_reference(race, test_program, code_generator, kernel, false, error);
    json_decref(kernel);
    return status;
}

static double quiet(const double *ticks, const bool *waited, const size_t *chosen, size_t count)
{
    double picked[REFERENCE_ROUNDS];
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (!waited[chosen[i]])
            picked[kept++] = ticks[chosen[i]];
    for (size_t i = 0; kept == 0 && i < count; i++)
        picked[i] = ticks[chosen[i]];
    return stats_quantile(picked, kept == 0 ? count : kept, QUIET);
}

static size_t count_alone(const struct race *race, const bool *waited)
{
    size_t alone = 0;
    for (size_t i = 0; i < race->rounds; i++)
        alone += !waited[i];
    return alone;
}

size_t race_alone(const struct race *race, size_t part)
{
    return count_alone(race, race->waited[part]);
}

size_t race_least_alone(const struct race *race)
{
    size_t least = race->chases.count > 0 ? count_alone(race, race->chases_waited) : race->rounds;
    for (size_t i = 0; i < race->count; i++)
        least = race_alone(race, i) < least ? race_alone(race, i) : least;
    return least;
}

double race_quiet_pass(const struct race *race, size_t part, const size_t *chosen, size_t count)
{
    return quiet(race->ticks_per_pass[part], race->waited[part], chosen, count);
}

double race_quiet_load(const struct race *race, size_t chase, const size_t *chosen, size_t count)
{
    return quiet(race->ticks_per_load[chase], race->chases_waited, chosen, count);
}

double race_expected(const struct race *race, size_t part, const char *metric)
{
    return rates_get(&race->parts[part].manifest->expected, metric, 0);
}

enum status race_blame(const struct race *race, size_t part, enum status status, struct error *error)
{
    if (status == STATUS_OK || race->programs[part].executable.size == 0)
        return status;
    error_prefix(error, "the reference program");
    return source_unavailable(status, error);
}

void race_free(struct race *race)
{
    for (size_t i = 0; i < REFERENCE_PARTS; i++)
        program_free(&race->programs[i]);
    plain_chases_free(&race->chases);
    memset(race, 0, sizeof *race);
}
