#include "session/work.h"

#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/text/plural.h"
#include "base/text/text_set.h"
#include "generator/machine/detect.h"
#include "generator/suite/program_parts.h"
#include "isa/isa.h"
#include "report/verdict_report.h"
#include "runner/devices/launcher.h"
#include "runner/results/results.h"
#include "session/devices.h"
#include "session/find_machine.h"
#include "session/find_recipes.h"
#include "session/shard.h"

#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- recipes with benchmarks for several targets ---- */

static bool any_targets(const struct benchmark_list *benchmarks, const char *target)
{
    bool any = false;
    for (size_t i = 0; i < benchmarks->count; i++)
        any = any || benchmark_has(&benchmarks->items[i].targets, target);
    return any;
}

/* The target for which the recipe must be read again; "" if it was read for the right one. Of a recipe's
 * several targets, only --target selects another. */
static void work_target_wanted(const struct recipe *recipe, const struct selection *selection,
                               const struct target_context *target_context, char wants[RECIPE_TARGET_BYTES])
{
    snprintf(wants, RECIPE_TARGET_BYTES, "%s", recipe->wants);
    if (selection->target != NULL && strcmp(selection->target, target_context->machine.isa) != 0 &&
        (any_targets(&recipe->benchmarks, selection->target) ||
         any_targets(&recipe->left_out, selection->target)))
        snprintf(wants, RECIPE_TARGET_BYTES, "%s", selection->target);
}

/* Warns of the benchmarks that the machine does not run, in a file with others that it does run. */
static void work_target_warn(const struct work *work, const struct work_source *source)
{
    size_t out = source->recipe.left_out.count, in = source->recipe.benchmarks.count;
    if (out > 0 && in > 0 && work->selection->target == NULL)
        session_warn(work->request->events,
                     "%zu of %zu benchmarks of %s are left out, as %s does not run their targets", out,
                     out + in, source->shown, source->target_context->machine.name);
}

/* ---- inputs ---- */

enum status work_classify(const char *input, enum input_kind *kind, struct error *error)
{
    *kind = INPUT_RECIPE;
    if (file_is_folder(input) && suite_is_one(input))
        *kind = INPUT_SUITE;
    else if (file_ends_with(input, ".jsonl") || (file_is_regular(input) && results_is_one(input)))
        *kind = INPUT_RESULTS;
    if (*kind == INPUT_RECIPE && file_ends_with(input, ".json") && file_is_regular(input))
        return error_set(error, STATUS_USAGE,
                         "%s is a JSON document, but a recipe is Lua; name a suite by its folder", input);
    if (*kind == INPUT_RESULTS && !file_is_regular(input))
        return error_set(error, STATUS_USAGE, "there is no results file %s", input);
    return STATUS_OK;
}

/* ---- points that failed ---- */

static bool has_passed(const struct check_finding *finding)
{
    if (finding->failure != NULL)
        return false;
    for (size_t i = 0; i < finding->rates.count; i++)
        if (verdict_rank(finding->rates.items[i].verdict) != RANK_PASSED)
            return false;
    return true;
}

/* The names of points, and whether the last point of each name failed. */
struct failed_names {
    struct text_set names;
    bool *failed; /* [names.count]; owned */
};

static enum status judge_recorded(struct results_reader *results, size_t index, struct failed_names *names,
                                  struct error *error)
{
    struct result_point point;
    if (result_point_load(results, index, NULL, &point, error) != STATUS_OK)
        return STATUS_USAGE;
    char name[FILE_PATH_BYTES];
    struct check_finding *finding = check_finding_judged(&results->context, &point);
    file_join(name, finding->benchmark, finding->point);
    size_t known = names->names.count, at = text_set_add(&names->names, name);
    if (at == known)
        names->failed = memory_next(names->failed, known, sizeof *names->failed);
    names->failed[at] = !has_passed(finding);
    check_finding_free(finding);
    result_point_free(&point);
    return STATUS_OK;
}

