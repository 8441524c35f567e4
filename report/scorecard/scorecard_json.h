/* The document of a scorecard, `trauma validate -o FILE.json` and --json: scorecard.schema.json describes it.
 */
#ifndef REPORT_SCORECARD_SCORECARD_JSON_H
#define REPORT_SCORECARD_SCORECARD_JSON_H

#include "report/scorecard/scorecard.h"

/* Appends the document, in lines or as one. */
void scorecard_write(const struct scorecard *card, bool one_line, struct buffer *text);

/* Reads such a file. STATUS_USAGE or STATUS_FAILED with what it is instead. Free the card even after an
 * error. */
enum status scorecard_read(const char *path, struct scorecard *card, struct error *error);

/* The schema's text, put into the program by cmake/embed.cmake. */
extern const unsigned char scorecard_schema[];

#endif
