/* Control flow, against LLVM's names of all scalar opcodes; and maps of code with jumps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "isa/gcn/walk/flow.h"
#include "isa/gcn/walk/map.h"
#include "tests/gcn_files.h"

static bool begins(const char *text, const char *const *names)
{
    for (; *names != NULL; names++)
        if (strncmp(text, *names, strlen(*names)) == 0)
            return true;
    return false;
}

/* Every opcode of SOPP, SOPK and SOP1. */
static void every_turn(void **state)
{
    (void)state;
    static const char *const targets[] = {"gfx803", "gfx906", "gfx90a", "gfx1030", "gfx1100", "gfx1200"};
    static const char *const ends[] = {"s_endpgm", "s_code_end", "s_branch", "s_setpc", "s_rfe", NULL};
    static const char *const jumps[] = {"s_branch",       "s_cbranch_scc",  "s_cbranch_vcc",
                                        "s_cbranch_exec", "s_cbranch_cdbg", "s_cbranch_i_fork",
                                        "s_call",         "s_subvector",    NULL};
    static const char *const registers[] = {"s_setpc", "s_swappc", NULL};
    static const struct {
        uint32_t base, step;
        unsigned count;
    } formats[] = {{0xbf800004, 0x10000, 128}, {0xb0040001, 0x800000, 29}, {0xbe840008, 0x100, 128}};
    unsigned turns = 0;
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
                if (gcn_walker_step(walker, bytes, 8, text) == 0)
                    continue;
                struct gcn_flow flow = gcn_flow_of(target->generation, word);
                if (flow.goes_on != !begins(text, ends) || flow.jumps != begins(text, jumps) ||
                    flow.by_register != begins(text, registers))
                    fail_msg("%s: %08x is '%s'", targets[i], word, text);
                turns += flow.jumps || !flow.goes_on;
            }
        gcn_walker_close(walker);
    }
    print_message("%u turns\n", turns);
    assert_true(turns > 80);
}

/* Maps a text's code; a letter a word: r reached, w within, u not reached, . no instruction, ? not clear. */
static void expect_map(const char *target, const char *text, const char *wanted)
{
    struct buffer code = {0};
    struct error error;
    struct gcn_map map;
    char got[200] = "";
    if (!made_known(target))
        return;
    struct gcn_walker *walker = gcn_walker_open(gcn_target_named(target), &error);
    assert_true(made_code(target, text, &code));
    const struct gcn_piece piece = {"k", 1, 0, code.size, gcn_target_named(target)};
    assert_int_equal(gcn_map_read(walker, (unsigned char *)code.data, &piece, &map, &error), STATUS_OK);
    for (size_t i = 0; i < map.words; i++)
        got[i] = ".rwsu?"[map.places[i]];
    if (strcmp(got, wanted) != 0)
        fail_msg("%s: %s instead of %s of\n%s", target, got, wanted, text);
    gcn_map_free(&map);
    gcn_walker_close(walker);
    buffer_free(&code);
}

static void maps(void **state)
{
    (void)state;
    static const char *const targets[] = {"gfx600", "gfx701", "gfx803", "gfx906", "gfx1030", "gfx1100"};
    for (size_t i = 0; i < sizeof targets / sizeof targets[0]; i++) {
        const char *target = targets[i];
        expect_map(target, "s_nop 0\ns_endpgm\ns_nop 1\n", "rru");
        expect_map(target, "s_mov_b32 s1, 0x1234\ns_endpgm\n", "rwr");
        expect_map(target, "s_cbranch_scc0 2\ns_nop 0\ns_endpgm\ns_nop 2\ns_endpgm\ns_nop 3\n", "rrrrru");
        expect_map(target, "s_branch 1\ns_nop 5\ns_nop 0\ns_cbranch_scc1 65533\ns_endpgm\n", "rrrrr");
        expect_map(target, "s_branch 1\ns_nop 5\ns_endpgm\n", "rur");
        expect_map(target, "s_branch 1000\ns_nop 5\n", "ru"); /* another function's */
        /* A word before that would take the next one for its literal. */
        expect_map(target, "s_branch 1\n.long 0xbe8103ff\ns_nop 0\ns_endpgm\n", "r.rr");
        /* Far branches, as compilers make them. */
        expect_map(target,
                   "s_getpc_b64 s[4:5]\ns_add_u32 s4, s4, 20\ns_addc_u32 s5, s5, 0\ns_setpc_b64 s[4:5]\n"
                   "s_nop 1\ns_nop 2\ns_nop 3\ns_endpgm\n",
                   "rrrruurr");
        expect_map(target,
                   "s_branch 1\ns_endpgm\ns_getpc_b64 s[4:5]\ns_sub_u32 s4, s4, 8\ns_subb_u32 s5, s5, 0\n"
                   "s_setpc_b64 s[4:5]\ns_nop 1\n",
                   "rrrrrru");
        expect_map(target, "s_getpc_b64 s[4:5]\ns_mov_b32 s4, s6\ns_setpc_b64 s[4:5]\ns_nop 1\n", "rrru");
        expect_map(target, "s_swappc_b64 s[30:31], s[4:5]\ns_endpgm\ns_nop 1\n", "rru");
    }
    expect_map("gfx906", "s_call_b64 s[4:5], 1\ns_endpgm\ns_setpc_b64 s[4:5]\ns_nop 1\n", "rrru");
    /* Control flow comes to a word that is no instruction. */
    expect_map("gfx701", "s_nop 0\n.long 0xcc000000\ns_nop 1\ns_nop 2\n", "r.??");
    /* A branch into another instruction's literal, which is one itself. */
    expect_map("gfx701", "s_cbranch_scc0 1\n.long 0xbe8103ff\n.long 0xbf800001\ns_endpgm\n", "rrsr");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_turn),
        cmocka_unit_test(maps),
    };
    return cmocka_run_group_tests_name("isa/gcn_flow", tests, NULL, NULL);
}
