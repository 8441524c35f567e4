# golden/default
# for pentium-pro: 266 units of 3 operations; rates hold over 1 pass
# target l1d.miss_rate = 0.5
# target l2.miss_rate = 0
# target served.L1 = 0.5
# target served.L2 = 0.5
# 33 eviction sets, lines per L1D set: 5 in 1, 4 in 4, 4 in 7, 4 in 10, 4 in 13, 4 in 16, 4 in 19, 4 in 22, 4 in 25, 4 in 28,
#   4 in 31, 4 in 34, 4 in 37, 4 in 40, 4 in 43, 4 in 46, 4 in 49, 4 in 52, 4 in 55, 4 in 58,
#   4 in 61, 4 in 64, 4 in 67, 4 in 70, 4 in 73, 4 in 76, 4 in 79, 4 in 82, 4 in 85, 4 in 88,
#   4 in 91, 4 in 94, 4 in 97
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
    addq %rcx, %r15                         # dependent
    addq %rsi, %r9
    movq 8(%rsi), %rcx                      # unit 1, behaviour 1: L1: the line of all hits
    addq %rcx, %r12                         # dependent
    addq %rsi, %r10
    movq 4128(%rsi), %rcx                   # unit 2, behaviour 1: L2: L1D set 1, line 1 of 5
    addq %rcx, %rbx                         # dependent
    addq %rsi, %r11
    movq 29280(%rsi), %rcx                  # unit 3, behaviour 1: L2: L1D set 19, line 1 of 4
    addq %rcx, %r8                          # dependent
    addq %rsi, %r13
    movq 16(%rsi), %rcx                     # unit 4, behaviour 1: L1: the line of all hits
    addq %rcx, %rbp                         # dependent
    addq %rsi, %r14
    movq 24(%rsi), %rcx                     # unit 5, behaviour 1: L1: the line of all hits
    addq %rcx, %r15                         # dependent
    addq %rsi, %r9
    movq 49280(%rsi), %rcx                  # unit 6, behaviour 1: L2: L1D set 4, line 1 of 4
    addq %rcx, %r12                         # dependent
    addq %rsi, %r10
    movq (%rsi), %rcx                       # unit 7, behaviour 1: L1: the line of all hits
    addq %rcx, %rbx                         # dependent
    addq %rsi, %r11
    movq 8224(%rsi), %rcx                   # unit 8, behaviour 1: L2: L1D set 1, line 2 of 5
    addq %rcx, %r8                          # dependent
    addq %rsi, %r13
    movq 25184(%rsi), %rcx                  # unit 9, behaviour 1: L2: L1D set 19, line 2 of 4
    addq %rcx, %rbp                         # dependent
    addq %rsi, %r14
    movq 8(%rsi), %rcx                      # unit 10, behaviour 1: L1: the line of all hits
    addq %rcx, %r15                         # dependent
    addq %rsi, %r9
    movq 45184(%rsi), %rcx                  # unit 11, behaviour 1: L2: L1D set 4, line 2 of 4
    addq %rcx, %r12                         # dependent
    addq %rsi, %r10
    movq 12320(%rsi), %rcx                  # unit 12, behaviour 1: L2: L1D set 1, line 3 of 5
    addq %rcx, %rbx                         # dependent
    addq %rsi, %r11
    movq 16(%rsi), %rcx                     # unit 13, behaviour 1: L1: the line of all hits
    addq %rcx, %r8                          # dependent
    addq %rsi, %r13
    movq 24(%rsi), %rcx                     # unit 14, behaviour 1: L1: the line of all hits
    addq %rcx, %rbp                         # dependent
    addq %rsi, %r14
    movq 21088(%rsi), %rcx                  # unit 15, behaviour 1: L2: L1D set 19, line 3 of 4
    addq %rcx, %r15                         # dependent
    addq %rsi, %r9
    movq (%rsi), %rcx                       # unit 16, behaviour 1: L1: the line of all hits
    addq %rcx, %r12                         # dependent
    addq %rsi, %r10
    movq 41088(%rsi), %rcx                  # unit 17, behaviour 1: L2: L1D set 4, line 3 of 4
    addq %rcx, %rbx                         # dependent
    addq %rsi, %r11
    movq 8(%rsi), %rcx                      # unit 18, behaviour 1: L1: the line of all hits
    addq %rcx, %r8                          # dependent
    addq %rsi, %r13
    movq 32(%rsi), %rcx                     # unit 19, behaviour 1: L2: L1D set 1, line 4 of 5
    addq %rcx, %rbp                         # dependent
    addq %rsi, %r14
    movq 33376(%rsi), %rcx                  # unit 20, behaviour 1: L2: L1D set 19, line 4 of 4
    addq %rcx, %r15                         # dependent
    addq %rsi, %r9
    movq 16(%rsi), %rcx                     # unit 21, behaviour 1: L1: the line of all hits
    addq %rcx, %r12                         # dependent
    addq %rsi, %r10
    movq 24(%rsi), %rcx                     # unit 22, behaviour 1: L1: the line of all hits
    addq %rcx, %rbx                         # dependent
    addq %rsi, %r11
    movq (%rsi), %rcx                       # unit 23, behaviour 1: L1: the line of all hits
    addq %rcx, %r8                          # dependent
    addq %rsi, %r13
    movq 53376(%rsi), %rcx                  # unit 24, behaviour 1: L2: L1D set 4, line 4 of 4
    addq %rcx, %rbp                         # dependent
    addq %rsi, %r14
    movq 16416(%rsi), %rcx                  # unit 25, behaviour 1: L2: L1D set 1, line 5 of 5
    addq %rcx, %r15                         # dependent
    addq %rsi, %r9
    movq 8(%rsi), %rcx                      # unit 26, behaviour 1: L1: the line of all hits
    addq %rcx, %r12                         # dependent
    addq %rsi, %r10
    movq 16(%rsi), %rcx                     # unit 27, behaviour 1: L1: the line of all hits
    addq %rcx, %rbx                         # dependent
    addq %rsi, %r11
    movq 8896(%rsi), %rcx                   # unit 28, behaviour 1: L2: L1D set 22, line 1 of 4
    addq %rcx, %r8                          # dependent
    addq %rsi, %r13
    movq 24(%rsi), %rcx                     # unit 29, behaviour 1: L1: the line of all hits
    addq %rcx, %rbp                         # dependent
    addq %rsi, %r14
    movq 30048(%rsi), %rcx                  # unit 30, behaviour 1: L2: L1D set 43, line 1 of 4
    addq %rcx, %r15                         # dependent
    addq %rsi, %r9
    movq (%rsi), %rcx                       # unit 31, behaviour 1: L1: the line of all hits
    addq %rcx, %r12                         # dependent
    addq %rsi, %r10
    movq 8(%rsi), %rcx                      # unit 32, behaviour 1: L1: the line of all hits
    addq %rcx, %rbx                         # dependent
    addq %rsi, %r11
    movq 51488(%rsi), %rcx                  # unit 33, behaviour 1: L2: L1D set 73, line 1 of 4
    addq %rcx, %r8                          # dependent
    addq %rsi, %r13
    movq 4800(%rsi), %rcx                   # unit 34, behaviour 1: L2: L1D set 22, line 2 of 4
    addq %rcx, %rbp                         # dependent
    addq %rsi, %r14
    movq 16(%rsi), %rcx                     # unit 35, behaviour 1: L1: the line of all hits
    addq %rcx, %r15                         # dependent
    addq %rsi, %r9
    movq 24(%rsi), %rcx                     # unit 36, behaviour 1: L1: the line of all hits
    addq %rcx, %r12                         # dependent
    addq %rsi, %r10
    movq 25952(%rsi), %rcx                  # unit 37, behaviour 1: L2: L1D set 43, line 2 of 4
    addq %rcx, %rbx                         # dependent
    addq %rsi, %r11
    movq 47392(%rsi), %rcx                  # unit 38, behaviour 1: L2: L1D set 73, line 2 of 4
    addq %rcx, %r8                          # dependent
    addq %rsi, %r13
    movq (%rsi), %rcx                       # unit 39, behaviour 1: L1: the line of all hits
    addq %rcx, %rbp                         # dependent
    addq %rsi, %r14
    movq 8(%rsi), %rcx                      # unit 40, behaviour 1: L1: the line of all hits
    addq %rcx, %r15                         # dependent
    addq %rsi, %r9
    movq 16(%rsi), %rcx                     # unit 41, behaviour 1: L1: the line of all hits
    addq %rcx, %r12                         # dependent
    addq %rsi, %r10
    movq 704(%rsi), %rcx                    # unit 42, behaviour 1: L2: L1D set 22, line 3 of 4
    addq %rcx, %rbx                         # dependent
    addq %rsi, %r11
    movq 24(%rsi), %rcx                     # unit 43, behaviour 1: L1: the line of all hits
    addq %rcx, %r8                          # dependent
    addq %rsi, %r13
    movq 21856(%rsi), %rcx                  # unit 44, behaviour 1: L2: L1D set 43, line 3 of 4
    addq %rcx, %rbp                         # dependent
    addq %rsi, %r14
    movq (%rsi), %rcx                       # unit 45, behaviour 1: L1: the line of all hits
    addq %rcx, %r15                         # dependent
    addq %rsi, %r9
    movq 8(%rsi), %rcx                      # unit 46, behaviour 1: L1: the line of all hits
    addq %rcx, %r12                         # dependent
    addq %rsi, %r10
    movq 16(%rsi), %rcx                     # unit 47, behaviour 1: L1: the line of all hits
    addq %rcx, %rbx                         # dependent
    addq %rsi, %r11
    movq 24(%rsi), %rcx                     # unit 48, behaviour 1: L1: the line of all hits
    addq %rcx, %r8                          # dependent
    addq %rsi, %r13
    movq 43296(%rsi), %rcx                  # unit 49, behaviour 1: L2: L1D set 73, line 3 of 4
    addq %rcx, %rbp                         # dependent
    addq %rsi, %r14
    movq 12992(%rsi), %rcx                  # unit 50, behaviour 1: L2: L1D set 22, line 4 of 4
    addq %rcx, %r15                         # dependent
    addq %rsi, %r9
    movq 34144(%rsi), %rcx                  # unit 51, behaviour 1: L2: L1D set 43, line 4 of 4
    addq %rcx, %r12                         # dependent
    addq %rsi, %r10
    movq (%rsi), %rcx                       # unit 52, behaviour 1: L1: the line of all hits
    addq %rcx, %rbx                         # dependent
    addq %rsi, %r11
    movq 8(%rsi), %rcx                      # unit 53, behaviour 1: L1: the line of all hits
    addq %rcx, %r8                          # dependent
    addq %rsi, %r13
    movq 16(%rsi), %rcx                     # unit 54, behaviour 1: L1: the line of all hits
    addq %rcx, %rbp                         # dependent
    addq %rsi, %r14
    movq 55584(%rsi), %rcx                  # unit 55, behaviour 1: L2: L1D set 73, line 4 of 4
    addq %rcx, %r15                         # dependent
    addq %rsi, %r9
    movq 10720(%rsi), %rcx                  # unit 56, behaviour 1: L2: L1D set 79, line 1 of 4
    addq %rcx, %r12                         # dependent
    addq %rsi, %r10
    movq 24(%rsi), %rcx                     # unit 57, behaviour 1: L1: the line of all hits
    addq %rcx, %rbx                         # dependent
    addq %rsi, %r11
    movq 31104(%rsi), %rcx                  # unit 58, behaviour 1: L2: L1D set 76, line 1 of 4
    addq %rcx, %r8                          # dependent
    addq %rsi, %r13
    movq (%rsi), %rcx                       # unit 59, behaviour 1: L1: the line of all hits
    addq %rcx, %rbp                         # dependent
    addq %rsi, %r14
    movq 8(%rsi), %rcx                      # unit 60, behaviour 1: L1: the line of all hits
    addq %rcx, %r15                         # dependent
    addq %rsi, %r9
    movq 49472(%rsi), %rcx                  # unit 61, behaviour 1: L2: L1D set 10, line 1 of 4
    addq %rcx, %r12                         # dependent
    addq %rsi, %r10
    movq 6624(%rsi), %rcx                   # unit 62, behaviour 1: L2: L1D set 79, line 2 of 4
    addq %rcx, %rbx                         # dependent
    addq %rsi, %r11
    movq 27008(%rsi), %rcx                  # unit 63, behaviour 1: L2: L1D set 76, line 2 of 4
    addq %rcx, %r8                          # dependent
    addq %rsi, %r13
    movq 45376(%rsi), %rcx                  # unit 64, behaviour 1: L2: L1D set 10, line 2 of 4
    addq %rcx, %rbp                         # dependent
    addq %rsi, %r14
    movq 2528(%rsi), %rcx                   # unit 65, behaviour 1: L2: L1D set 79, line 3 of 4
    addq %rcx, %r15                         # dependent
    addq %rsi, %r9
    movq 16(%rsi), %rcx                     # unit 66, behaviour 1: L1: the line of all hits
    addq %rcx, %r12                         # dependent
    addq %rsi, %r10
    movq 22912(%rsi), %rcx                  # unit 67, behaviour 1: L2: L1D set 76, line 3 of 4
    addq %rcx, %rbx                         # dependent
    addq %rsi, %r11
    movq 41280(%rsi), %rcx                  # unit 68, behaviour 1: L2: L1D set 10, line 3 of 4
    addq %rcx, %r8                          # dependent
    addq %rsi, %r13
    movq 14816(%rsi), %rcx                  # unit 69, behaviour 1: L2: L1D set 79, line 4 of 4
    addq %rcx, %rbp                         # dependent
    addq %rsi, %r14
    movq 35200(%rsi), %rcx                  # unit 70, behaviour 1: L2: L1D set 76, line 4 of 4
    addq %rcx, %r15                         # dependent
    addq %rsi, %r9
    movq 24(%rsi), %rcx                     # unit 71, behaviour 1: L1: the line of all hits
    addq %rcx, %r12                         # dependent
    addq %rsi, %r10
    movq (%rsi), %rcx                       # unit 72, behaviour 1: L1: the line of all hits
    addq %rcx, %rbx                         # dependent
    addq %rsi, %r11
    movq 53568(%rsi), %rcx                  # unit 73, behaviour 1: L2: L1D set 10, line 4 of 4
    addq %rcx, %r8                          # dependent
    addq %rsi, %r13
    movq 9376(%rsi), %rcx                   # unit 74, behaviour 1: L2: L1D set 37, line 1 of 4
    addq %rcx, %rbp                         # dependent
    addq %rsi, %r14
    movq 31680(%rsi), %rcx                  # unit 75, behaviour 1: L2: L1D set 94, line 1 of 4
    addq %rcx, %r15                         # dependent
    addq %rsi, %r9
    movq 8(%rsi), %rcx                      # unit 76, behaviour 1: L1: the line of all hits
    addq %rcx, %r12                         # dependent
    addq %rsi, %r10
    movq 50432(%rsi), %rcx                  # unit 77, behaviour 1: L2: L1D set 40, line 1 of 4
    addq %rcx, %rbx                         # dependent
    addq %rsi, %r11
    movq 16(%rsi), %rcx                     # unit 78, behaviour 1: L1: the line of all hits
    addq %rcx, %r8                          # dependent
    addq %rsi, %r13
    movq 24(%rsi), %rcx                     # unit 79, behaviour 1: L1: the line of all hits
    addq %rcx, %rbp                         # dependent
    addq %rsi, %r14
    movq (%rsi), %rcx                       # unit 80, behaviour 1: L1: the line of all hits
    addq %rcx, %r15                         # dependent
    addq %rsi, %r9
    movq 8(%rsi), %rcx                      # unit 81, behaviour 1: L1: the line of all hits
    addq %rcx, %r12                         # dependent
    addq %rsi, %r10
    movq 16(%rsi), %rcx                     # unit 82, behaviour 1: L1: the line of all hits
    addq %rcx, %rbx                         # dependent
    addq %rsi, %r11
    movq 5280(%rsi), %rcx                   # unit 83, behaviour 1: L2: L1D set 37, line 2 of 4
    addq %rcx, %r8                          # dependent
    addq %rsi, %r13
    movq 24(%rsi), %rcx                     # unit 84, behaviour 1: L1: the line of all hits
    addq %rcx, %rbp                         # dependent
    addq %rsi, %r14
    movq 27584(%rsi), %rcx                  # unit 85, behaviour 1: L2: L1D set 94, line 2 of 4
    addq %rcx, %r15                         # dependent
    addq %rsi, %r9
    movq 46336(%rsi), %rcx                  # unit 86, behaviour 1: L2: L1D set 40, line 2 of 4
    addq %rcx, %r12                         # dependent
    addq %rsi, %r10
    movq 1184(%rsi), %rcx                   # unit 87, behaviour 1: L2: L1D set 37, line 3 of 4
    addq %rcx, %rbx                         # dependent
    addq %rsi, %r11
    movq 23488(%rsi), %rcx                  # unit 88, behaviour 1: L2: L1D set 94, line 3 of 4
    addq %rcx, %r8                          # dependent
    addq %rsi, %r13
    movq (%rsi), %rcx                       # unit 89, behaviour 1: L1: the line of all hits
    addq %rcx, %rbp                         # dependent
    addq %rsi, %r14
    movq 42240(%rsi), %rcx                  # unit 90, behaviour 1: L2: L1D set 40, line 3 of 4
    addq %rcx, %r15                         # dependent
    addq %rsi, %r9
    movq 8(%rsi), %rcx                      # unit 91, behaviour 1: L1: the line of all hits
    addq %rcx, %r12                         # dependent
    addq %rsi, %r10
    movq 16(%rsi), %rcx                     # unit 92, behaviour 1: L1: the line of all hits
    addq %rcx, %rbx                         # dependent
    addq %rsi, %r11
    movq 24(%rsi), %rcx                     # unit 93, behaviour 1: L1: the line of all hits
    addq %rcx, %r8                          # dependent
    addq %rsi, %r13
    movq (%rsi), %rcx                       # unit 94, behaviour 1: L1: the line of all hits
    addq %rcx, %rbp                         # dependent
    addq %rsi, %r14
    movq 8(%rsi), %rcx                      # unit 95, behaviour 1: L1: the line of all hits
    addq %rcx, %r15                         # dependent
    addq %rsi, %r9
    movq 13472(%rsi), %rcx                  # unit 96, behaviour 1: L2: L1D set 37, line 4 of 4
    addq %rcx, %r12                         # dependent
    addq %rsi, %r10
    movq 16(%rsi), %rcx                     # unit 97, behaviour 1: L1: the line of all hits
    addq %rcx, %rbx                         # dependent
    addq %rsi, %r11
    movq 24(%rsi), %rcx                     # unit 98, behaviour 1: L1: the line of all hits
    addq %rcx, %r8                          # dependent
    addq %rsi, %r13
    movq 35776(%rsi), %rcx                  # unit 99, behaviour 1: L2: L1D set 94, line 4 of 4
    addq %rcx, %rbp                         # dependent
    addq %rsi, %r14
    movq 54528(%rsi), %rcx                  # unit 100, behaviour 1: L2: L1D set 40, line 4 of 4
    addq %rcx, %r15                         # dependent
    addq %rsi, %r9
    movq (%rsi), %rcx                       # unit 101, behaviour 1: L1: the line of all hits
    addq %rcx, %r12                         # dependent
    addq %rsi, %r10
    movq 10432(%rsi), %rcx                  # unit 102, behaviour 1: L2: L1D set 70, line 1 of 4
    addq %rcx, %rbx                         # dependent
    addq %rsi, %r11
    movq 30432(%rsi), %rcx                  # unit 103, behaviour 1: L2: L1D set 55, line 1 of 4
    addq %rcx, %r8                          # dependent
    addq %rsi, %r13
    movq 8(%rsi), %rcx                      # unit 104, behaviour 1: L1: the line of all hits
    addq %rcx, %rbp                         # dependent
    addq %rsi, %r14
    movq 16(%rsi), %rcx                     # unit 105, behaviour 1: L1: the line of all hits
    addq %rcx, %r15                         # dependent
    addq %rsi, %r9
    movq 50816(%rsi), %rcx                  # unit 106, behaviour 1: L2: L1D set 52, line 1 of 4
    addq %rcx, %r12                         # dependent
    addq %rsi, %r10
    movq 24(%rsi), %rcx                     # unit 107, behaviour 1: L1: the line of all hits
    addq %rcx, %rbx                         # dependent
    addq %rsi, %r11
    movq (%rsi), %rcx                       # unit 108, behaviour 1: L1: the line of all hits
    addq %rcx, %r8                          # dependent
    addq %rsi, %r13
    movq 6336(%rsi), %rcx                   # unit 109, behaviour 1: L2: L1D set 70, line 2 of 4
    addq %rcx, %rbp                         # dependent
    addq %rsi, %r14
    movq 8(%rsi), %rcx                      # unit 110, behaviour 1: L1: the line of all hits
    addq %rcx, %r15                         # dependent
    addq %rsi, %r9
    movq 26336(%rsi), %rcx                  # unit 111, behaviour 1: L2: L1D set 55, line 2 of 4
    addq %rcx, %r12                         # dependent
    addq %rsi, %r10
    movq 46720(%rsi), %rcx                  # unit 112, behaviour 1: L2: L1D set 52, line 2 of 4
    addq %rcx, %rbx                         # dependent
    addq %rsi, %r11
    movq 16(%rsi), %rcx                     # unit 113, behaviour 1: L1: the line of all hits
    addq %rcx, %r8                          # dependent
    addq %rsi, %r13
    movq 2240(%rsi), %rcx                   # unit 114, behaviour 1: L2: L1D set 70, line 3 of 4
    addq %rcx, %rbp                         # dependent
    addq %rsi, %r14
    movq 24(%rsi), %rcx                     # unit 115, behaviour 1: L1: the line of all hits
    addq %rcx, %r15                         # dependent
    addq %rsi, %r9
    movq 22240(%rsi), %rcx                  # unit 116, behaviour 1: L2: L1D set 55, line 3 of 4
    addq %rcx, %r12                         # dependent
    addq %rsi, %r10
    movq (%rsi), %rcx                       # unit 117, behaviour 1: L1: the line of all hits
    addq %rcx, %rbx                         # dependent
    addq %rsi, %r11
    movq 42624(%rsi), %rcx                  # unit 118, behaviour 1: L2: L1D set 52, line 3 of 4
    addq %rcx, %r8                          # dependent
    addq %rsi, %r13
    movq 14528(%rsi), %rcx                  # unit 119, behaviour 1: L2: L1D set 70, line 4 of 4
    addq %rcx, %rbp                         # dependent
    addq %rsi, %r14
    movq 8(%rsi), %rcx                      # unit 120, behaviour 1: L1: the line of all hits
    addq %rcx, %r15                         # dependent
    addq %rsi, %r9
    movq 16(%rsi), %rcx                     # unit 121, behaviour 1: L1: the line of all hits
    addq %rcx, %r12                         # dependent
    addq %rsi, %r10
    movq 34528(%rsi), %rcx                  # unit 122, behaviour 1: L2: L1D set 55, line 4 of 4
    addq %rcx, %rbx                         # dependent
    addq %rsi, %r11
    movq 24(%rsi), %rcx                     # unit 123, behaviour 1: L1: the line of all hits
    addq %rcx, %r8                          # dependent
    addq %rsi, %r13
    movq 54912(%rsi), %rcx                  # unit 124, behaviour 1: L2: L1D set 52, line 4 of 4
    addq %rcx, %rbp                         # dependent
    addq %rsi, %r14
    movq 11104(%rsi), %rcx                  # unit 125, behaviour 1: L2: L1D set 91, line 1 of 4
    addq %rcx, %r15                         # dependent
    addq %rsi, %r9
    movq 29472(%rsi), %rcx                  # unit 126, behaviour 1: L2: L1D set 25, line 1 of 4
    addq %rcx, %r12                         # dependent
    addq %rsi, %r10
    movq (%rsi), %rcx                       # unit 127, behaviour 1: L1: the line of all hits
    addq %rcx, %rbx                         # dependent
    addq %rsi, %r11
    movq 8(%rsi), %rcx                      # unit 128, behaviour 1: L1: the line of all hits
    addq %rcx, %r8                          # dependent
    addq %rsi, %r13
    movq 16(%rsi), %rcx                     # unit 129, behaviour 1: L1: the line of all hits
    addq %rcx, %rbp                         # dependent
    addq %rsi, %r14
    movq 51296(%rsi), %rcx                  # unit 130, behaviour 1: L2: L1D set 67, line 1 of 4
    addq %rcx, %r15                         # dependent
    addq %rsi, %r9
    movq 24(%rsi), %rcx                     # unit 131, behaviour 1: L1: the line of all hits
    addq %rcx, %r12                         # dependent
    addq %rsi, %r10
    movq 7008(%rsi), %rcx                   # unit 132, behaviour 1: L2: L1D set 91, line 2 of 4
    addq %rcx, %rbx                         # dependent
    addq %rsi, %r11
    movq 25376(%rsi), %rcx                  # unit 133, behaviour 1: L2: L1D set 25, line 2 of 4
    addq %rcx, %r8                          # dependent
    addq %rsi, %r13
    movq (%rsi), %rcx                       # unit 134, behaviour 1: L1: the line of all hits
    addq %rcx, %rbp                         # dependent
    addq %rsi, %r14
    movq 47200(%rsi), %rcx                  # unit 135, behaviour 1: L2: L1D set 67, line 2 of 4
    addq %rcx, %r15                         # dependent
    addq %rsi, %r9
    movq 2912(%rsi), %rcx                   # unit 136, behaviour 1: L2: L1D set 91, line 3 of 4
    addq %rcx, %r12                         # dependent
    addq %rsi, %r10
    movq 8(%rsi), %rcx                      # unit 137, behaviour 1: L1: the line of all hits
    addq %rcx, %rbx                         # dependent
    addq %rsi, %r11
    movq 16(%rsi), %rcx                     # unit 138, behaviour 1: L1: the line of all hits
    addq %rcx, %r8                          # dependent
    addq %rsi, %r13
    movq 21280(%rsi), %rcx                  # unit 139, behaviour 1: L2: L1D set 25, line 3 of 4
    addq %rcx, %rbp                         # dependent
    addq %rsi, %r14
    movq 24(%rsi), %rcx                     # unit 140, behaviour 1: L1: the line of all hits
    addq %rcx, %r15                         # dependent
    addq %rsi, %r9
    movq (%rsi), %rcx                       # unit 141, behaviour 1: L1: the line of all hits
    addq %rcx, %r12                         # dependent
    addq %rsi, %r10
    movq 43104(%rsi), %rcx                  # unit 142, behaviour 1: L2: L1D set 67, line 3 of 4
    addq %rcx, %rbx                         # dependent
    addq %rsi, %r11
    movq 15200(%rsi), %rcx                  # unit 143, behaviour 1: L2: L1D set 91, line 4 of 4
    addq %rcx, %r8                          # dependent
    addq %rsi, %r13
    movq 33568(%rsi), %rcx                  # unit 144, behaviour 1: L2: L1D set 25, line 4 of 4
    addq %rcx, %rbp                         # dependent
    addq %rsi, %r14
    movq 55392(%rsi), %rcx                  # unit 145, behaviour 1: L2: L1D set 67, line 4 of 4
    addq %rcx, %r15                         # dependent
    addq %rsi, %r9
    movq 8(%rsi), %rcx                      # unit 146, behaviour 1: L1: the line of all hits
    addq %rcx, %r12                         # dependent
    addq %rsi, %r10
    movq 16(%rsi), %rcx                     # unit 147, behaviour 1: L1: the line of all hits
    addq %rcx, %rbx                         # dependent
    addq %rsi, %r11
    movq 10816(%rsi), %rcx                  # unit 148, behaviour 1: L2: L1D set 82, line 1 of 4
    addq %rcx, %r8                          # dependent
    addq %rsi, %r13
    movq 24(%rsi), %rcx                     # unit 149, behaviour 1: L1: the line of all hits
    addq %rcx, %rbp                         # dependent
    addq %rsi, %r14
    movq 30720(%rsi), %rcx                  # unit 150, behaviour 1: L2: L1D set 64, line 1 of 4
    addq %rcx, %r15                         # dependent
    addq %rsi, %r9
    movq 49664(%rsi), %rcx                  # unit 151, behaviour 1: L2: L1D set 16, line 1 of 4
    addq %rcx, %r12                         # dependent
    addq %rsi, %r10
    movq 6720(%rsi), %rcx                   # unit 152, behaviour 1: L2: L1D set 82, line 2 of 4
    addq %rcx, %rbx                         # dependent
    addq %rsi, %r11
    movq (%rsi), %rcx                       # unit 153, behaviour 1: L1: the line of all hits
    addq %rcx, %r8                          # dependent
    addq %rsi, %r13
    movq 26624(%rsi), %rcx                  # unit 154, behaviour 1: L2: L1D set 64, line 2 of 4
    addq %rcx, %rbp                         # dependent
    addq %rsi, %r14
    movq 8(%rsi), %rcx                      # unit 155, behaviour 1: L1: the line of all hits
    addq %rcx, %r15                         # dependent
    addq %rsi, %r9
    movq 45568(%rsi), %rcx                  # unit 156, behaviour 1: L2: L1D set 16, line 2 of 4
    addq %rcx, %r12                         # dependent
    addq %rsi, %r10
    movq 16(%rsi), %rcx                     # unit 157, behaviour 1: L1: the line of all hits
    addq %rcx, %rbx                         # dependent
    addq %rsi, %r11
    movq 24(%rsi), %rcx                     # unit 158, behaviour 1: L1: the line of all hits
    addq %rcx, %r8                          # dependent
    addq %rsi, %r13
    movq 2624(%rsi), %rcx                   # unit 159, behaviour 1: L2: L1D set 82, line 3 of 4
    addq %rcx, %rbp                         # dependent
    addq %rsi, %r14
    movq (%rsi), %rcx                       # unit 160, behaviour 1: L1: the line of all hits
    addq %rcx, %r15                         # dependent
    addq %rsi, %r9
    movq 8(%rsi), %rcx                      # unit 161, behaviour 1: L1: the line of all hits
    addq %rcx, %r12                         # dependent
    addq %rsi, %r10
    movq 16(%rsi), %rcx                     # unit 162, behaviour 1: L1: the line of all hits
    addq %rcx, %rbx                         # dependent
    addq %rsi, %r11
    movq 22528(%rsi), %rcx                  # unit 163, behaviour 1: L2: L1D set 64, line 3 of 4
    addq %rcx, %r8                          # dependent
    addq %rsi, %r13
    movq 41472(%rsi), %rcx                  # unit 164, behaviour 1: L2: L1D set 16, line 3 of 4
    addq %rcx, %rbp                         # dependent
    addq %rsi, %r14
    movq 14912(%rsi), %rcx                  # unit 165, behaviour 1: L2: L1D set 82, line 4 of 4
    addq %rcx, %r15                         # dependent
    addq %rsi, %r9
    movq 24(%rsi), %rcx                     # unit 166, behaviour 1: L1: the line of all hits
    addq %rcx, %r12                         # dependent
    addq %rsi, %r10
    movq 34816(%rsi), %rcx                  # unit 167, behaviour 1: L2: L1D set 64, line 4 of 4
    addq %rcx, %rbx                         # dependent
    addq %rsi, %r11
    movq 53760(%rsi), %rcx                  # unit 168, behaviour 1: L2: L1D set 16, line 4 of 4
    addq %rcx, %r8                          # dependent
    addq %rsi, %r13
    movq (%rsi), %rcx                       # unit 169, behaviour 1: L1: the line of all hits
    addq %rcx, %rbp                         # dependent
    addq %rsi, %r14
    movq 8(%rsi), %rcx                      # unit 170, behaviour 1: L1: the line of all hits
    addq %rcx, %r15                         # dependent
    addq %rsi, %r9
    movq 16(%rsi), %rcx                     # unit 171, behaviour 1: L1: the line of all hits
    addq %rcx, %r12                         # dependent
    addq %rsi, %r10
    movq 9664(%rsi), %rcx                   # unit 172, behaviour 1: L2: L1D set 46, line 1 of 4
    addq %rcx, %rbx                         # dependent
    addq %rsi, %r11
    movq 24(%rsi), %rcx                     # unit 173, behaviour 1: L1: the line of all hits
    addq %rcx, %r8                          # dependent
    addq %rsi, %r13
    movq (%rsi), %rcx                       # unit 174, behaviour 1: L1: the line of all hits
    addq %rcx, %rbp                         # dependent
    addq %rsi, %r14
    movq 29568(%rsi), %rcx                  # unit 175, behaviour 1: L2: L1D set 28, line 1 of 4
    addq %rcx, %r15                         # dependent
    addq %rsi, %r9
    movq 50144(%rsi), %rcx                  # unit 176, behaviour 1: L2: L1D set 31, line 1 of 4
    addq %rcx, %r12                         # dependent
    addq %rsi, %r10
    movq 5568(%rsi), %rcx                   # unit 177, behaviour 1: L2: L1D set 46, line 2 of 4
    addq %rcx, %rbx                         # dependent
    addq %rsi, %r11
    movq 8(%rsi), %rcx                      # unit 178, behaviour 1: L1: the line of all hits
    addq %rcx, %r8                          # dependent
    addq %rsi, %r13
    movq 16(%rsi), %rcx                     # unit 179, behaviour 1: L1: the line of all hits
    addq %rcx, %rbp                         # dependent
    addq %rsi, %r14
    movq 25472(%rsi), %rcx                  # unit 180, behaviour 1: L2: L1D set 28, line 2 of 4
    addq %rcx, %r15                         # dependent
    addq %rsi, %r9
    movq 46048(%rsi), %rcx                  # unit 181, behaviour 1: L2: L1D set 31, line 2 of 4
    addq %rcx, %r12                         # dependent
    addq %rsi, %r10
    movq 1472(%rsi), %rcx                   # unit 182, behaviour 1: L2: L1D set 46, line 3 of 4
    addq %rcx, %rbx                         # dependent
    addq %rsi, %r11
    movq 21376(%rsi), %rcx                  # unit 183, behaviour 1: L2: L1D set 28, line 3 of 4
    addq %rcx, %r8                          # dependent
    addq %rsi, %r13
    movq 41952(%rsi), %rcx                  # unit 184, behaviour 1: L2: L1D set 31, line 3 of 4
    addq %rcx, %rbp                         # dependent
    addq %rsi, %r14
    movq 13760(%rsi), %rcx                  # unit 185, behaviour 1: L2: L1D set 46, line 4 of 4
    addq %rcx, %r15                         # dependent
    addq %rsi, %r9
    movq 24(%rsi), %rcx                     # unit 186, behaviour 1: L1: the line of all hits
    addq %rcx, %r12                         # dependent
    addq %rsi, %r10
    movq (%rsi), %rcx                       # unit 187, behaviour 1: L1: the line of all hits
    addq %rcx, %rbx                         # dependent
    addq %rsi, %r11
    movq 8(%rsi), %rcx                      # unit 188, behaviour 1: L1: the line of all hits
    addq %rcx, %r8                          # dependent
    addq %rsi, %r13
    movq 33664(%rsi), %rcx                  # unit 189, behaviour 1: L2: L1D set 28, line 4 of 4
    addq %rcx, %rbp                         # dependent
    addq %rsi, %r14
    movq 16(%rsi), %rcx                     # unit 190, behaviour 1: L1: the line of all hits
    addq %rcx, %r15                         # dependent
    addq %rsi, %r9
    movq 54240(%rsi), %rcx                  # unit 191, behaviour 1: L2: L1D set 31, line 4 of 4
    addq %rcx, %r12                         # dependent
    addq %rsi, %r10
    movq 24(%rsi), %rcx                     # unit 192, behaviour 1: L1: the line of all hits
    addq %rcx, %rbx                         # dependent
    addq %rsi, %r11
    movq (%rsi), %rcx                       # unit 193, behaviour 1: L1: the line of all hits
    addq %rcx, %r8                          # dependent
    addq %rsi, %r13
    movq 8(%rsi), %rcx                      # unit 194, behaviour 1: L1: the line of all hits
    addq %rcx, %rbp                         # dependent
    addq %rsi, %r14
    movq 10144(%rsi), %rcx                  # unit 195, behaviour 1: L2: L1D set 61, line 1 of 4
    addq %rcx, %r15                         # dependent
    addq %rsi, %r9
    movq 16(%rsi), %rcx                     # unit 196, behaviour 1: L1: the line of all hits
    addq %rcx, %r12                         # dependent
    addq %rsi, %r10
    movq 31776(%rsi), %rcx                  # unit 197, behaviour 1: L2: L1D set 97, line 1 of 4
    addq %rcx, %rbx                         # dependent
    addq %rsi, %r11
    movq 49568(%rsi), %rcx                  # unit 198, behaviour 1: L2: L1D set 13, line 1 of 4
    addq %rcx, %r8                          # dependent
    addq %rsi, %r13
    movq 24(%rsi), %rcx                     # unit 199, behaviour 1: L1: the line of all hits
    addq %rcx, %rbp                         # dependent
    addq %rsi, %r14
    movq (%rsi), %rcx                       # unit 200, behaviour 1: L1: the line of all hits
    addq %rcx, %r15                         # dependent
    addq %rsi, %r9
    movq 8(%rsi), %rcx                      # unit 201, behaviour 1: L1: the line of all hits
    addq %rcx, %r12                         # dependent
    addq %rsi, %r10
    movq 6048(%rsi), %rcx                   # unit 202, behaviour 1: L2: L1D set 61, line 2 of 4
    addq %rcx, %rbx                         # dependent
    addq %rsi, %r11
    movq 16(%rsi), %rcx                     # unit 203, behaviour 1: L1: the line of all hits
    addq %rcx, %r8                          # dependent
    addq %rsi, %r13
    movq 24(%rsi), %rcx                     # unit 204, behaviour 1: L1: the line of all hits
    addq %rcx, %rbp                         # dependent
    addq %rsi, %r14
    movq 27680(%rsi), %rcx                  # unit 205, behaviour 1: L2: L1D set 97, line 2 of 4
    addq %rcx, %r15                         # dependent
    addq %rsi, %r9
    movq 45472(%rsi), %rcx                  # unit 206, behaviour 1: L2: L1D set 13, line 2 of 4
    addq %rcx, %r12                         # dependent
    addq %rsi, %r10
    movq (%rsi), %rcx                       # unit 207, behaviour 1: L1: the line of all hits
    addq %rcx, %rbx                         # dependent
    addq %rsi, %r11
    movq 1952(%rsi), %rcx                   # unit 208, behaviour 1: L2: L1D set 61, line 3 of 4
    addq %rcx, %r8                          # dependent
    addq %rsi, %r13
    movq 23584(%rsi), %rcx                  # unit 209, behaviour 1: L2: L1D set 97, line 3 of 4
    addq %rcx, %rbp                         # dependent
    addq %rsi, %r14
    movq 8(%rsi), %rcx                      # unit 210, behaviour 1: L1: the line of all hits
    addq %rcx, %r15                         # dependent
    addq %rsi, %r9
    movq 41376(%rsi), %rcx                  # unit 211, behaviour 1: L2: L1D set 13, line 3 of 4
    addq %rcx, %r12                         # dependent
    addq %rsi, %r10
    movq 16(%rsi), %rcx                     # unit 212, behaviour 1: L1: the line of all hits
    addq %rcx, %rbx                         # dependent
    addq %rsi, %r11
    movq 24(%rsi), %rcx                     # unit 213, behaviour 1: L1: the line of all hits
    addq %rcx, %r8                          # dependent
    addq %rsi, %r13
    movq (%rsi), %rcx                       # unit 214, behaviour 1: L1: the line of all hits
    addq %rcx, %rbp                         # dependent
    addq %rsi, %r14
    movq 14240(%rsi), %rcx                  # unit 215, behaviour 1: L2: L1D set 61, line 4 of 4
    addq %rcx, %r15                         # dependent
    addq %rsi, %r9
    movq 8(%rsi), %rcx                      # unit 216, behaviour 1: L1: the line of all hits
    addq %rcx, %r12                         # dependent
    addq %rsi, %r10
    movq 35872(%rsi), %rcx                  # unit 217, behaviour 1: L2: L1D set 97, line 4 of 4
    addq %rcx, %rbx                         # dependent
    addq %rsi, %r11
    movq 16(%rsi), %rcx                     # unit 218, behaviour 1: L1: the line of all hits
    addq %rcx, %r8                          # dependent
    addq %rsi, %r13
    movq 53664(%rsi), %rcx                  # unit 219, behaviour 1: L2: L1D set 13, line 4 of 4
    addq %rcx, %rbp                         # dependent
    addq %rsi, %r14
    movq 8416(%rsi), %rcx                   # unit 220, behaviour 1: L2: L1D set 7, line 1 of 4
    addq %rcx, %r15                         # dependent
    addq %rsi, %r9
    movq 31488(%rsi), %rcx                  # unit 221, behaviour 1: L2: L1D set 88, line 1 of 4
    addq %rcx, %r12                         # dependent
    addq %rsi, %r10
    movq 51872(%rsi), %rcx                  # unit 222, behaviour 1: L2: L1D set 85, line 1 of 4
    addq %rcx, %rbx                         # dependent
    addq %rsi, %r11
    movq 24(%rsi), %rcx                     # unit 223, behaviour 1: L1: the line of all hits
    addq %rcx, %r8                          # dependent
    addq %rsi, %r13
    movq (%rsi), %rcx                       # unit 224, behaviour 1: L1: the line of all hits
    addq %rcx, %rbp                         # dependent
    addq %rsi, %r14
    movq 4320(%rsi), %rcx                   # unit 225, behaviour 1: L2: L1D set 7, line 2 of 4
    addq %rcx, %r15                         # dependent
    addq %rsi, %r9
    movq 8(%rsi), %rcx                      # unit 226, behaviour 1: L1: the line of all hits
    addq %rcx, %r12                         # dependent
    addq %rsi, %r10
    movq 27392(%rsi), %rcx                  # unit 227, behaviour 1: L2: L1D set 88, line 2 of 4
    addq %rcx, %rbx                         # dependent
    addq %rsi, %r11
    movq 16(%rsi), %rcx                     # unit 228, behaviour 1: L1: the line of all hits
    addq %rcx, %r8                          # dependent
    addq %rsi, %r13
    movq 24(%rsi), %rcx                     # unit 229, behaviour 1: L1: the line of all hits
    addq %rcx, %rbp                         # dependent
    addq %rsi, %r14
    movq (%rsi), %rcx                       # unit 230, behaviour 1: L1: the line of all hits
    addq %rcx, %r15                         # dependent
    addq %rsi, %r9
    movq 47776(%rsi), %rcx                  # unit 231, behaviour 1: L2: L1D set 85, line 2 of 4
    addq %rcx, %r12                         # dependent
    addq %rsi, %r10
    movq 8(%rsi), %rcx                      # unit 232, behaviour 1: L1: the line of all hits
    addq %rcx, %rbx                         # dependent
    addq %rsi, %r11
    movq 224(%rsi), %rcx                    # unit 233, behaviour 1: L2: L1D set 7, line 3 of 4
    addq %rcx, %r8                          # dependent
    addq %rsi, %r13
    movq 16(%rsi), %rcx                     # unit 234, behaviour 1: L1: the line of all hits
    addq %rcx, %rbp                         # dependent
    addq %rsi, %r14
    movq 24(%rsi), %rcx                     # unit 235, behaviour 1: L1: the line of all hits
    addq %rcx, %r15                         # dependent
    addq %rsi, %r9
    movq (%rsi), %rcx                       # unit 236, behaviour 1: L1: the line of all hits
    addq %rcx, %r12                         # dependent
    addq %rsi, %r10
    movq 8(%rsi), %rcx                      # unit 237, behaviour 1: L1: the line of all hits
    addq %rcx, %rbx                         # dependent
    addq %rsi, %r11
    movq 23296(%rsi), %rcx                  # unit 238, behaviour 1: L2: L1D set 88, line 3 of 4
    addq %rcx, %r8                          # dependent
    addq %rsi, %r13
    movq 43680(%rsi), %rcx                  # unit 239, behaviour 1: L2: L1D set 85, line 3 of 4
    addq %rcx, %rbp                         # dependent
    addq %rsi, %r14
    movq 16(%rsi), %rcx                     # unit 240, behaviour 1: L1: the line of all hits
    addq %rcx, %r15                         # dependent
    addq %rsi, %r9
    movq 24(%rsi), %rcx                     # unit 241, behaviour 1: L1: the line of all hits
    addq %rcx, %r12                         # dependent
    addq %rsi, %r10
    movq (%rsi), %rcx                       # unit 242, behaviour 1: L1: the line of all hits
    addq %rcx, %rbx                         # dependent
    addq %rsi, %r11
    movq 12512(%rsi), %rcx                  # unit 243, behaviour 1: L2: L1D set 7, line 4 of 4
    addq %rcx, %r8                          # dependent
    addq %rsi, %r13
    movq 8(%rsi), %rcx                      # unit 244, behaviour 1: L1: the line of all hits
    addq %rcx, %rbp                         # dependent
    addq %rsi, %r14
    movq 16(%rsi), %rcx                     # unit 245, behaviour 1: L1: the line of all hits
    addq %rcx, %r15                         # dependent
    addq %rsi, %r9
    movq 35584(%rsi), %rcx                  # unit 246, behaviour 1: L2: L1D set 88, line 4 of 4
    addq %rcx, %r12                         # dependent
    addq %rsi, %r10
    movq 55968(%rsi), %rcx                  # unit 247, behaviour 1: L2: L1D set 85, line 4 of 4
    addq %rcx, %rbx                         # dependent
    addq %rsi, %r11
    movq 9280(%rsi), %rcx                   # unit 248, behaviour 1: L2: L1D set 34, line 1 of 4
    addq %rcx, %r8                          # dependent
    addq %rsi, %r13
    movq 30240(%rsi), %rcx                  # unit 249, behaviour 1: L2: L1D set 49, line 1 of 4
    addq %rcx, %rbp                         # dependent
    addq %rsi, %r14
    movq 51008(%rsi), %rcx                  # unit 250, behaviour 1: L2: L1D set 58, line 1 of 4
    addq %rcx, %r15                         # dependent
    addq %rsi, %r9
    movq 5184(%rsi), %rcx                   # unit 251, behaviour 1: L2: L1D set 34, line 2 of 4
    addq %rcx, %r12                         # dependent
    addq %rsi, %r10
    movq 24(%rsi), %rcx                     # unit 252, behaviour 1: L1: the line of all hits
    addq %rcx, %rbx                         # dependent
    addq %rsi, %r11
    movq (%rsi), %rcx                       # unit 253, behaviour 1: L1: the line of all hits
    addq %rcx, %r8                          # dependent
    addq %rsi, %r13
    movq 8(%rsi), %rcx                      # unit 254, behaviour 1: L1: the line of all hits
    addq %rcx, %rbp                         # dependent
    addq %rsi, %r14
    movq 26144(%rsi), %rcx                  # unit 255, behaviour 1: L2: L1D set 49, line 2 of 4
    addq %rcx, %r15                         # dependent
    addq %rsi, %r9
    movq 46912(%rsi), %rcx                  # unit 256, behaviour 1: L2: L1D set 58, line 2 of 4
    addq %rcx, %r12                         # dependent
    addq %rsi, %r10
    movq 1088(%rsi), %rcx                   # unit 257, behaviour 1: L2: L1D set 34, line 3 of 4
    addq %rcx, %rbx                         # dependent
    addq %rsi, %r11
    movq 22048(%rsi), %rcx                  # unit 258, behaviour 1: L2: L1D set 49, line 3 of 4
    addq %rcx, %r8                          # dependent
    addq %rsi, %r13
    movq 16(%rsi), %rcx                     # unit 259, behaviour 1: L1: the line of all hits
    addq %rcx, %rbp                         # dependent
    addq %rsi, %r14
    movq 42816(%rsi), %rcx                  # unit 260, behaviour 1: L2: L1D set 58, line 3 of 4
    addq %rcx, %r15                         # dependent
    addq %rsi, %r9
    movq 13376(%rsi), %rcx                  # unit 261, behaviour 1: L2: L1D set 34, line 4 of 4
    addq %rcx, %r12                         # dependent
    addq %rsi, %r10
    movq 24(%rsi), %rcx                     # unit 262, behaviour 1: L1: the line of all hits
    addq %rcx, %rbx                         # dependent
    addq %rsi, %r11
    movq 34336(%rsi), %rcx                  # unit 263, behaviour 1: L2: L1D set 49, line 4 of 4
    addq %rcx, %r8                          # dependent
    addq %rsi, %r13
    movq 55104(%rsi), %rcx                  # unit 264, behaviour 1: L2: L1D set 58, line 4 of 4
    addq %rcx, %rbp                         # dependent
    addq %rsi, %r14
    movq (%rsi), %rcx                       # unit 265, behaviour 1: L1: the line of all hits
    addq %rcx, %r15                         # dependent
    addq %rsi, %r9
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
    .quad 56000                       # bytes of data
    .quad 65536                       # its alignment
    .quad 0                    # 1: set-up adds the data's address to every value
    .quad 56000                        # from this byte on better in huge pages
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
    .quad 0, 8, 7000, 0x0000000000000000
    .size trauma_golden__default_runs, . - trauma_golden__default_runs
    .size trauma_runs, . - trauma_runs
    .weak trauma_kernel                 # the same names in every object of a suite: a linker takes the first
    .weak trauma_layout
    .weak trauma_runs
    .section .note.GNU-stack, "", @progbits
