#include "sim/qemu/access_code.h"

#include <stdbool.h>
#include <string.h>

/* Intel's manual, volume 2: a lock prefix; xchg with memory locks without one. */
static enum access_code x86_access(const uint8_t *bytes, size_t size)
{
    static const uint8_t prefixes[] = {0x66, 0x67, 0xF2, 0xF3, 0x2E, 0x36, 0x3E, 0x26, 0x64, 0x65, 0xF0};
    bool locked = false;
    size_t at = 0;
    while (at < size && (memchr(prefixes, bytes[at], sizeof prefixes) != NULL || (bytes[at] & 0xF0) == 0x40))
        locked |= bytes[at++] == 0xF0;
    if (locked)
        return ACCESS_ATOMIC;
    if (at + 1 >= size || bytes[at + 1] >> 6 == 3)
        return ACCESS_PLAIN;
    bool tests = bytes[at] == 0xF6 && (bytes[at + 1] >> 3 & 7) == 0;
    if (tests && bytes[size - 1] == ACCESS_MARK)
        return ACCESS_FLUSH;
    return (bytes[at] & 0xFE) == 0x86 ? ACCESS_ATOMIC : ACCESS_PLAIN;
}

static uint32_t word_of(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

/* Arm's manual DDI 0487, C4.1: atomic memory operations, compare and swap, exclusive loads and stores. */
static enum access_code aarch64_access(const uint8_t *bytes, size_t size)
{
    static const struct {
        uint32_t mask, value;
        enum access_code code;
    } rows[] = {{0x3F200C00, 0x38200000, ACCESS_ATOMIC},      {0x3FA07C00, 0x08A07C00, ACCESS_ATOMIC},
                {0xBFA07C00, 0x08207C00, ACCESS_ATOMIC},      {0x3FE00000, 0x08400000, ACCESS_LINK},
                {0x3FE00000, 0x08000000, ACCESS_CONDITIONAL}, {0xFFFFFC1F, 0x3840001F, ACCESS_FLUSH}};
    uint32_t word = size == 4 ? word_of(bytes) : 0;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if ((word & rows[i].mask) == rows[i].value)
            return rows[i].code;
    return ACCESS_PLAIN;
}

/* RISC-V's manual, volume 1: the A extension. */
static enum access_code riscv_access(const uint8_t *bytes, size_t size)
{
    enum { AMO = 0x2F, LINK = 2, CONDITIONAL = 3 };
    uint32_t word = size == 4 ? word_of(bytes) : 0;
    if ((word & 0x7F) != AMO)
        return ACCESS_PLAIN;
    return word >> 27 == LINK ? ACCESS_LINK : word >> 27 == CONDITIONAL ? ACCESS_CONDITIONAL : ACCESS_ATOMIC;
}

access_decoder *access_decoder_of(const char *target)
{
    static const struct {
        const char *target;
        access_decoder *decoder;
    } decoders[] = {{"x86_64", x86_access}, {"aarch64", aarch64_access}, {"riscv64", riscv_access}};
    for (size_t i = 0; i < sizeof decoders / sizeof decoders[0]; i++)
        if (strcmp(decoders[i].target, target) == 0)
            return decoders[i].decoder;
    return NULL;
}
