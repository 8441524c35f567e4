/* trauma events: finds what the events of this processor count, and compares it with their names. */
#include "base/file.h"
#include "base/json/json_text.h"
#include "base/text/plural.h"
#include "cli/command.h"
#include "cli/options/output_kind.h"
#include "cli/options/requests.h"
#include "model/trial/trial.h"
#include "report/figure/figure_draw.h"
#include "report/page/html.h"
#include "report/table.h"
#include "session/event_trials.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const accepted[] = {"all",        "suite",   "counts",  "claims", "output", "figure",
                                       "json",       "machine", "filter",  "reps",   "seed",   "here",
                                       "sysfs-root", "quiet",   "verbose", NULL};
static const char PAGE[] = ".html";
static const char SUITE[] = "events";

enum { PANEL_EVENTS = 20, SAME_MOST = 40 };

/* "0.5 [0.49, 0.51] branches.missed + 2 per pass" */
static void write_counts(const struct trial_set *set, const struct trial_event *event, struct buffer *text)
{
    const struct trial_result *result = &event->result;
    for (size_t i = 0; i < result->meaning.count; i++) {
        const struct trial_term *term = &result->meaning.terms[i];
        buffer_printf(text, "%s%.4g [%.4g, %.4g] %s", i == 0 ? "" : " + ", term->per, term->low, term->high,
                      set->suite.names[term->quantity]);
    }
    if (result->per_pass > 0)
        buffer_printf(text, " + %.3g in every pass", result->per_pass);
    if (result->wraps > 0)
        buffer_printf(text, "; the counter ends at %u bits", result->wraps);
    if (event->why != NULL)
        buffer_text(text, event->why);
    buffer_text(text, "");
}

/* ---- sentences about the suite ---- */

typedef void sentence_writer(void *context, const char *sentence);

static void write_alike(const struct trial_set *set, sentence_writer *write, void *context)
{
    for (size_t i = 0; i < set->count; i++) {
        const struct trial_result *result = &set->items[i].result;
        struct buffer text = {0};
        buffer_printf(&text, "%s may as well count ", set->items[i].name);
        for (size_t j = 0; j < result->alike_count; j++) {
            buffer_text(&text, j == 0 ? "" : ", or ");
            trial_print(&set->suite, &result->alike[j], &text);
        }
        if (result->alike_count > 0)
            write(context, text.data);
        buffer_free(&text);
    }
}

static void write_same(const struct trial_set *set, sentence_writer *write, void *context)
{
    struct buffer text = {0};
    size_t found = 0;
    for (size_t a = 0; a < set->suite.quantities; a++)
        for (size_t b = a + 1; b < set->suite.quantities && found < SAME_MOST; b++)
            if (trial_same(&set->suite, a, b))
                buffer_printf(&text, "%s%s and %s", found++ == 0 ? "" : "; ", set->suite.names[a],
                              set->suite.names[b]);
    if (found > 0) {
        struct buffer sentence = {0};
        buffer_printf(&sentence, "not distinguished on this machine: %s", text.data);
        write(context, sentence.data);
        buffer_free(&sentence);
    }
    buffer_free(&text);
}

static void write_suite(const struct trial_set *set, sentence_writer *write, void *context)
{
    struct buffer text = {0};
    buffer_printf(&text, "%zu program%s for %s move %zu of %zu quantities", set->suite.programs,
                  plural_s(set->suite.programs), set->machine, set->moved, set->suite.quantities);
    if (isfinite(set->condition))
        buffer_printf(&text, "; condition number %.3g", set->condition);
    else
        buffer_text(&text, "; some are sums of others");
    write(context, text.data);
    buffer_free(&text);
}

/* ---- the table ---- */

static void print_sentence(void *context, const char *sentence)
{
    (void)context;
    printf("%s\n", sentence);
}

/* A share in percent; "-" if it is unknown. */
static void write_share(double share, struct buffer *text)
{
    if (isfinite(share))
        buffer_printf(text, "%.2g %%", 100 * share);
    else
        buffer_text(text, "-");
}

static void print_table(const struct trial_set *set)
{
    struct table table = table_of("event|claims|verdict|counts|>error|>programs");
    for (size_t i = 0; i < set->count; i++) {
        const struct trial_event *event = &set->items[i];
        struct buffer counts = {0}, error = {0};
        write_counts(set, event, &counts);
        write_share(event->result.error, &error);
        table_texts(&table, event->name, event->claim == NULL ? "-" : event->claim,
                    trial_verdict_names[event->result.verdict], counts.data, error.data);
        table_cell(&table, "%zu", event->result.programs);
        buffer_free(&counts);
        buffer_free(&error);
    }
    table_finish(&table, stdout);
    printf("\n");
    write_alike(set, print_sentence, NULL);
    write_same(set, print_sentence, NULL);
    write_suite(set, print_sentence, NULL);
}

