#include "isa/isa.h"
#include "isa/numbers.h"
#include "isa/text_rules.h"
#include "isa/x86_64/opcodes.h"

#include <ctype.h>
#include <elf.h>
#include <llvm-c/Target.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- text rules ---- */

/* The rules for users' own x86-64 instructions (isa/text_rules.h). */

static const struct fixed_register fixed[] = {{"rdi", "counts the passes"},
                                              {"rsi", "holds the data's address"},
                                              {"rsp", "is the caller's stack"},
                                              {NULL, NULL}};

/* 64, 32, 16 and 8 bits, and the second byte of the first four. */
static const char *const general[][5] = {
    {"rax", "eax", "ax", "al", "ah"},    {"rcx", "ecx", "cx", "cl", "ch"},
    {"rdx", "edx", "dx", "dl", "dh"},    {"rbx", "ebx", "bx", "bl", "bh"},
    {"rsp", "esp", "sp", "spl", ""},     {"rbp", "ebp", "bp", "bpl", ""},
    {"rsi", "esi", "si", "sil", ""},     {"rdi", "edi", "di", "dil", ""},
    {"r8", "r8d", "r8w", "r8b", ""},     {"r9", "r9d", "r9w", "r9b", ""},
    {"r10", "r10d", "r10w", "r10b", ""}, {"r11", "r11d", "r11w", "r11b", ""},
    {"r12", "r12d", "r12w", "r12b", ""}, {"r13", "r13d", "r13w", "r13b", ""},
    {"r14", "r14d", "r14w", "r14b", ""}, {"r15", "r15d", "r15w", "r15b", ""},
};
enum { GENERAL = sizeof general / sizeof general[0], VECTORS = 32, MASKS = 8, LONGEST_NAME = 7 };

static const unsigned general_bits[] = {64, 32, 16, 8, 8};

/* "xmm0" to "zmm31", "k0" to "k7" */
static bool read_numbered(const char *name, struct register_use *use)
{
    bool vector = strchr("xyz", name[0]) != NULL && name[0] != '\0' && strncmp(name + 1, "mm", 2) == 0;
    const char *digits = vector ? name + 3 : name + 1;
    if (!vector && name[0] != 'k')
        return false;
    if (strspn(digits, "0123456789") != strlen(digits) || digits[0] == '\0' || strlen(digits) > 2 ||
        (digits[0] == '0' && digits[1] != '\0'))
        return false;
    use->kind = vector ? 'v' : 'k';
    use->number = (unsigned)atoi(digits);
    use->bits = !vector ? 64 : name[0] == 'x' ? 128 : name[0] == 'y' ? 256 : 512;
    return use->number < (vector ? VECTORS : MASKS);
}

static bool read_register(const char *name, size_t length, struct register_use *use)
{
    char text[LONGEST_NAME + 1];
    if (length == 0 || length > LONGEST_NAME)
        return false;
    snprintf(text, sizeof text, "%.*s", (int)length, name);
    for (unsigned i = 0; i < GENERAL; i++) {
        for (unsigned j = 0; j < sizeof general_bits / sizeof general_bits[0]; j++) {
            if (strcmp(general[i][j], text) == 0) {
                *use = (struct register_use){'r', i, general_bits[j]};
                return true;
            }
        }
    }
    return read_numbered(text, use);
}

static bool write_register(const struct register_use *use, char *name)
{
    static const char widths[] = "xyz";
    unsigned step = use->bits / 256; /* 0, 1, 2 */
    if (use->kind == 'k')
        snprintf(name, LONGEST_NAME + 1, "k%u", use->number % MASKS);
    else if (use->kind == 'v' && (use->bits == 128 || use->bits == 256 || use->bits == 512))
        snprintf(name, LONGEST_NAME + 1, "%cmm%u", widths[step], use->number % VECTORS);
    else if (use->kind != 'r')
        return false;
    for (unsigned j = 0; use->kind == 'r'; j++) {
        if (j == sizeof general_bits / sizeof general_bits[0])
            return false;
        if (general_bits[j] != use->bits)
            continue;
        snprintf(name, LONGEST_NAME + 1, "%s", general[use->number % GENERAL][j]);
        return true;
    }
    return true;
}

