# golden/default
# for vectors: 10 units of 9 operations; rates hold over 1 pass
# target l1d.miss_rate = 0
# target l2.miss_rate = 0
# target served.L1 = 1
# target served.L2 = 0
# target data.toggle_rate = 0.2833333333
# target data.toggle_rate.dealt = 0.2833333333
    .text
    .globl trauma_golden__default_kernel
    .type trauma_golden__default_kernel, @function
    .type trauma_kernel, @function
    .p2align 7, 0xcc
trauma_golden__default_kernel:
trauma_kernel:                          # void trauma_kernel(uint64_t iterations, void *data)
    testq %rdi, %rdi
    jz .Ltrauma_return
    pushq %rbx
    pushq %rbp
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    xorl %r9d, %r9d
    xorl %r10d, %r10d
    xorl %r11d, %r11d
    xorl %r13d, %r13d
    xorl %r14d, %r14d
    xorl %r15d, %r15d
    xorl %ecx, %ecx
    movabsq $0x65d9269de4d281b5, %r8
    movabsq $0xa7b5365c3c63b901, %rbx
    movabsq $0xa7b536583c63b901, %r12
    movabsq $0x3ff0000000000001, %r9
    vmovq %r9, %xmm14
    vmovddup %xmm14, %xmm14
    vinsertf128 $1, %xmm14, %ymm14, %ymm14
    movabsq $0x000000003f800000, %r9
    vmovq %r9, %xmm13
    vmovddup %xmm13, %xmm13
    vinsertf128 $1, %xmm13, %ymm13, %ymm13
    movabsq $0x7648ccaf6ab8a62c, %r9
    vmovq %r9, %xmm12
    vmovddup %xmm12, %xmm12
    vinsertf128 $1, %xmm12, %ymm12, %ymm12
    movabsq $0x22d59f2412b6f4d6, %r9
    vmovq %r9, %xmm11
    vmovddup %xmm11, %xmm11
    vinsertf128 $1, %xmm11, %ymm11, %ymm11
    movabsq $0x3fefffffffffffff, %r9
    vmovq %r9, %xmm10
    vmovddup %xmm10, %xmm10
    vinsertf128 $1, %xmm10, %ymm10, %ymm10
    movabsq $0x0000000000009e37, %rbp
    movabsq $0x3fefffffffffffff, %r9
    vmovq %r9, %xmm6
    vmovddup %xmm6, %xmm6
    vinsertf128 $1, %xmm6, %ymm6, %ymm6
    movabsq $0x000000003f7fffff, %r9
    vmovq %r9, %xmm3
    vmovddup %xmm3, %xmm3
    vinsertf128 $1, %xmm3, %ymm3, %ymm3
    vmovaps %ymm3, %ymm4
    vmovaps %ymm3, %ymm5
    movabsq $0x3fefffffffffffff, %r9
    vmovq %r9, %xmm0
    vmovddup %xmm0, %xmm0
    vinsertf128 $1, %xmm0, %ymm0, %ymm0
    vmovaps %ymm0, %ymm1
    vmovaps %ymm0, %ymm2
    movabsq $0x3fefffffffffffff, %r9
    vmovq %r9, %xmm7
    vmovddup %xmm7, %xmm7
    vinsertf128 $1, %xmm7, %ymm7, %ymm7
    movl $-1, %eax             # the first dividend of a chain that goes on over the loop's end
    xorl %edx, %edx
    jmp trauma_loop                     # over what fills the gap, which no two assemblers fill alike
    .p2align 7, 0xcc
