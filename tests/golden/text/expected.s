# golden/default
# for text: 6 units of 6 operations; rates hold over 1 pass
# 1 eviction set, lines per L1D set: 3 in 1
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
    xorl %r12d, %r12d
    xorl %ebx, %ebx
    xorl %r8d, %r8d
    xorl %ebp, %ebp
    xorl %ecx, %ecx
    movq %rsi, %r13              # every word holds this address
    xorl %r15d, %r15d
    xorl %r14d, %r14d
    xorl %eax, %eax
    xorl %edx, %edx
    xorl %r11d, %r11d
    pxor %xmm6, %xmm6
    pxor %xmm7, %xmm7
    jmp trauma_loop                     # over what fills the gap, which no two assemblers fill alike
    .p2align 7, 0xcc
trauma_loop:
    movq 2112(%r13), %r13                   # unit 0, behaviour 1: L2: L1D set 1, line 1 of 3
.Ltext1:
    bswapq %r15                             # unit 0, behaviour 2: the recipe's own text
    xorl %r15d, %r14d
.Ltext_end1:
.Ltext2:
    bswapq %r15                             # unit 0, behaviour 2: the recipe's own text
    xorl %r15d, %r14d
.Ltext_end2:
.Ltext3:
    mulq %r11                               # unit 0, behaviour 3: the recipe's own text
    movq %rdx, 8+4224(%rsi)
    paddq %xmm7, %xmm6
.Ltext_end3:
    addq %r13, %rbx                         # dependent
    addq %rsi, %r9
    movq 4160(%r13), %r13                   # unit 1, behaviour 1: L2: L1D set 1, line 2 of 3
.Ltext7:
    bswapq %r15                             # unit 1, behaviour 2: the recipe's own text
    xorl %r15d, %r14d
.Ltext_end7:
.Ltext8:
    bswapq %r15                             # unit 1, behaviour 2: the recipe's own text
    xorl %r15d, %r14d
.Ltext_end8:
.Ltext9:
    mulq %r11                               # unit 1, behaviour 3: the recipe's own text
    movq %rdx, 8+4224(%rsi)
    paddq %xmm7, %xmm6
.Ltext_end9:
    addq %r13, %r8                          # dependent
    addq %rsi, %r10
    movq 0(%r13), %r13                      # unit 2, behaviour 1: L1: the line of all hits
.Ltext13:
    bswapq %r15                             # unit 2, behaviour 2: the recipe's own text
    xorl %r15d, %r14d
.Ltext_end13:
.Ltext14:
    bswapq %r15                             # unit 2, behaviour 2: the recipe's own text
    xorl %r15d, %r14d
.Ltext_end14:
.Ltext15:
    mulq %r11                               # unit 2, behaviour 3: the recipe's own text
    movq %rdx, 8+4224(%rsi)
    paddq %xmm7, %xmm6
.Ltext_end15:
    addq %r13, %rbp                         # dependent
    addq %rsi, %r12
    movq 64(%r13), %r13                     # unit 3, behaviour 1: L2: L1D set 1, line 3 of 3
.Ltext19:
    bswapq %r15                             # unit 3, behaviour 2: the recipe's own text
    xorl %r15d, %r14d
.Ltext_end19:
.Ltext20:
    bswapq %r15                             # unit 3, behaviour 2: the recipe's own text
    xorl %r15d, %r14d
.Ltext_end20:
.Ltext21:
    mulq %r11                               # unit 3, behaviour 3: the recipe's own text
    movq %rdx, 8+4224(%rsi)
    paddq %xmm7, %xmm6
.Ltext_end21:
    addq %r13, %rbx                         # dependent
    addq %rsi, %r9
    movq 0(%r13), %r13                      # unit 4, behaviour 1: L1: the line of all hits
.Ltext25:
    bswapq %r15                             # unit 4, behaviour 2: the recipe's own text
    xorl %r15d, %r14d
.Ltext_end25:
.Ltext26:
    bswapq %r15                             # unit 4, behaviour 2: the recipe's own text
    xorl %r15d, %r14d
.Ltext_end26:
.Ltext27:
    mulq %r11                               # unit 4, behaviour 3: the recipe's own text
    movq %rdx, 8+4224(%rsi)
    paddq %xmm7, %xmm6
.Ltext_end27:
    addq %r13, %r8                          # dependent
    addq %rsi, %r10
    movq 0(%r13), %r13                      # unit 5, behaviour 1: L1: the line of all hits
.Ltext31:
    bswapq %r15                             # unit 5, behaviour 2: the recipe's own text
    xorl %r15d, %r14d
.Ltext_end31:
.Ltext32:
    bswapq %r15                             # unit 5, behaviour 2: the recipe's own text
    xorl %r15d, %r14d
.Ltext_end32:
.Ltext33:
    mulq %r11                               # unit 5, behaviour 3: the recipe's own text
    movq %rdx, 8+4224(%rsi)
    paddq %xmm7, %xmm6
.Ltext_end33:
    addq %r13, %rbp                         # dependent
    addq %rsi, %r12
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
    .quad 4416                       # bytes of data
    .quad 8192                       # its alignment
    .quad 1                    # 1: set-up adds the data's address to every value
    .quad 4224                        # from this byte on better in huge pages
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
    .quad 0, 8, 528, 0x0000000000000000
    .size trauma_golden__default_runs, . - trauma_golden__default_runs
    .size trauma_runs, . - trauma_runs
    .weak trauma_kernel                 # the same names in every object of a suite: a linker takes the first
    .weak trauma_layout
    .weak trauma_runs
    .section .trauma.texts, "", @progbits # where the recipe's own instructions begin and end in the loop
    .long .Ltext1 - trauma_loop, .Ltext_end1 - trauma_loop
    .long .Ltext2 - trauma_loop, .Ltext_end2 - trauma_loop
    .long .Ltext3 - trauma_loop, .Ltext_end3 - trauma_loop
    .long .Ltext7 - trauma_loop, .Ltext_end7 - trauma_loop
    .long .Ltext8 - trauma_loop, .Ltext_end8 - trauma_loop
    .long .Ltext9 - trauma_loop, .Ltext_end9 - trauma_loop
    .long .Ltext13 - trauma_loop, .Ltext_end13 - trauma_loop
    .long .Ltext14 - trauma_loop, .Ltext_end14 - trauma_loop
    .long .Ltext15 - trauma_loop, .Ltext_end15 - trauma_loop
    .long .Ltext19 - trauma_loop, .Ltext_end19 - trauma_loop
    .long .Ltext20 - trauma_loop, .Ltext_end20 - trauma_loop
    .long .Ltext21 - trauma_loop, .Ltext_end21 - trauma_loop
    .long .Ltext25 - trauma_loop, .Ltext_end25 - trauma_loop
    .long .Ltext26 - trauma_loop, .Ltext_end26 - trauma_loop
    .long .Ltext27 - trauma_loop, .Ltext_end27 - trauma_loop
    .long .Ltext31 - trauma_loop, .Ltext_end31 - trauma_loop
    .long .Ltext32 - trauma_loop, .Ltext_end32 - trauma_loop
    .long .Ltext33 - trauma_loop, .Ltext_end33 - trauma_loop
    .section .note.GNU-stack, "", @progbits
