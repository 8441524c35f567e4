/* The registers that contain a wave's place: the words that read them, against known ones and LLVM MC. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "isa/gcn/binary/elf.h"
#include "isa/gcn/field.h"
#include "isa/gcn/walk/walk.h"
#include "tests/gcn_files.h"

#include <stdio.h>
#include <string.h>

/* What each processor reads; word is for register 0. */
static const struct reading {
    const char *target, *names;
    uint32_t word;
} readings[] = {
    {"gfx600", "cu,sh,se", 0xb9003204},
    {"gfx701", "cu,sh,se", 0xb9003204}, /* the paper's figure 3 (d) */
    {"gfx701", "se,cu,sh", 0xb9003204},
    {"gfx803", "cu,sh,se", 0xb8803204},
    {"gfx906", "cu,sh,se", 0xb8803204},
    {"gfx90a", "cu,sh,se", 0xb8803a04},
    {"gfx90a", "se", 0xb8801344},
    {"gfx906", "se", 0xb8800b44},
    {"gfx906", "wave,simd", 0xb8802804},
    {"gfx942", "xcc", 0xb8801814},
    {"gfx1030", "wgp", 0xb9001a97},
    {"gfx1030", "se", 0xb9000c97},
    {"gfx1100", "se", 0xb8801497},
    {"gfx1030", "sa", 0xb9000417},
    {"gfx1200", "simd,wgp", 0xb8802a17},
    {"gfx1201", "se", 0xb8801497},
    {"gfx906", "wave,simd,pipe,cu,sh,se", 0xb8807004},
};

static void known_words(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof readings / sizeof readings[0]; i++) {
        const struct gcn_target *target = gcn_target_named(readings[i].target);
        struct gcn_bits bits;
        struct error error;
        if (gcn_field_parse(target, readings[i].names, &bits, &error) != STATUS_OK)
            fail_msg("%s %s: %s", readings[i].target, readings[i].names, error.message);
        uint32_t word = gcn_field_word(target, &bits, 0);
        if (word != readings[i].word)
            fail_msg("%s %s: %08x", readings[i].target, readings[i].names, word);
        assert_int_equal(gcn_field_word(target, &bits, 5), word | 5 << 16);
    }
}

/* Each field that is there, on one processor of each kind, is what LLVM MC assembles. */
static void as_llvm_has_it(void **state)
{
    (void)state;
    static const char *const targets[] = {"gfx600", "gfx701",  "gfx803",  "gfx900",  "gfx908", "gfx90a",
                                          "gfx942", "gfx1010", "gfx1030", "gfx1100", "gfx1200"};
    static const char *const names[] = {"wave", "simd", "pipe",  "cu",    "sh", "se",  "tg", "vm",
                                        "wg",   "wgp",  "queue", "state", "me", "xcc", "sa"};
    unsigned compared = 0;
    for (size_t i = 0; i < sizeof targets / sizeof targets[0]; i++)
        for (size_t k = 0; made_known(targets[i]) && k < sizeof names / sizeof names[0]; k++) {
            const struct gcn_target *target = gcn_target_named(targets[i]);
            struct gcn_bits bits;
            struct error error = {0};
            unsigned char bytes[GCN_INSTRUCTION_BYTES];
            char text[100];
            size_t length;
            if (gcn_field_parse(target, names[k], &bits, &error) != STATUS_OK) {
                assert_int_equal(error.code, STATUS_USAGE);
                assert_true(error.hint[0] != '\0');
                continue;
            }
            snprintf(text, sizeof text, "s_getreg_b32 s9, hwreg(HW_REG_%s, %u, %u)", bits.name, bits.low,
                     bits.size);
            if (gcn_assemble(target, text, bytes, &length, &error) != STATUS_OK)
                fail_msg("%s", error.message);
            assert_int_equal(gcn_read32(bytes), gcn_field_word(target, &bits, 9));
            compared++;
        }
    assert_true(compared > 70);
}

static void expect_refusal(const char *target, const char *names, const char *words)
{
    struct gcn_bits bits;
    struct error error = {0};
    char all[1600];
    assert_int_equal(gcn_field_parse(gcn_target_named(target), names, &bits, &error), STATUS_USAGE);
    snprintf(all, sizeof all, "%s; %s", error.message, error.hint);
    if (strstr(all, words) == NULL)
        fail_msg("'%s' is not in: %s", words, all);
}

static void what_is_not_there(void **state)
{
    (void)state;
    expect_refusal("gfx1200", "cu", "work-group processor");
    expect_refusal("gfx1200", "wgp,se", "are not adjacent");
    expect_refusal("gfx1030", "cu", "work-group processor");
    expect_refusal("gfx906", "wgp", "compute unit (cu)");
    expect_refusal("gfx906", "xcc", "only gfx940");
    expect_refusal("gfx906", "core", "it has: wave simd pipe cu sh se");
    expect_refusal("gfx906", "", "has no field ''");
    expect_refusal("gfx906", "cu,", "has no field ''");
    expect_refusal("gfx906", "cu,cu", "twice");
    expect_refusal("gfx906", "cu,se", "'cu' ends at bit 11 of HW_ID and 'se' begins at bit 13");
    expect_refusal("gfx906", "cu,se", "hwreg(HW_REG_HW_ID, 8, 7)");
    expect_refusal("gfx906", "se,tg", "'se' ends at bit 14 of HW_ID and 'tg' begins at bit 16");
    expect_refusal("gfx1030", "wgp,sa", "are not adjacent");
    expect_refusal("gfx942", "cu,xcc", "one instruction reads one register");
    expect_refusal("gfx1030", "wave,queue", "one instruction reads one register");
}

/* GFX10 has no HW_ID, whatever LLVM says; from GFX10 on the name is refused, and those like it are not. */
static void names_of_registers(void **state)
{
    (void)state;
    unsigned char bytes[GCN_INSTRUCTION_BYTES];
    size_t length;
    struct error error = {0};
    const char *text = "s_getreg_b32 s0, hwreg(HW_REG_HW_ID, 8, 7)";
    const char *one = "s_getreg_b32 s0, hwreg(HW_REG_HW_ID1)";
    for (unsigned i = 0; i < 3; i++) {
        static const char *const targets[] = {"gfx1030", "gfx1100", "gfx1200"};
        if (!made_known(targets[i]))
            continue;
        assert_int_equal(gcn_assemble(gcn_target_named(targets[i]), text, bytes, &length, &error),
                         STATUS_USAGE);
        assert_non_null(strstr(error.message, "has no register HW_ID"));
        assert_int_equal(gcn_assemble(gcn_target_named(targets[i]), one, bytes, &length, &error), STATUS_OK);
    }
    assert_int_equal(gcn_assemble(gcn_target_named("gfx906"), text, bytes, &length, &error), STATUS_OK);
    assert_int_equal(gcn_read32(bytes), 0xb8803204);
    assert_int_equal(gcn_assemble(gcn_target_named("gfx1030"), one, bytes, &length, &error), STATUS_OK);
    assert_int_equal(gcn_read32(bytes), 0xb900f817);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_words),
        cmocka_unit_test(as_llvm_has_it),
        cmocka_unit_test(what_is_not_there),
        cmocka_unit_test(names_of_registers),
    };
    return cmocka_run_group_tests_name("isa/gcn_field", tests, NULL, NULL);
}
