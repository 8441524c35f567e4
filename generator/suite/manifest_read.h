/* A manifest as a struct, and its JSON: everything that is known about a program, so that it can be checked
 * without its recipe (DESIGN.md section 3). generator/suite/manifest.h makes it from a plan; a suite's file
 * is read into the same struct. Numbers come from the file, which is untrusted: code that needs a range
 * checks it. Whole numbers are doubles, too. */
#ifndef GENERATOR_SUITE_MANIFEST_READ_H
#define GENERATOR_SUITE_MANIFEST_READ_H

#include "base/arena.h"
#include "base/buffer.h"
#include "base/error.h"
#include "generator/machine/machine.h"
#include "generator/plan/rates.h"
#include "generator/plan/tuning.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct compiled_kernel;
struct field_choice;
struct json_text;

/* Schema 1, which is still read, calls eviction sets conflict groups. */
enum { MANIFEST_SCHEMA = 2 };

/* The author's own bounds of a metric; -INFINITY and INFINITY: none. */
struct metric_bounds {
    const char *metric;
    double min, max;
};

/* The recipe's tolerances for measured values. */
struct tolerances {
    bool given;
    double general;   /* of metrics that are not listed; negative: none */
    struct rates own; /* of single metrics, where "*" is the general one; empty if there is only one number */
};

/* Texts. */
struct manifest_words {
    const char **items;
    size_t count;
};

/* The data of an access or of operands, as the recipe states it. */
struct manifest_pattern {
    bool given;
    bool loaded;       /* the value of the load before it */
    const char *word;  /* the only word, "0x00ff"; NULL: several */
    double toggle;     /* the toggle rate; NAN: none stated */
    const char *order; /* "program": the rate holds in program order alone; NULL: in every order */
    double zeros;      /* bits of a group; every second group stays zero; 0: none */
    size_t words;      /* listed */
};

/* One operation of the kernel's unit. Texts are NULL and numbers NAN where the recipe states none, unless
 * stated otherwise. */
struct manifest_item {
    const char *op;                         /* never NULL */
    double count, dependents, chain;        /* 0: not stated */
    double memory, working_set, stride;     /* bytes; 0: not stated */
    double width;                           /* bytes */
    const char *order, *address, *prefetch; /* of an access */
    const char *through;                    /* of an indirect branch: "memory"; else NULL */
    bool updates;                           /* of a load: it also writes back the word */
    bool copies;      /* of a load: it also stores the word on the stack, from which another load reads it */
    bool leads;       /* of a load: others at the address "led" wait for it */
    double logic;     /* of these: bytes of the conjunction that makes the zero; 0: not stated */
    double behind;    /* of loads at the address "led": places behind the leading load; 0: as listed */
    const char *from; /* of a store: "vector": the kind of its words' registers */
    const char *shared, *atomic; /* the name of a shared region; the kind of atomic */
    bool returns;                /* of a GPU's atomic: it returns the word's old value */
    bool is_served;              /* the shares of the levels below are stated */
    double served[LEVEL_COUNT];
    struct manifest_pattern data;
    double accuracy, taken; /* of a branch */
    const char *kind, *test;
    double duty;     /* of a throttle{} */
    double node;     /* of an access: the NUMA node of the data; NAN: none */
    bool has_text;   /* the recipe's own instructions */
    bool is_fetched; /* a code{} with shares of L1I and L2 */
    double from_l1i, from_l2;
    double misses; /* of a code{}, instead of shares: lines per unit that miss L1I; NAN: not stated */
};

/* Lines of L1D that evict each other. */
struct manifest_eviction_set {
    double l1d_set, lines, rounds;
};

/* Addresses that move from pass to pass. */
struct manifest_base {
    const char *level; /* NULL: a walk, whose level is not stated */
    bool walk;
    bool by_capacity; /* its lines miss or stay by their number, not by conflicts in sets */
    const char *by;   /* "capacity", "conflict" */
    double start, step, turns, lines;
    double positions, jump;
    bool has_passes;
    double *passes; /* passes of a period after which it moves: from, until */
    size_t pass_count;
};

struct manifest_branches {
    bool given;
    double total, random, taken, not_taken;
    bool has_indirect;
    double indirect, indirect_random;
};

/* The layout of the code; all but loop_bytes only with a code{}. */
struct manifest_code {
    bool given, has_layout;
    double loop_bytes, bytes, align, chunks, lines, misses, copies, copied_lines, moves, period;
    double conflict_sets, first_conflict_set;
};

/* Words of the initial data: at offset, offset + step, ..., count times. */
struct manifest_run {
    double offset, step, count;
    const char *word; /* "0x0123", "address of the data" */
};

