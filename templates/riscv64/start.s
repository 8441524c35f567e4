The start of the standalone executable: no libc, no loader, a handful of system calls. It does what templates/x86_64/start.s
does, where that is explained, and takes the same arguments; trauma_markers is 0, none, or 1, those of gem5.

With @COPY/COPIES/PATH as the last argument, in programs whose copies share regions, it is copy COPY, from 0 on, of COPIES that map the
file /PATH; s10 keeps it.
s1 is the stack as the kernel left it, s2 the data's address, s3 struct trauma_layout, s4 ITERATIONS, s5 FD (-1: none, -2: it splits in
two), s6 MORE, and then the time, s7 1 where rounds are asked for, s8 the ticks, s9 the address of the parameters.

@section start
    .text
    .globl _start
    .p2align 6
_start:
    mv s1, sp
    mv t0, sp                           # arguments lie anywhere: read the lines around, always as many
    li t1, 8
    jal t6, .Ltouch                     # no memory is used for the way back
    .if trauma_shares
    li s10, 0
    ld t0, 0(s1)
    li t1, 2
    bltu t0, t1, .Lunshared
    slli t1, t0, 3
    add t1, t1, s1
    ld t1, 0(t1)                        # the last argument
    lbu t2, 0(t1)
    li t3, 64                           # "@"
    bne t2, t3, .Lunshared
    addi s10, t1, 1
    addi t0, t0, -1
    sd t0, 0(s1)
.Lunshared:
    .endif
    lla s9, .Lparameters
    ld s4, 24(s9)                       # ITERATIONS, unless given
    li s5, -1                           # FD, unless given
    li s6, 0                            # MORE, unless given
    li s7, 0
    ld t0, 0(s1)                        # argc
    li t1, 3
    bgtu t0, t1, .Lusage
    li t1, 2
    bltu t0, t1, .Lsetup
    ld s0, 16(s1)                       # argv[1]
    mv t0, s0
    li t1, 4
    jal t6, .Ltouch
    mv a1, s0
    lbu t0, 0(a1)
    beqz t0, .Lusage
    lbu t1, 1(a1)                       # "-" and the end
    slli t1, t1, 8
    or t0, t0, t1
    li t1, 45
    beq t0, t1, .Lrounds
    li a0, 0
    li t2, 20                           # 20 reads whatever the number: none has more digits
    li t3, 9
    li t4, 10
.Ldigit:
    lbu t0, 0(a1)
    beqz t0, .Lpast
    addi t0, t0, -48
    bgtu t0, t3, .Lusage
    mulhu t1, a0, t4
    bnez t1, .Lusage
    mul a0, a0, t4
    add a0, a0, t0
    bltu a0, t0, .Lusage
    addi a1, a1, 1
.Lpast:
    addi t2, t2, -1
    bnez t2, .Ldigit
    lbu t0, 0(a1)
    bnez t0, .Lusage
    mv s4, a0
    addi t0, s0, -128                   # the text lies in one block of 128 bytes, and the block before it is read too,
    xor t1, s0, a1
    li t2, 128
    bltu t1, t2, 1f
    mv t0, a1                           # or in two
1:  li t1, 4
    jal t6, .Ltouch
.Lsecond:
    ld t0, 0(s1)
    li t1, 3
    bltu t0, t1, .Lsetup
    ld a1, 24(s1)                       # argv[2]
    li a0, 0
    lbu t0, 0(a1)
    li t1, 43                           # "+"
    bne t0, t1, .Lfd
    bnez s7, .Lusage
    li s5, -2
    addi a1, a1, 1
.Lfd:
    lbu t0, 0(a1)
    addi t0, t0, -48
    li t3, 9
    bgtu t0, t3, .Lusage
    li t4, 10
    mul a0, a0, t4
    add a0, a0, t0
    lui t1, 0x80000
    addiw t1, t1, -1
    bgtu a0, t1, .Lusage
    addi a1, a1, 1
    lbu t0, 0(a1)
    bnez t0, .Lfd
    li t1, -2
    beq s5, t1, .Lsplits
    mv s5, a0
    j .Lsetup
.Lrounds:
    ld t0, 0(s1)
    li t1, 3
    bne t0, t1, .Lusage
    li s7, 1
    j .Lsecond
.Lsplits:
    mv s6, a0

.Lsetup:
    srli sp, sp, 12                     # what calls push lies in the first bytes of a page, where the data has what
    slli sp, sp, 12                     # always hits: no working set pushes it out between one call and the next
    lui t0, 1
    sub sp, sp, t0
    addi sp, sp, 112
    ld s2, 16(s9)
    ld s3, 8(s9)                        # struct trauma_layout
    ld a0, 24(s3)
    ld a1, 0(s3)
    bleu a1, a0, .Lruns
    sub a1, a1, a0
    add a0, a0, s2
    li a2, 14
    li a7, 233                          # madvise(data + huge, bytes - huge, MADV_HUGEPAGE), which may fail
    ecall
    ld a1, 24(s3)
    beqz a1, .Lruns
    mv a0, s2
    li a2, 15
    li a7, 233                          # madvise(data, huge, MADV_NOHUGEPAGE): small pages whatever the system prefers
    ecall
