#include "runner/sources/bytes/bytes_streams.h"

#include "base/json.h"

#include <stdio.h>
#include <string.h>

enum { KINDS_MOST = 64 };

/* Accesses of one kind: how many the manifest says, how many the machine code makes. */
struct kind {
    struct sass_access access;
    unsigned said, seen;
};

struct kinds {
    struct kind items[KINDS_MOST];
    size_t count;
};

/* The kind, added when it is new; NULL when there are too many. */
static struct kind *kind_of(struct kinds *kinds, const struct sass_access *access)
{
    for (size_t i = 0; i < kinds->count; i++) {
        const struct sass_access *other = &kinds->items[i].access;
        if (strcmp(other->op, access->op) == 0 && strcmp(other->space, access->space) == 0 &&
            strcmp(other->cache, access->cache) == 0 && other->width == access->width)
            return &kinds->items[i];
    }
    if (kinds->count == KINDS_MOST)
        return NULL;
    kinds->items[kinds->count] = (struct kind){.access = *access};
    return &kinds->items[kinds->count++];
}

/* Shared memory has no operators, and atomic operations have none that a mnemonic tells. */
static const char *plain_cache(const char *op, const char *space, const char *cache)
{
    if (strcmp(space, "shared") == 0 || strcmp(op, "atomic") == 0)
        return "";
    if (cache[0] == '\0')
        return strcmp(op, "store") == 0 ? "wb" : "ca";
    return strcmp(cache, "volatile") == 0 ? strcmp(op, "store") == 0 ? "wt" : "cv" : cache;
}

/* A stream that keeps to one side of L2 reads, at the end of each chunk and of the pass, where the next chunk
 * is. */
static bool add_hops(struct kinds *kinds, const json_t *stream)
{
    double accesses = json_number_or(stream, "per_pass", 0);
    double hop = json_number_or(stream, "hop", 0);
    const struct sass_access access = {.op = "load", .space = "global", .cache = "cg", .width = 8};
    if (json_object_get(stream, "side") == NULL || json_is_true(json_object_get(stream, "chase")) || hop < 1)
        return true;
    struct kind *kind = kind_of(kinds, &access);
    if (kind != NULL)
        kind->said += (unsigned)((accesses - 1) / hop) + 1;
    return kind != NULL;
}

static bool add_said(struct kinds *kinds, const json_t *streams)
{
    for (size_t i = 0; i < json_array_size(streams); i++) {
        const json_t *stream = json_array_get(streams, i);
        bool shared = strcmp(json_string_or(stream, "level", ""), "SHARED") == 0;
        struct sass_access access = {.op = json_string_or(stream, "op", "load"),
                                     .space = shared ? "shared" : "global",
                                     .width = (unsigned)json_number_or(stream, "width", 0)};
        access.cache = plain_cache(access.op, access.space, json_string_or(stream, "cache", ""));
        struct kind *kind = kind_of(kinds, &access);
        if (kind == NULL)
            return false;
        kind->said += (unsigned)json_number_or(stream, "per_pass", 0);
        if (!add_hops(kinds, stream))
            return false;
    }
    return true;
}

static bool add_seen(struct kinds *kinds, const struct sass *sass, const struct sass_loop *loop)
{
    for (size_t i = loop->first; i <= loop->last; i++) {
        struct sass_access access;
        if (!sass_access_of(sass->code[i].mnemonic, &access))
            continue;
        access.cache = plain_cache(access.op, access.space, access.cache);
        struct kind *kind = kind_of(kinds, &access);
        if (kind == NULL)
            return false;
        kind->seen++;
    }
    return true;
}

enum status bytes_check_streams(const json_t *manifest, const struct sass *sass, const struct sass_loop *loop,
                                struct error *error)
{
    struct kinds kinds = {.count = 0};
    if (!add_said(&kinds, json_object_get(manifest, "streams")) || !add_seen(&kinds, sass, loop))
        return error_set(error, STATUS_FAILED, "the loop has accesses of more than %d kinds", KINDS_MOST);
    for (size_t i = 0; i < kinds.count; i++) {
        const struct kind *kind = &kinds.items[i];
        if (kind->said == kind->seen)
            continue;
        error_set(
            error, STATUS_FAILED,
            "a pass of the machine code makes %u %ss of %u bytes in %s memory%s%s; the manifest says %u",
            kind->seen, kind->access.op, kind->access.width, kind->access.space,
            kind->access.cache[0] == '\0' ? "" : ", operator ", kind->access.cache, kind->said);
        error_hint(error, "ptxas moves what does not change out of a loop, joins neighbours, and takes "
                          "operators for hints: look at `nvdisasm -gp -c`");
        return STATUS_FAILED;
    }
    return STATUS_OK;
}
