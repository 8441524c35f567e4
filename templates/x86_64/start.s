The start of the standalone executable: no libc, no loader, a handful of system calls.

It sets the data up, warms up, makes ITERATIONS passes and prints one line of JSON. Nothing that it does to memory
depends on ITERATIONS, so that two runs subtracted leave the loop alone.
With FD it says there that it is ready, one byte, and waits for one before the passes: copies that share a socket begin
together. %r12 keeps FD; bit 32 of it says that ITERATIONS is "-": then rounds are asked for at FD, two words of 8 bytes
each, passes to warm up and passes, and each gives a line, until FD ends. Set-up is paid for once.
With +MORE it splits in two after the warm-up: a child makes ITERATIONS passes, then its parent ITERATIONS + MORE. Both run
the same instructions but for the passes, so that a simulator's counts of the two, subtracted, are MORE passes' alone.
%rbp keeps MORE, and %r12 is -2 then.
With @COPY/COPIES/PATH as the last argument, in programs whose copies share regions, it is copy COPY, from 0 on, of COPIES
that map the file /PATH: the loader's table at trauma_shared says which bytes of it stand where. %r10 keeps the argument.
The generator writes the four words at trauma_parameters, and sets trauma_markers in the line before: 0 none, 1 those
of gem5, 2 those by cpuid, 3 those of gem5 by address.

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
    .if trauma_shares
    xorl %r10d, %r10d
    movq (%rsp), %rax
    cmpq $2, %rax
    jb .Lunshared
    movq (%rsp,%rax,8), %rsi            # the last argument
    cmpb $64, (%rsi)                    # "@"
    jne .Lunshared
    leaq 1(%rsi), %r10
    decq (%rsp)
.Lunshared:
    .endif
    movq trauma_passes(%rip), %r15      # ITERATIONS, unless given
    movq $-1, %r12                      # FD, unless given
    xorl %ebp, %ebp                     # MORE, unless given; bit 32 of FD until then
    movq (%rsp), %rax                   # argc
    cmpq $3, %rax
    ja .Lusage
    cmpq $2, %rax
    jb .Lsetup
    movq 16(%rsp), %rsi                 # argv[1]
    movq %rsi, %r9
    movq %rsi, %rax
    movl $4, %ecx
    leaq .Lfirst(%rip), %rdi
    jmp .Ltouch
.Lfirst:
    cmpb $0, (%rsi)
    je .Lusage
    cmpw $0x2d, (%rsi)                  # "-" and the end
    je .Lrounds
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
    leaq .Lsecond(%rip), %rdi
    jmp .Ltouch
.Lsecond:
    cmpq $3, (%rsp)
    jb .Lsetup
    movq 24(%rsp), %rsi                 # argv[2]
    xorl %eax, %eax
    cmpb $43, (%rsi)                    # "+"
    jne .Lfd
    testq %rbp, %rbp
    jnz .Lusage
    movq $-2, %r12
    incq %rsi
.Lfd:
    movzbl (%rsi), %ebx
    subl $48, %ebx
    cmpl $9, %ebx
    ja .Lusage
    imulq $10, %rax
    addq %rbx, %rax
    cmpq $0x7fffffff, %rax
    ja .Lusage
    incq %rsi
    cmpb $0, (%rsi)
    jne .Lfd
    cmpq $-2, %r12
    je .Lsplits
    leaq (%rax,%rbp), %r12
    jmp .Lsetup
.Lrounds:
    cmpq $3, (%rsp)
    jne .Lusage
    btsq $32, %rbp
    jmp .Lsecond
.Lsplits:
    movq %rax, %rbp

.Lsetup:
    andq $-4096, %rsp                   # what calls push lies in the first 64 bytes of a page, where the data has what
    subq $4032, %rsp                    # always hits: no working set pushes it out between one call and the next
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
    movq 24(%r13), %rsi
    testq %rsi, %rsi
    jz .Lruns
    movq %r14, %rdi
    movl $28, %eax                      # madvise(data, huge, MADV_NOHUGEPAGE): small pages whatever the system prefers
    movl $15, %edx
    syscall
.Lruns:
    .if trauma_bound
    cmpq $-2, %r12                      # a simulator goes by addresses: it has no nodes
    je .Lbound
    leaq -192(%rsp), %r10               # a mask of 1024 nodes
    movl $16, %ecx
