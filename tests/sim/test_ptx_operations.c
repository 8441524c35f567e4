/* What each PTX instruction computes, by results worked out by hand from the PTX ISA. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sim/ptx/ptx_code.h"
#include "sim/ptx/warp_launch.h"

#include <stdio.h>
#include <string.h>

#define OUT UINT64_C(0x1000)

/* %a, %b, %c hold 32 bits of A, B and C, %h, %i, %j the lowest 16; results: %r (32), %R (64), %s (16), %p. */
static const char FRAME[] =
    ".version 7.8\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n"
    ".reg .pred %%p, %%q, %%no; .reg .b16 %%h, %%i, %%j, %%s; .reg .b32 %%a, %%b, %%c, %%r, %%t;\n"
    ".reg .b64 %%A, %%B, %%C, %%R, %%out, %%at, %%T;\n"
    "ld.param.u64 %%out, [out]; mov.u32 %%t, %%tid.x; mul.wide.u32 %%at, %%t, 8; add.u64 %%out, %%out, "
    "%%at;\n"
    "mov.b64 %%A, 0x%llx; mov.b64 %%B, 0x%llx; mov.b64 %%C, 0x%llx;\n"
    "cvt.u32.u64 %%a, %%A; cvt.u32.u64 %%b, %%B; cvt.u32.u64 %%c, %%C;\n"
    "cvt.u16.u64 %%h, %%A; cvt.u16.u64 %%i, %%B; cvt.u16.u64 %%j, %%C;\n"
    "mov.b64 %%R, 0; mov.b32 %%r, 0; mov.b16 %%s, 0; setp.ne.u32 %%p, %%t, %%t;\n"
    "setp.eq.u32 %%q, %%a, %%a; setp.ne.u32 %%no, %%a, %%a;\n"
    "%s\n%s\nst.global.u64 [%%out], %%R;\nret;\n}\n";

struct row {
    const char *text; /* writes the result of that letter: r, R, s, p */
    uint64_t a, b, c, result;
};

static const char *tail_of(const char *text)
{
    if (strstr(text, "%R") != NULL)
        return "";
    if (strstr(text, "%s,") != NULL)
        return "cvt.u64.u16 %R, %s;";
    if (strstr(text, "%p,") != NULL && strstr(text, "%r") == NULL)
        return "selp.b64 %R, 1, 0, %p;";
    return "cvt.u64.u32 %R, %r;";
}

/* Runs the text in every lane of one warp; the status is the launch's. */
static enum status run(const struct row *row, uint64_t out[32], struct error *error)
{
    static const struct warp_chip chip = {.sms = 1,
                                          .sides = 1,
                                          .side_bytes = 4096,
                                          .l1 = {.size = 4096, .ways = 4, .line = 128, .sector = 32},
                                          .l2 = {.size = 8192, .ways = 4, .line = 128, .sector = 32}};
    char text[4096];
    struct ptx_program program;
    snprintf(text, sizeof text, FRAME, (unsigned long long)row->a, (unsigned long long)row->b,
             (unsigned long long)row->c, row->text, tail_of(row->text));
    enum status status = ptx_read(text, strlen(text), "k", &program, error);
    const uint64_t parameters[] = {OUT};
    const struct device_range range = {"the data", OUT, 32 * sizeof *out, (unsigned char *)out, true, true};
    const struct warp_launch launch = {.program = &program,
                                       .blocks = 1,
                                       .threads = 32,
                                       .parameters = parameters,
                                       .ranges = &range,
                                       .range_count = 1,
                                       .most_instructions = 1 << 20};
    struct warp_result result = {0};
    if (status == STATUS_OK)
        status = warp_run(&chip, &launch, &result, error);
    warp_result_free(&result);
    ptx_free(&program);
    return status;
}

#define MINUS(N) (UINT64_C(0) - (N))
#define F_HALF 0x3f000000
#define F_1 0x3f800000
#define F_2 0x40000000
#define F_3 0x40400000
#define F_4 0x40800000
#define F_NAN 0x7fc00000
#define D_1 0x3ff0000000000000
#define D_2 0x4000000000000000
#define D_3 0x4008000000000000
#define D_4 0x4010000000000000

