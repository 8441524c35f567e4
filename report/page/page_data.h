/* A page of results: the data that its sections collect, and the text that they write. */
#ifndef REPORT_PAGE_PAGE_DATA_H
#define REPORT_PAGE_PAGE_DATA_H

#include "base/arena.h"
#include "base/buffer.h"
#include "base/file.h"
#include "base/text/text_set.h"
#include "report/figure/figure.h"
#include "report/point_table.h"
#include "report/verdict_report.h"

#include <stddef.h>
#include <stdint.h>

/* Rows of a section, in the page's arena or the page's own texts. */
struct page_rows {
    void *items;
    size_t count, capacity;
};

/* Data for the sections. Of each point it keeps only what the page shows. */
struct page {
    struct buffer text;
    struct file_writer *file; /* receives the text in parts; NULL: it stays in text */
    const struct results_context *context;
    size_t point_count;
    const char *results; /* the results file's name, for the title */
    const char *link;    /* its path relative to the page's folder; NULL: it lies outside that folder */
    const char *folder;  /* the page's folder */
    const struct figure *figure; /* the panels of the recipes' plots, and why others are missing */
    const char *no_pictures;     /* why no panel can be drawn, and the remedy; NULL: they can */
    struct tally tally;          /* filled by page_add_point, and so are the following */
    struct point_table points;
    struct table rate_marks; /* why numbers among the evidence are marked */
    struct arena arena;
    struct text_set texts;    /* texts that many rows share, stored once */
    struct text_set keys;     /* keys of rows that many points share */
    struct page_rows indices; /* size_t: for each key, the index of its row in its section */
    struct page_rows warnings, verdicts, unobserved, power, channels, traces;
};

/* Adds a zeroed row of that size; valid until the next call. */
void *page_add_row(struct page_rows *rows, size_t size);

/* The text, stored once for all rows that use it. */
const char *page_text(struct page *page, const char *text);

/* The index of the key's row; SIZE_MAX: it has none. page_set_index keeps the least. */
size_t page_index(const struct page *page, const char *key);
void page_set_index(struct page *page, const char *key, size_t index);

/* ---- the page: add all points before page_write ---- */

/* Collects what the page shows of the point. */
void page_add_point(struct page *page, const struct result_point *point);

/* Writes the whole page. */
void page_write(struct page *page);

void page_free(struct page *page);

/* Writes the text so far to the file, if there is one and the text is long. */
void page_pass_on(struct page *page);

#endif