.Lmask:
    movq $0, -8(%r10,%rcx,8)
    decl %ecx
    jnz .Lmask
    movq trauma_node(%rip), %rax
    btsq %rax, (%r10)
    movq %r14, %rdi
    andq $-4096, %rdi
    movq (%r13), %rsi
    addq %r14, %rsi
    subq %rdi, %rsi
    movl $2, %edx                       # mbind(data, bytes, MPOL_BIND, mask, 1025, MPOL_MF_MOVE), before it is written
    movl $1025, %r8d
    movl $2, %r9d
    movl $237, %eax
    syscall
    testq %rax, %rax
    jnz .Lunbound
.Lbound:
    .endif
    movl $1, %ebx                       # words that are zero have to be written
    movq (%r13), %rcx
    cmpq $0x100000, %rcx
    jb .Lwords
    xorl %ebx, %ebx                     # until one that is not was: memory begins as zeros, and large data only needs
    movq %r14, %rdi                     # pages of its own
    cmpq $-2, %r12                      # but for a simulator, which goes by addresses: it is spared their clearing
    je .Lwords
    shrq $12, %rcx
.Lpage:
    movq $0, (%rdi)
    addq $4096, %rdi
    decq %rcx
    jnz .Lpage
.Lwords:
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
    orq %rax, %rbx
    jz .Lmore
.Lword:
    movq %rax, (%rdi)
    addq %rdx, %rdi
    decq %rcx
    jnz .Lword
.Lmore:
    decq %r9
    jns .Lrun

    .if trauma_shares
    testq %r10, %r10
    jz .Lown                            # it runs alone: what it would share is its own
    leaq trauma_shared(%rip), %rbx      # entries, where the state lies, timed; then each entry's data, bytes, file
    movq 8(%rbx), %r9
    addq %r14, %r9
    movq %r10, %rsi
    callq .Lnumber
    movq %rax, (%r9)                    # COPY
    callq .Lnumber
    movq %rax, 8(%r9)                   # COPIES
    cmpq (%r9), %rax
    jbe .Lusage
    leaq -1(%rsi), %rdi                 # the path begins with the slash
    movl $2, %eax                       # open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600)
    movl $0x80042, %esi
    movl $0600, %edx
    syscall
    testq %rax, %rax
    js .Lunmapped
    movq %rax, %r8
    movq %rax, %rdi
    movabsq $trauma_file_bytes, %rsi
    movl $77, %eax                      # ftruncate(fd, the same for all programs): it is sparse
    syscall
    movq (%rbx), %r10                   # entries
    addq $24, %rbx
.Lmap:
    pushq %r10
    movq (%rbx), %rdi
    addq %r14, %rdi
    movq 8(%rbx), %rsi
    movq 16(%rbx), %r9
    movl $3, %edx
    movl $0x8011, %r10d              # faults now, not in the passes
    movl $9, %eax                       # mmap(data, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_POPULATE, fd, file)
    testq %rsi, %rsi
    jz .Lmapped
    syscall
    cmpq %rdi, %rax
    jne .Lunmapped
.Lmapped:
    popq %r10
    addq $24, %rbx
    decq %r10
    jnz .Lmap
    jmp .Lown
.Lnumber:                               # the number at rsi, and past the slash behind it
    xorl %eax, %eax
.Lmore_number:
    movzbl (%rsi), %ecx
    incq %rsi
    subl $48, %ecx
    cmpl $9, %ecx
    ja .Lnumbered
    imulq $10, %rax
    addq %rcx, %rax
    cmpq $0xffff, %rax
    ja .Lusage
    jmp .Lmore_number
.Lnumbered:
    cmpl $-1, %ecx                      # "/" is before the digits
    jne .Lusage
    retq
.Lunmapped:
    movl $1, %eax                       # write(2, ...)
    movl $2, %edi
    leaq .Lno_map(%rip), %rsi
    movl $.Lno_map_end - .Lno_map, %edx
    syscall
    jmp .Lalone
.Lown:
    .endif
    .if trauma_bound
    cmpq $-2, %r12
    je .Lon_node
    movq %r14, %rbx
    andq $-4096, %rbx
