The loops with which `trauma machine probe` measures the present machine; templates/x86_64/probe.s says what the sections are.

A loop is void (uint64_t iterations, uint64_t words[4]). x0 counts the iterations; x2, x3, x4 and x5 hold the words, x1 their
address, x6 the clock's first reading, x7 the return address. A body may use x8 to x17 and v0 to v7 and v16 to v31.

@section head
    .text
    mov x7, x30
    ldr x2, [x1]
    ldr x3, [x1, #8]
    ldr x4, [x1, #16]
    ldr x5, [x1, #24]
    dsb ish                             // the counter waits for nothing by itself: the barriers keep the loop between the
    isb                                 // readings
    mrs x6, cntvct_el0
    isb
    .p2align 6
1:

@section tail
    subs x0, x0, #1
    b.ne 1b
    str x2, [x1]
    str x3, [x1, #8]
    str x4, [x1, #16]
    str x5, [x1, #24]
    dsb ish
    isb
    mrs x0, cntvct_el0
    isb
    sub x0, x0, x6
    ret x7

@section clock
    add x2, x2, x3                      // a chain of one cycle each

@section clock.long
    mul x2, x2, x3                      // a chain of several cycles each: a delay is a smaller share of it

@section chase
    ldr x2, [x2]

@section nop
    nop

@section adds
    add x8, x8, x3                      // ten that do not wait for each other
    add x9, x9, x3
    add x10, x10, x3
    add x11, x11, x3
    add x12, x12, x3
    add x13, x13, x3
    add x14, x14, x3
    add x15, x15, x3
    add x16, x16, x3
    add x17, x17, x3

@section branch
    mov x5, x2                          // the first word is a random number of the step before: the branch knows its way
    mul x2, x2, x4                      // as soon as it is fetched, and what is lost is the way to a new instruction. The
    add x2, x2, x4                      // second selects a bit, or none, which the branch then always finds clear; the
    tst x5, x3                          // third is the multiplier
    b.eq 2f
    nop
2:

@section call
    blr x2

@section jump
    b {target}

@section return
    ret

@section window.before
    cmp x1, #0                          // branches on zero are not taken

@section window.first
    ldr x2, [x2]

@section window.second
    ldr x3, [x3]

@section window.first.waits
    and x9, x2, #1                      // 0, when the load has ended

@section window.second.waits
    and x9, x3, #1

@section window.words
x8 x10 x11 x12 x13 x14 x15 x16 x17

@section window.reorder_buffer
    nop

@section window.load_queue
    ldr {register}, [x1, #24]

@section window.store_queue
    str x0, [x1, #24]

@section window.registers.integer
    add {register}, {register}, x0

@section window.registers.vector
    add v{vector}.2d, v{vector}.2d, v31.2d

@section window.scheduler.integer
    add {register}, {register}, x9

@section window.scheduler.load
    ldr {register}, [x1, x9]

@section window.branches
    b.eq 1b

@section stack.enter
    bl {next}
    b 9f

@section stack.inner
{here}:
    str x30, [sp, #-16]!
    bl {next}
    ldr x30, [sp], #16
    ret

@section stack.last
{here}:
    ret
9:

@section parallel
    ldr x8, [x4, #{offset}]
    ldr x8, [x8]
    str x8, [x4, #{offset}]

@section accesses.before
    mov x8, x2

@section walk.before
    mov x8, x2                          // walks as many bytes as the third word says; the next walk begins as many further
    mov x9, x4                          // as the second says
2:

@section walk.after
    add x8, x8, #{step}
    subs x9, x9, #{step}
    b.ne 2b
    add x2, x2, x3

@section accesses
# BYTES[@FEATURE] LOAD | STORE, the widest first; {offset} is the address
16          ldr q1, [x8, #{offset}] | str q0, [x8, #{offset}]
8           ldr x10, [x8, #{offset}] | str x10, [x8, #{offset}]

@section words
x8 x9 x10 x11 x12 x13 x14 x15 x16 x17

@section vectors
0 1 2 3 4 5 6 7 16 17 18 19 20 21

@section one
x8

@section divisor.8
    movz x9, #0x79b9
    movk x9, #0x9e37, lsl #16
    movz x10, #0xa9c5
    movk x10, #0x2e62, lsl #16
    movk x10, #0x7aea, lsl #32
    movk x10, #0xf135, lsl #48

@section divisor.4
    movz w9, #0x9e37
    movz w10, #0x7aea
    movk w10, #0xf135, lsl #16

@section operands.16
    movz x9, #1                         // numbers near 1 with few and with many bits set, which no unit takes a short way with
    movk x9, #0x3ff0, lsl #48
    dup v31.2d, x9
    movz x9, #0x5555
    movk x9, #0x5555, lsl #16
    movk x9, #0x5555, lsl #32
    movk x9, #0x3ff5, lsl #48
    dup v30.2d, x9

@section rates
# NAME[@FEATURE] REGISTERS BEFORE AFTER TEXT, as in templates/x86_64/probe.s
add        words    -            -  add {register}, {register}, x3
sub        words    -            -  sub {register}, {register}, x3
xor        words    -            -  eor {register}, {register}, x3
mul        words    -            -  mul {register}, {register}, x3
mul.4      words    -            -  mul {register:32}, {register:32}, w3
shift      words    -            -  lsl {register}, {register}, #1
rotate     words    -            -  ror {register}, {register}, #1
andn       words    -            -  bic {register}, {register}, x3
div        one      divisor.8    -  udiv {register}, x10, x9
div.4      one      divisor.4    -  udiv {register:32}, w10, w9
fadd       vectors  operands.16  -  fadd d{register}, d{register}, d31
fmul       vectors  operands.16  -  fmul d{register}, d{register}, d31
fma        vectors  operands.16  -  fmadd d{register}, d31, d{register}, d31
fdiv       vectors  operands.16  -  fdiv d{register}, d30, d31
fdiv.16    vectors  operands.16  -  fdiv v{register}.2d, v30.2d, v31.2d
fsqrt      vectors  operands.16  -  fsqrt d{register}, d30
fsqrt.16   vectors  operands.16  -  fsqrt v{register}.2d, v30.2d
add.16     vectors  operands.16  -  add v{register}.2d, v{register}.2d, v31.2d
sub.16     vectors  operands.16  -  sub v{register}.2d, v{register}.2d, v31.2d
xor.16     vectors  operands.16  -  eor v{register}.16b, v{register}.16b, v31.16b
mul.16     vectors  operands.16  -  mul v{register}.4s, v{register}.4s, v31.4s
shift.16   vectors  -            -  shl v{register}.2d, v{register}.2d, #1
fadd.16    vectors  operands.16  -  fadd v{register}.2d, v{register}.2d, v31.2d
fmul.16    vectors  operands.16  -  fmul v{register}.2d, v{register}.2d, v31.2d
fma.16     vectors  operands.16  -  fmla v{register}.2d, v31.2d, v31.2d
