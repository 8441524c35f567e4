#include "generator/emit/gpu_asm.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MOST = 16, NAMES_MOST = 256, LONGEST_NAME = 64, LONGEST_WHY = 256 };

/* PTX ISA 8.5, "Instruction Set": operations on registers only, by their first word. */
static const char taken[] =
    " abs activemask add addc and bfe bfi bfind bmsk brev clz cnot copysign cos cvt div dp2a dp4a ex2 fma "
    "fns lg2 "
    "lop3 mad mad24 madc max min mov mul mul24 nanosleep neg not or popc prmt rcp rem rsqrt sad selp set "
    "setp shf "
    "shl shr sin slct sqrt sub subc szext tanh testp vabsdiff vadd vmad vmax vmin vset vshl vshr vsub xor ";

/* Operations in which all threads of a warp must take part: allowed without a predicate. */
static const char together[] = " match mma redux shfl vote ";

static const struct {
    const char *words, *why;
} refused[] = {
    {" bra brx call ret exit ", "leaves the text, whose statements run in sequence"},
    {" trap brkpt ", "ends the program"},
    {" bar barrier mbarrier membar fence griddepcontrol ", "waits for other threads, which may never arrive"},
    {" ld ldu ldmatrix st stmatrix atom red cp prefetch prefetchu discard applypriority tex tld4 txq suld "
     "sust sured "
     "suq istypep multimem wgmma tcgen05 wmma movmatrix isspacep cvta mapa alloca stacksave stackrestore ",
     "is for memory or its addresses, which are for load{} and store{}"},
    {" setmaxnreg pmevent elect ", "changes how the warp runs"},
};

/* Special registers, which only the GPU writes; some take a suffix .x, .y or .z. */
static const char special[] =
    " %tid %ntid %laneid %warpid %nwarpid %ctaid %nctaid %smid %nsmid %gridid %lanemask_eq %lanemask_le "
    "%lanemask_lt %lanemask_ge %lanemask_gt %clock %clock_hi %clock64 %globaltimer %globaltimer_lo "
    "%globaltimer_hi %total_smem_size %dynamic_smem_size WARP_SZ _ ";

/* One of a scope's own registers; those of "x<4>" are x0 to x3. */
struct declared {
    char name[LONGEST_NAME];
    bool numbered;
    unsigned long count;
    unsigned depth;
};

struct text {
    const struct behaviour *item;
    struct error *error;
    struct declared names[NAMES_MOST];
    unsigned name_count;
    unsigned depth;
    unsigned statements;
};

size_t gpu_asm_ptx_register(const char *at, unsigned long *number, bool *wide)
{
    char *end = NULL;
    if (strncmp(at, "{r", 2) != 0 || !isdigit((unsigned char)at[2]))
        return 0;
    *number = strtoul(at + 2, &end, 10);
    *wide = strncmp(end, ":64", 3) == 0;
    if (*wide || strncmp(end, ":32", 3) == 0)
        end += 3;
    return *end == '}' ? (size_t)(end + 1 - at) : 0;
}

static bool is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '%';
}

static size_t name_length(const char *at)
{
    size_t length = 0;
    while (is_name(at[length]))
        length++;
    return length;
}

static enum status wrong(struct text *text, const char *why)
{
    error_set(text->error, STATUS_RECIPE, "asm's text %s", why);
    return behaviour_at_recipe(text->item, text->error);
}

static enum status wrong_statement(struct text *text, const char *statement, const char *why)
{
    int length = (int)strcspn(statement, ";\n");
    error_set(text->error, STATUS_RECIPE, "asm's '%.*s' %s", length > 60 ? 60 : length, statement, why);
    return behaviour_at_recipe(text->item, text->error);
}

/* ---- registers ---- */

static bool is_declared(const struct text *text, const char *name, size_t length)
{
    for (unsigned i = 0; i < text->name_count; i++) {
        const struct declared *own = &text->names[i];
        size_t stem = strlen(own->name);
        char *end = NULL;
        if (stem > length || strncmp(own->name, name, stem) != 0)
            continue;
        if (!own->numbered && stem == length)
            return true;
        if (own->numbered && stem < length && isdigit((unsigned char)name[stem]) &&
            strtoul(name + stem, &end, 10) < own->count && end == name + length)
            return true;
    }
    return false;
}

/* ".reg .type name, name<4>" up to ";". */
static enum status declare(struct text *text, const char *statement)
{
    const char *at = statement + strlen(".reg");
    if (text->depth == 0)
        return wrong(text, "has .reg outside of a scope: expected { .reg .f32 x; ... }");
    while (*at != ';' && *at != '\0') {
        size_t type = *at == '.' ? 1 + name_length(at + 1) : 0;
        size_t length = type > 0 ? 0 : name_length(at);
        if (type == 0 && length == 0 && !isspace((unsigned char)*at) && *at != ',')
            return wrong_statement(text, statement, "is not a declaration: expected .reg .f32 x, y;");
        if (length >= LONGEST_NAME || (length > 0 && text->name_count == NAMES_MOST))
            return wrong_statement(text, statement,
                                   "declares more than 256 names, or one of over 63 letters");
        if (length > 0) {
            struct declared *own = &text->names[text->name_count++];
            *own = (struct declared){.depth = text->depth};
            snprintf(own->name, sizeof own->name, "%.*s", (int)length, at);
            at += length;
            own->numbered = *at == '<';
            char *end = NULL;
            own->count = own->numbered ? strtoul(at + 1, &end, 10) : 0;
            at = own->numbered ? end + (*end == '>') : at;
        }
        at += type > 0 ? type : length == 0;
    }
    return STATUS_OK;
}