.Lon_page:                              # where the kernel put each page of the data
    movq (%r13), %rax
    addq %r14, %rax
    cmpq %rax, %rbx
    jae .Lon_node
    movq %rbx, -16(%rsp)
    xorl %edi, %edi
    movl $1, %esi
    leaq -16(%rsp), %rdx
    xorl %r10d, %r10d
    leaq -8(%rsp), %r8
    xorl %r9d, %r9d
    movl $279, %eax                     # move_pages(0, 1, &page, NULL, &status, 0) moves nothing
    syscall
    testq %rax, %rax
    jnz .Lunbound
    movslq -8(%rsp), %rax
    addq $4096, %rbx
    cmpq $-2, %rax                      # nothing was written to it
    je .Lon_page
    cmpq $-14, %rax
    je .Lon_page
    cmpq trauma_node(%rip), %rax
    je .Lon_page
    leaq .Lelsewhere(%rip), %rsi
    movl $.Lelsewhere_end - .Lelsewhere, %edx
    jmp .Lmisplaced
.Lunbound:
    leaq .Lno_node(%rip), %rsi
    movl $.Lno_node_end - .Lno_node, %edx
.Lmisplaced:
    movl $1, %eax                       # write(2, ...)
    movl $2, %edi
    syscall
    jmp .Lalone
.Lon_node:
    .endif
    movq 32(%r13), %rdi                 # passes to warm up
    testq %r12, %r12
    js .Lwarm
    btq $32, %r12
    jnc .Lwarm
.Lround:
    movl %r12d, %edi
    leaq -16(%rsp), %rsi
    movl $16, %edx
    xorl %eax, %eax                     # read(FD, ..., 16)
    syscall
    xorl %edi, %edi
    testq %rax, %rax
    jz .Lexit
    cmpq $16, %rax
    jne .Lalone
    movq -16(%rsp), %rdi
    movq -8(%rsp), %r15
.Lwarm:
    movq %r14, %rsi
    callq *trauma_code(%rip)

    cmpq $-2, %r12
    je .Lsplit
    testq %r12, %r12
    js .Ltogether
    btq $32, %r12
    jc .Ltogether
    movb $114, -8(%rsp)                 # "r" for ready, on a line of the stack that calls touch too
    leaq -8(%rsp), %rsi
    movl %r12d, %edi
    movl $1, %edx
    movl $1, %eax                       # write(FD, ..., 1)
    syscall
    cmpq $1, %rax
    jne .Lalone
    xorl %eax, %eax                     # read(FD, ..., 1)
    syscall
    cmpq $1, %rax
    jne .Lalone
    jmp .Ltogether
.Lsplit:
    movl $57, %eax                      # fork()
    syscall
    xorl %ecx, %ecx
    testq %rax, %rax
    js .Lalone
    cmovnzq %rbp, %rcx                  # no branch: parent and child are to differ in the passes alone
    addq %rcx, %r15
.Ltogether:

    .if trauma_markers == 1             # gem5: work_begin(0, 0), no instruction of any processor
    xorl %edi, %edi
    xorl %esi, %esi
    .byte 0x0f, 0x04, 0x5a, 0x00
    .elseif trauma_markers == 3         # the same by address: a read of /dev/mem at 0xffff0000 + (operation << 8)
    movl $2, %eax                       # open(..., O_RDWR | O_SYNC)
    leaq .Lgem5_file(%rip), %rdi
    movl $0x101002, %esi
    xorl %edx, %edx
    syscall
    testq %rax, %rax
    js .Lunreached
    movq %rax, %r8
    movl $9, %eax                       # mmap(0x10000000000, 0x10000, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, ...)
    movabsq $0x10000000000, %rdi
    movl $0x10000, %esi
    movl $3, %edx
    movl $0x11, %r10d
    movl $0xffff0000, %r9d
    syscall
    movabsq $0x10000000000, %rcx
    cmpq %rcx, %rax
    jne .Lunreached
    xorl %edi, %edi
    xorl %esi, %esi
    movq 0x5a00(%rcx), %rax
    .elseif trauma_markers == 2         # Simics: magic instruction 1
    movl $0x00014711, %eax
    cpuid
    .endif
    .if trauma_shares
    movq trauma_shared+16(%rip), %rax
    testq %rax, %rax
    jz .Luntimed
    movq $0, (%r14,%rax)                # where turns are taken, the copy's own passes alone are timed
.Luntimed:
    .endif
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
    .if trauma_shares
    movq trauma_shared+16(%rip), %rdx
    testq %rdx, %rdx
    jz .Lall_timed
    movq (%r14,%rdx), %rax
