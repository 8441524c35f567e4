#include "isa/aarch64/aarch64_texts.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GENERAL_COUNT = 31, VECTOR_COUNT = 32, LONGEST_NAME = 7 };

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
                                              {NULL, NULL}};

/* Letters of register names, and their bits. */
static const struct {
    char letter, kind;
    unsigned bits;
} letters[] = {{'x', 'r', 64}, {'w', 'r', 32}, {'v', 'v', 128}, {'q', 'v', 128},
               {'d', 'v', 64}, {'s', 'v', 32}, {'h', 'v', 16},  {'b', 'v', 8}};
enum { LETTERS = sizeof letters / sizeof letters[0] };

/* "x0" to "x30", "v0" to "v31", and their parts. */
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
        return use->number < (use->kind == 'r' ? GENERAL_COUNT : VECTOR_COUNT);
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
    use->bits = use->kind == 'r' ? 64 : 128;
    return use->kind == 'r' ? "start.given" : "start.given_128";
}

static bool is_prefix(const char *name, size_t length)
{
    (void)name, (void)length;
    return false;
}

/* ---- instructions ---- */

enum access { ACCESS_NONE, ACCESS_REGISTER, ACCESS_FIXED, ACCESS_HINT };

/* Those of Armv8.0 that read and write only the registers that they name, and flags. */
static const struct {
    enum access access;
    unsigned bytes;    /* ACCESS_FIXED */
    const char *names; /* in LLVM's order of words, without arrangements */
} rows[] = {
    {ACCESS_NONE, 0,
     "adc adcs add adds and ands asr asrv bfc bfi bfm bfxil bic bics ccmn ccmp cinc cinv cls clz cmn cmp "
     "cneg "
     "csel cset csetm csinc csinv csneg eon eor extr lsl lslv lsr lsrv madd mneg mov movk movn movz msub mul "
     "mvn "
     "neg negs ngc ngcs nop orn orr rbit rev rev16 rev32 rev64 ror rorv sbc sbcs sbfiz sbfm sbfx sdiv smaddl "
     "smnegl smsubl smulh smull sub subs sxtb sxth sxtw tst ubfiz ubfm ubfx udiv umaddl umnegl umsubl umulh "
     "umull "
     "uxtb uxth"},
    {ACCESS_NONE, 0,
     "fabs fadd fccmp fccmpe fcmp fcmpe fcsel fcvt fcvtas fcvtau fcvtms fcvtmu fcvtns fcvtnu fcvtps fcvtpu "
     "fcvtzs "
     "fcvtzu fdiv fmadd fmax fmaxnm fmin fminnm fmov fmsub fmul fneg fnmadd fnmsub fnmul frinta frinti "
     "frintm "
     "frintn frintp frintx frintz fsqrt fsub scvtf ucvtf"},
    {ACCESS_NONE, 0,
     "abs addhn addhn2 addp addv bif bit bsl cmeq cmge cmgt cmhi cmhs cmle cmlt cmtst cnt dup ext fabd facge "
     "facgt "
     "faddp fcmeq fcmge fcmgt fcmle fcmlt fcvtl fcvtl2 fcvtn fcvtn2 fmaxnmp fmaxnmv fmaxp fmaxv fminnmp "
     "fminnmv "
     "fminp fminv fmla fmls fmulx frecpe frecps frecpx frsqrte frsqrts ins mla mls movi mvni not pmul raddhn "
     "rshrn "
     "saba sabal sabd sabdl sadalp saddl saddl2 saddlp saddlv saddw shadd shl shll shrn shsub sli smax smaxp "
     "smaxv "
     "smin sminp sminv smlal smlal2 smlsl smov smull2 sqabs sqadd sqdmulh sqneg sqrdmulh sqrshl sqshl sqsub "
     "sqxtn "
     "sqxtun srhadd sri srshl srshr srsra sshl sshll sshll2 sshr ssra ssubl ssubw suqadd tbl tbx trn1 trn2 "
     "uaba "
     "uabal uabd uabdl uadalp uaddl uaddl2 uaddlp uaddlv uaddw uhadd uhsub umax umaxp umaxv umin uminp uminv "
     "umlal "
     "umlal2 umlsl umov umull2 uqadd uqrshl uqshl uqsub uqxtn urecpe urhadd urshl urshr ursqrte ursra ushl "
     "ushll "
     "ushll2 ushr usqadd usra usubl usubw uzp1 uzp2 xtn xtn2 zip1 zip2"},
    {ACCESS_REGISTER, 0, "ldr str"},
    {ACCESS_FIXED, 1, "ldrb ldrsb strb"},
    {ACCESS_FIXED, 2, "ldrh ldrsh strh"},
    {ACCESS_FIXED, 4, "ldrsw"},
    {ACCESS_HINT, 0, "prfm"},
};

