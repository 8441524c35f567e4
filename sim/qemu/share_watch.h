/* The plugin's other modes, and what they share. Mode board= counts the accesses of a program's copies to the
 * regions that they share: a plugin in each copy's process records them on one board (share_board.h).
 *
 *     board = PATH                       the board's file
 *     copy = N                           which of the copies this is, from 0
 *     kernel = A, loop = A, loop_end = A addresses of the kernel's entry, of its loop, and of the loop's end
 *     map = A:BYTES:PLACE                qemu-system: the address, size and file offset of a mapping
 *     code = A, code_end = A             qemu-system: the range of the program's instructions (qemu_plugin.c)
 *     shared = A                         qemu-system: the system's instruction that follows the mapping
 *
 * The copies run in turn, each up to its next access to a shared region, so that the result does not depend
 * on the host. Atomics are recognised by their bytes; load-linked and store-conditional count as one access.
 * QEMU reports no address of a flush, so the runner replaces flushes in the program with marked loads
 * (isa/qemu_target.h). */
#ifndef SIM_QEMU_SHARE_WATCH_H
#define SIM_QEMU_SHARE_WATCH_H

#include "sim/qemu/qemu_api.h"

/* Registers the callbacks of mode board= for those arguments. 0, or 1 after a message. */
int share_watch_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv);

/* The same for trace=, which records what is executed (trace_watch.c). */
int trace_watch_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv);

/* The same for app=, which counts an application (app_watch.c). */
int app_watch_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv);

/* Prints that the plugin cannot use the argument; returns 1. */
int plugin_refuse(const char *argument);

/* An argument "NAME=NUMBER". */
struct plugin_number {
    const char *name; /* NULL ends a list */
    uint64_t *number;
};

/* Reads the number of the row that the argument names. False if there is none, or its value is not a
 * number. */
bool plugin_read_number(const struct plugin_number *rows, const char *argument);

#endif
