/* A program that is not emitted: the binary of a compiled kernel beside the recipe (`from = "kernel.co"`), in
 * which a placeholder becomes the read of where a wave runs (isa/gcn/patch). */
#ifndef GENERATOR_SUITE_COMPILED_H
#define GENERATOR_SUITE_COMPILED_H

#include "base/buffer.h"
#include "base/error.h"
#include "isa/gcn/patch/changes.h"

#include <jansson.h>
#include <stddef.h>

/* Reads and patches the binary that the point's "from" names (recipe.h). Appends it to object; *record, for
 * the manifest, is a new reference:
 *   {"file", "hash" of the file, "kernel", "field", "replace", "occurrence", "replaced": as `trauma patch
 * --json` has it, "fields": likewise}. STATUS_RECIPE if the file is not a regular one of the recipe's folder,
 * is for another processor than arch
 * ("gfx701"), or cannot be patched; STATUS_UNAVAILABLE if LLVM lacks the processor. */
enum status compiled_program(const json_t *from, const char *arch, struct buffer *object, json_t **record,
                             struct error *error);

/* Proves that the object is what the record says: without the replaced words it has the file's hash, and
 * patching that again gives the object. STATUS_FAILED with what differs. */
enum status compiled_prove(const json_t *record, const void *object, size_t size, struct error *error);

/* [{"kernel", "offset", "bytes", "word_before", "word_after", "text_before", "text_after", "filling"}]. New
 * reference. */
json_t *compiled_changes(const struct gcn_patch *patch);

/* [{"name", "shift", "bits"}]: what the register then holds. New reference. */
json_t *compiled_fields(const struct gcn_patch *patch);

#endif
