#include "isa/gcn/decode/decode.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Text being written, cut if it does not fit. */
struct printed_line {
    char *text;
    size_t used;
    unsigned generation;
    bool first; /* no operand yet */
    bool dual;  /* one operation of a pair */
};

__attribute__((format(printf, 2, 3))) static void add(struct printed_line *line, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line->text + line->used, GCN_PRINT_BYTES - line->used, format, arguments);
    va_end(arguments);
    line->used += length > 0 ? (size_t)length : 0;
    if (line->used >= GCN_PRINT_BYTES)
        line->used = GCN_PRINT_BYTES - 1;
}

static void separate(struct printed_line *line)
{
    add(line, line->first ? " " : ", ");
    line->first = false;
}

static void add_scalar(struct printed_line *line, unsigned code, unsigned dwords)
{
    static const struct special {
        unsigned code;
        const char *pair, *half;
    } specials[] = {
        {GCN_VCC, "vcc", "vcc_lo"},    {GCN_VCC + 1, "", "vcc_hi"},   {GCN_M0, "", "m0"},
        {GCN_EXEC, "exec", "exec_lo"}, {GCN_EXEC + 1, "", "exec_hi"}, {GCN_NULL, "null", "null"},
    };
    unsigned trap = line->generation >= 9 ? 108 : 112;
    for (size_t i = 0; i < sizeof specials / sizeof specials[0]; i++)
        if (specials[i].code == code && dwords <= 2) {
            add(line, "%s", dwords == 2 ? specials[i].pair : specials[i].half);
            return;
        }
    bool traps = code >= trap && code < GCN_M0;
    const char *file = traps ? "ttmp" : "s";
    code -= traps ? trap : 0;
    if (dwords == 1)
        add(line, "%s%u", file, code);
    else
        add(line, "%s[%u:%u]", file, code, code + dwords - 1);
}

/* Dwords of a register operand. */
static unsigned dwords_of(const struct printed_line *line, char letter)
{
    return letter == 'm' && line->generation >= 10 ? 1 : gcn_letter_dwords(letter);
}

static void add_constant(struct printed_line *line, unsigned code, const struct gcn_instruction *from,
                         bool is_double)
{
    static const struct constant {
        unsigned code;
        const char *text;
    } constants[] = {
        {GCN_SHARED_BASE, "src_shared_base"},
        {GCN_SHARED_LIMIT, "src_shared_limit"},
        {GCN_PRIVATE_BASE, "src_private_base"},
        {GCN_PRIVATE_LIMIT, "src_private_limit"},
        {GCN_FLOATS, "0.5"},
        {GCN_FLOATS + 1, "-0.5"},
        {GCN_FLOATS + 2, "1.0"},
        {GCN_FLOATS + 3, "-1.0"},
        {GCN_FLOATS + 4, "2.0"},
        {GCN_FLOATS + 5, "-2.0"},
        {GCN_FLOATS + 6, "4.0"},
        {GCN_FLOATS + 7, "-4.0"},
        {GCN_VCCZ, "src_vccz"},
        {GCN_EXECZ, "src_execz"},
        {GCN_SCC, "src_scc"},
    };
    for (size_t i = 0; i < sizeof constants / sizeof constants[0]; i++)
        if (constants[i].code == code) {
            add(line, "%s", constants[i].text);
            return;
        }
    if (code == GCN_LITERAL)
        add(line, "0x%" PRIx32, from->literal);
    else if (code == GCN_INVERSE_TWO_PI)
        add(line, is_double ? "0.15915494309189532" : "0.15915494");
    else
        add(line, "%d", code >= GCN_NEGATIVE ? 192 - (int)code : (int)code - GCN_ZERO);
}

static void add_register(struct printed_line *line, unsigned code, unsigned dwords,
                         const struct gcn_instruction *from)
{
    bool accumulates = code >= GCN_ACCUMULATION;
    char file = accumulates ? 'a' : 'v';
    unsigned number = code - (accumulates ? GCN_ACCUMULATION : GCN_VECTOR);
    if (code >= GCN_VECTOR && dwords == 1)
        add(line, "%c%u", file, number);
    else if (code >= GCN_VECTOR)
        add(line, "%c[%u:%u]", file, number, number + dwords - 1);
    else if (code < GCN_SCALARS)
        add_scalar(line, code, dwords);
    else
        add_constant(line, code, from, dwords == 2);
}

