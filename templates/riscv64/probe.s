The loops with which `trauma machine probe` measures the present machine; templates/x86_64/probe.s says what the sections are.

A loop is void (uint64_t iterations, uint64_t words[4]). a0 counts the iterations; a2, a3, a4 and a5 hold the words, a1 their
address, s0 the clock's first reading. A body may use t0 to t6, a6, a7 and s1, and f0 to f7, f10 to f17 and f28 to f31. All
encodings have 4 bytes.

@section head
    .text
    .option norvc
    addi sp, sp, -32
    sd ra, 0(sp)
    sd s0, 8(sp)
    sd s1, 16(sp)
    ld a2, 0(a1)
    ld a3, 8(a1)
    ld a4, 16(a1)
    ld a5, 24(a1)
    fence                               # the clock waits for nothing by itself: the fences keep the loop between the readings
    rdtime s0
    fence
    .p2align 6
1:

@section tail
    addi a0, a0, -1
    bnez a0, 1b
    sd a2, 0(a1)
    sd a3, 8(a1)
    sd a4, 16(a1)
    sd a5, 24(a1)
    fence
    rdtime a0
    fence
    sub a0, a0, s0
    ld ra, 0(sp)
    ld s0, 8(sp)
    ld s1, 16(sp)
    addi sp, sp, 32
    ret

@section clock
    add a2, a2, a3                      # a chain of one cycle each

@section clock.long
    mul a2, a2, a3                      # a chain of several cycles each: a delay is a smaller share of it

@section chase
    ld a2, 0(a2)

@section nop
    nop

@section adds
    add t0, t0, a3                      # ten that do not wait for each other
    add t1, t1, a3
    add t2, t2, a3
    add t3, t3, a3
    add t4, t4, a3
    add t5, t5, a3
    add t6, t6, a3
    add a6, a6, a3
    add a7, a7, a3
    add s1, s1, a3

@section branch
    mv a5, a2                           # the first word is a random number of the step before: the branch knows its way
    mul a2, a2, a4                      # as soon as it is fetched, and what is lost is the way to a new instruction. The
    add a2, a2, a4                      # second selects a bit, or none, which the branch then always finds clear; the
    and a5, a5, a3                      # third is the multiplier
    beqz a5, 2f
    nop
2:

@section call
    jalr a2

@section jump
    j {target}

@section return
    ret

@section window.before

@section window.first
    ld a2, 0(a2)

@section window.second
    ld a3, 0(a3)

@section window.first.waits
    andi t1, a2, 1                      # 0, when the load has ended
    add t1, t1, a1

@section window.second.waits
    andi t1, a3, 1
    add t1, t1, a1

@section window.words
t0 t2 t3 t4 t5 t6 a6 a7 s1

@section window.reorder_buffer
    nop

@section window.load_queue
    ld {register}, 24(a1)

@section window.store_queue
    sd a0, 24(a1)

@section window.registers.integer
    add {register}, {register}, a0

@section window.registers.vector
    fadd.d {vector}, {vector}, f31

@section window.scheduler.integer
    add {register}, {register}, t1

@section window.scheduler.load
    ld {register}, 24(t1)

@section window.branches
    beqz a1, 1b

@section stack.enter
    jal {next}
    j 9f

@section stack.inner
{here}:
    addi sp, sp, -16
    sd ra, 0(sp)
    jal {next}
    ld ra, 0(sp)
    addi sp, sp, 16
    ret

@section stack.last
{here}:
    ret
9:

@section parallel
    ld t0, {offset}(a4)
    ld t0, 0(t0)
    sd t0, {offset}(a4)

@section accesses.before
    mv t0, a2

@section walk.before
    mv t0, a2                           # walks as many bytes as the third word says; the next walk begins as many further
    mv t1, a4                           # as the second says
2:

@section walk.after
    addi t0, t0, {step}
    addi t1, t1, -{step}
    bnez t1, 2b
    add a2, a2, a3

@section accesses
# BYTES[@FEATURE] LOAD | STORE, the widest first; {offset} is the address
8           ld t2, {offset}(t0) | sd t2, {offset}(t0)

@section words
t0 t1 t2 t3 t4 t5 t6 a6 a7 s1

@section vectors
f0 f1 f2 f3 f4 f5 f6 f7 f10 f11 f12 f13 f14 f15

@section one
t0

@section divisor.8
    lui t1, 0x9e37
    addi t1, t1, 0x79b
    lui t2, 0x7a2e6
    slli t2, t2, 32
    add t2, t2, t1

@section divisor.4
    lui t1, 0x9
    addi t1, t1, 0x637
    lui t2, 0x7a2e6

@section operands.8
    lui t1, 0x3ff00                     # numbers near 1 with few and with many bits set, which no unit takes a short way with
    slli t1, t1, 32
    addi t1, t1, 1
    fmv.d.x f31, t1
    lui t1, 0x3ff55
    addi t1, t1, 0x555
    slli t1, t1, 32
    addi t1, t1, 0x555
    fmv.d.x f30, t1

@section rates
# NAME[@FEATURE] REGISTERS BEFORE AFTER TEXT, as in templates/x86_64/probe.s
add        words    -           -  add {register}, {register}, a3
sub        words    -           -  sub {register}, {register}, a3
xor        words    -           -  xor {register}, {register}, a3
mul        words    -           -  mul {register}, {register}, a3
mul.4      words    -           -  mulw {register}, {register}, a3
shift      words    -           -  slli {register}, {register}, 1
rotate@zbb words    -           -  rori {register}, {register}, 1
andn@zbb   words    -           -  andn {register}, {register}, a3
popcount@zbb words  -           -  cpop {register}, a3
shadd@zba  words    -           -  sh1add {register}, {register}, a3
div        one      divisor.8   -  divu {register}, t2, t1
div.4      one      divisor.4   -  divuw {register}, t2, t1
fadd       vectors  operands.8  -  fadd.d {register}, {register}, f31
fmul       vectors  operands.8  -  fmul.d {register}, {register}, f31
fma        vectors  operands.8  -  fmadd.d {register}, {register}, f31, f31
fdiv       vectors  operands.8  -  fdiv.d {register}, f30, f31
fsqrt      vectors  operands.8  -  fsqrt.d {register}, f30