/* ---- --json: a line for each event ---- */

static void write_meaning(const struct trial_set *set, const struct trial_meaning *meaning, const char *key,
                          struct json_text *json)
{
    json_text_open(json, key, '[');
    for (size_t i = 0; i < meaning->count; i++) {
        json_text_open(json, NULL, '{');
        json_text_string(json, "quantity", set->suite.names[meaning->terms[i].quantity]);
        json_text_number(json, "per", meaning->terms[i].per);
        json_text_number(json, "low", meaning->terms[i].low);
        json_text_number(json, "high", meaning->terms[i].high);
        json_text_close(json, '}');
    }
    json_text_close(json, ']');
}

static void write_number(struct json_text *json, const char *key, double value)
{
    if (isfinite(value))
        json_text_number(json, key, value);
    else
        json_text_null(json, key);
}

static void write_text(struct json_text *json, const char *key, const char *text)
{
    if (text != NULL)
        json_text_string(json, key, text);
    else
        json_text_null(json, key);
}

static void write_line(const struct trial_set *set, const struct trial_event *event, struct buffer *text)
{
    const struct trial_result *result = &event->result;
    struct json_text json = {.buffer = text, .first = true, .compact = true};
    json_text_open(&json, NULL, '{');
    json_text_string(&json, "event", event->name);
    write_text(&json, "claims", event->claim);
    json_text_string(&json, "verdict", trial_verdict_names[result->verdict]);
    write_meaning(set, &result->meaning, "counts", &json);
    write_number(&json, "error", result->error);
    json_text_integer(&json, "programs", (long long)result->programs);
    write_number(&json, "noise", result->noise);
    json_text_number(&json, "per_pass", result->per_pass);
    json_text_integer(&json, "wraps", result->wraps);
    json_text_open(&json, "alike", '[');
    for (size_t i = 0; i < result->alike_count; i++)
        write_meaning(set, &result->alike[i], NULL, &json);
    json_text_close(&json, ']');
    write_text(&json, "why", event->why);
    write_number(&json, "condition", set->condition);
    json_text_close(&json, '}');
}

static void print_lines(const struct trial_set *set)
{
    for (size_t i = 0; i < set->count; i++) {
        struct buffer line = {0};
        write_line(set, &set->items[i], &line);
        command_print("%s", line.data);
        buffer_free(&line);
    }
}

/* ---- the picture ---- */

static bool is_shown(const struct trial_event *event)
{
    return event->result.verdict != TRIAL_UNAVAILABLE;
}

/* The event's count per one of the quantity, as claimed or as found; 0: none. */
static double share_of(const struct trial_set *set, const struct trial_event *event, size_t quantity,
                       bool claimed)
{
    if (claimed)
        return event->claim != NULL && strcmp(event->claim, set->suite.names[quantity]) == 0;
    for (size_t i = 0; i < event->result.meaning.count; i++)
        if (event->result.meaning.terms[i].quantity == quantity)
            return event->result.meaning.terms[i].per;
    return 0;
}

/* The quantities that an event claims or counts, in the suite's order. */
static size_t used_quantities(const struct trial_set *set, struct arena *arena, size_t *used,
                              const char ***names)
{
    size_t count = 0;
    *names = arena_alloc(arena, set->suite.quantities + 1, sizeof **names);
    for (size_t q = 0; q < set->suite.quantities; q++) {
        bool any = false;
        for (size_t i = 0; i < set->count; i++)
            any = any || (is_shown(&set->items[i]) && (share_of(set, &set->items[i], q, true) != 0 ||
                                                       share_of(set, &set->items[i], q, false) != 0));
        if (any) {
            (*names)[count] = arena_strdup(arena, set->suite.names[q]);
            used[count++] = q;
        }
    }
    return count;
}

static void add_row(const struct trial_set *set, const struct trial_event *event, bool claimed,
                    const size_t *used, struct figure_panel *panel, struct arena *arena)
{
    struct figure_sample *samples = arena_alloc(arena, panel->category_count, sizeof *samples);
    struct buffer label = {0};
    size_t count = 0;
    for (size_t i = 0; i < panel->category_count; i++) {
        double per = share_of(set, event, used[i], claimed);
        if (per != 0)
            samples[count++] = (struct figure_sample){.x = (double)i, .y = per, .low = NAN, .high = NAN};
    }
    if (claimed)
        buffer_printf(&label, "%s%s", event->name, event->claim == NULL ? "" : " claims");
    else
        buffer_printf(&label, "seen: %s", trial_verdict_names[event->result.verdict]);
    panel->lines[panel->line_count++] =
        (struct figure_line){.label = arena_strdup(arena, label.data), .samples = samples, .count = count};
    buffer_free(&label);
}

