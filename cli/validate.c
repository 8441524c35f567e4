/* trauma validate: measures how well stated rates hold on this machine, behaviour by behaviour. */
#include "base/clock.h"
#include "base/file.h"
#include "base/units.h"
#include "cli/command.h"
#include "cli/options/output_kind.h"
#include "cli/options/requests.h"
#include "isa/isa.h"
#include "report/figure/figure_draw.h"
#include "report/scorecard/scorecard.h"
#include "report/table.h"
#include "runner/evidence/evidence.h"
#include "runner/evidence/host.h"
#include "runner/sources/source.h"
#include "session/execute/check_points.h"
#include "session/execute/conditions_now.h"
#include "session/execute/evidence_request.h"
#include "session/target_request.h"
#include "session/work.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* ---- the card ---- */

struct validation_request {
    struct evidence_request evidence;
    size_t jobs;
    double most_s;    /* points that have not begun after this time are left out */
    bool allow_state; /* set the state that a point requests */
};

/* ---- the machine, and the sources that observe it ---- */

static void add_cache(const char *name, const struct cache *cache, struct buffer *text)
{
    char size[40];
    if (cache->size > 0)
        buffer_printf(text, "%s%s %s, %u ways", text->size == 0 ? "" : "; ", name,
                      units_show_size(cache->size, size, sizeof size), cache->ways);
}

static void describe(const struct machine *machine, struct scorecard *card)
{
    struct buffer caches = {0};
    char date[32];
    time_t now = time(NULL);
    struct tm utc;
    strftime(date, sizeof date, "%Y-%m-%d", gmtime_r(&now, &utc));
    add_cache("L1I", &machine->l1i, &caches);
    add_cache("L1D", &machine->l1d, &caches);
    add_cache("L2", &machine->l2, &caches);
    add_cache("L3", &machine->l3, &caches);
    card->version = TRAUMA_VERSION;
    card->date = arena_strdup(&card->arena, date);
    card->machine = arena_strdup(&card->arena, machine->name);
    card->cpu = arena_strdup(&card->arena, machine_cpu(machine, "model unknown"));
    card->isa = arena_strdup(&card->arena, machine->isa);
    card->caches = caches.size == 0 ? "none described" : arena_take(&card->arena, &caches);
    card->present = machine->present;
    card->is_virtual = machine->is_virtual;
}

/* The sources for its programs that --counters allows. */
static void add_sources(const struct machine *machine, const char *counters, struct scorecard *card)
{
    for (const struct counter_source *const *at = counter_sources; *at != NULL; at++) {
        const struct counter_source *source = *at;
        struct error why = {0};
        bool of_silicon = evidence_kinds[source->kind].side == SIDE_SILICON;
        if (!source_serves(source, machine->isa) ||
            (counters != NULL && strstr(counters, source->name) == NULL) || (source == &counter_record))
            continue;
        struct score_source *added = card->sources =
            arena_next(&card->arena, card->sources, card->source_count, sizeof *card->sources);
        added += card->source_count++;
        *added = (struct score_source){.name = source->name, .kind = source->kind};
        if (of_silicon && !machine->present)
            added->why = "the machine is not the present one";
        else if (source_usable(source, &why) != STATUS_OK)
            added->why = arena_strdup(&card->arena, why.message);
        added->usable = added->why == NULL;
    }
}

static void add_warnings(const struct validation_request *request, const struct target_request *target,
                         struct scorecard *card)
{
    struct warnings warnings = {0};
    unsigned matters = conditions_that_matter(request->evidence.counters, false, false);
    if (matters != 0 && card->present)
        conditions_warn_now(target->root, host_choose_cpu(), matters, NULL, &warnings);
    for (size_t i = 0; i < warnings.count; i++) {
        card->warnings =
            arena_next(&card->arena, card->warnings, card->warning_count, sizeof *card->warnings);
        card->warnings[card->warning_count++] = arena_strdup(&card->arena, warnings.items[i].what);
    }
    warnings_free(&warnings);
}

static void add_behaviour(const struct work *work, const struct benchmark *benchmark, struct scorecard *card)
{
    bool selected = false;
    for (size_t i = 0; i < work->item_count; i++)
        selected = selected || strcmp(work->items[i].benchmark, benchmark->name) == 0;
    if (!selected)
        return;
    card->behaviours =
        arena_next(&card->arena, card->behaviours, card->behaviour_count, sizeof *card->behaviours);
    struct score_behaviour *behaviour = &card->behaviours[card->behaviour_count++];
    *behaviour = (struct score_behaviour){.name = arena_strdup(&card->arena, benchmark->name),
                                          .title = arena_strdup(&card->arena, benchmark_title(benchmark))};
    for (size_t i = 0; i < benchmark->plot_count; i++)
        for (size_t j = 0; j < benchmark->plots[i].y.count; j++) {
            behaviour->metrics = arena_next(&card->arena, behaviour->metrics, behaviour->metric_count,
                                            sizeof *behaviour->metrics);
            behaviour->metrics[behaviour->metric_count++] =
                arena_strdup(&card->arena, benchmark->plots[i].y.items[j]);
        }
}

