/* Containers for code objects of several processors: clang's offload bundles, alone or in a host program's
 * section .hip_fatbin. Input is untrusted. Source: "Clang Offload Bundler" of LLVM's documentation. */
#ifndef ISA_GCN_BINARY_BUNDLE_H
#define ISA_GCN_BINARY_BUNDLE_H

#include "isa/gcn/binary/elf.h"

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
    size_t end;  /* after everything read so far */
};

/* True if the bytes begin like a bundle. */
bool gcn_bundle_is(const unsigned char *bytes, size_t size);

/* STATUS_FAILED if it ends within its header. */
enum status gcn_bundle_open(const unsigned char *bytes, size_t size, struct gcn_bundle *bundle,
                            struct error *error);

/* The next entry of bundle->count. STATUS_FAILED if it does not lie within the bundle. */
enum status gcn_bundle_next(struct gcn_bundle *bundle, struct gcn_bundled *entry, struct error *error);

/* True for a non-empty entry for an AMD GPU; a bundle's first entry is an empty one for the host. */
bool gcn_bundled_is_code(const struct gcn_bundled *entry);

/* The host program's section of consecutive bundles; false if it has none. */
bool gcn_bundle_section(const struct gcn_elf *host, struct gcn_section *section);

/* The start of the next bundle from `from` on; size if there is none. */
size_t gcn_bundle_find(const unsigned char *bytes, size_t size, size_t from);

/* A hint for handling a host program, based on the sections that compilers leave beside GPU code. */
const char *gcn_host_hint(const struct gcn_elf *host);

/* The start of the next bundle from `from` on that must be unpacked first; size if there is none. *what names
 * its form. */
size_t gcn_packed_find(const unsigned char *bytes, size_t size, size_t from, const char **what);

/* Reports an error for GPU code in a form that must be unpacked first; STATUS_OK for other bytes. */
enum status gcn_packed(const unsigned char *bytes, size_t size, struct error *error);

#endif