static void add_hardware(struct printed_line *line, unsigned bits)
{
    static const char *const names[] = {
        [1] = "MODE",      [2] = "STATUS",    [3] = "TRAPSTS", [4] = "HW_ID",
        [5] = "GPR_ALLOC", [6] = "LDS_ALLOC", [23] = "HW_ID1", [24] = "HW_ID2"};
    static const char *const later[] = {
        [1] = "MODE",      [2] = "STATUS",  [4] = "STATE_PRIV", [5] = "GPR_ALLOC",
        [6] = "LDS_ALLOC", [23] = "HW_ID1", [24] = "HW_ID2"};
    unsigned id = bits & 0x3f;
    unsigned low = bits >> 6 & 0x1f;
    unsigned size = (bits >> 11 & 0x1f) + 1;
    const char *name = id > 24 ? NULL : line->generation >= 12 ? later[id] : names[id];
    if (name != NULL)
        add(line, "hwreg(HW_REG_%s", name);
    else
        add(line, "hwreg(%u", id);
    add(line, low == 0 && size == 32 ? ")" : ", %u, %u)", low, size);
}

/* s_sendmsg_rtn_b64's number. */
static void add_message(struct printed_line *line, unsigned number)
{
    static const char *const names[] = {"DOORBELL", "DDID", "TMA", "REALTIME"};
    if (number >= 128 && number - 128 < sizeof names / sizeof names[0])
        add(line, "sendmsg(MSG_RTN_GET_%s)", names[number - 128]);
    else
        add(line, "%u", number);
}

static void add_letter(struct printed_line *line, char letter, unsigned code, unsigned number,
                       const struct gcn_instruction *from)
{
    separate(line);
    bool halves = (from->row->format == GCN_VOP3P && letter != 'x') || letter == 'P';
    bool minus = !halves && (from->neg >> number & 1) != 0;
    bool size = (from->abs >> number & 1) != 0;
    bool signs = from->extension == GCN_SDWA && number < 2 && (from->sdwa.sign >> number & 1) != 0;
    if (letter == 'k' && from->row->format == GCN_SOP1)
        add_message(line, (unsigned)from->number);
    else if (letter == 'n' && from->number >= 0 && from->number <= 64)
        add(line, "%d", (int)from->number);
    else if (letter == 'k' || letter == 'w' || letter == 'n')
        add(line, "0x%x", (unsigned)from->number & 0xffff);
    else if (letter == 'b')
        add(line, "%u", (unsigned)from->number & 0xffff);
    else if (letter == 'h')
        add_hardware(line, (unsigned)from->number & 0xffff);
    else if (letter == 'L')
        add(line, "0x%" PRIx32, from->literal);
    else {
        bool value = code >= GCN_SCALARS && code < GCN_VECTOR; /* "-1" would be another constant */
        add(line, "%s%s%s", signs ? "sext(" : "",
            !minus           ? ""
            : value && !size ? "neg("
                             : "-",
            size ? "|" : "");
        if (code == GCN_LITERAL && gcn_letter_is_half(letter))
            add(line, "0x%" PRIx32, from->literal & 0xffff);
        else
            add_register(line, code, dwords_of(line, letter), from);
        add(line, "%s%s%s", size ? "|" : "", minus && value && !size ? ")" : "", signs ? ")" : "");
    }
}

/* LLVM marks the encoding only if the operation has two. */
static bool has_two_encodings(const struct gcn_row *row)
{
    return row->format >= GCN_VOP2 && row->format <= GCN_VOPC && strpbrk(row->operands, "L1") == NULL &&
           (gcn_letter_out(row, 0) != '\0' || row->format == GCN_VOPC) && gcn_letter_out(row, 0) != 's';
}

/* A modifier of packed halves, a bit per source, unless it is the usual one. */
static void add_halves(struct printed_line *line, const char *name, unsigned bits, unsigned usual,
                       const struct gcn_instruction *from)
{
    bool three = gcn_letter_in(from->row, 2) != '\0';
    if ((bits & (three ? 7 : 3)) == (usual & (three ? 7 : 3)))
        return;
    add(line, "%s%u,%u", name, bits & 1, bits >> 1 & 1);
    add(line, three ? ",%u]" : "]", bits >> 2 & 1);
}

/* OP_SEL of 16-bit operands: each source's, then the result's. */
static void add_selected(struct printed_line *line, const struct gcn_instruction *from)
{
    add(line, " op_sel:[");
    for (unsigned i = 0; gcn_letter_in(from->row, i) != '\0'; i++)
        add(line, "%u,", from->select >> i & 1);
    add(line, "%u]", from->select >> 3 & 1);
}

