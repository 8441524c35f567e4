#include "isa/qemu_target.h"

#include <string.h>

/* The marked load: testb $ACCESS_MARK, MEMORY. */
enum { ACCESS_MARK = 0xA5 };

/* The number of prefix bytes; *locked: one of them is lock. */
static size_t count_prefixes(const uint8_t *bytes, size_t size, bool *locked)
{
    static const uint8_t prefixes[] = {0x66, 0x67, 0xF2, 0xF3, 0x2E, 0x36, 0x3E, 0x26, 0x64, 0x65, 0xF0};
    size_t at = 0;
    *locked = false;
    while (at < size && (memchr(prefixes, bytes[at], sizeof prefixes) != NULL || (bytes[at] & 0xF0) == 0x40))
        *locked |= bytes[at++] == 0xF0;
    return at;
}

/* Intel's manual, volume 2, appendix A. */
static enum branch_kind branch_of(const uint8_t *bytes, size_t size)
{
    bool locked;
    size_t at = count_prefixes(bytes, size, &locked);
    if (at + 1 >= size)
        return BRANCH_NONE;
    uint8_t op = bytes[at];
    uint8_t next = bytes[at + 1];
    unsigned group = next >> 3 & 7;
    static const uint8_t nowhere[4] = {0};
    if ((op & 0xF0) == 0x70 || (op >= 0xE0 && op <= 0xE3))
        return next == 0 ? BRANCH_BLIND : BRANCH_CONDITIONAL;
    if (op == 0x0F && (next & 0xF0) == 0x80)
        return size == at + 6 && memcmp(bytes + at + 2, nowhere, 4) == 0 ? BRANCH_BLIND : BRANCH_CONDITIONAL;
    return op == 0xFF && (group == 2 || group == 4) ? BRANCH_INDIRECT : BRANCH_NONE;
}

/* Intel's manual, volume 2: a lock prefix; xchg with memory locks without one. */
static enum access_code access_of(const uint8_t *bytes, size_t size)
{
    bool locked;
    size_t at = count_prefixes(bytes, size, &locked);
    if (locked)
        return ACCESS_ATOMIC;
    if (at + 1 >= size || bytes[at + 1] >> 6 == 3)
        return ACCESS_PLAIN;
    bool tests = bytes[at] == 0xF6 && (bytes[at + 1] >> 3 & 7) == 0;
    if (tests && bytes[size - 1] == ACCESS_MARK)
        return ACCESS_FLUSH;
    return (bytes[at] & 0xFE) == 0x86 ? ACCESS_ATOMIC : ACCESS_PLAIN;
}

/* clflush, or clflushopt with its prefix: 0F AE /7, and the operand. Test is F6 /0, the operand, and a byte.
 */
static bool mark_flush(const uint8_t *bytes, size_t size, uint8_t marked[QEMU_INSTRUCTION_BYTES])
{
    size_t at = 0;
    while (at < size && (bytes[at] == 0x66 || (bytes[at] & 0xF0) == 0x40))
        at++;
    if (at + 3 > size || size > QEMU_INSTRUCTION_BYTES || bytes[at] != 0x0F || bytes[at + 1] != 0xAE ||
        (bytes[at + 2] >> 3 & 7) != 7 || bytes[at + 2] >> 6 == 3)
        return false;
    memcpy(marked, bytes, at);
    marked[at] = 0xF6;
    marked[at + 1] = bytes[at + 2] & 0xC7;
    memcpy(marked + at + 2, bytes + at + 3, size - at - 3);
    marked[size - 1] = ACCESS_MARK;
    return true;
}

const struct qemu_target qemu_x86_64 = {
    .isa = "x86_64",
    .branch = branch_of,
    .access = access_of,
    .entry_bits = 0xFF,
    .entry = 0xF2,
    .madvise = 28,
    .execve = 59,
    .mmap = 9,
    .mark_flush = mark_flush,
    .gem5_markers = {0x005a040f, 0x005b040f},
    .nothing = 0x00401f0f,
    .options = {.machine = "q35,max-ram-below-4g=2G",
                .image = "-device\nloader,file=",
                .others = "-chardev\nstdio,id=console\n-device\nisa-debugcon,chardev=console\n"
                          "-device\nisa-debug-exit,iobase=0xf4,iosize=4\n",
                .exit_scale = 2},
    .memory = {.root_shift = 39,
               .small = 0x67,
               .large = 0xe7,
               .table = 0x27,
               .bits = 0xfff,
               .hole = UINT64_C(2) << 30,
               .above = UINT64_C(2) << 30,
               .is_firmware = true,
               .code = 0xf0000},
};
