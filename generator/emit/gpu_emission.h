/* The state of a GPU program's emission, for the files that implement gpu_emit.h. */
#ifndef GENERATOR_EMIT_GPU_EMISSION_H
#define GENERATOR_EMIT_GPU_EMISSION_H

#include "base/buffer.h"
#include "base/error.h"
#include "generator/emit/bindings.h"
#include "generator/plan/gpu/gpu_plan.h"
#include "isa/template.h"

#include <stdint.h>

enum { GPU_PAIRS = 8, GPU_SUMS = 4, GPU_VALUES = 16 };

struct gpu_emission {
    const struct gpu_plan *plan;
    const struct template *templates;
    struct bindings bindings;
    unsigned loads, operations; /* emitted so far; operations: those that begin a chain or are in none */
    unsigned *links; /* [items]: operations of each chain so far; chain_pairs: the pair that it uses */
    unsigned *chain_pairs;
    unsigned uses[GPU_PAIRS];     /* of each pair by operations */
    unsigned signs[2][GPU_PAIRS]; /* uses of each tile by floating-point and by integer matrix operations */
    unsigned tiles;               /* matrix operations so far */
    char *group_tile;           /* the sum's registers of products of groups of warps; NULL: there are none */
    bool multiplies;            /* some of them are in no group yet */
    uint64_t high[GPU_STREAMS]; /* per stream: high part of the displacement in its step register */
    unsigned version;           /* the lowest PTX version that the text needs, times ten */
    int last_chase;             /* stream of the last chase; -1: none */
    bool chase_loads;           /* the last load is of a chase, and nothing has consumed its value */
    unsigned *copied;           /* [items]: asynchronous copies in the pass so far */
    bool open;                  /* some of them are in no group yet */
    bool put;                   /* bulk stores are in no group yet */
    unsigned waits;             /* waits for phases of bulk copies so far, which number labels */
    int staged; /* item of the last load if it is an asynchronous copy that is not yet read; else -1 */
    struct error *error;
};

/* The role's index-th register: from the template's pool, modulo its size; without a pool "%ROLE" with the
 * index. */
const char *gpu_register(const struct gpu_emission *emission, const char *role, unsigned index,
                         char text[BINDINGS_VALUE]);

void gpu_bind_register(struct gpu_emission *emission, const char *name, const char *role, unsigned index);

/* Binds {taken} to the mask or predicate of the threads that take a branch, from the row bind.odd or
 * bind.all, if the ISA has one for each kind of wave. */
void gpu_bind_taken(struct gpu_emission *emission, bool diverges);

/* Appends the tables and tests that select the blocks in the plan's place. STATUS_RECIPE if the ISA cannot
 * identify it, or the machine has no such place. (gpu_emit_place.c) */
enum status gpu_emit_places(struct gpu_emission *emission, struct buffer *tables, struct buffer *placement);

/* Appends the instruction that the processor requires, if any, between accesses and a change of the scalar
 * registers that they read. (gpu_emit_body.c) */
enum status gpu_settle(struct gpu_emission *emission, struct buffer *output);

/* Appends the loop's slots. */
enum status gpu_emit_body(struct gpu_emission *emission, struct buffer *output);

/* Appends the initialization of the asynchronous loads' rings, and the wait for all copies at the end of a
 * pass. (gpu_emit_async.c) */
enum status gpu_emit_rings(struct gpu_emission *emission, struct buffer *start, struct buffer *drain);

/* The same for bulk stores: fills the row that they write, and waits for all of them. */
enum status gpu_emit_outgoing(struct gpu_emission *emission, struct buffer *start, struct buffer *drain);

/* Binds the place of the stream's next copy in its ring, and appends the wait before the copy. */
enum status gpu_copy_begin(struct gpu_emission *emission, const struct gpu_stream *stream,
                           struct buffer *output);

/* After a chase's copy: appends the wait for it and the load of the next copy's address. */
enum status gpu_copy_follow(struct gpu_emission *emission, const struct gpu_stream *stream,
                            struct buffer *output);

/* Appends the end of the open group, if there is one. */
enum status gpu_copies_commit(struct gpu_emission *emission, struct buffer *output);

/* If the last load is asynchronous and not yet read: appends the wait for it, binds the place to read, and
 * sets *reads to the item's width; else to 0. */
enum status gpu_copy_read(struct gpu_emission *emission, unsigned unit, unsigned *reads,
                          struct buffer *output);

/* Appends the code for products of groups of warps: the registers of their sum, their factors in shared
 * memory, and the wait for all of them at the end of a pass. (gpu_emit_group.c) */
enum status gpu_emit_group(struct gpu_emission *emission, struct buffer *clear, struct buffer *start,
                           struct buffer *drain, struct buffer *finish);

/* Binds the factors of the next product; before a unit's first one, appends a fence. */
enum status gpu_group_begin(struct gpu_emission *emission, const struct behaviour *item,
                            struct buffer *output);

/* Ends the open group, if there is one, and waits for the group before it. */
enum status gpu_group_end(struct gpu_emission *emission, struct buffer *output);

/* Appends a row of the templates, each instruction on its own line. (gpu_emit_body.c) */
enum status gpu_put_row(struct gpu_emission *emission, const struct form *form, struct buffer *output);

/* Appends the asm{}'s text: {r0} is its first 32-bit register, {r0:64} a separate 64-bit one. STATUS_RECIPE,
 * at the asm{}, if it names a register that it does not have. (gpu_emit_asm.c) */
enum status gpu_emit_asm(const struct gpu_emission *emission, const struct behaviour *item,
                         struct buffer *output);

/* Checks all asm{} and declares their registers, which start at 0 and are added to the sum, so that no result
 * is unused. */
enum status gpu_emit_asm_registers(struct gpu_emission *emission, struct buffer *clear, struct buffer *start,
                                   struct buffer *finish);

/* Binds NAME to the text of row bind.NAME, for all such rows that the architecture has. */
void gpu_bind_rows(struct gpu_emission *emission);

/* The start of a stream's region in shared memory. */
uint64_t gpu_shared_offset(const struct gpu_plan *plan, unsigned index);

/* Binds the stream's names in sections and rows. */
void gpu_bind_stream(struct gpu_emission *emission, unsigned index);

/* Binds {operand_a4}, {operand_b2} and so on to registers from these numbers on: a thread's part of both
 * factors of a matrix operation. */
void gpu_bind_factors(struct gpu_emission *emission, const char *first, unsigned from, const char *second,
                      unsigned second_from);

/* Binds the index-th pair of registers that operations use. */
void gpu_bind_pair(struct gpu_emission *emission, unsigned index, unsigned width, bool turned);

#endif
