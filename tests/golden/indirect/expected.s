# golden/default
# for orders: 20 units of 5 operations; rates hold over 1 pass
# target l1d.miss_rate = 0.5
# target l2.miss_rate = 0
# target served.L1 = 0.5
# target served.L2 = 0.5
# target branch.miss_rate = 0.1
# 40 branches: 8 random, 24 taken (one of them the back edge), 8 not taken
# 20 of them indirect: 4 of the random ones, the others always to one place
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
    xorl %r12d, %r12d
    xorl %ebx, %ebx
    xorl %ebp, %ebp
    xorl %ecx, %ecx
    movabsq $0xf1357aea2e62a9c5, %r8
    movabsq $0x9e3779b97f4a7c15, %rdx
    xorq %rdi, %rdx                 # the passes to make: the warm-up must not teach what follows it
    orq $1, %rdx
    jmp trauma_loop                     # over what fills the gap, which no two assemblers fill alike
    .p2align 9, 0xcc
trauma_loop:
    movq 2112(%rsi), %rcx                   # unit 0, behaviour 1: L2: L1D set 1, line 1 of 5
    leaq .La1(%rip), %r14
    jmpq *%r14                              # unit 0, behaviour 2: indirect, always to the loop
.La1:
    addq %rcx, %r13                         # dependent
    addq %rsi, %r9
    imulq %r8, %rdx
    testq %rdx, %rdx
    js .Lb4                                 # unit 0, behaviour 4: random
.La4:
    movq (%rsi), %rcx                       # unit 1, behaviour 1: L1: the line of all hits
    leaq .La6(%rip), %r14
    jmpq *%r14                              # unit 1, behaviour 2: indirect, always to the loop
.La6:
    addq %rcx, %r12                         # dependent
    addq %rsi, %r10
    testq %rsi, %rsi
    jne .Lb9                                # unit 1, behaviour 4: taken
.La9:
    movq 8(%rsi), %rcx                      # unit 2, behaviour 1: L1: the line of all hits
    imulq %r8, %rdx
    leaq .La11(%rip), %r14
    leaq .Lb11(%rip), %r15
    testq %rdx, %rdx
    cmovsq %r15, %r14
    jmpq *%r14                              # unit 2, behaviour 2: random, indirect
.La11:
    addq %rcx, %rbx                         # dependent
    addq %rsi, %r11
    testq %rsi, %rsi
    je .Lb14                                # unit 2, behaviour 4: not taken
.La14:
    movq 4160(%rsi), %rcx                   # unit 3, behaviour 1: L2: L1D set 1, line 2 of 5
    leaq .Lb16(%rip), %r14
    jmpq *%r14                              # unit 3, behaviour 2: indirect, always to the twin
.La16:
    addq %rcx, %rbp                         # dependent
    addq %rsi, %r9
    testq %rsi, %rsi
    jne .Lb19                               # unit 3, behaviour 4: taken
.La19:
    movq 6208(%rsi), %rcx                   # unit 4, behaviour 1: L2: L1D set 1, line 3 of 5
    leaq .Lb21(%rip), %r14
    jmpq *%r14                              # unit 4, behaviour 2: indirect, always to the twin
.La21:
    addq %rcx, %r13                         # dependent
    addq %rsi, %r10
    testq %rsi, %rsi
    jne .Lb24                               # unit 4, behaviour 4: taken
.La24:
    movq 64(%rsi), %rcx                     # unit 5, behaviour 1: L2: L1D set 1, line 4 of 5
    leaq .La26(%rip), %r14
    jmpq *%r14                              # unit 5, behaviour 2: indirect, always to the loop
.La26:
    addq %rcx, %r12                         # dependent
    addq %rsi, %r11
    testq %rsi, %rsi
    jne .Lb29                               # unit 5, behaviour 4: taken
.La29:
    movq 8256(%rsi), %rcx                   # unit 6, behaviour 1: L2: L1D set 1, line 5 of 5
    leaq .Lb31(%rip), %r14
    jmpq *%r14                              # unit 6, behaviour 2: indirect, always to the twin
