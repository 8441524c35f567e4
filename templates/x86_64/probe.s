The loops with which `trauma machine probe` measures the present machine. Braces are filled in by the probe.

A loop is head, before, some copies of its body, after, tail: void (uint64_t iterations, uint64_t words[4]), which returns
the clock's ticks from before the first iteration to after the last. %rdi counts the iterations; %rax, %rbx, %rcx and %rdx hold
the words, and keep them from call to call, so that a chase goes on where it stopped. A body may use %r8 to %r14 and vector
registers besides, and labels from 2. In a body {offset} is a multiple of the copy's number.

@section head
    .text
    pushq %rbx
    pushq %rbp
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsi, %rbp
    pxor %xmm0, %xmm0                   # what other code left may be denormal, whose multiplications take assists
    pxor %xmm1, %xmm1
    pxor %xmm2, %xmm2
    pxor %xmm3, %xmm3
    pxor %xmm4, %xmm4
    pxor %xmm5, %xmm5
    pxor %xmm6, %xmm6
    pxor %xmm7, %xmm7
    pxor %xmm8, %xmm8
    pxor %xmm9, %xmm9
    pxor %xmm10, %xmm10
    pxor %xmm11, %xmm11
    pxor %xmm12, %xmm12
    pxor %xmm13, %xmm13
    pxor %xmm14, %xmm14
    pxor %xmm15, %xmm15
    lfence                              # rdtsc waits for nothing by itself: the fences keep the loop between the readings
    rdtsc
    lfence
    shlq $32, %rdx
    leaq (%rax,%rdx), %r15
    movq (%rbp), %rax
    movq 8(%rbp), %rbx
    movq 16(%rbp), %rcx
    movq 24(%rbp), %rdx
    lfence
    .p2align 6
1:

@section tail
    decq %rdi
    jnz 1b
    movq %rax, (%rbp)
    movq %rbx, 8(%rbp)
    movq %rcx, 16(%rbp)
    movq %rdx, 24(%rbp)
    lfence
    rdtsc
    lfence
    shlq $32, %rdx
    addq %rdx, %rax
    subq %r15, %rax
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbp
    popq %rbx
    retq

@section clock
    addq %rbx, %rax                     # a chain of one cycle each

@section clock.long
    imulq %rbx, %rax                    # a chain of several cycles each: a delay is a smaller share of it

@section chase
    movq (%rax), %rax

@section nop
    nopl 0(%rax)

@section adds
    addq %rbx, %r8                      # ten that do not wait for each other
    addq %rbx, %r9
    addq %rbx, %r10
    addq %rbx, %r11
    addq %rbx, %r12
    addq %rbx, %r13
    addq %rbx, %r14
    addq %rbx, %rax
    addq %rbx, %rcx
    addq %rbx, %rdx

@section branch
    movq %rax, %rdx                     # the first word is a random number of the step before: the branch knows its way
    imulq %rcx, %rax                    # as soon as it is fetched, and what is lost is the way to a new instruction. The
    addq %rcx, %rax                     # second selects a bit, or none, which the branch then always finds clear; the
    testq %rbx, %rdx                    # third is the multiplier
    jz 2f
    nop
2:

@section call
    callq *%rax

@section jump
    jmp {target}

@section return
    retq

@section window.before
    testq %rsp, %rsp                    # branches on zero are not taken

@section window.first
    movq (%rax), %rax

@section window.second
    movq (%rbx), %rbx

@section window.first.waits
    movq %rax, %r9                      # 0, when the load has ended
    andq $0, %r9

@section window.second.waits
    movq %rbx, %r9
    andq $0, %r9

@section window.words
r8 r10 r11 r12 r13 r14

@section window.reorder_buffer
    nop

@section window.load_queue
    movq 24(%rbp), %{register}

@section window.store_queue
    movq %rdi, 24(%rbp)

@section window.registers.integer
    addq %rdi, %{register}

@section window.registers.vector
    paddq %xmm15, %xmm{vector}

@section window.registers.mask
    kaddd %k1, %k2, %k3

@section window.scheduler.integer
    addq %r9, %{register}

@section window.scheduler.load
    movq 24(%rbp,%r9), %{register}

@section window.branches
    jz 1b

@section stack.enter
    callq {next}
    jmp 9f

@section stack.inner
{here}:
    callq {next}
    retq

@section stack.last
{here}:
    retq
