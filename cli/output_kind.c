#include "cli/output_kind.h"

#include <stddef.h>
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

/* The content of files with that ending; NULL: unknown. */
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