/* Finds the names "benchmark/point" in a results file, and which points did not run or have a rate that
 * fails, is inconclusive or is unobserved. Judges each point again from its recorded evidence. STATUS_USAGE
 * if the file cannot be read or all of its points passed. */
static enum status find_failed(const char *path, struct failed_names *names, struct error *error)
{
    struct results_reader results = {.fd = -1};
    bool any = false;
    enum status status = results_open(path, &results, error);
    for (size_t i = 0; status == STATUS_OK && i < results.count; i++)
        status = judge_recorded(&results, i, names, error);
    for (size_t i = 0; i < names->names.count; i++)
        any = any || names->failed[i];
    if (status == STATUS_OK && !any)
        status = error_set(error, STATUS_USAGE, "--failed-in %s: all of its %zu point%s passed", path,
                           results.count, plural_s(results.count));
    results_reader_close(&results);
    return status;
}

/* ---- selected points ---- */

/* The compiled selection. */
struct matcher {
    const struct selection *selection;
    struct shard shard;
    struct failed_names failed; /* of selection->failed_in */
    regex_t pattern;
    bool has_pattern;
};

static enum status matcher_open(const struct selection *selection, bool sharded, struct matcher *matcher,
                                struct error *error)
{
    *matcher = (struct matcher){.selection = selection};
    enum status status = shard_read(selection->shard, sharded, &matcher->shard, error);
    if (status == STATUS_OK && selection->failed_in != NULL)
        status = find_failed(selection->failed_in, &matcher->failed, error);
    if (status != STATUS_OK || selection->filter == NULL)
        return status;
    int code = regcomp(&matcher->pattern, selection->filter, REG_EXTENDED | REG_NOSUB);
    if (code != 0) {
        char reason[128];
        regerror(code, &matcher->pattern, reason, sizeof reason);
        return error_set(error, STATUS_USAGE, "--filter '%s' is not a regular expression: %s",
                         selection->filter, reason);
    }
    matcher->has_pattern = true;
    return STATUS_OK;
}

static bool is_selected(const struct matcher *matcher, const struct work_item *item)
{
    const struct selection *selection = matcher->selection;
    char name[FILE_PATH_BYTES];
    file_join(name, item->benchmark, item->point);
    size_t at = text_set_find(&matcher->failed.names, name);
    if (selection->failed_in != NULL && (at == matcher->failed.names.count || !matcher->failed.failed[at]))
        return false;
    if (matcher->has_pattern && regexec(&matcher->pattern, name, 0, NULL, 0) != 0)
        return false;
    if (selection->point != NULL && strcmp(selection->point, item->point) != 0 &&
        strcmp(selection->point, name) != 0)
        return false;
    if (selection->target == NULL)
        return true;
    struct manifest *point = work_point(item, NULL);
    bool same = point != NULL && strcmp(selection->target, manifest_text_or(point->target, "")) == 0;
    manifest_free(point);
    return same;
}

static struct work_source *add_source(struct work *work, const char *path, enum input_kind kind)
{
    struct work_source *source = &work->sources[work->source_count++];
    source->kind = kind;
    source->path = path;
    source->shown = kind == INPUT_RECIPE ? recipe_shown(path, &work->arena) : path;
    return source;
}

static enum status add_suite(struct work *work, const char *path, struct error *error)
{
    struct work_source *source = add_source(work, path, INPUT_SUITE);
    enum status status = suite_read(path, &source->index, &source->machine, error);
    if (status != STATUS_OK)
        return status;
    source->seed = source->index.seed;
    struct machine present;
    if (find_machine(NULL, "", &present, NULL) == STATUS_OK)
        source->machine.present = detect_same(&present, &source->machine);
    machine_free(&present);
    return STATUS_OK;
}

