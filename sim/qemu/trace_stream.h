/* The records that the plugin writes in mode trace= (trace_watch.c) and the runner reads (runner/tracing/),
 * in the order of execution and the host's byte order. Plugin and runner share only this header. */
#ifndef SIM_QEMU_TRACE_STREAM_H
#define SIM_QEMU_TRACE_STREAM_H

#include <stdint.h>

enum trace_kind {
    TRACE_INSTRUCTION, /* address and number of bytes; its accesses follow */
    TRACE_LOAD,
    TRACE_STORE,
    TRACE_MEASURED, /* the warm-up is over; the passes follow */
    TRACE_END,      /* the passes are over; the plugin's last record */
    TRACE_ERROR,    /* from the runner itself: `bytes` bytes of a struct error follow */
};

struct trace_record {
    uint64_t address;
    uint32_t kind, bytes;
};

#endif