static void report_figure(const struct trial_set *set, struct figure *figure)
{
    struct arena *arena = &figure->arena;
    size_t *used = arena_alloc(arena, set->suite.quantities + 1, sizeof *used);
    const char **names;
    size_t count = used_quantities(set, arena, used, &names), shown = 0;
    struct figure_panel *panel = NULL;
    struct buffer subtitle = {0};
    buffer_printf(&subtitle, "of each event what is claimed, and below it what %zu programs for %s show",
                  set->suite.programs, set->machine);
    for (size_t i = 0; i < set->count && count > 0; i++) {
        if (!is_shown(&set->items[i]))
            continue;
        if (shown++ % PANEL_EVENTS == 0) {
            panel = figure_add_panel(figure);
            panel->title = panel->heading = "What events count";
            panel->subtitle = arena_strdup(arena, subtitle.data);
            panel->x_label = "Quantity";
            panel->y_label = "";
            panel->colour_label = "Counts for each one";
            panel->kind = FIGURE_MAP;
            panel->every_name = true;
            panel->categories = names;
            panel->category_count = count;
            panel->lines = arena_alloc(arena, 2 * (size_t)PANEL_EVENTS, sizeof *panel->lines);
        }
        add_row(set, &set->items[i], true, used, panel, arena);
        add_row(set, &set->items[i], false, used, panel, arena);
    }
    buffer_free(&subtitle);
}

/* ---- the page ---- */

static void write_paragraph(void *context, const char *sentence)
{
    html_element(context, "p", sentence);
}

static void report_page(const struct trial_set *set, char *picture, struct buffer *page)
{
    static const char *const heads[] = {"Event", "Claims", "Verdict", "Counts", "#Error", "#Programs", NULL};
    html_begin(page, "Events on trial");
    buffer_text(page, "<header>\n<h1>Events on trial</h1>\n");
    write_suite(set, write_paragraph, page);
    buffer_text(page, "</header>\n<main>\n");
    (void)html_picture(page, picture, 1, "What events count");
    html_table_begin(page, "What each event counts, with 95 % intervals", heads);
    for (size_t i = 0; i < set->count; i++) {
        const struct trial_event *event = &set->items[i];
        struct buffer counts = {0}, error = {0};
        bool wrong = event->claim != NULL && trial_contradicts(event->result.verdict);
        write_counts(set, event, &counts);
        write_share(event->result.error, &error);
        buffer_text(page, "<tr>");
        html_element(page, "th scope=\"row\"", event->name);
        html_element(page, "td", event->claim == NULL ? "" : event->claim);
        html_element(page,
                     wrong                                  ? "td class=\"verdict fail\""
                     : event->result.verdict == TRIAL_EXACT ? "td class=\"verdict pass\""
                                                            : "td",
                     trial_verdict_names[event->result.verdict]);
        html_element(page, "td", counts.data);
        html_element(page, "td class=\"number\"", error.data);
        html_element_of(page, "td class=\"number\"", "%zu", event->result.programs);
        buffer_text(page, "</tr>\n");
        buffer_free(&counts);
        buffer_free(&error);
    }
    html_table_end(page);
    write_alike(set, write_paragraph, page);
    write_same(set, write_paragraph, page);
    buffer_text(page, "</main>\n</body>\n</html>\n");
}

/* ---- the command ---- */

static enum status check_options(const struct options *options, enum figure_format *format,
                                 struct error *error)
{
    if ((options->suite == NULL) != (options->counts == NULL)) {
        error_set(error, STATUS_USAGE,
                  "--suite and --counts belong together: the programs, and their counts");
        error_hint(error,
                   "`trauma gen events -m MACHINE -o DIR` writes the suite and DIR/events.sh, which counts");
        return STATUS_USAGE;
    }
    if (options->counts != NULL && options->all)
        return error_set(error, STATUS_USAGE, "--all counts here; --counts has what was counted elsewhere");
    bool draws =
        options->figure != NULL || (options->output != NULL && file_ends_with(options->output, PAGE));
    enum status status = STATUS_OK;
    if (options->figure != NULL)
        status = figure_format_of(options->figure, format, error);
    return status == STATUS_OK && draws ? figure_check_gnuplot(error) : status;
}

static enum status draw(const struct options *options, const struct trial_set *set, enum figure_format format,
                        struct error *error)
{
    struct figure figure = {0};
    report_figure(set, &figure);
    enum status status = figure.panel_count > 0 ? figure_draw(&figure, format, options->figure, error)
                                                : error_set(error, STATUS_UNAVAILABLE,
                                                            "no event was counted: there is nothing to draw");
    figure_free(&figure);
    return status;
}

