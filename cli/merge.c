/* trauma merge: joins results files, of shards or of several nodes, into one. */
#include "base/file.h"
#include "base/json.h"
#include "base/text/plural.h"
#include "cli/command.h"
#include "cli/options/output_kind.h"
#include "runner/results/results_merge.h"

#include <stdio.h>

static const char *const accepted[] = {"output", "strict", "json", "quiet", NULL};

enum { SHOWN = 3 };

/* Warns of the first few items, each followed by the text `what`. */
static void warn_of(const struct options *options, const struct warnings *texts, const char *what)
{
    size_t count = texts->count;
    for (size_t i = 0; i < count && i < SHOWN; i++)
        command_warn(options, "%s%s", texts->items[i].what, what);
    if (count > SHOWN)
        command_warn(options, "and %zu more%s", count - SHOWN, what);
}

static bool has_shard(const struct results_merge *merge, size_t index)
{
    bool has = false;
    for (size_t i = 0; i < merge->context_count; i++)
        has = has || merge->contexts[i].shard_index == (double)index;
    return has;
}

/* Warns of the shards that are missing from the results, and returns their number. */
static size_t warn_of_missing(const struct options *options, const struct results_merge *merge)
{
    size_t count = results_merge_shards(merge);
    size_t missing = 0;
    for (size_t i = 1; i <= count; i++) {
        if (has_shard(merge, i))
            continue;
        if (missing++ < SHOWN)
            command_warn(options, "shard %zu of %zu is not among the results", i, count);
    }
    if (missing > SHOWN)
        command_warn(options, "and %zu more shards are not", missing - SHOWN);
    return missing;
}

static void print_summary(const struct options *options, const struct results_merge *merge, size_t files,
                          size_t missing)
{
    size_t points = merge->count;
    size_t failed = results_merge_failed(merge);
    size_t refused = results_merge_refused(merge);
    warn_of(options, &merge->twice, " was measured in several files; the result of the last one is kept");
    warn_of(options, &merge->traceless, "; the point is kept without its trace");
    if (options->json) {
        const struct {
            const char *name;
            size_t value;
        } counts[] = {{"points", points},
                      {"contexts", merge->context_count},
                      {"failed", failed},
                      {"refused", refused},
                      {"finished_elsewhere", merge->finished},
                      {"identical", merge->same},
                      {"measured_twice", merge->twice.count},
                      {"missing_shards", missing}};
        struct buffer line = {0};
        struct json_text text = {.buffer = &line, .compact = true};
        json_text_open(&text, NULL, '{');
        json_text_string(&text, "output", options->output);
        for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
            json_text_integer(&text, counts[i].name, (long long)counts[i].value);
        json_text_close(&text, '}');
        command_print_json_lines(&line);
        return;
    }
    command_print("%zu point%s of %zu file%s in %s", points, plural_s(points), files, plural_s(files),
                  options->output);
    if (failed > refused)
        command_print("; %zu did not run", failed - refused);
    if (refused > 0)
        command_print("; %zu refused", refused);
    if (merge->finished > 0)
        command_print("; %zu had failed in one and finished in another", merge->finished);
    if (merge->same > 0)
        command_print("; %zu %s the same in several", merge->same, merge->same == 1 ? "was" : "were");
    command_print("\n");
}

static enum status add_file(const struct options *options, const char *path, struct results_merge *merge,
                            struct error *error)
{
    struct results_reader results;
    enum status status = results_open(path, &results, error);
    if (status == STATUS_OK)
        command_warn_cut(options, path, results.cut);
    if (status == STATUS_OK)
        status = results_merge_add(merge, &results, error);
    results_reader_close(&results);
    return status;
}

/* A file, or all *.jsonl of a folder. */
static enum status add_input(const struct options *options, const char *input, struct results_merge *merge,
                             size_t *files, struct error *error)
{
    if (!file_is_folder(input)) {
        ++*files;
        return add_file(options, input, merge, error);
    }
    char **names = file_list(input, ".jsonl");
    enum status status = STATUS_OK;
    if (names == NULL || names[0] == NULL) {
        status = error_set(error, STATUS_USAGE, "the folder %s has no results: no *.jsonl", input);
        error_hint(error, "name the results files, or the folder that they are in");
    }
    for (size_t i = 0; status == STATUS_OK && names[i] != NULL; i++) {
        char path[FILE_PATH_BYTES];
        ++*files;
        status = add_file(options, file_join(path, input, names[i]), merge, error);
    }
    file_free_names(names);
    return status;
}

static enum status merge_all(const struct options *options, struct results_merge *merge, size_t *files,
                             size_t *missing, struct error *error)
{
    if (options->input_count == 0 || options->output == NULL) {
        error_set(error, STATUS_USAGE, "trauma merge needs %s",
                  options->input_count == 0 ? "results files" : "-o: the file to write");
        error_hint(error, "trauma merge RESULTS.jsonl... -o FILE.jsonl");
        return STATUS_USAGE;
    }
    enum status status = output_kind_check(options->output, ".jsonl", error);
    for (size_t i = 0; status == STATUS_OK && i < options->input_count; i++)
        status = add_input(options, options->inputs[i], merge, files, error);
    if (status != STATUS_OK)
        return status;
    if (merge->count == 0)
        return error_set(error, STATUS_FAILED, "nothing is written, as the results have no points");
    *missing = warn_of_missing(options, merge);
    if (*missing > 0 && options->strict)
        return error_set(error, STATUS_UNAVAILABLE,
                         "nothing is written because of --strict: %zu shard%s missing", *missing,
                         *missing == 1 ? " is" : "s are");
    return results_merge_write(merge, options->output, error);
}

static int run(const struct options *options)
{
    struct results_merge merge = {0};
    struct error error;
    size_t files = 0;
    size_t missing = 0;
    enum status status = merge_all(options, &merge, &files, &missing, &error);
    if (status == STATUS_OK)
        print_summary(options, &merge, files, missing);
    results_merge_free(&merge);
    return status == STATUS_OK ? STATUS_OK : command_fail(&error);
}

const struct command command_merge = {
    .name = "merge",
    .arguments = "RESULTS.jsonl|FOLDER... -o FILE.jsonl [OPTIONS]",
    .summary = "joins results files of shards, or of several nodes of one type",
    .details =

        "A FOLDER stands for all *.jsonl files in it. If a point failed in one file and ran in another, "
        "the one that ran is kept. Identical points are kept once. If a point was measured in several "
        "files, the one from the last file is kept. Files from another machine, processor, seed or "
        "version of trauma are refused. The first line has the first file's context and, as \"contexts\", "
        "those of the others, counted from 1; each point states the number of its own. Traces are copied "
        "beside FILE.\n"
        "\n"
        "Missing shards are reported. With --strict nothing is then written, and the exit code is 4.\n",
    .examples = "  trauma run my.lua --shard 1/2 -o part1.jsonl\n"
                "  trauma run my.lua --shard 2/2 -o part2.jsonl\n"
                "  trauma merge part1.jsonl part2.jsonl -o all.jsonl\n",
    .options = accepted,
    .run = run,
};