9:

@section parallel
    movq {offset}(%rcx), %r8
    movq (%r8), %r8
    movq %r8, {offset}(%rcx)

@section replace.block
    leaq {block}(%rax), %r8             # a block: one of the lines that meet in the sets

@section replace.load
    movq {offset}(%r8), %r9             # of one of the sets

@section replace.flush
    clflush {offset}(%r8)

@section replace.fence
    mfence
    lfence

@section replace.clear
    movq %rbx, %r8                      # a chain through other lines, that leave the level in front no room
    movl ${count}, %r9d
3:  movq (%r8), %r8
    decl %r9d
    jnz 3b
    lfence

@section replace.begin
    movq %rax, %r10
    xorl %r13d, %r13d
    lfence
    rdtsc
    lfence
    shlq $32, %rdx
    leaq (%rax,%rdx), %r11
    movq %r10, %rax

@section replace.probe
    movq {offset}(%r8,%r13), %r13       # zeros: each load waits for the one before

@section replace.end
    addq %r13, %rax
    movq %rax, %r10
    lfence
    rdtsc
    lfence
    shlq $32, %rdx
    addq %rdx, %rax
    subq %r11, %rax
    addq %rax, %rcx                     # the third word sums the ticks
    movq %r10, %rax

@section accesses.before
    movq %rax, %r8

@section walk.before
    movq %rax, %r8                      # walks as many bytes as the third word says; the next walk begins as many further
    movq %rcx, %r9                      # as the second says
2:

@section walk.after
    addq ${step}, %r8
    subq ${step}, %r9
    jnz 2b
    addq %rbx, %rax

@section accesses
# BYTES[@FEATURE] LOAD | STORE, the widest first; {offset} is the address
64@avx512f  vmovups {offset}(%r8), %zmm1 | vmovups %zmm0, {offset}(%r8)
32@avx      vmovups {offset}(%r8), %ymm1 | vmovups %ymm0, {offset}(%r8)
16          movups {offset}(%r8), %xmm1 | movups %xmm0, {offset}(%r8)
8           movq {offset}(%r8), %r10 | movq %r10, {offset}(%r8)

@section words
r8 r9 r10 r11 r12 r13 r14 rax rcx rdx

@section vectors
0 1 2 3 4 5 6 7 8 9 10 11 12

@section one
1

@section divisor.8
    movl    $0x9e3779b9, %ebx

@section divisor.4
    movl $0x9e37, %ebx

@section operands.16
    movabsq $0x3ff0000000000001, %rcx   # numbers near 1 with few and with many bits set, which no unit takes a short way with
    movq %rcx, %xmm15
    movabsq $0x3ff5555555555555, %rcx
    movq %rcx, %xmm14
    punpcklqdq %xmm15, %xmm15
    punpcklqdq %xmm14, %xmm14

@section operands.32
    movabsq $0x3ff0000000000001, %rcx
    movq %rcx, %xmm15
    movabsq $0x3ff5555555555555, %rcx
    movq %rcx, %xmm14
    punpcklqdq %xmm15, %xmm15
    punpcklqdq %xmm14, %xmm14
    vinsertf128 $1, %xmm15, %ymm15, %ymm15
    vinsertf128 $1, %xmm14, %ymm14, %ymm14

@section operands.64
    movabsq $0x3ff0000000000001, %rcx
    movq %rcx, %xmm15
    movabsq $0x3ff5555555555555, %rcx
    movq %rcx, %xmm14
    punpcklqdq %xmm15, %xmm15
    punpcklqdq %xmm14, %xmm14
    vbroadcastsd %xmm15, %zmm15
    vbroadcastsd %xmm14, %zmm14

@section upper
    vzeroupper

