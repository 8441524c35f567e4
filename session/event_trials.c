#include "session/event_trials.h"

#include "base/files/paths.h"
#include "base/json/json_scan.h"
#include "base/memory.h"
#include "base/text/suggest.h"
#include "base/text/text_set.h"
#include "base/units.h"
#include "generator/metric/quantity.h"
#include "runner/evidence/host.h"
#include "runner/sources/events/event_folder.h"
#include "runner/sources/import/import_formats.h"
#include "runner/sources/perf/perf_measure.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REPS = 5, NAME_BYTES = 48, WHY_BYTES = 400 };

/* ---- counts from another tool ---- */

struct counted_run {
    const char *program; /* "benchmark/point" */
    const char *event;
    double passes, count;
    const char *why; /* why there is no count; NULL: there is one */
};

/* Texts are in the arena. All zeros is empty. */
struct counted_runs {
    struct arena arena;
    struct counted_run *items;
    size_t count;
};

enum { COLUMN_PROGRAM, COLUMN_EVENT, COLUMN_PASSES, COLUMN_COUNT, COLUMNS };
enum { FIELDS_MOST = 64 };
static const char *const columns[COLUMNS] = {"program", "event", "passes", "count"};
static const double PERCENT_ALWAYS = 99.995; /* perf writes two digits */

/* A file that is being read. */
struct count_file {
    struct counted_runs *runs;
    const char *path;
    int line;
    struct error *error;
};

/* The next line of *rest, which then points behind it; NULL: there is none. */
static char *next_line(char **rest)
{
    char *line = *rest;
    if (line == NULL || *line == '\0')
        return NULL;
    *rest = strchr(line, '\n');
    if (*rest != NULL)
        *(*rest)++ = '\0';
    return line;
}

/* The next line with data; skips blank lines and comments. NULL: there is none. */
static char *next_row(struct count_file *file, char **rest)
{
    char *line;
    do {
        line = next_line(rest);
        file->line += line != NULL;
    } while (line != NULL && (line[strspn(line, " \r")] == '\0' || line[0] == '#'));
    return line;
}

static enum status refuse(const struct count_file *file, const char *found, const char *expected)
{
    error_set(file->error, STATUS_USAGE, "%s", found);
    error_at(file->error, file->path, file->line);
    error_hint(file->error, "expected %s", expected);
    return STATUS_USAGE;
}

static struct counted_run *add_run(struct counted_runs *runs)
{
    runs->items = memory_next(runs->items, runs->count, sizeof *runs->items);
    runs->items[runs->count] = (struct counted_run){0};
    return &runs->items[runs->count++];
}

/* Reads a count, or perf's text for none. */
static enum status read_count(const struct count_file *file, const char *text, struct counted_run *run)
{
    if (text[0] == '<' || text[0] == '\0')
        run->why = text[0] == '\0' ? "no count" : arena_strdup(&file->runs->arena, text);
    else if (!units_parse_number(text, &run->count) || !(run->count >= 0))
        return refuse(file, "the count is not a number", "0 or more, or <not counted>");
    return STATUS_OK;
}

/* ---- the table ---- */

static enum status read_heading(const struct count_file *file, char *line, int place[COLUMNS], size_t *width)
{
    char *fields[FIELDS_MOST];
    *width = import_split(line, ',', fields, FIELDS_MOST);
    for (size_t i = 0; i < COLUMNS; i++) {
        place[i] = -1;
        for (size_t j = 0; j < *width; j++)
            if (strcmp(fields[j], columns[i]) == 0)
                place[i] = (int)j;
        if (place[i] < 0)
            return refuse(file, "the heading lacks a column", "program,event,passes,count");
    }
    return STATUS_OK;
}

/* Reads a row. A point's name has commas; without quotes it is spread over several fields. */
static enum status read_row(const struct count_file *file, char *line, const int place[COLUMNS], size_t width)
{
    char *fields[FIELDS_MOST];
    size_t found = import_split(line, ',', fields, FIELDS_MOST);
    size_t more = found - width;
    if (found < width || (more > 0 && place[COLUMN_PROGRAM] != 0))
        return refuse(file, "the number of fields differs from the heading's",
                      "quotes around a name with commas");
    struct counted_run run = {0};
    struct buffer program = {0};
    for (size_t i = 0; i <= more; i++)
        buffer_printf(&program, "%s%s", i == 0 ? "" : ",", fields[(size_t)place[COLUMN_PROGRAM] + i]);
    run.program = arena_strdup(&file->runs->arena, program.data);
    buffer_free(&program);
    run.event = arena_strdup(&file->runs->arena, fields[(size_t)place[COLUMN_EVENT] + more]);
    if (!units_parse_number(fields[(size_t)place[COLUMN_PASSES] + more], &run.passes) || !(run.passes >= 1))
        return refuse(file, "the number of passes is not a number", "1 or more");
    enum status status = read_count(file, fields[(size_t)place[COLUMN_COUNT] + more], &run);
    if (status == STATUS_OK)
        *add_run(file->runs) = run;
    return status;
}

