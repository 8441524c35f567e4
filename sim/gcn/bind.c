#include "sim/gcn/hardware.h"
#include "sim/gcn/wave_state.h"

#include <string.h>

static const struct wave_scalar_row *const scalar_tables[] = {wave_scalar_rows, wave_branch_rows};
static const struct wave_vector_row *const vector_tables[] = {wave_integer_rows, wave_long_rows,
                                                              wave_float_rows,   wave_half_rows,
                                                              wave_compare_rows, wave_compare_exec_rows};
static const struct wave_row *const other_tables[] = {wave_control_rows, wave_lane_rows};

#define COUNT(table) (sizeof(table) / sizeof(table)[0])

static bool bind_scalar(struct wave_instruction *it, const char *name)
{
    for (size_t i = 0; i < COUNT(scalar_tables); i++)
        for (const struct wave_scalar_row *row = scalar_tables[i]; row->name != NULL; row++)
            if (strcmp(row->name, name) == 0) {
                it->scalar = row->run;
                it->run = wave_do_scalar;
                it->branches = scalar_tables[i] == wave_branch_rows;
                return true;
            }
    return false;
}

/* *sets_exec becomes true for a comparison that changes EXEC; sets_exec may be NULL. */
static wave_vector_operation *vector_of(const struct gcn_row *wanted, bool *sets_exec)
{
    for (size_t i = 0; i < COUNT(vector_tables); i++)
        for (const struct wave_vector_row *row = vector_tables[i]; row->name != NULL; row++)
            if (strcmp(row->name, wanted->name) == 0 &&
                (row->operands == NULL || strcmp(row->operands, wanted->operands) == 0)) {
                if (sets_exec != NULL)
                    *sets_exec = vector_tables[i] == wave_compare_exec_rows;
                return row->run;
            }
    return NULL;
}

static bool bind_vector(struct wave_instruction *it)
{
    it->vector = vector_of(it->in.row, &it->sets_exec);
    it->beside = it->in.beside != NULL ? vector_of(it->in.beside, NULL) : NULL;
    it->run = it->in.beside != NULL ? wave_do_pair : wave_do_vector;
    return it->vector != NULL && (it->in.beside == NULL || it->beside != NULL);
}

static bool bind_other(struct wave_instruction *it, const char *name)
{
    for (size_t i = 0; i < COUNT(other_tables); i++)
        for (const struct wave_row *row = other_tables[i]; row->name != NULL; row++)
            if (strcmp(row->name, name) == 0) {
                it->run = row->run;
                return true;
            }
    for (const struct wave_lds_row *row = wave_lds_rows; row->name != NULL; row++)
        if (strcmp(row->name, name) == 0) {
            it->run = row->run;
            it->shape = wave_shape_of(&it->in, row);
            return true;
        }
    return false;
}

/* On these processors the opcode of v_fma_mix_f32 and its like is that of v_mad_mix_f32, which rounds the
 * product. */
static bool rounds_product(const char *processor, const struct gcn_row *row)
{
    static const char *const processors[] = {"gfx900", "gfx902", "gfx909", "gfx90c"};
    for (size_t i = 0; i < COUNT(processors); i++)
        if (gcn_letter_in(row, 0) == 'x' && strcmp(processors[i], processor) == 0)
            return true;
    return false;
}

static bool bind(struct wave_instruction *it, const char *processor)
{
    const struct gcn_row *row = it->in.row;
    if (rounds_product(processor, row))
        return false;
    if (row->format == GCN_MATRIX && gcn_letter_in(row, 1) != '\0') {
        it->matrix = wave_matrix_of(row, processor);
        it->run = wave_do_matrix;
        return it->matrix != NULL;
    }
    if (row->format >= GCN_FLAT && wave_transfer_of(row, &it->transfer)) {
        it->run = wave_do_memory;
        it->yields = true;
        return true;
    }
    if (row->format == GCN_SMEM && gcn_letter_in(row, 0) != '\0') {
        it->run = wave_do_scalar_load;
        return true;
    }
    return bind_other(it, row->name) ||
           (row->format <= GCN_SMEM ? bind_scalar(it, row->name) : bind_vector(it));
}

/* Consecutive vector registers that the instruction uses. */
struct register_span {
    unsigned code, dwords;
};

/* FLAT and MUBUF: the registers depend on the form of the address. */
static void memory_spans(const struct gcn_instruction *in, struct register_span spans[3])
{
    unsigned out = gcn_letter_dwords(gcn_letter_out(in->row, 0));
    unsigned data = gcn_letter_dwords(gcn_letter_in(in->row, 0));
    bool returns = data == 0 || (in->modifiers & GCN_GLC) != 0;
    if (in->row->format == GCN_MUBUF) {
        unsigned address = (in->modifiers & GCN_ADDR64) != 0
                               ? 2
                               : ((in->modifiers & GCN_OFFEN) != 0) + ((in->modifiers & GCN_IDXEN) != 0);
        spans[0] = (struct register_span){in->src[0], address};
        spans[1] = (struct register_span){in->dst, data > out ? data : out};
        return;
    }
    spans[0] = (struct register_span){in->src[0], in->src[2] == GCN_NO_OPERAND ? 2 : 1};
    spans[1] = (struct register_span){in->src[1], data};
    spans[2] = (struct register_span){in->dst, returns ? out : 0};
}

