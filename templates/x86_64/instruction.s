What `trauma measure instruction` puts around the instructions that it measures. Braces are filled in.

A piece of code is: enter, loads of the registers that it uses, loop or nothing, copies of the instruction and of what ties
them together, and the end of either kind: uint64_t (uint64_t iterations, struct insn_state *state). %r15 counts the
iterations, %r14 holds the address of the operand's memory, {disp} is a place of the state from there.

@section enter
    .text
    pushq %rbx
    pushq %rbp
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rdi, %r15
    leaq {memory}(%rsi), %r14
    stmxcsr {mxcsr}(%r14)               # denormals count as zero: no assists
    movl $0x9fc0, {mxcsr_own}(%r14)
    ldmxcsr {mxcsr_own}(%r14)
    lfence
    rdtsc
    lfence
    shlq $32, %rdx
    addq %rdx, %rax
    movq %rax, {start}(%r14)

@section loop
    lfence
    .p2align 6
1:

@section loop.end
    decq %r15
    jnz 1b

# The same without a change of flags, as a chain goes through them.
@section loop.end.carrying
    leaq -1(%r15), %r15
    movq %rcx, {spare}(%r14)
    movq %r15, %rcx
    jrcxz 2f
    movq {spare}(%r14), %rcx
    jmp 1b
2:
    movq {spare}(%r14), %rcx

@section leave
    lfence
    rdtsc
    lfence
    shlq $32, %rdx
    addq %rdx, %rax
    subq {start}(%r14), %rax
    ldmxcsr {mxcsr}(%r14)
    cld
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbp
    popq %rbx
    retq

@section leave.wide
    vzeroupper

@section pool.r
r8 r9 r10 r11 r12 r13 rsi rdi rbx rcx rdx rax rbp

@section pool.memory
rbp

@section pool.v
xmm0 xmm1 xmm2 xmm3 xmm4 xmm5 xmm6 xmm7 xmm8 xmm9 xmm10 xmm11 xmm12 xmm13 xmm14 xmm15

@section pool.v.high
xmm16 xmm17 xmm18 xmm19 xmm20 xmm21 xmm22 xmm23 xmm24 xmm25 xmm26 xmm27 xmm28 xmm29 xmm30 xmm31

@section pool.k
k1 k2 k3 k4 k5 k6 k7

# What stands in braces for a register: letter, pool, bits.
@section names
r pool.r 64
x pool.v 128
y pool.v 256
z pool.v 512
k pool.k 64

@section load.r
    movq {disp}(%r14), %{to}
@section load.v.128
    movups {disp}(%r14), %{to}
@section load.v.256
    vmovups {disp}(%r14), %{to}
@section load.v.512
    vmovups {disp}(%r14), %{to}
@section load.k
    kmovw {disp}(%r14), %{to}
@section load.k.wide
    kmovq {disp}(%r14), %{to}
@section load.flags
    pushq {disp}(%r14)
    popfq

@section save.r
    movq %{from}, {disp}(%r14)
@section save.v.128
    movups %{from}, {disp}(%r14)
@section save.v.256
    vmovups %{from}, {disp}(%r14)
@section save.v.512
    vmovups %{from}, {disp}(%r14)
@section save.k
    kmovw %{from}, {disp}(%r14)
@section save.k.wide
    kmovq %{from}, {disp}(%r14)
@section save.flags
    pushfq
    popq {disp}(%r14)

# Ties: what makes a register wait for another one. The constant holds its first value, zero is 0.

@section reset.r
    movq %{constant}, %{to}
@section reset.v.128
    movaps %{constant}, %{to}
@section reset.v.256
    vmovaps %{constant}, %{to}
@section reset.v.512
    vmovaps %{constant}, %{to}
@section reset.k
    kmovw %{constant}, %{to}
@section reset.flags
    testq %{zero}, %{zero}

@section mix.r
    xorq %{from}, %{to}
    xorq %{from}, %{to}
@section mix.v.128
    xorps %{from}, %{to}
    xorps %{from}, %{to}
@section mix.v.256
    vxorps %{from}, %{to}, %{to}
    vxorps %{from}, %{to}, %{to}
@section mix.v.512
    vpxord %{from}, %{to}, %{to}
    vpxord %{from}, %{to}, %{to}
@section keep.r
    andq %{zero}, %{to}
    orq %{constant}, %{to}
@section keep.v.128
    andps %{zero}, %{to}
    orps %{constant}, %{to}
@section keep.v.256
    vandps %{zero}, %{to}, %{to}
    vorps %{constant}, %{to}, %{to}
@section keep.v.512
    vpandd %{zero}, %{to}, %{to}
    vpord %{constant}, %{to}, %{to}

@section r.v
    movq %{from}, %{to:128}
@section v.r
    movq %{from:128}, %{to}
@section r.v.wide
    vmovq %{from}, %{to:128}
@section v.r.wide
    vmovq %{from:128}, %{to}
@section r.k
    kmovw %{from:32}, %{to}
@section k.r
    kmovw %{from}, %{to:32}
@section m.r
    movq {disp}(%{base}), %{to}
@section r.flags
    cmpq %{constant}, %{from}
@section flags.r
    cmov{flag}q %{constant}, %{to}

@section flags
# BIT of the flags register, letter of its condition
0 c
2 p
6 z
7 s
11 o

@section clock
    addq %{constant}, %{to}

# A chain of several cycles each: a delay of every instruction is a smaller share of it.
@section clock.long
    imulq %{constant}, %{to}

# What a copy may have beside it so that the next one comes later. One line.
@section idle
    nop

@section chase
    movq (%{to}), %{to}

@section values
# MNEMONIC FORM NAME=VALUE...: what the operands hold, a row for each set of values; the first row that fits the mnemonic, and
# those after it of the same pattern. FORM: what is printed beside the number, or -. `other`: each register and memory operand
# that has no value of its own; a vector is filled with it; a number: the register that the text names there. `keep`: the values must not change from copy to copy.
*divq    fast:100/7             rax=100 rdx=0 other=7 keep
*divq    slow:2^124/2^62        rax=0x9e3779b97f4a7c15 rdx=0x1000000000000000 other=0x4000000000000001 keep
*divl    fast:100/7             rax=100 rdx=0 other=7 keep
*divl    slow:2^60/2^30         rax=0x9e3779b9 rdx=0x10000000 other=0x40000001 keep
*divw    fast:100/7             rax=100 rdx=0 other=7 keep
*divw    slow:2^28/2^14         rax=0x9e37 rdx=0x1000 other=0x4001 keep
div[br]  fast:100/7             rax=100 other=7 keep
div[br]  slow:2^12/2^6          rax=0x109e other=0x41 keep
idivb    fast:100/7             rax=100 other=7 keep
idivb    slow:2^12/2^6          rax=0x109e other=0x41 keep
*div?s*  -                      other=0x3f8000013f800001
*div?d*  -                      other=0x3ff0000000000001
*sqrt?s* 1.3                    other=0x3fa666663fa66666 keep
*sqrt?d* 1.3                    other=0x3ff5555555555555 keep
*        -                      other=0x3ff555553fa00000 rax=0x3779b97f4a7c15f1 rdx=0x1b873593cc9e2d51 rcx=21
