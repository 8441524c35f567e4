/* Handles running out of memory: prints a sentence and exits with code 1. Code below, and the libraries' C++,
 * calls abort when an allocation fails, as no caller could continue. */
#ifndef CLI_EXHAUSTED_H
#define CLI_EXHAUSTED_H

/* From now on, an abort for lack of memory ends the process that way, and jansson never silently omits
 * objects; other aborts are unchanged. Later forked processes inherit this. */
void exhausted_watch(void);

#endif