.La31:
    addq %rcx, %rbx                         # dependent
    addq %rsi, %r9
    testq %rsi, %rsi
    jne .Lb34                               # unit 6, behaviour 4: taken
.La34:
    movq 16(%rsi), %rcx                     # unit 7, behaviour 1: L1: the line of all hits
    leaq .Lb36(%rip), %r14
    jmpq *%r14                              # unit 7, behaviour 2: indirect, always to the twin
.La36:
    addq %rcx, %rbp                         # dependent
    addq %rsi, %r10
    testq %rsi, %rsi
    jne .Lb39                               # unit 7, behaviour 4: taken
.La39:
    movq 3072(%rsi), %rcx                   # unit 8, behaviour 1: L2: L1D set 16, line 1 of 5
    leaq .La41(%rip), %r14
    jmpq *%r14                              # unit 8, behaviour 2: indirect, always to the loop
.La41:
    addq %rcx, %r13                         # dependent
    addq %rsi, %r11
    testq %rsi, %rsi
    je .Lb44                                # unit 8, behaviour 4: not taken
.La44:
    movq 24(%rsi), %rcx                     # unit 9, behaviour 1: L1: the line of all hits
    leaq .Lb46(%rip), %r14
    jmpq *%r14                              # unit 9, behaviour 2: indirect, always to the twin
.La46:
    addq %rcx, %r12                         # dependent
    addq %rsi, %r9
    testq %rsi, %rsi
    je .Lb49                                # unit 9, behaviour 4: not taken
.La49:
    movq 32(%rsi), %rcx                     # unit 10, behaviour 1: L1: the line of all hits
    leaq .Lb51(%rip), %r14
    jmpq *%r14                              # unit 10, behaviour 2: indirect, always to the twin
.La51:
    addq %rcx, %rbx                         # dependent
    addq %rsi, %r10
    imulq %r8, %rdx
    testq %rdx, %rdx
    js .Lb54                                # unit 10, behaviour 4: random
.La54:
    movq 40(%rsi), %rcx                     # unit 11, behaviour 1: L1: the line of all hits
    imulq %r8, %rdx
    leaq .La56(%rip), %r14
    leaq .Lb56(%rip), %r15
    testq %rdx, %rdx
    cmovsq %r15, %r14
    jmpq *%r14                              # unit 11, behaviour 2: random, indirect
.La56:
    addq %rcx, %rbp                         # dependent
    addq %rsi, %r11
    testq %rsi, %rsi
    je .Lb59                                # unit 11, behaviour 4: not taken
.La59:
    movq 5120(%rsi), %rcx                   # unit 12, behaviour 1: L2: L1D set 16, line 2 of 5
    leaq .La61(%rip), %r14
    jmpq *%r14                              # unit 12, behaviour 2: indirect, always to the loop
.La61:
    addq %rcx, %r13                         # dependent
    addq %rsi, %r9
    testq %rsi, %rsi
    je .Lb64                                # unit 12, behaviour 4: not taken
.La64:
    movq 48(%rsi), %rcx                     # unit 13, behaviour 1: L1: the line of all hits
    leaq .La66(%rip), %r14
    jmpq *%r14                              # unit 13, behaviour 2: indirect, always to the loop
.La66:
    addq %rcx, %r12                         # dependent
    addq %rsi, %r10
    imulq %r8, %rdx
    testq %rdx, %rdx
    js .Lb69                                # unit 13, behaviour 4: random
.La69:
    movq 7168(%rsi), %rcx                   # unit 14, behaviour 1: L2: L1D set 16, line 3 of 5
    leaq .La71(%rip), %r14
    jmpq *%r14                              # unit 14, behaviour 2: indirect, always to the loop
.La71:
    addq %rcx, %rbx                         # dependent
    addq %rsi, %r11
    testq %rsi, %rsi
    jne .Lb74                               # unit 14, behaviour 4: taken
