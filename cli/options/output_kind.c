#include "cli/options/output_kind.h"

#include "base/file.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

static const struct {
    const char *ending, *what;
} kinds[] = {
    {".csv", "comma-separated values"},
    {".tsv", "tab-separated values"},
    {".json", "JSON"},
    {".jsonl", "JSON, one object per line"},
    {".html", "an HTML page"},
    {".htm", "an HTML page"},
    {".lua", "Lua"},
    {".svg", "a picture"},
    {".png", "a picture"},
    {".pdf", "a PDF document"},
    {".xml", "XML"},
    {".xlsx", "a spreadsheet"},
    {".ods", "a spreadsheet"},
    {".parquet", "a Parquet table"},
    {".md", "Markdown"},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

/* The format of files with this ending; NULL: unknown. */
static const char *kind_of(const char *ending)
{
    for (size_t i = 0; i < KINDS; i++)
        if (strcasecmp(kinds[i].ending, ending) == 0)
            return kinds[i].what;
    return NULL;
}

enum status output_kind_check(const char *path, const char *ending, struct error *error)
{
    const char *name = path == NULL ? NULL : strrchr(path, '/');
    const char *own = path == NULL ? NULL : strrchr(name == NULL ? path : name, '.');
    const char *found = own == NULL ? NULL : kind_of(own);
    const char *written = kind_of(ending);
    if (found == NULL || strcmp(found, written) == 0)
        return STATUS_OK;
    error_set(error, STATUS_USAGE, "-o %s ends in %s, which means %s, but the command writes %s", path, own,
              found, written);
    error_hint(error, "use a name that ends in %s", ending);
    return STATUS_USAGE;
}

/* ---- standard output ---- */

#define FIELD(field) offsetof(struct options, field)
static const char PICTURE[] = "a picture is drawn into a file";
static const char RESULTS[] = "results are appended to a file, which is read again, with traces beside it";

/* The options that name a file or a folder to write, by command. */
static const struct {
    const char *command, *option;
    size_t field;
    const char *why; /* the reason to refuse "-"; NULL: the output is text */
    bool alone;      /* it replaces a table, but not the output of --json and --tap */
} outputs[] = {
    {"gen", "-o", FIELD(output), "a suite is a folder", false},
    {"run", "-o", FIELD(output), RESULTS, false},
    {"measure", "-o", FIELD(output), RESULTS, false},
    {"measure", "--figure", FIELD(figure), PICTURE, false},
    {"merge", "-o", FIELD(output), "traces are copied beside the file", false},
    {"patch", "-o", FIELD(output), "a binary is written, and read again as proof", false},
    {"plot", "-o", FIELD(output), PICTURE, false},
    {"fit", "--figure", FIELD(figure), PICTURE, false},
    {"predict", "--figure", FIELD(figure), PICTURE, false},
    {"events", "--figure", FIELD(figure), PICTURE, false},
    {"events", "-o", FIELD(output), NULL, true},
    {"validate", "--figure", FIELD(figure), PICTURE, false},
    {"validate", "--badge", FIELD(badge), PICTURE, false},
    {"validate", "-o", FIELD(output), NULL, true},
    {"machine", "--figure", FIELD(figure), PICTURE, false},
    {"machine", "-o", FIELD(output), NULL, false},
    {"export", "-o", FIELD(output), NULL, false},
    {"report", "-o", FIELD(output), NULL, false},
    {"fit", "-o", FIELD(output), NULL, true},
    {"check", "--junit", FIELD(junit), NULL, true},
};
enum { OUTPUTS = sizeof outputs / sizeof outputs[0] };

bool output_is_standard(const char *path)
{
    return path != NULL && strcmp(path, "-") == 0;
}

enum status output_standard_check(const char *command, const struct options *options, struct error *error)
{
    for (size_t i = 0; i < OUTPUTS; i++) {
        const char *path = *(const char *const *)((const char *)options + outputs[i].field);
        if (!options_is_of(command, outputs[i].command) || !output_is_standard(path))
            continue;
        if (outputs[i].why != NULL) {
            error_set(error, STATUS_USAGE, "%s - would be standard output: %s", outputs[i].option,
                      outputs[i].why);
            error_hint(error, "name it; ./- is a file of that name");
            return STATUS_USAGE;
        }
        if (outputs[i].alone && (options->json || options->tap)) {
            error_set(error, STATUS_USAGE, "%s - and %s both write to standard output", outputs[i].option,
                      options->json ? "--json" : "--tap");
            error_hint(error, "leave one of them out, or name a file");
            return STATUS_USAGE;
        }
    }
    return STATUS_OK;
}

enum status output_write(const char *path, const void *text, size_t size, struct error *error)
{
    if (path != NULL && !output_is_standard(path))
        return file_write(path, text, size, false, error);
    fwrite(text, 1, size, stdout);
    return STATUS_OK;
}
