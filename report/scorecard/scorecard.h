/* The scorecard of `trauma validate` (DESIGN.md section 14): which rates recipes asked of a machine, and what
 * was seen of them, a row per behaviour and metric. Whoever checks fills it; the table, the page, the badge
 * and the document (scorecard_json.h) show it. */
#ifndef REPORT_SCORECARD_SCORECARD_H
#define REPORT_SCORECARD_SCORECARD_H

#include "base/arena.h"
#include "base/buffer.h"
#include "base/error.h"
#include "report/verdict_report.h"

#include <stdbool.h>
#include <stddef.h>

/* What decides on one side; source NULL: nothing saw it. */
struct score_seen {
    const char *source;
    enum evidence_kind kind;
    double value, low, high; /* low and high are NAN without an interval */
};

/* The sides of a verdict, as in score_point. */
enum score_side { SCORE_CODE, SCORE_SILICON, SCORE_SIDES };

struct score_point {
    const char *name;
    double asked;
    enum verdict verdict;
    const char *reason; /* "": none */
    struct score_seen seen[SCORE_SIDES];
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
    const char **metrics; /* whose rows it has */
    size_t metric_count;
};

struct score_source {
    const char *name;
    enum evidence_kind kind;
    bool usable;
    const char *why; /* why not; NULL: usable */
};

/* Its texts are in the arena. All zeros is empty. */
struct scorecard {
    struct arena arena;
    const char *version, *date;
    double seconds; /* that the check took */
    const char *machine, *cpu, *isa, *caches;
    bool present, is_virtual; /* the described machine is this one; a virtual one */
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

/* Adds those rates of the finding that its behaviour lists and that are shares, or else the first that
 * failed; or the gap of a point that did not run. */
void scorecard_add(struct scorecard *card, const struct check_finding *finding);

/* The verdict that matters most among the row's points, and how many have it. */
enum verdict score_row_verdict(const struct score_row *row, size_t *count);

/* The point that is farthest from what was asked, as that side saw it; NULL: it saw none. *error: how far. */
const struct score_point *score_row_worst(const struct score_row *row, enum score_side side, double *error);

/* "0.05 to 0.95", or the one value. */
void score_row_asked(const struct score_row *row, char *text, size_t capacity);

/* "timing, perf": each source of the side once; "" for none. */
void score_row_sources(const struct score_row *row, enum score_side side, char *text, size_t capacity);

/* How many rows have each verdict, by score_row_verdict. */
struct score_counts {
    size_t rows[VERDICT_OBSERVED + 1];
    size_t silicon; /* rows of which the silicon was seen at some point */
};

struct score_counts scorecard_count(const struct scorecard *card);

/* A sentence: "26 rates: 9 pass, 17 pass (code); 2 points did not run". */
void scorecard_summary(const struct scorecard *card, struct buffer *text);

/* What became of a row since an earlier scorecard. */
struct score_change {
    const char *behaviour, *metric;
    bool worse;
    const char *what; /* in the later card's arena */
};

struct score_changes {
    struct score_change *items;
    size_t count, worse;
};

/* Compares rows of the same behaviour and metric. Worse is: a rate that fails now, or is no longer seen by a
 * side; an error that grew by more than the threshold, interval and all. Other changes of verdicts are told,
 * and behaviours that the later card was not asked for are left out. In the later card's arena. */
struct score_changes scorecard_compare(const struct scorecard *old, struct scorecard *card, double threshold);

/* The card as a page of HTML. picture: the figure as SVG, which is changed, or NULL. changes NULL: nothing
 * was compared. */
void scorecard_page(const struct scorecard *card, const struct score_changes *changes, char *picture,
                    struct buffer *page);

/* Asked against seen, of all rows; without a panel if nothing was seen. */
struct figure;
void scorecard_figure(const struct scorecard *card, struct figure *figure);

/* The card as a badge: an SVG. */
void scorecard_badge(const struct scorecard *card, struct buffer *svg);

void scorecard_free(struct scorecard *card);

/* ---- the document: scorecard.schema.json describes it ---- */

/* Appends the document, in lines or as one. */
void scorecard_write(const struct scorecard *card, bool one_line, struct buffer *text);

/* Reads such a file. STATUS_USAGE or STATUS_FAILED with what it is instead. Free the card even after an
 * error. */
enum status scorecard_read(const char *path, struct scorecard *card, struct error *error);

/* The schema's text, put into the program by cmake/embed.cmake. */
extern const unsigned char scorecard_schema[];

#endif