static enum status read_table(const char *path, struct counted_runs *runs, struct error *error)
{
    struct buffer text = {0};
    int place[COLUMNS];
    size_t width = 0;
    struct count_file file = {runs, path, 0, error};
    enum status status = file_read(path, &text, error);
    buffer_text(&text, "");
    char *line, *rest = text.data;
    while (status == STATUS_OK && (line = next_row(&file, &rest)) != NULL)
        status = width == 0 ? read_heading(&file, line, place, &width) : read_row(&file, line, place, width);
    if (status == STATUS_OK && width == 0)
        status = refuse(&file, "the file of counts is empty", "program,event,passes,count and a row per run");
    buffer_free(&text);
    return status;
}

/* ---- the output of perf stat ---- */

/* The member's text; "" if there is none. */
static const char *member(const struct json_members *members, const char *key, struct arena *arena)
{
    for (size_t i = 0; i < members->count; i++)
        if (members->items[i].key_size == strlen(key) &&
            strncmp(members->items[i].key, key, strlen(key)) == 0) {
            char *text = arena_alloc(arena, members->items[i].size + 1, 1);
            memcpy(text, members->items[i].value, members->items[i].size);
            return text;
        }
    return "";
}

static enum status read_perf_line(const struct count_file *file, char *line, const struct counted_run *from)
{
    struct arena *arena = &file->runs->arena;
    struct json_members members;
    struct counted_run run = *from;
    char none[] = "";
    char *fields[FIELDS_MOST] = {none, none, none, none, none};
    if (line[0] != '{') {
        (void)import_split(line, ',', fields, FIELDS_MOST); /* value, unit, event, time, percent */
    } else if (json_scan(line, strlen(line), &members)) {
        fields[0] = (char *)(size_t)member(&members, "counter-value", arena);
        fields[2] = (char *)(size_t)member(&members, "event", arena);
        fields[4] = (char *)(size_t)member(&members, "pcnt-running", arena);
    }
    if (fields[2][0] == '\0')
        return refuse(file, "the line is not perf's", "what `perf stat -x,` or `perf stat -j` writes");
    double percent;
    run.event = import_event_name(arena, fields[2]);
    enum status status = read_count(file, fields[0], &run);
    if (units_parse_number(fields[4], &percent) && percent < PERCENT_ALWAYS && run.why == NULL)
        run.why = "it took turns with other events: count one at a time";
    if (status == STATUS_OK)
        *add_run(file->runs) = run;
    return status;
}

static enum status read_perf(const char *path, const struct counted_run *run, struct counted_runs *runs,
                             struct error *error)
{
    struct buffer text = {0};
    struct count_file file = {runs, path, 0, error};
    enum status status = file_read(path, &text, error);
    buffer_text(&text, "");
    char *line, *rest = text.data;
    while (status == STATUS_OK && (line = next_row(&file, &rest)) != NULL)
        status = read_perf_line(&file, line, run);
    buffer_free(&text);
    return status;
}

/* depth 0: a folder of benchmarks, 1: of points, 2: of files. */
static enum status read_folder(const char *folder, int depth, const char *name, struct counted_runs *runs,
                               struct error *error)
{
    char **names = file_list(folder, "");
    enum status status = STATUS_OK;
    for (size_t i = 0; names != NULL && names[i] != NULL && status == STATUS_OK; i++) {
        char path[FILE_PATH_BYTES], inner[FILE_PATH_BYTES];
        snprintf(inner, sizeof inner, "%s%s%s", name, depth == 1 ? "/" : "", names[i]);
        file_join(path, folder, names[i]);
        struct counted_run run = {.program = name, .passes = strtod(names[i], NULL)};
        if (depth < 2)
            status = read_folder(path, depth + 1, arena_strdup(&runs->arena, inner), runs, error);
        else if (run.passes >= 1)
            status = read_perf(path, &run, runs, error);
    }
    if (names != NULL)
        file_free_names(names);
    return status;
}

static enum status counted_runs_read(const char *path, struct counted_runs *runs, struct error *error)
{
    if (file_is_regular(path) || !file_is_folder(path))
        return read_table(path, runs, error);
    enum status status = read_folder(path, 0, "", runs, error);
    if (status == STATUS_OK && runs->count == 0) {
        error_set(error, STATUS_USAGE, "%s has no counts", path);
        error_hint(error, "expected BENCHMARK/POINT/PASSES.csv in it, as `perf stat -x, -o` writes them");
        return STATUS_USAGE;
    }
    return status;
}

static void counted_runs_free(struct counted_runs *runs)
{
    free(runs->items);
    arena_free(&runs->arena);
    *runs = (struct counted_runs){.count = 0};
}

/* ---- claims ---- */

struct event_claim {
    const char *event, *quantity;
};

/* All zeros is none; texts are in the arena. */
struct event_claims {
    struct event_claim *items;
    size_t count;
};

/* Names of events that differ from their quantity's name. In lower case, with "_" for other signs. */
static const struct {
    const char *name, *quantity;
} synonyms[] = {
    {"branch_misses", "branches.missed"},
    {"l2_requests", "l2.accesses"},
    {"jumps_indirect", "branches.indirect"},
    {"branch_instructions", "branches"},
    {"l1d_reads", "loads"},
    {"l1d_loads", "loads"},
    {"l1_dcache_loads", "loads"},
    {"l1d_writes", "stores"},
    {"l1_dcache_stores", "stores"},
    {"l1d_read_misses", "l1d.load_misses"},
    {"l1_dcache_load_misses", "l1d.load_misses"},
    {"l1d_write_misses", "l1d.store_misses"},
    {"l1_icache_load_misses", "l1i.misses"},
    {"l2_read_misses", "l2.load_misses"},
    {"llc_misses", "l3.misses"},
    {"cache_misses", "l3.misses"},
    {"llc_load_misses", "l3.load_misses"},
};

