/* SIGINT, SIGTERM and other signals that end a process as a wish to stop: what is half done can be removed
 * before the process ends by the signal. A signal that the process was started to ignore stays ignored. */
#ifndef SESSION_STOP_SIGNALS_H
#define SESSION_STOP_SIGNALS_H

#include <stdbool.h>

/* From now on the signals are only noted; calls that wait end with EINTR. */
void stop_signals_catch(void);

/* True when one has come. */
bool stop_signals_came(void);

/* Ends the process by the signal that came, if one did, so that a shell sees what it sent. */
void stop_signals_obey(void);

#endif
