#include "generator/emit/code_program.h"

#include "generator/emit/emit.h"
#include "generator/plan/code/code_plan.h"
#include "generator/plan/plan_make.h"
#include "isa/assemble.h"

#include <string.h>

/* Ways to meet a rate, the simplest first. */
static const struct code_manner manners[] = {{1e-9, false}, {1e-9, true},  {1e-4, false},
                                             {1e-4, true},  {1e-3, false}, {1e-3, true}};
enum { MANNERS = sizeof manners / sizeof manners[0] };

/* Numbers of units to try: one by one below the requested number, then at growing distances. */
enum { NEAR_UNITS = 10, FAR_UNITS = 16, MOST_UNITS = 20000 };
static const double FEWER = 0.75;
static const double MORE = 1.4;

static enum status write(const struct plan *plan, const struct template *templates,
                         const struct plan_options *options, struct buffer *source, struct buffer *object,
                         struct error *error)
{
    buffer_free(source);
    buffer_free(object);
    enum status status = emit_program(plan, templates, options, source, NULL, NULL, error);
    if (status == STATUS_OK)
        status = assemble_text(templates->assembly, source, "program.s", error);
    if (status == STATUS_OK)
        assembly_object(templates->assembly, templates->isa, object);
    return status;
}

static enum status write_in(struct plan *plan, const struct template *templates,
                            const struct plan_options *options, const struct code_manner *manner,
                            struct buffer *source, struct buffer *object, struct error *error)
{
    code_plan_begin(plan, manner);
    enum status status = write(plan, templates, options, source, object, error);
    if (status == STATUS_OK)
        status = code_plan_place(plan, templates->isa, options, object, manner, error);
    if (status == STATUS_OK)
        status = write(plan, templates, options, source, object, error);
    return status == STATUS_OK ? code_plan_check(plan, object, error) : status;
}

enum status code_program_write(struct plan *plan, const struct template *templates,
                               const struct plan_options *options, struct buffer *source,
                               struct buffer *object, struct error *error)
{
    struct error last;
    enum status status = STATUS_RECIPE;
    size_t count = options->code_simply ? 1 : MANNERS;
    for (size_t i = 0; status == STATUS_RECIPE && i < count; i++)
        status = write_in(plan, templates, options, &manners[i], source, object, &last);
    if (status != STATUS_OK && error != NULL)
        *error = last;
    return status;
}

/* A search for the number of units. */
struct code_search {
    const struct kernel *kernel;
    const struct machine *machine;
    const struct template *templates;
    struct plan_options options;
    struct plan *plan;
    code_builder *build;
    void *context;
    uint64_t simulated; /* accesses, over all attempts so far */
};

/* Plans and builds with that many units; 0: as many as sizing requests. */
static enum status try_units(struct code_search *search, unsigned units, bool simply, struct error *error)
{
    struct kernel sized = *search->kernel;
    sized.loop_units = units == 0 ? sized.loop_units : units;
    search->options.code_simply = simply;
    plan_free(search->plan);
    enum status status =
        plan_make(&sized, search->machine, search->templates, &search->options, search->plan, error);
    search->plan->kernel = search->plan->asked = search->kernel; /* the sized one ends here */
    search->simulated += search->plan->simulation.accesses;
    return status == STATUS_OK ? search->build(search->context, search->plan, &search->options, error)
                               : status;
}

static bool goes_on(const struct code_search *search, enum status status)
{
    return status == STATUS_RECIPE && search->simulated <= PLAN_SEARCH_SIMULATED;
}

/* The numbers of units after the requested one: near it, then itself with copies, then fewer, then more. */
static enum status try_others(struct code_search *search, unsigned wished, struct error *error)
{
    enum status status = STATUS_RECIPE;
    double units = wished;
    for (unsigned i = 1; goes_on(search, status) && i <= NEAR_UNITS && i < wished; i++)
        status = try_units(search, wished - i, true, NULL);
    if (goes_on(search, status))
        status = try_units(search, wished, false, NULL);
    for (; goes_on(search, status) && units > 1; units *= FEWER)
        status = try_units(search, (unsigned)(units * FEWER) + 1, false, NULL);
    units = wished;
    for (unsigned i = 0; goes_on(search, status) && i < FAR_UNITS && units * MORE < MOST_UNITS; i++) {
        units *= MORE;
        status = try_units(search, (unsigned)units + 1, false, NULL);
    }
    return status == STATUS_RECIPE ? try_units(search, 0, false, error) : status; /* with the reason */
}

enum status code_program_fit(const struct kernel *kernel, const struct machine *machine,
                             const struct template *templates, const struct plan_options *options,
                             struct plan *plan, code_builder *build, void *context, struct error *error)
{
    struct code_search search = {.kernel = kernel,
                                 .machine = machine,
                                 .templates = templates,
                                 .options = *options,
                                 .plan = plan,
                                 .build = build,
                                 .context = context};
    bool free_units = kernel->loop_units == 0;
    enum status status = try_units(&search, 0, free_units, error);
    if (status != STATUS_RECIPE || !free_units || plan->code == NULL)
        return status;
    unsigned most = code_plan_most_units(plan);
    unsigned wished = most == 0 || most > plan->sizing.units ? plan->sizing.units : most;
    return try_others(&search, wished, error);
}