.Lall_timed:
    .endif
    movq %rax, %r13                     # which no marker changes; the layout is not needed any more

    .if trauma_markers == 1             # work_end(0, 0)
    xorl %edi, %edi
    xorl %esi, %esi
    .byte 0x0f, 0x04, 0x5b, 0x00
    .elseif trauma_markers == 3
    movabsq $0x10000000000, %rcx
    xorl %edi, %edi
    xorl %esi, %esi
    movq 0x5b00(%rcx), %rax
    .elseif trauma_markers == 2         # magic instruction 2
    movl $0x00024711, %eax
    cpuid
    .endif
    cmpq $-2, %r12
    jne .Lprint
    movq $-1, %rdi                      # wait4(-1, NULL, 0, NULL): the child's line comes first, and it has none to wait for
    xorl %esi, %esi
    xorl %edx, %edx
    xorl %r10d, %r10d
    movl $61, %eax
    syscall
.Lprint:
    subq $320, %rsp                     # untouched before. 0: seven iovecs; digits, 128: of ITERATIONS, 160: of ticks, 192: of start
    leaq .Lhead(%rip), %rax
    movq %rax, 0(%rsp)
    movq $.Lhead_end - .Lhead, 8(%rsp)
    leaq .Lmiddle(%rip), %rax
    movq %rax, 32(%rsp)
    movq $.Lmiddle_end - .Lmiddle, 40(%rsp)
    leaq .Lsince(%rip), %rax
    movq %rax, 64(%rsp)
    movq $.Lsince_end - .Lsince, 72(%rsp)
    leaq .Ltail(%rip), %rax
    movq %rax, 96(%rsp)
    movq $.Ltail_end - .Ltail, 104(%rsp)
    movq %r15, %rax
    leaq 128(%rsp), %rdi
    callq .Ldecimal
    movq %rsi, 16(%rsp)
    movq %rdx, 24(%rsp)
    movq %r13, %rax
    leaq 160(%rsp), %rdi
    callq .Ldecimal
    movq %rsi, 48(%rsp)
    movq %rdx, 56(%rsp)
    movq %rbp, %rax
    leaq 192(%rsp), %rdi
    callq .Ldecimal
    movq %rsi, 80(%rsp)
    movq %rdx, 88(%rsp)
    movl $20, %eax                      # writev(1, iovecs, 7)
    movl $1, %edi
    movq %rsp, %rsi
    movl $7, %edx
    syscall
    xorl %edi, %edi
    testq %rax, %rax
    jle .Lalone
    testq %r12, %r12
    js .Lexit
    btq $32, %r12
    jnc .Lexit
    addq $320, %rsp
    jmp .Lround
    .if trauma_markers == 3
.Lunreached:
    movl $1, %eax                       # write(2, ...)
    movl $2, %edi
    leaq .Lno_gem5(%rip), %rsi
    movl $.Lno_gem5_end - .Lno_gem5, %edx
    syscall
    .endif
.Lalone:
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
.Lsince:
    .ascii ",\"start\":"
.Lsince_end:
.Ltail:
    .ascii "}\n"
.Ltail_end:
    .if trauma_markers == 3
.Lgem5_file:
    .asciz "/dev/mem"
.Lno_gem5:
    .ascii "gem5's operations by address need /dev/mem with 64 KiB at 0xffff0000, as in gem5's full system\n"
.Lno_gem5_end:
    .endif
.Lhelp:
    .ascii "usage: program [ITERATIONS [FD]], program - FD, program ITERATIONS +MORE: ITERATIONS is a whole number below 2^64;\n"
    .ascii "at FD, an open descriptor, it writes a byte when it is ready and reads one before it begins;\n"
    .ascii "with - it reads rounds there: passes to warm up and passes, 8 bytes each, until FD ends;\n"
    .ascii "with +MORE a child makes ITERATIONS passes and then its parent MORE besides\n"
    .if trauma_shares
    .ascii "with @COPY/COPIES/PATH, last, it is one of COPIES that share the file /PATH, from 0 on\n"
    .endif
.Lhelp_end:
    .if trauma_shares
.Lno_map:
    .ascii "cannot map the file that copies share\n"
.Lno_map_end:
    .endif

    .if trauma_bound
.Lno_node:
    .ascii "the kernel does not bind the data to the program's NUMA node: it has no such node, or does not allow it\n"
.Lno_node_end:
.Lelsewhere:
    .ascii "the kernel put pages of the data on another NUMA node than the program's\n"
.Lelsewhere_end:
    .endif

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
    .if trauma_bound
trauma_node:
    .quad 0
    .endif
    .if trauma_shares
trauma_shared:
    .fill 30, 8, 0                      # entries, where the state lies, where timed ticks are counted or 0; nine entries
    .endif
    .section .note.GNU-stack, "", @progbits
