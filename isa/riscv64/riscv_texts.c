#include "isa/riscv64/riscv_texts.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(rows) (sizeof rows / sizeof rows[0])

static const struct fixed_register fixed[] = {{"a0", "counts the passes"},
                                              {"a1", "holds the data's address"},
                                              {"ra", "holds the address of {memory}"},
                                              {"sp", "is the caller's stack"},
                                              {"gp", "is the caller's"},
                                              {"tp", "is the caller's"},
                                              {NULL, NULL}};

/* By their numbers. */
static const char *const general[] = {"zero", "ra", "sp", "gp", "tp",  "t0",  "t1", "t2", "s0", "s1", "a0",
                                      "a1",   "a2", "a3", "a4", "a5",  "a6",  "a7", "s2", "s3", "s4", "s5",
                                      "s6",   "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6"};
static const char *const floating[] = {"ft0", "ft1", "ft2",  "ft3",  "ft4", "ft5", "ft6",  "ft7",
                                       "fs0", "fs1", "fa0",  "fa1",  "fa2", "fa3", "fa4",  "fa5",
                                       "fa6", "fa7", "fs2",  "fs3",  "fs4", "fs5", "fs6",  "fs7",
                                       "fs8", "fs9", "fs10", "fs11", "ft8", "ft9", "ft10", "ft11"};
enum { REGISTERS = 32, GENERAL_BITS = 64 };

static bool is_name(const char *known, const char *name, size_t length)
{
    return strncmp(known, name, length) == 0 && known[length] == '\0';
}

/* The caller's floating-point registers are not for texts: they would have to be saved. */
static bool read_register(const char *name, size_t length, struct register_use *use)
{
    for (unsigned i = 0; i < REGISTERS; i++) {
        if (is_name(general[i], name, length)) {
            *use = (struct register_use){'r', i, GENERAL_BITS};
            return true;
        }
        if (is_name(floating[i], name, length) && strncmp(floating[i], "fs", 2) != 0) {
            *use = (struct register_use){'v', i, GENERAL_BITS};
            return true;
        }
    }
    return false;
}

static bool write_register(const struct register_use *use, char *name)
{
    enum { NAME_BYTES = 8 };
    if (use->kind != 'r' && use->kind != 'v')
        return false;
    snprintf(name, NAME_BYTES, "%s", (use->kind == 'r' ? general : floating)[use->number % REGISTERS]);
    return use->kind == 'v' || use->bits == GENERAL_BITS;
}

static const char *clear(struct register_use *use)
{
    use->bits = GENERAL_BITS;
    return use->kind == 'r' ? "start.given" : "start.given_float";
}

static bool is_prefix(const char *name, size_t length)
{
    (void)name;
    (void)length;
    return false;
}

/* ---- instructions whose reads and writes are their operands ---- */

/* By feature; each list ends with a blank. */
static const struct {
    const char *feature; /* NULL: every processor has them */
    unsigned bytes;      /* of memory; 0: none */
    const char *names;
} known[] = {
    {NULL, 0,
     " add addw addi addiw sub subw and andi or ori xor xori not neg negw sll sllw slli slliw srl srlw srli "
     "srliw "
     "sra sraw srai sraiw slt slti sltu sltiu seqz snez sltz sgtz mv li lui nop sext.w zext.b "},
    {NULL, 0, " mul mulw mulh mulhu mulhsu div divw divu divuw rem remw remu remuw "},
    {NULL, 0,
     " fadd.d fsub.d fmul.d fdiv.d fsqrt.d fmin.d fmax.d fmadd.d fmsub.d fnmadd.d fnmsub.d fsgnj.d fsgnjn.d "
     "fsgnjx.d fmv.d fabs.d fneg.d feq.d flt.d fle.d fclass.d fmv.x.d fmv.d.x "},
    {NULL, 0,
     " fadd.s fsub.s fmul.s fdiv.s fsqrt.s fmin.s fmax.s fmadd.s fmsub.s fnmadd.s fnmsub.s fsgnj.s fsgnjn.s "
     "fsgnjx.s fmv.s fabs.s fneg.s feq.s flt.s fle.s fclass.s fmv.x.w fmv.w.x "},
    {NULL, 0,
     " fcvt.d.s fcvt.s.d fcvt.d.l fcvt.d.lu fcvt.d.w fcvt.d.wu fcvt.s.l fcvt.s.lu fcvt.s.w fcvt.s.wu "
     "fcvt.l.d "
     "fcvt.lu.d fcvt.w.d fcvt.wu.d fcvt.l.s fcvt.lu.s fcvt.w.s fcvt.wu.s "},
    {"zba", 0, " sh1add sh2add sh3add add.uw sh1add.uw sh2add.uw sh3add.uw slli.uw zext.w "},
    {"zbb", 0,
     " andn orn xnor clz clzw ctz ctzw cpop cpopw max maxu min minu sext.b sext.h zext.h rol rolw ror rorw "
     "rori "
     "roriw rev8 orc.b "},
    {"zbs", 0, " bclr bclri bext bexti binv binvi bset bseti "},
    {"zbc", 0, " clmul clmulh clmulr "},
    {NULL, 1, " lb lbu sb "},
    {NULL, 2, " lh lhu sh "},
    {NULL, 4, " lw lwu sw flw fsw "},
    {NULL, 8, " ld sd fld fsd "},
};