/* The name in lower case, with "_" for other signs; returns text. */
static const char *plain(const char *name, char *text)
{
    size_t i = 0;
    for (; name[i] != '\0' && i + 1 < NAME_BYTES; i++)
        text[i] = isalnum((unsigned char)name[i]) ? (char)tolower((unsigned char)name[i]) : '_';
    text[i] = '\0';
    return text;
}

static const char *by_name(const char *event)
{
    char name[NAME_BYTES], own[NAME_BYTES];
    (void)plain(event, name);
    for (size_t i = 0; i < sizeof synonyms / sizeof synonyms[0]; i++)
        if (strcmp(synonyms[i].name, name) == 0)
            return synonyms[i].quantity;
    for (const struct quantity *row = quantity_table; row->name != NULL; row++)
        if (strcmp(plain(row->name, own), name) == 0)
            return row->name;
    return NULL;
}

/* ---- the file of claims ---- */

static enum status read_line(char *line, const char *const *names, size_t count, struct arena *arena,
                             struct event_claims *claims, struct error *error)
{
    char event[96] = "", quantity[NAME_BYTES] = "", sign[2] = "", more[2] = "";
    line[strcspn(line, "#\r")] = '\0';
    int found = sscanf(line, " %95[^ \t=] %1[=] %47s %1s", event, sign, quantity, more);
    if (found <= 0)
        return STATUS_OK;
    if (found != 3) {
        error_set(error, STATUS_USAGE, "the line is not a claim");
        error_hint(error, "expected EVENT = QUANTITY, as in: r0143 = l1d.misses");
        return STATUS_USAGE;
    }
    size_t at = 0;
    while (at < count && strcmp(names[at], quantity) != 0)
        at++;
    if (at == count) {
        error_set(error, STATUS_USAGE, "the suite has no quantity \"%s\"", quantity);
        suggest_hint(error, quantity, names, count, "docs/howto/events.md lists them");
        return STATUS_USAGE;
    }
    claims->items[claims->count++] = (struct event_claim){arena_strdup(arena, event), names[at]};
    return STATUS_OK;
}

static enum status event_claims_read(const char *path, const char *const *names, size_t count,
                                     struct arena *arena, struct event_claims *claims, struct error *error)
{
    struct buffer text = {0};
    enum status status = file_read(path, &text, error);
    size_t lines = 1;
    buffer_text(&text, "");
    for (size_t i = 0; i < text.size; i++)
        lines += text.data[i] == '\n';
    claims->items = arena_alloc(arena, lines, sizeof *claims->items);
    claims->count = 0;
    char *line, *rest = text.data;
    for (int number = 1; status == STATUS_OK && (line = next_line(&rest)) != NULL; number++) {
        status = read_line(line, names, count, arena, claims, error);
        if (status != STATUS_OK)
            error_at(error, path, number);
    }
    buffer_free(&text);
    return status;
}

static const char *event_claim_of(const struct event_claims *claims, const struct event_table *table,
                                  const char *event)
{
    for (size_t i = 0; claims != NULL && i < claims->count; i++)
        if (strcmp(claims->items[i].event, event) == 0)
            return claims->items[i].quantity;
    if (claims != NULL)
        return NULL;
    for (size_t i = 0; table != NULL && i < table->event_count; i++)
        if (strcmp(table->events[i].code, event) == 0 && by_name(table->events[i].name) != NULL)
            return by_name(table->events[i].name);
    return by_name(event);
}

/* Trials in progress. */
struct trial_making {
    const struct event_trial_request *request;
    struct event_trials *trials;
    struct work *work;
    struct program *programs; /* [program_count] */
    const struct work_item **items;
    size_t program_count;
    struct text_set names, quantities;
    struct event_claims claims;
    const struct session_events *events;
    struct error *error;
};

/* ---- the suite ---- */

/* A GPU's quantities: the accesses of all threads, and transfers, by the level that serves them. */
static size_t gpu_counts(const struct manifest *manifest, struct rates counts[3], const char *kinds[3])
{
    kinds[0] = "loads";
    kinds[1] = "transfers";
    kinds[2] = "stored";
    counts[0] = manifest->loads_by_level;
    counts[1] = manifest->transfers;
    counts[2] = manifest->stored;
    return manifest->has_grid ? 3 : 0;
}

static void take_count(struct trial_making *making, const char *quantity, double value, double *known)
{
    size_t index = text_set_add(&making->quantities, quantity);
    if (known != NULL)
        known[index] = value;
}

/* Adds the quantities that the manifest counts. known: receives their counts; NULL: only adds them. */
static void take_counts(struct trial_making *making, const struct manifest *manifest, double *known)
{
    struct rates parts[3];
    const char *kinds[3];
    size_t part_count = gpu_counts(manifest, parts, kinds);
    for (size_t i = 0; i < manifest->counts.count; i++)
        take_count(making, manifest->counts.items[i].metric, manifest->counts.items[i].value, known);
    for (size_t i = 0; i < part_count; i++)
        for (size_t j = 0; j < parts[i].count; j++) {
            char name[NAME_BYTES];
            snprintf(name, sizeof name, "%s.%s", kinds[i], parts[i].items[j].metric);
            take_count(making, name, parts[i].items[j].value, known);
        }
}

