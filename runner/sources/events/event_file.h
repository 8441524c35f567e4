/* A file of events, as shipped in templates/events/ for processor families and templates/imports/ for other
 * tools: the names of counters, and the counts that make up a metric. A line is a keyword and its content:
 * - family NAME; title TEXT; source TEXT: where the codes are published.
 * - cpu VENDOR FAMILY MODELS: "AuthenticAMD 25 0x00-0x0f 0x20-0x5f"; * is any; may be repeated. Arm's are
 *   "0x41 * 0xd0c" (MIDR's implementer and part), RISC-V's "0x489 * 0x7" (mvendorid and the lower half of
 *   marchid).
 * - machines NAME...: descriptions in recipes/machines of processors of the family.
 * - pmu NAME: of hybrid processors, cpu_core or cpu_atom; gpu: NVIDIA's GPUs, by CUPTI.
 * - counters N: the number of simultaneous events, without those of "fixed NAME...", which have counters of
 *   their own.
 * - event NAME CODE REST: a libpfm4 name, or r and the raw code; of an import, column names.
 * - percent NAME CODE REST: of an import, a percentage, whose rows are averaged, not summed.
 * - count NAME = SUM: a sum of events and other counts.
 * - metric NAME [loads-only] = SUM [/ SUM]: loads-only metrics do not apply to programs that store.
 * - none NAME: SENTENCE: why there is no such metric or count here.
 * A SUM is terms between + and -, with optional parentheses; a term is a name, a number, or NUMBER * NAME.
 * Blanks separate words and signs. # starts a comment line. */
#ifndef RUNNER_SOURCES_EVENTS_EVENT_FILE_H
#define RUNNER_SOURCES_EVENTS_EVENT_FILE_H

#include "base/arena.h"
#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

enum event_kind { EVENT_CODE, EVENT_PERCENT, EVENT_COUNT, EVENT_METRIC, EVENT_NONE, EVENT_KINDS };

/* The family of files with the results of a trial (`trauma events`). */
#define EVENT_TRIAL_FAMILY "trial"

struct event_row {
    enum event_kind kind;
    const char *name;
    const char *text; /* the code, the expression, or the sentence */
    const char *rest; /* after a code; "" when there is nothing */
    int line;
    bool loads_only;
    bool fixed; /* of a code: it has its own counter */
};

/* "VENDOR FAMILY MODELS"; a NULL vendor, family -1 and empty models match any. */
struct event_cpu {
    const char *vendor;
    long family;
    const char *models; /* "0x00-0x0f 0x20"; "" for any */
};

/* One file; texts are in the arena that it was read into. All zeros is empty. */
struct event_file {
    const char *path;
    const char *family, *title, *source;
    const char *machines; /* their names, separated by blanks; NULL: none */
    const char *pmu;      /* NULL: cpu */
    unsigned counters;
    struct event_cpu *cpus;
    size_t cpu_count;
    struct event_row *rows;
    size_t row_count;
};

/* Parses the text of a file. path is for messages and is copied. STATUS_RECIPE for a wrong file, with its
 * path, the line and what was expected. */
enum status event_file_parse(const char *text, size_t size, const char *path, struct arena *arena,
                             struct event_file *file, struct error *error);

/* True if the file covers that processor and its counter unit ("cpu", "cpu_core", ...). */
bool event_file_fits(const struct event_file *file, const char *vendor, unsigned family, unsigned model,
                     const char *pmu);

/* True if that is the name of the file's family, or of a machine of the family. */
bool event_file_is_named(const struct event_file *file, const char *name);

/* True if the file covers every processor. */
bool event_file_is_general(const struct event_file *file);

/* The row of that name and one of the kinds (a mask of 1 << kind), or NULL. */
const struct event_row *event_file_find(const struct event_file *file, unsigned kinds, const char *name);

#endif
