What `trauma measure instruction` puts around the instructions that it measures; templates/x86_64/instruction.s says what the
sections are.

x27 counts the iterations, x28 holds the address of the operand's memory, x30 is free between sections.

@section enter
    .text
    stp x29, x30, [sp, #-112]!
    stp x19, x20, [sp, #16]
    stp x21, x22, [sp, #32]
    stp x23, x24, [sp, #48]
    stp x25, x26, [sp, #64]
    stp x27, x28, [sp, #80]
    mov x27, x0
    add x28, x1, #{memory}
    dsb ish
    isb
    mrs x30, cntvct_el0
    isb
    str x30, [x28, #{start}]

@section loop
    dsb ish
    isb
    .p2align 6
1:

@section loop.end
    sub x27, x27, #1
    cbnz x27, 1b

@section leave
    dsb ish
    isb
    mrs x0, cntvct_el0
    isb
    ldr x1, [x28, #{start}]
    sub x0, x0, x1
    ldp x19, x20, [sp, #16]
    ldp x21, x22, [sp, #32]
    ldp x23, x24, [sp, #48]
    ldp x25, x26, [sp, #64]
    ldp x27, x28, [sp, #80]
    ldp x29, x30, [sp], #112
    ret

@section pool.r
x0 x1 x2 x3 x4 x5 x6 x7 x8 x9 x10 x11 x12 x13 x14 x15 x16 x17 x19 x20 x21 x22 x23 x24 x25 x26

@section pool.memory
x26

@section pool.v
v0 v1 v2 v3 v4 v5 v6 v7 v16 v17 v18 v19 v20 v21 v22 v23 v24 v25 v26 v27 v28 v29 v30 v31

# The fourth column: how it is written, where its bits do not say so.
# Predicates that govern any operation. Vectors of SVE are wholes of which v0 is a part.
@section pool.k
p0 p1 p2 p3 p4 p5 p6 p7

@section names
r pool.r 64
x pool.r 64
w pool.r 32
v pool.v 128
q pool.v 128 q
d pool.v 64
s pool.v 32
h pool.v 16
b pool.v 8
z pool.v 512
p pool.k 64

# Names that are no registers of their own.
@section constants
xzr wzr

@section load.r
    ldr {to}, [x28, #{disp}]
@section load.v.128
    ldr x30, [x28, #{disp}]
    fmov {to:64}, x30
    ldr x30, [x28, #{disp} + 8]
    mov {to}.d[1], x30
@section load.v.512
    mov x30, #{disp}
    add x30, x28, x30
    ldr {to}, [x30]
@section load.k
    mov x30, #{disp}
    add x30, x28, x30
    ldr {to}, [x30]
@section load.flags
    ldr x30, [x28, #{disp}]
    msr nzcv, x30

@section save.r
    str {from}, [x28, #{disp}]
@section save.v.128
    mov x30, {from}.d[0]
    str x30, [x28, #{disp}]
    mov x30, {from}.d[1]
    str x30, [x28, #{disp} + 8]
@section save.v.512
    mov x30, #{disp}
    add x30, x28, x30
    str {from}, [x30]
@section save.k
    mov x30, #{disp}
    add x30, x28, x30
    str {from}, [x30]
@section save.flags
    mrs x30, nzcv
    str x30, [x28, #{disp}]

@section reset.r
    mov {to}, {constant}
@section reset.v.128
    mov {to}.16b, {constant}.16b
@section reset.v.512
    mov {to}.d, {constant}.d
@section reset.k
    mov {to}.b, {constant}.b
@section reset.flags
    tst {zero}, {zero}

@section mix.r
    eor {to}, {to}, {from}
    eor {to}, {to}, {from}
@section mix.v.128
    eor {to}.16b, {to}.16b, {from}.16b
    eor {to}.16b, {to}.16b, {from}.16b
@section mix.v.512
    eor {to}.d, {to}.d, {from}.d
    eor {to}.d, {to}.d, {from}.d
@section keep.v.512
    and {to}.d, {to}.d, {zero}.d
    orr {to}.d, {to}.d, {constant}.d
@section keep.r
    and {to}, {to}, {zero}
    orr {to}, {to}, {constant}
@section keep.v.128
    and {to}.16b, {to}.16b, {zero}.16b
    orr {to}.16b, {to}.16b, {constant}.16b

@section r.v
    fmov {to:64}, {from}
@section v.r
    fmov {to}, {from:64}
# The length of a predicate that is true as far as the number says.
@section r.k
    whilelo {to}.b, xzr, {from}
@section k.r
    cntp {to}, {from}, {from}.b
@section m.r
    ldr {to}, [{base}, #{disp}]
@section r.flags
    cmp {from}, {constant}
@section flags.r
    csel {to}, {constant}, {to}, {flag}

@section flags
# BIT of NZCV, its condition
29 cs
28 vs
30 eq
31 mi

@section clock
    add {to}, {to}, {constant}

# A chain of several cycles each: a delay of every instruction is a smaller share of it.
@section clock.long
    mul {to}, {to}, {constant}

# What a copy may have beside it so that the next one comes later. One line.
@section idle
    nop

@section values
[us]div fast:100/7            other=7 1=100 keep
[us]div slow:2^62/3           other=3 1=0x3fffffffffffffff keep
fdiv    -                     other=0x3ff0000000000001
fsqrt   1.3                   other=0x3ff5555555555555 keep
*       -                     other=0x3ff555553fa00000