static enum status write_page(const struct trial_set *set, struct buffer *text, struct error *error)
{
    struct figure figure = {0};
    struct buffer picture = {0};
    report_figure(set, &figure);
    enum status status =
        figure.panel_count == 0 ? STATUS_OK : figure_pictures(&figure, 1, FIGURE_SVG, &picture, error);
    if (status == STATUS_OK)
        report_page(set, picture.data, text);
    buffer_free(&picture);
    figure_free(&figure);
    return status;
}

/* A page, or a corrected file of events. */
static enum status write_output(const struct options *options, const struct event_trials *trials,
                                struct error *error)
{
    struct buffer text = {0};
    enum status status = file_ends_with(options->output, PAGE) ? write_page(&trials->set, &text, error)
                                                               : event_trials_correct(trials, &text, error);
    if (status == STATUS_OK)
        status = output_write(options->output, text.data, text.size, error);
    buffer_free(&text);
    return status;
}

/* Stores a trial of all events on this machine; the source perf uses it from then on. */
static enum status keep(const struct options *options, const struct event_trials *trials, struct error *error)
{
    char path[FILE_PATH_BYTES];
    if (!trials->here || options->input_count > 0 || options->claims != NULL || options->filter != NULL)
        return STATUS_OK;
    enum status status = event_trials_keep(trials, path, error);
    if (status == STATUS_OK && path[0] != '\0' && !options->quiet)
        command_note("trauma: kept in %s; the source perf corrects its events by it", path);
    return status;
}

static int run(const struct options *options)
{
    struct requests requests;
    struct event_trials trials = {0};
    struct error error = {0};
    enum figure_format format = FIGURE_SVG;
    const char *suite = options->suite != NULL ? options->suite : SUITE;
    requests_fill(options, WORK_GPU_NEEDED, &requests);
    requests.selection.inputs = &suite;
    requests.selection.input_count = 1;
    const struct event_trial_request request = {.events = options->inputs,
                                                .event_count = options->input_count,
                                                .all = options->all,
                                                .counts = options->counts,
                                                .claims = options->claims,
                                                .root = requests_root(options),
                                                .reps = (size_t)options->reps};
    enum status status = check_options(options, &format, &error);
    if (status == STATUS_OK)
        status = event_trials_make(&request, &requests.selection, &requests.target, &trials, &error);
    if (status == STATUS_OK && trials.set.count == 0)
        status = error_set(&error, STATUS_USAGE, "%s has no count of an event; expected a row per run",
                           options->counts != NULL ? options->counts : "the suite");
    if (status == STATUS_OK && options->json)
        print_lines(&trials.set);
    else if (status == STATUS_OK && !output_is_standard(options->output))
        print_table(&trials.set);
    if (status == STATUS_OK && options->output != NULL)
        status = write_output(options, &trials, &error);
    if (status == STATUS_OK && options->figure != NULL)
        status = draw(options, &trials.set, format, &error);
    if (status == STATUS_OK)
        status = keep(options, &trials, &error);
    bool contradicted = trial_set_contradicts(&trials.set);
    event_trials_free(&trials);
    if (status != STATUS_OK)
        return command_fail(&error);
    return contradicted ? STATUS_MISSED : STATUS_OK;
}

const struct command command_events = {
    .name = "events",
    .arguments = "[EVENT...] [--all | --suite DIR --counts FILE] [--claims FILE] [-o FILE] [OPTIONS]",
    .summary = "puts performance events on trial with programs whose counts are known",
    .details =

        "Each event is counted in programs whose quantities per pass are known: instructions, loads, "
        "misses of each level, branches and so on. The smallest sum of quantities that explains the "
        "counts within their error is what the event counts. EVENT is a name that `trauma sensors "
        "--events` lists, a name of libpfm4, or r and a raw code; without EVENT, all events of this "
        "processor's file are counted. With --suite and --counts, counts made elsewhere are judged.\n"
        "\n"
        "The verdicts are exact (the claimed quantity, once each), scaled (the claimed quantity, times a "
        "factor), other (another quantity), mixture (several), noisy (no sum explains it), dead (it never "
        "changes) and unavailable. -o FILE.html writes a page; -o with another name writes a corrected "
        "file of events. The result for all events of this processor is stored, and the source perf uses "
        "it. The exit code is 5 if a claim is contradicted.\n",
    .examples = "  trauma events l1d_misses r0143\n"
                "  trauma events --suite suite --counts counts.csv -o trial.html\n",
    .options = accepted,
    .run = run,
};