static enum status load_programs(struct trial_making *making)
{
    struct work *work = making->work;
    making->programs = memory_zeroed(work->item_count + 1, sizeof *making->programs);
    making->items = memory_zeroed(work->item_count + 1, sizeof(const struct work_item *));
    enum status status = STATUS_OK;
    for (size_t i = 0; i < work->item_count && status == STATUS_OK; i++) {
        struct program *program = &making->programs[making->program_count];
        bool changed = false;
        status = work_program(&work->items[i], program, &changed, making->error);
        session_progress(making->events, "programs", i + 1, work->item_count);
        if (status == STATUS_OK && changed)
            session_point(making->events, SESSION_WARNING, work->items[i].benchmark, work->items[i].point,
                          "its files were changed after they were generated");
        if (status == STATUS_OK)
            making->items[making->program_count++] = &work->items[i];
        else if (work_can_go_on(&work->items[i], status)) /* a level that the machine lacks */
            status = STATUS_OK;
    }
    session_progress_end(making->events);
    session_report_points(making->events);
    if (status == STATUS_OK && making->program_count == 0)
        return error_set(making->error, STATUS_USAGE, "the suite has no program");
    return status;
}

/* Sorts the quantities in the order of their table; those of GPUs, which it lacks, follow. */
static void order_quantities(struct trial_making *making)
{
    struct text_set ordered = {0};
    for (const struct quantity *row = quantity_table; row->name != NULL; row++)
        if (text_set_find(&making->quantities, row->name) < making->quantities.count)
            text_set_add(&ordered, row->name);
    for (size_t i = 0; i < making->quantities.count; i++)
        text_set_add(&ordered, making->quantities.texts[i]);
    text_set_free(&making->quantities);
    making->quantities = ordered;
}

static const char *keep(struct event_trials *trials, const char *text)
{
    return arena_strdup(&trials->arena, text);
}

/* The traits of a quantity. For "l1d.load_misses", the accesses that prefetchers follow are counted by
 * "l1d.followed". */
static struct trial_traits traits_of(const struct trial_making *making, const char *name)
{
    const struct quantity *row = quantity_find(name);
    char followed[NAME_BYTES];
    snprintf(followed, sizeof followed, "%.*s.followed", (int)strcspn(name, "."), name);
    size_t place = strstr(name, "misses") == NULL ? making->quantities.count
                                                  : text_set_find(&making->quantities, followed);
    bool sum = row != NULL && row->sum != NULL;
    return (struct trial_traits){.sum = sum,
                                 .unnamed = sum && strcmp(row->sum, "loads,stores") == 0,
                                 .followed = place == making->quantities.count ? TRIAL_NONE : (int)place};
}

static enum status read_suite(struct trial_making *making)
{
    struct event_trials *trials = making->trials;
    enum status status = load_programs(making);
    if (status != STATUS_OK)
        return status;
    for (size_t i = 0; i < making->program_count; i++)
        take_counts(making, making->programs[i].manifest, NULL);
    order_quantities(making);
    size_t quantities = making->quantities.count, programs = making->program_count;
    double *known = arena_alloc(&trials->arena, programs * quantities + 1, sizeof *known);
    struct trial_traits *traits = arena_alloc(&trials->arena, quantities + 1, sizeof *traits);
    const char **names = arena_alloc(&trials->arena, quantities + 1, sizeof *names);
    trials->set.programs = arena_alloc(&trials->arena, programs + 1, sizeof *trials->set.programs);
    for (size_t i = 0; i < quantities; i++) {
        names[i] = keep(trials, making->quantities.texts[i]);
        traits[i] = traits_of(making, names[i]);
    }
    for (size_t i = 0; i < programs; i++) {
        char name[512];
        for (size_t j = 0; j < quantities; j++)
            known[i * quantities + j] = NAN;
        take_counts(making, making->programs[i].manifest, known + i * quantities);
        snprintf(name, sizeof name, "%s/%s", making->items[i]->benchmark, making->items[i]->point);
        trials->set.programs[i] = keep(trials, name);
        text_set_add(&making->names, name);
    }
    trials->set.suite = (struct trial_suite){programs, quantities, names, known, traits};
    trials->set.condition = trial_condition(&trials->set.suite, &trials->set.moved);
    trials->set.machine = keep(trials, work_machine(making->items[0]->source)->name);
    if (quantities > 0)
        return STATUS_OK;
    error_set(making->error, STATUS_USAGE, "no program of the suite states its counts");
    error_hint(making->error, "`trauma gen events -o DIR` makes one whose programs do");
    return STATUS_USAGE;
}

/* ---- judging ---- */

static int quantity_of(const struct trial_making *making, const char *name)
{
    size_t found = name == NULL ? making->quantities.count : text_set_find(&making->quantities, name);
    return found < making->quantities.count ? (int)found : TRIAL_NONE;
}

