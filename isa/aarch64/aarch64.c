#include "isa/isa.h"
#include "isa/numbers.h"
#include "isa/text_rules.h"

#include <ctype.h>
#include <elf.h>
#include <inttypes.h>
#include <llvm-c/Target.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The rules for users' own AArch64 instructions (isa/text_rules.h). */

enum { GENERAL_COUNT = 31, VECTOR_COUNT = 32, MASK_COUNT = 16, MOST_VECTOR_BYTES = 256, LONGEST_NAME = 7 };

static const struct fixed_register fixed[] = {{"x0", "counts the passes"},
                                              {"x1", "holds the data's address"},
                                              {"x18", "is the platform's"},
                                              {"x29", "holds the address of {memory}"},
                                              {"x30", "is for jumps"},
                                              {"v8", "is the caller's"},
                                              {"v9", "is the caller's"},
                                              {"v10", "is the caller's"},
                                              {"v11", "is the caller's"},
                                              {"v12", "is the caller's"},
                                              {"v13", "is the caller's"},
                                              {"v14", "is the caller's"},
                                              {"v15", "is the caller's"},
                                              {"v24", "keeps the caller's registers"},
                                              {"v25", "keeps the caller's registers"},
                                              {"v26", "keeps the caller's registers"},
                                              {"v27", "keeps the caller's registers"},
                                              {"v28", "keeps the caller's registers"},
                                              {"v29", "keeps the caller's registers"},
                                              {"p0", "governs the kernel's own vectors"},
                                              {NULL, NULL}};

/* Letters of register names, and their bits. */
static const struct {
    char letter, kind;
    unsigned bits;
} letters[] = {{'x', 'r', 64}, {'w', 'r', 32}, {'v', 'v', 128}, {'q', 'v', 128}, {'d', 'v', 64},
               {'s', 'v', 32}, {'h', 'v', 16}, {'b', 'v', 8},   {'z', 'v', 512}, {'p', 'k', 64}};
enum { LETTERS = sizeof letters / sizeof letters[0] };

/* "x0" to "x30", "v0" to "v31", their parts and SVE's whole, "p0" to "p15". */
static bool read_register(const char *name, size_t length, struct register_use *use)
{
    char digits[LONGEST_NAME + 1];
    if (length < 2 || length > 3)
        return false;
    snprintf(digits, sizeof digits, "%.*s", (int)length - 1, name + 1);
    if (strspn(digits, "0123456789") != length - 1 || (digits[0] == '0' && digits[1] != '\0'))
        return false;
    for (unsigned i = 0; i < LETTERS; i++) {
        if (letters[i].letter != name[0])
            continue;
        *use = (struct register_use){letters[i].kind, (unsigned)atoi(digits), letters[i].bits};
        return use->number < (use->kind == 'r'   ? GENERAL_COUNT
                              : use->kind == 'k' ? MASK_COUNT
                                                 : VECTOR_COUNT);
    }
    return false;
}

static bool write_register(const struct register_use *use, char *name)
{
    for (unsigned i = 0; i < LETTERS; i++) {
        if (letters[i].kind != use->kind || letters[i].bits != use->bits)
            continue;
        snprintf(name, LONGEST_NAME + 1, "%c%u", letters[i].letter, use->number % VECTOR_COUNT);
        return true;
    }
    return false;
}

static const char *clear(struct register_use *use)
{
    use->bits = use->kind == 'v' ? 128 : 64; /* SVE's vectors are cleared with their lower part */
    return use->kind == 'r' ? "start.given" : use->kind == 'k' ? "start.given_mask" : "start.given_128";
}

/* ---- instructions ---- */

/* ACCESS_BARE: the address takes no displacement. */
enum access { ACCESS_NONE, ACCESS_REGISTER, ACCESS_FIXED, ACCESS_HINT, ACCESS_BARE };

/* Instructions that read and write only the registers that they name, and flags. Features that follow from
 * the registers, and further ones that LLVM requires, are not listed here. */