.La74:
    movq 1024(%rsi), %rcx                   # unit 15, behaviour 1: L2: L1D set 16, line 4 of 5
    imulq %r8, %rdx
    leaq .La76(%rip), %r14
    leaq .Lb76(%rip), %r15
    testq %rdx, %rdx
    cmovsq %r15, %r14
    jmpq *%r14                              # unit 15, behaviour 2: random, indirect
.La76:
    addq %rcx, %rbp                         # dependent
    addq %rsi, %r9
    testq %rsi, %rsi
    je .Lb79                                # unit 15, behaviour 4: not taken
.La79:
    movq 56(%rsi), %rcx                     # unit 16, behaviour 1: L1: the line of all hits
    leaq .Lb81(%rip), %r14
    jmpq *%r14                              # unit 16, behaviour 2: indirect, always to the twin
.La81:
    addq %rcx, %r13                         # dependent
    addq %rsi, %r10
    imulq %r8, %rdx
    testq %rdx, %rdx
    js .Lb84                                # unit 16, behaviour 4: random
.La84:
    movq (%rsi), %rcx                       # unit 17, behaviour 1: L1: the line of all hits
    leaq .La86(%rip), %r14
    jmpq *%r14                              # unit 17, behaviour 2: indirect, always to the loop
.La86:
    addq %rcx, %r12                         # dependent
    addq %rsi, %r11
    testq %rsi, %rsi
    je .Lb89                                # unit 17, behaviour 4: not taken
.La89:
    movq 8(%rsi), %rcx                      # unit 18, behaviour 1: L1: the line of all hits
    leaq .Lb91(%rip), %r14
    jmpq *%r14                              # unit 18, behaviour 2: indirect, always to the twin
.La91:
    addq %rcx, %rbx                         # dependent
    addq %rsi, %r9
    testq %rsi, %rsi
    je .Lb94                                # unit 18, behaviour 4: not taken
.La94:
    movq 9216(%rsi), %rcx                   # unit 19, behaviour 1: L2: L1D set 16, line 5 of 5
    imulq %r8, %rdx
    leaq .La96(%rip), %r14
    leaq .Lb96(%rip), %r15
    testq %rdx, %rdx
    cmovsq %r15, %r14
    jmpq *%r14                              # unit 19, behaviour 2: random, indirect
.La96:
    addq %rcx, %rbp                         # dependent
    addq %rsi, %r10
trauma_advance:
trauma_close:
    decq %rdi
    jnz trauma_loop
trauma_loop_end:
    jmp .Ltrauma_leave
    .p2align 9, 0xcc         # the last bits of a branch's address are the same in loop and twin
trauma_twin:                            # the same units again: where the branches of the loop above go when taken
    movq 2112(%rsi), %rcx                   # unit 0, behaviour 1: L2: L1D set 1, line 1 of 5
    leaq .La1(%rip), %r14
    jmpq *%r14                              # unit 0, behaviour 2: indirect, always to the loop
.Lb1:
    addq %rcx, %r13                         # dependent
    addq %rsi, %r9
    imulq %r8, %rdx
    testq %rdx, %rdx
    js .La4                                 # unit 0, behaviour 4: random
.Lb4:
    movq (%rsi), %rcx                       # unit 1, behaviour 1: L1: the line of all hits
    leaq .La6(%rip), %r14
    jmpq *%r14                              # unit 1, behaviour 2: indirect, always to the loop
.Lb6:
    addq %rcx, %r12                         # dependent
    addq %rsi, %r10
    testq %rsi, %rsi
    jne .La9                                # unit 1, behaviour 4: taken
.Lb9:
    movq 8(%rsi), %rcx                      # unit 2, behaviour 1: L1: the line of all hits
    imulq %r8, %rdx
    leaq .La11(%rip), %r14
    leaq .Lb11(%rip), %r15
    testq %rdx, %rdx
    cmovsq %r15, %r14
    jmpq *%r14                              # unit 2, behaviour 2: random, indirect
.Lb11:
    addq %rcx, %rbx                         # dependent
    addq %rsi, %r11
    testq %rsi, %rsi
    je .La14                                # unit 2, behaviour 4: not taken