static void add_sdwa(struct printed_line *line, const struct gcn_instruction *from)
{
    static const char *const parts[] = {"BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3", "WORD_0", "WORD_1", "DWORD"};
    static const char *const rests[] = {"UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE"};
    if (from->row->format != GCN_VOPC)
        add(line, " dst_sel:%s dst_unused:%s", parts[from->sdwa.dst], rests[from->sdwa.rest]);
    add(line, " src0_sel:%s", parts[from->sdwa.src[0]]);
    if (gcn_letter_in(from->row, 1) != '\0')
        add(line, " src1_sel:%s", parts[from->sdwa.src[1]]);
}

static void add_lanes(struct printed_line *line, const struct gcn_instruction *from)
{
    static const struct control {
        unsigned from;
        const char *text; /* a format for the control's last four bits, if it has a conversion */
    } controls[] = {
        {0x160, "row_xmask:%u"},    {0x150, "row_share:%u"}, {0x143, "row_bcast:31"}, {0x142, "row_bcast:15"},
        {0x141, "row_half_mirror"}, {0x140, "row_mirror"},   {0x13c, "wave_ror:1"},   {0x138, "wave_shr:1"},
        {0x134, "wave_rol:1"},      {0x130, "wave_shl:1"},   {0x120, "row_ror:%u"},   {0x110, "row_shr:%u"},
        {0x100, "row_shl:%u"},
    };
    const struct gcn_dpp *dpp = &from->dpp;
    unsigned control = dpp->control;
    add(line, " ");
    if (control < 0x100)
        add(line, "quad_perm:[%u,%u,%u,%u]", control & 3, control >> 2 & 3, control >> 4 & 3, control >> 6);
    for (size_t i = 0; i < sizeof controls / sizeof controls[0]; i++)
        if (control >= controls[i].from) {
            const char *place = strchr(controls[i].text, '%');
            if (line->generation == 9 && control >= 0x150)
                add(line, "row_newbcast:%u", control & 15);
            else if (place != NULL)
                add(line, "%.*s%u", (int)(place - controls[i].text), controls[i].text, control & 15);
            else
                add(line, "%s", controls[i].text);
            break;
        }
    add(line, " row_mask:0x%x bank_mask:0x%x%s%s", dpp->rows, dpp->banks, dpp->zero ? " bound_ctrl:1" : "",
        dpp->inactive ? " fi:1" : "");
}

static void add_eight(struct printed_line *line, const struct gcn_instruction *from)
{
    for (unsigned i = 0; i < 8; i++)
        add(line, "%s%u", i == 0 ? " dpp8:[" : ",", from->dpp.lanes >> 3 * i & 7);
    add(line, "]%s", from->dpp.inactive ? " fi:1" : "");
}

static void add_extension(struct printed_line *line, const struct gcn_instruction *from)
{
    static void (*const adders[])(struct printed_line *, const struct gcn_instruction *) = {
        [GCN_SDWA] = add_sdwa, [GCN_DPP] = add_lanes, [GCN_DPP8] = add_eight};
    if (from->extension != GCN_PLAIN)
        adders[from->extension](line, from);
}

/* LLVM names both, but not for comparisons of GFX8 and from GFX11 on. */
static const char *suffix_of(const struct printed_line *line, const struct gcn_instruction *from)
{
    static const char *const suffixes[] = {
        [GCN_PLAIN] = "_e32", [GCN_SDWA] = "_sdwa", [GCN_DPP] = "_dpp", [GCN_DPP8] = "_dpp"};
    bool plain = line->generation == 8 || line->generation >= 11;
    if (plain && from->row->format == GCN_VOPC && from->extension != GCN_PLAIN && !from->wide)
        return "";
    return from->wide ? "_e64" : suffixes[from->extension];
}

static void add_arithmetic(struct printed_line *line, const struct gcn_instruction *from)
{
    static const char *const scales[] = {"", " mul:2", " mul:4", " div:2"};
    if (!line->dual && (has_two_encodings(from->row) || from->wide))
        add(line, "%s", suffix_of(line, from));
    const uint16_t out[] = {from->dst, from->dst2};
    for (unsigned i = 0; gcn_letter_out(from->row, i) != '\0'; i++) {
        separate(line);
        add_register(line, out[i], dwords_of(line, gcn_letter_out(from->row, i)), from);
    }
    for (unsigned i = 0; gcn_letter_in(from->row, i) != '\0'; i++)
        if (!line->dual || gcn_letter_in(from->row, i) != 'm') /* VCC is implied there */
            add_letter(line, gcn_letter_in(from->row, i), from->src[i], i, from);
    bool mixed = gcn_letter_in(from->row, 0) == 'x';
    bool packed = from->row->format == GCN_VOP3P || gcn_letter_out(from->row, 0) == 'P';
    if (mixed) {
        add_halves(line, " op_sel:[", from->select, 0, from);
        add_halves(line, " op_sel_hi:[", from->select_high, 0, from);
    } else if (packed) {
        add_halves(line, " op_sel:[", from->select, 0, from);
        add_halves(line, " op_sel_hi:[", from->select_high, 7, from);
        add_halves(line, " neg_lo:[", from->neg, 0, from);
        add_halves(line, " neg_hi:[", from->neg_high, 0, from);
    } else if (from->select != 0 && strpbrk(from->row->operands, "ej") != NULL)
        add_selected(line, from);
    else if (from->select != 0)
        add(line, " op_sel:[%d,%d%s]", from->select & 1, from->select >> 1,
            gcn_letter_in(from->row, 2) != '\0' ? ",0" : "");
    add(line, "%s%s", from->clamp ? " clamp" : "", scales[from->omod]);
    add_extension(line, from);
}

