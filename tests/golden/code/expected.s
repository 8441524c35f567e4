# golden/default
# for orders: 19 units of 5 operations; rates hold over 2 passes
# target l1d.miss_rate = 0.5
# target l2.miss_rate = 0
# target served.L1 = 0.5
# target served.L2 = 0.5
# target branch.miss_rate = 0.2
# target l1i.miss_rate = 0.5
# 19 branches: 8 random, 6 taken (one of them the back edge), 5 not taken
# 20 lines of code a pass, in 20 pieces: 10 miss L1I always
# 2 eviction sets, lines per L1D set: 6 in 1, 4 in 16
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
    movabsq $0xf1357aea2e62a9c5, %r8
    movabsq $0x9e3779b97f4a7c15, %rdx
    xorq %rdi, %rdx                 # the passes to make: the warm-up must not teach what follows it
    orq $1, %rdx
    movq 10368(%rsi), %r12        # passes since the period began
    jmp trauma_loop
.Ltrauma_leave:
    movq %r12, 10368(%rsi)
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbp
    popq %rbx
.Ltrauma_return:
    retq
    .p2align 9, 0xcc
trauma_code:                            # the pieces of the loop, by their addresses
# piece 17 of 20: L1I set 0, stays in L1I
    .org trauma_code + 29, 0xcc
.Lchunk16_0:
    testq %rsi, %rsi
    jne 6f                                  # unit 10, behaviour 4: taken
3:
    movq (%rsi), %rcx                       # unit 11, behaviour 1: L1: the line of all hits
    addq %rcx, %r14                         # dependent
    addq %rsi, %r10
    {disp32} jmp .Lchunk17_0
.Lendchunk16_0:
6:
    movq (%rsi), %rcx                       # unit 11, behaviour 1: L1: the line of all hits
    addq %rcx, %r14                         # dependent
    addq %rsi, %r10
    {disp32} jmp .Lchunk17_0
# piece 9 of 20: L1I set 1, stays in L1I
    .org trauma_code + 67, 0xcc
.Lchunk8_0:
    imulq %r8, %rdx
    testq %rdx, %rdx
    js 6f                                   # unit 2, behaviour 4: random
3:
    movq 24(%rsi), %rcx                     # unit 3, behaviour 1: L1: the line of all hits
    addq %rcx, %r15                         # dependent
    addq %rsi, %r11
    {disp32} jmp .Lchunk9_0
.Lendchunk8_0:
6:
    movq 24(%rsi), %rcx                     # unit 3, behaviour 1: L1: the line of all hits
    addq %rcx, %r15                         # dependent
    addq %rsi, %r11
    {disp32} jmp .Lchunk9_0
# piece 10 of 20: L1I set 2, stays in L1I
    .org trauma_code + 145, 0xcc
.Lchunk9_0:
    testq %rsi, %rsi
    je 6f                                   # unit 3, behaviour 4: not taken
3:
    movq 32(%rsi), %rcx                     # unit 4, behaviour 1: L1: the line of all hits
    addq %rcx, %r13                         # dependent
    addq %rsi, %r9
    {disp32} jmp .Lchunk10_0
.Lendchunk9_0:
6:
    movq 32(%rsi), %rcx                     # unit 4, behaviour 1: L1: the line of all hits
    addq %rcx, %r13                         # dependent
    addq %rsi, %r9
    {disp32} jmp .Lchunk10_0
# piece 15 of 20: L1I set 3, stays in L1I
    .org trauma_code + 200, 0xcc
.Lchunk14_0:
    imulq %r8, %rdx
    testq %rdx, %rdx
    js 6f                                   # unit 8, behaviour 4: random
3:
    movq 1024(%rsi), %rcx                   # unit 9, behaviour 1: L2: L1D set 16, line 3 of 4
    addq %rcx, %r15                         # dependent
    addq %rsi, %r11
    {disp32} jmp .Lchunk15_0