/* Finds or opens the context of the target. */
static enum status find_target_context(struct work *work, const char *target,
                                       struct target_context **target_context, struct error *error)
{
    for (size_t i = 0; i < WORK_CONTEXTS; i++) {
        *target_context = &work->target_contexts[i];
        if ((*target_context)->open && strcmp((*target_context)->machine.isa, target) == 0)
            return STATUS_OK;
        if (!(*target_context)->open)
            return target_context_open_for(work->request, target, work->selection->gpu != WORK_GPU_NEEDED,
                                           *target_context, error);
    }
    return error_set(error, STATUS_RECIPE, "the recipes need more than %d kinds of machines", WORK_CONTEXTS);
}

/* ---- --set over several recipes: each gets the overrides of its own parameters ---- */

static enum status load_with(const struct work_source *source, const struct override *overrides, size_t count,
                             struct recipe *recipe, struct error *error)
{
    const struct target_context *target_context = source->target_context;
    return recipe_load(source->path, &target_context->machine, &target_context->code_generator.templates,
                       overrides, count, recipe, error);
}

static bool has_parameter(const struct work_source *source, const char *name)
{
    struct recipe plain;
    struct error ignored; /* errors without the override do not matter here */
    bool found = false;
    if (load_with(source, NULL, 0, &plain, &ignored) == STATUS_OK)
        for (size_t i = 0; !found && i < plain.count; i++) {
            struct buffer text = {0};
            struct manifest *point = recipe_text(&plain, &plain.points[i], &text, NULL) == STATUS_OK
                                         ? point_read(&text, source->path, NULL)
                                         : NULL;
            found = point != NULL && json_object_get(point->parameters, name) != NULL;
            manifest_free(point);
            buffer_free(&text);
        }
    recipe_free(&plain);
    return found;
}

/* *accepted: the recipe accepts the override. STATUS_USAGE if it has the parameter and refuses the value. */
static enum status try_override(const struct work_source *source, const struct override *override,
                                bool *accepted, struct error *error)
{
    struct recipe trial;
    enum status status = load_with(source, override, 1, &trial, error);
    recipe_free(&trial);
    *accepted = status != STATUS_USAGE;
    return status == STATUS_USAGE && has_parameter(source, override->name) ? status : STATUS_OK;
}

/* Loads the source's recipe with the overrides that it accepts, and marks these in used. */
static enum status load_overridden(struct work_source *source, const struct override_list *overrides,
                                   bool *used, struct error *error)
{
    enum status status = load_with(source, overrides->items, overrides->count, &source->recipe, error);
    if (status == STATUS_OK)
        memset(used, true, overrides->count * sizeof *used);
    if (status != STATUS_USAGE || overrides->count == 0)
        return status;
    struct override *chosen = memory_zeroed(overrides->count, sizeof *chosen);
    size_t count = 0;
    recipe_free(&source->recipe);
    status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < overrides->count; i++) {
        bool accepted = false;
        status = try_override(source, &overrides->items[i], &accepted, error);
        if (!accepted)
            continue;
        used[i] = true;
        chosen[count++] = overrides->items[i];
    }
    if (status == STATUS_OK)
        status = load_with(source, chosen, count, &source->recipe, error);
    free(chosen);
    return status;
}

/* STATUS_USAGE when no recipe used one of the overrides; the hint suggests the parameters of this source. */
static enum status check_overrides(const struct work_source *source, const struct override_list *overrides,
                                   const bool *used, struct error *error)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < overrides->count; i++) {
        struct recipe trial;
        if (used[i])
            continue;
        status = load_with(source, &overrides->items[i], 1, &trial, error);
        recipe_free(&trial);
    }
    return status;
}

/* ---- recipes and suites ---- */

/* Reads one recipe for the first context, or for the context of its own target. With -m, a recipe for another
 * target is left out: *left_out is true and *error holds the reason. */
