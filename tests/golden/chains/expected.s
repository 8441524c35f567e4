# golden/default
# for orders: 6 units of 10 operations; rates hold over 1 pass
# target l1d.miss_rate = 0
# target l2.miss_rate = 0
# target served.L1 = 1
# target served.L2 = 0
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
    xorl %ebx, %ebx
    xorl %r8d, %r8d
    xorl %ebp, %ebp
    xorl %ecx, %ecx
    jmp trauma_loop                     # over what fills the gap, which no two assemblers fill alike
    .p2align 7, 0xcc
trauma_loop:
    movq (%rsi), %rcx                       # unit 0, behaviour 1: L1: the line of all hits
    movq %rsi, %r9
    addq %rsi, %r9                          # a chain begins
    addq %rsi, %r9
    addq %rsi, %r9
    movq %rsi, %r10
    addq %rsi, %r10                         # a chain begins
    addq %rsi, %r10
    movq %rsi, %r11
    imulq %rsi, %r11                        # a chain begins
    imulq %rsi, %r11
    xorq %rsi, %r14
    xorq %rsi, %r15
    movq 8(%rsi), %rcx                      # unit 1, behaviour 1: L1: the line of all hits
    addq %rsi, %r10
    movq %rsi, %r9
    addq %rsi, %r9                          # a chain begins
    addq %rsi, %r9
    addq %rsi, %r9
    movq %rsi, %r10
    addq %rsi, %r10                         # a chain begins
    imulq %rsi, %r11
    imulq %rsi, %r11
    xorq %rsi, %r12
    xorq %rsi, %rbx
    movq 16(%rsi), %rcx                     # unit 2, behaviour 1: L1: the line of all hits
    addq %rsi, %r10
    addq %rsi, %r10
    movq %rsi, %r9
    addq %rsi, %r9                          # a chain begins
    addq %rsi, %r9
    addq %rsi, %r9
    movq %rsi, %r13
    imulq %rsi, %r13                        # a chain begins
    imulq %rsi, %r13
    xorq %rsi, %r8
    xorq %rsi, %rbp
    movq 24(%rsi), %rcx                     # unit 3, behaviour 1: L1: the line of all hits
    movq %rsi, %r10
    addq %rsi, %r10                         # a chain begins
    addq %rsi, %r10
    addq %rsi, %r10
    movq %rsi, %r9
    addq %rsi, %r9                          # a chain begins
    addq %rsi, %r9
    imulq %rsi, %r13
    imulq %rsi, %r13
    xorq %rsi, %r14
    xorq %rsi, %r15
    movq 32(%rsi), %rcx                     # unit 4, behaviour 1: L1: the line of all hits
    addq %rsi, %r9
    movq %rsi, %r10
    addq %rsi, %r10                         # a chain begins
    addq %rsi, %r10
    addq %rsi, %r10
    movq %rsi, %r9
    addq %rsi, %r9                          # a chain begins
    movq %rsi, %r11
    imulq %rsi, %r11                        # a chain begins
    imulq %rsi, %r11
    xorq %rsi, %r12
    xorq %rsi, %rbx
    movq 40(%rsi), %rcx                     # unit 5, behaviour 1: L1: the line of all hits
    addq %rsi, %r9
    addq %rsi, %r9
    movq %rsi, %r10
    addq %rsi, %r10                         # a chain begins
    addq %rsi, %r10
    addq %rsi, %r10
    imulq %rsi, %r11
    imulq %rsi, %r11
    xorq %rsi, %r8
    xorq %rsi, %rbp
trauma_advance:
trauma_close:
    decq %rdi
    jnz trauma_loop
trauma_loop_end:
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
