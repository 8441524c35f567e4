/* LLVM MC through LLVM's C API: assembles texts and disassembles bytes. */
#ifndef ISA_MC_H
#define ISA_MC_H

#include "base/buffer.h"
#include "base/error.h"
#include "isa/isa.h"

#include <stddef.h>
#include <stdint.h>

/* Assembles a whole source text into an ELF object. STATUS_FAILED with name, line and the assembler's
 * message. */
enum status mc_assemble(const struct isa *isa, const char *text, const char *name, struct buffer *object,
                        struct error *error);

/* The same for a processor that has only these of the ISA's features, by LLVM's names: "+sve,+lse". */
enum status mc_assemble_with(const struct isa *isa, const char *features, const char *text, const char *name,
                             struct buffer *object, struct error *error);

/* Called for each instruction: its offset, its length in bytes and its text, mnemonic first. */
typedef void mc_visitor(uint64_t offset, size_t length, const char *text, void *context);

/* Disassembles all the bytes. STATUS_FAILED with the offset of the first invalid instruction. */
enum status mc_disassemble(const struct isa *isa, const void *bytes, size_t size, mc_visitor *visit,
                           void *context, struct error *error);

/* The same with LLVM's features "+m,+c" in place of the ISA's own. */
enum status mc_disassemble_with(const struct isa *isa, const char *features, const void *bytes, size_t size,
                                mc_visitor *visit, void *context, struct error *error);

/* The same in a syntax that states the size of memory operands, if the ISA has two: Intel syntax on x86. */
enum status mc_disassemble_sized(const struct isa *isa, const void *bytes, size_t size, mc_visitor *visit,
                                 void *context, struct error *error);

#endif
