/* A program's statements are those of a row, with the same register wherever the row has the same name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "runner/sources/gpu/grid_row.h"

#include <string.h>

static bool is(const char *row, const char *statement, struct grid_roles *roles)
{
    return grid_row_is(row, strlen(row), statement, roles);
}

static bool alone(const char *row, const char *statement)
{
    struct grid_roles roles = {0};
    return is(row, statement, &roles);
}

static void holds_operands(void **state)
{
    (void)state;
    static const char add[] = "add.u32 {accumulator}, {accumulator}, {other}";
    assert_true(alone(add, "add.u32 %a0, %a0, %b0;"));
    assert_true(alone(add, "add.u32  %a0,%a0 , %b0 ;"));
    assert_true(!alone(add, "add.u32 %a0, %a1, %b0;"));
    assert_true(!alone(add, "add.u32 %a0, %a0, %a0;"));
    assert_true(!alone(add, "add.u32 %a0, %a0, 7;"));
    assert_true(!alone(add, "add.u32 %a0, %a0, %b0, %b1;"));
    assert_true(!alone(add, "add.u32 %a0, %a0;"));
    assert_true(!alone(add, "add.u64 %a0, %a0, %b0;"));
    assert_true(!alone(add, "@%p add.u32 %a0, %a0, %b0;"));
    assert_true(alone("@%all xor.b32 {a}, {a}, 0x28", "@%all xor.b32 %a0, %a0, 0x28;"));
    assert_true(!alone("@%all xor.b32 {a}, {a}, 0x28", "@%all xor.b32 %a0, %a0, 0x29;"));
    assert_true(!alone("@%all xor.b32 {a}, {a}, 0x28", "@%all xor.b32 %a0, %a0, 0x2;"));
}

static void holds_vectors_and_parts(void **state)
{
    (void)state;
    static const char move[] = "mov.b64 {open}%at, %bits{close}, {whole}";
    assert_true(alone(move, "mov.b64 {%at, %bits}, %g1;"));
    assert_true(!alone(move, "mov.b64 {%bits, %at}, %g1;"));
    assert_true(alone("mma {tile}, {tile}", "mma {%d0, %d1}, {%d0, %d1};"));
    assert_true(!alone("mma {tile}, {tile}", "mma {%d0, %d1}, {%d1, %d0};"));
    assert_true(!alone("mma {tile}, {tile}", "mma {%d0, %d1;}"));
    assert_true(alone("@{taken} bra TAKEN_{slot}", "@%odd bra TAKEN_17;"));
    assert_true(!alone("@{taken} bra TAKEN_{slot}", "@%odd bra JOIN_17;"));
    assert_true(alone("add.u64 {end}, {end}, %o{index}", "add.u64 %e2, %e2, %o2;"));
    assert_true(!alone("add.u64 {end}, {end}, %o{index}", "add.u64 %e2, %e2, %l2;"));
}

static void keeps_roles_over_a_row(void **state)
{
    (void)state;
    const char *row =
        "  lop3.b32 %word, {float}, {loaded}; // its bits\n.pragma \"x\";\nLABEL:\n mul.f32 {float}, {float}";
    struct grid_roles roles = {0};
    size_t length;
    const char *at = row;
    const char *first = grid_row_next(&at, &length);
    assert_true(first != NULL && strncmp(first, "lop3.b32", 8) == 0);
    assert_true(grid_row_names(first, length, "loaded") && !grid_row_names(first, length, "load"));
    assert_true(grid_row_is(first, length, "lop3.b32 %word, %x1, %v0;", &roles) && roles.count == 2);
    const char *second = grid_row_next(&at, &length);
    assert_true(second != NULL && strncmp(second, "mul.f32", 7) == 0);
    assert_true(!grid_row_is(second, length, "mul.f32 %x2, %x2;", &roles) && roles.count == 2);
    assert_true(grid_row_is(second, length, "mul.f32 %x1, %x1;", &roles));
    assert_true(grid_row_next(&at, &length) == NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(holds_operands),
        cmocka_unit_test(holds_vectors_and_parts),
        cmocka_unit_test(keeps_roles_over_a_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