static enum status read_recipe(struct work *work, struct work_source *source, bool *used, bool *left_out,
                               struct error *error)
{
    char wants[sizeof source->recipe.wants];
    const struct override_list *overrides = &work->selection->overrides;
    bool named = work->request->machine != NULL;
    *left_out = false;
    source->target_context = &work->target_contexts[0];
    enum status status = load_overridden(source, overrides, used, error);
    work_target_wanted(&source->recipe, work->selection, source->target_context, wants);
    if (wants[0] == '\0' || (status == STATUS_OK && named))
        return status;
    recipe_free(&source->recipe);
    *left_out = named;
    if (*left_out)
        return STATUS_OK;
    status = find_target_context(work, wants, &source->target_context, error);
    return status == STATUS_OK ? load_overridden(source, overrides, used, error) : status;
}

/* Reads the recipes for their machines. */
static enum status add_recipes(struct work *work, const struct recipe_paths *recipes, struct error *error)
{
    const struct selection *selection = work->selection;
    if (recipes->count == 0)
        return STATUS_OK;
    enum status status = target_context_open(work->request, &work->target_contexts[0], error);
    bool *used = arena_alloc(&work->arena, selection->overrides.count + 1, sizeof *used);
    struct error why; /* the last recipe was left out */
    size_t out = 0;
    for (size_t i = 0; status == STATUS_OK && i < recipes->count; i++) {
        bool left_out = false;
        struct work_source *source = add_source(work, recipes->paths[i], INPUT_RECIPE);
        source->seed = selection->seed;
        status = json_is_text(source->path)
                     ? read_recipe(work, source, used, &left_out, error)
                     : error_set(error, STATUS_USAGE, "the name of a recipe file in the folder is not UTF-8");
        out += left_out;
        if (left_out)
            why = *error;
        else if (status == STATUS_OK)
            work_target_warn(work, source);
    }
    if (status == STATUS_OK && out == recipes->count) {
        *error = why;
        return why.code;
    }
    if (status == STATUS_OK && out > 0 && selection->input_count > 0)
        session_warn(work->request->events,
                     "%zu of %zu recipes are left out, as %s does not run their targets", out, recipes->count,
                     work->target_contexts[0].machine.name);
    return status == STATUS_OK ? check_overrides(&work->sources[0], &selection->overrides, used, error)
                               : status;
}

enum status work_check_runnable(const struct work *work, struct error *error)
{
    for (size_t i = 0; i < work->source_count; i++) {
        const struct work_source *source = &work->sources[i];
        if (source->index.markers == NULL || strncmp(source->index.markers, "gem5", 4) != 0)
            continue;
        error_set(error, STATUS_UNAVAILABLE,
                  "the programs of %s have gem5's markers, which no processor executes", source->path);
        error_hint(error,
                   "run them in gem5, or generate the suite without --markers or with --markers cpuid");
        return STATUS_UNAVAILABLE;
    }
    return STATUS_OK;
}

static struct work_item item_of(struct work_source *source, size_t index)
{
    struct work_item item = {.source = source, .index = index};
    if (source->kind == INPUT_SUITE) {
        item.entry = &source->index.entries[index];
        item.benchmark = item.entry->benchmark;
        item.point = item.entry->point;
        item.recipe = item.entry->recipe;
    } else {
        item.in_recipe = &source->recipe.points[index];
        item.benchmark = source->recipe.points[index].benchmark;
        item.point = source->recipe.points[index].name;
        item.recipe = source->shown;
    }
    return item;
}

static size_t source_points(const struct work_source *source)
{
    return source->kind == INPUT_SUITE ? source->index.count : source->recipe.count;
}

bool work_pair(const struct work_item *item, int cpus[2])
{
    struct manifest *point = work_point(item, NULL);
    const struct manifest_units *cores = point == NULL ? NULL : manifest_units(point, "cores");
    bool two = cores != NULL && cores->count == 2;
    for (size_t i = 0; two && i < 2; i++)
        cpus[i] = (int)cores->numbers[i];
    manifest_free(point);
    return two;
}

