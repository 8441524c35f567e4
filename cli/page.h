/* The report of a results file as one HTML page that needs nothing but itself: no script, no font, no picture
 * beside it. Each part is a section that one file writes. */
#ifndef CLI_PAGE_H
#define CLI_PAGE_H

#include "base/arena.h"
#include "base/buffer.h"
#include "base/file.h"
#include "cli/judged.h"
#include "report/figure.h"

#include <jansson.h>
#include <stddef.h>

/* Rows of a section, in the page's arena or the page's own texts. */
struct page_rows {
    void *items;
    size_t count, capacity;
};

/* What the sections are made of; the page writes nothing else down. Of the points there is only what it
 * shows. */
struct page {
    struct buffer text;
    struct file_writer *file; /* where the text goes in parts; NULL: it stays in text */
    const json_t *context;
    size_t point_count;
    const char *results;         /* the results file's name, as the title has it */
    const char *link;            /* its path from the page's folder; NULL: it lies outside of that */
    const char *folder;          /* the page's */
    const struct figure *figure; /* the panels that recipes ask for, and why others are missing */
    const char *no_pictures;     /* why no panel can be drawn, and what mends it; NULL: they can */
    struct tally tally;          /* filled by page_add_point */
    struct arena arena;
    json_t *texts;   /* those that many rows have, once: keys */
    json_t *indices; /* of rows that many points share: key -> index; by section */
    struct page_rows warnings, verdicts, unseen, power, channels, traces;
};

/* Takes down what the page shows of the point; all points first, then page_write. */
void page_add_point(struct page *page, const json_t *point);

/* Writes the whole page. */
void page_write(struct page *page);

void page_free(struct page *page);

/* What the sections take down of a point. */
void page_add_warnings(struct page *page, const json_t *point, const char *name);
void page_add_verdicts(struct page *page, const json_t *point, const char *name);
void page_add_unseen(struct page *page, const json_t *point);
void page_add_power(struct page *page, const json_t *point, const char *name);

/* Another row of so many bytes, all zeros; valid until the next. */
void *page_add_row(struct page_rows *rows, size_t size);

/* The text, kept once for all that have it. */
const char *page_text(struct page *page, const char *text);

/* What was written so far may go to the file. */
void page_pass_on(struct page *page);

/* The sections, each beginning with <section>. */
void page_warnings(struct page *page);
void page_verdicts(struct page *page);
void page_figures(struct page *page);
void page_power(struct page *page);
void page_unseen(struct page *page);
void page_context(struct page *page);
void page_raw(struct page *page);

#endif