/* Vector registers from 16 on exist only with AVX-512, whose instructions take 512 bits. */
static const char *clear(struct register_use *use)
{
    if (use->kind == 'k')
        return "start.given_mask";
    if (use->kind == 'r') {
        use->bits = 64;
        return "start.given";
    }
    if (use->number > 15)
        use->bits = 512;
    return use->bits == 512 ? "start.given_512" : use->bits == 256 ? "start.given_256" : "start.given_128";
}

/* ---- prefixes ---- */

static bool is_prefix(const char *name, size_t length)
{
    static const char *const prefixes[] = {
        "data16", "data32", "addr16", "addr32", "lock", "rep", "repe",     "repz",     "repne", "repnz",
        "cs",     "ds",     "es",     "fs",     "gs",   "ss",  "xacquire", "xrelease", "bnd",   "notrack"};
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++)
        if (strlen(prefixes[i]) == length && strncmp(prefixes[i], name, length) == 0)
            return true;
    return length >= 3 && strncmp(name, "rex", 3) == 0;
}

/* In 64-bit mode the first bytes of EVEX, VEX and XOP are unambiguous, except 8f, which is also pop, refused
 * by its name. */
static enum opcode_coding coding_of(const uint8_t *bytes, size_t size)
{
    static const uint8_t before[] = {0x2e, 0x36, 0x3e, 0x26, 0x64, 0x65, 0x66, 0x67};
    size_t at = 0;
    while (at + 1 < size && memchr(before, bytes[at], sizeof before) != NULL)
        at++;
    switch (size > at ? bytes[at] : 0) {
    case 0x62:
        return CODING_EVEX;
    case 0xc4:
    case 0xc5:
        return CODING_VEX;
    case 0x8f:
        return CODING_XOP;
    default:
        return CODING_PLAIN;
    }
}

/* ---- the disassembler's text, in Intel's syntax ---- */

/* The disassembler's names for sizes of memory operands. */
static const struct {
    const char *word;
    unsigned bytes;
} sizes[] = {{"byte", 1},   {"word", 2},     {"dword", 4},    {"qword", 8},
             {"tbyte", 10}, {"xmmword", 16}, {"ymmword", 32}, {"zmmword", 64}};

struct x86_reading {
    struct text_instruction *instruction;
    char name[TEXT_NAME_BYTES];
    unsigned operands;
    unsigned memories; /* operands in memory */
    bool segment;
    unsigned widest; /* bits */
    bool last_is_register;
    bool repeated; /* {1to8}: memory holds one element */
};

static void refuse(struct text_instruction *instruction, const char *why)
{
    if (instruction->refusal[0] == '\0')
        snprintf(instruction->refusal, sizeof instruction->refusal, "%s", why);
}

static void add_name(struct text_instruction *instruction, const char *name, size_t length)
{
    if (instruction->name_count == TEXT_NAMES || length >= TEXT_NAME_BYTES) {
        refuse(instruction, "it uses more than a text may");
        return;
    }
    snprintf(instruction->names[instruction->name_count++], TEXT_NAME_BYTES, "%.*s", (int)length, name);
}

static void add_feature(struct text_instruction *instruction, const char *feature)
{
    for (unsigned i = 0; i < instruction->feature_count; i++)
        if (feature == NULL || strcmp(instruction->features[i], feature) == 0)
            return;
    if (feature != NULL && instruction->feature_count < TEXT_FEATURES)
        instruction->features[instruction->feature_count++] = feature;
}

static void widen(struct x86_reading *reading, const char *name, size_t length)
{
    struct register_use use;
    if (read_register(name, length, &use) && use.kind == 'v' && use.bits > reading->widest)
        reading->widest = use.bits;
}

static size_t word_length(const char *text)
{
    size_t length = 0;
    while (isalnum((unsigned char)text[length]) || text[length] == '_')
        length++;
    return length;
}