static void spans_of(const struct gcn_instruction *in, struct register_span spans[5])
{
    const struct gcn_row *row = in->row;
    if (row->format >= GCN_FLAT) {
        memory_spans(in, spans);
        return;
    }
    bool lds = row->format == GCN_DS;
    spans[0] = (struct register_span){in->dst, gcn_letter_dwords(gcn_letter_out(row, 0))};
    spans[1] = (struct register_span){in->dst2, gcn_letter_dwords(gcn_letter_out(row, 1))};
    for (unsigned i = 0; i < 3; i++)
        spans[2 + i] = (struct register_span){
            in->src[i], lds && i == 0 ? 1 : gcn_letter_dwords(gcn_letter_in(row, i - (lds ? 1 : 0)))};
}

static enum status check_vgprs(const struct wave_core *core, const struct gcn_instruction *in,
                               uint64_t offset, struct error *error)
{
    struct register_span spans[5] = {{0, 0}};
    spans_of(in, spans);
    for (size_t i = 0; i < COUNT(spans); i++) {
        bool accumulates = spans[i].code >= GCN_ACCUMULATION;
        unsigned end = spans[i].code - (accumulates ? GCN_ACCUMULATION : GCN_VECTOR) + spans[i].dwords;
        unsigned plain = core->kernel.plain;
        unsigned most = accumulates ? core->kernel.registers - plain : plain;
        if (spans[i].dwords > 0 && spans[i].code >= GCN_VECTOR && spans[i].code != GCN_NO_OPERAND &&
            end > most)
            return error_set(
                error, STATUS_FAILED,
                "the instruction at offset 0x%llx uses %c%u; the kernel's descriptor has v0 to v%u and %u "
                "accumulation registers",
                (unsigned long long)offset, accumulates ? 'a' : 'v', end - 1, plain - 1,
                core->kernel.registers - plain);
    }
    return STATUS_OK;
}

/* A mask of 64 lanes takes two registers. The decoder cannot check this, since waves may have 32 lanes from
 * GFX10 on. */
static bool masks_fit(const struct wave_core *core, const struct gcn_instruction *in)
{
    const struct {
        unsigned code;
        char letter;
    } operands[] = {{in->dst, gcn_letter_out(in->row, 0)},
                    {in->dst2, gcn_letter_out(in->row, 1)},
                    {in->src[2], gcn_letter_in(in->row, 2)}};
    for (size_t i = 0; i < COUNT(operands) && core->kernel.lanes == WAVE_LANES; i++)
        if (operands[i].letter == 'm' && operands[i].code == GCN_SCALARS - 1)
            return false;
    return true;
}

/* Renumbers AccVGPRs to follow the kernel's VGPRs, as in wave.v. */
static void number_files(const struct wave_core *core, struct gcn_instruction *in)
{
    uint16_t *const codes[] = {&in->dst, &in->dst2, &in->src[0], &in->src[1], &in->src[2]};
    for (size_t i = 0; i < COUNT(codes); i++)
        if (*codes[i] >= GCN_ACCUMULATION && *codes[i] != GCN_NO_OPERAND)
            *codes[i] = (uint16_t)(*codes[i] - GCN_ACCUMULATION + GCN_VECTOR + core->kernel.plain);
}

enum status wave_bind(const struct wave_core *core, struct wave_instruction *it, uint64_t offset,
                      struct error *error)
{
    if (!bind(it, core->kernel.target->name))
        return error_set(error, STATUS_FAILED,
                         "%s at offset 0x%llx of the code is not supported by this executor for %s",
                         it->in.row->name, (unsigned long long)offset, core->kernel.target->name);
    if (!masks_fit(core, &it->in))
        return error_set(
            error, STATUS_FAILED,
            "%s at offset 0x%llx of the code has a mask that extends beyond the last scalar register",
            it->in.row->name, (unsigned long long)offset);
    enum status status = check_vgprs(core, &it->in, offset, error);
    number_files(core, &it->in);
    it->lanes = it->in.row->format > GCN_SMEM;
    wave_uses_of(&it->in, core->kernel.target->generation, core->kernel.lanes, &it->uses);
    if (status == STATUS_OK && it->in.beside != NULL) {
        struct gcn_instruction second = gcn_beside(&it->in);
        status = check_vgprs(core, &second, offset, error);
    }
    return status;
}