struct manifest_region {
    const char *name;
    double stream; /* of a GPU: the stream that it belongs to; NAN: not stated */
    double offset, bytes;
    struct manifest_run *runs;
    size_t run_count;
};

struct manifest_data {
    bool given;
    double bytes, align, pages;
    double words;           /* words that set-up writes: those that are not zero */
    double huge_pages_from; /* offset from which huge pages are requested; INFINITY: none are */
    bool huge_pages;        /* the same from offset 0, as earlier versions state it */
    bool by_rotation;       /* its lines belong to working sets, not to eviction sets */
    struct manifest_eviction_set *eviction_sets;
    size_t eviction_set_count;
    struct manifest_base *bases;
    size_t base_count;
    struct manifest_region *regions;
    size_t region_count;
    const json_t *document; /* of a GPU, for gpu_regions.h, which reads the regions' content; else NULL */
    const char *side; /* "near" or "far": the side of L2 to use instead of the stated one; NULL: as stated */
};

/* The accesses of a GPU's threads. Texts that are not stated are "". */
struct manifest_stream {
    const char *op, *level, *cache;
    const char *predicted; /* the level that the plan predicts; NULL: not stated */
    const char *side;      /* NULL: either */
    bool chase;
    const char *atomic, *scope; /* "add", "gpu"; NULL: it is no atomic */
    bool returns;               /* an atomic that returns the word's old value */
    double together;            /* neighbouring threads that share a word; 0: none do */
    double width, per_pass, bus, bytes, step, lane, block, advance, hop;
    double dense, apart; /* contiguous bytes in the place's L2 channels, and bytes from one such group to the
                            next; 0: no channels are chosen */
    const char *source;  /* "async", "tma": copies to shared memory (gpu_async.h); "": loads */
    double ring, stages, copies, pending, groups; /* of these */
    bool read;
    double links; /* accesses of a pass that read the address of the next chunk of a side; 0: none */
    bool is_dense, is_async, has_groups,
        is_sided;   /* the fields are stated: dense; source; groups; hop and links */
    bool is_atomic; /* scope, returns and together are stated */
};

/* The units of a place: numbers of one kind, or a word for them. */
struct manifest_units {
    const char *kind; /* "cores", "cu", "side" */
    const char *word; /* "all", "near"; NULL: numbers */
    long long *numbers;
    size_t count;
};

struct manifest_place {
    bool given;
    struct manifest_units *items;
    size_t count;
};

/* Registers that the instances of one operation read. */
struct manifest_operand {
    double behaviour; /* of the unit, from 1 */
    const char *op;
    double bits;
    struct manifest_words registers;
};

/* A region that copies share: bytes of the data that are mapped from a common file. */
struct manifest_mapping {
    const char *name;
    double offset, bytes, file_offset;
};

/* What copies share; not given: nothing. */
struct manifest_shared {
    bool given;
    double file_bytes, state;
    struct manifest_mapping *regions;
    size_t region_count;
    bool has_coherence;
    bool waits; /* copies wait for each other in every pass, so a single copy measures nothing */
    const char
        *coherence; /* the state in which another core leaves the lines of its loads; NULL: not stated */
    double load, store, atomic; /* accesses of a pass to shared regions */
    double turns;               /* turns that each copy takes in a pass */
    double lines;               /* lines that another core prepares at a time */
    double pass_lines, line;    /* lines that such loads touch in a pass; bytes of a line */
    double prepared_loads;      /* loads of a pass from lines in that state */
    double copied;              /* stores of a pass that write what was loaded */
};

/* Of one of the program's files; the first row names the algorithm. */
struct manifest_hash {
    const char *name, *hash;
};

struct manifest {
    const char *benchmark, *point, *target, *arch, *entry; /* NULL: not stated */
    const char *machine, *symbols, *markers;               /* the same */
    uint64_t seed;
    const json_t *parameters;           /* of the point; NULL: none */
    const struct compiled_kernel *from; /* its compiled kernel (compiled.h); NULL: it is emitted */
    struct rates targets, expected;
    struct rates counts; /* quantities per pass (generator/metric/quantity.h); unknown ones are missing */
    struct metric_bounds *expect;
    size_t expect_count;
    struct tolerances tolerance;
    struct plan_calibration calibration;
    double threads; /* copies; NAN: not stated */
    struct manifest_place place;
    struct manifest_words together; /* points whose programs run beside it */
    const json_t *state;            /* the requested state, for runner/state; NULL: none */
    const json_t *measure;          /* for runner/measure/protocol.h; NULL: none */
    struct manifest_words events;   /* events that measure{} requests */
    double instructions, loads, stores;
    bool states_instructions, states_loads, states_stores; /* the file states them */
    double period, units, warmup, idle, shared_bytes; /* period is 1 and the others are 0 if not stated */
    bool indexed;
    bool states_idle, states_indexed, states_features, states_operands, states_access_kinds;
    bool has_code; /* it has a code{}; a pass enters the lines below */
    double code_lines_entered;
    struct manifest_branches branches;
    struct manifest_code code;
    struct manifest_data data;
    struct manifest_shared shared;
    struct manifest_words features; /* that a processor needs */
    struct manifest_operand *operands;
    size_t operand_count;
    struct manifest_item *unit;
    size_t unit_count;
    double *phases; /* behaviours in each phase's unit */
    size_t phase_count;
    const json_t *kernel; /* the unit's document, for the generator (generator/kernel/kernel.h); NULL: none */
    struct manifest_hash *hashes;
    size_t hash_count;
    uint64_t *accesses; /* offsets from the data's start in the order of access over one period */
    size_t access_count;
    const char
        *access_kinds; /* for each access of a pass: 's': a store; 'l': a load; 'j': a branch through memory;
                          'x', 'y', 'z': a load whose data has a bus of 16, 32, 64 bytes; "": all are 'l' */