/* Reads the registers in a part of the text: all its words that begin with a letter. */
static void read_words(struct x86_reading *reading, const char *text, size_t length)
{
    for (const char *at = text; at < text + length;) {
        size_t word = word_length(at);
        if (word > 0 && isalpha((unsigned char)*at)) {
            add_name(reading->instruction, at, word);
            widen(reading, at, word);
        }
        at += word > 0 ? word : 1;
    }
}

/* Only an address of the form "[rsi + 4096]" has {memory}'s base; others are described by their registers. */
static void read_address(struct x86_reading *reading, const char *inside, size_t length)
{
    struct text_instruction *instruction = reading->instruction;
    char text[TEXT_WHY_BYTES];
    int end = 0;
    long long displacement = 0;
    snprintf(text, sizeof text, "%.*s", (int)length, inside);
    snprintf(instruction->address, sizeof instruction->address, "%s", text);
    if (sscanf(text, "rsi + %lld%n", &displacement, &end) == 1 && (size_t)end == strlen(text)) {
        instruction->based = true;
        instruction->displacement = displacement;
    } else {
        read_words(reading, inside, length);
    }
}

/* "qword ptr [...]", possibly with a segment before the bracket and a repetition count after it. */
static void read_memory(struct x86_reading *reading, const char *text, size_t length, const char *bracket)
{
    struct text_instruction *instruction = reading->instruction;
    const char *close = memchr(bracket, ']', (size_t)(text + length - bracket));
    size_t inside = close == NULL ? 0 : (size_t)(close - bracket - 1);
    size_t size = word_length(text);
    reading->memories++;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        if (strlen(sizes[i].word) == size && strncmp(sizes[i].word, text, size) == 0)
            instruction->bytes = sizes[i].bytes;
    reading->segment = reading->segment || memchr(text, ':', (size_t)(bracket - text)) != NULL;
    read_address(reading, bracket + 1, inside);
    if (8 * instruction->bytes > reading->widest && instruction->bytes >= 16)
        reading->widest = 8 * instruction->bytes;
}

/* "{k1}" is a register; "{z}", "{sae}", "{rn-sae}" and "{1to8}" are not. */
static void read_braces(struct x86_reading *reading, const char *inside)
{
    reading->repeated = reading->repeated || inside[0] == '1';
    if (inside[0] == 'k')
        read_words(reading, inside, strcspn(inside, "}"));
}

static void read_operand(struct x86_reading *reading, const char *text, size_t length)
{
    const char *end = text + length;
    const char *bracket = memchr(text, '[', length);
    const char *brace = memchr(text, '{', length);
    size_t plain = brace == NULL ? length : (size_t)(brace - text);
    for (const char *at = brace; at != NULL; at = memchr(at + 1, '{', (size_t)(end - at - 1)))
        read_braces(reading, at + 1);
    if (brace == text)
        return; /* a way of rounding */
    reading->operands++;
    reading->last_is_register = bracket == NULL && isalpha((unsigned char)*text);
    if (bracket != NULL)
        read_memory(reading, text, plain, bracket);
    else
        read_words(reading, text, plain);
}

static void read_text(struct x86_reading *reading, const char *text)
{
    size_t name = strcspn(text, " \t");
    snprintf(reading->name, sizeof reading->name, "%.*s", (int)name, text);
    text += name;
    while (*(text += strspn(text, " \t,")) != '\0' && *text != '#') {
        size_t length = 0;
        for (int depth = 0; text[length] != '\0' && (text[length] != ',' || depth > 0); length++)
            depth += (text[length] == '[') - (text[length] == ']');
        read_operand(reading, text, length);
        text += length;
    }
}

/* ---- what it comes to ---- */

static bool is_one_of(const char *name, const char *const *names)
{
    for (; *names != NULL; names++)
        if (strncmp(name, *names, strlen(*names)) == 0)
            return true;
    return false;
}

/* Most SSE instructions without VEX need aligned memory; of the others only those with an aligned form. */
static unsigned alignment_of(const char *name, enum opcode_coding coding, unsigned bytes)
{
    static const char *const free_ones[] = {"movup", "movdqu", "lddqu", "pcmpestr", "pcmpistr", NULL};
    static const char *const bound[] = {"vmovap", "vmovdqa", "vmovnt", NULL};
    bool aligned = coding == CODING_PLAIN ? !is_one_of(name, free_ones) : is_one_of(name, bound);
    return aligned && bytes >= 16 ? bytes : 0;
}