static const struct {
    enum access access;
    unsigned bytes;      /* ACCESS_FIXED; ACCESS_BARE: 0 is the register's width */
    const char *feature; /* NULL: every processor has them, or those with SVE in SVE's registers */
    const char *names;   /* in LLVM's order of words */
} rows[] = {
    {ACCESS_NONE, 0, NULL,
     "adc adcs add adds and ands asr asrv bfc bfi bfm bfxil bic bics ccmn ccmp cinc cinv cls "
     "clz cmn cmp cneg csel cset csetm csinc csinv csneg eon eor extr lsl lslv lsr lsrv madd "
     "mneg mov movk movn movz msub mul mvn neg negs ngc ngcs nop orn orr rbit rev rev16 rev32 "
     "rev64 ror rorv sbc sbcs sbfiz sbfm sbfx sdiv smaddl smnegl smsubl smulh smull sub subs "
     "sxtb sxth sxtw tst ubfiz ubfm ubfx udiv umaddl umnegl umsubl umulh umull uxtb uxth"},
    {ACCESS_NONE, 0, NULL,
     "fabs fadd fccmp fccmpe fcmp fcmpe fcsel fcvt fcvtas fcvtau fcvtms fcvtmu fcvtns fcvtnu "
     "fcvtps fcvtpu fcvtzs fcvtzu fdiv fmadd fmax fmaxnm fmin fminnm fmov fmsub fmul fneg "
     "fnmadd fnmsub fnmul frinta frinti frintm frintn frintp frintx frintz fsqrt fsub scvtf "
     "ucvtf"},
    {ACCESS_NONE, 0, NULL,
     "abs addhn addhn2 addp addv bif bit bsl cmeq cmge cmgt cmhi cmhs cmle cmlt cmtst cnt dup "
     "ext fabd facge facgt faddp fcmeq fcmge fcmgt fcmle fcmlt fcvtl fcvtl2 fcvtn fcvtn2 "
     "fmaxnmp fmaxnmv fmaxp fmaxv fminnmp fminnmv fminp fminv fmla fmls fmulx frecpe frecps "
     "frecpx frsqrte frsqrts ins mla mls movi mvni not pmul raddhn rshrn saba sabal sabd sabdl "
     "sadalp saddl saddl2 saddlp saddlv saddw shadd shl shll shrn shsub sli smax smaxp smaxv "
     "smin sminp sminv smlal smlal2 smlsl smov smull2 sqabs sqadd sqdmulh sqneg sqrdmulh "
     "sqrshl sqshl sqsub sqxtn sqxtun srhadd sri srshl srshr srsra sshl sshll sshll2 sshr ssra "
     "ssubl ssubw suqadd tbl tbx trn1 trn2 uaba uabal uabd uabdl uadalp uaddl uaddl2 uaddlp "
     "uaddlv uaddw uhadd uhsub umax umaxp umaxv umin uminp uminv umlal umlal2 umlsl umov "
     "umull2 uqadd uqrshl uqshl uqsub uqxtn urecpe urhadd urshl urshr ursqrte ursra ushl ushll "
     "ushll2 ushr usqadd usra usubl usubw uzp1 uzp2 xtn xtn2 zip1 zip2"},
    {ACCESS_NONE, 0, "asimddp", "sdot udot"},
    {ACCESS_NONE, 0, "i8mm", "usdot sudot smmla ummla usmmla"},
    {ACCESS_NONE, 0, "asimdrdm", "sqrdmlah sqrdmlsh"},
    {ACCESS_NONE, 0, "fcma", "fcadd fcmla"},
    {ACCESS_NONE, 0, "asimdfhm", "fmlal fmlal2 fmlsl fmlsl2"},
    {ACCESS_NONE, 0, "bf16", "bfdot bfmmla bfmlalb bfmlalt bfcvt bfcvtn bfcvtn2"},
    {ACCESS_NONE, 0, "crc32", "crc32b crc32h crc32w crc32x crc32cb crc32ch crc32cw crc32cx"},
    {ACCESS_NONE, 0, "aes", "aesd aese aesimc aesmc"},
    {ACCESS_NONE, 0, "sha1", "sha1c sha1h sha1m sha1p sha1su0 sha1su1"},
    {ACCESS_NONE, 0, "sha2", "sha256h sha256h2 sha256su0 sha256su1"},
    {ACCESS_NONE, 0, "sha3", "eor3 rax1 xar bcax"},
    {ACCESS_NONE, 0, "sha512", "sha512h sha512h2 sha512su0 sha512su1"},
    {ACCESS_NONE, 0, "sm4", "sm3partw1 sm3partw2 sm3ss1 sm3tt1a sm3tt1b sm3tt2a sm3tt2b sm4e sm4ekey"},
    {ACCESS_NONE, 0, "cssc", "ctz"},
    {ACCESS_NONE, 0, NULL, "pmull pmull2"},
    {ACCESS_NONE, 0, "sve",
     "adr asrd bgrp bdep bext brka brkb brkn brkpa brkpb clasta clastb cmpeq cmpge cmpgt cmphi "
     "cmphs cmple cmplo cmpls cmplt cmpne cntb cntd cnth cntp cntw compact cpy decb decd dech "
     "decp decw dupm eorv orv andv fadda faddv fexpa fmad fmaxnmv fmaxv fminnmv fminv fmsb "
     "fnmad fnmla fnmls fnmsb frecpe fscale ftmad ftsmul ftssel fcmuo fcmne incb incd inch "
     "incp incw index insr lasta lastb lslr lsrr asrr mad msb nand nor nots pfalse pfirst "
     "pnext ptest ptrue punpkhi punpklo rdvl addvl addpl revb revh revw rev sdivr udivr sel "
     "splice sqdecd sqincd subr smulh umulh sunpkhi sunpklo uunpkhi uunpklo uaddv saddv "
     "whilelt whilele whilelo whilels whilege whilegt whilehi whilehs movs ands orrs eors bics "
     "orns nands nors fcpy fdup"},
    {ACCESS_NONE, 0, "sve2",
     "adclb adclt sbclb sbclt aba sabalb sabalt uabalb uabalt sabdlb sabdlt uabdlb uabdlt "
     "saddlb saddlt uaddlb uaddlt ssublb ssublt usublb usublt smullb smullt umullb umullt "
     "smlalb smlalt umlalb umlalt smlslb smlslt umlslb umlslt eorbt eortb histcnt histseg "
     "match nmatch nbsl bsl1n bsl2n sqshlu urecpe ursqrte flogb fdivr fsubr fabd fmulx"},
    {ACCESS_REGISTER, 0, NULL, "ldr str"},
    {ACCESS_BARE, 0, "atomics",
     "ldadd ldadda ldaddal ldaddl ldclr ldclra ldclral ldclrl ldeor ldeora ldeoral ldeorl "
     "ldset ldseta ldsetal ldsetl ldsmax ldsmaxa ldsmaxal ldsmaxl ldsmin ldsmina ldsminal "
     "ldsminl ldumax ldumaxa ldumaxal ldumaxl ldumin ldumina lduminal lduminl swp swpa swpal "
     "swpl stadd staddl stclr stclrl steor steorl stset stsetl stsmax stsmaxl stsmin stsminl "
     "stumax stumaxl stumin stuminl cas casa casal casl"},
    {ACCESS_BARE, 1, "atomics",
     "ldaddb ldaddab ldaddalb ldaddlb ldclrb ldclrab ldclralb ldclrlb ldeorb ldeorab ldeoralb "
     "ldeorlb ldsetb ldsetab ldsetalb ldsetlb ldsmaxb ldsmaxab ldsmaxalb ldsmaxlb ldsminb "
     "ldsminab ldsminalb ldsminlb ldumaxb ldumaxab ldumaxalb ldumaxlb lduminb lduminab "
     "lduminalb lduminlb swpb swpab swpalb swplb staddb staddlb stclrb stclrlb steorb steorlb "
     "stsetb stsetlb stsmaxb stsmaxlb stsminb stsminlb stumaxb stumaxlb stuminb stuminlb casb "
     "casab casalb caslb"},
    {ACCESS_BARE, 2, "atomics",
     "ldaddh ldaddah ldaddalh ldaddlh ldclrh ldclrah ldclralh ldclrlh ldeorh ldeorah ldeoralh "
     "ldeorlh ldseth ldsetah ldsetalh ldsetlh ldsmaxh ldsmaxah ldsmaxalh ldsmaxlh ldsminh "
     "ldsminah ldsminalh ldsminlh ldumaxh ldumaxah ldumaxalh ldumaxlh lduminh lduminah "
     "lduminalh lduminlh swph swpah swpalh swplh staddh staddlh stclrh stclrlh steorh steorlh "
     "stseth stsetlh stsmaxh stsmaxlh stsminh stsminlh stumaxh stumaxlh stuminh stuminlh cash "
     "casah casalh caslh"},
    {ACCESS_FIXED, 1, NULL, "ldrb ldrsb strb"},
    {ACCESS_FIXED, 2, NULL, "ldrh ldrsh strh"},
    {ACCESS_FIXED, 4, NULL, "ldrsw"},
    {ACCESS_HINT, 0, NULL, "prfm"},
};

