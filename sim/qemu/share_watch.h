/* The plugin's other way to count: what the copies of a program do to the regions that they share. A plugin
 * watches each copy's process; all of them write on one board (share_board.h).
 *
 *     board = PATH                       the board's file
 *     copy = N                           which of the copies this is, from 0
 *     kernel = A, loop = A, loop_end = A addresses of the kernel's entry, of its loop, and of the loop's end
 *     map = A:BYTES:PLACE                in qemu-system: where the program maps what part of the shared file
 *     code = A, code_end = A             there, the program's instructions (qemu_plugin.c)
 *     shared = A                         there, the board's instruction that follows the mapping
 *
 * The copies run in turn, so that what they find does not depend on the machine: one goes on to its next
 * access to what they share, then the next copy does. Atomics are told by their bytes; load-linked and
 * store-conditional count as one access. Flushes have no address in QEMU: the runner gives a program in which
 * loads with marks stand for them. */
#ifndef SIM_QEMU_SHARE_WATCH_H
#define SIM_QEMU_SHARE_WATCH_H

#include "sim/qemu/qemu_api.h"

/* Registers its callbacks for those arguments. 0, or 1 after a message. */
int share_watch_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv);

/* The same for trace=: nothing is counted, and what is executed is written down (trace_watch.c). */
int trace_watch_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv);

/* The same for app=: an application is counted (app_watch.c). */
int app_watch_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv);

#endif
