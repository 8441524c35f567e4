The start of the standalone executable: no libc, no loader, three system calls.

It sets the data up, warms up, makes ITERATIONS passes and prints one line of JSON. Nothing that it does to memory
depends on ITERATIONS, so that two runs subtracted leave the loop alone.
The generator writes the four words at trauma_parameters.

@section start
    .text
    .globl _start
    .p2align 6
_start:
    movq %rsp, %rax                     # arguments lie anywhere: read the lines around, always as many
    movl $8, %ecx
    leaq .Lcounted(%rip), %rdi
    jmp .Ltouch                         # no call: what it pushes would bring one of the lines, or not
.Lcounted:
    movq trauma_passes(%rip), %r15      # ITERATIONS, unless given
    movq (%rsp), %rax                   # argc
    cmpq $2, %rax
    jb .Lsetup
    ja .Lusage
    movq 16(%rsp), %rsi                 # argv[1]
    movq %rsi, %r9
    movq %rsi, %rax
    movl $4, %ecx
    leaq .Lfirst(%rip), %rdi
    jmp .Ltouch
.Lfirst:
    cmpb $0, (%rsi)
    je .Lusage
    xorl %eax, %eax
    movl $10, %ecx
    movl $20, %r8d                      # 20 reads whatever the number: none has more digits
.Ldigit:
    movzbl (%rsi), %ebx
    testb %bl, %bl
    jz .Lpast
    subl $48, %ebx
    cmpl $9, %ebx
    ja .Lusage
    mulq %rcx
    jc .Lusage
    addq %rbx, %rax
    jc .Lusage
    incq %rsi
.Lpast:
    decl %r8d
    jnz .Ldigit
    cmpb $0, (%rsi)
    jne .Lusage
    movq %rax, %r15
    leaq -128(%r9), %rax                # the text lies in one block of 128 bytes, and the block before it is read too,
    xorq %rsi, %r9
    cmpq $128, %r9
    cmovaeq %rsi, %rax                  # or in two
    movl $4, %ecx
    leaq .Lsetup(%rip), %rdi
    jmp .Ltouch

.Lsetup:
    andq $-256, %rsp                    # as many lines of stack, whatever lies above it
    movq trauma_data(%rip), %r14
    movq trauma_constants(%rip), %r13   # struct trauma_layout
    movq 24(%r13), %rdi
    movq (%r13), %rsi
    subq %rdi, %rsi
    jbe .Lruns
    addq %r14, %rdi
    movl $28, %eax                      # madvise(data + huge, bytes - huge, MADV_HUGEPAGE), which may fail
    movl $14, %edx
    syscall
.Lruns:
    xorl %r8d, %r8d                     # what every value is relative to
    cmpq $0, 16(%r13)
    cmovneq %r14, %r8
    leaq 56(%r13), %rsi                 # runs: offset, step, count, value
    movq 48(%r13), %r9
    jmp .Lmore
.Lrun:
    movq (%rsi), %rdi
    addq %r14, %rdi
    movq 8(%rsi), %rdx
    movq 16(%rsi), %rcx
    movq 24(%rsi), %rax
    addq %r8, %rax
    addq $32, %rsi
    jrcxz .Lmore
.Lword:
    movq %rax, (%rdi)
    addq %rdx, %rdi
    decq %rcx
    jnz .Lword
.Lmore:
    decq %r9
    jns .Lrun

.Lwarm:
    movq 32(%r13), %rdi                 # warm up
    movq %r14, %rsi
    callq *trauma_code(%rip)

    lfence
    rdtsc
    lfence
    shlq $32, %rdx
    leaq (%rax,%rdx), %rbp
    movq %r15, %rdi
    movq %r14, %rsi
    callq *trauma_code(%rip)            # keeps rbp, r12 to r15
    lfence
    rdtsc
    shlq $32, %rdx
    addq %rdx, %rax
    subq %rbp, %rax

    subq $192, %rsp                     # 0: five iovecs, 96: digits of ITERATIONS, 128: digits of ticks
    movq %rax, %rbx
    leaq .Lhead(%rip), %rax
    movq %rax, 0(%rsp)
    movq $.Lhead_end - .Lhead, 8(%rsp)
    leaq .Lmiddle(%rip), %rax
    movq %rax, 32(%rsp)
    movq $.Lmiddle_end - .Lmiddle, 40(%rsp)
    leaq .Ltail(%rip), %rax
    movq %rax, 64(%rsp)
    movq $.Ltail_end - .Ltail, 72(%rsp)
    movq %r15, %rax
    leaq 96(%rsp), %rdi
    callq .Ldecimal
    movq %rsi, 16(%rsp)
    movq %rdx, 24(%rsp)
    movq %rbx, %rax
    leaq 128(%rsp), %rdi
    callq .Ldecimal
    movq %rsi, 48(%rsp)
    movq %rdx, 56(%rsp)
    movl $20, %eax                      # writev(1, iovecs, 5)
    movl $1, %edi
    movq %rsp, %rsi
    movl $5, %edx
    syscall
    xorl %edi, %edi
    testq %rax, %rax
    jg .Lexit
    movl $1, %edi
    jmp .Lexit

.Lusage:
    movl $1, %eax                       # write(2, ...)
    movl $2, %edi
    leaq .Lhelp(%rip), %rsi
    movl $.Lhelp_end - .Lhelp, %edx
    syscall
    movl $2, %edi
.Lexit:
    movl $231, %eax                     # exit_group
    syscall

.Ltouch:                                # reads ecx times 32 bytes from rax's 128 on, goes on at rdi
    andq $-128, %rax
.Lline:
    movq (%rax), %rdx
    addq $32, %rax
    decl %ecx
    jnz .Lline
    jmp *%rdi

.Ldecimal:                              # rax in decimal into the 20 bytes at rdi; rsi, rdx: where it begins, length
    movl $20, %ecx
    movl $10, %r8d
    movl $1, %r9d                       # digits, at least one
.Lnext:
    xorl %edx, %edx
    divq %r8
    addl $48, %edx
    movb %dl, -1(%rdi,%rcx)
    movl $21, %r10d
    subl %ecx, %r10d                    # this digit's place from the right, 1 and up
    cmpl $48, %edx
    cmovnel %r10d, %r9d
    decl %ecx
    jnz .Lnext
    leaq 20(%rdi), %rsi
    movl %r9d, %edx
    subq %rdx, %rsi
    retq

.Lhead:
    .ascii "{\"iterations\":"
.Lhead_end:
.Lmiddle:
    .ascii ",\"ticks\":"
.Lmiddle_end:
.Ltail:
    .ascii "}\n"
.Ltail_end:
.Lhelp:
    .ascii "usage: program [ITERATIONS], a whole number below 2^64\n"
.Lhelp_end:

    .p2align 3
    .globl trauma_parameters
trauma_parameters:
trauma_code:
    .quad 0                             # trauma_kernel
trauma_constants:
    .quad 0                             # trauma_layout
trauma_data:
    .quad 0
trauma_passes:
    .quad 0                             # ITERATIONS when none is given
    .section .note.GNU-stack, "", @progbits
