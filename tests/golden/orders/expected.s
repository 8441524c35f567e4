# golden/default
# for orders: 16 units of 3 operations; rates hold over 1 pass
# target l1d.miss_rate = 0.375
# target l2.miss_rate = 0
# target served.L1 = 0.625
# target served.L2 = 0.375
# 3 eviction sets, lines per L1D set: 4 in 1, 4 in 10, 4 in 19
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
    movl 4160(%rsi), %ecx                   # unit 0, behaviour 1: L2: L1D set 1, line 1 of 4
    movq (%rsi), %rcx                       # unit 0, behaviour 2: L1: the line of all hits
    nop
    movl 2112(%rsi), %ecx                   # unit 1, behaviour 1: L2: L1D set 1, line 2 of 4
    movq 64(%rsi), %rcx                     # unit 1, behaviour 2: L2: L1D set 1, line 3 of 4
    nop
    movl 6208(%rsi), %ecx                   # unit 2, behaviour 1: L2: L1D set 1, line 4 of 4
    movq 8(%rsi), %rcx                      # unit 2, behaviour 2: L1: the line of all hits
    nop
    movl 5312(%rsi), %ecx                   # unit 3, behaviour 1: L2: L1D set 19, line 1 of 4
    movq 3264(%rsi), %rcx                   # unit 3, behaviour 2: L2: L1D set 19, line 2 of 4
    nop
    movl 16(%rsi), %ecx                     # unit 4, behaviour 1: L1: the line of all hits
    movq 24(%rsi), %rcx                     # unit 4, behaviour 2: L1: the line of all hits
    nop
    movl 32(%rsi), %ecx                     # unit 5, behaviour 1: L1: the line of all hits
    movq 1216(%rsi), %rcx                   # unit 5, behaviour 2: L2: L1D set 19, line 3 of 4
    nop
    movl 40(%rsi), %ecx                     # unit 6, behaviour 1: L1: the line of all hits
    movq 48(%rsi), %rcx                     # unit 6, behaviour 2: L1: the line of all hits
    nop
    movl 56(%rsi), %ecx                     # unit 7, behaviour 1: L1: the line of all hits
    movq 7360(%rsi), %rcx                   # unit 7, behaviour 2: L2: L1D set 19, line 4 of 4
    nop
    movl (%rsi), %ecx                       # unit 8, behaviour 1: L1: the line of all hits
    movq 8(%rsi), %rcx                      # unit 8, behaviour 2: L1: the line of all hits
    nop
    movl 16(%rsi), %ecx                     # unit 9, behaviour 1: L1: the line of all hits
    movq 4736(%rsi), %rcx                   # unit 9, behaviour 2: L2: L1D set 10, line 1 of 4
    nop
    movl 24(%rsi), %ecx                     # unit 10, behaviour 1: L1: the line of all hits
    movq 32(%rsi), %rcx                     # unit 10, behaviour 2: L1: the line of all hits
    nop
    movl 40(%rsi), %ecx                     # unit 11, behaviour 1: L1: the line of all hits
    movq 2688(%rsi), %rcx                   # unit 11, behaviour 2: L2: L1D set 10, line 2 of 4
    nop
    movl 48(%rsi), %ecx                     # unit 12, behaviour 1: L1: the line of all hits
    movq 56(%rsi), %rcx                     # unit 12, behaviour 2: L1: the line of all hits
    nop
    movl (%rsi), %ecx                       # unit 13, behaviour 1: L1: the line of all hits
    movq 640(%rsi), %rcx                    # unit 13, behaviour 2: L2: L1D set 10, line 3 of 4
    nop
    movl 8(%rsi), %ecx                      # unit 14, behaviour 1: L1: the line of all hits
    movq 16(%rsi), %rcx                     # unit 14, behaviour 2: L1: the line of all hits
    nop
    movl 24(%rsi), %ecx                     # unit 15, behaviour 1: L1: the line of all hits
    movq 6784(%rsi), %rcx                   # unit 15, behaviour 2: L2: L1D set 10, line 4 of 4
    nop
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
    .quad 7424                       # bytes of data
    .quad 8192                       # its alignment
    .quad 0                    # 1: set-up adds the data's address to every value
    .quad 7424                        # from this byte on better in huge pages
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
    .quad 0, 8, 928, 0x0000000000000000
    .size trauma_golden__default_runs, . - trauma_golden__default_runs
    .size trauma_runs, . - trauma_runs
    .weak trauma_kernel                 # the same names in every object of a suite: a linker takes the first
    .weak trauma_layout
    .weak trauma_runs
    .section .note.GNU-stack, "", @progbits
