#include "isa/qemu_target.h"

/* RISC-V's manual, volume 1: branches, jalr except returns, and their compressed forms. */
static enum branch_kind branch_of(const uint8_t *bytes, size_t size)
{
    if (size == 4) {
        uint32_t word = qemu_word(bytes);
        bool returns = (word >> 7 & 31) == 0 && (word >> 15 & 31) == 1;
        bool onward = (word & 0xFE000F80) == 0x200; /* to the next instruction */
        return (word & 0x7F) == 0x63               ? (onward ? BRANCH_BLIND : BRANCH_CONDITIONAL)
               : (word & 0x7F) == 0x67 && !returns ? BRANCH_INDIRECT
                                                   : BRANCH_NONE;
    }
    unsigned half = size == 2 ? (unsigned)bytes[0] | (unsigned)bytes[1] << 8 : 0;
    if ((half & 3) == 1 && half >> 14 == 3)
        return BRANCH_CONDITIONAL;
    unsigned from = half >> 7 & 31;
    bool jumps = (half & 3) == 2 && half >> 13 == 4 && (half >> 2 & 31) == 0 && from > 0;
    return jumps && !(from == 1 && (half >> 12 & 1) == 0) ? BRANCH_INDIRECT : BRANCH_NONE;
}

/* RISC-V's manual, volume 1: the A extension. */
static enum access_code access_of(const uint8_t *bytes, size_t size)
{
    enum { AMO = 0x2F, LINK = 2, CONDITIONAL = 3 };
    uint32_t word = size == 4 ? qemu_word(bytes) : 0;
    if ((word & 0x7F) != AMO)
        return ACCESS_PLAIN;
    return word >> 27 == LINK ? ACCESS_LINK : word >> 27 == CONDITIONAL ? ACCESS_CONDITIONAL : ACCESS_ATOMIC;
}

/* Older versions have no "max" for RISC-V. */
static const struct qemu_processor processors[] = {{"zvl512b", "rv64,v=true,vext_spec=v1.0,vlen=512"},
                                                   {"zvl256b", "rv64,v=true,vext_spec=v1.0,vlen=256"},
                                                   {NULL, "rv64,v=true,vext_spec=v1.0"},
                                                   {NULL, NULL}};

const struct qemu_target qemu_riscv64 = {
    .isa = "riscv64",
    .branch = branch_of,
    .access = access_of,
    .entry_bits = 0x47F, /* jalr that links to s0 or s1 */
    .entry = 0x467,
    .madvise = 233,
    .execve = 221,
    .mmap = 222,
    .gem5_markers = {0xb400007b, 0xb600007b},
    .nothing = 0x00000013,
    .processors = processors,
    .options = {.machine = "virt", .image = "-kernel\n", .others = "-serial\nstdio\n-bios\nnone\n"},
    .memory = {.root_shift = 30,
               .small = 0xdf,
               .large = 0xdf,
               .table = 0x1,
               .bits = 0x3ff,
               .address_shift = 2,
               .start = UINT64_C(2) << 30,
               .code = UINT64_C(2) << 30,
               .root_bits = UINT64_C(8) << 60},
};