@section rates
# NAME[@FEATURE] REGISTERS BEFORE AFTER TEXT: the text once for each register that the section REGISTERS lists, so many that
# no operation waits for the one before; the sections BEFORE and AFTER, or -, enclose an iteration. Machine files have the name
# as per_cycle: an operation's, with its width where it is not 8 bytes. Of a division the text is that of its row in ops.txt.
add               words    -            -      addq %rbx, %{register}
sub               words    -            -      subq %rbx, %{register}
xor               words    -            -      xorq %rbx, %{register}
mul               words    -            -      imulq %rbx, %{register}
shift             words    -            -      shlq $1, %{register}
rotate            words    -            -      rorq $1, %{register}
andn@bmi1         words    -            -      andnq %{register}, %rbx, %{register}
popcount@popcnt   words    -            -      popcntq %rbx, %{register}
shadd             words    -            -      leaq (%rbx,%{register},2), %{register}
div               one      divisor.8    -      movabsq $0xf1357aea2e62a9c5, %rax; xorl %edx, %edx; divq %rbx
div.4             one      divisor.4    -      movl $0xf1357aea, %eax; xorl %edx, %edx; divl %ebx
fadd              vectors  operands.16  -      addsd %xmm15, %xmm{register}
fmul              vectors  operands.16  -      mulsd %xmm15, %xmm{register}
fma@fma           vectors  operands.16  -      vfmadd231sd %xmm15, %xmm15, %xmm{register}
fdiv              vectors  operands.16  -      movaps %xmm14, %xmm{register}; divsd %xmm15, %xmm{register}
fdiv.16           vectors  operands.16  -      movaps %xmm14, %xmm{register}; divpd %xmm15, %xmm{register}
fdiv.32@avx       vectors  operands.32  upper  vdivpd %ymm15, %ymm14, %ymm{register}
fdiv.64@avx512f   vectors  operands.64  upper  vdivpd %zmm15, %zmm14, %zmm{register}
fsqrt             vectors  operands.16  -      movaps %xmm14, %xmm{register}; sqrtsd %xmm14, %xmm{register}
fsqrt.16          vectors  operands.16  -      sqrtpd %xmm14, %xmm{register}
fsqrt.32@avx      vectors  operands.32  upper  vsqrtpd %ymm14, %ymm{register}
fsqrt.64@avx512f  vectors  operands.64  upper  vsqrtpd %zmm14, %zmm{register}
add.16            vectors  operands.16  -      paddq %xmm15, %xmm{register}
add.32@avx2       vectors  operands.32  upper  vpaddq %ymm15, %ymm{register}, %ymm{register}
add.64@avx512f    vectors  operands.64  upper  vpaddq %zmm15, %zmm{register}, %zmm{register}
sub.16            vectors  operands.16  -      psubq %xmm15, %xmm{register}
sub.32@avx2       vectors  operands.32  upper  vpsubq %ymm15, %ymm{register}, %ymm{register}
sub.64@avx512f    vectors  operands.64  upper  vpsubq %zmm15, %zmm{register}, %zmm{register}
xor.16            vectors  operands.16  -      pxor %xmm15, %xmm{register}
xor.32@avx2       vectors  operands.32  upper  vpxor %ymm15, %ymm{register}, %ymm{register}
xor.64@avx512f    vectors  operands.64  upper  vpxorq %zmm15, %zmm{register}, %zmm{register}
mul.16            vectors  operands.16  -      pmuludq %xmm15, %xmm{register}
mul.32@avx2       vectors  operands.32  upper  vpmuludq %ymm15, %ymm{register}, %ymm{register}
mul.64@avx512f    vectors  operands.64  upper  vpmuludq %zmm15, %zmm{register}, %zmm{register}
shift.16          vectors  -            -      psllq $1, %xmm{register}
shift.32@avx2     vectors  -            upper  vpsllq $1, %ymm{register}, %ymm{register}
shift.64@avx512f  vectors  -            upper  vpsllq $1, %zmm{register}, %zmm{register}
fadd.16           vectors  operands.16  -      addpd %xmm15, %xmm{register}
fadd.32@avx       vectors  operands.32  upper  vaddpd %ymm15, %ymm{register}, %ymm{register}
fadd.64@avx512f   vectors  operands.64  upper  vaddpd %zmm15, %zmm{register}, %zmm{register}
fmul.16           vectors  operands.16  -      mulpd %xmm15, %xmm{register}
fmul.32@avx       vectors  operands.32  upper  vmulpd %ymm15, %ymm{register}, %ymm{register}
fmul.64@avx512f   vectors  operands.64  upper  vmulpd %zmm15, %zmm{register}, %zmm{register}
fma.16@fma        vectors  operands.16  -      vfmadd231pd %xmm15, %xmm15, %xmm{register}
fma.32@fma        vectors  operands.32  upper  vfmadd231pd %ymm15, %ymm15, %ymm{register}
fma.64@avx512f    vectors  operands.64  upper  vfmadd231pd %zmm15, %zmm15, %zmm{register}
