# golden/default
# for rotating: 50 units of 2 operations; rates hold over 20 passes
# target l1d.miss_rate = 0.02
# target l2.miss_rate = 0
# target served.L1 = 0.98
# target served.L2 = 0.02
# 1 eviction set, lines per L1D set: 20 in 1
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
    xorl %r12d, %r12d
    xorl %r8d, %r8d
    xorl %ecx, %ecx
    movq 77952(%rsi), %rbx    # this pass's base, as the call before left it
    addq %rsi, %rbx
    jmp trauma_loop                     # over what fills the gap, which no two assemblers fill alike
    .p2align 7, 0xcc
trauma_loop:
    movq (%rsi), %rcx                       # unit 0, behaviour 1: L1: the line of all hits
    addq %rsi, %r9
    movq 8(%rsi), %rcx                      # unit 1, behaviour 1: L1: the line of all hits
    addq %rsi, %r10
    movq 16(%rsi), %rcx                     # unit 2, behaviour 1: L1: the line of all hits
    addq %rsi, %r11
    movq 24(%rsi), %rcx                     # unit 3, behaviour 1: L1: the line of all hits
    addq %rsi, %r13
    movq 32(%rsi), %rcx                     # unit 4, behaviour 1: L1: the line of all hits
    addq %rsi, %r14
    movq 40(%rsi), %rcx                     # unit 5, behaviour 1: L1: the line of all hits
    addq %rsi, %r15
    movq 48(%rsi), %rcx                     # unit 6, behaviour 1: L1: the line of all hits
    addq %rsi, %r12
    movq 56(%rsi), %rcx                     # unit 7, behaviour 1: L1: the line of all hits
    addq %rsi, %r8
    movq (%rsi), %rcx                       # unit 8, behaviour 1: L1: the line of all hits
    addq %rsi, %r9
    movq 8(%rsi), %rcx                      # unit 9, behaviour 1: L1: the line of all hits
    addq %rsi, %r10
    movq 16(%rsi), %rcx                     # unit 10, behaviour 1: L1: the line of all hits
    addq %rsi, %r11
    movq 24(%rsi), %rcx                     # unit 11, behaviour 1: L1: the line of all hits
    addq %rsi, %r13
    movq 32(%rsi), %rcx                     # unit 12, behaviour 1: L1: the line of all hits
    addq %rsi, %r14
    movq 40(%rsi), %rcx                     # unit 13, behaviour 1: L1: the line of all hits
    addq %rsi, %r15
    movq 48(%rsi), %rcx                     # unit 14, behaviour 1: L1: the line of all hits
    addq %rsi, %r12
    movq 56(%rsi), %rcx                     # unit 15, behaviour 1: L1: the line of all hits
    addq %rsi, %r8
    movq (%rsi), %rcx                       # unit 16, behaviour 1: L1: the line of all hits
    addq %rsi, %r9
    movq 8(%rsi), %rcx                      # unit 17, behaviour 1: L1: the line of all hits
    addq %rsi, %r10
    movq 16(%rsi), %rcx                     # unit 18, behaviour 1: L1: the line of all hits
    addq %rsi, %r11
    movq 24(%rsi), %rcx                     # unit 19, behaviour 1: L1: the line of all hits
    addq %rsi, %r13
    movq 32(%rsi), %rcx                     # unit 20, behaviour 1: L1: the line of all hits
    addq %rsi, %r14
    movq 40(%rsi), %rcx                     # unit 21, behaviour 1: L1: the line of all hits
    addq %rsi, %r15
    movq 48(%rsi), %rcx                     # unit 22, behaviour 1: L1: the line of all hits
    addq %rsi, %r12
    movq 56(%rsi), %rcx                     # unit 23, behaviour 1: L1: the line of all hits
    addq %rsi, %r8
    movq (%rsi), %rcx                       # unit 24, behaviour 1: L1: the line of all hits
    addq %rsi, %r9
    movq 64(%rbx), %rcx                     # unit 25, behaviour 1: L2: L1D set 1, line 1 of 20, the next in the next pass
    addq %rsi, %r10
    movq 8(%rsi), %rcx                      # unit 26, behaviour 1: L1: the line of all hits
    addq %rsi, %r11
    movq 16(%rsi), %rcx                     # unit 27, behaviour 1: L1: the line of all hits
    addq %rsi, %r13
    movq 24(%rsi), %rcx                     # unit 28, behaviour 1: L1: the line of all hits
    addq %rsi, %r14
    movq 32(%rsi), %rcx                     # unit 29, behaviour 1: L1: the line of all hits
    addq %rsi, %r15
    movq 40(%rsi), %rcx                     # unit 30, behaviour 1: L1: the line of all hits
    addq %rsi, %r12
    movq 48(%rsi), %rcx                     # unit 31, behaviour 1: L1: the line of all hits
    addq %rsi, %r8
    movq 56(%rsi), %rcx                     # unit 32, behaviour 1: L1: the line of all hits
    addq %rsi, %r9
    movq (%rsi), %rcx                       # unit 33, behaviour 1: L1: the line of all hits
    addq %rsi, %r10
    movq 8(%rsi), %rcx                      # unit 34, behaviour 1: L1: the line of all hits
    addq %rsi, %r11
    movq 16(%rsi), %rcx                     # unit 35, behaviour 1: L1: the line of all hits
    addq %rsi, %r13
    movq 24(%rsi), %rcx                     # unit 36, behaviour 1: L1: the line of all hits
    addq %rsi, %r14
    movq 32(%rsi), %rcx                     # unit 37, behaviour 1: L1: the line of all hits
    addq %rsi, %r15
    movq 40(%rsi), %rcx                     # unit 38, behaviour 1: L1: the line of all hits
    addq %rsi, %r12
    movq 48(%rsi), %rcx                     # unit 39, behaviour 1: L1: the line of all hits
    addq %rsi, %r8
    movq 56(%rsi), %rcx                     # unit 40, behaviour 1: L1: the line of all hits
    addq %rsi, %r9
    movq (%rsi), %rcx                       # unit 41, behaviour 1: L1: the line of all hits
    addq %rsi, %r10
    movq 8(%rsi), %rcx                      # unit 42, behaviour 1: L1: the line of all hits
    addq %rsi, %r11
    movq 16(%rsi), %rcx                     # unit 43, behaviour 1: L1: the line of all hits
    addq %rsi, %r13
    movq 24(%rsi), %rcx                     # unit 44, behaviour 1: L1: the line of all hits
    addq %rsi, %r14
    movq 32(%rsi), %rcx                     # unit 45, behaviour 1: L1: the line of all hits
    addq %rsi, %r15
    movq 40(%rsi), %rcx                     # unit 46, behaviour 1: L1: the line of all hits
    addq %rsi, %r12
    movq 48(%rsi), %rcx                     # unit 47, behaviour 1: L1: the line of all hits
    addq %rsi, %r8
    movq 56(%rsi), %rcx                     # unit 48, behaviour 1: L1: the line of all hits
    addq %rsi, %r9
    movq (%rsi), %rcx                       # unit 49, behaviour 1: L1: the line of all hits
    addq %rsi, %r10