.Lruns:
    .if trauma_bound
    li t1, -2                           # a simulator goes by addresses: it has no nodes
    beq s5, t1, .Lbound
    addi a3, sp, -192                   # a mask of 1024 nodes
    addi t0, a3, 128
.Lmask:
    addi t0, t0, -8
    sd zero, 0(t0)
    bne t0, a3, .Lmask
    ld t1, 32(s9)
    srli t2, t1, 6
    slli t2, t2, 3
    add t2, t2, a3
    li t3, 1
    sll t3, t3, t1
    sd t3, 0(t2)
    srli a0, s2, 12
    slli a0, a0, 12
    ld a1, 0(s3)
    add a1, a1, s2
    sub a1, a1, a0
    li a2, 2                            # mbind(data, bytes, MPOL_BIND, mask, 1025, MPOL_MF_MOVE), before it is written
    li a4, 1025
    li a5, 2
    li a7, 235
    ecall
    bnez a0, .Lunbound
.Lbound:
    .endif
    li t5, 1                            # words that are zero have to be written
    ld t0, 0(s3)
    lui t1, 256
    bltu t0, t1, .Lwords
    li t5, 0                            # until one that is not was: memory begins as zeros, and large data only needs
    mv t2, s2                           # pages of its own
    li t1, -2                           # but for a simulator, which goes by addresses: it is spared their clearing
    beq s5, t1, .Lwords
    srli t0, t0, 12
    lui t3, 1
.Lpage:
    sd zero, 0(t2)
    add t2, t2, t3
    addi t0, t0, -1
    bnez t0, .Lpage
.Lwords:
    ld t4, 16(s3)                       # what every value is relative to
    beqz t4, 1f
    mv t4, s2
1:  addi a1, s3, 56                     # runs: offset, step, count, value
    ld a2, 48(s3)
    j .Lmore
.Lrun:
    ld t0, 0(a1)
    add t0, t0, s2
    ld t1, 8(a1)
    ld t2, 16(a1)
    ld t3, 24(a1)
    add t3, t3, t4
    addi a1, a1, 32
    beqz t2, .Lmore
    or t5, t5, t3
    beqz t5, .Lmore
.Lword:
    sd t3, 0(t0)
    add t0, t0, t1
    addi t2, t2, -1
    bnez t2, .Lword
.Lmore:
    addi a2, a2, -1
    bgez a2, .Lrun

    .if trauma_shares
    beqz s10, .Lown                     # it runs alone: what it would share is its own
    addi s11, s9, 32                    # entries, where the state lies, timed; then each entry's data, bytes, file
    ld s0, 8(s11)
    add s0, s0, s2
    jal t6, .Lnumber
    sd a0, 0(s0)                        # COPY
    mv t4, a0
    jal t6, .Lnumber
    sd a0, 8(s0)                        # COPIES
    bleu a0, t4, .Lusage
    li a0, -100
    addi a1, s10, -1                    # the path begins with the slash
    li a2, 0x42                         # openat(AT_FDCWD, path, O_RDWR | O_CREAT, 0600)
    li a3, 0600
    li a7, 56
    ecall
    bltz a0, .Lunmapped
    mv s10, a0
    li a1, trauma_file_bytes >> 31
    slli a1, a1, 31
    li a7, 46                           # ftruncate(fd, the same for all programs): it is sparse
    ecall
    ld s0, 0(s11)
    addi s11, s11, 24
.Lmap:
    ld a0, 0(s11)
    add a0, a0, s2
    mv t4, a0
    ld a1, 8(s11)
    li a2, 3
    li a3, 0x8011                       # MAP_POPULATE: faults now, not in the passes
    mv a4, s10
    ld a5, 16(s11)
    li a7, 222                          # mmap(data, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, file)
    beqz a1, .Lmapped
    ecall
    bne a0, t4, .Lunmapped
.Lmapped:
    addi s11, s11, 24
    addi s0, s0, -1
    bnez s0, .Lmap
    j .Lown
.Lnumber:                               # the number at s10 into a0, and past the slash behind it
    li a0, 0
    li t1, 10
    li t2, 0xffff
    li t3, 9
.Lmore_number:
    lbu t0, 0(s10)
    addi s10, s10, 1
    addi t0, t0, -48
    bgtu t0, t3, .Lnumbered
    mul a0, a0, t1
    add a0, a0, t0
    bgtu a0, t2, .Lusage
    j .Lmore_number
