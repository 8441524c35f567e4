/* The scalar registers that instructions write, against LLVM's texts: for every scalar opcode. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "isa/gcn/patch/patcher.h"
#include "tests/gcn_files.h"

static void registers_written(void **state)
{
    (void)state;
    static const char *const targets[] = {"gfx600",  "gfx701",  "gfx803", "gfx906",
                                          "gfx1030", "gfx1100", "gfx1200"};
    static const struct {
        const char *text;
        unsigned count; /* 0: none; else from s4 on */
    } texts[] = {
        {"s_add_i32 s4, s16, s2", 1},
        {"s_movk_i32 s4, 0x7a5a", 1},
        {"s_mov_b32 s4, s1", 1},
        {"s_mov_b32 s4, 0x81000210", 1},
        {"s_mulk_i32 s4, 3", 1},
        {"s_addc_u32 s4, 1, s2", 1},
        {"s_sub_i32 s4, 1, s2", 1},
        {"s_and_b32 s4, s1, s2", 1},
        {"s_lshl_b32 s4, s1, 5", 1},
        {"s_mul_i32 s4, s1, 0x12345", 1},
        {"s_bfe_u32 s4, s1, 0x10008", 1},
        {"s_cselect_b32 s4, s1, s2", 1},
        {"s_not_b32 s4, s1", 1},
        {"s_brev_b32 s4, s1", 1},
        {"s_wqm_b32 s4, s1", 1},
        {"s_movrels_b32 s4, s1", 1},
        {"s_quadmask_b32 s4, s1", 1},
        {"s_load_dword s4, s[8:9], 0x0", 1},
        {"s_buffer_load_dword s4, s[8:11], 0x0", 1},
        {"v_readfirstlane_b32 s4, v1", 1},
        {"v_readlane_b32 s4, v1, s2", 1},
        {"s_getreg_b32 s4, hwreg(HW_REG_MODE)", 1},
        {"s_mov_b64 s[4:5], 0", 2},
        {"s_and_b64 s[4:5], 0, exec", 2},
        {"s_getpc_b64 s[4:5]", 2},
        {"s_load_dwordx2 s[4:5], s[8:9], 0x0", 2},
        {"s_load_dwordx4 s[4:7], s[8:9], 0x0", 4},
        {"s_cmp_eq_i32 s4, s2", 0},
        {"s_nop 5", 0},
        {"s_endpgm", 0},
        {"s_setpc_b64 s[4:5]", 0},
        {"s_barrier", 0},
        {"v_mov_b32 v4, s4", 0},
        {"s_setreg_b32 hwreg(HW_REG_MODE), s4", 0},
    };
    unsigned known = 0;
    for (size_t i = 0; i < sizeof targets / sizeof targets[0]; i++) {
        const struct gcn_target *target = gcn_target_named(targets[i]);
        struct error error;
        struct gcn_walker *walker = gcn_walker_open(target, &error);
        for (size_t k = 0; walker != NULL && k < sizeof texts / sizeof texts[0]; k++) {
            unsigned char bytes[GCN_INSTRUCTION_BYTES];
            size_t length;
            struct gcn_destination to = {77, 77};
            if (gcn_assemble(target, texts[k].text, bytes, &length, &error) != STATUS_OK)
                continue; /* a later generation may lack it */
            known++;
            if (gcn_destination_of(target, walker, bytes, length, &to) != (texts[k].count > 0) ||
                (texts[k].count > 0 && (to.number != 4 || to.count != texts[k].count)))
                fail_msg("%s: %s: s%u, %u", targets[i], texts[k].text, to.number, to.count);
        }
        gcn_walker_close(walker);
    }
    assert_true(known > 6 * 30);
}

/* True where LLVM's text begins with the name and that register, alone or as the first of several. */
static bool writes(const char *text)
{
    char name[64];
    char operand[64];
    static const char *const reading[] = {"s_cmp",     "s_bitcmp", "s_setpc",    "s_rfe",     "s_cbranch",
                                          "s_setreg",  "s_set_",   "s_setvskip", "s_movreld", "s_setkill",
                                          "s_barrier", "s_sleep",  "s_alloc",    "s_wait",    "s_subvector",
                                          "s_version", "s_atc",    "s_wakeup"};
    if (sscanf(text, "%63s %63[^, ]", name, operand) != 2)
        return false;
    for (size_t i = 0; i < sizeof reading / sizeof reading[0]; i++)
        if (strncmp(name, reading[i], strlen(reading[i])) == 0)
            return false;
    return strcmp(operand, "s4") == 0 || strncmp(operand, "s[4:", 4) == 0;
}

/* Every opcode of SOP1, SOP2 and SOPK, with s4 where a destination stands. */
static void every_scalar_opcode(void **state)
{
    (void)state;
    static const char *const targets[] = {"gfx803", "gfx906", "gfx90a", "gfx1030", "gfx1100", "gfx1200"};
    static const struct {
        uint32_t base, step;
        unsigned count;
    } formats[] = {{0xbe840008, 0x100, 128}, {0x80040a08, 0x800000, 112}, {0xb0040001, 0x800000, 29}};
    unsigned found = 0;
    for (size_t i = 0; i < sizeof targets / sizeof targets[0]; i++) {
        const struct gcn_target *target = gcn_target_named(targets[i]);
        struct error error;
        struct gcn_walker *walker = gcn_walker_open(target, &error);
        for (size_t k = 0; walker != NULL && k < sizeof formats / sizeof formats[0]; k++)
            for (unsigned opcode = 0; opcode < formats[k].count; opcode++) {
                uint32_t word = formats[k].base + opcode * formats[k].step;
                unsigned char bytes[8] = {(unsigned char)word, (unsigned char)(word >> 8),
                                          (unsigned char)(word >> 16), (unsigned char)(word >> 24)};
                char text[GCN_TEXT_BYTES];
                struct gcn_destination to;
                size_t length = gcn_walker_step(walker, bytes, 8, text);
                if (length == 0 || text[0] == '\0')
                    continue;
                bool is = gcn_destination_of(target, walker, bytes, length, &to);
                if (is != writes(text) || (is && to.number != 4))
                    fail_msg("%s: %08x is '%s'", targets[i], word, text);
                found += is;
            }
        gcn_walker_close(walker);
    }
    print_message("%u that write\n", found);
    assert_true(found > 400);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(registers_written),
        cmocka_unit_test(every_scalar_opcode),
    };
    return cmocka_run_group_tests_name("isa/gcn_destination", tests, NULL, NULL);
}
