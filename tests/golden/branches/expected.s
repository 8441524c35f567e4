# golden/default
# for orders: 20 units of 4 operations; rates hold over 1 pass
# target l1d.miss_rate = 0.5
# target l2.miss_rate = 0
# target served.L1 = 0.5
# target served.L2 = 0.5
# target branch.miss_rate = 0.2
# 20 branches: 8 random, 6 taken (one of them the back edge), 6 not taken
# 2 eviction sets, lines per L1D set: 5 in 1, 5 in 16
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
    xorl %ebp, %ebp
    xorl %ecx, %ecx
    movabsq $0xf1357aea2e62a9c5, %r8
    movabsq $0x9e3779b97f4a7c15, %rdx
    xorq %rdi, %rdx                 # the passes to make: the warm-up must not teach what follows it
    orq $1, %rdx
    jmp trauma_loop                     # over what fills the gap, which no two assemblers fill alike
    .p2align 7, 0xcc
trauma_loop:
    movq 2112(%rsi), %rcx                   # unit 0, behaviour 1: L2: L1D set 1, line 1 of 5
    addq %rcx, %r14                         # dependent
    addq %rsi, %r9
    testq %rsi, %rsi
    jne .Lb3                                # unit 0, behaviour 3: taken
.La3:
    movq (%rsi), %rcx                       # unit 1, behaviour 1: L1: the line of all hits
    addq %rcx, %r15                         # dependent
    addq %rsi, %r10
    testq %rsi, %rsi
    je .Lb7                                 # unit 1, behaviour 3: not taken
.La7:
    movq 4160(%rsi), %rcx                   # unit 2, behaviour 1: L2: L1D set 1, line 2 of 5
    addq %rcx, %r12                         # dependent
    addq %rsi, %r11
    imulq %r8, %rdx
    testq %rdx, %rdx
    js .Lb11                                # unit 2, behaviour 3: random
.La11:
    movq 8(%rsi), %rcx                      # unit 3, behaviour 1: L1: the line of all hits
    addq %rcx, %rbx                         # dependent
    addq %rsi, %r13
    imulq %r8, %rdx
    testq %rdx, %rdx
    js .Lb15                                # unit 3, behaviour 3: random
.La15:
    movq 6208(%rsi), %rcx                   # unit 4, behaviour 1: L2: L1D set 1, line 3 of 5
    addq %rcx, %rbp                         # dependent
    addq %rsi, %r9
    testq %rsi, %rsi
    je .Lb19                                # unit 4, behaviour 3: not taken
.La19:
    movq 16(%rsi), %rcx                     # unit 5, behaviour 1: L1: the line of all hits
    addq %rcx, %r14                         # dependent
    addq %rsi, %r10
    imulq %r8, %rdx
    testq %rdx, %rdx
    js .Lb23                                # unit 5, behaviour 3: random
.La23:
    movq 64(%rsi), %rcx                     # unit 6, behaviour 1: L2: L1D set 1, line 4 of 5
    addq %rcx, %r15                         # dependent
    addq %rsi, %r11
    imulq %r8, %rdx
    testq %rdx, %rdx
    js .Lb27                                # unit 6, behaviour 3: random
.La27:
    movq 24(%rsi), %rcx                     # unit 7, behaviour 1: L1: the line of all hits
    addq %rcx, %r12                         # dependent
    addq %rsi, %r13
    testq %rsi, %rsi
    jne .Lb31                               # unit 7, behaviour 3: taken
.La31:
    movq 8256(%rsi), %rcx                   # unit 8, behaviour 1: L2: L1D set 1, line 5 of 5
    addq %rcx, %rbx                         # dependent
    addq %rsi, %r9
    imulq %r8, %rdx
    testq %rdx, %rdx
    js .Lb35                                # unit 8, behaviour 3: random
.La35:
    movq 3072(%rsi), %rcx                   # unit 9, behaviour 1: L2: L1D set 16, line 1 of 5
    addq %rcx, %rbp                         # dependent
    addq %rsi, %r10
    imulq %r8, %rdx
    testq %rdx, %rdx
    js .Lb39                                # unit 9, behaviour 3: random
.La39:
    movq 5120(%rsi), %rcx                   # unit 10, behaviour 1: L2: L1D set 16, line 2 of 5
    addq %rcx, %r14                         # dependent
    addq %rsi, %r11
    testq %rsi, %rsi
    je .Lb43                                # unit 10, behaviour 3: not taken
.La43:
    movq 7168(%rsi), %rcx                   # unit 11, behaviour 1: L2: L1D set 16, line 3 of 5
    addq %rcx, %r15                         # dependent
    addq %rsi, %r13
    testq %rsi, %rsi
    je .Lb47                                # unit 11, behaviour 3: not taken