.Lnumbered:
    addi t0, t0, 1                      # "/" is before the digits
    bnez t0, .Lusage
    jr t6
.Lunmapped:
    li a0, 2                            # write(2, ...)
    lla a1, .Lno_map
    li a2, 38
    li a7, 64
    ecall
    j .Lalone
.Lown:
    .endif
    .if trauma_bound
    li t1, -2
    beq s5, t1, .Lon_node
    srli s0, s2, 12
    slli s0, s0, 12
.Lon_page:                              # where the kernel put each page of the data
    ld t0, 0(s3)
    add t0, t0, s2
    bgeu s0, t0, .Lon_node
    sd s0, -16(sp)
    li a0, 0                            # move_pages(0, 1, &page, NULL, &status, 0) moves nothing
    li a1, 1
    addi a2, sp, -16
    li a3, 0
    addi a4, sp, -8
    li a5, 0
    li a7, 239
    ecall
    bnez a0, .Lunbound
    lw t0, -8(sp)
    lui t1, 1
    add s0, s0, t1
    li t1, -2                           # nothing was written to it
    beq t0, t1, .Lon_page
    li t1, -14
    beq t0, t1, .Lon_page
    ld t1, 32(s9)
    beq t0, t1, .Lon_page
    lla a1, .Lelsewhere
    li a2, 73
    j .Lmisplaced
.Lunbound:
    lla a1, .Lno_node
    li a2, 104
.Lmisplaced:
    li a0, 2                            # write(2, ...)
    li a7, 64
    ecall
    j .Lalone
.Lon_node:
    .endif
    ld a0, 32(s3)                       # passes to warm up
    beqz s7, .Lwarm
.Lround:
    mv a0, s5
    addi a1, sp, -16
    li a2, 16
    li a7, 63                           # read(FD, ..., 16)
    ecall
    mv t0, a0
    li a0, 0
    beqz t0, .Lexit
    li t1, 16
    bne t0, t1, .Lalone
    ld a0, -16(sp)
    ld s4, -8(sp)
.Lwarm:
    mv a1, s2
    ld t0, 0(s9)
    jalr t0

    li t1, -2
    beq s5, t1, .Lsplit
    bltz s5, .Ltogether
    bnez s7, .Ltogether
    li t0, 114                          # "r" for ready, on a line of the stack that calls touch too
    sb t0, -8(sp)
    addi a1, sp, -8
    mv a0, s5
    li a2, 1
    li a7, 64                           # write(FD, ..., 1)
    ecall
    li t1, 1
    bne a0, t1, .Lalone
    mv a0, s5
    li a7, 63                           # read(FD, ..., 1)
    ecall
    li t1, 1
    bne a0, t1, .Lalone
    j .Ltogether
.Lsplit:
    li a0, 17                           # clone(SIGCHLD, 0, 0, 0, 0)
    li a1, 0
    li a2, 0
    li a3, 0
    li a4, 0
    li a7, 220
    ecall
    bltz a0, .Lalone
    snez t0, a0                         # no branch: parent and child are to differ in the passes alone
    neg t0, t0
    and t0, t0, s6
    add s4, s4, t0
.Ltogether:

    .if trauma_markers == 1             # gem5: work_begin(0, 0), no instruction of any processor
    li a0, 0
    li a1, 0
    .long 0xb400007b
    .endif
    .if trauma_shares
    ld t0, 48(s9)                       # where turns are taken, the copy's own passes alone are timed
    beqz t0, .Luntimed
    add t0, t0, s2
    sd zero, 0(t0)
.Luntimed:
    .endif
    fence
    rdtime s6
    fence
    mv a0, s4
    mv a1, s2
    ld t0, 0(s9)
    jalr t0                             # keeps s0 to s11
    fence
    rdtime s8
    sub s8, s8, s6
    .if trauma_shares
    ld t0, 48(s9)
    beqz t0, .Lall_timed
    add t0, t0, s2
    ld s8, 0(t0)
.Lall_timed:
    .endif

    .if trauma_markers == 1             # work_end(0, 0)
    li a0, 0
    li a1, 0
    .long 0xb600007b
    .endif
    li t1, -2
    bne s5, t1, .Lprint
    li a0, -1                           # wait4(-1, NULL, 0, NULL): the child's line comes first, and it has none to wait for
    li a1, 0
    li a2, 0
    li a3, 0
    li a7, 260
    ecall
