// System software for one program on QEMU's board "virt". It runs at EL1 from reset, starts the program at EL0 with address
// translation, and serves the system calls of start code. The runner writes board_words, the page tables and the program's
// stack.
    .text
    .globl board_start
board_start:
    adr x9, .Lwords
    mov x0, #0x03330000                 // CPACR: floating point, SVE and SME at EL1 and EL0
    msr cpacr_el1, x0
    isb
    mrs x0, id_aa64pfr0_el1
    ubfx x0, x0, #32, #4
    cbz x0, .Lnarrow
    mov x0, #3                          // ZCR: vectors of at most 512 bits, Linux's default
    msr S3_0_C1_C2_0, x0
.Lnarrow:
    mov x0, #3                          // allow EL0 to read counters
    msr cntkctl_el1, x0
    mov x0, #0xff                       // attribute 0: write-back; 1: device
    msr mair_el1, x0
    ldr x0, .Ltcr
    msr tcr_el1, x0
    ldr x0, [x9]
    msr ttbr0_el1, x0
    ldr x0, [x9, #40]
    msr ttbr1_el1, x0
    ldr x10, .Lhigh_half
    adr x0, .Lvectors
    orr x0, x0, x10
    msr vbar_el1, x0
    msr tpidr_el1, xzr
    isb
    ldr x0, .Lsctlr
    msr sctlr_el1, x0                   // the next instruction is not mapped and faults: continues at .Lvectors
    isb
    b .

.Lhigh:
    mov x0, #1
    msr tpidr_el1, x0
    adr x9, .Lwords
    adr x0, .Lstack
    mov sp, x0
    ldr x0, [x9, #16]
    msr elr_el1, x0
    ldr x0, [x9, #24]
    msr sp_el0, x0
    mov x0, #0x3c0
    msr spsr_el1, x0
    ldr x10, .Lhigh_half
    mov x11, #0x09000000                // enable the PL011 UART
    orr x10, x10, x11
    mov w11, #0x301
    str w11, [x10, #0x30]
    mov x0, #0
    mov x9, #0
    mov x10, #0
    mov x11, #0
    eret

    .p2align 11
.Lvectors:
    b .Lbroken
    .p2align 9
    mrs x0, tpidr_el1                   // at 0x200: exceptions from EL1
    cbz x0, .Lhigh
    b .Lbroken
    .p2align 10
    stp x9, x10, [sp, #-16]!            // at 0x400: exceptions from EL0
    stp x11, x12, [sp, #-16]!
    stp x13, x14, [sp, #-16]!
    stp x15, x16, [sp, #-16]!
    mrs x9, esr_el1
    lsr x9, x9, #26
    cmp x9, #0x15
    b.ne .Lfault
    b .Lcall

.Lcall:
    cmp x8, #64
    b.eq .Lwrite
    cmp x8, #66
    b.eq .Lwritev
    cmp x8, #233
    b.eq .Ladvise
    cmp x8, #222
    b.eq .Lmap
    cmp x8, #94
    b.eq .Lexit
    mov x9, #0
    cmp x8, #46                         // ftruncate
    b.eq .Lreturn
    mov x9, #3
    cmp x8, #56                         // openat
    b.eq .Lreturn
    adr x9, .Lwords
    ldr x9, [x9, #32]
    cmp x8, #220                        // clone
    b.eq .Lreturn
    mov x9, #-10                        // ECHILD
    cmp x8, #260                        // wait4
    b.eq .Lreturn
    mov x9, #-38                        // ENOSYS
.Lreturn:
    mov x0, x9
.Lback:
    ldp x15, x16, [sp], #16
    ldp x13, x14, [sp], #16
    ldp x11, x12, [sp], #16
    ldp x9, x10, [sp], #16
    eret

.Lwrite:
    mov x9, #0
    mov x13, x1
    mov x14, x2
    adr x12, .Lreturn
    b .Lput
.Lwritev:
    mov x9, #0
    adr x12, .Lnext
    mov x10, x2
    mov x11, x1
.Lnext:
    cbz x10, .Lreturn
    ldp x13, x14, [x11], #16
    sub x10, x10, #1
.Lput:                                  // writes x14 bytes from x13; x9 counts the bytes; continues at x12
    cbz x14, .Lput_all
    ldr x16, .Luart
.Lfull:
    ldr w15, [x16, #0x18]
    tbnz w15, #5, .Lfull
    ldrb w15, [x13], #1
    strb w15, [x16]
    add x9, x9, #1
    sub x14, x14, #1
    b .Lput
.Lput_all:
    br x12

.Ladvise:                               // loads the first and the last byte: the plugin observes the range
    mov x9, #0
    cmp x2, #14
    b.ne .Lreturn
    mov x10, x0
    add x11, x0, x1
    sub x11, x11, #1
.Lends:
    .globl board_advised
board_advised:
    ldrb w12, [x10]
    cmp x10, x11
    mov x10, x11
    b.ne .Lends
    b .Lreturn

.Lmap:                                  // the first call maps all shared memory
    adr x9, .Lwords
    ldr x9, [x9, #8]
    msr ttbr0_el1, x9
    isb
    tlbi vmalle1
    dsb sy
    isb
    .globl board_shared
board_shared:
    nop
    b .Lback

.Lfault:                                // exits with 64 + the signal that Linux would send
    mov x0, #64 + 4
    cmp x9, #0x00
    b.eq .Lexit
    cmp x9, #0x07
    b.eq .Lexit
    cmp x9, #0x18
    b.eq .Lexit
    cmp x9, #0x19
    b.eq .Lexit
    mov x0, #64 + 5
    cmp x9, #0x3c
    b.eq .Lexit
    mov x0, #64 + 11
    b .Lexit
.Lbroken:
    mov x0, #63
.Lexit:                                 // exits by semihosting: SYS_EXIT_EXTENDED
    ldr x9, .Luart
.Lbusy:
    ldr w10, [x9, #0x18]
    tbnz w10, #3, .Lbusy
    adr x1, .Lblock
    str x0, [x1, #8]
    mov x0, #0x20
    hlt #0xf000
    b .

    .p2align 3
.Ltcr:
    .quad 0x5b5193519                   // 39 address bits in each half, 4 KiB pages, write-back, 48 physical bits
.Lsctlr:
    .quad 0x34d5d91d
.Lhigh_half:
    .quad 0xffffff8000000000
.Luart:
    .quad 0xffffff8009000000
.Lblock:
    .quad 0x20026, 0
    .globl board_words
.Lwords:
board_words:                            // page tables without and with shared memory, entry, stack, clone's result, upper half
    .fill 6, 8, 0
    .fill 64, 8, 0
.Lstack:
    .section .trial, "ax"
    ldr x0, [sp]                        // one load, one store
    str x0, [sp]
    mov x0, #0
    mov x8, #94
    svc #0