bool work_find(struct work_source *source, const char *benchmark, const char *point, struct work_item *item)
{
    for (size_t i = 0; i < source_points(source); i++) {
        *item = item_of(source, i);
        if (strcmp(item->benchmark, benchmark) == 0 && strcmp(item->point, point) == 0)
            return true;
    }
    return false;
}

static enum status refuse_empty(const struct work *work, size_t total, struct error *error)
{
    const struct machine *machine = &work->target_contexts[0].machine;
    const char *target = work->selection->target;
    error_set(error, STATUS_USAGE, "--filter, --point, --failed-in and --target select none of %zu point%s",
              total, plural_s(total));
    if (target != NULL && work->target_contexts[0].open && strcmp(target, machine->isa) != 0)
        error_hint(error, "the machine %s runs %s; select one that runs %s with -m NAME", machine->name,
                   machine->isa, target);
    else
        error_hint(error, "trauma list -v names the points");
    return STATUS_USAGE;
}

static enum status select_items(struct work *work, const struct matcher *matcher, struct error *error)
{
    size_t total = 0;
    for (size_t i = 0; i < work->source_count; i++)
        total += source_points(&work->sources[i]);
    work->items = arena_alloc(&work->arena, total, sizeof *work->items);
    size_t matching = 0, before = 0;
    for (size_t i = 0; i < work->source_count; before += source_points(&work->sources[i++])) {
        for (size_t j = 0; j < source_points(&work->sources[i]); j++) {
            struct work_item item = item_of(&work->sources[i], j);
            item.index = before + j;
            if (is_selected(matcher, &item) && shard_has(&matcher->shard, matching++))
                work->items[work->item_count++] = item;
        }
    }
    return matching == 0 ? refuse_empty(work, total, error) : STATUS_OK;
}

/* Reads every recipe and suite that the inputs name. */
static enum status read_sources(struct work *work, struct error *error)
{
    const struct selection *selection = work->selection;
    struct recipe_paths recipes = {0};
    enum status status = STATUS_OK;
    const char **suites = arena_alloc(&work->arena, selection->input_count + 1, sizeof *suites);
    size_t suite_count = 0;
    if (selection->gpu == WORK_GPU_LISTED && selection->input_count == 0)
        status = find_all_recipes(&work->arena, &recipes, error);
    for (size_t i = 0; status == STATUS_OK && i < selection->input_count; i++) {
        enum input_kind kind;
        const char *input = selection->inputs[i];
        status = work_classify(input, &kind, error);
        if (status == STATUS_OK && kind == INPUT_RECIPE)
            status = find_recipes(input, &work->arena, &recipes, error);
        else if (status == STATUS_OK && kind == INPUT_SUITE)
            suites[suite_count++] = input;
        else if (status == STATUS_OK)
            status =
                error_set(error, STATUS_USAGE, "%s is a results file; expected a recipe or a suite", input);
    }
    work->sources = arena_alloc(&work->arena, recipes.count + suite_count, sizeof *work->sources);
    if (status == STATUS_OK)
        status = add_recipes(work, &recipes, error);
    for (size_t i = 0; status == STATUS_OK && i < suite_count; i++)
        status = add_suite(work, suites[i], error);
    return status;
}

/* Refuses two benchmarks with one name, as they would write the same files. */
static enum status check_names(const struct work *work, struct error *error)
{
    struct suite_benchmark one, other;
    struct text_set names = {0};
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && work_benchmark(work, i, &one); i++) {
        size_t first = text_set_add(&names, one.own->name);
        if (first < i && work_benchmark(work, first, &other))
            status = error_set(error, STATUS_RECIPE, "%s and %s both declare the benchmark '%s'",
                               other.recipe, one.recipe, one.own->name);
    }
    text_set_free(&names);
    return status;
}