/* The code of an event, given by its name in the table or by its code; NULL: unknown. */
static const char *code_of(const struct event_table *table, const char *name)
{
    for (size_t i = 0; i < table->total_count; i++) {
        const struct event_sum *sum = &table->totals[i].sum;
        if (strcmp(table->totals[i].name, name) == 0)
            return sum->count == 1 && sum->terms[0].factor == 1 && sum->terms[0].event >= 0
                       ? table->events[sum->terms[0].event].code
                       : NULL;
    }
    for (size_t i = 0; i < table->event_count; i++)
        if (strcmp(table->events[i].code, name) == 0)
            return table->events[i].code;
    return NULL;
}

/* The event's name in the table; NULL: it has none. */
static const char *name_in(const struct event_table *table, const struct trial_event *item)
{
    for (size_t i = 0; i < table->total_count; i++)
        if (strcmp(table->totals[i].name, item->name) == 0)
            return item->name;
    for (size_t i = 0; i < table->event_count && item->code != NULL; i++)
        if (strcmp(table->events[i].code, item->code) == 0)
            return table->events[i].name;
    return NULL;
}

/* Judges an event by its runs. why: the reason that it was not counted; NULL: it was. */
static void judge(struct trial_making *making, const char *name, const char *code,
                  const struct trial_run *runs, size_t count, const char *why)
{
    struct event_trials *trials = making->trials;
    bool own = making->request->claims != NULL;
    const char *claim = event_claim_of(own ? &making->claims : NULL, &trials->table, name);
    if (own && claim == NULL && code != NULL)
        claim = event_claim_of(&making->claims, NULL, code);
    trials->set.items = memory_next(trials->set.items, trials->set.count, sizeof *trials->set.items);
    struct trial_event *item = &trials->set.items[trials->set.count++];
    *item = (struct trial_event){.name = arena_strdup(&trials->arena, name), .code = code, .claim = claim};
    item->result =
        (struct trial_result){.verdict = TRIAL_UNAVAILABLE, .why = why, .error = NAN, .noise = NAN};
    bool unknown = claim != NULL && quantity_of(making, claim) == TRIAL_NONE;
    if (unknown)
        item->result.why = "no program of the suite has what is claimed";
    else if (why == NULL)
        trial_judge(&trials->set.suite, runs, count, quantity_of(making, claim), &item->result);
    item->why = item->result.why == NULL ? NULL : arena_strdup(&trials->arena, item->result.why);
}

/* ---- counts made elsewhere ---- */

static bool is_wanted(const struct event_trial_request *request, const char *event)
{
    bool wanted = request->event_count == 0;
    for (size_t i = 0; i < request->event_count; i++)
        wanted = wanted || strcmp(request->events[i], event) == 0;
    return wanted;
}

static enum status unknown_program(const struct trial_making *making, const char *name)
{
    const struct event_trials *trials = making->trials;
    error_set(making->error, STATUS_USAGE, "the suite has no program \"%.200s\", which %s counts", name,
              making->request->counts);
    suggest_hint(making->error, name, trials->set.programs, trials->set.suite.programs,
                 "count the programs of this suite");
    return STATUS_USAGE;
}

static enum status judge_counted(struct trial_making *making, const struct counted_runs *counted)
{
    struct text_set events = {0};
    struct trial_run *runs = memory_zeroed(counted->count + 1, sizeof *runs);
    enum status status = STATUS_OK;
    for (size_t i = 0; i < counted->count; i++)
        if (is_wanted(making->request, counted->items[i].event))
            text_set_add(&events, counted->items[i].event);
    for (size_t e = 0; e < events.count && status == STATUS_OK; e++) {
        const char *why = NULL;
        size_t count = 0;
        for (size_t i = 0; i < counted->count && status == STATUS_OK; i++) {
            const struct counted_run *run = &counted->items[i];
            if (strcmp(run->event, events.texts[e]) != 0)
                continue;
            size_t program = text_set_find(&making->names, run->program);
            if (program == making->names.count)
                status = unknown_program(making, run->program);
            else if (run->why == NULL)
                runs[count++] = (struct trial_run){program, run->passes, run->count};
            else
                why = run->why;
        }
        if (status == STATUS_OK)
            judge(making, events.texts[e], code_of(&making->trials->table, events.texts[e]), runs, count,
                  count == 0 ? why : NULL);
    }
    const char *const *requested = making->request->events;
    for (size_t i = 0; i < making->request->event_count && status == STATUS_OK; i++)
        if (text_set_find(&events, requested[i]) == events.count)
            judge(making, requested[i], NULL, NULL, 0, "the file has no counts of it");
    for (size_t i = 0; i < making->claims.count && making->request->event_count == 0 && status == STATUS_OK;
         i++)
        if (text_set_find(&events, making->claims.items[i].event) == events.count)
            judge(making, making->claims.items[i].event, NULL, NULL, 0, "the file has no counts of it");
    text_set_free(&events);
    free(runs);
    return status;
}