.Lb14:
    movq 4160(%rsi), %rcx                   # unit 3, behaviour 1: L2: L1D set 1, line 2 of 5
    leaq .Lb16(%rip), %r14
    jmpq *%r14                              # unit 3, behaviour 2: indirect, always to the twin
.Lb16:
    addq %rcx, %rbp                         # dependent
    addq %rsi, %r9
    testq %rsi, %rsi
    jne .La19                               # unit 3, behaviour 4: taken
.Lb19:
    movq 6208(%rsi), %rcx                   # unit 4, behaviour 1: L2: L1D set 1, line 3 of 5
    leaq .Lb21(%rip), %r14
    jmpq *%r14                              # unit 4, behaviour 2: indirect, always to the twin
.Lb21:
    addq %rcx, %r13                         # dependent
    addq %rsi, %r10
    testq %rsi, %rsi
    jne .La24                               # unit 4, behaviour 4: taken
.Lb24:
    movq 64(%rsi), %rcx                     # unit 5, behaviour 1: L2: L1D set 1, line 4 of 5
    leaq .La26(%rip), %r14
    jmpq *%r14                              # unit 5, behaviour 2: indirect, always to the loop
.Lb26:
    addq %rcx, %r12                         # dependent
    addq %rsi, %r11
    testq %rsi, %rsi
    jne .La29                               # unit 5, behaviour 4: taken
.Lb29:
    movq 8256(%rsi), %rcx                   # unit 6, behaviour 1: L2: L1D set 1, line 5 of 5
    leaq .Lb31(%rip), %r14
    jmpq *%r14                              # unit 6, behaviour 2: indirect, always to the twin
.Lb31:
    addq %rcx, %rbx                         # dependent
    addq %rsi, %r9
    testq %rsi, %rsi
    jne .La34                               # unit 6, behaviour 4: taken
.Lb34:
    movq 16(%rsi), %rcx                     # unit 7, behaviour 1: L1: the line of all hits
    leaq .Lb36(%rip), %r14
    jmpq *%r14                              # unit 7, behaviour 2: indirect, always to the twin
.Lb36:
    addq %rcx, %rbp                         # dependent
    addq %rsi, %r10
    testq %rsi, %rsi
    jne .La39                               # unit 7, behaviour 4: taken
.Lb39:
    movq 3072(%rsi), %rcx                   # unit 8, behaviour 1: L2: L1D set 16, line 1 of 5
    leaq .La41(%rip), %r14
    jmpq *%r14                              # unit 8, behaviour 2: indirect, always to the loop
.Lb41:
    addq %rcx, %r13                         # dependent
    addq %rsi, %r11
    testq %rsi, %rsi
    je .La44                                # unit 8, behaviour 4: not taken
.Lb44:
    movq 24(%rsi), %rcx                     # unit 9, behaviour 1: L1: the line of all hits
    leaq .Lb46(%rip), %r14
    jmpq *%r14                              # unit 9, behaviour 2: indirect, always to the twin
.Lb46:
    addq %rcx, %r12                         # dependent
    addq %rsi, %r9
    testq %rsi, %rsi
    je .La49                                # unit 9, behaviour 4: not taken
.Lb49:
    movq 32(%rsi), %rcx                     # unit 10, behaviour 1: L1: the line of all hits
    leaq .Lb51(%rip), %r14
    jmpq *%r14                              # unit 10, behaviour 2: indirect, always to the twin
.Lb51:
    addq %rcx, %rbx                         # dependent
    addq %rsi, %r10
    imulq %r8, %rdx
    testq %rdx, %rdx
    js .La54                                # unit 10, behaviour 4: random
.Lb54:
    movq 40(%rsi), %rcx                     # unit 11, behaviour 1: L1: the line of all hits
    imulq %r8, %rdx
    leaq .La56(%rip), %r14
    leaq .Lb56(%rip), %r15
    testq %rdx, %rdx
    cmovsq %r15, %r14
    jmpq *%r14                              # unit 11, behaviour 2: random, indirect