.La47:
    movq 32(%rsi), %rcx                     # unit 12, behaviour 1: L1: the line of all hits
    addq %rcx, %r12                         # dependent
    addq %rsi, %r9
    testq %rsi, %rsi
    jne .Lb51                               # unit 12, behaviour 3: taken
.La51:
    movq 40(%rsi), %rcx                     # unit 13, behaviour 1: L1: the line of all hits
    addq %rcx, %rbx                         # dependent
    addq %rsi, %r10
    imulq %r8, %rdx
    testq %rdx, %rdx
    js .Lb55                                # unit 13, behaviour 3: random
.La55:
    movq 48(%rsi), %rcx                     # unit 14, behaviour 1: L1: the line of all hits
    addq %rcx, %rbp                         # dependent
    addq %rsi, %r11
    testq %rsi, %rsi
    je .Lb59                                # unit 14, behaviour 3: not taken
.La59:
    movq 1024(%rsi), %rcx                   # unit 15, behaviour 1: L2: L1D set 16, line 4 of 5
    addq %rcx, %r14                         # dependent
    addq %rsi, %r13
    testq %rsi, %rsi
    jne .Lb63                               # unit 15, behaviour 3: taken
.La63:
    movq 56(%rsi), %rcx                     # unit 16, behaviour 1: L1: the line of all hits
    addq %rcx, %r15                         # dependent
    addq %rsi, %r9
    testq %rsi, %rsi
    jne .Lb67                               # unit 16, behaviour 3: taken
.La67:
    movq (%rsi), %rcx                       # unit 17, behaviour 1: L1: the line of all hits
    addq %rcx, %r12                         # dependent
    addq %rsi, %r10
    imulq %r8, %rdx
    testq %rdx, %rdx
    js .Lb71                                # unit 17, behaviour 3: random
.La71:
    movq 9216(%rsi), %rcx                   # unit 18, behaviour 1: L2: L1D set 16, line 5 of 5
    addq %rcx, %rbx                         # dependent
    addq %rsi, %r11
    testq %rsi, %rsi
    je .Lb75                                # unit 18, behaviour 3: not taken
.La75:
    movq 8(%rsi), %rcx                      # unit 19, behaviour 1: L1: the line of all hits
    addq %rcx, %rbp                         # dependent
    addq %rsi, %r13
trauma_advance:
trauma_close:
    decq %rdi
    jnz trauma_loop
trauma_loop_end:
    jmp .Ltrauma_leave
    .p2align 7, 0xcc         # the last bits of a branch's address are the same in loop and twin
trauma_twin:                            # the same units again: where the branches of the loop above go when taken
    movq 2112(%rsi), %rcx                   # unit 0, behaviour 1: L2: L1D set 1, line 1 of 5
    addq %rcx, %r14                         # dependent
    addq %rsi, %r9
    testq %rsi, %rsi
    jne .La3                                # unit 0, behaviour 3: taken
.Lb3:
    movq (%rsi), %rcx                       # unit 1, behaviour 1: L1: the line of all hits
    addq %rcx, %r15                         # dependent
    addq %rsi, %r10
    testq %rsi, %rsi
    je .La7                                 # unit 1, behaviour 3: not taken
.Lb7:
    movq 4160(%rsi), %rcx                   # unit 2, behaviour 1: L2: L1D set 1, line 2 of 5
    addq %rcx, %r12                         # dependent
    addq %rsi, %r11
    imulq %r8, %rdx
    testq %rdx, %rdx
    js .La11                                # unit 2, behaviour 3: random
.Lb11:
    movq 8(%rsi), %rcx                      # unit 3, behaviour 1: L1: the line of all hits
    addq %rcx, %rbx                         # dependent
    addq %rsi, %r13
    imulq %r8, %rdx
    testq %rdx, %rdx
    js .La15                                # unit 3, behaviour 3: random
.Lb15:
    movq 6208(%rsi), %rcx                   # unit 4, behaviour 1: L2: L1D set 1, line 3 of 5
    addq %rcx, %rbp                         # dependent
    addq %rsi, %r9
    testq %rsi, %rsi
    je .La19                                # unit 4, behaviour 3: not taken
.Lb19:
    movq 16(%rsi), %rcx                     # unit 5, behaviour 1: L1: the line of all hits
    addq %rcx, %r14                         # dependent
    addq %rsi, %r10
    imulq %r8, %rdx
    testq %rdx, %rdx
    js .La23                                # unit 5, behaviour 3: random
.Lb23:
    movq 64(%rsi), %rcx                     # unit 6, behaviour 1: L2: L1D set 1, line 4 of 5
    addq %rcx, %r15                         # dependent
    addq %rsi, %r11
    imulq %r8, %rdx
    testq %rdx, %rdx
    js .La27                                # unit 6, behaviour 3: random
.Lb27:
    movq 24(%rsi), %rcx                     # unit 7, behaviour 1: L1: the line of all hits
    addq %rcx, %r12                         # dependent
    addq %rsi, %r13
    testq %rsi, %rsi
    jne .La31                               # unit 7, behaviour 3: taken