static enum status read_counts(struct trial_making *making)
{
    struct counted_runs counted = {0};
    struct error ignored; /* without an events file, only the quantities' own names are known */
    struct event_trials *trials = making->trials;
    struct event_processor processor = {.vendor = "", .pmu = "cpu", .name = trials->set.machine};
    if (work_machine(making->items[0]->source)->present) {
        perf_host_read(&trials->host, -1, making->request->root);
        processor = (struct event_processor){.vendor = trials->host.vendor,
                                             .family = trials->host.family,
                                             .model = trials->host.model,
                                             .pmu = trials->host.pmu};
    }
    if (event_folder_untried(&processor, &trials->table, &ignored) != STATUS_OK)
        event_table_free(&trials->table);
    enum status status = counted_runs_read(making->request->counts, &counted, making->error);
    if (status == STATUS_OK)
        status = judge_counted(making, &counted);
    counted_runs_free(&counted);
    return status;
}

/* ---- counting here ---- */

/* Counts of the table's events, each with runs of every program. */
struct counted_here {
    struct trial_run *runs[EVENT_TABLE_EVENTS]; /* NULL: not counted */
    const char *why[EVENT_TABLE_EVENTS];
    bool tried[EVENT_TABLE_EVENTS];
    size_t run_count;
};

static enum status count_event(struct trial_making *making, int event, size_t reps,
                               struct counted_here *counted)
{
    const struct event_trials *trials = making->trials;
    const char *code = trials->table.events[event].code;
    struct perf_event_attr attributes;
    struct perf_run *seen = memory_zeroed(2 * reps, sizeof *seen);
    struct trial_run *runs = memory_zeroed(counted->run_count, sizeof *runs);
    struct error reason = {0};
    enum status status = perf_event_encode(&trials->host, code, &attributes, &reason);
    if (status == STATUS_OK)
        status = perf_try(&trials->host, code, &attributes, &reason);
    for (size_t i = 0; i < making->program_count && status == STATUS_OK; i++) {
        struct test_program test_program =
            work_test_program(making->items[i], &making->programs[i], host_choose_cpu());
        status = perf_measure_event(&test_program, &trials->host, code, &attributes, reps, seen, &reason);
        for (size_t j = 0; j < 2 * reps; j++)
            runs[i * 2 * reps + j] = (struct trial_run){i, seen[j].passes, seen[j].count};
    }
    counted->tried[event] = true;
    counted->runs[event] = status == STATUS_OK ? runs : NULL;
    if (status != STATUS_OK) {
        counted->why[event] = arena_strdup(&making->trials->arena, reason.message);
        free(runs);
    }
    free(seen);
    if (status == STATUS_FAILED)
        *making->error = reason;
    return status == STATUS_FAILED ? status : STATUS_OK;
}

/* Counts a sum of events, run by run, and judges it. */
static enum status judge_here(struct trial_making *making, const char *name, const struct event_sum *sum,
                              size_t reps, struct counted_here *counted)
{
    struct trial_run *runs = memory_zeroed(counted->run_count, sizeof *runs);
    const char *why = NULL;
    enum status status = STATUS_OK;
    for (size_t i = 0; i < sum->count && status == STATUS_OK; i++) {
        int event = sum->terms[i].event;
        if (event >= 0 && !counted->tried[event])
            status = count_event(making, event, reps, counted);
        const struct trial_run *seen = event < 0 ? NULL : counted->runs[event];
        why = event >= 0 && seen == NULL && why == NULL ? counted->why[event] : why;
        for (size_t j = 0; j < counted->run_count && seen != NULL; j++)
            runs[j] = (struct trial_run){seen[j].program, seen[j].passes,
                                         runs[j].count + sum->terms[i].factor * seen[j].count};
    }
    bool one = sum->count == 1 && sum->terms[0].factor == 1 && sum->terms[0].event >= 0;
    if (status == STATUS_OK)
        judge(making, name, one ? making->trials->table.events[sum->terms[0].event].code : NULL, runs,
              counted->run_count, why);
    free(runs);
    return status;
}

/* False for counts of the kernel alone, such as its clock. */
static bool is_of_processor(const struct event_table *table, const struct event_sum *sum)
{
    for (size_t i = 0; i < sum->count; i++)
        if (sum->terms[i].event >= 0 &&
            strcmp(table->events[sum->terms[i].event].code, "perf::TASK-CLOCK") == 0)
            return false;
    return sum->count > 0;
}

static enum status judge_names(struct trial_making *making, const char *const *names, size_t count,
                               size_t reps, struct counted_here *counted)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        struct event_sum sum;
        status = event_table_sum(&making->trials->table, names[i], &sum, making->error);
        if (status == STATUS_OK)
            status = judge_here(making, names[i], &sum, reps, counted);
        session_progress(making->events, "events", i + 1, count);
    }
    return status;
}

static enum status judge_table(struct trial_making *making, size_t reps, struct counted_here *counted)
{
    const struct event_table *table = &making->trials->table;
    enum status status = STATUS_OK;
    for (size_t i = 0; i < table->total_count && status == STATUS_OK; i++) {
        if (is_of_processor(table, &table->totals[i].sum))
            status = judge_here(making, table->totals[i].name, &table->totals[i].sum, reps, counted);
        session_progress(making->events, "events", i + 1, table->total_count);
    }
    return status;
}