enum { ROWS = sizeof rows / sizeof rows[0] };

/* Words that are not registers. */
static const char KEYWORDS[] =
    " eq ne cs hs cc lo mi pl vs vc hi ls ge lt gt le al lsl lsr asr ror msl uxtb uxth uxtw uxtx sxtb sxth "
    "sxtw sxtx pow2 vl1 vl2 vl3 vl4 vl5 vl6 vl7 vl8 vl16 vl32 vl64 vl128 vl256 mul4 mul3 all mul vl "
    "xzr wzr pldl1keep pldl1strm pldl2keep pldl2strm pldl3keep pldl3strm pstl1keep pstl1strm ";

struct aarch64_reading {
    struct text_instruction *instruction;
    unsigned bytes; /* width of the first register's name */
    bool memory;
    bool scalable; /* an SVE register is among its operands */
};

static void take_name(struct aarch64_reading *reading, const char *name, size_t length)
{
    struct text_instruction *instruction = reading->instruction;
    struct register_use use;
    char word[TEXT_NAME_BYTES];
    snprintf(word, sizeof word, "%.*s", (int)length, name);
    if (text_has_word(KEYWORDS, word)) {
        reading->bytes = reading->bytes > 0 || word[1] != 'z' ? reading->bytes : word[0] == 'x' ? 8 : 4;
        return;
    }
    text_add_name(instruction, name, length);
    if (!read_register(word, length, &use))
        return;
    unsigned bytes = word[0] == 'z'   ? MOST_VECTOR_BYTES
                     : word[0] == 'p' ? MOST_VECTOR_BYTES / 8
                                      : use.bits / 8;
    reading->scalable = reading->scalable || word[0] == 'z' || word[0] == 'p';
    reading->bytes = reading->bytes > 0 ? reading->bytes : bytes;
}