static void add_behaviours(struct work *work, struct scorecard *card)
{
    struct suite_benchmark benchmark;
    for (size_t i = 0; work_benchmark(work, i, &benchmark); i++)
        add_behaviour(work, benchmark.own, card);
}

/* ---- the check ---- */

struct card_filling {
    struct scorecard *card;
    struct tally *tally;
};

static void found(void *context, struct check_finding *finding)
{
    struct card_filling *filling = context;
    if (finding->failure == NULL)
        tally_rates(&finding->rates, filling->tally);
    else if (finding->code != STATUS_RECIPE)
        tally_failure(finding->code, filling->tally);
    scorecard_add(filling->card, finding);
    check_finding_free(finding);
}

/* Checks the selected points and fills the tally and the card, which the caller frees even after an error.
 * Points that the machine's description does not allow are gaps of the card, and not in the tally. */
static enum status validate_machine(const struct validation_request *request,
                                    const struct selection *selection, const struct target_request *target,
                                    struct scorecard *card, struct tally *tally, struct error *error)
{
    struct work work;
    struct card_filling filling = {card, tally};
    double begin_s = clock_now_s();
    const struct check_request check = {.evidence = request->evidence,
                                        .jobs = request->jobs,
                                        .allow_state = request->allow_state,
                                        .until_s = begin_s + request->most_s,
                                        .tally = tally,
                                        .found = found,
                                        .context = &filling};
    enum status status = work_open(selection, target, &work, error);
    if (status == STATUS_OK) {
        const struct machine *machine = work_machine(&work.sources[0]);
        describe(machine, card);
        add_sources(machine, request->evidence.counters, card);
        add_warnings(request, target, card);
        add_behaviours(&work, card);
    }
    work_close(&work);
    if (status == STATUS_OK)
        status = check_programs(&check, selection, target, error);
    card->seconds = clock_now_s() - begin_s;
    return status;
}

static const char *const accepted[] = {
    "machine", "output", "against", "figure", "badge",      "time",        "filter",    "counters",
    "jobs",    "seed",   "probe",   "here",   "sysfs-root", "allow-state", "calibrate", "no-calibration",
    "strict",  "schema", "json",    "quiet",  "verbose",    NULL};
static const char SUITE[] = "validate";
static const char PAGE[] = ".html", DOCUMENT[] = ".json", BADGE[] = ".svg";

/* An error that grew by less is no change. */
static const double THRESHOLD = 0.02;
static const double MOST_S = 600;

/* ---- the table ---- */

/* "0.25 -> 0.2534": wanted and observed at the point with the largest error. */
static void write_worst(const struct score_row *row, enum score_side side, char *text, size_t capacity)
{
    double error;
    const struct score_point *worst = score_row_worst(row, side, &error);
    if (worst == NULL)
        snprintf(text, capacity, "-");
    else
        snprintf(text, capacity, "%.4g -> %.4g", worst->stated, worst->observed[side].value);
}

static void write_error(const struct score_row *row, enum score_side side, char *text, size_t capacity)
{
    double error;
    if (score_row_worst(row, side, &error) == NULL)
        snprintf(text, capacity, "-");
    else
        snprintf(text, capacity, "%.3f", error);
}

static void write_sources(const struct score_row *row, char *text, size_t capacity)
{
    char silicon[128];
    score_row_sources(row, SCORE_CODE, text, capacity);
    score_row_sources(row, SCORE_SILICON, silicon, sizeof silicon);
    size_t used = strlen(text);
    if (silicon[0] != '\0')
        snprintf(text + used, capacity - used, "%s%s", used > 0 ? "; " : "", silicon);
}

static void add_row(const struct score_row *row, struct table *table)
{
    char asked[64], worst[2][64], error[2][32], sources[256], verdict[64];
    size_t count;
    const char *word = verdict_name(score_row_verdict(row, &count));
    score_row_stated(row, asked, sizeof asked);
    write_sources(row, sources, sizeof sources);
    for (enum score_side side = SCORE_CODE; side < SCORE_SIDES; side++) {
        write_worst(row, side, worst[side], sizeof worst[side]);
        write_error(row, side, error[side], sizeof error[side]);
    }
    snprintf(verdict, sizeof verdict, count < row->count ? "%s: %zu of %zu" : "%s", word, count, row->count);
    table_texts(table, row->behaviour, row->metric, asked, worst[SCORE_CODE], error[SCORE_CODE],
                worst[SCORE_SILICON], error[SCORE_SILICON], verdict, sources);
}