/* Reads the host, and checks that it can count an event. */
static enum status check_host(struct trial_making *making)
{
    struct event_trials *trials = making->trials;
    static const struct perf_event_attr instructions = {.size = sizeof instructions,
                                                        .type = PERF_TYPE_HARDWARE,
                                                        .config = PERF_COUNT_HW_INSTRUCTIONS,
                                                        .exclude_kernel = 1,
                                                        .exclude_hv = 1};
    perf_host_read(&trials->host, host_choose_cpu(), making->request->root);
    if (making->request->kernel != NULL)
        trials->host.kernel = making->request->kernel;
    enum status status = perf_try(&trials->host, "instructions", &instructions, making->error);
    if (status == STATUS_OK)
        return STATUS_OK;
    error_hint(making->error,
               "count elsewhere: `trauma gen events -m MACHINE -o DIR`, run DIR/events.sh on that machine, "
               "then `trauma events --suite DIR --counts FILE.csv`");
    return status;
}

static enum status count_here(struct trial_making *making)
{
    struct event_trials *trials = making->trials;
    size_t reps = making->request->reps == 0 ? REPS : making->request->reps;
    struct counted_here *counted = memory_zeroed(1, sizeof *counted);
    counted->run_count = making->program_count * 2 * reps;
    const struct event_processor processor = {.vendor = trials->host.vendor,
                                              .family = trials->host.family,
                                              .model = trials->host.model,
                                              .pmu = trials->host.pmu};
    enum status status = event_folder_untried(&processor, &trials->table, making->error);
    const char **known =
        status == STATUS_OK && making->request->all ? perf_host_events(&trials->arena) : NULL;
    size_t count = 0;
    while (known != NULL && known[count] != NULL)
        count++;
    if (status == STATUS_OK && making->request->event_count > 0)
        status = judge_names(making, making->request->events, making->request->event_count, reps, counted);
    else if (status == STATUS_OK)
        status = judge_table(making, reps, counted);
    if (status == STATUS_OK)
        status = judge_names(making, known, count, reps, counted);
    trials->here = status == STATUS_OK;
    session_progress_end(making->events);
    for (size_t i = 0; i < EVENT_TABLE_EVENTS; i++)
        free(counted->runs[i]);
    free(counted);
    return status;
}

enum status event_trials_make(const struct event_trial_request *request, const struct selection *selection,
                              const struct target_request *target, struct event_trials *trials,
                              struct error *error)
{
    struct work work = {0};
    struct trial_making making = {
        .request = request, .trials = trials, .work = &work, .events = target->events, .error = error};
    enum status status = request->counts == NULL ? check_host(&making) : STATUS_OK;
    if (status == STATUS_OK)
        status = work_open(selection, target, &work, error);
    if (status == STATUS_OK)
        status = read_suite(&making);
    if (status == STATUS_OK && request->claims != NULL)
        status = event_claims_read(request->claims, trials->set.suite.names, trials->set.suite.quantities,
                                   &trials->arena, &making.claims, error);
    if (status == STATUS_OK)
        status = request->counts != NULL ? read_counts(&making) : count_here(&making);
    for (size_t i = 0; i < making.program_count; i++)
        program_free(&making.programs[i]);
    free(making.programs);
    free(making.items);
    text_set_free(&making.names);
    text_set_free(&making.quantities);
    work_close(&work);
    return status;
}

/* ---- a corrected file of events ---- */

/* A name that failed. */
struct event_correction {
    const char *name;
    const char *why;  /* one line */
    const char *code; /* of the event that counts it; NULL: none is known */
    double per;       /* counts of the event for each of the quantity */
};

enum { WORD_BYTES = 96 };

/* True if a word of the sum is in the set. */
static bool has_word_of(const struct text_set *set, const char *sum)
{
    while (*(sum += strspn(sum, " \t")) != '\0') {
        char word[WORD_BYTES] = "";
        size_t length = strcspn(sum, " \t");
        memcpy(word, sum, length < sizeof word ? length : sizeof word - 1);
        if (text_set_find(set, word) < set->count)
            return true;
        sum += length;
    }
    return false;
}

/* Writes the rows that use corrected names, in order, as counts refer to earlier counts. */
static void write_dependents(const struct event_file *file, struct text_set *changed,
                             const struct text_set *lost, struct buffer *text)
{
    for (size_t i = 0; i < file->row_count; i++) {
        const struct event_row *row = &file->rows[i];
        if ((row->kind != EVENT_COUNT && row->kind != EVENT_METRIC) ||
            text_set_find(changed, row->name) < changed->count || !has_word_of(changed, row->text) ||
            has_word_of(lost, row->text))
            continue;
        buffer_printf(text, "%s %s %s= %s\n", row->kind == EVENT_COUNT ? "count" : "metric", row->name,
                      row->loads_only ? "loads-only " : "", row->text);
        text_set_add(changed, row->name);
    }
}

/* The processors that the file is for: the host, or those of the table's first file. */
static void write_head(const struct event_table *table, const struct perf_host *host, struct buffer *text)
{
    const struct event_file *file = &table->files[0];
    const char *pmu = host != NULL ? host->pmu : file->pmu;
    buffer_text(
        text, "# What a trial of this processor's events found: the names below do not count what they say.\n"
              "family  " EVENT_TRIAL_FAMILY "\ntitle   events that were on trial\n");
    if (host != NULL)
        buffer_printf(text, "cpu     %s %u 0x%x\n", host->vendor[0] == '\0' ? "*" : host->vendor,
                      host->family, host->model);
    for (size_t i = 0; host == NULL && i < file->cpu_count; i++) {
        const struct event_cpu *cpu = &file->cpus[i];
        buffer_printf(text, "cpu     %s ", cpu->vendor == NULL ? "*" : cpu->vendor);
        if (cpu->family < 0)
            buffer_text(text, "*");
        else
            buffer_printf(text, "%ld", cpu->family);
        buffer_printf(text, " %s\n", cpu->models[0] == '\0' ? "*" : cpu->models);
    }
    if (pmu != NULL && strcmp(pmu, "cpu") != 0)
        buffer_printf(text, "pmu     %s\n", pmu);
    buffer_printf(text, "counters %u\n\n", table->counters);
}