/* Words that are no registers. */
static const char KEYWORDS[] =
    " eq ne cs hs cc lo mi pl vs vc hi ls ge lt gt le al lsl lsr asr ror msl uxtb uxth uxtw uxtx sxtb sxth "
    "sxtw sxtx "
    "xzr wzr pldl1keep pldl1strm pldl2keep pldl2strm pldl3keep pldl3strm pstl1keep pstl1strm ";

static bool has_word(const char *list, const char *word, size_t length)
{
    for (const char *at = list; (at = strstr(at, word)) != NULL; at++)
        if ((at == list || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
            return true;
    return false;
}

static void refuse(struct text_instruction *instruction, const char *why)
{
    if (instruction->refusal[0] == '\0')
        snprintf(instruction->refusal, sizeof instruction->refusal, "%s", why);
}

static size_t word_length(const char *text)
{
    size_t length = 0;
    while (isalnum((unsigned char)text[length]) || text[length] == '_')
        length++;
    return length;
}

struct reading {
    struct text_instruction *instruction;
    unsigned bytes; /* of the first register, as it is named */
    bool memory;
};

static void take_name(struct reading *reading, const char *name, size_t length)
{
    struct text_instruction *instruction = reading->instruction;
    struct register_use use;
    char word[TEXT_NAME_BYTES];
    if (length >= sizeof word || instruction->name_count == TEXT_NAMES) {
        refuse(instruction, "it uses more than a text may");
        return;
    }
    snprintf(word, sizeof word, "%.*s", (int)length, name);
    if (has_word(KEYWORDS, word, length)) {
        reading->bytes = reading->bytes > 0 || word[1] != 'z' ? reading->bytes : word[0] == 'x' ? 8 : 4;
        return;
    }
    snprintf(instruction->names[instruction->name_count++], TEXT_NAME_BYTES, "%s", word);
    if (!read_register(word, length, &use))
        return;
    reading->bytes = reading->bytes > 0 ? reading->bytes : use.bits / 8;
}

/* "[x29, #8]" has {memory}'s base; other addresses are described by their registers. */
static const char *take_address(struct reading *reading, const char *bracket)
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
        refuse(instruction, "it changes its address register, and a text has only {memory}");
    for (const char *at = bracket + 1; !instruction->based && at < close;) {
        size_t length = word_length(at);
        if (length > 0 && isalpha((unsigned char)*at))
            take_name(reading, at, length);
        at += length > 0 ? length : 1;
    }
    return close + 1;
}

static void read_operands(struct reading *reading, const char *text)
{
    for (const char *at = text; *at != '\0';) {
        size_t length = word_length(at);
        if (*at == '[') {
            at = take_address(reading, at);
            continue;
        }
        if (*at == '#' || length == 0) { /* a number, or what stands between operands */
            at++;
            at += at[-1] == '#' ? strcspn(at, ", \t") : 0;
            continue;
        }
        if (isalpha((unsigned char)*at))
            take_name(reading, at, length);
        at += length;
        if (*at == '[') /* a lane */
            at += strcspn(at, "]") + (strchr(at, ']') != NULL);
    }
}

/* The text is in Apple's syntax: "fadd.2d v0, v1, v2". */
static void understand(const char *text, const uint8_t *bytes, size_t size,
                       struct text_instruction *instruction)
{
    struct reading reading = {.instruction = instruction};
    char name[TEXT_NAME_BYTES];
    size_t length = strcspn(text, ". \t");
    size_t row = 0;
    (void)bytes, (void)size;
    memset(instruction, 0, sizeof *instruction);
    snprintf(name, sizeof name, "%.*s", (int)length, text);
    while (row < sizeof rows / sizeof rows[0] && !has_word(rows[row].names, name, strlen(name)))
        row++;
    if (row == sizeof rows / sizeof rows[0]) {
        snprintf(
            instruction->refusal, sizeof instruction->refusal,
            "%s is not among the instructions whose reads and writes are known: those of integers, floating "
            "point and NEON, ldr and str",
            name);
        return;
    }
    read_operands(&reading, text + strcspn(text, " \t"));
    if (rows[row].access != ACCESS_NONE && !reading.memory)
        refuse(instruction, "its address is none of {memory}");
    if (!reading.memory)
        return;
    instruction->memory = rows[row].access == ACCESS_HINT ? TEXT_ADDRESS_ALONE : TEXT_ACCESS;
    instruction->bytes = rows[row].access == ACCESS_FIXED ? rows[row].bytes : reading.bytes;
    if (instruction->memory == TEXT_ACCESS && instruction->bytes == 0)
        refuse(instruction, "how much memory it uses is unknown");
}

const struct text_rules aarch64_text_rules = {.fixed = fixed,
                                              .marks = "#,[]{}+-:._!",
                                              .address = "x29",
                                              .own_address = true,
                                              .farthest =
                                                  4032, /* bytes are reached up to 4095, others farther */
                                              .example = "{ \"v20\", \"v21\" }",
                                              .clear = clear,
                                              .read_register = read_register,
                                              .write_register = write_register,
                                              .is_prefix = is_prefix,
                                              .understand = understand};