static void read_row(struct x86_reading *reading, const struct opcode_row *row, enum opcode_coding coding)
{
    struct text_instruction *instruction = reading->instruction;
    const char *plain = row->wide != NULL && reading->widest == 256 ? row->wide : row->feature;
    if (row->registers != NULL)
        read_words(reading, row->registers, strlen(row->registers));
    add_feature(instruction, coding == CODING_EVEX ? row->evex : plain);
    if (coding == CODING_VEX)
        add_feature(instruction, "avx");
    if (coding == CODING_EVEX)
        add_feature(instruction, "avx512f");
    if (coding == CODING_EVEX && (row->traits & OPCODE_SCALAR) == 0 && reading->widest < 512)
        add_feature(instruction, "avx512vl");
    if (reading->memories > 0)
        instruction->memory = (row->traits & OPCODE_ADDRESS) != 0 ? TEXT_ADDRESS_ALONE : TEXT_ACCESS;
    if (instruction->memory == TEXT_ADDRESS_ALONE)
        instruction->bytes = 0;
    instruction->align = alignment_of(reading->name, coding, instruction->bytes);
    if (reading->memories > 1)
        refuse(instruction, "it has two addresses, and a text has only {memory}");
    if (reading->segment)
        refuse(instruction, "its address is in a segment, and a text has only {memory}");
    if (instruction->memory == TEXT_ACCESS && instruction->bytes == 0)
        refuse(instruction, "how much memory it uses is unknown");
    if ((row->traits & OPCODE_WHOLE) != 0 && reading->repeated)
        refuse(instruction,
               "LLVM writes another address for it with {1to...}: expected vbroadcastsd or vpbroadcastq "
               "of {memory} first");
    if ((row->traits & OPCODE_BITS) != 0 && reading->memories > 0 && reading->last_is_register)
        refuse(instruction,
               "its register is the number of a bit of all memory: expected a number, $0 to $63, or "
               "no {memory}");
}

static void understand(const char *text, const uint8_t *bytes, size_t size,
                       struct text_instruction *instruction)
{
    struct x86_reading reading = {.instruction = instruction};
    enum opcode_coding coding = coding_of(bytes, size);
    memset(instruction, 0, sizeof *instruction);
    read_text(&reading, text);
    const struct opcode_row *row = opcode_find(reading.name, reading.operands, reading.memories > 0);
    bool coded = row != NULL && (coding != CODING_EVEX || row->evex != NULL) &&
                 (coding == CODING_XOP) == ((row->traits & OPCODE_XOP) != 0);
    if (coded) {
        read_row(&reading, row, coding);
        return;
    }
    const char *why = opcode_known(reading.name) ? NULL : opcode_refusal(reading.name);
    if (why != NULL) {
        refuse(instruction, why);
        return;
    }
    snprintf(instruction->refusal, sizeof instruction->refusal,
             "%s%s is not among the instructions whose reads and writes are known; docs/reference/recipes.md "
             "lists "
             "those that a text may have",
             reading.name, opcode_known(reading.name) ? " in this form" : "");
}

static const struct text_rules x86_64_text_rules = {.fixed = fixed,
                                                    .marks = "%$,()+-*{}:._",
                                                    .address = "rsi",
                                                    .farthest = 0x7ff00000,
                                                    .example = "{ \"xmm14\", \"xmm15\" }",
                                                    .clear = clear,
                                                    .read_register = read_register,
                                                    .write_register = write_register,
                                                    .is_prefix = is_prefix,
                                                    .understand = understand};

/* ---- x86 64 ---- */

/* ---- numbers ---- */

/* The widths of numbers in x86-64 instructions. */

#define COUNT(rows) (sizeof rows / sizeof rows[0])

/* Intel SDM, volume 2, sections 2.1.5 and 2.7.5: no displacement, one of 8 bits (with EVEX in units of the
 * memory operand's size), or one of 32 bits. */
