What `trauma measure instruction` puts around the instructions that it measures; templates/x86_64/instruction.s says what the
sections are.

s0 counts the iterations, s1 holds the address of the operand's memory, ra and ft11 are free between sections. All encodings
have 4 bytes.

@section enter
    .text
    .option norvc
    addi sp, sp, -112
    sd ra, 0(sp)
    sd s0, 8(sp)
    sd s1, 16(sp)
    sd s2, 24(sp)
    sd s3, 32(sp)
    sd s4, 40(sp)
    sd s5, 48(sp)
    sd s6, 56(sp)
    sd s7, 64(sp)
    sd s8, 72(sp)
    sd s9, 80(sp)
    sd s10, 88(sp)
    sd s11, 96(sp)
    mv s0, a0
    li ra, {memory}
    add s1, a1, ra
    fence
    rdtime t0
    fence
    li ra, {start}
    add ra, ra, s1
    sd t0, 0(ra)

# Vectors: 32-bit elements, as many as one register holds.
@section enter.w
    vsetvli ra, zero, e32, m1, ta, ma

@section loop
    fence
    .p2align 6
1:

# The jump reaches farther than the branch.
@section loop.end
    addi s0, s0, -1
    beqz s0, 2f
    j 1b
2:

@section leave
    fence
    rdtime a0
    fence
    li ra, {start}
    add ra, ra, s1
    ld a1, 0(ra)
    sub a0, a0, a1
    ld ra, 0(sp)
    ld s0, 8(sp)
    ld s1, 16(sp)
    ld s2, 24(sp)
    ld s3, 32(sp)
    ld s4, 40(sp)
    ld s5, 48(sp)
    ld s6, 56(sp)
    ld s7, 64(sp)
    ld s8, 72(sp)
    ld s9, 80(sp)
    ld s10, 88(sp)
    ld s11, 96(sp)
    addi sp, sp, 112
    ret

@section pool.r
a0 a1 a2 a3 a4 a5 a6 a7 t0 t1 t2 t3 t4 t5 t6 s2 s3 s4 s5 s6 s7 s8 s9 s10 s11

@section pool.memory
s11

@section pool.v
fa0 fa1 fa2 fa3 fa4 fa5 fa6 fa7 ft0 ft1 ft2 ft3 ft4 ft5 ft6 ft7 ft8 ft9 ft10

# v0 is a mask wherever it is named so.
@section pool.w
v1 v2 v3 v4 v5 v6 v7 v8 v9 v10 v11 v12 v13 v14 v15 v16 v17 v18 v19 v20 v21 v22 v23 v24 v25 v26 v27 v28 v29 v30 v31 v0

@section names
r pool.r 64
f pool.v 64
v pool.w 512

# Names that are no registers of their own.
@section constants
zero

@section load.r
    li {to}, {disp}
    add {to}, {to}, s1
    ld {to}, 0({to})
@section load.v
    li ra, {disp}
    add ra, ra, s1
    fld {to}, 0(ra)

@section load.w
    li ra, {disp}
    add ra, ra, s1
    vl1re32.v {to}, (ra)

@section save.r
    li ra, {disp}
    add ra, ra, s1
    sd {from}, 0(ra)
@section save.v
    li ra, {disp}
    add ra, ra, s1
    fsd {from}, 0(ra)

@section save.w
    li ra, {disp}
    add ra, ra, s1
    vs1r.v {from}, (ra)

@section reset.r
    mv {to}, {constant}
@section reset.v
    fmv.d {to}, {constant}
@section reset.w
    vmv.v.v {to}, {constant}

# Between registers of floating point there is no logic: a shift makes 0 of the one, which is added to the other.
@section mix.r
    xor {to}, {to}, {from}
    xor {to}, {to}, {from}
@section mix.v
    fmv.x.d ra, {from}
    srli ra, ra, 63
    srli ra, ra, 1
    fmv.d.x ft11, ra
    fadd.d {to}, {to}, ft11
@section keep.r
    and {to}, {to}, {zero}
    or {to}, {to}, {constant}
@section keep.v
    fmv.x.d ra, {to}
    srli ra, ra, 63
    srli ra, ra, 1
    fmv.d.x ft11, ra
    fadd.d {to}, ft11, {constant}

@section mix.w
    vxor.vv {to}, {to}, {from}
    vxor.vv {to}, {to}, {from}
@section keep.w
    vand.vv {to}, {to}, {zero}
    vor.vv {to}, {to}, {constant}
@section r.w
    vmv.s.x {to}, {from}
@section w.r
    vmv.x.s {to}, {from}

@section r.v
    fmv.d.x {to}, {from}
@section v.r
    fmv.x.d {to}, {from}
@section m.r
    ld {to}, {disp}({base})

@section clock
    add {to}, {to}, {constant}

# A chain of several cycles each: a delay of every instruction is a smaller share of it.
@section clock.long
    mul {to}, {to}, {constant}

# What a copy may have beside it so that the next one comes later. One line.
@section idle
    nop

@section values
div*    fast:100/7            other=7 1=100 keep
div*    slow:2^62/3           other=3 1=0x3fffffffffffffff keep
rem*    fast:100/7            other=7 1=100 keep
rem*    slow:2^62/3           other=3 1=0x3fffffffffffffff keep
fdiv.d  -                     other=0x3ff0000000000001
fsqrt.d 1.3                   other=0x3ff5555555555555 keep
v*xei*  -                     other=0x3ff555553fa00000 2=0
*       -                     other=0x3ff555553fa00000