static const struct row rows[] = {
    {"add.u32 %r, %a, %b;", 0xffffffff, 3, 0, 2},
    {"add.s32 %r, %a, %b;", 0x7fffffff, 1, 0, 0x80000000},
    {"add.u64 %R, %A, %B;", 0xffffffffffffffff, 2, 0, 1},
    {"add.u16 %s, %h, %i;", 0xffff, 2, 0, 1},
    {"sub.u32 %r, %a, %b;", 1, 2, 0, 0xffffffff},
    {"sub.u64 %R, %A, %B;", 1, 2, 0, MINUS(1)},
    {"sub.s16 %s, %h, %i;", 1, 2, 0, 0xffff},
    {"mul.lo.u32 %r, %a, %b;", 0x10001, 0x10001, 0, 0x20001},
    {"mul.lo.u64 %R, %A, %B;", 0x100000001, 0x100000001, 0, 0x200000001},
    {"mul.lo.s32 %r, %a, %b;", MINUS(3), 5, 0, 0xfffffff1},
    {"mul.hi.u32 %r, %a, %b;", 0xffffffff, 0xffffffff, 0, 0xfffffffe},
    {"mul.hi.s32 %r, %a, %b;", 0xffffffff, 2, 0, 0xffffffff},
    {"mul.hi.u64 %R, %A, %B;", MINUS(1), MINUS(1), 0, MINUS(2)},
    {"mul.hi.s64 %R, %A, %B;", MINUS(1), 2, 0, MINUS(1)},
    {"mul.wide.u32 %R, %a, %b;", 0xffffffff, 2, 0, 0x1fffffffe},
    {"mul.wide.s32 %R, %a, %b;", 0xffffffff, 2, 0, MINUS(2)},
    {"mul.wide.u16 %r, %h, %i;", 0xffff, 0xffff, 0, 0xfffe0001},
    {"mul.wide.s16 %r, %h, %i;", 0xffff, 2, 0, 0xfffffffe},
    {"mad.lo.u32 %r, %a, %b, %c;", 3, 5, 7, 22},
    {"mad.lo.u64 %R, %A, %B, %C;", 3, 5, 7, 22},
    {"mad.wide.u32 %R, %a, %b, %C;", 0xffffffff, 2, 1, 0x1ffffffff},
    {"mad.wide.s32 %R, %a, %b, %C;", 0xffffffff, 2, 1, MINUS(1)},
    {"mad.hi.u32 %r, %a, %b, %c;", 0x80000000, 4, 1, 3},
    {"mul24.lo.u32 %r, %a, %b;", 0x1000003, 5, 0, 15},
    {"mad24.lo.u32 %r, %a, %b, %c;", 0x1000003, 5, 1, 16},
    {"div.u32 %r, %a, %b;", 0xffffffff, 10, 0, 429496729},
    {"div.s32 %r, %a, %b;", MINUS(7), 2, 0, 0xfffffffd},
    {"div.s32 %r, %a, %b;", 0x80000000, 0xffffffff, 0, 0x80000000},
    {"div.u64 %R, %A, %B;", 100, 7, 0, 14},
    {"rem.u32 %r, %a, %b;", 100, 7, 0, 2},
    {"rem.s32 %r, %a, %b;", MINUS(7), 2, 0, 0xffffffff},
    {"rem.u64 %R, %A, %B;", 100, 7, 0, 2},
    {"min.u32 %r, %a, %b;", 0xffffffff, 1, 0, 1},
    {"min.s32 %r, %a, %b;", 0xffffffff, 1, 0, 0xffffffff},
    {"max.u64 %R, %A, %B;", MINUS(1), 1, 0, MINUS(1)},
    {"max.s64 %R, %A, %B;", MINUS(1), 1, 0, 1},
    {"neg.s32 %r, %a;", 5, 0, 0, 0xfffffffb},
    {"abs.s32 %r, %a;", MINUS(5), 0, 0, 5},
    {"abs.s64 %R, %A;", MINUS(5), 0, 0, 5},
    {"sad.u32 %r, %a, %b, %c;", 3, 10, 1, 8},
    {"sad.s32 %r, %a, %b, %c;", MINUS(3), 2, 1, 6},
    {"and.b32 %r, %a, %b;", 0xff0, 0x0ff, 0, 0x0f0},
    {"or.b32 %r, %a, %b;", 0xf00, 0x00f, 0, 0xf0f},
    {"xor.b64 %R, %A, %B;", 0xff00000000, 0xf000000000, 0, 0x0f00000000},
    {"not.b32 %r, %a;", 0xf, 0, 0, 0xfffffff0},
    {"not.b64 %R, %A;", 0, 0, 0, MINUS(1)},
    {"cnot.b32 %r, %a;", 0, 0, 0, 1},
    {"cnot.b32 %r, %a;", 7, 0, 0, 0},
    {"shl.b32 %r, %a, %b;", 3, 31, 0, 0x80000000},
    {"shl.b32 %r, %a, %b;", 3, 32, 0, 0},
    {"shl.b64 %R, %A, %b;", 3, 62, 0, 0xc000000000000000},
    {"shr.u32 %r, %a, %b;", 0x80000000, 31, 0, 1},
    {"shr.u64 %R, %A, 63;", 0x8000000000000000, 0, 0, 1},
    {"shr.s32 %r, %a, %b;", 0x80000000, 40, 0, 0xffffffff},
    {"shr.s64 %R, %A, %b;", 0x8000000000000000, 60, 0, MINUS(8)},
    {"shf.l.wrap.b32 %r, %a, %b, %c;", 0x80000000, 1, 33, 3},
    {"shf.l.clamp.b32 %r, %a, %b, %c;", 0x80000000, 1, 33, 0x80000000},
    {"shf.r.wrap.b32 %r, %a, %b, %c;", 0x80000000, 1, 1, 0xc0000000},
    {"shf.r.clamp.b32 %r, %a, %b, %c;", 0x80000000, 1, 40, 1},
    {"selp.b32 %r, %a, %b, %q;", 4, 5, 0, 4},
    {"selp.b64 %R, %A, %B, %no;", 4, 5, 0, 5},
    {"slct.b32.s32 %r, %a, %b, %c;", 4, 5, 0xffffffff, 5},
    {"slct.b32.s32 %r, %a, %b, %c;", 4, 5, 0, 4},
    {"popc.b32 %r, %a;", 0xf0f0, 0, 0, 8},
    {"popc.b64 %r, %A;", 0xf0f000000000f, 0, 0, 12},
    {"clz.b32 %r, %a;", 1, 0, 0, 31},
    {"clz.b32 %r, %a;", 0, 0, 0, 32},
    {"clz.b64 %r, %A;", 1, 0, 0, 63},
    {"brev.b32 %r, %a;", 1, 0, 0, 0x80000000},
    {"brev.b64 %R, %A;", 3, 0, 0, 0xc000000000000000},
    {"bfind.u32 %r, %a;", 0x100, 0, 0, 8},
    {"bfind.u32 %r, %a;", 0, 0, 0, 0xffffffff},
    {"bfe.u32 %r, %a, %b, %c;", 0xabcd, 4, 8, 0xbc},
    {"bfe.s32 %r, %a, %b, %c;", 0xabcd, 4, 8, 0xffffffbc},
    {"bfe.u64 %R, %A, %b, %c;", 0xabcd00000000, 36, 8, 0xbc},
    {"bfi.b32 %r, %a, %b, 8, 4;", 0xf, 0, 0, 0xf00},
    {"bfi.b64 %R, %A, %B, 40, 4;", 0xf, 1, 0, 0xf0000000001},
    {"lop3.b32 %r, %a, %b, %c, 0x96;", 0xff00, 0x0ff0, 0x00ff, 0xf00f},
    {"lop3.b32 %r, %a, %b, %c, 0xe8;", 0xff00, 0x0ff0, 0x00ff, 0x0ff0},
    {"prmt.b32 %r, %a, %b, 0x7531;", 0x44332211, 0x88776655, 0, 0x88664422},
    {"prmt.b32 %r, %a, %b, 0x000f;", 0x44332280, 0x88776655, 0, 0x808080ff},
    {"add.rn.f16x2 %r, %a, %b;", 0x3c003c00, 0x40003800, 0, 0x42003e00}, /* 1 + 2, 1 + 0.5 */
    {"sub.rn.f16x2 %r, %a, %b;", 0x42004200, 0x3e003c00, 0, 0x3e004000}, /* 3 - 1.5, 3 - 1 */
    {"mul.rn.f16x2 %r, %a, %b;", 0x3e000003, 0x3e003800, 0,
     0x40800002}, /* 2.25; half of the third least: even */
    {"mul.rn.f16x2 %r, %a, %b;", 0x80000001, 0x40003800, 0, 0x80000000}, /* -0; half of the least: 0 */
    {"add.rn.f16x2 %r, %a, %b;", 0x7bff7c00, 0x7bff3c00, 0, 0x7c007c00}, /* infinite, as 1 more than it */
    {"fma.rn.f16x2 %r, %a, %b, %c;", 0x3c003c01, 0xbc003c01, 0x4200bc00,
     0x40001800}, /* once rounded, to even */
    {"fma.rn.f16x2 %r, %a, %b, %c;", 0x3c003c01, 0x3c003c01, 0x10003c00, 0x3c004001},
    {"add.rn.bf16x2 %r, %a, %b;", 0x43804040, 0x3f803f80, 0, 0x43804080}, /* 256 + 1 is halfway, 3 + 1 */
    {"sub.rn.bf16x2 %r, %a, %b;", 0x40404040, 0x3fc03f80, 0, 0x3fc04000},
    {"mul.rn.bf16x2 %r, %a, %b;", 0x3fc07f7f, 0x3fc04000, 0, 0x40107f80}, /* 2.25, infinite */
    {"fma.rn.bf16x2 %r, %a, %b, %c;", 0x3f80bf80, 0x40403fc0, 0xbf804040, 0x40003fc0},
    /* The first matrix has a 1 in row 0 of column 0, the second one in column 5 of row 0. */
    {"{ .reg .b32 %x, %e, %f<4>, %g<2>, %o<4>; .reg .f32 %d<4>, %z; .reg .pred %u;"
     "mov.f32 %z, 0f00000000; setp.eq.u32 %u, %t, 0; selp.b32 %f0, 0x3c00, 0, %u; mov.b32 %x, 0;"
     "setp.eq.u32 %u, %t, 20; selp.b32 %g0, 0x3c00, 0, %u;"
     "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%d0, %d1, %d2, %d3}, {%f0, %x, %x, %x}, {%g0, %x}, "
     "{%z, %z, %z, %z};"
     "setp.eq.u32 %u, %t, 2; selp.b32 %e, 0x3f800000, 0, %u;"
     "mov.b32 %o0, %d0; mov.b32 %o1, %d1; mov.b32 %o2, %d2; mov.b32 %o3, %d3;"
     "xor.b32 %o1, %o1, %e; or.b32 %o0, %o0, %o1; or.b32 %o2, %o2, %o3; or.b32 %r, %o0, %o2; }",
     0, 0, 0, 0},
    /* 16 products that are -2 and 2 in turn, 16 that are 1, and what was there. */
    {"{ .reg .b32 %f, %g, %d<4>; mov.b32 %f, 0x01010101; mov.b32 %g, 0x02fe02fe; mov.b32 %d0, 7;"
     "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%d0, %d1, %d2, %d3}, {%f, %f, %f, %f}, {%g, %f}, "
     "{%d0, %d0, %d0, %d0}; mov.b32 %r, %d2; }",
     0, 0, 0, 23},
    {"dp4a.u32.u32 %r, %a, %b, %c;", 0x01020304, 0x01010101, 5, 15},
    {"dp4a.s32.s32 %r, %a, %b, %c;", 0xff02, 0x0203, 0, 4},
    {"setp.lt.u32 %p, %a, %b;", 0xffffffff, 1, 0, 0},
    {"setp.lt.s32 %p, %a, %b;", 0xffffffff, 1, 0, 1},
    {"setp.ge.u64 %p, %A, %B;", 5, 5, 0, 1},
    {"setp.hi.u32 %p, %a, %b;", 6, 5, 0, 1},
    {"setp.le.s64 %p, %A, %B;", MINUS(1), 0, 0, 1},
    {"setp.eq.b32 %p, %a, %b;", 6, 5, 0, 0},
    {"setp.ne.u16 %p, %h, %i;", 0x10005, 5, 0, 0},
    {"and.pred %p, %q, %no;", 0, 0, 0, 0},
    {"or.pred %p, %q, %no;", 0, 0, 0, 1},
    {"xor.pred %p, %q, %q;", 0, 0, 0, 0},
    {"not.pred %p, %no;", 0, 0, 0, 1},
    {"mov.pred %p, %q;", 0, 0, 0, 1},
    {"add.rn.f32 %r, %a, %b;", F_1, F_2, 0, F_3},
    {"add.f32 %r, %a, 1.0;", F_2, 0, 0, F_3},
    {"add.f32 %r, %a, 0f3F800000;", F_2, 0, 0, F_3},
    {"sub.rn.f32 %r, %a, %b;", F_3, F_1, 0, F_2},
    {"mul.rn.f32 %r, %a, %b;", F_2, F_2, 0, F_4},
    {"div.rn.f32 %r, %a, %b;", F_1, F_2, 0, F_HALF},
    {"fma.rn.f32 %r, %a, %b, %c;", F_1, F_2, F_2, F_4},
    /* (1 + 2^-12)^2 - (1 + 2^-11) is 2^-24, which rounding the product would lose */
    {"fma.rn.f32 %r, %a, %b, %c;", 0x3f800800, 0x3f800800, 0xbf801000, 0x33800000},
    {"sqrt.rn.f32 %r, %a;", F_4, 0, 0, F_2},
    {"rcp.rn.f32 %r, %a;", F_2, 0, 0, F_HALF},
    {"neg.f32 %r, %a;", F_1, 0, 0, 0xbf800000},
    {"abs.f32 %r, %a;", 0xbf800000, 0, 0, F_1},
    {"min.f32 %r, %a, %b;", F_NAN, F_2, 0, F_2},
    {"min.f32 %r, %a, %b;", 0, 0x80000000, 0, 0x80000000},
    {"max.f32 %r, %a, %b;", F_1, F_2, 0, F_2},
    {"copysign.f32 %r, %a, %b;", 0x80000000, F_2, 0, 0xc0000000},
    {"add.sat.f32 %r, %a, %b;", F_1, F_2, 0, F_1},
    {"add.ftz.f32 %r, %a, %b;", 1, F_1, 0, F_1},
    {"add.f32 %r, %a, %b;", 1, 1, 0, 2}, /* denormals stay */
    {"mul.ftz.f32 %r, %a, %b;", 1, F_2, 0, 0},
    {"ex2.approx.f32 %r, %a;", F_2, 0, 0, F_4},
    {"lg2.approx.f32 %r, %a;", F_4, 0, 0, F_2},
    {"setp.lt.f32 %p, %a, %b;", F_NAN, F_1, 0, 0},
    {"setp.ltu.f32 %p, %a, %b;", F_NAN, F_1, 0, 1},
    {"setp.ne.f32 %p, %a, %b;", F_NAN, F_1, 0, 0},
    {"setp.neu.f32 %p, %a, %b;", F_NAN, F_1, 0, 1},
    {"setp.nan.f32 %p, %a, %b;", F_NAN, F_1, 0, 1},
    {"add.rn.f64 %R, %A, %B;", D_1, D_2, 0, D_3},
    {"mul.rn.f64 %R, %A, %B;", D_2, D_2, 0, D_4},
    {"fma.rn.f64 %R, %A, %B, %C;", D_1, D_2, D_2, D_4},
    {"div.rn.f64 %R, %A, %B;", D_4, D_2, 0, D_2},
    {"sqrt.rn.f64 %R, %A;", D_4, 0, 0, D_2},
    {"cvt.u64.u32 %R, %a;", 0xffffffff, 0, 0, 0xffffffff},
    {"cvt.s64.s32 %R, %a;", 0xffffffff, 0, 0, MINUS(1)},
    {"cvt.u32.u64 %r, %A;", 0x1234567890, 0, 0, 0x34567890},
    {"cvt.s32.s8 %r, %a;", 0x180, 0, 0, 0xffffff80},
    {"cvt.u32.u8 %r, %a;", 0x180, 0, 0, 0x80},
    {"cvt.sat.u8.s32 %r, %a;", 300, 0, 0, 255},
    {"cvt.sat.u8.s32 %r, %a;", MINUS(3), 0, 0, 0},
    {"cvt.rn.f32.u32 %r, %a;", 3, 0, 0, F_3},
    {"cvt.rn.f32.s32 %r, %a;", MINUS(1), 0, 0, 0xbf800000},
    {"cvt.rn.f64.u32 %R, %a;", 4, 0, 0, D_4},
    {"cvt.f64.f32 %R, %a;", F_2, 0, 0, D_2},
    {"cvt.rn.f32.f64 %r, %A;", D_3, 0, 0, F_3},
    {"cvt.rzi.s32.f32 %r, %a;", 0xc0200000, 0, 0, 0xfffffffe}, /* -2.5 */
    {"cvt.rmi.s32.f32 %r, %a;", 0xc0200000, 0, 0, 0xfffffffd},
    {"cvt.rpi.s32.f32 %r, %a;", 0xc0200000, 0, 0, 0xfffffffe},
    {"cvt.rni.s32.f32 %r, %a;", 0x40200000, 0, 0, 2}, /* 2.5: to even */
    {"cvt.rzi.u32.f32 %r, %a;", 0xbf800000, 0, 0, 0},
    {"cvt.rzi.s32.f32 %r, %a;", 0x4f800000, 0, 0, 0x7fffffff}, /* 2^32 */
    {"cvt.rzi.s32.f32 %r, %a;", F_NAN, 0, 0, 0},
    {"mov.b64 %R, {%a, %b};", 1, 2, 0, 0x200000001},
    {"mov.b64 {%r, %t}, %A;", 0x500000004, 0, 0, 4},
    {"activemask.b32 %r;", 0, 0, 0, 0xffffffff},
    {"vote.sync.ballot.b32 %r, %q, 0xffffffff;", 0, 0, 0, 0xffffffff},
    {"vote.sync.any.pred %p, %no, 0xffffffff;", 0, 0, 0, 0},
    {"vote.sync.all.pred %p, %q, 0xffffffff;", 0, 0, 0, 1},
    {"vote.sync.uni.pred %p, %no, 0xffffffff;", 0, 0, 0, 1},
    {"redux.sync.add.u32 %r, %t, 0xffffffff;", 0, 0, 0, 496}, /* 0 + ... + 31 */
    {"redux.sync.max.u32 %r, %t, 0xffffffff;", 0, 0, 0, 31},
    {"redux.sync.or.b32 %r, %t, 0xffffffff;", 0, 0, 0, 31},
    {"redux.sync.xor.b32 %r, %t, 0xffffffff;", 0, 0, 0, 0},
    {"match.any.sync.b32 %r, %a, 0xffffffff;", 9, 0, 0, 0xffffffff},
    {"mov.u32 %r, WARP_SZ;", 0, 0, 0, 32},
    {"mov.u32 %r, %ntid.x;", 0, 0, 0, 32},
    {"mov.u32 %r, %nctaid.x;", 0, 0, 0, 1},
    {"@%q mov.u32 %r, 5;", 0, 0, 0, 5},
    {"@!%q mov.u32 %r, 5;", 0, 0, 0, 0},
    {"{ .reg .b32 %a; mov.u32 %a, 7; mov.u32 %r, %a; }", 1, 0, 0, 7},
    {"bra over; mov.u32 %r, 1; over: add.u32 %r, %r, 2;", 0, 0, 0, 2},
    {"add.u32 %r, %a, -1; // a comment\n/* and\nanother */", 3, 0, 0, 2},
};