.Lendchunk14_0:
6:
    movq 1024(%rsi), %rcx                   # unit 9, behaviour 1: L2: L1D set 16, line 3 of 4
    addq %rcx, %r15                         # dependent
    addq %rsi, %r11
    {disp32} jmp .Lchunk15_0
# piece 8 of 20: L1I set 4, stays in L1I
    .org trauma_code + 264, 0xcc
.Lchunk7_0:
    testq %rsi, %rsi
    jne 6f                                  # unit 1, behaviour 4: taken
3:
    movq 8256(%rsi), %rcx                   # unit 2, behaviour 1: L2: L1D set 1, line 5 of 6
    addq %rcx, %r14                         # dependent
    addq %rsi, %r10
    {disp32} jmp .Lchunk8_0
.Lendchunk7_0:
6:
    movq 8256(%rsi), %rcx                   # unit 2, behaviour 1: L2: L1D set 1, line 5 of 6
    addq %rcx, %r14                         # dependent
    addq %rsi, %r10
    {disp32} jmp .Lchunk8_0
# piece 1 of 20: L1I set 5, stays in L1I
    .org trauma_code + 323, 0xcc
trauma_loop:
.Lchunk0_0:
    movq 2112(%rsi), %rcx                   # unit 14, behaviour 1: L2: L1D set 1, line 1 of 6
    addq %rcx, %r13                         # dependent
    addq %rsi, %r9
    {disp32} jmp .Lchunk1_0
.Lendchunk0_0:
# piece 14 of 20: L1I set 6, misses L1I, hits L2
    .org trauma_code + 392, 0xcc
.Lchunk13_0:
    imulq %r8, %rdx
    testq %rdx, %rdx
    js 6f                                   # unit 7, behaviour 4: random
3:
    movq 3072(%rsi), %rcx                   # unit 8, behaviour 1: L2: L1D set 16, line 2 of 4
    addq %rcx, %r14                         # dependent
    addq %rsi, %r10
    {disp32} jmp .Lchunk14_0
.Lendchunk13_0:
6:
    movq 3072(%rsi), %rcx                   # unit 8, behaviour 1: L2: L1D set 16, line 2 of 4
    addq %rcx, %r14                         # dependent
    addq %rsi, %r10
    {disp32} jmp .Lchunk14_0
# piece 16 of 20: L1I set 7, misses L1I, hits L2
    .org trauma_code + 455, 0xcc
.Lchunk15_0:
    imulq %r8, %rdx
    testq %rdx, %rdx
    js 1f                                   # unit 9, behaviour 4: random
1:
    leaq 10304(%rsi), %rbp
    leaq 56(%rsi), %rbx
    cmpq $1, %r12
    cmovaeq %rbx, %rbp
    movq (%rbp), %rcx                       # unit 10, behaviour 1: in 1 of 2 passes L2: L1D set 1, line 6 of 6; in 1 of 2 passes L1: the line of all hits
    addq %rcx, %r13                         # dependent
    addq %rsi, %r9
    {disp32} jmp .Lchunk16_0
.Lendchunk15_0:
# piece 20 of 20: L1I set 0, stays in L1I
    .org trauma_code + 540, 0xcc
.Lchunk19_0:
trauma_advance:
    incq %r12
    movl $0, %ebp
    cmpq $2, %r12
    cmovaeq %rbp, %r12
trauma_close:
    decq %rdi
    {disp32} jnz trauma_loop
trauma_loop_end:
    jmp .Ltrauma_leave
# piece 5 of 20: L1I set 1, stays in L1I
    .org trauma_code + 586, 0xcc
.Lchunk4_0:
    imulq %r8, %rdx
    testq %rdx, %rdx
    js 6f                                   # unit 17, behaviour 4: random
3:
    movq 64(%rsi), %rcx                     # unit 18, behaviour 1: L2: L1D set 1, line 4 of 6
    addq %rcx, %r14                         # dependent
    addq %rsi, %r10
    {disp32} jmp .Lchunk5_0