trauma_loop:
    movq (%rsi), %rcx                       # unit 0, behaviour 1: L1: the line of all hits
    addq %r8, %r9
    vmovaps %ymm14, %ymm6
    vfmadd213pd %ymm14, %ymm14, %ymm6       # a chain begins
    vfmadd213pd %ymm14, %ymm14, %ymm6
    vmulss %xmm13, %xmm3, %xmm3
    vpsubq %xmm12, %xmm0, %xmm0
    movaps %xmm10, %xmm7
    sqrtsd %xmm10, %xmm7                    # a chain begins
    movl %ecx, %eax
    xorl %edx, %edx
    divl %ebp                               # dependent
    prefetcht0 0(%rsi)
    movq 8(%rsi), %rcx                      # unit 1, behaviour 1: L1: the line of all hits
    addq %rbx, %r11
    vfmadd213pd %ymm14, %ymm14, %ymm6
    vfmadd213pd %ymm14, %ymm14, %ymm6
    vmulss %xmm13, %xmm4, %xmm4
    vpsubq %xmm11, %xmm1, %xmm1
    vsqrtsd %xmm7, %xmm7, %xmm7
    movl %ecx, %eax
    xorl %edx, %edx
    divl %ebp                               # dependent
    prefetcht0 0(%rsi)
    movq 16(%rsi), %rcx                     # unit 2, behaviour 1: L1: the line of all hits
    addq %r8, %r10
    vmovaps %ymm14, %ymm6
    vfmadd213pd %ymm14, %ymm14, %ymm6       # a chain begins
    vfmadd213pd %ymm14, %ymm14, %ymm6
    vmulss %xmm13, %xmm5, %xmm5
    vpsubq %xmm12, %xmm2, %xmm2
    movaps %xmm10, %xmm7
    sqrtsd %xmm10, %xmm7                    # a chain begins
    movl %ecx, %eax
    xorl %edx, %edx
    divl %ebp                               # dependent
    prefetcht0 0(%rsi)
    movq 24(%rsi), %rcx                     # unit 3, behaviour 1: L1: the line of all hits
    addq %r12, %r9
    vfmadd213pd %ymm14, %ymm14, %ymm6
    vfmadd213pd %ymm14, %ymm14, %ymm6
    vmulss %xmm13, %xmm3, %xmm3
    vpsubq %xmm11, %xmm0, %xmm0
    vsqrtsd %xmm7, %xmm7, %xmm7
    movl %ecx, %eax
    xorl %edx, %edx
    divl %ebp                               # dependent
    prefetcht0 0(%rsi)
    movq 32(%rsi), %rcx                     # unit 4, behaviour 1: L1: the line of all hits
    addq %r8, %r11
    vmovaps %ymm14, %ymm6
    vfmadd213pd %ymm14, %ymm14, %ymm6       # a chain begins
    vfmadd213pd %ymm14, %ymm14, %ymm6
    vmulss %xmm13, %xmm4, %xmm4
    vpsubq %xmm12, %xmm1, %xmm1
    movaps %xmm10, %xmm7
    sqrtsd %xmm10, %xmm7                    # a chain begins
    movl %ecx, %eax
    xorl %edx, %edx
    divl %ebp                               # dependent
    prefetcht0 0(%rsi)
    movq 40(%rsi), %rcx                     # unit 5, behaviour 1: L1: the line of all hits
    addq %r8, %r10
    vfmadd213pd %ymm14, %ymm14, %ymm6
    vfmadd213pd %ymm14, %ymm14, %ymm6
    vmulss %xmm13, %xmm5, %xmm5
    vpsubq %xmm12, %xmm2, %xmm2
    vsqrtsd %xmm7, %xmm7, %xmm7
    movl %ecx, %eax
    xorl %edx, %edx
    divl %ebp                               # dependent
    prefetcht0 0(%rsi)
    movq 48(%rsi), %rcx                     # unit 6, behaviour 1: L1: the line of all hits
    addq %r12, %r9
    vmovaps %ymm14, %ymm6
    vfmadd213pd %ymm14, %ymm14, %ymm6       # a chain begins
    vfmadd213pd %ymm14, %ymm14, %ymm6
    vmulss %xmm13, %xmm3, %xmm3
    vpsubq %xmm11, %xmm0, %xmm0
    movaps %xmm10, %xmm7
    sqrtsd %xmm10, %xmm7                    # a chain begins
    movl %ecx, %eax
    xorl %edx, %edx
    divl %ebp                               # dependent
    prefetcht0 0(%rsi)
    movq 56(%rsi), %rcx                     # unit 7, behaviour 1: L1: the line of all hits
    addq %r12, %r11
    vfmadd213pd %ymm14, %ymm14, %ymm6
    vfmadd213pd %ymm14, %ymm14, %ymm6
    vmulss %xmm13, %xmm4, %xmm4
    vpsubq %xmm11, %xmm1, %xmm1
    vsqrtsd %xmm7, %xmm7, %xmm7
    movl %ecx, %eax
    xorl %edx, %edx
    divl %ebp                               # dependent
    prefetcht0 0(%rsi)
    movq (%rsi), %rcx                       # unit 8, behaviour 1: L1: the line of all hits
    addq %r12, %r10
    vmovaps %ymm14, %ymm6
    vfmadd213pd %ymm14, %ymm14, %ymm6       # a chain begins
    vfmadd213pd %ymm14, %ymm14, %ymm6
    vmulss %xmm13, %xmm5, %xmm5
    vpsubq %xmm11, %xmm2, %xmm2
    movaps %xmm10, %xmm7
    sqrtsd %xmm10, %xmm7                    # a chain begins
    movl %ecx, %eax
    xorl %edx, %edx
    divl %ebp                               # dependent
    prefetcht0 0(%rsi)
    movq 8(%rsi), %rcx                      # unit 9, behaviour 1: L1: the line of all hits
    addq %r8, %r9
    vfmadd213pd %ymm14, %ymm14, %ymm6
    vfmadd213pd %ymm14, %ymm14, %ymm6
    vmulss %xmm13, %xmm3, %xmm3
    vpsubq %xmm12, %xmm0, %xmm0
    vsqrtsd %xmm7, %xmm7, %xmm7
    movl %ecx, %eax
    xorl %edx, %edx
    divl %ebp                               # dependent
    prefetcht0 0(%rsi)
trauma_advance:
trauma_close:
    decq %rdi
    jnz trauma_loop
trauma_loop_end:
    vzeroupper
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbp
    popq %rbx
.Ltrauma_return:
    retq
    .size trauma_golden__default_kernel, . - trauma_golden__default_kernel
    .size trauma_kernel, . - trauma_kernel

    .section .rodata
    .globl trauma_golden__default_layout
    .type trauma_golden__default_layout, @object
    .type trauma_layout, @object
    .p2align 3
trauma_golden__default_layout:
trauma_layout:                          # struct trauma_layout of trauma.h
    .quad 64                       # bytes of data
    .quad 8192                       # its alignment
    .quad 0                    # 1: set-up adds the data's address to every value
    .quad 64                        # from this byte on better in huge pages
    .quad 10                      # passes of warm-up
    .quad 1                      # passes over which the rates hold
    .quad 1                        # entries of trauma_runs
    .size trauma_golden__default_layout, . - trauma_golden__default_layout
    .size trauma_layout, . - trauma_layout
    .globl trauma_golden__default_runs
    .type trauma_golden__default_runs, @object
    .type trauma_runs, @object
trauma_golden__default_runs:
trauma_runs:                            # offset in the data, step, count, value of each word
    .quad 0, 8, 8, 0x0000000000000000
    .size trauma_golden__default_runs, . - trauma_golden__default_runs
    .size trauma_runs, . - trauma_runs
    .weak trauma_kernel                 # the same names in every object of a suite: a linker takes the first
    .weak trauma_layout
    .weak trauma_runs
    .section .note.GNU-stack, "", @progbits