/* "[x29, #8]" has {memory}'s base; other addresses are described by their registers. */
static const char *take_address(struct aarch64_reading *reading, const char *bracket)
{
    struct text_instruction *instruction = reading->instruction;
    const char *close = strchr(bracket, ']');
    size_t inside = close == NULL ? strlen(bracket + 1) : (size_t)(close - bracket - 1);
    long long displacement = 0;
    int end = 0;
    reading->memory = true;
    snprintf(instruction->address, sizeof instruction->address, "%.*s", (int)inside, bracket + 1);
    bool plain = strcmp(instruction->address, "x29") == 0;
    bool moved =
        sscanf(instruction->address, "x29, #%lld%n", &displacement, &end) == 1 && (size_t)end == inside;
    instruction->based = plain || moved;
    instruction->displacement = displacement;
    if (close == NULL)
        return bracket + 1 + inside;
    if (close[1] != '\0')
        text_refuse(instruction, "it changes its address register, and a text has only {memory}");
    for (const char *at = bracket + 1; !instruction->based && at < close;) {
        size_t length = text_word_length(at);
        if (length > 0 && isalpha((unsigned char)*at))
            take_name(reading, at, length);
        at += length > 0 ? length : 1;
    }
    return close + 1;
}

static void read_operands(struct aarch64_reading *reading, const char *text)
{
    for (const char *at = text; *at != '\0';) {
        size_t length = text_word_length(at);
        if (*at == '[') {
            at = take_address(reading, at);
            continue;
        }
        if (*at == '#' || length == 0) { /* a number, or a separator */
            at++;
            at += at[-1] == '#' ? strcspn(at, ", \t") : 0;
            continue;
        }
        if (isalpha((unsigned char)*at))
            take_name(reading, at, length);
        at += length;
        if (*at == '.' || *at == '/') /* a vector arrangement; merging or zeroing predication */
            at += 1 + text_word_length(at + 1);
        if (*at == '[') /* a lane */
            at += strcspn(at, "]") + (strchr(at, ']') != NULL);
    }
}