.Lendchunk4_0:
6:
    movq 64(%rsi), %rcx                     # unit 18, behaviour 1: L2: L1D set 1, line 4 of 6
    addq %rcx, %r14                         # dependent
    addq %rsi, %r10
    {disp32} jmp .Lchunk5_0
# piece 19 of 20: L1I set 2, stays in L1I
    .org trauma_code + 642, 0xcc
.Lchunk18_0:
    testq %rsi, %rsi
    jne 6f                                  # unit 12, behaviour 4: taken
3:
    movq 7168(%rsi), %rcx                   # unit 13, behaviour 1: L2: L1D set 16, line 4 of 4
    addq %rcx, %r13                         # dependent
    addq %rsi, %r9
    {disp32} jmp .Lchunk19_0
.Lendchunk18_0:
6:
    movq 7168(%rsi), %rcx                   # unit 13, behaviour 1: L2: L1D set 16, line 4 of 4
    addq %rcx, %r13                         # dependent
    addq %rsi, %r9
    {disp32} jmp .Lchunk19_0
# piece 4 of 20: L1I set 3, stays in L1I
    .org trauma_code + 720, 0xcc
.Lchunk3_0:
    imulq %r8, %rdx
    testq %rdx, %rdx
    js 6f                                   # unit 16, behaviour 4: random
3:
    movq 6208(%rsi), %rcx                   # unit 17, behaviour 1: L2: L1D set 1, line 3 of 6
    addq %rcx, %r13                         # dependent
    addq %rsi, %r9
    {disp32} jmp .Lchunk4_0
.Lendchunk3_0:
6:
    movq 6208(%rsi), %rcx                   # unit 17, behaviour 1: L2: L1D set 1, line 3 of 6
    addq %rcx, %r13                         # dependent
    addq %rsi, %r9
    {disp32} jmp .Lchunk4_0
# piece 12 of 20: L1I set 6, misses L1I, hits L2
    .org trauma_code + 916, 0xcc
.Lchunk11_0:
    testq %rsi, %rsi
    jne 6f                                  # unit 5, behaviour 4: taken
3:
    movq 40(%rsi), %rcx                     # unit 6, behaviour 1: L1: the line of all hits
    addq %rcx, %r15                         # dependent
    addq %rsi, %r11
    {disp32} jmp .Lchunk12_0
.Lendchunk11_0:
6:
    movq 40(%rsi), %rcx                     # unit 6, behaviour 1: L1: the line of all hits
    addq %rcx, %r15                         # dependent
    addq %rsi, %r11
    {disp32} jmp .Lchunk12_0
# piece 3 of 20: L1I set 7, misses L1I, hits L2
    .org trauma_code + 978, 0xcc
.Lchunk2_0:
    testq %rsi, %rsi
    je 6f                                   # unit 15, behaviour 4: not taken
3:
    movq 4160(%rsi), %rcx                   # unit 16, behaviour 1: L2: L1D set 1, line 2 of 6
    addq %rcx, %r15                         # dependent
    addq %rsi, %r11
    {disp32} jmp .Lchunk3_0
.Lendchunk2_0:
6:
    movq 4160(%rsi), %rcx                   # unit 16, behaviour 1: L2: L1D set 1, line 2 of 6
    addq %rcx, %r15                         # dependent
    addq %rsi, %r11
    {disp32} jmp .Lchunk3_0
# piece 2 of 20: L1I set 6, misses L1I, hits L2
    .org trauma_code + 1416, 0xcc
trauma_copies:
.Lchunk1_0:
    imulq %r8, %rdx
    testq %rdx, %rdx
    js 6f                                   # unit 14, behaviour 4: random
3:
    movq (%rsi), %rcx                       # unit 15, behaviour 1: L1: the line of all hits
    addq %rcx, %r14                         # dependent
    addq %rsi, %r10
    {disp32} jmp .Lchunk2_0
.Lendchunk1_0:
6:
    movq (%rsi), %rcx                       # unit 15, behaviour 1: L1: the line of all hits
    addq %rcx, %r14                         # dependent
    addq %rsi, %r10
    {disp32} jmp .Lchunk2_0