.Lprint:
    addi sp, sp, -448                   # untouched before. 0: nine iovecs; digits, 160: of ITERATIONS, 192: of ticks, 224: of
    lla t0, .Lhead                      # start, 256: of the frequency, 288: the device tree's word
    sd t0, 0(sp)
    lla t1, .Lmiddle
    sub t0, t1, t0
    sd t0, 8(sp)
    sd t1, 32(sp)
    lla t0, .Lsince
    sub t1, t0, t1
    sd t1, 40(sp)
    sd t0, 64(sp)
    lla t1, .Lrate
    sub t0, t1, t0
    sd t0, 72(sp)
    mv a0, s4
    addi a1, sp, 160
    jal t6, .Ldecimal
    sd a1, 16(sp)
    sd a2, 24(sp)
    mv a0, s8
    addi a1, sp, 192
    jal t6, .Ldecimal
    sd a1, 48(sp)
    sd a2, 56(sp)
    mv a0, s6
    addi a1, sp, 224
    jal t6, .Ldecimal
    sd a1, 80(sp)
    sd a2, 88(sp)
    addi s0, sp, 96                     # the next iovec
    li a0, -100                         # openat(AT_FDCWD, ..., O_RDONLY): the clock's frequency, where the device tree has it
    lla a1, .Ltree
    li a2, 0
    li a7, 56
    ecall
    bltz a0, .Ltail_next
    mv s10, a0
    addi a1, sp, 288
    li a2, 4
    li a7, 63
    ecall
    mv s11, a0
    mv a0, s10
    li a7, 57                           # close
    ecall
    li t0, 4
    bne s11, t0, .Ltail_next
    lbu a0, 288(sp)                     # the most significant byte first
    lbu t0, 289(sp)
    slli a0, a0, 8
    or a0, a0, t0
    lbu t0, 290(sp)
    slli a0, a0, 8
    or a0, a0, t0
    lbu t0, 291(sp)
    slli a0, a0, 8
    or a0, a0, t0
    lla t0, .Lrate
    lla t1, .Ltail
    sub t1, t1, t0
    sd t0, 0(s0)
    sd t1, 8(s0)
    addi a1, sp, 256
    jal t6, .Ldecimal
    sd a1, 16(s0)
    sd a2, 24(s0)
    addi s0, s0, 32
.Ltail_next:
    lla t0, .Ltail
    sd t0, 0(s0)
    li t1, 2
    sd t1, 8(s0)
    addi s0, s0, 16
    sub a2, s0, sp
    srli a2, a2, 4
    li a0, 1
    mv a1, sp
    li a7, 66                           # writev(1, iovecs, ...)
    ecall
    blez a0, .Lalone
    addi sp, sp, 448
    bnez s7, .Lround
    li a0, 0
    j .Lexit
.Lalone:
    li a0, 1
    j .Lexit

.Lusage:
    li a0, 2                            # write(2, ...)
    lla a1, .Lhelp
    lla a2, .Lhelp_end
    sub a2, a2, a1
    li a7, 64
    ecall
    li a0, 2
.Lexit:
    li a7, 94                           # exit_group
    ecall

.Ltouch:                                # reads t1 times 32 bytes from t0's 128 on, goes on at t6
    srli t0, t0, 7
    slli t0, t0, 7
.Lline:
    ld t2, 0(t0)
    addi t0, t0, 32
    addi t1, t1, -1
    bnez t1, .Lline
    jr t6

.Ldecimal:                              # a0 in decimal into the 20 bytes at a1; a1, a2: where it begins, length
    li t0, 20
    li t1, 10
    li a2, 1                            # digits, at least one
.Lnext:
    remu t2, a0, t1
    divu a0, a0, t1
    addi t3, t2, 48
    add t4, a1, t0
    sb t3, -1(t4)
    beqz t2, 1f
    li a2, 21
    sub a2, a2, t0                      # this digit's place from the right, 1 and up
1:  addi t0, t0, -1
    bnez t0, .Lnext
    addi a1, a1, 20
    sub a1, a1, a2
    jr t6

.Lhead:
    .ascii "{\"iterations\":"
.Lmiddle:
    .ascii ",\"ticks\":"
.Lsince:
    .ascii ",\"start\":"
.Lrate:
    .ascii ",\"frequency\":"
.Ltail:
    .ascii "}\n"
.Ltree:
    .asciz "/proc/device-tree/cpus/timebase-frequency"
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
    .endif

    .if trauma_bound
.Lno_node:
    .ascii "the kernel does not bind the data to the program's NUMA node: it has no such node, or does not allow it\n"
.Lelsewhere:
    .ascii "the kernel put pages of the data on another NUMA node than the program's\n"
    .endif

    .p2align 3
    .globl trauma_parameters
trauma_parameters:
.Lparameters:
    .quad 0                             # trauma_kernel
    .quad 0                             # trauma_layout
    .quad 0                             # data
    .quad 0                             # ITERATIONS when none is given
    .if trauma_bound
    .quad 0                             # the NUMA node
    .endif
    .if trauma_shares
    .fill 30, 8, 0                      # entries, where the state lies, where timed ticks are counted or 0; nine entries
    .endif
    .section .note.GNU-stack, "", @progbits