/* Adds the recipe's line to the error. */
static enum status at_recipe(const struct work_item *item, const struct manifest *point, enum status status,
                             struct error *error)
{
    if (status == STATUS_RECIPE && error->file[0] == '\0')
        error_at(error, item->source->path, (int)point->line);
    return status;
}

/* Kernels with equal texts need only one check. */
static enum status check_item_texts(const struct work_item *item, struct text_set *seen, struct error *error)
{
    const struct target_context *target_context = item->source->target_context;
    struct manifest *point = work_point(item, error);
    if (point == NULL)
        return STATUS_FAILED;
    struct buffer key = {0};
    buffer_text(&key, target_context->machine.isa);
    point_write_texts(point, &key);
    enum status status = STATUS_OK;
    if (text_set_find(seen, key.data) == seen->count)
        status = at_recipe(item, point,
                           program_check_texts(&target_context->code_generator.templates, point,
                                               &target_context->machine, error),
                           error);
    text_set_add(seen, key.data);
    buffer_free(&key);
    manifest_free(point);
    return status;
}

/* Checks asm{} texts before anything is listed, announced or run. */
static enum status check_all_texts(const struct work *work, struct error *error)
{
    struct text_set seen = {0};
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < work->item_count; i++)
        if (work->items[i].in_recipe != NULL && work->items[i].in_recipe->has_text)
            status = check_item_texts(&work->items[i], &seen, error);
    text_set_free(&seen);
    return status;
}

enum status work_refusal(const struct work_item *item, struct error *error)
{
    if (item->in_recipe != NULL)
        return recipe_refusal(&item->source->recipe, item->in_recipe, error);
    const char *recorded = item->entry->refused;
    return recorded == NULL ? STATUS_OK : error_set(error, STATUS_RECIPE, "%s", recorded);
}

/* If every item is refused, returns the first one's reason. An empty shard is no error. */
static enum status check_any_left(const struct work *work, struct error *error)
{
    struct error first, other;
    for (size_t i = 0; i < work->item_count; i++)
        if (work_refusal(&work->items[i], i == 0 ? &first : &other) != STATUS_RECIPE)
            return STATUS_OK;
    if (work->item_count == 0)
        return STATUS_OK;
    *error = first;
    return STATUS_RECIPE;
}

/* Reads --map, which applies only to processors' programs. */
static enum status set_map(struct work *work, struct error *error)
{
    enum page_map map;
    enum status status = test_program_read_map(work->request->map, &map, error);
    for (size_t i = 0; status == STATUS_OK && i < work->source_count; i++) {
        const struct machine *machine = work_machine(&work->sources[i]);
        work->sources[i].map = map;
        if (map != MAP_NONE && machine_is_gpu(machine))
            status =
                error_set(error, STATUS_USAGE,
                          "--map: %s is a GPU, and only qemu, which runs processors' programs, maps pages",
                          machine->name);
    }
    return status;
}

enum status work_open(const struct selection *selection, const struct target_request *request,
                      struct work *work, struct error *error)
{
    bool all_by_default = selection->gpu == WORK_GPU_LISTED;
    *work = (struct work){.selection = selection, .request = request};
    memset(error, 0, sizeof *error);
    if (selection->input_count == 0 && !all_by_default) {
        error_set(error, STATUS_USAGE, "no recipe given");
        error_hint(error, "trauma list names the shipped ones; for example traumagen-2001/dcache");
        return STATUS_USAGE;
    }
    if (selection->target != NULL && isa_find(selection->target) == NULL) {
        struct buffer targets = {0};
        isa_write_targets(&targets);
        error_set(error, STATUS_USAGE, "there is no target '%s' in this version", selection->target);
        error_hint(error, "it generates %s", targets.data);
        buffer_free(&targets);
        return STATUS_USAGE;
    }
    struct matcher matcher;
    enum status status = matcher_open(selection, !all_by_default, &matcher, error);
    if (status == STATUS_OK)
        status = read_sources(work, error);
    if (status == STATUS_OK && selection->input_count > 0) /* all recipes are only listed */
        status = check_names(work, error);
    if (status == STATUS_OK)
        status = select_items(work, &matcher, error);
    if (status == STATUS_OK)
        status = check_all_texts(work, error);
    if (status == STATUS_OK)
        status = check_any_left(work, error);
    if (status == STATUS_OK)
        status = set_map(work, error);
    if (matcher.has_pattern)
        regfree(&matcher.pattern);
    text_set_free(&matcher.failed.names);
    free(matcher.failed.failed);
    return status;
}

