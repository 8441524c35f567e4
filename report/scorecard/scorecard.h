/* The scorecard of `trauma validate` (DESIGN.md section 14): the rates that recipes state, and those observed
 * on a machine, a row per behaviour and metric. The check fills it; the table, the page, the badge and the
 * document show it. */
#ifndef REPORT_SCORECARD_SCORECARD_H
#define REPORT_SCORECARD_SCORECARD_H

#include "base/arena.h"
#include "base/buffer.h"
#include "base/error.h"
#include "report/verdict_report.h"

#include <stdbool.h>
#include <stddef.h>

/* The observation that decides on one side; source NULL: none. */
struct score_observation {
    const char *source;
    enum evidence_kind kind;
    double value, low, high; /* low and high are NAN without an interval */
};

/* The sides of a verdict, as in score_point. */
enum score_side { SCORE_CODE, SCORE_SILICON, SCORE_SIDES };

struct score_point {
    const char *name;
    double stated;
    enum verdict verdict;
    const char *reason; /* "": none */
    struct score_observation observed[SCORE_SIDES];
};

struct score_row {
    const char *behaviour, *metric;
    struct score_point *points;
    size_t count;
};

/* A point that did not run. */
struct score_gap {
    const char *behaviour, *point, *word, *why; /* word: "refused", ... */
};

struct score_behaviour {
    const char *name, *title;
    const char **metrics; /* the metrics of its rows */
    size_t metric_count;
};

struct score_source {
    const char *name;
    enum evidence_kind kind;
    bool usable;
    const char *why; /* why it is not usable; NULL: it is */
};

/* Texts are in the arena. All zeros is an empty card. */
struct scorecard {
    struct arena arena;
    const char *version, *date;
    double seconds; /* the duration of the check */
    const char *machine, *cpu, *isa, *caches;
    bool present;    /* the described machine is the present one */
    bool is_virtual; /* it is a virtual machine */
    struct score_behaviour *behaviours;
    size_t behaviour_count;
    struct score_source *sources;
    size_t source_count;
    const char **warnings; /* of the machine's state */
    size_t warning_count;
    struct score_row *rows;
    size_t row_count;
    struct score_gap *gaps;
    size_t gap_count;
};

/* Adds the finding's rates that its behaviour lists and that are shares. If none of these failed, also adds
 * the first other rate that failed. Adds a gap for a point that did not run. */
void scorecard_add(struct scorecard *card, const struct check_finding *finding);

/* The worst verdict of the row's points; *count: how many have it. */
enum verdict score_row_verdict(const struct score_row *row, size_t *count);

/* The point whose observation on that side is farthest from its stated rate; NULL: none was observed. *error:
 * the distance. */
const struct score_point *score_row_worst(const struct score_row *row, enum score_side side, double *error);

/* Writes the range of stated rates, "0.05 to 0.95", or the single one. */
void score_row_stated(const struct score_row *row, char *text, size_t capacity);

/* Writes each source of the side once, "timing, perf"; "" for none. */
void score_row_sources(const struct score_row *row, enum score_side side, char *text, size_t capacity);

/* How many rows have each verdict (score_row_verdict). */
struct score_counts {
    size_t rows[VERDICT_OBSERVED + 1];
    size_t silicon; /* rows with a point whose silicon was observed */
};

struct score_counts scorecard_count(const struct scorecard *card);

/* Appends a sentence: "26 rates: 9 pass, 17 pass (code); 2 points did not run". */
void scorecard_summary(const struct scorecard *card, struct buffer *text);

/* A change of a row since an earlier scorecard. */
struct score_change {
    const char *behaviour, *metric;
    bool worse;
    const char *what; /* in the later card's arena */
};

struct score_changes {
    struct score_change *items;
    size_t count, worse;
};

/* Compares rows of the same behaviour and metric. A row is worse if it fails now, is no longer observed on a
 * side, or if its error grew by more than the threshold, even at the near end of its interval. Other changes
 * of verdicts are reported too. Behaviours that the later card does not cover are left out. In the later
 * card's arena. */
struct score_changes scorecard_compare(const struct scorecard *old, struct scorecard *card, double threshold);

/* Appends the card as a page of HTML. picture: the figure as SVG, which is modified; NULL: none. changes
 * NULL: nothing was compared. */
void scorecard_page(const struct scorecard *card, const struct score_changes *changes, char *picture,
                    struct buffer *page);

/* Draws stated against observed rates of all rows; without a panel if nothing was observed. */
struct figure;
void scorecard_figure(const struct scorecard *card, struct figure *figure);

/* Appends the card as a badge, an SVG. */
void scorecard_badge(const struct scorecard *card, struct buffer *svg);

void scorecard_free(struct scorecard *card);

/* ---- the document: scorecard.schema.json describes it ---- */

/* Appends the document, indented or on one line. */
void scorecard_write(const struct scorecard *card, bool one_line, struct buffer *text);

/* Reads a document's rows, machine, version and date, for scorecard_compare. STATUS_USAGE or STATUS_FAILED,
 * with the reason, if it is no scorecard. Free the card even after an error. */
enum status scorecard_read(const char *path, struct scorecard *card, struct error *error);

/* The text of the schema, embedded by cmake/embed.cmake. */
extern const unsigned char scorecard_schema[];

#endif