    /* Of a GPU's grid. */
    bool has_grid, has_clusters, states_working;
    double blocks, block_threads;
    double cluster;          /* blocks of a cluster; 1: no clusters */
    double working, leaving; /* blocks in the program's place, and those that end at once */
    struct manifest_stream *streams;
    size_t stream_count;
    struct rates loads_by_level, transfers, stored; /* of one pass, by level; empty: not stated */

    const json_t *recipe; /* the document with the recipe's own fields: the point's, or the whole file */
    double line;          /* of the benchmark's call, in a recipe's point */
    struct arena arena;
};

/* A manifest without any field. */
extern const struct manifest manifest_none;

/* Reads a file's text. A file without the fields of a promise (targets, expected, kernel, ...) is refused.
 * what names it in errors. STATUS_FAILED names file and field, what was found and what was expected, or an
 * unknown schema. Free *manifest with manifest_free; NULL after an error. */
enum status manifest_read(const char *text, size_t size, const char *what, struct manifest **manifest,
                          struct error *error);

/* Appends it as a file's text. */
void manifest_write(const struct manifest *manifest, struct buffer *output);

/* Writes its chosen members (NULL: all) into an object that the caller opens and closes. */
void manifest_write_members(const struct manifest *manifest, const struct field_choice *choice,
                            struct json_text *text);

/* Reads the recipe's requests and the kernel's unit, after the rest is filled in: from the documents that
 * points and files both have. STATUS_FAILED as for manifest_read. */
enum status manifest_read_requests(struct manifest *manifest, const char *what, struct error *error);

/* The same for a document, of which it keeps a reference; no field is required. */
enum status manifest_from_json(json_t *document, const char *what, struct manifest **manifest,
                               struct error *error);

/* A recipe's point (recipe.h): a manifest with the recipe's fields alone. Malformed fields count as not
 * stated, because making the program refuses them. Free it with manifest_free. */
struct manifest *point_from_json(json_t *document);

/* The same for its text. NULL with *error filled if the text is not JSON; what: its name in errors. */
struct manifest *point_read(const struct buffer *text, const char *what, struct error *error);

/* Appends its asm{} behaviours, with registers and memory, as text. */
void point_write_texts(const struct manifest *point, struct buffer *text);

/* Reads {metric: tolerance}, or one number for all; false for anything else. The metrics' texts belong to the
 * document. */
bool tolerances_read(const json_t *document, struct arena *arena, struct tolerances *tolerances);

/* The same document; NULL if none is given. New reference. */
json_t *tolerances_to_json(const struct tolerances *tolerances);

/* The metric's own tolerance or the general one; negative: none. */
double tolerances_get(const struct tolerances *tolerances, const char *metric);

/* The author's bounds of the metric; NULL: none. */
const struct metric_bounds *manifest_bounds(const struct manifest *manifest, const char *metric);

/* True if the recipe promises a rate of the metric. */
bool manifest_has_target(const struct manifest *manifest, const char *metric);

/* The hash of the file of that name; NULL: not stated. */
const char *manifest_hash(const struct manifest *manifest, const char *name);

/* The place's units of that kind; NULL: none. */
const struct manifest_units *manifest_units(const struct manifest *manifest, const char *kind);

/* The level that the base serves; LEVEL_MEM (the farthest) for a walk, whose level is not stated. */
enum memory_level manifest_base_level(const struct manifest_base *base);

/* The width of an access in bytes, which is 8 if not stated. */
double manifest_width(const struct manifest_item *item);

/* The text, or the fallback if the manifest does not state it. */
const char *manifest_text_or(const char *text, const char *fallback);

/* Frees the manifest; NULL is none. */
void manifest_free(struct manifest *manifest);

#endif
