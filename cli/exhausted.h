/* The end of a process that has no more memory: a sentence and exit code 1. Below, whoever gets none calls
 * abort, as no caller could go on without; so does the C++ of libraries. */
#ifndef CLI_EXHAUSTED_H
#define CLI_EXHAUSTED_H

/* From now on an abort for want of memory ends the process so, and jansson's objects are never left out for
 * it; any other abort stays one. Processes that are forked later have it too. */
void exhausted_watch(void);

#endif