# piece 7 of 20: L1I set 7, misses L1I, hits L2
    .org trauma_code + 1474, 0xcc
.Lchunk6_0:
    imulq %r8, %rdx
    testq %rdx, %rdx
    js 6f                                   # unit 0, behaviour 4: random
3:
    movq 16(%rsi), %rcx                     # unit 1, behaviour 1: L1: the line of all hits
    addq %rcx, %r13                         # dependent
    addq %rsi, %r9
    {disp32} jmp .Lchunk7_0
.Lendchunk6_0:
6:
    movq 16(%rsi), %rcx                     # unit 1, behaviour 1: L1: the line of all hits
    addq %rcx, %r13                         # dependent
    addq %rsi, %r9
    {disp32} jmp .Lchunk7_0
# piece 6 of 20: L1I set 6, misses L1I, hits L2
    .org trauma_code + 1925, 0xcc
.Lchunk5_0:
    testq %rsi, %rsi
    je 6f                                   # unit 18, behaviour 4: not taken
3:
    movq 8(%rsi), %rcx                      # unit 0, behaviour 1: L1: the line of all hits
    addq %rcx, %r15                         # dependent
    addq %rsi, %r11
    {disp32} jmp .Lchunk6_0
.Lendchunk5_0:
6:
    movq 8(%rsi), %rcx                      # unit 0, behaviour 1: L1: the line of all hits
    addq %rcx, %r15                         # dependent
    addq %rsi, %r11
    {disp32} jmp .Lchunk6_0
# piece 13 of 20: L1I set 7, misses L1I, hits L2
    .org trauma_code + 1986, 0xcc
.Lchunk12_0:
    testq %rsi, %rsi
    je 6f                                   # unit 6, behaviour 4: not taken
3:
    movq 48(%rsi), %rcx                     # unit 7, behaviour 1: L1: the line of all hits
    addq %rcx, %r13                         # dependent
    addq %rsi, %r9
    {disp32} jmp .Lchunk13_0
.Lendchunk12_0:
6:
    movq 48(%rsi), %rcx                     # unit 7, behaviour 1: L1: the line of all hits
    addq %rcx, %r13                         # dependent
    addq %rsi, %r9
    {disp32} jmp .Lchunk13_0
# piece 18 of 20: L1I set 6, misses L1I, hits L2
    .org trauma_code + 2458, 0xcc
.Lchunk17_0:
    testq %rsi, %rsi
    je 6f                                   # unit 11, behaviour 4: not taken
3:
    movq 8(%rsi), %rcx                      # unit 12, behaviour 1: L1: the line of all hits
    addq %rcx, %r15                         # dependent
    addq %rsi, %r11
    {disp32} jmp .Lchunk18_0
.Lendchunk17_0:
6:
    movq 8(%rsi), %rcx                      # unit 12, behaviour 1: L1: the line of all hits
    addq %rcx, %r15                         # dependent
    addq %rsi, %r11
    {disp32} jmp .Lchunk18_0
# piece 11 of 20: L1I set 7, misses L1I, hits L2
    .org trauma_code + 2511, 0xcc
.Lchunk10_0:
    testq %rsi, %rsi
    jne 6f                                  # unit 4, behaviour 4: taken
3:
    movq 5120(%rsi), %rcx                   # unit 5, behaviour 1: L2: L1D set 16, line 1 of 4
    addq %rcx, %r14                         # dependent
    addq %rsi, %r10
    {disp32} jmp .Lchunk11_0
.Lendchunk10_0:
6:
    movq 5120(%rsi), %rcx                   # unit 5, behaviour 1: L2: L1D set 16, line 1 of 4
    addq %rcx, %r14                         # dependent
    addq %rsi, %r10
    {disp32} jmp .Lchunk11_0
trauma_closes_unit:                     # the back edge is a branch of the last unit
    .size trauma_golden__default_kernel, . - trauma_golden__default_kernel
    .size trauma_kernel, . - trauma_kernel

    .section .rodata
    .globl trauma_golden__default_layout
    .type trauma_golden__default_layout, @object
    .type trauma_layout, @object
    .p2align 3
