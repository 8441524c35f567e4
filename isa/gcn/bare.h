/* Containers of GPU code that are not taken, and code without one: named, so that nobody takes them for
 * damage. Sources: Mesa's clover (core/module.cpp), CLRX's documentation (GalliumFormat, raw code). */
#ifndef ISA_GCN_BARE_H
#define ISA_GCN_BARE_H

#include "isa/gcn/elf.h"

/* Tells of bytes that are no ELF file. STATUS_OK for what is none of these. */
enum status gcn_bare(const unsigned char *bytes, size_t size, struct error *error);

/* Tells of an ELF file whose code is for no processor that it names. Returns STATUS_FAILED. */
enum status gcn_bare_elf(const struct gcn_elf *elf, struct error *error);

#endif