static void add_operand(struct printed_line *line, unsigned code, unsigned dwords,
                        const struct gcn_instruction *from)
{
    separate(line);
    add_register(line, code, dwords, from);
}

/* GFX12's hint, whose names depend on the kind of access, and the scope. */
static void add_policy(struct printed_line *line, const struct gcn_instruction *from)
{
    static const char *const scopes[] = {"", " scope:SCOPE_SE", " scope:SCOPE_DEV", " scope:SCOPE_SYS"};
    static const char *const hints[] = {"", "NT", "HT", "LU", "NT_RT", "RT_NT", "NT_HT"};
    bool atomic = strstr(from->row->name, "_atomic_") != NULL, wide = from->scope >= GCN_SCOPE_DEV;
    bool store = !atomic && gcn_letter_out(from->row, 0) == '\0';
    bool cascade = atomic && (from->hint & GCN_TH_CASCADE) != 0;
    if (from->hint != 0)
        add(line, " th:");
    if (cascade && wide)
        add(line, "TH_ATOMIC_CASCADE_%s", (from->hint & GCN_TH_ATOMIC_NT) != 0 ? "NT" : "RT");
    else if (cascade || (!atomic && !store && from->hint == 7))
        add(line, "%s0x%x", cascade ? "TH_ATOMIC_" : "", from->hint);
    else if (from->hint != 0 && atomic)
        add(line, "TH_ATOMIC_%s", from->hint == 3 ? "NT_RETURN" : from->hint == 2 ? "NT" : "RETURN");
    else if (from->hint != 0)
        add(line, "TH_%s_%s", store ? "STORE" : "LOAD",
            from->hint == GCN_TH_BYPASS && from->scope == GCN_SCOPE_SYS ? "BYPASS"
            : from->hint == 3 && store                                  ? "RT_WB"
            : from->hint == 7                                           ? "NT_WB"
                                                                        : hints[from->hint]);
    add(line, "%s", scopes[from->scope]);
}

static void add_cache(struct printed_line *line, const struct gcn_instruction *from)
{
    if (line->generation >= 12) {
        add_policy(line, from);
        return;
    }
    add(line, "%s%s%s%s", (from->modifiers & GCN_GLC) != 0 ? " glc" : "",
        (from->modifiers & GCN_SLC) != 0 ? " slc" : "", (from->modifiers & GCN_DLC) != 0 ? " dlc" : "",
        (from->modifiers & GCN_SCC1) != 0 ? " scc" : "");
}

static void add_signed(struct printed_line *line, int32_t number)
{
    add(line, "%s0x%x", number < 0 ? "-" : "", (unsigned)(number < 0 ? -number : number));
}

/* From GFX10 on: a register and a number, either of which may be missing. */
static void add_offsets(struct printed_line *line, const struct gcn_instruction *from)
{
    bool register_too = from->src[1] != GCN_NULL;
    bool numbered = from->number != 0 || line->generation >= 12;
    if (register_too || !numbered)
        add_scalar(line, from->src[1], 1);
    if (register_too && numbered)
        add(line, " offset:");
    if (numbered)
        add_signed(line, from->number);
}

static void add_smem(struct printed_line *line, const struct gcn_instruction *from)
{
    unsigned data = gcn_letter_dwords(gcn_letter_out(from->row, 0));
    if (data > 0)
        add_operand(line, from->dst, data, from);
    if (gcn_letter_in(from->row, 0) == '\0')
        return;
    add_operand(line, from->src[0], gcn_letter_dwords(gcn_letter_in(from->row, 0)), from);
    separate(line);
    if (line->generation >= 10)
        add_offsets(line, from);
    else if ((from->modifiers & GCN_IMMEDIATE) == 0)
        add_scalar(line, from->src[1], 1);
    else if (line->generation < 8) /* the instruction counts in dwords; the literal is any number of them */
        add(line, "0x%x", from->src[1] == GCN_LITERAL ? from->literal : (unsigned)from->number / 4);
    else
        add_signed(line, from->number);
    add_cache(line, from);
}

