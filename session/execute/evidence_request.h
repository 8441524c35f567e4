/* The evidence that a command requests. */
#ifndef SESSION_EXECUTE_EVIDENCE_REQUEST_H
#define SESSION_EXECUTE_EVIDENCE_REQUEST_H

struct evidence_request {
    const char *counters; /* names of sources, separated by commas; NULL: all that are usable */
    const char *import;   /* a file with another tool's counters; NULL: none */
    const char *columns;  /* "NAME=METRIC,..." for names of that file; NULL: none */
};

#endif