static void instructions_compute_what_the_isa_says(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint64_t out[32] = {0};
        struct error error;
        if (run(&rows[i], out, &error) != STATUS_OK)
            fail_msg("%s: %s", rows[i].text, error.message);
        for (unsigned lane = 0; lane < 32; lane++)
            if (out[lane] != rows[i].result)
                fail_msg("%s: lane %u: 0x%llx instead of 0x%llx", rows[i].text, lane,
                         (unsigned long long)out[lane], (unsigned long long)rows[i].result);
    }
}

static void lanes_have_their_own_values(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t first, fifth, last; /* lanes 0, 5 and 31 */
    } own[] = {
        {"mov.u32 %r, %laneid;", 0, 5, 31},
        {"mov.u32 %r, %lanemask_eq;", 1, 32, 0x80000000},
        {"mov.u32 %r, %lanemask_lt;", 0, 31, 0x7fffffff},
        {"mov.u32 %r, %lanemask_ge;", 0xffffffff, 0xffffffe0, 0x80000000},
        {"shfl.sync.idx.b32 %r, %t, 7, 31, 0xffffffff;", 7, 7, 7},
        {"shfl.sync.up.b32 %r, %t, 2, 0, 0xffffffff;", 0, 3, 29},
        {"shfl.sync.down.b32 %r, %t, 2, 31, 0xffffffff;", 2, 7, 31},
        {"shfl.sync.bfly.b32 %r, %t, 1, 31, 0xffffffff;", 1, 4, 30},
        {"shfl.sync.idx.b32 %r, %t, 1, 0x181f, 0xffffffff;", 1, 1, 25}, /* within parts of 8 lanes */
        {"and.b32 %r, %t, 1; match.any.sync.b32 %r, %r, 0xffffffff;", 0x55555555, 0xaaaaaaaa, 0xaaaaaaaa},
        {"setp.lt.u32 %p, %t, 6; @%p activemask.b32 %r;", 0x3f, 0x3f, 0},
        {"setp.lt.u32 %p, %t, 6; @%p bra one; mov.u32 %r, 2; bra both; one: mov.u32 %r, 1; "
         "both: add.u32 %r, %r, 10;",
         11, 11, 12},
        /* as many turns as the lane's number */
        {"mov.u32 %c, %t; turn: setp.eq.u32 %no, %c, 0; @%no bra out; add.u32 %r, %r, 3; sub.u32 %c, %c, 1; "
         "bra turn; out: add.u32 %r, %r, 1;",
         1, 16, 94},
        /* a branch within a branch */
        {"setp.lt.u32 %p, %t, 6; setp.eq.u32 %no, %t, 5; @!%p bra far; @%no bra inner; add.u32 %r, %r, 1; "
         "bra meet; inner: add.u32 %r, %r, 2; meet: add.u32 %r, %r, 100; bra all; far: mov.u32 %r, 7; "
         "all: add.u32 %r, %r, 1000;",
         1101, 1102, 1007},
        /* some lanes end */
        {"setp.eq.u32 %p, %t, 5; @%p ret; mov.u32 %r, 3;", 3, 0, 3},
    };
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++) {
        uint64_t out[32] = {0};
        const struct row row = {own[i].text, 1, 2, 3, 0};
        struct error error;
        if (run(&row, out, &error) != STATUS_OK)
            fail_msg("%s: %s", own[i].text, error.message);
        if (out[0] != own[i].first || out[5] != own[i].fifth || out[31] != own[i].last)
            fail_msg("%s: 0x%llx, 0x%llx, 0x%llx", own[i].text, (unsigned long long)out[0],
                     (unsigned long long)out[5], (unsigned long long)out[31]);
    }
}