static void add_ds(struct printed_line *line, const struct gcn_instruction *from)
{
    unsigned data = gcn_letter_dwords(gcn_letter_out(from->row, 0));
    if (data > 0)
        add_operand(line, from->dst, data, from);
    add_operand(line, from->src[0], 1, from);
    for (unsigned i = 0; i < 2 && gcn_letter_dwords(gcn_letter_in(from->row, i)) > 0; i++)
        add_operand(line, from->src[1 + i], gcn_letter_dwords(gcn_letter_in(from->row, i)), from);
    if (strchr(from->row->operands, 'p') == NULL) {
        if (from->number != 0)
            add(line, " offset:%d", (int)from->number);
    } else {
        for (unsigned i = 0; i < 2; i++)
            if (from->offsets[i] != 0)
                add(line, " offset%u:%u", i, from->offsets[i]);
    }
    add(line, "%s", (from->modifiers & GCN_GDS) != 0 ? " gds" : "");
}

static void add_flat(struct printed_line *line, const struct gcn_instruction *from)
{
    unsigned out = gcn_letter_dwords(gcn_letter_out(from->row, 0));
    unsigned in = gcn_letter_dwords(gcn_letter_in(from->row, 0));
    bool based = from->src[2] != GCN_NO_OPERAND;
    if (out + in == 0) {
        add_cache(line, from);
        return;
    }
    if (out > 0 && (in == 0 || (from->modifiers & GCN_GLC) != 0))
        add_operand(line, from->dst, out, from);
    add_operand(line, from->src[0], based ? 1 : 2, from);
    if (in > 0)
        add_operand(line, from->src[1], in, from);
    if (from->row->format == GCN_GLOBAL) {
        separate(line);
        if (based)
            add_scalar(line, from->src[2], 2);
        else
            add(line, "off");
    }
    if (from->number != 0)
        add(line, " offset:%d", (int)from->number);
    add_cache(line, from);
}

static void add_mubuf(struct printed_line *line, const struct gcn_instruction *from)
{
    unsigned out = gcn_letter_dwords(gcn_letter_out(from->row, 0));
    unsigned in = gcn_letter_dwords(gcn_letter_in(from->row, 0));
    unsigned both = (from->modifiers & (GCN_OFFEN | GCN_IDXEN)) == (GCN_OFFEN | GCN_IDXEN) ? 2 : 1;
    if (out + in == 0)
        return;
    add_operand(line, from->dst, in > out ? in : out, from);
    if ((from->modifiers & (GCN_OFFEN | GCN_IDXEN | GCN_ADDR64)) != 0)
        add_operand(line, from->src[0], (from->modifiers & GCN_ADDR64) != 0 ? 2 : both, from);
    else
        add(line, ", off");
    add_operand(line, from->src[1], 4, from);
    add_operand(line, from->src[2], 1, from);
    add(line, "%s%s%s", (from->modifiers & GCN_IDXEN) != 0 ? " idxen" : "",
        (from->modifiers & GCN_OFFEN) != 0 ? " offen" : "",
        (from->modifiers & GCN_ADDR64) != 0 ? " addr64" : "");
    if (from->number != 0)
        add(line, " offset:%d", (int)from->number);
    add_cache(line, from);
}

char *gcn_print(unsigned generation, const struct gcn_instruction *instruction, char text[GCN_PRINT_BYTES])
{
    static void (*const adders[GCN_FORMATS])(struct printed_line *, const struct gcn_instruction *) = {
        [GCN_SMEM] = add_smem,   [GCN_DS] = add_ds,       [GCN_FLAT] = add_flat,
        [GCN_GLOBAL] = add_flat, [GCN_MUBUF] = add_mubuf,
    };
    struct printed_line line = {text, 0, generation, true, instruction->beside != NULL};
    char name[GCN_NAME_BYTES];
    gcn_row_name(instruction->row, generation, name);
    add(&line, "%s%s", line.dual ? "v_dual_" : "", line.dual ? name + 2 : name);
    if (adders[instruction->row->format] != NULL)
        adders[instruction->row->format](&line, instruction);
    else
        add_arithmetic(&line, instruction);
    if (line.dual) {
        struct gcn_instruction second = gcn_beside(instruction);
        add(&line, " :: v_dual_%s", gcn_row_name(second.row, generation, name) + 2);
        line.first = true;
        add_arithmetic(&line, &second);
    }
    return text;
}