trauma_golden__default_layout:
trauma_layout:                          # struct trauma_layout of trauma.h
    .quad 10432                       # bytes of data
    .quad 8192                       # its alignment
    .quad 0                    # 1: set-up adds the data's address to every value
    .quad 10432                        # from this byte on better in huge pages
    .quad 1014                      # passes of warm-up
    .quad 2                      # passes over which the rates hold
    .quad 2                        # entries of trauma_runs
    .size trauma_golden__default_layout, . - trauma_golden__default_layout
    .size trauma_layout, . - trauma_layout
    .globl trauma_golden__default_runs
    .type trauma_golden__default_runs, @object
    .type trauma_runs, @object
trauma_golden__default_runs:
trauma_runs:                            # offset in the data, step, count, value of each word
    .quad 0, 8, 1296, 0x0000000000000000
    .quad 10368, 0, 1, 0x0000000000000000
    .size trauma_golden__default_runs, . - trauma_golden__default_runs
    .size trauma_runs, . - trauma_runs
    .type trauma_chunks, @object
trauma_chunks:                          # pieces of one pass: start, length
    .quad 20
    .quad .Lchunk0_0 - trauma_golden__default_kernel, .Lendchunk0_0 - .Lchunk0_0
    .quad .Lchunk1_0 - trauma_golden__default_kernel, .Lendchunk1_0 - .Lchunk1_0
    .quad .Lchunk2_0 - trauma_golden__default_kernel, .Lendchunk2_0 - .Lchunk2_0
    .quad .Lchunk3_0 - trauma_golden__default_kernel, .Lendchunk3_0 - .Lchunk3_0
    .quad .Lchunk4_0 - trauma_golden__default_kernel, .Lendchunk4_0 - .Lchunk4_0
    .quad .Lchunk5_0 - trauma_golden__default_kernel, .Lendchunk5_0 - .Lchunk5_0
    .quad .Lchunk6_0 - trauma_golden__default_kernel, .Lendchunk6_0 - .Lchunk6_0
    .quad .Lchunk7_0 - trauma_golden__default_kernel, .Lendchunk7_0 - .Lchunk7_0
    .quad .Lchunk8_0 - trauma_golden__default_kernel, .Lendchunk8_0 - .Lchunk8_0
    .quad .Lchunk9_0 - trauma_golden__default_kernel, .Lendchunk9_0 - .Lchunk9_0
    .quad .Lchunk10_0 - trauma_golden__default_kernel, .Lendchunk10_0 - .Lchunk10_0
    .quad .Lchunk11_0 - trauma_golden__default_kernel, .Lendchunk11_0 - .Lchunk11_0
    .quad .Lchunk12_0 - trauma_golden__default_kernel, .Lendchunk12_0 - .Lchunk12_0
    .quad .Lchunk13_0 - trauma_golden__default_kernel, .Lendchunk13_0 - .Lchunk13_0
    .quad .Lchunk14_0 - trauma_golden__default_kernel, .Lendchunk14_0 - .Lchunk14_0
    .quad .Lchunk15_0 - trauma_golden__default_kernel, .Lendchunk15_0 - .Lchunk15_0
    .quad .Lchunk16_0 - trauma_golden__default_kernel, .Lendchunk16_0 - .Lchunk16_0
    .quad .Lchunk17_0 - trauma_golden__default_kernel, .Lendchunk17_0 - .Lchunk17_0
    .quad .Lchunk18_0 - trauma_golden__default_kernel, .Lendchunk18_0 - .Lchunk18_0
    .quad .Lchunk19_0 - trauma_golden__default_kernel, trauma_loop_end - .Lchunk19_0
    .size trauma_chunks, . - trauma_chunks
    .weak trauma_kernel                 # the same names in every object of a suite: a linker takes the first
    .weak trauma_layout
    .weak trauma_runs
    .section .note.GNU-stack, "", @progbits