/* ---- devices ---- */

/* Finds the device of one kind of GPU. */
static enum status find_for(const struct launcher *launcher, struct work *work, struct error *error)
{
    struct device device;
    enum status status = devices_find(work->request->device, launcher->driver, &device, error);
    if (status != STATUS_OK)
        return status;
    for (size_t i = 0; i < work->source_count; i++) {
        struct work_source *source = &work->sources[i];
        struct machine *machine =
            source->target_context != NULL ? &source->target_context->machine : &source->machine;
        source->device = work->request->device;
        if (strcmp(machine->isa, launcher->target) == 0)
            machine->present = launcher->driver->is_machine(&device, machine);
    }
    return STATUS_OK;
}

bool work_is_on_devices(const struct work *work)
{
    bool alone = true;
    for (size_t i = 0; i < work->source_count; i++)
        alone = alone && machine_is_gpu(work_machine(&work->sources[i]));
    return alone;
}

enum status work_find_devices(struct work *work, struct error *error)
{
    struct error ignored;
    enum status status = STATUS_OK;
    const bool others = !work_is_on_devices(work);
    for (const struct launcher *launcher = launchers; launcher->target != NULL; launcher++) {
        bool needed = false;
        for (size_t i = 0; i < work->source_count; i++)
            needed = needed || strcmp(work_machine(&work->sources[i])->isa, launcher->target) == 0;
        if (!needed || launcher->driver == NULL)
            continue;
        enum status found = find_for(launcher, work, error == NULL ? &ignored : error);
        /* Other work still runs; these points are skipped with the same reason. */
        if (found == STATUS_USAGE || (found != STATUS_OK && !others))
            status = found;
    }
    return status;
}

/* ---- programs ---- */

const struct machine *work_machine(const struct work_source *source)
{
    return source->kind == INPUT_SUITE ? &source->machine : &source->target_context->machine;
}

struct manifest *work_point(const struct work_item *item, struct error *error)
{
    const struct recipe *recipe = &item->source->recipe;
    struct buffer text = {0};
    struct manifest *point = NULL;
    if (item->in_recipe == NULL)
        return point_from_json((json_t *)(uintptr_t)item->entry->document);
    if (recipe_text(recipe, item->in_recipe, &text, error) == STATUS_OK)
        point = point_read(&text, recipe->file, error);
    buffer_free(&text);
    return point;
}

struct manifest *work_tuned_point(const struct work_item *item, struct error *error)
{
    struct manifest *point = work_point(item, error);
    if (point != NULL && item->in_recipe != NULL)
        point->calibration = calibration_store_find(&item->source->target_context->calibration_store, point);
    return point;
}

enum status work_make(const struct work_item *item, const struct manifest *point, struct program *program,
                      struct error *error)
{
    enum status status = work_refusal(item, error);
    if (status == STATUS_OK)
        status = program_make(&item->source->target_context->code_generator, point,
                              &item->source->target_context->machine, item->source->seed, program, error);
    return at_recipe(item, point, status, error);
}

