# golden/default
# for sometimes: 30 units of 2 operations; rates hold over 10 passes
# target l1d.miss_rate = 0.37
# target l2.miss_rate = 0
# target served.L1 = 0.63
# target served.L2 = 0.37
# 2 eviction sets, lines per L1D set: 7 in 1, 5 in 16
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
    xorl %ebx, %ebx
    xorl %ecx, %ecx
    movq 12416(%rsi), %r12        # passes since the period began
    jmp trauma_loop                     # over what fills the gap, which no two assemblers fill alike
    .p2align 7, 0xcc
trauma_loop:
    movq (%rsi), %rcx                       # unit 0, behaviour 1: L1: the line of all hits
    addq %rcx, %r9                          # dependent
    movq 8(%rsi), %rcx                      # unit 1, behaviour 1: L1: the line of all hits
    addq %rcx, %r10                         # dependent
    movq 16(%rsi), %rcx                     # unit 2, behaviour 1: L1: the line of all hits
    addq %rcx, %r11                         # dependent
    movq 24(%rsi), %rcx                     # unit 3, behaviour 1: L1: the line of all hits
    addq %rcx, %r13                         # dependent
    movq 32(%rsi), %rcx                     # unit 4, behaviour 1: L1: the line of all hits
    addq %rcx, %r14                         # dependent
    movq 10304(%rsi), %rcx                  # unit 5, behaviour 1: L2: L1D set 1, line 1 of 7
    addq %rcx, %r15                         # dependent
    movq 40(%rsi), %rcx                     # unit 6, behaviour 1: L1: the line of all hits
    addq %rcx, %rbx                         # dependent
    movq 8256(%rsi), %rcx                   # unit 7, behaviour 1: L2: L1D set 1, line 2 of 7
    addq %rcx, %r9                          # dependent
    movq 4160(%rsi), %rcx                   # unit 8, behaviour 1: L2: L1D set 1, line 3 of 7
    addq %rcx, %r10                         # dependent
    movq 48(%rsi), %rcx                     # unit 9, behaviour 1: L1: the line of all hits
    addq %rcx, %r11                         # dependent
    movq 56(%rsi), %rcx                     # unit 10, behaviour 1: L1: the line of all hits
    addq %rcx, %r13                         # dependent
    movq (%rsi), %rcx                       # unit 11, behaviour 1: L1: the line of all hits
    addq %rcx, %r14                         # dependent
    movq 8(%rsi), %rcx                      # unit 12, behaviour 1: L1: the line of all hits
    addq %rcx, %r15                         # dependent
    movq 16(%rsi), %rcx                     # unit 13, behaviour 1: L1: the line of all hits
    addq %rcx, %rbx                         # dependent
    movq 2112(%rsi), %rcx                   # unit 14, behaviour 1: L2: L1D set 1, line 4 of 7
    addq %rcx, %r9                          # dependent
    movq 24(%rsi), %rcx                     # unit 15, behaviour 1: L1: the line of all hits
    addq %rcx, %r10                         # dependent
    movq 32(%rsi), %rcx                     # unit 16, behaviour 1: L1: the line of all hits
    addq %rcx, %r11                         # dependent
    movq 64(%rsi), %rcx                     # unit 17, behaviour 1: L2: L1D set 1, line 5 of 7
    addq %rcx, %r13                         # dependent
    movq 6208(%rsi), %rcx                   # unit 18, behaviour 1: L2: L1D set 1, line 6 of 7
    addq %rcx, %r14                         # dependent
    movq 40(%rsi), %rcx                     # unit 19, behaviour 1: L1: the line of all hits
    addq %rcx, %r15                         # dependent
    movq 48(%rsi), %rcx                     # unit 20, behaviour 1: L1: the line of all hits
    addq %rcx, %rbx                         # dependent
    leaq 12352(%rsi), %rbp
    leaq 56(%rsi), %r8
    cmpq $1, %r12
    cmovaeq %r8, %rbp
    movq (%rbp), %rcx                       # unit 21, behaviour 1: in 1 of 10 passes L2: L1D set 1, line 7 of 7; in 9 of 10 passes L1: the line of all hits
    addq %rcx, %r9                          # dependent
    movq 3072(%rsi), %rcx                   # unit 22, behaviour 1: L2: L1D set 16, line 1 of 5
    addq %rcx, %r10                         # dependent
    movq 5120(%rsi), %rcx                   # unit 23, behaviour 1: L2: L1D set 16, line 2 of 5
    addq %rcx, %r11                         # dependent
    movq (%rsi), %rcx                       # unit 24, behaviour 1: L1: the line of all hits
    addq %rcx, %r13                         # dependent
    movq 7168(%rsi), %rcx                   # unit 25, behaviour 1: L2: L1D set 16, line 3 of 5
    addq %rcx, %r14                         # dependent
    movq 8(%rsi), %rcx                      # unit 26, behaviour 1: L1: the line of all hits
    addq %rcx, %r15                         # dependent
    movq 1024(%rsi), %rcx                   # unit 27, behaviour 1: L2: L1D set 16, line 4 of 5
    addq %rcx, %rbx                         # dependent
    movq 9216(%rsi), %rcx                   # unit 28, behaviour 1: L2: L1D set 16, line 5 of 5
    addq %rcx, %r9                          # dependent
    movq 16(%rsi), %rcx                     # unit 29, behaviour 1: L1: the line of all hits
    addq %rcx, %r10                         # dependent
trauma_advance:
    incq %r12
    movl $0, %ebp
    cmpq $10, %r12
    cmovaeq %rbp, %r12
trauma_close:
    decq %rdi
    jnz trauma_loop
trauma_loop_end:
    movq %r12, 12416(%rsi)
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
    .quad 12480                       # bytes of data
    .quad 8192                       # its alignment
    .quad 0                    # 1: set-up adds the data's address to every value
    .quad 12480                        # from this byte on better in huge pages
    .quad 20                      # passes of warm-up
    .quad 10                      # passes over which the rates hold
    .quad 2                        # entries of trauma_runs
    .size trauma_golden__default_layout, . - trauma_golden__default_layout
    .size trauma_layout, . - trauma_layout
    .globl trauma_golden__default_runs
    .type trauma_golden__default_runs, @object
    .type trauma_runs, @object
trauma_golden__default_runs:
trauma_runs:                            # offset in the data, step, count, value of each word
    .quad 0, 8, 1552, 0x0000000000000000
    .quad 12416, 0, 1, 0x0000000000000000
    .size trauma_golden__default_runs, . - trauma_golden__default_runs
    .size trauma_runs, . - trauma_runs
    .weak trauma_kernel                 # the same names in every object of a suite: a linker takes the first
    .weak trauma_layout
    .weak trauma_runs
    .section .note.GNU-stack, "", @progbits