static const struct {
    const char *start, *why;
} refused[] = {
    {"b", "it leaves the loop: asm takes only instructions, run in sequence"},
    {"j", "it leaves the loop: asm takes only instructions, run in sequence"},
    {"ret", "it leaves the loop: asm takes only instructions, run in sequence"},
    {"v", "how many elements it uses is unknown here: operations with a width of 16, 32 or 64 are V's"},
    {"csr", "it changes the processor's state"},
    {"rd", "what it reads is not the text's own"},
    {"e", "it leaves the program"},
    {"auipc", "it reads where the code lies, which may change"},
    {"amo", "texts have no memory that they share"},
    {"lr.", "texts have no memory that they share"},
    {"sc.", "texts have no memory that they share"},
};

static void refuse(struct text_instruction *instruction, const char *name, size_t length)
{
    for (size_t i = 0; i < COUNT(refused); i++) {
        if (strncmp(name, refused[i].start, strlen(refused[i].start)) == 0) {
            snprintf(instruction->refusal, sizeof instruction->refusal, "%s", refused[i].why);
            return;
        }
    }
    snprintf(instruction->refusal, sizeof instruction->refusal,
             "%.*s is not among the instructions whose reads and writes are known; docs/reference/recipes.md "
             "lists those "
             "that a text may have",
             (int)length, name);
}

static void add_name(struct text_instruction *instruction, const char *name, size_t length)
{
    if (is_name("zero", name, length) || instruction->name_count == TEXT_NAMES || length >= TEXT_NAME_BYTES)
        return;
    snprintf(instruction->names[instruction->name_count++], TEXT_NAME_BYTES, "%.*s", (int)length, name);
}

/* "8(a1)"; every other operand is a register, a number or a way of rounding. */
static void read_operand(struct text_instruction *instruction, const char *text, size_t length)
{
    const char *open = memchr(text, '(', length);
    struct register_use use;
    if (open == NULL) {
        if (read_register(text, length, &use) ||
            (isalpha((unsigned char)*text) && !isupper((unsigned char)*text) &&
             strncmp(text, "rne", 3) != 0 && strncmp(text, "rtz", 3) != 0 && strncmp(text, "rdn", 3) != 0 &&
             strncmp(text, "rup", 3) != 0 && strncmp(text, "rmm", 3) != 0 && strncmp(text, "dyn", 3) != 0))
            add_name(instruction, text, length);
        return;
    }
    size_t inside = length - (size_t)(open + 1 - text) - 1;
    snprintf(instruction->address, sizeof instruction->address, "%.*s", (int)length, text);
    instruction->based = is_name(riscv64_text_rules.address, open + 1, inside);
    instruction->displacement = strtoll(text, NULL, 10);
    if (!instruction->based)
        add_name(instruction, open + 1, inside);
}

static void understand(const char *text, const uint8_t *bytes, size_t size,
                       struct text_instruction *instruction)
{
    (void)bytes;
    (void)size;
    memset(instruction, 0, sizeof *instruction);
    size_t length = strcspn(text, " \t");
    char name[TEXT_NAME_BYTES + 2];
    size_t found = COUNT(known);
    snprintf(name, sizeof name, " %.*s ", (int)(length < TEXT_NAME_BYTES - 1 ? length : TEXT_NAME_BYTES - 1),
             text);
    for (size_t i = 0; i < COUNT(known); i++)
        found = strstr(known[i].names, name) != NULL ? i : found;
    if (found == COUNT(known)) {
        refuse(instruction, text, length);
        return;
    }
    if (known[found].feature != NULL)
        instruction->features[instruction->feature_count++] = known[found].feature;
    instruction->bytes = known[found].bytes;
    instruction->memory = known[found].bytes > 0 ? TEXT_ACCESS : TEXT_NO_MEMORY;
    instruction->align = known[found].bytes;
    text += length;
    while (*(text += strspn(text, " \t,")) != '\0' && *text != '#') {
        size_t operand = strcspn(text, " \t,");
        read_operand(instruction, text, operand);
        text += operand;
    }
}

const struct text_rules riscv64_text_rules = {.fixed = fixed,
                                              .address = "ra",
                                              .marks = ",()+-*{}:._",
                                              .farthest = 1024,
                                              .own_address = true,
                                              .example = "{ \"fa0\", \"fa1\" }",
                                              .clear = clear,
                                              .read_register = read_register,
                                              .write_register = write_register,
                                              .is_prefix = is_prefix,
                                              .understand = understand};
