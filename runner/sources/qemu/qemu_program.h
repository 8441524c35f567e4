/* Runs programs in QEMU with our plugin: in qemu-user where it loads plugins, else in qemu-system with a
 * board for the program (below). Some systems package qemu-user as a static program, which loads no
 * plugins. */
#ifndef RUNNER_SOURCES_QEMU_QEMU_PROGRAM_H
#define RUNNER_SOURCES_QEMU_QEMU_PROGRAM_H

#include "base/buffer.h"
#include "base/error.h"
#include "base/files/memory_file.h"
#include "generator/machine/machine.h"
#include "isa/isa.h"
#include "runner/launch/test_program.h"
#include "runner/process/child.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { QEMU_ARGUMENTS = 3 };

enum qemu_way { QEMU_USER, QEMU_SYSTEM, QEMU_WAYS };

/* A start of a program in QEMU. */
struct qemu_start {
    const struct isa *isa;
    enum qemu_way way;
    const char *cpu;        /* QEMU's option -cpu */
    const void *executable; /* NULL: a small program that loads once and stores once */
    size_t executable_size;
    const char *plugin;                        /* its options: "l1i=..." */
    const char *arguments[QEMU_ARGUMENTS + 1]; /* the program's, without its name; ends with NULL */
    const char *share;                         /* path of the file that copies share; NULL: none */
    bool forks;                                /* into a child and its parent; the child ends first */
    double instructions; /* that each process should execute after its set-up; 0: unknown. A process that
                            executes far more is ended */
    double timeout_s;
};

/* "x86_64" */
const char *qemu_program_target(const struct test_program *test_program);

/* The value of QEMU's option -cpu: the processor with most features, and with vectors as long as the
 * program's. */
const char *qemu_program_cpu(const struct test_program *test_program);

/* The same for a program with unknown features. */
const char *qemu_program_plain_cpu(const struct isa *isa);

/* Finds a way in which QEMU counts a small program. STATUS_UNAVAILABLE, with the reason of each way, if there
 * is none. prove: test the last way too; otherwise it is accepted if it is installed, and its run shows
 * whether it works. */
enum status qemu_program_find(const struct isa *isa, bool prove, enum qemu_way *way, struct error *error);

/* Runs the program to its end; the plugin's lines follow the program's. STATUS_FAILED if a signal ended the
 * program itself or it executed far too many instructions, else STATUS_UNAVAILABLE with the reason. Free
 * *result with child_result_free in every case. */
enum status qemu_program_run(const struct qemu_start *start, struct child_result *result,
                             struct error *error);

/* True if the plugin can simulate the machine's data TLB. */
bool qemu_program_has_tlb(const struct machine *machine);

/* Writes the plugin's options for the machine's caches and data TLB, ",l1i=...", after the first `used`
 * characters of a text of that many bytes. huge: also the TLB for huge pages, if the machine has one. Returns
 * the new length. A TLB with unknown ways is treated as fully associative. */
size_t qemu_program_add_caches(char *text, size_t bytes, size_t used, const struct machine *machine,
                               bool huge);

/* The plugin as a file that QEMU can load. The caller closes *fd. */
enum status qemu_program_plugin(int *fd, char path[MEMORY_FILE_PATH_BYTES], struct error *error);

/* ---- the board's image ---- */

/* The image with which qemu-system runs a standalone executable without an operating system: one ELF file for
 * the board's memory with the board's own system (isa/<isa>/board.s), page tables, the program and its
 * arguments. The program has the same addresses as under Linux. */

struct qemu_board_request {
    const struct isa *isa;
    const void *executable; /* NULL: one that loads once, stores once and ends */
    size_t executable_size;
    const char *const *arguments; /* from the program's name on; ends with NULL */
    int fork_returns;             /* 0: the program runs as the child; the parent has no child to wait for */
    bool shares;                  /* its copies share regions */
};

struct qemu_board {
    struct buffer image, firmware; /* firmware: empty if reset starts code in the image */
    uint64_t memory;               /* bytes of its own; shared memory follows */
    struct buffer plugin;          /* the plugin's options for it: ",code=..." */
};

/* Fills in *board; free it even after an error. STATUS_UNAVAILABLE if there is no board for the ISA, or the
 * program does not fit it. */
enum status qemu_board_make(const struct qemu_board_request *request, struct qemu_board *board,
                            struct error *error);

void qemu_board_free(struct qemu_board *board);

/* Appends the ELF file of the small program that is used for NULL; it also runs under Linux. */
enum status qemu_board_trial(const struct isa *isa, struct buffer *file, struct error *error);

#endif