static void what_is_unknown_or_wrong_is_refused_with_its_line(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
        enum status status;
    } bad[] = {
        {"tex.2d.v4.f32.f32 %r, %a;", "does not support the instruction", STATUS_UNAVAILABLE},
        {"ld.u32 %r, [%A];", "does not support generic addresses", STATUS_UNAVAILABLE},
        {"bar.sync 1;", "bar.sync 0", STATUS_UNAVAILABLE},
        {"mov.u32 %r, %total_smem_size;", "special register", STATUS_UNAVAILABLE},
        {"setp.lt.u32 %p|%q, %a, %b;", "second result", STATUS_UNAVAILABLE},
        {"add.u32 %r, %a, %B;", "expected 32 bits", STATUS_FAILED},
        {"add.u32 %r, %a, %none;", "'%none' is not declared", STATUS_FAILED},
        {"add.u32 %r, %a;", "expected 3", STATUS_FAILED},
        {"add.f32 %r, %a, 1;", "floating-point number", STATUS_FAILED},
        {"bra nowhere;", "there is no label nowhere", STATUS_FAILED},
        {"@%a mov.u32 %r, 1;", "a predicate", STATUS_FAILED},
        {"div.u32 %r, %a, %t;", "divides by 0 in thread 0", STATUS_FAILED},
        {"setp.lt.u32 %p, %t, 6; @%p bra on; bar.sync 0; on: mov.u32 %r, 1;", "has diverged", STATUS_FAILED},
        {"ld.global.u32 %r, [%out-8];", "outside", STATUS_FAILED},
        {"ld.global.u32 %r, [%out+248];", "past the end", STATUS_FAILED},
        {"ld.global.u32 %r, [%out+2];", "not a multiple", STATUS_FAILED},
        {"again: bra again;", "still running", STATUS_UNAVAILABLE},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        uint64_t out[32] = {0};
        const struct row row = {bad[i].text, 1, 2, 3, 0};
        struct error error = {0};
        enum status status = run(&row, out, &error);
        if (status != bad[i].status || strstr(error.message, bad[i].says) == NULL)
            fail_msg("%s: status %d, %s", bad[i].text, (int)status, error.message);
        if (strstr(bad[i].says, "running") == NULL && error.line != 14)
            fail_msg("%s: line %d", bad[i].text, error.line);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(instructions_compute_what_the_isa_says),
        cmocka_unit_test(lanes_have_their_own_values),
        cmocka_unit_test(what_is_unknown_or_wrong_is_refused_with_its_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
