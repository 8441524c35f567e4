# System software for one program on a PC: firmware of 64 KiB, which runs from reset, starts the program at ring 3 and
# serves the system calls of start code. The runner writes board_words, the page tables and the program's stack. The code
# runs in the PC's copy of the firmware's last 64 KiB; its data are in the first 2 MiB of memory.
    .text
    .set base, 0xf0000
    .globl board_start
board_start:
    .code16
.Lreal:
    cli
    lgdtl %cs:0x800
    movl %cr0, %eax
    orl $1, %eax
    movl %eax, %cr0
    ljmpl $0x08, $base + 0x20
    .org 0x20
    .code32
    movw $0x10, %ax
    movw %ax, %ds
    movw %ax, %es
    movw %ax, %ss
    movl $0x00000620, %eax              # CR4: PAE, SSE and its exceptions
    movl %eax, %cr4
    movl $1, %eax
    cpuid
    btl $26, %ecx                       # XSAVE: enable all vector states that the processor has
    jnc .Lno_xsave
    movl $0x00040620, %eax
    movl %eax, %cr4
    movl $0x0d, %eax
    xorl %ecx, %ecx
    cpuid
    andl $0xe7, %eax
    xorl %ecx, %ecx
    xorl %edx, %edx
    xsetbv
.Lno_xsave:
    movl base + 0x900, %eax
    movl %eax, %cr3
    movl $0xc0000080, %ecx              # EFER: long mode, system calls, no-execute
    movl $0x901, %eax
    xorl %edx, %edx
    wrmsr
    movl $0x80010033, %eax              # CR0: paging
    movl %eax, %cr0
    ljmpl $0x18, $base + 0x100
    .org 0x100
    .code64
    lidt base + 0x810
    movw $0x40, %ax
    ltr %ax
    movl $0xc0000081, %ecx              # STAR, LSTAR, SFMASK
    xorl %eax, %eax
    movl $0x002b0018, %edx
    wrmsr
    movl $0xc0000082, %ecx
    movl $base + 0x200, %eax
    xorl %edx, %edx
    wrmsr
    movl $0xc0000084, %ecx
    movl $0x47700, %eax
    wrmsr
    movq base + 0x910, %rcx
    movq base + 0x918, %rsp
    movl $0x2, %r11d
    xorl %eax, %eax
    xorl %ebx, %ebx
    xorl %edx, %edx
    sysretq

    .org 0x200
    movq %rsp, 0x1000
    movl $0x3000, %esp
    pushq %rcx
    pushq %rdx
    pushq %rsi
    pushq %r8
    pushq %r9
    cmpl $1, %eax
    je .Lwrite
    cmpl $20, %eax
    je .Lwritev
    cmpl $28, %eax
    je .Ladvise
    cmpl $9, %eax
    je .Lmap
    cmpl $231, %eax
    je .Lexit
    xorl %ecx, %ecx
    cmpl $77, %eax                      # ftruncate
    je .Lreturn
    movl $3, %ecx
    cmpl $2, %eax                       # open
    je .Lreturn
    movq base + 0x920, %rcx
    cmpl $57, %eax                      # fork
    je .Lreturn
    movq $-10, %rcx                     # ECHILD
    cmpl $61, %eax                      # wait4
    je .Lreturn
    movq $-38, %rcx                     # ENOSYS
.Lreturn:
    movq %rcx, %rax
.Lback:
    popq %r9
    popq %r8
    popq %rsi
    popq %rdx
    popq %rcx
    movq 0x1000, %rsp
    sysretq

.Lwrite:
    xorl %r9d, %r9d
    movq %rdx, %rcx
    xorl %r8d, %r8d
    movw $0xe9, %dx                     # the debug console
    addq %rcx, %r9
    rep outsb
    movq %r9, %rcx
    jmp .Lreturn
.Lwritev:
    xorl %r9d, %r9d
    movq %rsi, %r8
    movq %rdx, %rax
    movw $0xe9, %dx
.Lnext:
    movq (%r8), %rsi
    movq 8(%r8), %rcx
    addq %rcx, %r9
    rep outsb
    addq $16, %r8
    decq %rax
    jnz .Lnext
    movq %r9, %rcx
    jmp .Lreturn

.Ladvise:                               # loads the first and the last byte: the plugin observes the range
    xorl %ecx, %ecx
    cmpl $14, %edx
    jne .Lreturn
    leaq -1(%rdi,%rsi), %r8
    movq %rdi, %rsi
.Lends:
    .globl board_advised
board_advised:
    movb (%rsi), %al
    cmpq %rsi, %r8
    movq %r8, %rsi
    jne .Lends
    jmp .Lreturn

.Lmap:                                  # the first call maps all shared memory
    movq base + 0x908, %rcx
    movq %rcx, %cr3
    .globl board_shared
board_shared:
    movq %rdi, %rax
    jmp .Lback

.Lexit:
    testl %edi, %edi
    jz .Loff
    movl %edi, %eax
.Lcode:
    outb %al, $0xf4                     # QEMU's exit code is 2 * al + 1
.Loff:
    movb $0xfe, %al                     # reset: QEMU's exit code is 0
    outb %al, $0x64
    hlt
    jmp .Loff

    .p2align 3
.Lsignals:                              # by vector: the exit code, 64 + the signal that Linux would send
    .byte 72, 69, 75, 69, 75, 75, 68, 75, 75, 75, 75, 75, 75, 75, 75, 75, 72, 71, 75, 72
    .fill 12, 1, 75
.Lfault:
    popq %rcx
    movzbl base + (.Lsignals - board_start)(%rcx), %eax
    jmp .Lcode

    .org 0x600
    .set vector, 0
    .rept 32
    .p2align 4
    pushq $vector
    jmp .Lfault
    .set vector, vector + 1
    .endr

    .org 0x800
    .word 0x50 - 1                      # descriptor table: its limit and address
    .long base + 0xa00
    .org 0x810
    .word 32 * 16 - 1
    .quad base + 0xc00
    .org 0x900
    .globl board_words
board_words:                            # page tables without and with shared memory, entry, stack, fork's result
    .fill 6, 8, 0
    .org 0xa00
    .quad 0, 0x00cf9b000000ffff, 0x00cf93000000ffff, 0x00af9b000000ffff, 0x00cf93000000ffff
    .quad 0, 0x00cff3000000ffff, 0x00affb000000ffff
    .quad 0x0000890f0a800067, 0         # task state segment: the stack for faults of ring 3
    .org 0xa80
    .long 0
    .quad 0x4000
    .fill 92, 1, 0
    .org 0xc00
    .set gate, base + 0x600
    .rept 32
    .quad 0x0000ee0000180000 + (gate & 0xffff) + ((gate & 0xffff0000) << 32), 0
    .set gate, gate + 16
    .endr
    .org 0xfff0
    .byte 0xe9                          # jmp board_start: the offset wraps at 64 KiB
    .word 0x0d
    .org 0x10000
    .section .trial, "ax"
    .code64
    movq (%rsp), %rax                   # one load, one store
    movq %rax, (%rsp)
    xorl %edi, %edi
    movl $231, %eax
    syscall
