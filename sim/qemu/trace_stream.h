/* What the plugin writes when it follows a program for a trace (trace_watch.c), and the runner reads
 * (runner/tracing/): records in the order of execution, in the bytes of this machine. The plugin is built
 * apart, so that this is all that both know. */
#ifndef SIM_QEMU_TRACE_STREAM_H
#define SIM_QEMU_TRACE_STREAM_H

#include <stdint.h>

enum trace_kind {
    TRACE_INSTRUCTION, /* its address, its bytes; its accesses follow */
    TRACE_LOAD,
    TRACE_STORE,
    TRACE_MEASURED, /* the warm-up is over: what follows are the passes */
    TRACE_END,      /* the passes are over; nothing follows from the plugin */
    TRACE_ERROR,    /* the runner's own: bytes of a struct error follow */
};

struct trace_record {
    uint64_t address;
    uint32_t kind, bytes;
};

#endif
