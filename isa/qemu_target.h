/* What QEMU, its plugin (sim/qemu/) and its boards (runner/sources/qemu/) must know of an ISA to run and
 * count its programs. The file isa/<isa>/qemu_<isa>.c has one, isa/<isa>/board.s the system of its board. The
 * plugin is built with these files alone, so they use nothing else of the program. */
#ifndef ISA_QEMU_TARGET_H
#define ISA_QEMU_TARGET_H

#include "isa/isa_list.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { QEMU_INSTRUCTION_BYTES = 16 };

/* The plugin writes this and its limit to standard error before it ends a program that executed too many
 * instructions. */
#define QEMU_ENDLESS "trauma's plugin: the program executed more instructions than "

/* BLIND: a conditional branch to the instruction after it, which shows no outcome. Returns are predicted by a
 * separate stack and are BRANCH_NONE. */
enum branch_kind { BRANCH_NONE, BRANCH_CONDITIONAL, BRANCH_BLIND, BRANCH_INDIRECT };

enum access_code {
    ACCESS_PLAIN,
    ACCESS_ATOMIC, /* reads and writes at once */
    ACCESS_LINK,   /* a load after which a store succeeds if nobody wrote in between */
    ACCESS_CONDITIONAL,
    ACCESS_FLUSH, /* a load that stands for a flush: mark_flush puts it there */
};

/* qemu-system's options for the board, a word on each line. */
struct qemu_board_options {
    const char *machine;
    const char *image;   /* what takes the file that is its memory */
    const char *others;  /* where its output goes and how it ends */
    unsigned exit_scale; /* its end code / this is the program's; 0: 1 */
};

/* How the processor's page tables are written, and where its board has memory. */
struct qemu_board_memory {
    unsigned root_shift;    /* of the addresses that an entry of the root stands for */
    uint64_t small, large;  /* bits of an entry for a page of the program's */
    uint64_t table;         /* of one for a table */
    uint64_t bits;          /* all that are not the address */
    unsigned address_shift; /* the address moved to its place */
    uint64_t start;         /* address of the board's memory */
    uint64_t hole, above;   /* what lies from here on is so much higher; 0: all is in one piece */
    bool is_firmware;       /* the system is apart from the memory */
    uint64_t system_at;     /* else its place there */
    uint64_t code;          /* its address, as the plugin sees it */
    uint64_t root_bits;     /* set in the register that takes a root */
};

/* QEMU's processor for programs that need the feature. */
struct qemu_processor {
    const char *feature; /* of a manifest; NULL: for all others */
    const char *cpu;     /* QEMU's name and options; NULL ends a list */
};

struct qemu_target {
    const char *isa; /* also QEMU's name of the target */
    enum branch_kind (*branch)(const uint8_t *bytes, size_t size);
    enum access_code (*access)(const uint8_t *bytes, size_t size);
    uint32_t entry_bits,
        entry; /* of the first word of an indirect jump: code{}'s, to the copy whose turn it is */
    int64_t madvise, mmap, execve; /* Linux's numbers of the system calls */

    /* Writes an instruction, as long as the flush of a line in bytes, that loads from the same address, has
     * no other effect and is ACCESS_FLUSH, as QEMU shows no address of a flush. False if bytes are no flush.
     * NULL: programs of the ISA flush nothing. */
    bool (*mark_flush)(const uint8_t *bytes, size_t size, uint8_t marked[QEMU_INSTRUCTION_BYTES]);

    uint32_t gem5_markers[2]; /* work_begin and work_end, which no processor executes, as words */
    uint32_t gem5_clock;      /* rpns, where programs with those have it in the place of the timer; else 0 */
    uint32_t nothing;         /* an instruction in their place, which does nothing */
    const struct qemu_processor *processors; /* the first that fits; NULL, or none fits: "max" */
    struct qemu_board_options options;
    struct qemu_board_memory memory;
};

#define declare_qemu_target(name) extern const struct qemu_target qemu_##name;
ISA_PROCESSORS(declare_qemu_target)

/* An instruction of 4 bytes, as a number. */
static inline uint32_t qemu_word(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

/* NULL for a target of which nothing is known ("i386"). */
const struct qemu_target *qemu_target_find(const char *isa);

#endif
