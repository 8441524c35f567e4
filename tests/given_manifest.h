/* Manifests that a test states as JSON. */
#ifndef TESTS_GIVEN_MANIFEST_H
#define TESTS_GIVEN_MANIFEST_H

#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"
#include "generator/suite/manifest_read.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

static struct {
    struct manifest **items;
    size_t count;
} given_manifests;

static inline void given_manifests_free(void)
{
    for (size_t i = 0; i < given_manifests.count; i++)
        manifest_free(given_manifests.items[i]);
    free(given_manifests.items);
}

/* Keeps it until the test program ends. */
static inline const struct manifest *given_keep(struct manifest *manifest)
{
    if (given_manifests.count == 0)
        atexit(given_manifests_free);
    given_manifests.items =
        memory_next(given_manifests.items, given_manifests.count, sizeof *given_manifests.items);
    return given_manifests.items[given_manifests.count++] = manifest;
}

/* A recipe's point, as it is now. */
static inline const struct manifest *given_point(const json_t *document)
{
    json_t *copy = json_deep_copy(document);
    struct manifest *point = point_from_json(copy);
    json_decref(copy);
    return given_keep(point);
}

/* The document as it is now, as a manifest that lives until the test program ends; no field is required. */
static inline const struct manifest *given_manifest(const json_t *document)
{
    struct error error;
    struct manifest *manifest;
    json_t *copy = json_deep_copy(document);
    if (manifest_from_json(copy, "the given manifest", &manifest, &error) != STATUS_OK) {
        fprintf(stderr, "%s\n", error.message);
        abort();
    }
    json_decref(copy);
    return given_keep(manifest);
}

/* The manifest as a file would have it. New reference. */
static inline json_t *written_manifest(const struct manifest *manifest)
{
    struct buffer text = {0};
    manifest_write(manifest, &text);
    json_t *document = json_loadb(text.data, text.size, 0, NULL);
    buffer_free(&text);
    return document;
}

#endif
