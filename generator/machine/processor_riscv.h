/* RISC-V processors from their numbers and texts: the identity CSRs, the text of extensions, and the results
 * of the system call riscv_hwprobe, so that any processor's can be decoded on any host. Sources: Linux,
 * Documentation/arch/riscv/hwprobe.rst and uabi.rst. */
#ifndef GENERATOR_MACHINE_PROCESSOR_RISCV_H
#define GENERATOR_MACHINE_PROCESSOR_RISCV_H

#include "generator/machine/processor.h"

/* A key and its value, as in the system call's struct riscv_hwprobe. */
struct riscv_probe {
    int64_t key; /* -1 after the call: this kernel does not support it */
    uint64_t value;
};

enum { RISCV_VENDOR, RISCV_ARCH, RISCV_IMPLEMENTATION, RISCV_EXTENSIONS, RISCV_TICKS, RISCV_PROBES };

/* Fills in the keys to request, by the index above. */
void riscv_probe_keys(struct riscv_probe probes[RISCV_PROBES]);

/* Adds what the values encode; keys of -1 are skipped. */
void riscv_decode(const struct riscv_probe probes[RISCV_PROBES], struct processor *processor);

/* Adds the features of vector registers of so many bytes (CSR vlenb): "zvl256b" from 32 bytes on. */
void riscv_add_vectors(unsigned bytes, struct text_set *features);

/* Adds the extensions in a text such as "rv64imafdc_zicsr_zba". */
void riscv_add_extensions(const char *text, size_t length, struct text_set *features);

#endif
