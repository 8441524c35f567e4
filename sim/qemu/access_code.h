/* What an instruction's bytes say of its access: plain, an atomic, or one that stands for a flush. */
#ifndef SIM_QEMU_ACCESS_CODE_H
#define SIM_QEMU_ACCESS_CODE_H

#include <stddef.h>
#include <stdint.h>

enum access_code {
    ACCESS_PLAIN,
    ACCESS_ATOMIC, /* reads and writes at once */
    ACCESS_LINK,   /* a load after which a store succeeds if nobody wrote in between */
    ACCESS_CONDITIONAL,
    ACCESS_FLUSH, /* a load that stands for a flush: the runner puts it there (qemu_shared.c) */
};

/* x86-64: testb $ACCESS_MARK, MEMORY. AArch64: ldurb wzr, [REGISTER], which no template has. */
enum { ACCESS_MARK = 0xA5 };

/* NULL for a target of which nothing is known ("i386"). */
typedef enum access_code access_decoder(const uint8_t *bytes, size_t size);
access_decoder *access_decoder_of(const char *target);

#endif
