/* RISC-V processors from their numbers and texts: the identity CSRs, the text of extensions, and what the
 * system call riscv_hwprobe answers, so that any processor's can be decoded on any host. Sources: Linux,
 * Documentation/arch/riscv/hwprobe.rst and uabi.rst. */
#ifndef GENERATOR_MACHINE_PROCESSOR_RISCV_H
#define GENERATOR_MACHINE_PROCESSOR_RISCV_H

#include "generator/machine/processor.h"

/* A question and the answer, as the system call has them. */
struct riscv_answer {
    int64_t key; /* -1 after the call: this kernel does not know it */
    uint64_t value;
};

enum { RISCV_VENDOR, RISCV_ARCH, RISCV_IMPLEMENTATION, RISCV_EXTENSIONS, RISCV_TICKS, RISCV_ANSWERS };

/* The questions to ask, by the index above. */
void riscv_questions(struct riscv_answer answers[RISCV_ANSWERS]);

/* Adds what the answers say; keys of -1 say nothing. */
void riscv_decode(const struct riscv_answer answers[RISCV_ANSWERS], struct processor *processor);

/* Adds what vector registers of so many bytes (CSR vlenb) are called: "zvl256b" for all from 32 bytes on. */
void riscv_add_vectors(unsigned bytes, struct text_set *features);

/* Adds the extensions in a text such as "rv64imafdc_zicsr_zba". */
void riscv_add_extensions(const char *text, size_t length, struct text_set *features);

#endif
