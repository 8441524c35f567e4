# System software for one program on QEMU's board "virt". It runs at machine level from reset, starts the program at user
# level with address translation, and serves the system calls of start code. The runner writes board_words, the page
# tables and the program's stack.
    .text
    .globl board_start
board_start:                            # clears the device tree, at a1: it may lie in the program's memory
    csrr t0, mhartid
    beqz t0, .Lfirst
.Lidle:
    wfi                                 # a second processor exists only for its node of memory
    j .Lidle
.Lfirst:
    lw t0, 4(a1)                        # the tree's size in bytes, big-endian
    srli t1, t0, 24
    andi t1, t1, 0xff
    srli t2, t0, 8
    li t3, 0xff00
    and t2, t2, t3
    or t1, t1, t2
    slli t2, t0, 8
    li t3, 0xff0000
    and t2, t2, t3
    or t1, t1, t2
    add t1, t1, a1
.Lclear:
    sd zero, 0(a1)
    addi a1, a1, 8
    bltu a1, t1, .Lclear
    lla s0, .Lwords
    lla t0, .Lskip                      # older versions lack these registers: skip the trapped instruction
    csrw mtvec, t0
    li t0, 0xf0                         # allow the user level to flush cache lines
    csrw 0x30a, t0                      # menvcfg
    csrw 0x10a, t0                      # senvcfg
    lla t0, .Ltrap
    csrw mtvec, t0
    li t0, -1                           # allow all levels to access all memory
    csrw pmpaddr0, t0
    li t0, 0x1f
    csrw pmpcfg0, t0
    li t0, 7                            # allow the user level to read counters
    csrw mcounteren, t0
    csrw scounteren, t0
    ld t0, 0(s0)
    csrw satp, t0
    sfence.vma
    li t0, 0x6600                       # floating point and vectors on; user level next
    csrw mstatus, t0
    ld t0, 16(s0)
    csrw mepc, t0
    ld sp, 24(s0)
    lla t0, .Lstack
    csrw mscratch, t0
    li t0, 0
    li t1, 0
    li t2, 0
    li t3, 0
    li a0, 0
    li a1, 0
    li s0, 0
    mret

    .p2align 2
.Lskip:
    csrr t1, mepc
    addi t1, t1, 4
    csrw mepc, t1
    mret

    .p2align 2
.Ltrap:
    csrrw sp, mscratch, sp
    addi sp, sp, -64
    sd t0, 0(sp)
    sd t1, 8(sp)
    sd t2, 16(sp)
    sd t3, 24(sp)
    sd t4, 32(sp)
    sd t5, 40(sp)
    sd t6, 48(sp)
    csrr t0, mcause
    li t1, 8
    bne t0, t1, .Lfault
    csrr t1, mepc
    addi t1, t1, 4
    csrw mepc, t1
    lla t6, .Lwords
    li t0, 64
    beq a7, t0, .Lwrite
    li t0, 66
    beq a7, t0, .Lwritev
    li t0, 233
    beq a7, t0, .Ladvise
    li t0, 222
    beq a7, t0, .Lmap
    li t0, 94
    beq a7, t0, .Lexit
    li t1, 0
    li t0, 46                           # ftruncate
    beq a7, t0, .Lreturn
    li t0, 56
    beq a7, t0, .Lopen
    ld t1, 32(t6)
    li t0, 220                          # clone
    beq a7, t0, .Lreturn
    li t1, -10                          # ECHILD
    li t0, 260                          # wait4
    beq a7, t0, .Lreturn
    li t1, -38                          # ENOSYS
.Lreturn:
    mv a0, t1
.Lback:
    ld t0, 0(sp)
    ld t1, 8(sp)
    ld t2, 16(sp)
    ld t3, 24(sp)
    ld t4, 32(sp)
    ld t5, 40(sp)
    ld t6, 48(sp)
    addi sp, sp, 64
    csrrw sp, mscratch, sp
    mret

.Lopen:                                 # openat: succeeds for the shared memory, not for a device tree
    li t1, -2
    beqz a2, .Lreturn
    li t1, 3
    j .Lreturn

.Lwrite:
    li t1, 0
    mv t2, a1
    mv t3, a2
    li t4, 0
    j .Lput
.Lwritev:
    li t1, 0
    mv t4, a2
    mv t5, a1
.Lnext:
    beqz t4, .Lreturn
    addi t4, t4, -1
    li t0, 1 << 17                      # MPRV: the program's address translation
    csrs mstatus, t0
    ld t2, 0(t5)
    ld t3, 8(t5)
    csrc mstatus, t0
    addi t5, t5, 16
.Lput:                                  # writes t3 bytes from t2; t1 counts the bytes
    beqz t3, .Lnext
    li t6, 0x10000000                   # the 16550 UART
.Lfull:
    lbu t0, 5(t6)
    andi t0, t0, 0x20
    beqz t0, .Lfull
    li t0, 1 << 17
    csrs mstatus, t0
    lbu t6, 0(t2)
    csrc mstatus, t0
    li t0, 0x10000000
    sb t6, 0(t0)
    addi t1, t1, 1
    addi t2, t2, 1
    addi t3, t3, -1
    j .Lput

.Ladvise:                               # loads the first and the last byte: the plugin observes the range
    li t1, 0
    li t0, 14
    bne a2, t0, .Lreturn
    mv t2, a0
    add t3, a0, a1
    addi t3, t3, -1
    li t0, 1 << 17
.Lends:
    csrs mstatus, t0
    .globl board_advised
board_advised:
    lbu t4, 0(t2)
    csrc mstatus, t0
    mv t4, t2
    mv t2, t3
    bne t4, t3, .Lends
    j .Lreturn

.Lmap:                                  # the first call maps all shared memory
    ld t0, 8(t6)
    csrw satp, t0
    sfence.vma
    .globl board_shared
board_shared:
    nop
    j .Lback

.Lfault:                                # exits with 64 + the signal that Linux would send
    li a0, 64 + 4
    li t1, 2
    beq t0, t1, .Lexit
    li a0, 64 + 5
    li t1, 3
    beq t0, t1, .Lexit
    li a0, 64 + 11
.Lexit:                                 # exits by QEMU's test device
    li t0, 0x10000000
.Lbusy:
    lbu t1, 5(t0)
    andi t1, t1, 0x40
    beqz t1, .Lbusy
    slli a0, a0, 16
    li t0, 0x3333
    or t0, t0, a0
    bnez a0, .Loff
    li t0, 0x5555
.Loff:
    li t1, 0x100000
    sw t0, 0(t1)
    j .

    .p2align 3
    .globl board_words
.Lwords:
board_words:                            # page tables without and with shared memory, entry, stack, clone's result
    .fill 6, 8, 0
    .fill 64, 8, 0
.Lstack:
    .section .trial, "ax"
    ld a0, 0(sp)                        # one load, one store
    sd a0, 0(sp)
    li a0, 0
    li a7, 94
    ecall