enum status work_program(const struct work_item *item, struct program *program, bool *changed,
                         struct error *error)
{
    const struct work_source *source = item->source;
    *changed = false;
    *program = (struct program){0};
    if (source->kind == INPUT_SUITE) {
        enum status refused = work_refusal(item, error);
        return refused != STATUS_OK ? refused
                                    : suite_load(source->path, item->entry, program, changed, error);
    }
    struct manifest *point = work_tuned_point(item, error);
    if (point == NULL)
        return STATUS_FAILED;
    enum status status = work_make(item, point, program, error);
    manifest_free(point);
    return status;
}

bool work_can_go_on(const struct work_item *item, enum status status)
{
    return status == STATUS_RECIPE || (status == STATUS_FAILED && item->source->kind == INPUT_SUITE);
}

void work_reduce(const struct work_item *item, struct error *error)
{
    char name[FILE_PATH_BYTES], reason[sizeof error->message];
    size_t length = (size_t)snprintf(name, sizeof name, "%s/%s: ", item->benchmark, item->point);
    bool named = length < sizeof name && strncmp(error->message, name, length) == 0;
    snprintf(reason, sizeof reason, "%s", error->message + (named ? length : 0));
    snprintf(error->message, sizeof error->message, "%s", reason);
    size_t used = strlen(error->message);
    if (error->hint[0] != '\0')
        snprintf(error->message + used, sizeof error->message - used, "; %s", error->hint);
    error->hint[0] = '\0';
}

/* The part of the program that runs. */
static const struct buffer *run_part(const struct program *program)
{
    const char *target = program->manifest == NULL
                             ? ISA_PROCESSOR
                             : manifest_text_or(program->manifest->target, ISA_PROCESSOR);
    for (const struct program_part *part = program_parts; part->target != NULL; part++)
        if (part->decides && isa_is_listed(part->target, target))
            return (const struct buffer *)(const void *)((const char *)program + part->offset);
    return &program->executable;
}

void work_hash(const struct program *program, char hash[HASH_TEXT_BYTES])
{
    const struct buffer *part = run_part(program);
    hash_bytes(part->data, part->size, hash);
}

struct test_program work_test_program(const struct work_item *item, const struct program *program, int cpu)
{
    const struct buffer *part = run_part(program);
    const struct target_context *target_context = item->source->target_context;
    struct test_program test_program = {
        .benchmark = item->benchmark,
        .point = item->point,
        .manifest = program->manifest == NULL ? &manifest_none : program->manifest,
        .executable = part->data,
        .executable_size = part->size,
        .object = program->object.data,
        .object_size = program->object.size,
        .source = program->opencl.data,
        .source_size = program->opencl.size,
        .machine = work_machine(item->source),
        .reference_machine = target_context == NULL
                                 ? NULL
                                 : calibration_store_reference_machine(&target_context->calibration_store),
        .cpu = cpu,
        .map = item->source->map,
        .device = item->source->device};
    if (test_program_is_on_device(&test_program))
        test_program.cpu = -1;
    return test_program;
}

bool work_benchmark(const struct work *work, size_t index, struct suite_benchmark *found)
{
    for (size_t i = 0; i < work->source_count; i++) {
        const struct work_source *source = &work->sources[i];
        const struct benchmark_list *own =
            source->kind == INPUT_SUITE ? &source->index.benchmarks : &source->recipe.benchmarks;
        if (index < own->count) {
            found->own = &own->items[index];
            found->recipe = found->own->recipe == NULL ? source->shown : found->own->recipe;
            return true;
        }
        index -= own->count;
    }
    return false;
}

void work_close(struct work *work)
{
    for (size_t i = 0; i < work->source_count; i++) {
        recipe_free(&work->sources[i].recipe);
        machine_free(&work->sources[i].machine);
        suite_index_free(&work->sources[i].index);
    }
    for (size_t i = 0; i < WORK_CONTEXTS; i++)
        target_context_close(&work->target_contexts[i]);
    arena_free(&work->arena);
    memset(work, 0, sizeof *work);
}
