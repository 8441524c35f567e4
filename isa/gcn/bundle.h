/* What holds code objects of several processors: clang's offload bundles, alone or in a host program's
 * section .hip_fatbin. Input is not trusted. Source: "Clang Offload Bundler" of LLVM's documentation. */
#ifndef ISA_GCN_BUNDLE_H
#define ISA_GCN_BUNDLE_H

#include "isa/gcn/elf.h"

/* One code object, "hipv4-amdgcn-amd-amdhsa--gfx906"; the name is not terminated. */
struct gcn_bundled {
    const char *name;
    size_t name_length;
    size_t offset, size; /* in the bundle */
};

struct gcn_bundle {
    const unsigned char *bytes;
    size_t size;
    uint64_t count;
    size_t next; /* where the next entry begins */
    size_t end;  /* behind all that was read of it */
};

/* True when the bytes begin as a bundle does. */
bool gcn_bundle_is(const unsigned char *bytes, size_t size);

/* STATUS_FAILED where it ends within its header. */
enum status gcn_bundle_open(const unsigned char *bytes, size_t size, struct gcn_bundle *bundle,
                            struct error *error);

/* The next entry of bundle->count. STATUS_FAILED where it does not lie within the bundle. */
enum status gcn_bundle_next(struct gcn_bundle *bundle, struct gcn_bundled *entry, struct error *error);

/* True for an entry of an AMD GPU that has bytes: the first of a bundle is an empty one for the host. */
bool gcn_bundled_is_code(const struct gcn_bundled *entry);

/* The host program's section with bundles, one behind the other; false where it has none. */
bool gcn_bundle_section(const struct gcn_elf *host, struct gcn_section *section);

/* Where the next bundle begins, from there on; the size where none does. */
size_t gcn_bundle_find(const unsigned char *bytes, size_t size, size_t from);

/* What to do about a program for the host: by the sections that compilers leave beside GPU code. */
const char *gcn_host_hint(const struct gcn_elf *host);

/* Tells of bytes that hold GPU code in a form that is to be unpacked first. STATUS_OK for what is none of
 * these. */
enum status gcn_packed(const unsigned char *bytes, size_t size, struct error *error);

#endif
