/* HTML from texts that may be anybody's: every one goes through here, and is no more than text on the page.
 */
#ifndef REPORT_HTML_H
#define REPORT_HTML_H

#include "base/buffer.h"

#include <jansson.h>
#include <stdbool.h>

/* Appends the text with the characters that mean something to HTML as entities, and what steers or hides as
 * escapes (base/visible.h), so that nothing on the page is what a browser refuses; ends of lines and tabs are
 * blanks. Valid inside of elements and of quoted attributes. */
void html_text(struct buffer *page, const char *text);

/* Appends <element>text</element>; element may have attributes: "td class=number". Both parts are the
 * caller's own but the text. */
void html_element(struct buffer *page, const char *element, const char *text);

/* The same of a point's name, which may go on in another line behind each of its parameters. */
void html_name(struct buffer *page, const char *element, const char *name);

/* As html_element with a text made as by printf. */
__attribute__((format(printf, 3, 4))) void html_element_of(struct buffer *page, const char *element,
                                                           const char *format, ...);

/* A link to a file: path is a path, not an URL, and never leaves the machine. */
void html_link(struct buffer *page, const char *path, const char *text);

/* Begins a table that scrolls by itself where it is wider than the page: caption, and column heads,
 * NULL-terminated.
 */
void html_table_begin(struct buffer *page, const char *caption, const char *const *heads);
void html_table_end(struct buffer *page);

/* A value with its interval. */
struct html_interval {
    bool there;
    double value, low, high;
};

/* {"value","low","high"} of a results file. */
struct html_interval html_interval_of(const json_t *interval);

/* "<td>" with it; empty where it is none. */
void html_interval(struct buffer *page, const struct html_interval *interval);

/* A JSON value in running text: a string as it is, a list with commas, an object as "key: value; ...". */
void html_value(struct buffer *page, const json_t *value);

#endif
