/* The report of a results file as one HTML page that needs nothing but itself: no script, no font, no picture
 * beside it. Each part is a section that one file writes. */
#ifndef CLI_PAGE_H
#define CLI_PAGE_H

#include "base/buffer.h"
#include "cli/figure.h"
#include "cli/judged.h"

#include <jansson.h>
#include <stddef.h>

/* What the sections are made of; the page writes nothing else down. */
struct page {
    struct buffer text;
    const json_t *context;
    const json_t *points;
    const char *results;         /* the results file's name, as the title has it */
    const char *link;            /* its path from the page's folder; NULL: it lies outside of that */
    const char *folder;          /* the page's */
    const struct figure *figure; /* the panels that recipes ask for, and why others are missing */
    const char *no_pictures;     /* why no panel can be drawn, and what mends it; NULL: they can */
    struct tally tally;          /* filled by page_verdicts */
};

/* Appends the whole page to page->text. */
void page_write(struct page *page);

/* The sections, each beginning with <section>. */
void page_warnings(struct page *page);
void page_verdicts(struct page *page);
void page_figures(struct page *page);
void page_power(struct page *page);
void page_unseen(struct page *page);
void page_context(struct page *page);
void page_raw(struct page *page);

/* "benchmark/point" in text; returns text. */
char *page_point_name(const json_t *point, char *text, size_t capacity);

#endif
