/* What qemu-system needs to run a standalone executable on a board without an operating system: one ELF image
 * for the board's memory with the board's own system (isa/<isa>/board.s), page tables, the program and its
 * arguments. The program's addresses are those that it has under Linux. */
#ifndef RUNNER_SOURCES_QEMU_QEMU_BOARD_H
#define RUNNER_SOURCES_QEMU_QEMU_BOARD_H

#include "base/buffer.h"
#include "base/error.h"
#include "isa/isa.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct qemu_board_request {
    const struct isa *isa;
    const void *executable; /* NULL: one that loads once, stores once and ends */
    size_t executable_size;
    const char *const *arguments; /* from the program's name on; ends with NULL */
    int fork_returns;             /* 0: the program runs as the child; the parent has no child to wait for */
    bool shares;                  /* its copies share regions */
};

struct qemu_board {
    struct buffer image, firmware; /* firmware: empty where the image has what runs from reset on */
    uint64_t memory;               /* bytes of its own; what is shared follows */
    struct buffer plugin;          /* the plugin's options for it: ",code=..." */
};

/* Fills *board; free it even after an error. STATUS_UNAVAILABLE if there is no board for the ISA, or the
 * program does not fit one. */
enum status qemu_board_make(const struct qemu_board_request *request, struct qemu_board *board,
                            struct error *error);

void qemu_board_free(struct qemu_board *board);

/* Appends the ELF file of the small program that it takes for NULL, which runs under Linux too. */
enum status qemu_board_trial(const struct isa *isa, struct buffer *file, struct error *error);

#endif
