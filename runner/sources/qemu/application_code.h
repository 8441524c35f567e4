/* Classifies an application's instructions by their disassembled text: the class of each
 * (templates/<isa>/classes.txt), and the registers that it reads and writes (registers.txt there). */
#ifndef RUNNER_SOURCES_QEMU_APPLICATION_CODE_H
#define RUNNER_SOURCES_QEMU_APPLICATION_CODE_H

#include "base/error.h"
#include "isa/isa.h"
#include "isa/template.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MNEMONIC_BYTES = 24 };

/* Classes of instructions: loads that do not store, stores, and instructions of no other class; then the
 * sections of classes.txt. */
enum { CLASS_LOAD, CLASS_STORE, CLASS_OTHER, CLASS_FIRST, CLASS_MOST = 64 };

struct instruction_class {
    const char *name; /* a recipe's operation: "add"; "branch", "access" */
    unsigned width;   /* bytes of its operands */
};

struct instruction_classes {
    struct instruction_class items[CLASS_MOST]; /* from CLASS_FIRST on */
    const char *patterns[CLASS_MOST];           /* a line each */
    size_t count;                               /* CLASS_FIRST and those of the file */
    const struct isa *isa;
    struct template texts, registers; /* classes.txt, registers.txt */
};

/* STATUS_FAILED if the ISA's file is missing or wrong. Free with instruction_classes_close even then. */
enum status instruction_classes_open(const struct isa *isa, struct instruction_classes *classes,
                                     struct error *error);
/* The class of an instruction that accesses no memory, in the disassembler's text; CLASS_OTHER: none. */
size_t instruction_class_of(const struct instruction_classes *classes, const char *text);

enum { REGISTER_KEYS = 64, VECTOR_KEYS = 32 };

/* Sets of registers: bit n is general register n, bit VECTOR_KEYS + n vector register n. Flags are not
 * included. */
struct register_flow {
    uint64_t address; /* registers of the address of the load, or else of the store; without an implied stack
                         pointer */
    uint64_t reads, writes; /* the operands of the written value */
};

/* loads: the instruction reads memory; its value goes to the registers that it writes, if any. */
struct register_flow instruction_registers(const struct instruction_classes *classes, const char *text,
                                           bool loads);

void instruction_classes_close(struct instruction_classes *classes);

#endif