/* True for atomics, and for accesses to whole SVE registers, whose displacement would count vectors. */
static bool is_bare_access(size_t row, const char *operands)
{
    operands += strspn(operands, " \t");
    return rows[row].access == ACCESS_BARE ||
           (rows[row].access == ACCESS_REGISTER && (*operands == 'z' || *operands == 'p'));
}

static size_t row_of(const char *line, size_t length)
{
    char name[TEXT_NAME_BYTES];
    size_t row = 0;
    snprintf(name, sizeof name, "%.*s", (int)length, line);
    while (row < ROWS && !text_has_word(rows[row].names, name))
        row++;
    return row;
}

static bool is_bare(const char *line)
{
    size_t length = strcspn(line, " \t");
    size_t row = row_of(line, length);
    return row < ROWS && is_bare_access(row, line + length);
}

static void understand(const char *text, const uint8_t *bytes, size_t size,
                       struct text_instruction *instruction)
{
    struct aarch64_reading reading = {.instruction = instruction};
    size_t length = strcspn(text, " \t");
    size_t row = row_of(text, length);
    (void)bytes, (void)size;
    memset(instruction, 0, sizeof *instruction);
    if (row == ROWS) {
        snprintf(instruction->refusal, sizeof instruction->refusal,
                 "%.*s is not among the instructions whose reads and writes are known: those of integers, "
                 "floating point, NEON and SVE, ldr and str, and atomics",
                 (int)(length < TEXT_NAME_BYTES ? length : TEXT_NAME_BYTES), text);
        return;
    }
    read_operands(&reading, text + strcspn(text, " \t"));
    if (rows[row].feature != NULL)
        instruction->features[instruction->feature_count++] = rows[row].feature;
    else if (reading.scalable)
        instruction->features[instruction->feature_count++] = "sve";
    if (rows[row].access != ACCESS_NONE && !reading.memory)
        text_refuse(instruction, "its address is not {memory}");
    if (!reading.memory)
        return;
    instruction->memory = rows[row].access == ACCESS_HINT ? TEXT_ADDRESS_ALONE : TEXT_ACCESS;
    instruction->bare = is_bare_access(row, text + length);
    instruction->bytes = rows[row].bytes > 0 ? rows[row].bytes : reading.bytes;
    instruction->align = rows[row].access == ACCESS_BARE ? instruction->bytes : 0;
    if (instruction->memory == TEXT_ACCESS && instruction->bytes == 0)
        text_refuse(instruction, "the size of its memory access is unknown");
}

static const struct text_rules aarch64_text_rules = {
    .fixed = fixed,
    .marks = "#,[]{}+-:._!/",
    .address = "x29",
    .own_address = true,
    .farthest = 4032, /* bytes are reached up to 4095, others farther */
    .example = "{ \"v20\", \"v21\" }",
    .clear = clear,
    .read_register = read_register,
    .write_register = write_register,
    .is_bare = is_bare,
    .understand = understand};

#define COUNT(rows) (sizeof rows / sizeof rows[0])

/* ---- numbers: Arm's manual DDI 0487, C6.2 ---- */

/* Unsigned, in units of the access's width; or signed, of 9 bits. */
#define SCALED(width) NUMBER_CLASS(0, 4095 * (width), width, 12, 0x555 * (width), 0xaab * (width))