trauma_advance:
    addq $4096, %rbx
    leaq 81920(%rsi), %rbp
    cmpq %rbp, %rbx
    leaq -81920(%rbx), %rbp
    cmovaeq %rbp, %rbx
trauma_close:
    decq %rdi
    jnz trauma_loop
trauma_loop_end:
    subq %rsi, %rbx
    movq %rbx, 77952(%rsi)
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
    .quad 78016                       # bytes of data
    .quad 65536                       # its alignment
    .quad 0                    # 1: set-up adds the data's address to every value
    .quad 78016                        # from this byte on better in huge pages
    .quad 40                      # passes of warm-up
    .quad 20                      # passes over which the rates hold
    .quad 3                        # entries of trauma_runs
    .size trauma_golden__default_layout, . - trauma_golden__default_layout
    .size trauma_layout, . - trauma_layout
    .globl trauma_golden__default_runs
    .type trauma_golden__default_runs, @object
    .type trauma_runs, @object
trauma_golden__default_runs:
trauma_runs:                            # offset in the data, step, count, value of each word
    .quad 0, 8, 9744, 0x0000000000000000
    .quad 77952, 0, 1, 0x0000000000000000
    .quad 77960, 0, 1, 0x0000000000000000
    .size trauma_golden__default_runs, . - trauma_golden__default_runs
    .size trauma_runs, . - trauma_runs
    .weak trauma_kernel                 # the same names in every object of a suite: a linker takes the first
    .weak trauma_layout
    .weak trauma_runs
    .section .note.GNU-stack, "", @progbits
