# golden/default
# for orders: 14 units of 3 operations; rates hold over 5 passes
# target l1i.miss_rate = 0.04
# 15 lines of code a pass, in 15 pieces: 0 miss L1I always
# 1 have 4 copies and miss when these change, in 3 of 5 passes
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
    xorl %r8d, %r8d
    xorl %ecx, %ecx
    leaq trauma_copies(%rip), %r15    # where the code that has copies goes on
    xorl %r14d, %r14d # when it changes, in units of 2^-32
    jmp trauma_loop
.Ltrauma_leave:
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
# piece 2 of 15, copy 1 of 4: L1I set 0, misses L1I when the copy changes
    .org trauma_code + 0, 0xcc
trauma_copies:
.Lchunk1_0:
    addq %rsi, %r11
    addq %rsi, %r13
    {disp32} jmp .Lchunk2_0
.Lendchunk1_0:
# piece 14 of 15: L1I set 1, stays in L1I
    .org trauma_code + 64, 0xcc
.Lchunk13_0:
    addq %rsi, %rbx
    addq %rsi, %r8
    {disp32} jmp .Lchunk14_0
.Lendchunk13_0:
# piece 1 of 15: L1I set 2, stays in L1I
    .org trauma_code + 128, 0xcc
trauma_loop:
.Lchunk0_0:
    addq %rsi, %r9
    addq %rsi, %r10
    repne jmpq *%r15
.Lendchunk0_0:
# piece 12 of 15: L1I set 3, stays in L1I
    .org trauma_code + 192, 0xcc
.Lchunk11_0:
    addq %rsi, %r10
    addq %rsi, %r11
    {disp32} jmp .Lchunk12_0
.Lendchunk11_0:
# piece 3 of 15: L1I set 4, stays in L1I
    .org trauma_code + 256, 0xcc
.Lchunk2_0:
    addq %rsi, %r12
    addq %rsi, %rbx
    {disp32} jmp .Lchunk3_0
.Lendchunk2_0:
# piece 7 of 15: L1I set 5, stays in L1I
    .org trauma_code + 320, 0xcc
.Lchunk6_0:
    addq %rsi, %rbx
    addq %rsi, %r8
    {disp32} jmp .Lchunk7_0
.Lendchunk6_0:
# piece 6 of 15: L1I set 6, stays in L1I
    .org trauma_code + 384, 0xcc
.Lchunk5_0:
    addq %rsi, %r13
    addq %rsi, %r12
    {disp32} jmp .Lchunk6_0
.Lendchunk5_0:
# piece 13 of 15: L1I set 7, stays in L1I
    .org trauma_code + 448, 0xcc
.Lchunk12_0:
    addq %rsi, %r13
    addq %rsi, %r12
    {disp32} jmp .Lchunk13_0
.Lendchunk12_0:
# piece 2 of 15, copy 2 of 4: L1I set 0, misses L1I when the copy changes
    .org trauma_code + 512, 0xcc
.Lchunk1_1:
    addq %rsi, %r11
    addq %rsi, %r13
    {disp32} jmp .Lchunk2_0
.Lendchunk1_1:
# piece 5 of 15: L1I set 1, stays in L1I
    .org trauma_code + 576, 0xcc
.Lchunk4_0:
    addq %rsi, %r10
    addq %rsi, %r11
    {disp32} jmp .Lchunk5_0
.Lendchunk4_0:
# piece 11 of 15: L1I set 2, stays in L1I
    .org trauma_code + 640, 0xcc
.Lchunk10_0:
    addq %rsi, %r8
    addq %rsi, %r9
    {disp32} jmp .Lchunk11_0
.Lendchunk10_0:
# piece 4 of 15: L1I set 3, stays in L1I
    .org trauma_code + 704, 0xcc
.Lchunk3_0:
    addq %rsi, %r8
    addq %rsi, %r9
    {disp32} jmp .Lchunk4_0
.Lendchunk3_0:
# piece 9 of 15: L1I set 4, stays in L1I
    .org trauma_code + 768, 0xcc
.Lchunk8_0:
    addq %rsi, %r11
    addq %rsi, %r13
    {disp32} jmp .Lchunk9_0
.Lendchunk8_0:
# piece 10 of 15: L1I set 5, stays in L1I
    .org trauma_code + 832, 0xcc
.Lchunk9_0:
    addq %rsi, %r12
    addq %rsi, %rbx
    {disp32} jmp .Lchunk10_0
.Lendchunk9_0:
# piece 15 of 15: L1I set 6, stays in L1I
    .org trauma_code + 896, 0xcc
.Lchunk14_0:
trauma_advance:
    addl $2576980378, %r14d  # a carry when the next copy's turn comes
    leaq 512(%r15), %rbp
    cmovcq %rbp, %r15
    leaq trauma_copies+2048(%rip), %rbp
    cmpq %rbp, %r15
    leaq trauma_copies(%rip), %rbp
    cmovaeq %rbp, %r15
trauma_close:
    decq %rdi
    {disp32} jnz trauma_loop
trauma_loop_end:
    jmp .Ltrauma_leave
# piece 8 of 15: L1I set 7, stays in L1I
    .org trauma_code + 960, 0xcc
.Lchunk7_0:
    addq %rsi, %r9
    addq %rsi, %r10
    {disp32} jmp .Lchunk8_0
.Lendchunk7_0:
# piece 2 of 15, copy 3 of 4: L1I set 0, misses L1I when the copy changes
    .org trauma_code + 1024, 0xcc
.Lchunk1_2:
    addq %rsi, %r11
    addq %rsi, %r13
    {disp32} jmp .Lchunk2_0
.Lendchunk1_2:
# piece 2 of 15, copy 4 of 4: L1I set 0, misses L1I when the copy changes
    .org trauma_code + 1536, 0xcc
.Lchunk1_3:
    addq %rsi, %r11
    addq %rsi, %r13
    {disp32} jmp .Lchunk2_0
.Lendchunk1_3:
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
    .quad 20                      # passes of warm-up
    .quad 5                      # passes over which the rates hold
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
    .type trauma_chunks, @object
trauma_chunks:                          # pieces of one pass: start, length
    .quad 15
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
    .quad .Lchunk14_0 - trauma_golden__default_kernel, trauma_loop_end - .Lchunk14_0
    .size trauma_chunks, . - trauma_chunks
    .weak trauma_kernel                 # the same names in every object of a suite: a linker takes the first
    .weak trauma_layout
    .weak trauma_runs
    .section .note.GNU-stack, "", @progbits
