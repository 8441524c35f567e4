/* A program that is not emitted: the binary of a compiled kernel beside the recipe (`from = "kernel.co"`), in
 * which a placeholder is replaced by an instruction that reads a wave's place (isa/gcn/patch). */
#ifndef GENERATOR_SUITE_COMPILED_H
#define GENERATOR_SUITE_COMPILED_H

#include "base/arena.h"
#include "base/buffer.h"
#include "base/error.h"
#include "base/json/field_json.h"
#include "isa/gcn/patch/changes.h"

#include <stddef.h>

/* A replaced placeholder, for the manifest. */
struct compiled_change {
    const char *kernel;
    double offset, bytes;                 /* in the file */
    const char *word_before, *word_after; /* eight hexadecimal digits each, separated by blanks */
    const char *text_before, *text_after; /* NULL: unknown */
    double filling;                       /* instructions that fill the rest of the placeholder */
};

/* A field of the register that the patched instruction reads. */
struct compiled_field {
    const char *name;
    double shift, bits;
};

/* A compiled kernel as a recipe states it and, in a manifest, its patch. Texts that are not stated are NULL.
 */
struct compiled_kernel {
    const char *file;    /* in the recipe's folder */
    const char *path;    /* its place; only in a recipe's point */
    const char *hash;    /* of the file */
    const char *kernel;  /* in it */
    const char *field;   /* comma-separated: the fields that the instruction reads */
    const char *replace; /* the placeholder */
    bool has_occurrence;
    int occurrence; /* of the placeholder: GCN_ALL, or its number */
    struct compiled_change *changes;
    size_t change_count;
    struct compiled_field *fields;
    size_t field_count;
};

/* Reads and patches the binary that the point names. Appends it to object, and fills *record, for the
 * manifest, from the arena. STATUS_RECIPE if the file is not a regular one of the recipe's folder, is for
 * another processor than arch ("gfx701"), or cannot be patched; STATUS_UNAVAILABLE if LLVM lacks the
 * processor. */
enum status compiled_program(const struct compiled_kernel *from, const char *arch, struct arena *arena,
                             struct buffer *object, struct compiled_kernel *record, struct error *error);

/* Proves that the object matches the record: with the replaced words restored it has the file's hash, and
 * patching that again yields the object. STATUS_FAILED with the difference. */
enum status compiled_prove(const struct compiled_kernel *record, const void *object, size_t size,
                           struct error *error);

/* A row's functions for a struct compiled_kernel *, NULL if there is none. */
field_read compiled_read;
field_write compiled_write;

/* Changes and fields of a patch, from the arena; and their rows, "replaced" and "fields". */
void compiled_fill(const struct gcn_patch *patch, struct arena *arena, struct compiled_kernel *kernel);
extern const struct field_row compiled_changes[], compiled_fields[];

#endif
