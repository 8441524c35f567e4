/* The facts about an ISA with which QEMU, its plugin (sim/qemu/) and its boards (runner/sources/qemu/) run
 * and count programs: isa/<isa>/qemu_<isa>.c defines them, isa/<isa>/board.s is the system that runs on the
 * board. The plugin is built from these files alone, so they use nothing else of the program. */
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

/* BLIND: a conditional branch to the instruction after it, whose outcome cannot be observed. Returns are
 * BRANCH_NONE: a separate stack predicts them. */
enum branch_kind { BRANCH_NONE, BRANCH_CONDITIONAL, BRANCH_BLIND, BRANCH_INDIRECT };

enum access_code {
    ACCESS_PLAIN,
    ACCESS_ATOMIC,      /* reads and writes at once */
    ACCESS_LINK,        /* load-linked */
    ACCESS_CONDITIONAL, /* store-conditional */
    ACCESS_FLUSH,       /* a load with which mark_flush has replaced a flush */
};

/* qemu-system's options for the board, a word on each line. */
struct qemu_board_options {
    const char *machine;
    const char *image;   /* the option whose value is the file with the memory's contents */
    const char *others;  /* options for output and exit */
    unsigned exit_scale; /* QEMU's exit code / the program's; 0: 1 */
};

/* The format of the processor's page tables, and the board's memory map. */
struct qemu_board_memory {
    unsigned root_shift;    /* log2 of the bytes that an entry of the root maps */
    uint64_t small, large;  /* bits of an entry for a small and for a large page of the program */
    uint64_t table;         /* bits of an entry for a table */
    uint64_t bits;          /* mask of the bits that are not the address */
    unsigned address_shift; /* right shift of an address in an entry */
    uint64_t start;         /* address of the board's memory */
    uint64_t hole, above;   /* addresses from `hole` on are moved up by `above`; 0: there is no hole */
    bool is_firmware;       /* the system is not in the board's memory */
    uint64_t system_at;     /* else its offset in the memory */
    uint64_t code;          /* the system's address, as the plugin receives it */
    uint64_t root_bits;     /* set in the register that holds the root's address */
};

/* QEMU's processor for programs that need the feature. */
struct qemu_processor {
    const char *feature; /* of a manifest; NULL: for all other programs */
    const char *cpu;     /* QEMU's name and options; NULL ends a list */
};

struct qemu_target {
    const char *isa; /* also QEMU's name of the target */
    enum branch_kind (*branch)(const uint8_t *bytes, size_t size);
    enum access_code (*access)(const uint8_t *bytes, size_t size);
    uint32_t entry_bits, entry;    /* mask and value of the first word of code{}'s jump to its current copy */
    int64_t madvise, mmap, execve; /* Linux's system call numbers */

    /* QEMU reports no address of a flush. If bytes are the flush of a line, writes a load from the same
     * address with the same length and no other effect, which is ACCESS_FLUSH; else returns false. NULL:
     * programs of the ISA flush nothing. */
    bool (*mark_flush)(const uint8_t *bytes, size_t size, uint8_t marked[QEMU_INSTRUCTION_BYTES]);

    uint32_t gem5_markers[2]; /* work_begin and work_end as words; no processor executes them */
    uint32_t gem5_clock;      /* rpns, if programs with markers read it in place of the timer; else 0 */
    uint32_t nothing;         /* a no-operation, which replaces these instructions */
    const struct qemu_processor *processors; /* the first that fits is used; NULL, or none fits: "max" */
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

/* NULL for an unsupported target ("i386"). */
const struct qemu_target *qemu_target_find(const char *isa);

#endif