.Lb31:
    movq 8256(%rsi), %rcx                   # unit 8, behaviour 1: L2: L1D set 1, line 5 of 5
    addq %rcx, %rbx                         # dependent
    addq %rsi, %r9
    imulq %r8, %rdx
    testq %rdx, %rdx
    js .La35                                # unit 8, behaviour 3: random
.Lb35:
    movq 3072(%rsi), %rcx                   # unit 9, behaviour 1: L2: L1D set 16, line 1 of 5
    addq %rcx, %rbp                         # dependent
    addq %rsi, %r10
    imulq %r8, %rdx
    testq %rdx, %rdx
    js .La39                                # unit 9, behaviour 3: random
.Lb39:
    movq 5120(%rsi), %rcx                   # unit 10, behaviour 1: L2: L1D set 16, line 2 of 5
    addq %rcx, %r14                         # dependent
    addq %rsi, %r11
    testq %rsi, %rsi
    je .La43                                # unit 10, behaviour 3: not taken
.Lb43:
    movq 7168(%rsi), %rcx                   # unit 11, behaviour 1: L2: L1D set 16, line 3 of 5
    addq %rcx, %r15                         # dependent
    addq %rsi, %r13
    testq %rsi, %rsi
    je .La47                                # unit 11, behaviour 3: not taken
.Lb47:
    movq 32(%rsi), %rcx                     # unit 12, behaviour 1: L1: the line of all hits
    addq %rcx, %r12                         # dependent
    addq %rsi, %r9
    testq %rsi, %rsi
    jne .La51                               # unit 12, behaviour 3: taken
.Lb51:
    movq 40(%rsi), %rcx                     # unit 13, behaviour 1: L1: the line of all hits
    addq %rcx, %rbx                         # dependent
    addq %rsi, %r10
    imulq %r8, %rdx
    testq %rdx, %rdx
    js .La55                                # unit 13, behaviour 3: random
.Lb55:
    movq 48(%rsi), %rcx                     # unit 14, behaviour 1: L1: the line of all hits
    addq %rcx, %rbp                         # dependent
    addq %rsi, %r11
    testq %rsi, %rsi
    je .La59                                # unit 14, behaviour 3: not taken
.Lb59:
    movq 1024(%rsi), %rcx                   # unit 15, behaviour 1: L2: L1D set 16, line 4 of 5
    addq %rcx, %r14                         # dependent
    addq %rsi, %r13
    testq %rsi, %rsi
    jne .La63                               # unit 15, behaviour 3: taken
.Lb63:
    movq 56(%rsi), %rcx                     # unit 16, behaviour 1: L1: the line of all hits
    addq %rcx, %r15                         # dependent
    addq %rsi, %r9
    testq %rsi, %rsi
    jne .La67                               # unit 16, behaviour 3: taken
.Lb67:
    movq (%rsi), %rcx                       # unit 17, behaviour 1: L1: the line of all hits
    addq %rcx, %r12                         # dependent
    addq %rsi, %r10
    imulq %r8, %rdx
    testq %rdx, %rdx
    js .La71                                # unit 17, behaviour 3: random
.Lb71:
    movq 9216(%rsi), %rcx                   # unit 18, behaviour 1: L2: L1D set 16, line 5 of 5
    addq %rcx, %rbx                         # dependent
    addq %rsi, %r11
    testq %rsi, %rsi
    je .La75                                # unit 18, behaviour 3: not taken
.Lb75:
    movq 8(%rsi), %rcx                      # unit 19, behaviour 1: L1: the line of all hits
    addq %rcx, %rbp                         # dependent
    addq %rsi, %r13
    decq %rdi
    jnz trauma_loop
.Ltrauma_leave:
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
    .quad 9280                       # bytes of data
    .quad 8192                       # its alignment
    .quad 0                    # 1: set-up adds the data's address to every value
    .quad 9280                        # from this byte on better in huge pages
    .quad 1013                      # passes of warm-up
    .quad 1                      # passes over which the rates hold
    .quad 1                        # entries of trauma_runs
    .size trauma_golden__default_layout, . - trauma_golden__default_layout
    .size trauma_layout, . - trauma_layout
    .globl trauma_golden__default_runs
    .type trauma_golden__default_runs, @object
    .type trauma_runs, @object
trauma_golden__default_runs:
trauma_runs:                            # offset in the data, step, count, value of each word
    .quad 0, 8, 1160, 0x0000000000000000
    .size trauma_golden__default_runs, . - trauma_golden__default_runs
    .size trauma_runs, . - trauma_runs
    .weak trauma_kernel                 # the same names in every object of a suite: a linker takes the first
    .weak trauma_layout
    .weak trauma_runs
    .section .note.GNU-stack, "", @progbits