static const struct number_class displacements[] = {
    SCALED(1),
    SCALED(2),
    SCALED(4),
    SCALED(8),
    SCALED(16),
    NUMBER_CLASS(-256, -1, 1, 9, -0x56, -0xab),
    NUMBER_CLASS(0, 255, 1, 9, 0x55, 0xab),
    /* SVE's ldr and str of a whole register: in units of its length. */
    {.low = -256,
     .high = 255,
     .multiple = 1,
     .bits = 9,
     .probes = {0x55, -0x56},
     .pieces = {{0, 3, 10}, {3, 6, 16}}},
};

/* Of additions, shifted or not, and of movz and movk. Logical ones have encodings of their own. */
static const struct number_class immediates[] = {
    NUMBER_CLASS(0, 4095, 1, 12, 0x555, 0xaab),
    NUMBER_CLASS(0, 0xfff000, 0x1000, 12, 0x555000, 0xaab000),
    NUMBER_CLASS(0, 0xffff, 1, 16, 0x5555, 0xaaab),
};

/* tbz; b.cond and cbz; adr; b. */
static const struct number_class targets[] = {
    NUMBER_CLASS(-0x8000, 0x7ffc, 4, 14, 0x1554, -0x1554),
    NUMBER_CLASS(-0x100000, 0xffffc, 4, 19, 0x1554, -0x1554),
    {.low = -0x100000,
     .high = 0xfffff,
     .multiple = 1,
     .bits = 21,
     .probes = {0x1554, -0x1554},
     .pieces = {{0, 2, 29}, {2, 19, 5}}},
    NUMBER_CLASS(-0x8000000, 0x7fffffc, 4, 26, 0x1554, -0x1554),
};

static const struct number_classes numbers[NUMBER_KINDS] = {
    [NUMBER_DISPLACEMENT] = {displacements, COUNT(displacements)},
    [NUMBER_IMMEDIATE] = {immediates, COUNT(immediates)},
    [NUMBER_TARGET] = {targets, COUNT(targets)},
};

/* Accesses wider than 16 bytes are SVE's, on a processor whose vectors are as wide. */
static const struct reach reaches[] = {
    {4, 0, 4095 * 4, 4}, {8, 0, 4095 * 8, 8}, {16, 0, 4095 * 16, 16},        {4, -256, 255, 1},
    {8, -256, 255, 1},   {16, -256, 255, 1},  {32, -256 * 32, 255 * 32, 32}, {64, -256 * 64, 255 * 64, 64}};

/* A displacement in vectors, as SVE's ldr and str take it. */
static const struct number_part parts[] = {
    {"vectors_32", 0, 5, 9, true},
    {"vectors_64", 0, 6, 9, true},
    {NULL, 0, 0, 0, false},
};

/* movz or movn, whichever leaves fewer parts of 16 bits, and movk for these. */
static void write_constant(const char *name, uint64_t value, struct buffer *output)
{
    enum { PARTS = 4, PART_BITS = 16, PART_MASK = 0xffff };
    unsigned zeros = 0;
    unsigned ones = 0;
    for (unsigned i = 0; i < PARTS; i++) {
        uint64_t part = value >> i * PART_BITS & PART_MASK;
        zeros += part == 0;
        ones += part == PART_MASK;
    }
    bool inverted = ones > zeros;
    uint64_t plain = inverted ? PART_MASK : 0;
    bool begun = false;
    for (unsigned i = 0; i < PARTS; i++) {
        uint64_t part = value >> i * PART_BITS & PART_MASK;
        bool last = i + 1 == PARTS && !begun;
        if (part == plain && !last)
            continue;
        const char *op = begun ? "movk" : inverted ? "movn" : "movz";
        unsigned shift = part == plain ? 0 : i * PART_BITS;
        if (!begun && inverted)
            part ^= PART_MASK;
        buffer_printf(output, "%s%s %s, #%" PRIu64, begun ? CONSTANT_NEXT : "", op, name, part);
        if (shift > 0)
            buffer_printf(output, ", lsl #%u", shift);
        begun = true;
    }
}

/* ---- registers ---- */