static void print_gaps(const struct scorecard *card)
{
    for (size_t i = 0; i < card->gap_count; i++)
        command_print("%s%s/%s %s: %s\n", i == 0 ? "\n" : "", card->gaps[i].behaviour, card->gaps[i].point,
                      card->gaps[i].word, card->gaps[i].why);
}

/* The sources that do not work here, and why. */
static void print_unseen(const struct scorecard *card)
{
    const struct score_counts counts = scorecard_count(card);
    bool first = true;
    for (size_t i = 0; i < card->source_count; i++)
        if (!card->sources[i].usable) {
            command_print("%s%s observes nothing here: %s\n", first ? "\n" : "", card->sources[i].name,
                          card->sources[i].why);
            first = false;
        }
    command_print("%sthe silicon was observed for %zu of %zu rates; power is not judged\n", first ? "\n" : "",
                  counts.silicon, card->row_count);
}

static void print_card(const struct scorecard *card)
{
    struct buffer summary = {0};
    struct table table =
        table_of("behaviour|rate|asked|>code, worst|>error|>silicon, worst|>error|verdict|seen by");
    scorecard_summary(card, &summary);
    command_print("%s (%s), %s%s: %s\n\n", card->machine, card->cpu, card->isa,
                  card->is_virtual ? ", virtual" : "", summary.data);
    for (size_t i = 0; i < card->row_count; i++)
        add_row(&card->rows[i], &table);
    table_finish(&table, stdout);
    print_gaps(card);
    print_unseen(card);
    buffer_free(&summary);
}

static void print_changes(const struct scorecard *old, const struct score_changes *changes)
{
    command_print("\nsince %s: %zu worse, %zu changed otherwise\n", old->date, changes->worse,
                  changes->count - changes->worse);
    for (size_t i = 0; i < changes->count; i++)
        command_print("%s%s %s: %s\n", changes->items[i].worse ? "worse: " : "", changes->items[i].behaviour,
                      changes->items[i].metric, changes->items[i].what);
}

/* ---- files ---- */

static enum status write_page(const struct scorecard *card, const struct score_changes *changes,
                              struct buffer *text, struct error *error)
{
    struct figure figure = {0};
    struct buffer picture = {0};
    scorecard_figure(card, &figure);
    enum status status =
        figure.panel_count == 0 ? STATUS_OK : figure_pictures(&figure, 1, FIGURE_SVG, &picture, error);
    if (status == STATUS_OK)
        scorecard_page(card, changes, picture.data, text);
    buffer_free(&picture);
    figure_free(&figure);
    return status;
}

static enum status draw(const struct options *options, const struct scorecard *card, struct error *error)
{
    struct figure figure = {0};
    enum figure_format format;
    scorecard_figure(card, &figure);
    enum status status = figure_format_of(options->figure, &format, error);
    if (status == STATUS_OK && figure.panel_count == 0)
        status = error_set(error, STATUS_UNAVAILABLE, "nothing was observed: there is nothing to draw");
    if (status == STATUS_OK)
        status = figure_draw(&figure, format, options->figure, error);
    figure_free(&figure);
    return status;
}

static enum status write_files(const struct options *options, const struct scorecard *card,
                               const struct score_changes *changes, struct error *error)
{
    struct buffer text = {0};
    bool page = options->output != NULL && file_ends_with(options->output, PAGE);
    enum status status = page ? write_page(card, changes, &text, error) : STATUS_OK;
    if (!page)
        scorecard_write(card, false, &text);
    if (status == STATUS_OK && options->output != NULL)
        status = output_write(options->output, text.data, text.size, error);
    if (status == STATUS_OK && options->figure != NULL)
        status = draw(options, card, error);
    buffer_free(&text);
    scorecard_badge(card, &text);
    if (status == STATUS_OK && options->badge != NULL)
        status = output_write(options->badge, text.data, text.size, error);
    buffer_free(&text);
    return status;
}

/* ---- the command ---- */

static enum status check_options(const struct options *options, struct error *error)
{
    bool page = options->output != NULL && file_ends_with(options->output, PAGE);
    if (options->input_count > 0) {
        error_set(error, STATUS_USAGE,
                  "trauma validate takes no argument '%s': its recipes are recipes/validate/",
                  options->inputs[0]);
        error_hint(error, "trauma check %s judges a recipe; --filter selects behaviours", options->inputs[0]);
        return STATUS_USAGE;
    }
    if (options->output != NULL && !page && output_kind_check(options->output, DOCUMENT, error) != STATUS_OK)
        return error_hint(error, "a name that ends in .json or .html"), STATUS_USAGE;
    if (options->badge != NULL && !file_ends_with(options->badge, BADGE))
        return error_set(error, STATUS_USAGE,
                         "--badge %s: a badge is an SVG; expected a name that ends in %s", options->badge,
                         BADGE);
    if (!evidence_check_names(options->counters, error))
        return STATUS_USAGE;
    enum figure_format format;
    if (options->figure != NULL && figure_format_of(options->figure, &format, error) != STATUS_OK)
        return STATUS_USAGE;
    return page || options->figure != NULL ? figure_check_gnuplot(error) : STATUS_OK;
}