static const struct number_class displacements[] = {
    NUMBER_CLASS(0, 0, 1, 0, 0, 0),
    NUMBER_CLASS(-128, 127, 1, 8, 0x55, -0x56),
    NUMBER_CLASS(-128 * 2, 127 * 2, 2, 8, 0x55 * 2, -0x56 * 2),
    NUMBER_CLASS(-128 * 4, 127 * 4, 4, 8, 0x55 * 4, -0x56 * 4),
    NUMBER_CLASS(-128 * 8, 127 * 8, 8, 8, 0x55 * 8, -0x56 * 8),
    NUMBER_CLASS(-128 * 16, 127 * 16, 16, 8, 0x55 * 16, -0x56 * 16),
    NUMBER_CLASS(-128 * 32, 127 * 32, 32, 8, 0x55 * 32, -0x56 * 32),
    NUMBER_CLASS(-128 * 64, 127 * 64, 64, 8, 0x55 * 64, -0x56 * 64),
    NUMBER_CLASS(INT32_MIN, INT32_MAX, 1, 32, 0x55555555, -0x55555556),
};

/* A shift by one has its own encoding; 32-bit operations treat numbers above 2^31 as negative. */
static const struct number_class immediates[] = {
    NUMBER_CLASS(0, 0, 1, 0, 0, 0),
    NUMBER_CLASS(1, 1, 1, 0, 0, 0),
    NUMBER_CLASS(-128, 127, 1, 8, 0x55, -0x56),
    NUMBER_CLASS(128, 255, 1, 8, 0xd5, 0xaa),
    NUMBER_CLASS(INT64_C(0xffffff80), INT64_C(0xffffffff), 1, 8, INT64_C(0xffffffd5), INT64_C(0xffffffaa)),
    NUMBER_CLASS(INT32_MIN, INT32_MAX, 1, 32, 0x55555555, -0x55555556),
    NUMBER_CLASS(INT64_C(0x80000000), INT64_C(0xffffffff), 1, 32, INT64_C(0x95555555), INT64_C(0xeaaaaaaa)),
    NUMBER_CLASS(INT64_MIN, INT64_MAX, 1, 64, INT64_C(0x5555555555555555), -INT64_C(0x5555555555555556)),
};

static const struct number_class targets[] = {
    NUMBER_CLASS(-128, 127, 1, 8, 0x55, -0x50),
    NUMBER_CLASS(INT32_MIN, INT32_MAX, 1, 32, 0x1555, -0x1555),
};

static const struct number_classes x86_64_numbers[NUMBER_KINDS] = {
    [NUMBER_DISPLACEMENT] = {displacements, COUNT(displacements)},
    [NUMBER_IMMEDIATE] = {immediates, COUNT(immediates)},
    [NUMBER_TARGET] = {targets, COUNT(targets)},
};

/* ---- x86 64 ---- */

#define SCALAR(name, half)                                                                                   \
    {                                                                                                        \
#name,                                                                                               \
        {                                                                                                    \
            {                                                                                                \
                32, #half                                                                                    \
            }                                                                                                \
        }                                                                                                    \
    }
