/* The state of an emission of a GPU's program, for the files that gpu_emit.h's text is put together in. */
#ifndef GENERATOR_EMIT_GPU_EMISSION_H
#define GENERATOR_EMIT_GPU_EMISSION_H

#include "base/buffer.h"
#include "base/error.h"
#include "generator/plan/gpu/gpu_plan.h"
#include "isa/template.h"

#include <stdint.h>

enum { GPU_BINDINGS = 96, GPU_VALUE_BYTES = 64, GPU_PAIRS = 8, GPU_SUMS = 4, GPU_VALUES = 16 };

struct gpu_emission {
    const struct gpu_plan *plan;
    const struct template *templates;
    struct binding bindings[GPU_BINDINGS];
    char values[GPU_BINDINGS][GPU_VALUE_BYTES];
    size_t binding_count;
    const char *lacks_room;     /* a name that had no room, or whose value had none; NULL: all have */
    unsigned loads, operations; /* emitted so far */
    unsigned uses[GPU_PAIRS];   /* of each pair, by operations */
    uint64_t high[GPU_STREAMS]; /* of each stream's last access: what its step was taken for */
    unsigned version;           /* the least that the text needs, times ten */
    int last_chase;             /* the stream of the last one; -1: none */
    struct error *error;
};

/* Lets {name} stand for the text, which is copied. */
__attribute__((format(printf, 3, 4))) void gpu_bind(struct gpu_emission *emission, const char *name,
                                                    const char *format, ...);

/* The same for a text that outlives the emission. */
void gpu_bind_text(struct gpu_emission *emission, const char *name, const char *text);

/* The index-th register of the role: of the template's pool, round and round, else "%ROLE" with the index. */
const char *gpu_register(const struct gpu_emission *emission, const char *role, unsigned index,
                         char text[GPU_VALUE_BYTES]);

void gpu_bind_register(struct gpu_emission *emission, const char *name, const char *role, unsigned index);

/* Lets {taken} stand for the mask or predicate of the threads that take a branch: by the row bind.odd or
 * bind.all, where the ISA has one of its own for each kind of wave. */
void gpu_bind_taken(struct gpu_emission *emission, bool diverges);

/* STATUS_FAILED where a name had no room: what would be expanded then is not what was bound. */
enum status gpu_bound(const struct gpu_emission *emission);

/* Appends the section where the templates have it: ISAs that need nothing there have none. */
enum status gpu_section_if(struct gpu_emission *emission, const char *name, struct buffer *output);

/* Which blocks take part, as the plan's place says: appends tables and tests. STATUS_RECIPE when the ISA
 * cannot tell, or the machine has no such place. (gpu_place.c) */
enum status gpu_emit_places(struct gpu_emission *emission, struct buffer *tables, struct buffer *placement);

/* Appends the section with its braces filled in. STATUS_FAILED when it is missing or a name is not bound. */
enum status gpu_section(struct gpu_emission *emission, const char *name, struct buffer *output);

/* The row of an operation; NULL when there is none. */
const struct form *gpu_operation_form(const struct gpu_emission *emission, const struct gpu_behaviour *item,
                                      bool dependent);

/* Appends what must stand between accesses and a change of the scalar registers that they read, where the
 * processor asks for it. (gpu_emit_body.c) */
enum status gpu_settle(struct gpu_emission *emission, struct buffer *output);

/* Appends the loop's slots. */
enum status gpu_emit_body(struct gpu_emission *emission, struct buffer *output);

/* Appends the asm{}'s text: {r0} is its first register of 32 bits, {r0:64} another of 64. STATUS_RECIPE, at
 * the asm{}, where it names one that it was not given. (gpu_emit_asm.c) */
enum status gpu_emit_asm(const struct gpu_emission *emission, const struct behaviour *item,
                         struct buffer *output);

/* Declares the registers of all asm{}, which begin at 0 and end in the sum: none of what they do is in vain.
 */
enum status gpu_emit_asm_registers(struct gpu_emission *emission, struct buffer *clear, struct buffer *start,
                                   struct buffer *finish);

/* Binds NAME to the text of the row bind.NAME that the architecture has, for all there are. */
void gpu_bind_rows(struct gpu_emission *emission);

/* Where a stream's region begins in shared memory. */
uint64_t gpu_shared_offset(const struct gpu_plan *plan, unsigned index);

/* Binds what sections and rows call the stream's. */
void gpu_bind_stream(struct gpu_emission *emission, unsigned index);

/* Binds the n-th pair of registers that operations work in. */
void gpu_bind_pair(struct gpu_emission *emission, unsigned index, unsigned width, bool turned);

#endif
