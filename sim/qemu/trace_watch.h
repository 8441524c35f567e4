/* The plugin's third way: it counts nothing, and writes down each instruction of the kernel and its accesses.
 *
 *     trace = PATH                       takes the records (trace_stream.h); a pipe too
 *     kernel = A, loop = A, loop_end = A addresses of the kernel's entry, of its loop, and of the loop's end
 *     text_end = A                       of the program's code
 *
 * The start code calls the kernel twice: to warm up, and for the passes. Set-up is no part of a trace. */
#ifndef SIM_QEMU_TRACE_WATCH_H
#define SIM_QEMU_TRACE_WATCH_H

#include "sim/qemu/qemu_api.h"

/* Registers its callbacks for those arguments. 0, or 1 after a message. */
int trace_watch_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv);

#endif
