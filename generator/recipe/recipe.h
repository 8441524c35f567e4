/* A recipe file run in the sandbox (DESIGN.md section 4): Lua in, points out. The Lua state lives in a child
 * process, which limits memory and instructions; the parent limits wall-clock time. */
#ifndef GENERATOR_RECIPE_RECIPE_H
#define GENERATOR_RECIPE_RECIPE_H

#include "base/arena.h"
#include "base/buffer.h"
#include "base/error.h"
#include "base/files/spool.h"
#include "generator/machine/machine.h"
#include "generator/recipe/benchmark.h"
#include "isa/template.h"

#include <stdbool.h>
#include <stddef.h>

/* --set NAME=VALUE[,VALUE...]: the values that replace a sweep parameter's list. */
struct override {
    const char *name;
    const char *values;
};

/* One point of one benchmark. Its document (recipe_text, and point_read in manifest_read.h):
 *   {"benchmark", "point" (the readable name), "parameters": {name: value}, "target": "x86_64",
 *    "kernel": {"unit": [...], "loop": {...}}, "expect": {metric: {"min", "max"}},
 *    "tolerance": {metric: number} or {"*": number}, "threads": number,
 *    "place": {"cores" or "cu" or "sockets": "all" or [numbers]},
 *    "from": {"file", "path", "kernel", "field", "replace", "occurrence"}, for suite/compiled.h,
 *    "together": [the names of the points that run together, including this one],
 *    "state": {...}, "measure": {...}, "line": of the benchmark's call};
 * "expect" to "measure" are present only if the recipe sets them. A point that the recipe refuses has,
 * instead of a kernel, "refused": {"message", "file", "hint", "line"} (recipe_refusal). */
struct point {
    const char *benchmark;
    const char *name;
    uint64_t start; /* of the document's text in the recipe's spool */
    uint32_t size;
    bool has_text; /* the kernel has an asm{} */
    bool refused;  /* the kernel, or a field, is impossible at this point */
};

enum { RECIPE_TARGET_BYTES = 16 };

/* Everything that a file declares for one machine. */
struct recipe {
    const char *file;
    struct benchmark_list benchmarks; /* in file order */
    struct point *points;
    size_t count;
    struct spool spool; /* the points' documents, of which there may be 100,000 */
    struct arena arena;
    char wants[RECIPE_TARGET_BYTES]; /* after an error: the target that the machine cannot run; "" for other
                                        errors */
    const char *
        *included; /* the files of the same folder that it includes, once each, in order of first use */
    size_t included_count;
    struct benchmark_list left_out; /* for targets other than the machine's: why, line, targets */
};

/* Runs the file; recipes may use the operations that the templates offer. Fills *recipe, which
 * must be freed with recipe_free even after an error. STATUS_RECIPE with file and line if the recipe is wrong
 * or exceeds a limit, or if all of its points are refused; STATUS_USAGE if an override names no sweep
 * parameter. */
enum status recipe_load(const char *path, const struct machine *machine, const struct template *templates,
                        const struct override *overrides, size_t override_count, struct recipe *recipe,
                        struct error *error);

/* Appends the point's document as text. */
enum status recipe_text(const struct recipe *recipe, const struct point *point, struct buffer *text,
                        struct error *error);

/* STATUS_RECIPE, with file and line, if the point is refused. */
enum status recipe_refusal(const struct recipe *recipe, const struct point *point, struct error *error);

void recipe_free(struct recipe *recipe);

/* Runs a machine file in the same sandbox. STATUS_RECIPE with file and line when it is wrong. Free the
 * machine with machine_free even after an error. */
enum status recipe_load_machine(const char *path, struct machine *machine, struct error *error);

#endif
