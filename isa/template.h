/* The rows and skeletons of templates/<isa>/, which define an ISA's code. They are read at run time: a new op
 * is a row of text. */
#ifndef ISA_TEMPLATE_H
#define ISA_TEMPLATE_H

#include "base/arena.h"
#include "base/buffer.h"
#include "base/error.h"
#include "isa/assembly.h"
#include "isa/isa.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Properties of a row, derived once from its columns, from the operands that its text names in braces, and
 * from the rows "floating" and "iterative". */
enum form_trait {
    FORM_OPERAND = 1 << 0,     /* takes {operand}, which may be the recipe's data */
    FORM_ACCUMULATES = 1 << 1, /* works on {accumulator} */
    FORM_DIVIDES = 1 << 2,     /* uses the divider's only register pair, {quotient} and {remainder} */
    FORM_FLOAT_PAIR = 1 << 3,  /* GPUs: works on {float} */
    FORM_DOUBLE_PAIR = 1 << 4, /* GPUs: works on {double} */
    FORM_HITS_LINE = 1 << 5,   /* accesses {hit_line}, a line that hits in L1 */
    FORM_FLOATING = 1 << 6,    /* computes with floating-point numbers */
    FORM_ITERATIVE = 1 << 7,   /* not pipelined, slower for wider numbers: a division, a root */
    FORM_READS = 1 << 8,       /* its counted instruction reads memory */
    FORM_WRITES = 1 << 9,      /* its counted instruction writes memory */
    FORM_VARIANT = 1 << 10,    /* its name has a variant: "add.dependent", "load.chase.8" */
    FORM_HALF_PAIR = 1 << 11,  /* GPUs: works on {half}, two numbers of 16 bits */
    FORM_BRAIN_PAIR = 1 << 12, /* GPUs: works on {brain}, two numbers of 16 bits with 8 bits of exponent */
    FORM_TILE = 1 << 13,       /* GPUs: works on {tile}, a thread's part of a matrix */
    FORM_WHOLE_TILE = 1 << 14, /* GPUs: works on {tile_int}, the same of integers */
    FORM_BRANCHES = 1 << 15,   /* ends in a branch to {target} or {goal} */
    FORM_GROUP_TILE = 1 << 16, /* GPUs: works on {group_tile}, a thread's part of a matrix of four warps */
    FORM_TILES = FORM_TILE | FORM_WHOLE_TILE | FORM_GROUP_TILE
};

/* Traits of rows that occupy an arithmetic unit. */
enum {
    FORM_COMPUTES = FORM_ACCUMULATES | FORM_DIVIDES | FORM_FLOAT_PAIR | FORM_DOUBLE_PAIR | FORM_HALF_PAIR |
                    FORM_BRAIN_PAIR | FORM_TILES
};

/* One instruction form: a row of ops.txt. */
struct form {
    const char *name;     /* "add.dependent", "load.chase.8" */
    unsigned traits;      /* of enum form_trait */
    unsigned op_hash;     /* of the name's op, "add" */
    const char *feature;  /* required processor feature: "avx2"; "" for none */
    unsigned bytes;       /* longest encoding */
    const char *mnemonic; /* its counting name, as a disassembler prints it */
    const char *text; /* operands in braces: "addq {value}, {accumulator}"; instructions separated by "; " */
    unsigned instructions;
    unsigned helpers;    /* of these the first, which only prepare the last, a branch; not counted in units */
    unsigned short next; /* 1 + index of the next row with the same name hash; 0: none */
};

/* Registers for one role, in order of use. */
struct pool {
    const char *role;
    const char **registers;
    unsigned count;
};

/* An initial register value. */
struct word {
    const char *name; /* "operand.4" */
    uint64_t value;
};

/* A named piece of kernel.s or start.s. */
struct section {
    const char *name;
    const char *text;
};

struct template
{
    const struct isa *isa;
    struct form *forms;
    size_t form_count;
    unsigned short *form_heads; /* by name hash: 1 + index of the first row; 0: none */
    struct pool *pools;
    size_t pool_count;
    struct word *words;
    size_t word_count;
    struct section *sections;
    size_t section_count;
    const char **helped; /* texts of the rows that have helpers, then NULL */
    struct arena arena;
    struct stencils *stencils; /* encodings learned so far */
    struct assembly *assembly; /* the current program's assembly: one at a time */
};

/* The value of a {name} in a text. */
struct binding {
    const char *name;
    const char *value;
};

/* Reads home/templates/<isa>/. STATUS_FAILED with file and line if a row is wrong. Free with template_free
 * even after an error. */
enum status template_load(const char *home, const struct isa *isa, struct template *templates,
                          struct error *error);

/* The same for only the sections of one file there, from which no program is expanded. */
enum status template_load_texts(const char *home, const struct isa *isa, const char *file,
                                struct template *templates, struct error *error);

/* The first row of that name, or NULL. */
const struct form *template_form(const struct template *templates, const char *name);

/* The next row of that name after `after` (NULL: the first), for a name whose rows need different features;
 * NULL if there are no more. */
const struct form *template_next(const struct template *templates, const char *name,
                                 const struct form *after);

/* The row "op.variant", or else "op", or else NULL. */
const struct form *template_variant(const struct template *templates, const char *op, const char *variant);

/* True if the row has one of the traits; false for NULL. */
static inline bool form_has(const struct form *form, unsigned traits)
{
    return form != NULL && (form->traits & traits) != 0;
}

/* True if mix.<op> counts an instruction whose text begins with this mnemonic, with or without memory as in
 * the row (loop_mnemonic). */
bool template_counts(const struct template *templates, const char *text, const char *op);

/* How many instructions of the form's text mix.<op> counts: those with the mnemonic of some form of the op,
 * without helpers. */
unsigned template_count(const struct template *templates, const struct form *form, const char *op);

/* The pool, or NULL. */
const struct pool *template_pool(const struct template *templates, const char *role);

/* Fills *value from the word's row. False if there is none. */
bool template_word(const struct template *templates, const char *name, uint64_t *value);

/* Fills *value from the word NAME.ARCH; if there is none, from NAME.ARCH without the architecture's last
 * letters (sm_90a: sm_90); or else from NAME. False if there is none of these. */
bool template_word_of(const struct template *templates, const char *name, const char *arch, uint64_t *value);

/* The section's text, or NULL. */
const char *template_section(const struct template *templates, const char *name);

/* Appends text with each {name} replaced by the value bound to it. {name:32}: the 32-bit name of the
 * register; {name[16:12]}: 12 bits of the number, from bit 16 on; {name:PART}: one of isa->parts of the
 * number; {register=name}: the instructions that load the number into the register. STATUS_FAILED if a name
 * is not bound. */
enum status template_expand(const struct template *templates, const char *text,
                            const struct binding *bindings, size_t count, struct buffer *output,
                            struct error *error);

/* The same for the text's first `size` bytes. */
enum status template_expand_part(const struct template *templates, const char *text, size_t size,
                                 const struct binding *bindings, size_t count, struct buffer *output,
                                 struct error *error);

void template_free(struct template *templates);

#endif
