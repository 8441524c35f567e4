# golden/default
# for rings: 10 units of 3 operations; rates hold over 2 passes
# target l1d.miss_rate = 0.325
# target l2.miss_rate = 0.6923076923
# target l3.miss_rate = 0.6666666667
# target served.L1 = 0.45
# target served.L2 = 0.2
# target served.L3 = 0.15
# target served.MEM = 0.2
# working set for L2, by conflict: 4 lines; its base has 2 positions and moves by 3072 bytes per pass
# working set for L3, by capacity: 104 lines; its base has 104 positions and moves by 7040 bytes per pass
# working set for MEM, by capacity: 5640 lines; its base has 1880 positions and moves by 255744 bytes per pass
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
    xorl %ecx, %ecx
    xorl %edx, %edx
    movq 2048(%rsi), %rbx    # this pass's base, as the call before left it
    addq %rsi, %rbx
    movq 2056(%rsi), %r15    # this pass's base, as the call before left it
    addq %rsi, %r15
    movq 2064(%rsi), %r14    # this pass's base, as the call before left it
    addq %rsi, %r14
    movq 2072(%rsi), %r12        # passes since the period began
    jmp trauma_loop                     # over what fills the gap, which no two assemblers fill alike
    .p2align 7, 0xcc
trauma_loop:
    leaq 25664(%r15), %rbp
    leaq 0(%rsi), %r8
    cmpq $1, %r12
    cmovaeq %r8, %rbp
    movq (%rbp), %rcx                       # unit 0, behaviour 1: in 1 of 2 passes L3: line 2 of its pass's, the next in the next pass; in 1 of 2 passes L1: the line of all hits
    addq %rcx, %r9                          # dependent
    movq %rdx, 181344(%r14)                 # unit 0, behaviour 3: MEM: line 1 of its pass's, the next in the next pass
    movq 512(%rbx), %rcx                    # unit 1, behaviour 1: L2: line 1 of its pass's, the next in the next pass
    addq %rcx, %r10                         # dependent
    movq %rdx, 1024(%rsi)                   # unit 1, behaviour 3: L1: the line of all hits
    movq 8(%rsi), %rcx                      # unit 2, behaviour 1: L1: the line of all hits
    addq %rcx, %r11                         # dependent
    movq %rdx, 1024(%rsi)                   # unit 2, behaviour 3: L1: the line of all hits
    movq 12352(%r15), %rcx                  # unit 3, behaviour 1: L3: line 1 of its pass's, the next in the next pass
    addq %rcx, %r13                         # dependent
    movq %rdx, 1024(%rsi)                   # unit 3, behaviour 3: L1: the line of all hits
    movq 16(%rsi), %rcx                     # unit 4, behaviour 1: L1: the line of all hits
    addq %rcx, %r9                          # dependent
    movq %rdx, 1024(%rsi)                   # unit 4, behaviour 3: L1: the line of all hits
    movq 1536(%rbx), %rcx                   # unit 5, behaviour 1: L2: line 2 of its pass's, the next in the next pass
    addq %rcx, %r10                         # dependent
    movq %rdx, 1024(%rsi)                   # unit 5, behaviour 3: L1: the line of all hits
    movq 24(%rsi), %rcx                     # unit 6, behaviour 1: L1: the line of all hits
    addq %rcx, %r11                         # dependent
    movq %rdx, 1024(%rsi)                   # unit 6, behaviour 3: L1: the line of all hits
    movq 102528(%r14), %rcx                 # unit 7, behaviour 1: MEM: line 2 of its pass's, the next in the next pass
    addq %rcx, %r13                         # dependent
    movq %rdx, 1024(%rsi)                   # unit 7, behaviour 3: L1: the line of all hits
    movq 32(%rsi), %rcx                     # unit 8, behaviour 1: L1: the line of all hits
    addq %rcx, %r9                          # dependent
    movq %rdx, 1024(%rsi)                   # unit 8, behaviour 3: L1: the line of all hits
    movq 393408(%r14), %rcx                 # unit 9, behaviour 1: MEM: line 3 of its pass's, the next in the next pass
    addq %rcx, %r10                         # dependent
    movq %rdx, 1024(%rsi)                   # unit 9, behaviour 3: L1: the line of all hits
trauma_advance:
    addq $3072, %rbx
    leaq 9216(%rsi), %rbp
    cmpq %rbp, %rbx
    leaq -6144(%rbx), %rbp
    cmovaeq %rbp, %rbx
    addq $7040, %r15
    leaq 984064(%rsi), %rbp
    cmpq %rbp, %r15
    leaq -13312(%r15), %rbp
    cmovaeq %rbp, %r15
    addq $255744, %r14
    leaq 489472(%rsi), %rbp
    cmpq %rbp, %r14
    leaq -481280(%r14), %rbp
    cmovaeq %rbp, %r14
    incq %r12
    movl $0, %ebp
    cmpq $2, %r12
    cmovaeq %rbp, %r12
trauma_close:
    decq %rdi
    jnz trauma_loop
trauma_loop_end:
    subq %rsi, %rbx
    movq %rbx, 2048(%rsi)
    subq %rsi, %r15
    movq %r15, 2056(%rsi)
    subq %rsi, %r14
    movq %r14, 2064(%rsi)
    movq %r12, 2072(%rsi)
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
    .quad 1108992                       # bytes of data
    .quad 4096                       # its alignment
    .quad 0                    # 1: set-up adds the data's address to every value
    .quad 1108992                        # from this byte on better in huge pages
    .quad 104                      # passes of warm-up
    .quad 2                      # passes over which the rates hold
    .quad 20                        # entries of trauma_runs
    .size trauma_golden__default_layout, . - trauma_golden__default_layout
    .size trauma_layout, . - trauma_layout
    .globl trauma_golden__default_runs
    .type trauma_golden__default_runs, @object
    .type trauma_runs, @object
trauma_golden__default_runs:
trauma_runs:                            # offset in the data, step, count, value of each word
    .quad 970752, 8, 4992, 0x0000000000000000
    .quad 8192, 8, 120320, 0x0000000000000000
    .quad 0, 0, 1, 0x0000000000000000
    .quad 3584, 3072, 2, 0x0000000000000000
    .quad 1024, 0, 1, 0x0000000000000000
    .quad 8, 0, 1, 0x0000000000000000
    .quad 1024, 0, 1, 0x0000000000000000
    .quad 16, 0, 1, 0x0000000000000000
    .quad 1024, 0, 1, 0x0000000000000000
    .quad 4608, 3072, 2, 0x0000000000000000
    .quad 1024, 0, 1, 0x0000000000000000
    .quad 24, 0, 1, 0x0000000000000000
    .quad 1024, 0, 1, 0x0000000000000000
    .quad 32, 0, 1, 0x0000000000000000
    .quad 1024, 0, 1, 0x0000000000000000
    .quad 2048, 0, 1, 0x0000000000000c00
    .quad 2056, 0, 1, 0x00000000000ed000
    .quad 2064, 0, 1, 0x0000000000002000
    .quad 2072, 0, 1, 0x0000000000000000
    .quad 1010688, 64, 1536, 0x0000000000000001
    .size trauma_golden__default_runs, . - trauma_golden__default_runs
    .size trauma_runs, . - trauma_runs
    .weak trauma_kernel                 # the same names in every object of a suite: a linker takes the first
    .weak trauma_layout
    .weak trauma_runs
    .section .note.GNU-stack, "", @progbits