static void print(const struct options *options, const struct scorecard *card, const struct scorecard *old,
                  const struct score_changes *changes)
{
    if (options->json) {
        struct buffer text = {0};
        scorecard_write(card, true, &text);
        command_print_json_lines(&text);
    } else if (!output_is_standard(options->output)) {
        print_card(card);
        if (changes != NULL)
            print_changes(old, changes);
    }
}

/* The exit code, as of check; a rate that became worse counts as missed. */
static enum status conclude(const struct options *options, const struct tally *tally,
                            const struct score_changes *changes)
{
    enum status status = tally_status(tally, options->strict);
    if (changes != NULL && changes->worse > 0)
        return STATUS_MISSED;
    if (!tally_saw_nothing(tally) || (status != STATUS_OK && status != STATUS_UNAVAILABLE))
        return status;
    command_note(
        "trauma: nothing was observed, so nothing was validated; `trauma sensors` lists the sources");
    return STATUS_UNAVAILABLE;
}

static int run(const struct options *options)
{
    struct requests requests;
    struct scorecard card = {0}, old = {0};
    struct score_changes found = {0};
    struct tally tally = {0};
    struct error error = {0};
    const char *suite = SUITE;
    const struct score_changes *changes = options->against == NULL ? NULL : &found;
    if (options->schema) {
        fputs((const char *)scorecard_schema, stdout);
        return STATUS_OK;
    }
    requests_fill(options, WORK_GPU_NEEDED, &requests);
    requests.selection.inputs = &suite;
    requests.selection.input_count = 1;
    const struct validation_request request = {.evidence = requests.evidence,
                                               .jobs = (size_t)options->jobs,
                                               .most_s = options->time > 0 ? options->time : MOST_S,
                                               .allow_state = options->allow_state};
    enum status status = check_options(options, &error);
    if (status == STATUS_OK && options->against != NULL)
        status = scorecard_read(options->against, &old, &error);
    if (status == STATUS_OK)
        status = validate_machine(&request, &requests.selection, &requests.target, &card, &tally, &error);
    if (status == STATUS_OK && changes != NULL) {
        found = scorecard_compare(&old, &card, THRESHOLD);
        if (strcmp(old.cpu, card.cpu) != 0 || strcmp(old.machine, card.machine) != 0)
            command_warn(options, "%s is of another machine: %s (%s)", options->against, old.machine,
                         old.cpu);
    }
    if (status == STATUS_OK) {
        print(options, &card, &old, changes);
        status = write_files(options, &card, changes, &error);
    }
    if (status == STATUS_OK)
        status = conclude(options, &tally, changes);
    else
        status = (enum status)command_fail(&error);
    scorecard_free(&card);
    scorecard_free(&old);
    return (int)status;
}

const struct command command_validate = {
    .name = "validate",
    .arguments = "[-m MACHINE] [--time SECONDS] [-o FILE.html|.json] [--against OLD.json] [OPTIONS]",
    .summary = "measures how well stated rates hold on this machine, behaviour by behaviour",
    .details =

        "The recipes in recipes/validate/ request each behaviour at several rates: loads and stores by "
        "the level that serves them, independent and chased; branches; lines of code; pages; flipping "
        "bits; the mix; shares of the peak rate; shared lines. They are checked as by `trauma check`. The "
        "table has one row per behaviour and rate, with the requested values and, for code and silicon, "
        "the observed value at the point with the largest error.\n"
        "\n"
        "Without counters, only timing observes the silicon, and only for chases and branches; the code "
        "is simulated and inspected. With -m of another machine, only simulators judge. The command "
        "reports what could not be observed, what disturbed the timing, and the points that are left out "
        "because --time is over.\n"
        "\n"
        "-o FILE.html writes a page to be shown, -o FILE.json a scorecard for --against. --against exits "
        "5 if a rate fails that did not fail before, is no longer observed, or is off by 0.02 more than "
        "before. --badge writes an SVG.\n"
        "\n"
        "The exit code is 5 if a rate missed its target, 4 if nothing was observed, else 0. With --strict "
        "it is 4 if a rate is unobserved, inconclusive, or on this machine pass (code). Points that "
        "cannot be planned, as the machine file lacks tlb or ports, are reported and do not change the "
        "exit code.\n",
    .examples = "  trauma validate -o card.html --badge card.svg\n"
                "  trauma validate -o new.json --against old.json\n"
                "  trauma validate -m zen5 --filter '^loads/'\n",
    .options = accepted,
    .run = run,
};
