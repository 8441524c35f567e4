/* Writes HTML from untrusted texts: every text passes through here, and can only appear as text on the page.
 */
#ifndef REPORT_PAGE_HTML_H
#define REPORT_PAGE_HTML_H

#include "base/buffer.h"
#include "base/stats.h"
#include "base/value.h"

#include <stdbool.h>
#include <stddef.h>

/* Begins a page, up to its body. */
void html_begin(struct buffer *page, const char *title);

/* Appends gnuplot's picture. svg: modified; NULL: none. number: of the picture on the page. False if there is
 * no picture. */
bool html_picture(struct buffer *page, char *svg, size_t number, const char *label);

/* Appends the text with HTML's special characters as entities, and with control and invisible characters as
 * escapes (base/text/visible.h), so that no browser rejects the page; newlines and tabs become blanks. Valid
 * inside elements and quoted attributes. */
void html_text(struct buffer *page, const char *text);

/* Appends <element>text</element>; element may have attributes: "td class=number". Only the text is
 * escaped. */
void html_element(struct buffer *page, const char *element, const char *text);

/* The same for a point's name, which may break across lines after each of its parameters. */
void html_name(struct buffer *page, const char *element, const char *name);

/* As html_element, with a printf format for the text. */
__attribute__((format(printf, 3, 4))) void html_element_of(struct buffer *page, const char *element,
                                                           const char *format, ...);

/* A link to a local file: path is a path, not a URL. */
void html_link(struct buffer *page, const char *path, const char *text);

/* Starts a table that scrolls if it is wider than the page: caption, and column heads, NULL-terminated. */
void html_table_begin(struct buffer *page, const char *caption, const char *const *heads);
void html_table_end(struct buffer *page);

/* Appends the interval as a "<td>", which is empty without a value. */
void html_interval(struct buffer *page, struct interval interval);

/* Appends a value for running text: a word unchanged, a list with commas, parts as "name: value; ...". */
void html_value(struct buffer *page, const struct value *value);

#endif