/* ---- statements ---- */

/* Operands may name the text's own registers, special registers and numbers. */
static enum status check_operands(struct text *text, const char *statement, const char *at)
{
    char why[LONGEST_WHY];
    int braces = 0; /* of a vector's registers */
    while (*at != ';' && *at != '\0') {
        unsigned long number;
        bool wide;
        size_t own = gpu_asm_ptx_register(at, &number, &wide);
        size_t length = own > 0 ? 0 : name_length(at);
        if (*at == '[')
            return wrong_statement(text, statement,
                                   "has an address, and memory is for load{} and store{}: expected registers "
                                   "and numbers");
        if (own == 0 && length == 0 && !isspace((unsigned char)*at) && strchr("@!,{}|-+.()~", *at) == NULL) {
            snprintf(why, sizeof why, "has a %c: expected registers and numbers", *at);
            return wrong_statement(text, statement, why);
        }
        if (length > 0 && !isdigit((unsigned char)*at) && !gpu_asm_has_word(special, at, length) &&
            !is_declared(text, at, length)) {
            snprintf(why, sizeof why,
                     "uses %.*s, which is not its own: expected {r0} and so on, names that a scope declares, "
                     "{ .reg .f32 x; ... }, or special registers, such as %%laneid",
                     (int)(length > 60 ? 60 : length), at);
            return wrong_statement(text, statement, why);
        }
        braces += own == 0 && *at == '{';
        braces -= own == 0 && *at == '}';
        if (braces < 0)
            break;
        at += own > 0 ? own : length > 0 ? length : 1;
        while (length > 0 && *at == '.') /* %tid.x, 1.5 */
            at += 1 + name_length(at + 1);
    }
    return braces == 0 ? STATUS_OK
                       : wrong_statement(text, statement, "has unmatched braces, or no ; after it");
}

static enum status check_operation(struct text *text, const char *statement, const char *at, bool guarded)
{
    char why[LONGEST_WHY];
    size_t length = name_length(at);
    const char *behind = at + length + strspn(at + length, " \t\r\n");
    if (*behind == ':')
        return wrong_statement(text, statement, "is a label: statements run in sequence");
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
        if (gpu_asm_has_word(refused[i].words, at, length) && strncmp(at, "wmma.mma.", 9) != 0)
            return wrong_statement(text, statement, refused[i].why);
    bool all = gpu_asm_has_word(together, at, length) || strncmp(at, "wmma.mma.", 9) == 0;
    if (all && guarded)
        return wrong_statement(
            text, statement,
            "needs all threads of its warp: expected it without @, with selp for the choice");
    if (!all && !gpu_asm_has_word(taken, at, length)) {
        snprintf(why, sizeof why,
                 "is not among the operations on registers alone that a text may have: %.*s is none of "
                 "docs/reference/recipes.md's",
                 (int)(length > 40 ? 40 : length), at);
        return wrong_statement(text, statement, why);
    }
    at += length;
    while (*at == '.' || is_name(*at) || strncmp(at, "::", 2) == 0) /* .rn.f32, .shared::cta */
        at += *at == ':' ? 2 : 1;
    return check_operands(text, statement, at);
}

static enum status check_statement(struct text *text, const char *statement)
{
    const char *at = statement;
    text->statements++;
    if (strncmp(at, ".reg", 4) == 0 && isspace((unsigned char)at[4]))
        return declare(text, statement);
    if (*at == '.')
        return wrong(text, "has a directive: expected statements, and .reg only within a scope");
    bool guarded = *at == '@';
    if (guarded) {
        at += 1 + strspn(at + 1, " \t\r\n!");
        size_t length = name_length(at);
        if (length == 0 || !is_declared(text, at, length))
            return wrong_statement(
                text, statement,
                "has a predicate that is not its own: expected { .reg .pred p; ... @p ... }");
        at += length + strspn(at + length, " \t\r\n");
    }
    return check_operation(text, statement, at, guarded);
}

/* The end of the statement: its ";", or the end of the text. Braces in it enclose a vector's registers. */
static const char *end_of(const char *statement)
{
    return statement + strcspn(statement, ";");
}

static void leave_scope(struct text *text)
{
    text->depth--;
    while (text->name_count > 0 && text->names[text->name_count - 1].depth > text->depth)
        text->name_count--;
}

static enum status check_text(struct text *text)
{
    for (const char *at = text->item->text; *at != '\0';) {
        unsigned long number;
        bool wide;
        if (isspace((unsigned char)*at) || *at == ';') {
            at++;
        } else if (*at == '{' && gpu_asm_ptx_register(at, &number, &wide) == 0) {
            if (++text->depth > DEPTH_MOST)
                return wrong(text, "has more than 16 nested scopes");
            at++;
        } else if (*at == '}') {
            if (text->depth == 0)
                return wrong(text, "has an unmatched }");
            leave_scope(text);
            at++;
        } else {
            enum status status = check_statement(text, at);
            if (status != STATUS_OK)
                return status;
            at = end_of(at);
            if (*at == '\0')
                return wrong(text, "has an unterminated statement: expected ; after it");
        }
    }
    if (text->statements == 0)
        return wrong(text, "has no statement");
    return text->depth == 0 ? STATUS_OK : wrong(text, "has an unmatched {");
}

enum status gpu_asm_ptx_check(const struct behaviour *item, struct error *error)
{
    struct text text = {.item = item, .error = error};
    if (strstr(item->text, "//") != NULL || strstr(item->text, "/*") != NULL)
        return wrong(&text, "has a comment: expected only statements");
    return check_text(&text);
}
