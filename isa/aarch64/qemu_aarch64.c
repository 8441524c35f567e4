#include "isa/qemu_target.h"

#include <string.h>

/* Arm's manual DDI 0487, C4.1: b.cond, cbz and cbnz, tbz and tbnz; br and blr. */
static enum branch_kind branch_of(const uint8_t *bytes, size_t size)
{
    uint32_t word = size == 4 ? qemu_word(bytes) : 0;
    bool tests_bit = (word & 0x7E000000) == 0x36000000;
    if ((word & 0xFF000010) == 0x54000000 || (word & 0x7C000000) == 0x34000000)
        return (word >> 5 & (tests_bit ? 0x3FFF : 0x7FFFF)) == 1 ? BRANCH_BLIND : BRANCH_CONDITIONAL;
    return (word & 0xFFDFFC1F) == 0xD61F0000 ? BRANCH_INDIRECT : BRANCH_NONE;
}

/* Arm's manual DDI 0487, C4.1: atomic memory operations, compare and swap, exclusive loads and stores. */
static enum access_code access_of(const uint8_t *bytes, size_t size)
{
    static const struct {
        uint32_t mask, value;
        enum access_code code;
    } rows[] = {{0x3F200C00, 0x38200000, ACCESS_ATOMIC},      {0x3FA07C00, 0x08A07C00, ACCESS_ATOMIC},
                {0xBFA07C00, 0x08207C00, ACCESS_ATOMIC},      {0x3FE00000, 0x08400000, ACCESS_LINK},
                {0x3FE00000, 0x08000000, ACCESS_CONDITIONAL}, {0xFFFFFC1F, 0x3840001F, ACCESS_FLUSH}};
    uint32_t word = size == 4 ? qemu_word(bytes) : 0;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if ((word & rows[i].mask) == rows[i].value)
            return rows[i].code;
    return ACCESS_PLAIN;
}

/* dc civac, xN becomes ldurb wzr, [xN]. */
static bool mark_flush(const uint8_t *bytes, size_t size, uint8_t marked[QEMU_INSTRUCTION_BYTES])
{
    uint32_t word = 0;
    if (size != sizeof word)
        return false;
    memcpy(&word, bytes, sizeof word);
    if ((word & 0xFFFFFFE0) != 0xD50B7E20)
        return false;
    word = 0x3840001F | (word & 31) << 5;
    memcpy(marked, &word, sizeof word);
    return true;
}

static const struct qemu_processor processors[] = {
    {"sve256", "max,sve256=on"}, {"sve512", "max,sve512=on"}, {NULL, NULL}};

const struct qemu_target qemu_aarch64 = {
    .isa = "aarch64",
    .branch = branch_of,
    .access = access_of,
    .entry_bits = 0xFFFFFC1F,
    .entry = 0xD63F0000,
    .madvise = 233,
    .execve = 221,
    .mmap = 222,
    .mark_flush = mark_flush,
    .gem5_markers = {0xff5a0110, 0xff5b0110},
    .gem5_clock = 0xff070110,
    .nothing = 0xd503201f,
    .processors = processors,
    .options = {.machine = "virt", .image = "-kernel\n", .others = "-serial\nstdio\n-semihosting\n"},
    .memory = {.root_shift = 30,
               .small = 0x743,
               .large = 0x741,
               .table = 0x3,
               .bits = 0xfff,
               .start = UINT64_C(1) << 30,
               .system_at = UINT64_C(2) << 20,
               .code = UINT64_C(0xffffff8000000000) + (UINT64_C(1) << 30) + (UINT64_C(2) << 20)},
};