#define VECTOR(n)                                                                                            \
    {                                                                                                        \
        "xmm" #n,                                                                                            \
        {                                                                                                    \
            {256, "ymm" #n},                                                                                 \
            {                                                                                                \
                512, "zmm" #n                                                                                \
            }                                                                                                \
        }                                                                                                    \
    }

static const struct register_name registers[] = {
    SCALAR(rax, eax),  SCALAR(rbx, ebx),  SCALAR(rcx, ecx),  SCALAR(rdx, edx),  SCALAR(rsi, esi),
    SCALAR(rdi, edi),  SCALAR(rbp, ebp),  SCALAR(rsp, esp),  SCALAR(r8, r8d),   SCALAR(r9, r9d),
    SCALAR(r10, r10d), SCALAR(r11, r11d), SCALAR(r12, r12d), SCALAR(r13, r13d), SCALAR(r14, r14d),
    SCALAR(r15, r15d), VECTOR(0),         VECTOR(1),         VECTOR(2),         VECTOR(3),
    VECTOR(4),         VECTOR(5),         VECTOR(6),         VECTOR(7),         VECTOR(8),
    VECTOR(9),         VECTOR(10),        VECTOR(11),        VECTOR(12),        VECTOR(13),
    VECTOR(14),        VECTOR(15),
};

/* Intel SDM, volume 1, section 3.7.5: a displacement has at most 32 bits. */
static const struct reach reach = {.low = INT32_MIN, .high = INT32_MAX, .multiple = 1};

/* In AT&T's order the last operand is written; lea uses only the address. */
static enum memory_use memory_use(const char *text)
{
    size_t end = strcspn(text, ";");
    while (end > 0 && strchr(" \t\n", text[end - 1]) != NULL)
        end--;
    const char *bracket = memchr(text, '(', end);
    if (bracket == NULL || strncmp(text, "lea", 3) == 0)
        return MEMORY_UNUSED;
    bool last = text[end - 1] == ')' && memchr(text, ',', (size_t)(bracket - text)) != NULL;
    return last ? MEMORY_WRITTEN : MEMORY_READ;
}

/* An immediate into a general register, on into a vector register, and from its first number into the others.
 * The last operand is written. */
static void follow(const char *text, struct register_words *words)
{
    static const char *const spreads[] = {"punpcklqdq", "vmovddup", "vinsertf128", "vpbroadcastq"};
    struct operands operands = operands_read(&isa_x86_64, text);
    int last = operands.count - 1;
    if (last < 1 || operands.registers[last] < 0)
        return;
    int to = operands.registers[last];
    int from = operands.registers[last - 1];
    unsigned lanes = operands.bits[last] == 0 ? 2 : operands.bits[last] / 64;
    bool spread = false;
    for (size_t i = 0; i < sizeof spreads / sizeof spreads[0]; i++)
        spread = spread || operands_of(text, spreads[i]);
    if (operands_of(text, "movabsq")) {
        words->words[to] = operands.numbers[last - 1];
        words->lanes[to] = 1;
    } else if ((operands_of(text, "movq") || operands_of(text, "vmovq")) && from >= 0) {
        words->words[to] = words->words[from];
        words->lanes[to] = words->lanes[from];
    } else if (spread && from == to && words->lanes[to] > 0) {
        words->lanes[to] = lanes;
    } else {
        words->lanes[to] = 0;
    }
}

static void prepare(void)
{
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmParser();
    LLVMInitializeX86AsmPrinter();
    LLVMInitializeX86Disassembler();
}

#if defined(__x86_64__)
static uint64_t ticks(void)
{
    return __builtin_ia32_rdtsc();
}
#else
static uint64_t (*const ticks)(void) = NULL;
#endif

/* Between two readings of the counter there are always some ticks. */
static const struct host host = {.least_width = 3,
                                 .clock = "the time-stamp counter",
                                 .source = "cpuid",
                                 .ticks = ticks,
                                 .passes_per_tick = 1};

static const char *const markers[] = {"gem5", "cpuid", "gem5-address", NULL};

const struct isa isa_x86_64 = {
    .name = "x86_64",
    .machine = "zen5",
    .skeleton = "kernel.s",
    .start = "start.s",
    .probe = "probe.s",
    .markers = markers,
    .plain_width = 8,
    .triple = "x86_64-unknown-linux-gnu",
    .cpu = "x86-64",
    .sized_syntax = true,
    .prepare = prepare,
    .syntax = {.comment = "#", .immediate = '$', .open = '(', .close = ')', .address = "{disp}({base})"},
    .register_prefix = "%",
    .registers = registers,
    .register_count = sizeof registers / sizeof registers[0],
    .text_rules = &x86_64_text_rules,
    .memory_use = memory_use,
    .follow = follow,
    .filler = "int3",
    .prefix = "lock",
    .numbers = x86_64_numbers,
    .branch_origin = ORIGIN_END,
    .code_align = 1,
    .reaches = &reach,
    .reach_count = 1,
    .elf_machine = EM_X86_64,
    .load_align = 4096,
    .host = &host,
};