.Lb56:
    addq %rcx, %rbp                         # dependent
    addq %rsi, %r11
    testq %rsi, %rsi
    je .La59                                # unit 11, behaviour 4: not taken
.Lb59:
    movq 5120(%rsi), %rcx                   # unit 12, behaviour 1: L2: L1D set 16, line 2 of 5
    leaq .La61(%rip), %r14
    jmpq *%r14                              # unit 12, behaviour 2: indirect, always to the loop
.Lb61:
    addq %rcx, %r13                         # dependent
    addq %rsi, %r9
    testq %rsi, %rsi
    je .La64                                # unit 12, behaviour 4: not taken
.Lb64:
    movq 48(%rsi), %rcx                     # unit 13, behaviour 1: L1: the line of all hits
    leaq .La66(%rip), %r14
    jmpq *%r14                              # unit 13, behaviour 2: indirect, always to the loop
.Lb66:
    addq %rcx, %r12                         # dependent
    addq %rsi, %r10
    imulq %r8, %rdx
    testq %rdx, %rdx
    js .La69                                # unit 13, behaviour 4: random
.Lb69:
    movq 7168(%rsi), %rcx                   # unit 14, behaviour 1: L2: L1D set 16, line 3 of 5
    leaq .La71(%rip), %r14
    jmpq *%r14                              # unit 14, behaviour 2: indirect, always to the loop
.Lb71:
    addq %rcx, %rbx                         # dependent
    addq %rsi, %r11
    testq %rsi, %rsi
    jne .La74                               # unit 14, behaviour 4: taken
.Lb74:
    movq 1024(%rsi), %rcx                   # unit 15, behaviour 1: L2: L1D set 16, line 4 of 5
    imulq %r8, %rdx
    leaq .La76(%rip), %r14
    leaq .Lb76(%rip), %r15
    testq %rdx, %rdx
    cmovsq %r15, %r14
    jmpq *%r14                              # unit 15, behaviour 2: random, indirect
.Lb76:
    addq %rcx, %rbp                         # dependent
    addq %rsi, %r9
    testq %rsi, %rsi
    je .La79                                # unit 15, behaviour 4: not taken
.Lb79:
    movq 56(%rsi), %rcx                     # unit 16, behaviour 1: L1: the line of all hits
    leaq .Lb81(%rip), %r14
    jmpq *%r14                              # unit 16, behaviour 2: indirect, always to the twin
.Lb81:
    addq %rcx, %r13                         # dependent
    addq %rsi, %r10
    imulq %r8, %rdx
    testq %rdx, %rdx
    js .La84                                # unit 16, behaviour 4: random
.Lb84:
    movq (%rsi), %rcx                       # unit 17, behaviour 1: L1: the line of all hits
    leaq .La86(%rip), %r14
    jmpq *%r14                              # unit 17, behaviour 2: indirect, always to the loop
.Lb86:
    addq %rcx, %r12                         # dependent
    addq %rsi, %r11
    testq %rsi, %rsi
    je .La89                                # unit 17, behaviour 4: not taken
.Lb89:
    movq 8(%rsi), %rcx                      # unit 18, behaviour 1: L1: the line of all hits
    leaq .Lb91(%rip), %r14
    jmpq *%r14                              # unit 18, behaviour 2: indirect, always to the twin
.Lb91:
    addq %rcx, %rbx                         # dependent
    addq %rsi, %r9
    testq %rsi, %rsi
    je .La94                                # unit 18, behaviour 4: not taken
.Lb94:
    movq 9216(%rsi), %rcx                   # unit 19, behaviour 1: L2: L1D set 16, line 5 of 5
    imulq %r8, %rdx
    leaq .La96(%rip), %r14
    leaq .Lb96(%rip), %r15
    testq %rdx, %rdx
    cmovsq %r15, %r14
    jmpq *%r14                              # unit 19, behaviour 2: random, indirect
.Lb96:
    addq %rcx, %rbp                         # dependent
    addq %rsi, %r10
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