static enum status event_corrected_write(const struct event_table *table, const struct perf_host *host,
                                         const struct event_correction *corrections, size_t count,
                                         struct buffer *text, struct error *error)
{
    struct text_set changed = {0}, lost = {0};
    if (host == NULL && (table->file_count == 0 || event_file_is_general(&table->files[0]))) {
        error_set(error, STATUS_USAGE,
                  "no events file is for the suite's machine, so that there is none to correct");
        error_hint(error, "`trauma sensors --events all` names those that are");
        return STATUS_USAGE;
    }
    write_head(table, host, text);
    for (size_t i = 0; i < count; i++) {
        buffer_printf(text, "none %s: %s\n", corrections[i].name, corrections[i].why);
        text_set_add(corrections[i].code == NULL ? &lost : &changed, corrections[i].name);
        if (corrections[i].code != NULL)
            buffer_printf(text, "event %s_counted %s\ncount %s = %.6g * %s_counted\n", corrections[i].name,
                          corrections[i].code, corrections[i].name, 1 / corrections[i].per,
                          corrections[i].name);
    }
    buffer_text(text, "\n");
    for (size_t i = 0; i < table->file_count && changed.count > 0; i++)
        write_dependents(&table->files[i], &changed, &lost, text);
    text_set_free(&changed);
    text_set_free(&lost);
    return STATUS_OK;
}

/* ---- corrections ---- */

/* The event that counts this quantity and no other; NULL: none. *per: its counts for each of the quantity. */
static const struct trial_event *counter_of(const struct event_trials *trials, const char *quantity,
                                            double *per)
{
    for (size_t i = 0; i < trials->set.count; i++) {
        const struct trial_result *result = &trials->set.items[i].result;
        if (trials->set.items[i].code == NULL || result->meaning.count != 1 || result->per_pass > 0 ||
            result->wraps > 0 ||
            strcmp(trials->set.suite.names[result->meaning.terms[0].quantity], quantity) != 0)
            continue;
        *per = result->verdict == TRIAL_EXACT ? 1 : result->meaning.terms[0].per;
        return &trials->set.items[i];
    }
    return NULL;
}

enum status event_trials_correct(const struct event_trials *trials, struct buffer *text, struct error *error)
{
    struct event_correction *list = memory_zeroed(trials->set.count + 1, sizeof *list);
    char(*why)[WHY_BYTES] = memory_zeroed(trials->set.count + 1, sizeof *why);
    size_t count = 0;
    for (size_t i = 0; i < trials->set.count; i++) {
        const struct trial_event *item = &trials->set.items[i];
        const char *name = name_in(&trials->table, item);
        if (item->claim == NULL || !trial_contradicts(item->result.verdict) || name == NULL)
            continue;
        struct event_correction *one = &list[count];
        struct buffer meaning = {0};
        trial_print(&trials->set.suite, &item->result.meaning, &meaning);
        const struct trial_event *by = counter_of(trials, item->claim, &one->per);
        snprintf(why[count], sizeof why[count], "on trial it was %s%s%s, not %s; %s%s",
                 trial_verdict_names[item->result.verdict], meaning.size > 0 ? ": it counts " : "",
                 meaning.size > 0 ? meaning.data : "", item->claim,
                 by == NULL ? "no event tried counts that" : by->name,
                 by == NULL   ? ""
                 : by == item ? " is divided"
                              : " counts that");
        one->name = name;
        one->why = why[count++];
        one->code = by == NULL ? NULL : by->code;
        buffer_free(&meaning);
    }
    enum status status =
        event_corrected_write(&trials->table, trials->here ? &trials->host : NULL, list, count, text, error);
    free(list);
    free(why);
    return status;
}

enum status event_trials_keep(const struct event_trials *trials, char path[FILE_PATH_BYTES],
                              struct error *error)
{
    char own[FILE_PATH_BYTES], folder[FILE_PATH_BYTES], name[128];
    path[0] = '\0';
    if (paths_own(own)[0] == '\0')
        return STATUS_OK;
    snprintf(name, sizeof name, "trial-%s-%u-%u-%s.txt", trials->host.vendor, trials->host.family,
             trials->host.model, trials->host.pmu);
    file_join(path, file_join(folder, own, "events"), name);
    struct buffer text = {0};
    enum status status = event_trials_correct(trials, &text, error);
    if (status == STATUS_OK)
        status = file_make_folders(folder, error);
    if (status == STATUS_OK)
        status = file_write(path, text.data, text.size, false, error);
    buffer_free(&text);
    return status;
}

void event_trials_free(struct event_trials *trials)
{
    free(trials->set.items);
    event_table_free(&trials->table);
    arena_free(&trials->arena);
}
