#include "isa/x86_64/text_rules.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEAVES "it leaves the text, whose instructions run one after the other"
#define STACK "it moves the stack, which is the caller's"
#define STATE "it changes a state of the processor that the program around it relies on"
#define STRING "string instructions move rsi or rdi, which the loop needs"
#define PRIVILEGED "only an operating system may use it"
#define X87 "x87 instructions leave a stack of their own behind"

/* Intel SDM, volume 2, and AMD APM, volume 3, by what LLVM's disassembler calls them. */
static const struct text_rule rows[] = {
    {"j*", -1, NULL, LEAVES, NULL},
    {"call*", -1, NULL, LEAVES, NULL},
    {"lcall*", -1, NULL, LEAVES, NULL},
    {"ljmp*", -1, NULL, LEAVES, NULL},
    {"ret*", -1, NULL, LEAVES, NULL},
    {"lret*", -1, NULL, LEAVES, NULL},
    {"loop*", -1, NULL, LEAVES, NULL},
    {"iret*", -1, NULL, LEAVES, NULL},
    {"uiret", -1, NULL, LEAVES, NULL},
    {"sys*", -1, NULL, LEAVES, NULL},
    {"int", -1, NULL, LEAVES, NULL},
    {"int[13o]*", -1, NULL, LEAVES, NULL},
    {"ud[012]*", -1, NULL, LEAVES, NULL},
    {"xbegin*", -1, NULL, LEAVES, NULL},
    {"xabort*", -1, NULL, LEAVES, NULL},
    {"xend", -1, NULL, LEAVES, NULL},
    {"push*", -1, NULL, STACK, NULL},
    {"pop", -1, NULL, STACK, NULL},
    {"pop[wlqf2]*", -1, NULL, STACK, NULL},
    {"enter*", -1, NULL, STACK, NULL},
    {"leave*", -1, NULL, STACK, NULL},
    {"std", -1, NULL, STATE, NULL},
    {"*ldmxcsr", -1, NULL, STATE, NULL},
    {"*rstor*", -1, NULL, STATE, NULL},
    {"vzero*", -1, NULL, STATE, NULL},
    {"wr[fg]sbase*", -1, NULL, STATE, NULL},
    {"[rw][dr]pkru", -1, NULL, STATE, NULL},
    {"ldtilecfg*", -1, NULL, STATE, NULL},
    {"tilerelease", -1, NULL, STATE, NULL},
    {"emms", -1, NULL, X87, NULL},
    {"f*", -1, NULL, X87, NULL},
    {"wait", -1, NULL, X87, NULL},
    {"movs[bwlq]", -1, NULL, STRING, NULL},
    {"lods*", -1, NULL, STRING, NULL},
    {"stos*", -1, NULL, STRING, NULL},
    {"scas*", -1, NULL, STRING, NULL},
    {"cmps[bwlq]", -1, NULL, STRING, NULL},
    {"ins[bwl]", -1, NULL, STRING, NULL},
    {"outs[bwl]", -1, NULL, STRING, NULL},
    {"*maskmov[dq]*u", -1, NULL, STRING, NULL},
    {"maskmovq", -1, NULL, STRING, NULL},
    {"rep*", -1, NULL, "it repeats an instruction, and each of a text runs once", NULL},
    {"lock*", -1, NULL, "prefixes are not taken; xchg with memory locks by itself", NULL},
    {"hlt", -1, NULL, PRIVILEGED, NULL},
    {"cli", -1, NULL, PRIVILEGED, NULL},
    {"sti", -1, NULL, PRIVILEGED, NULL},
    {"clts", -1, NULL, PRIVILEGED, NULL},
    {"in[bwl]", -1, NULL, PRIVILEGED, NULL},
    {"out[bwl]", -1, NULL, PRIVILEGED, NULL},
    {"[rw]*msr*", -1, NULL, PRIVILEGED, NULL},
    {"rdpmc", -1, NULL, PRIVILEGED, NULL},
    {"*invd", -1, NULL, PRIVILEGED, NULL},
    {"invl*", -1, NULL, PRIVILEGED, NULL},
    {"invept*", -1, NULL, PRIVILEGED, NULL},
    {"inv[pv]*", -1, NULL, PRIVILEGED, NULL},
    {"[ls][gil]dt*", -1, NULL, PRIVILEGED, NULL},
    {"ltr*", -1, NULL, PRIVILEGED, NULL},
    {"lmsw*", -1, NULL, PRIVILEGED, NULL},
    {"swapgs", -1, NULL, PRIVILEGED, NULL},
    {"stac", -1, NULL, PRIVILEGED, NULL},
    {"clac", -1, NULL, PRIVILEGED, NULL},
    {"rsm", -1, NULL, PRIVILEGED, NULL},
    {"stgi", -1, NULL, PRIVILEGED, NULL},
    {"clgi", -1, NULL, PRIVILEGED, NULL},
    {"monitor*", -1, NULL, PRIVILEGED, NULL},
    {"mwait*", -1, NULL, PRIVILEGED, NULL},
    {"umonitor*", -1, NULL, STATE, NULL},
    {"umwait*", -1, NULL, STATE, NULL},
    {"tpause*", -1, NULL, STATE, NULL},
    {"skinit*", -1, NULL, PRIVILEGED, NULL},
    {"encl[suv]", -1, NULL, PRIVILEGED, NULL},
    {"vm[clrwx]*", -1, NULL, PRIVILEGED, NULL},
    {"vmmcall", -1, NULL, PRIVILEGED, NULL},
    {"vmfunc", -1, NULL, PRIVILEGED, NULL},
    {"vmptr*", -1, NULL, PRIVILEGED, NULL},
    {"vmsave", -1, NULL, PRIVILEGED, NULL},

    {"mul[bwlq]", -1, "rax rdx", NULL, NULL},
    {"imul[bwlq]", 1, "rax rdx", NULL, NULL},
    {"div[bwlq]", -1, "rax rdx", NULL, NULL},
    {"idiv[bwlq]", -1, "rax rdx", NULL, NULL},
    {"mulx*", -1, "rdx", NULL, "bmi2"},
    {"cbtw", -1, "rax", NULL, NULL},
    {"cwtl", -1, "rax", NULL, NULL},
    {"cltq", -1, "rax", NULL, NULL},
    {"cwtd", -1, "rax rdx", NULL, NULL},
    {"cltd", -1, "rax rdx", NULL, NULL},
    {"cqto", -1, "rax rdx", NULL, NULL},
    {"cmpxchg[bwlq]", -1, "rax", NULL, NULL},
    {"cmpxchg8b", -1, "rax rbx rcx rdx", NULL, NULL},
    {"cmpxchg16b", -1, "rax rbx rcx rdx", NULL, NULL},
    {"xlat*", -1, "rax rbx", NULL, NULL},
    {"lahf", -1, "rax", NULL, NULL},
    {"sahf", -1, "rax", NULL, NULL},
    {"cpuid", -1, "rax rbx rcx rdx", NULL, NULL},
    {"rdtsc", -1, "rax rdx", NULL, NULL},
    {"rdtscp", -1, "rax rcx rdx", NULL, NULL},
    {"rdpru", -1, "rax rcx rdx", NULL, NULL},
    {"xgetbv", -1, "rax rcx rdx", NULL, NULL},
    {"xsetbv", -1, NULL, PRIVILEGED, NULL},
    {"*xsave*", -1, "rax rdx", NULL, NULL},
    {"clzero*", -1, "rax", NULL, NULL},
    {"*pcmpestri*", -1, "rax rcx rdx", NULL, "sse4_2"},
    {"*pcmpestrm*", -1, "rax rdx xmm0", NULL, "sse4_2"},
    {"*pcmpistri*", -1, "rcx", NULL, "sse4_2"},
    {"*pcmpistrm*", -1, "xmm0", NULL, "sse4_2"},
    {"blendvp[ds]", -1, "xmm0", NULL, "sse4_1"},
    {"pblendvb", -1, "xmm0", NULL, "sse4_1"},
    {"sha256rnds2", -1, "xmm0", NULL, NULL},

    {"addsubp[ds]", -1, NULL, NULL, "sse3"},
    {"h[as][du][db]p[ds]", -1, NULL, NULL, "sse3"},
    {"mov[ds]*dup", -1, NULL, NULL, "sse3"},
    {"lddqu", -1, NULL, NULL, "sse3"},
    {"pshufb", -1, NULL, NULL, "ssse3"},
    {"palignr", -1, NULL, NULL, "ssse3"},
    {"ph[as][du][db]*", -1, NULL, NULL, "ssse3"},
    {"pmaddubsw", -1, NULL, NULL, "ssse3"},
    {"pmulhrsw", -1, NULL, NULL, "ssse3"},
    {"psign[bwd]", -1, NULL, NULL, "ssse3"},
    {"pabs[bwd]", -1, NULL, NULL, "ssse3"},
    {"pm[ai][xn]s[bd]", -1, NULL, NULL, "sse4_1"},
    {"pm[ai][xn]u[dw]", -1, NULL, NULL, "sse4_1"},
    {"pmulld", -1, NULL, NULL, "sse4_1"},
    {"pmuldq", -1, NULL, NULL, "sse4_1"},
    {"pmov[sz]x*", -1, NULL, NULL, "sse4_1"},
    {"pextr[bdq]", -1, NULL, NULL, "sse4_1"},
    {"pinsr[bdq]", -1, NULL, NULL, "sse4_1"},
    {"round[ps][sd]", -1, NULL, NULL, "sse4_1"},
    {"dpp[sd]", -1, NULL, NULL, "sse4_1"},
    {"blendp[sd]", -1, NULL, NULL, "sse4_1"},
    {"pblendw", -1, NULL, NULL, "sse4_1"},
    {"ptest", -1, NULL, NULL, "sse4_1"},
    {"pcmpeqq", -1, NULL, NULL, "sse4_1"},
    {"packusdw", -1, NULL, NULL, "sse4_1"},
    {"mpsadbw", -1, NULL, NULL, "sse4_1"},
    {"pcmpgtq", -1, NULL, NULL, "sse4_2"},
    {"crc32*", -1, NULL, NULL, "sse4_2"},
    {"popcnt*", -1, NULL, NULL, "popcnt"},
    {"*aes[deik][emn]*", -1, NULL, NULL, "aes"},
    {"vfm*", -1, NULL, NULL, "fma"},
    {"vfnm*", -1, NULL, NULL, "fma"},
    {"vcvtph2ps", -1, NULL, NULL, "f16c"},
    {"vcvtps2ph", -1, NULL, NULL, "f16c"},
    {"andn[lq]", -1, NULL, NULL, "bmi1"},
    {"bextr*", -1, NULL, NULL, "bmi1"},
    {"bls[irm]*", -1, NULL, NULL, "bmi1"},
    {"tzcnt*", -1, NULL, NULL, "bmi1"},
    {"bzhi*", -1, NULL, NULL, "bmi2"},
    {"pdep*", -1, NULL, NULL, "bmi2"},
    {"pext[lq]", -1, NULL, NULL, "bmi2"},
    {"rorx*", -1, NULL, NULL, "bmi2"},
    {"s[ah][rl]x*", -1, NULL, NULL, "bmi2"},
    {"v*i128", -1, NULL, NULL, "avx2"},
    {"vperm[dq]", -1, NULL, NULL, "avx2"},
    {"vpermp[ds]", -1, NULL, NULL, "avx2"},
    {"v*gather*", -1, NULL, NULL, "avx2"},
    {"vpbroadcast*", -1, NULL, NULL, "avx2"},
    {"vps[lr][la]v*", -1, NULL, NULL, "avx2"},
    {"vpblendd", -1, NULL, NULL, "avx2"},
    {"clflushopt", -1, NULL, NULL, "clflushopt"},
    {NULL, -1, NULL, NULL, NULL},
};

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

/* EVEX, VEX and XOP begin with bytes that begin nothing else in 64-bit mode. */
static const char *encoding_feature(const uint8_t *bytes, size_t size)
{
    size_t at = 0;
    while (at + 1 < size && strchr("\x2e\x36\x3e\x26\x64\x65\x66\x67", bytes[at]) != NULL && bytes[at] != 0)
        at++;
    switch (size > at ? bytes[at] : 0) {
    case 0x62:
        return "avx512f";
    case 0xc4:
    case 0xc5:
        return "avx";
    default:
        return NULL;
    }
}

const struct text_rules x86_64_text_rules = {.rows = rows,
                                             .fixed = fixed,
                                             .address = "rsi",
                                             .read_register = read_register,
                                             .write_register = write_register,
                                             .encoding_feature = encoding_feature};