#define GENERAL(n)                                                                                           \
    {                                                                                                        \
        "x" #n,                                                                                              \
        {                                                                                                    \
            {                                                                                                \
                32, "w" #n                                                                                   \
            }                                                                                                \
        }                                                                                                    \
    }
#define VECTOR(n)                                                                                            \
    {                                                                                                        \
        "v" #n,                                                                                              \
        {                                                                                                    \
            {32, "s" #n}, {64, "d" #n}, {128, "q" #n}, {256, "z" #n},                                        \
            {                                                                                                \
                512, "z" #n                                                                                  \
            }                                                                                                \
        }                                                                                                    \
    }

/* x18 is the platform's. */
static const struct register_name registers[] = {
    GENERAL(0),  GENERAL(1),  GENERAL(2),  GENERAL(3),  GENERAL(4),  GENERAL(5),  GENERAL(6),  GENERAL(7),
    GENERAL(8),  GENERAL(9),  GENERAL(10), GENERAL(11), GENERAL(12), GENERAL(13), GENERAL(14), GENERAL(15),
    GENERAL(16), GENERAL(17), GENERAL(19), GENERAL(20), GENERAL(21), GENERAL(22), GENERAL(23), GENERAL(24),
    GENERAL(25), GENERAL(26), GENERAL(27), GENERAL(28), GENERAL(29), GENERAL(30), VECTOR(0),   VECTOR(1),
    VECTOR(2),   VECTOR(3),   VECTOR(4),   VECTOR(5),   VECTOR(6),   VECTOR(7),   VECTOR(8),   VECTOR(9),
    VECTOR(10),  VECTOR(11),  VECTOR(12),  VECTOR(13),  VECTOR(14),  VECTOR(15),  VECTOR(16),  VECTOR(17),
    VECTOR(18),  VECTOR(19),  VECTOR(20),  VECTOR(21),  VECTOR(22),  VECTOR(23),  VECTOR(24),  VECTOR(25),
    VECTOR(26),  VECTOR(27),  VECTOR(28),  VECTOR(29),  VECTOR(30),  VECTOR(31),
};

/* " [" begins an address; the brackets of a template's {disp[0:16]} follow no blank. */
static enum memory_use memory_use(const char *text)
{
    if (strstr(text, " [") == NULL)
        return MEMORY_UNUSED;
    return strncmp(text, "st", 2) == 0 ? MEMORY_WRITTEN : MEMORY_READ;
}

/* True if the instruction's first operand is a vector register of SVE. */
static bool is_sve(const char *text)
{
    text += strcspn(text, " \t");
    return text[strspn(text, " \t")] == 'z';
}

/* Follows a number into a general register, 16 bits at a time, and from there into all lanes of a vector
 * register. The first operand is written; movz, movn and SVE's dup are printed as mov. */
static void follow(const char *text, struct register_words *words)
{
    enum { PART_MASK = 0xffff, NEON_LANES = 2, SVE_LANES = 8 };
    struct operands operands = operands_read(&isa_aarch64, text);
    if (operands.count < 2 || operands.registers[0] < 0 || strstr(text, "[sp") != NULL)
        return; /* restores a caller's register after the loop, although with code{} it precedes the loop */
    int to = operands.registers[0];
    int from = operands.registers[1];
    bool moves = operands_of(text, "mov");
    if (operands_of(text, "movk")) {
        unsigned shift = operands.count == 4 ? (unsigned)operands.numbers[3] % 64 : 0; /* lsl #16 */
        words->words[to] &= ~((uint64_t)PART_MASK << shift);
        words->words[to] |= operands.numbers[1] << shift;
    } else if (moves && from < 0) {
        words->words[to] = operands.numbers[1];
        words->lanes[to] = 1;
    } else if ((moves || operands_of(text, "dup")) && from >= 0) {
        words->words[to] = words->words[from];
        bool spreads = !moves || (is_sve(text) && words->lanes[from] == 1);
        words->lanes[to] = words->lanes[from] == 0 ? 0
                           : !spreads              ? words->lanes[from]
                           : moves                 ? SVE_LANES
                                                   : NEON_LANES;
    } else {
        words->lanes[to] = 0;
    }
}

/* mc.c reports an LLVM without the target. */
static void prepare(void)
{
#ifdef TRAUMA_LLVM_AARCH64
    LLVMInitializeAArch64TargetInfo();
    LLVMInitializeAArch64Target();
    LLVMInitializeAArch64TargetMC();
    LLVMInitializeAArch64AsmParser();
    LLVMInitializeAArch64AsmPrinter();
    LLVMInitializeAArch64Disassembler();
#endif
}

#if defined(__aarch64__)
static uint64_t ticks(void)
{
    uint64_t count;
    __asm__ volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(count)::"memory");
    return count;
}
#else
static uint64_t (*const ticks)(void) = NULL;
#endif

