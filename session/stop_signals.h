/* Treats SIGINT, SIGTERM and other terminating signals as a request to stop: unfinished work can be removed
 * before the signal ends the process. A signal that the process was started to ignore stays ignored. */
#ifndef SESSION_STOP_SIGNALS_H
#define SESSION_STOP_SIGNALS_H

#include <stdbool.h>

/* From now on the signals are only recorded; blocking calls return with EINTR. */
void stop_signals_catch(void);

/* True when one has arrived. */
bool stop_signals_came(void);

/* Ends the process by the signal that arrived, if any, so that a shell sees the signal that it sent. */
void stop_signals_obey(void);

#endif