/* The counter runs at 19.2 MHz or more, a core at about 5 GHz or less, and a pass takes at least a cycle. */
static const struct host host = {
    .clock = "the system counter", .source = "CNTFRQ_EL0", .ticks = ticks, .passes_per_tick = 512};

/* By Linux's feature names; sve256 and sve512: SVE with vectors of 256 and 512 bits. */
static const struct extension extensions[] = {
    {"sve", "sve", ".arch_extension sve"},
    {"sve256", "sve", ".arch_extension sve"},
    {"sve512", "sve", ".arch_extension sve"},
    {"sve2", "sve2", ".arch_extension sve2"},
    {"svebitperm", "sve2-bitperm", ".arch_extension sve2-bitperm"},
    {"atomics", "lse", ".arch_extension lse"},
    {"crc32", "crc", ".arch_extension crc"},
    {"aes", "aes", ".arch_extension aes"},
    {"pmull", "aes", ".arch_extension aes"},
    {"sha2", "sha2", ".arch_extension sha2"},
    {"sha1", "sha2", ".arch_extension sha2"},
    {"sha3", "sha3", ".arch_extension sha3"},
    {"sha512", "sha3", ".arch_extension sha3"},
    {"sm4", "sm4", ".arch_extension sm4"},
    {"asimddp", "dotprod", ".arch_extension dotprod"},
    {"asimdrdm", "rdm", ".arch_extension rdma"},
    {"fphp", "fullfp16", ".arch_extension fp16"},
    {"asimdhp", "fullfp16", ".arch_extension fp16"},
    {"fcma", "complxnum", ".arch_extension compnum"},
    {"asimdfhm", "fp16fml", ".arch_extension fp16fml"},
    {"i8mm", "i8mm", ".arch_extension i8mm"},
    {"bf16", "bf16", ".arch_extension bf16"},
    {"cssc", "cssc", ".arch_extension cssc"},
    {NULL, NULL, NULL},
};

static const char *const markers[] = {"gem5", "gem5-address", NULL};

const struct isa isa_aarch64 = {
    .name = "aarch64",
    .machine = "neoverse-n1",
    .skeleton = "kernel.s",
    .start = "start.s",
    .markers = markers,
    .probe = "probe.s",
    .plain_width = 8,
    .triple = "aarch64-unknown-linux-gnu",
    .cpu = "generic",
    .features = "+sve,+sve2,+sve2-bitperm,+lse,+crc,+aes,+sha2,+sha3,+sm4,+dotprod,+rdm,+fullfp16,+complxnum,"
                "+fp16fml,+i8mm,+bf16,+cssc",
    .extensions = extensions,
    .prepare = prepare,
    .syntax = {.comment = "//",
               .immediate = '#',
               .open = '[',
               .close = ']',
               .displacement_inside = true,
               .address = "[{base}, #{disp}]"},
    .register_prefix = "",
    .registers = registers,
    .register_count = COUNT(registers),
    .text_rules = &aarch64_text_rules,
    .write_constant = write_constant,
    .memory_use = memory_use,
    .follow = follow,
    .filler = "udf",
    .numbers = numbers,
    .parts = parts,
    .branch_origin = ORIGIN_START,
    .code_align = 4,
    .code_reach = 1 << 20, /* b.cond and adr */
    .reaches = reaches,
    .reach_count = COUNT(reaches),
    .elf_machine = EM_AARCH64,
    .load_align = 65536,
    .host = &host,
};
