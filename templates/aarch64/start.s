The start of the standalone executable: no libc, no loader, a handful of system calls.

It sets the data up, warms up, makes ITERATIONS passes and prints one line of JSON. Nothing that it does to memory
depends on ITERATIONS, so that two runs subtracted leave the loop alone.
With FD it says there that it is ready, one byte, and waits for one before the passes: copies that share a socket begin
together. x26 keeps FD; bit 32 of it says that ITERATIONS is "-": then rounds are asked for at FD, two words of 8 bytes
each, passes to warm up and passes, and each gives a line, until FD ends. Set-up is paid for once.
With +MORE it splits in two after the warm-up: a child makes ITERATIONS passes, then its parent ITERATIONS + MORE. Both run
the same instructions but for the passes, so that a simulator's counts of the two, subtracted, are MORE passes' alone.
x25 keeps MORE, and x26 is -2 then.
With @COPY/COPIES/PATH as the last argument, in programs whose copies share regions, it is copy COPY, from 0 on, of COPIES
that map the file /PATH; x20 keeps it.
The generator writes the four words at trauma_parameters, and sets trauma_markers in the line before: 0 none, 1 those
of gem5, 3 the same by address. x27 has ITERATIONS, x24 the data, x23 the layout, x28 the parameters.

@section start
    .text
    .globl _start
    .p2align 6
_start:
    mov x9, sp                          // arguments lie anywhere: read the lines around, always as many
    mov w10, #8
    adr x11, .Lcounted
    b .Ltouch                           // no call: what it pushes would bring one of the lines, or not
.Lcounted:
    .if trauma_shares
    mov x20, #0
    ldr x9, [sp]
    cmp x9, #2
    b.lo .Lunshared
    ldr x10, [sp, x9, lsl #3]           // the last argument
    ldrb w11, [x10]
    cmp w11, #64                        // "@"
    b.ne .Lunshared
    add x20, x10, #1
    sub x9, x9, #1
    str x9, [sp]
.Lunshared:
    .endif
    adr x28, .Lparameters
    ldr x27, [x28, #24]                 // ITERATIONS, unless given
    mov x26, #-1                        // FD, unless given
    mov x25, #0                         // MORE, unless given; bit 32 of FD until then
    ldr x9, [sp]                        // argc
    cmp x9, #3
    b.hi .Lusage
    cmp x9, #2
    b.lo .Lsetup
    ldr x12, [sp, #16]                  // argv[1]
    mov x13, x12
    mov x9, x12
    mov w10, #4
    adr x11, .Lfirst
    b .Ltouch
.Lfirst:
    ldrb w14, [x12]
    cbz w14, .Lusage
    ldrh w14, [x12]
    cmp w14, #0x2d                      // "-" and the end
    b.eq .Lrounds
    mov x9, #0
    mov x10, #10
    mov w15, #20                        // 20 reads whatever the number: none has more digits
.Ldigit:
    ldrb w14, [x12]
    cbz w14, .Lpast
    sub w14, w14, #48
    cmp w14, #9
    b.hi .Lusage
    umulh x16, x9, x10
    cbnz x16, .Lusage
    mul x9, x9, x10
    adds x9, x9, x14
    b.cs .Lusage
    add x12, x12, #1
.Lpast:
    subs w15, w15, #1
    b.ne .Ldigit
    ldrb w14, [x12]
    cbnz w14, .Lusage
    mov x27, x9
    sub x9, x13, #128                   // the text lies in one block of 128 bytes, and the block before it is read too,
    eor x14, x12, x13
    cmp x14, #128
    csel x9, x12, x9, hs                // or in two
    mov w10, #4
    adr x11, .Lsecond
    b .Ltouch
.Lsecond:
    ldr x9, [sp]
    cmp x9, #3
    b.lo .Lsetup
    ldr x12, [sp, #24]                  // argv[2]
    mov x9, #0
    mov x10, #10
    mov x11, #0x7fffffff
    ldrb w14, [x12]
    cmp w14, #43                        // "+"
    b.ne .Lfd
    cbnz x25, .Lusage
    mov x26, #-2
    add x12, x12, #1
.Lfd:
    ldrb w14, [x12]
    sub w14, w14, #48
    cmp w14, #9
    b.hi .Lusage
    madd x9, x9, x10, x14
    cmp x9, x11
    b.hi .Lusage
    add x12, x12, #1
    ldrb w14, [x12]
    cbnz w14, .Lfd
    cmn x26, #2
    b.eq .Lsplits
    add x26, x9, x25
    b .Lsetup
.Lrounds:
    ldr x9, [sp]
    cmp x9, #3
    b.ne .Lusage
    orr x25, x25, #0x100000000
    b .Lsecond
.Lsplits:
    mov x25, x9

.Lsetup:
    mov x9, sp                          // the stack begins in the first 64 bytes of a page, and of a way of L1D, where the
    and x9, x9, #0xffffffffffff0000     // data has what always hits: no working set pushes it out between one call and the next
    sub x9, x9, #16, lsl #12
    add x9, x9, #64
    mov sp, x9
    ldr x24, [x28, #16]
    ldr x23, [x28, #8]                  // struct trauma_layout
    ldr x0, [x23, #24]
    ldr x1, [x23]
    subs x1, x1, x0
    b.ls .Lruns
    add x0, x0, x24
    mov x2, #14                         // madvise(data + huge, bytes - huge, MADV_HUGEPAGE), which may fail
    mov x8, #233
    svc #0
    ldr x1, [x23, #24]
    cbz x1, .Lruns
    mov x0, x24
    mov x2, #15                         // madvise(data, huge, MADV_NOHUGEPAGE): small pages whatever the system prefers
    mov x8, #233
    svc #0
.Lruns:
    .if trauma_bound
    cmn x26, #2                         // a simulator goes by addresses: it has no nodes
    b.eq .Lbound
    sub x3, sp, #192                    // a mask of 1024 nodes
    mov x9, #16
.Lmask:
    sub x9, x9, #1
    str xzr, [x3, x9, lsl #3]
    cbnz x9, .Lmask
    ldr x10, [x28, #32]
    lsr x11, x10, #6
    mov x12, #1
    lsl x12, x12, x10
    str x12, [x3, x11, lsl #3]
    and x0, x24, #0xfffffffffffff000
    ldr x1, [x23]
    add x1, x1, x24
    sub x1, x1, x0
    mov x2, #2                          // mbind(data, bytes, MPOL_BIND, mask, 1025, MPOL_MF_MOVE), before it is written
    mov x4, #1025
    mov x5, #2
    mov x8, #235
    svc #0
    cbnz x0, .Lunbound
.Lbound:
    .endif
    mov x22, #1                         // words that are zero have to be written
    ldr x10, [x23]
    mov x9, #0x100000
    cmp x10, x9
    b.lo .Lwords
    mov x22, #0                         // until one that is not was: memory begins as zeros, and large data only needs
    mov x9, x24                         // pages of its own
    cmn x26, #2                         // but for a simulator, which goes by addresses: it is spared their clearing
    b.eq .Lwords
    lsr x10, x10, #12
.Lpage:
    str xzr, [x9]
    add x9, x9, #1, lsl #12
    subs x10, x10, #1
    b.ne .Lpage
.Lwords:
    ldr x9, [x23, #16]                  // what every value is relative to
    cmp x9, #0
    csel x15, x24, xzr, ne
    add x12, x23, #56                   // runs: offset, step, count, value
    ldr x13, [x23, #48]
    b .Lmore
.Lrun:
    ldp x9, x10, [x12]
    ldp x11, x14, [x12, #16]
    add x9, x9, x24
    add x14, x14, x15
    add x12, x12, #32
    cbz x11, .Lmore
    orr x22, x22, x14
    cbz x22, .Lmore
.Lword:
    str x14, [x9]
    add x9, x9, x10
    subs x11, x11, #1
    b.ne .Lword
.Lmore:
    subs x13, x13, #1
    b.pl .Lrun

    .if trauma_shares
    cbz x20, .Lown                      // it runs alone: what it would share is its own
    add x22, x28, #32                   // entries, where the state lies, timed; then each entry's data, bytes, file
    ldr x9, [x22, #8]
    add x9, x9, x24
    bl .Lnumber
    str x10, [x9]                       // COPY
    mov x11, x10
    bl .Lnumber
    str x10, [x9, #8]                   // COPIES
    cmp x10, x11
    b.ls .Lusage
    mov x0, #-100
    sub x1, x20, #1                     // the path begins with the slash
    mov x2, #0x42                       // openat(AT_FDCWD, path, O_RDWR | O_CREAT, 0600)
    mov x3, #0600
    mov x8, #56
    svc #0
    tbnz x0, #63, .Lunmapped
    mov x20, x0
    mov x1, #(trauma_file_bytes >> 31)
    lsl x1, x1, #31
    mov x8, #46                         // ftruncate(fd, the same for all programs): it is sparse
    svc #0
    ldr x21, [x22], #24
.Lmap:
    ldr x0, [x22]
    add x0, x0, x24
    mov x19, x0
    ldr x1, [x22, #8]
    mov x2, #3
    mov x3, #0x8011                     // MAP_POPULATE: faults now, not in the passes
    mov x4, x20
    ldr x5, [x22, #16]
    mov x8, #222                        // mmap(data, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, file)
    cbz x1, .Lmapped
    svc #0
    cmp x0, x19
    b.ne .Lunmapped
.Lmapped:
    add x22, x22, #24
    subs x21, x21, #1
    b.ne .Lmap
    b .Lown
.Lnumber:                               // the number at x20 into x10, and past the slash behind it
    mov x10, #0
    mov x14, #10
    mov x15, #0xffff
.Lmore_number:
    ldrb w13, [x20], #1
    sub w13, w13, #48
    cmp w13, #9
    b.hi .Lnumbered
    madd x10, x10, x14, x13
    cmp x10, x15
    b.hi .Lusage
    b .Lmore_number
.Lnumbered:
    cmn w13, #1                         // "/" is before the digits
    b.ne .Lusage
    ret
.Lunmapped:
    mov x0, #2                          // write(2, ...)
    adr x1, .Lno_map
    mov x2, #38
    mov x8, #64
    svc #0
    b .Lalone
.Lown:
    .endif
    .if trauma_bound
    cmn x26, #2
    b.eq .Lon_node
    and x19, x24, #0xfffffffffffff000
.Lon_page:                              // where the kernel put each page of the data
    ldr x9, [x23]
    add x9, x9, x24
    cmp x19, x9
    b.hs .Lon_node
    stur x19, [sp, #-16]
    mov x0, #0                          // move_pages(0, 1, &page, NULL, &status, 0) moves nothing
    mov x1, #1
    sub x2, sp, #16
    mov x3, #0
    sub x4, sp, #8
    mov x5, #0
    mov x8, #239
    svc #0
    cbnz x0, .Lunbound
    ldursw x9, [sp, #-8]
    add x19, x19, #1, lsl #12
    cmn x9, #2                          // nothing was written to it
    b.eq .Lon_page
    cmn x9, #14
    b.eq .Lon_page
    ldr x10, [x28, #32]
    cmp x9, x10
    b.eq .Lon_page
    adr x1, .Lelsewhere
    mov x2, #.Lelsewhere_end - .Lelsewhere
    b .Lmisplaced
.Lunbound:
    adr x1, .Lno_node
    mov x2, #.Lno_node_end - .Lno_node
.Lmisplaced:
    mov x0, #2                          // write(2, ...)
    mov x8, #64
    svc #0
    b .Lalone
.Lon_node:
    .endif
    ldr x0, [x23, #32]                  // passes to warm up
    tbnz x26, #63, .Lwarm
    tbz x26, #32, .Lwarm
.Lround:
    mov w0, w26
    sub x1, sp, #16
    mov x2, #16
    mov x8, #63                         // read(FD, ..., 16)
    svc #0
    mov x9, x0
    mov x0, #0
    cbz x9, .Lexit
    cmp x9, #16
    b.ne .Lalone
    ldur x0, [sp, #-16]
    ldur x27, [sp, #-8]
.Lwarm:
    mov x1, x24
    ldr x9, [x28]
    blr x9

    cmn x26, #2
    b.eq .Lsplit
    tbnz x26, #63, .Ltogether
    tbnz x26, #32, .Ltogether
    mov w9, #114                        // "r" for ready, on a line of the stack that calls touch too
    sturb w9, [sp, #-8]
    mov w0, w26
    sub x1, sp, #8
    mov x2, #1
    mov x8, #64                         // write(FD, ..., 1)
    svc #0
    cmp x0, #1
    b.ne .Lalone
    mov w0, w26
    mov x8, #63                         // read(FD, ..., 1)
    svc #0
    cmp x0, #1
    b.ne .Lalone
    b .Ltogether
.Lsplit:
    mov x0, #17                         // clone(SIGCHLD, 0, ...), which is fork
    mov x1, #0
    mov x2, #0
    mov x3, #0
    mov x4, #0
    mov x8, #220
    svc #0
    tbnz x0, #63, .Lalone
    cmp x0, #0
    csel x9, x25, xzr, ne               // no branch: parent and child are to differ in the passes alone
    add x27, x27, x9
.Ltogether:

    .if trauma_markers == 1             // gem5: work_begin(0, 0), no instruction of any processor
    mov x0, #0
    mov x1, #0
    .long 0xff5a0110
    .elseif trauma_markers == 3         // the same by address: a read of /dev/mem at 0x10010000 + (operation << 8)
    mov x0, #-100                       // openat(AT_FDCWD, ..., O_RDWR | O_SYNC)
    adr x1, .Lgem5_file
    mov x2, #0x1002
    movk x2, #0x10, lsl #16
    mov x3, #0
    mov x8, #56
    svc #0
    tbnz x0, #63, .Lunreached
    mov x4, x0
    mov x0, #0x10000000000              // mmap(0x10000000000, 0x10000, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, ...)
    mov x1, #0x10000
    mov x2, #3
    mov x3, #0x11
    mov x5, #0x0000
    movk x5, #0x1001, lsl #16
    mov x8, #222
    svc #0
    mov x9, #0x10000000000
    cmp x0, x9
    b.ne .Lunreached
    mov x0, #0
    mov x1, #0
    mov x10, #0x5a00
    ldr x0, [x9, x10]
    .endif
    .if trauma_shares
    ldr x9, [x28, #48]                  // where turns are taken, the copy's own passes alone are timed
    cbz x9, .Luntimed
    str xzr, [x24, x9]
.Luntimed:
    .endif
    isb                                 // the counter is read when what stands before is done
    .if trauma_markers == 1             // rpns(), nanoseconds: gem5's system-call emulation has no timer to read
    .long 0xff070110
    mov x21, x0
    .else
    mrs x21, cntvct_el0
    .endif
    isb
    mov x0, x27
    mov x1, x24
    ldr x9, [x28]
    blr x9                              // keeps x19 to x28
    isb
    .if trauma_markers == 1
    .long 0xff070110
    mov x23, x0                         // the layout is not needed any more
    .else
    mrs x23, cntvct_el0
    .endif
    sub x23, x23, x21
    .if trauma_shares
    ldr x9, [x28, #48]
    cbz x9, .Lall_timed
    ldr x23, [x24, x9]
.Lall_timed:
    .endif

    .if trauma_markers == 1             // work_end(0, 0)
    mov x0, #0
    mov x1, #0
    .long 0xff5b0110
    .elseif trauma_markers == 3
    mov x9, #0x10000000000
    mov x10, #0x5b00
    mov x0, #0
    mov x1, #0
    ldr x0, [x9, x10]
    .endif
    cmn x26, #2
    b.ne .Lprint
    mov x0, #-1                         // wait4(-1, NULL, 0, NULL): the child's line comes first, and it has none to wait for
    mov x1, #0
    mov x2, #0
    mov x3, #0
    mov x8, #260
    svc #0
.Lprint:
    sub sp, sp, #288                    // untouched before. 0: nine iovecs; digits, 160: of ITERATIONS, 192: of ticks,
    mov x19, sp                         // 224: of start, 256: of the counter's frequency
    adr x9, .Lhead
    adr x10, .Lmiddle
    bl .Ltext
    mov x9, x27
    add x10, sp, #160
    bl .Ldecimal
    adr x9, .Lmiddle
    adr x10, .Lsince
    bl .Ltext
    mov x9, x23
    add x10, sp, #192
    bl .Ldecimal
    adr x9, .Lsince
    adr x10, .Lfrequency
    bl .Ltext
    mov x9, x21
    add x10, sp, #224
    bl .Ldecimal
    adr x9, .Lfrequency
    adr x10, .Ltail
    bl .Ltext
    .if trauma_markers == 1
    mov x9, #0xca00                     // 10^9
    movk x9, #0x3b9a, lsl #16
    .else
    mrs x9, cntfrq_el0
    .endif
    add x10, sp, #256
    bl .Ldecimal
    adr x9, .Ltail
    adr x10, .Lhelp
    bl .Ltext
    mov x0, #1                          // writev(1, iovecs, 9)
    mov x1, sp
    mov x2, #9
    mov x8, #66
    svc #0
    mov x9, x0
    mov x0, #0
    cmp x9, #0
    b.le .Lalone
    tbnz x26, #63, .Lexit
    tbz x26, #32, .Lexit
    add sp, sp, #288
    b .Lround
    .if trauma_markers == 3
.Lunreached:
    mov x0, #2                          // write(2, ...)
    adr x1, .Lno_gem5
    mov x2, #.Lno_gem5_end - .Lno_gem5
    mov x8, #64
    svc #0
    .endif
.Lalone:
    mov x0, #1
    b .Lexit

.Lusage:
    mov x0, #2                          // write(2, ...)
    adr x1, .Lhelp
    adr x2, .Lhelp_end
    sub x2, x2, x1
    mov x8, #64
    svc #0
    mov x0, #2
.Lexit:
    mov x8, #94                         // exit_group
    svc #0

.Ltouch:                                // reads w10 times 32 bytes from x9's 128 on, goes on at x11
    and x9, x9, #0xffffffffffffff80
.Lline:
    ldr x14, [x9]
    add x9, x9, #32
    subs w10, w10, #1
    b.ne .Lline
    br x11

.Ltext:                                 // the bytes from x9 up to x10 into the iovec at x19, and the next
    sub x10, x10, x9
    stp x9, x10, [x19], #16
    ret

.Ldecimal:                              // x9 in decimal into the 20 bytes at x10, and these into the iovec at x19
    mov x13, #20
    mov x14, #10
    mov x12, #1                         // digits, at least one
.Lnext:
    udiv x15, x9, x14
    msub x16, x15, x14, x9
    add w16, w16, #48
    sub x17, x13, #1
    strb w16, [x10, x17]
    mov x17, #21
    sub x17, x17, x13                   // this digit's place from the right, 1 and up
    cmp w16, #48
    csel x12, x17, x12, ne
    mov x9, x15
    subs x13, x13, #1
    b.ne .Lnext
    add x11, x10, #20
    sub x11, x11, x12
    stp x11, x12, [x19], #16
    ret

.Lhead:
    .ascii "{\"iterations\":"
.Lmiddle:
    .ascii ",\"ticks\":"
.Lsince:
    .ascii ",\"start\":"
.Lfrequency:
    .ascii ",\"ticks_per_s\":"
.Ltail:
    .ascii "}\n"
.Lhelp:
    .ascii "usage: program [ITERATIONS [FD]], program - FD, program ITERATIONS +MORE: ITERATIONS is a whole number below 2^64;\n"
    .ascii "at FD, an open descriptor, it writes a byte when it is ready and reads one before it begins;\n"
    .ascii "with - it reads rounds there: passes to warm up and passes, 8 bytes each, until FD ends;\n"
    .ascii "with +MORE a child makes ITERATIONS passes and then its parent MORE besides\n"
    .if trauma_shares
    .ascii "with @COPY/COPIES/PATH, last, it is one of COPIES that share the file /PATH, from 0 on\n"
    .endif
.Lhelp_end:
    .if trauma_markers == 3
.Lgem5_file:
    .asciz "/dev/mem"
.Lno_gem5:
    .ascii "gem5's operations by address need /dev/mem with 64 KiB at 0x10010000, as in gem5's full system\n"
.Lno_gem5_end:
    .endif
    .if trauma_shares
.Lno_map:
    .ascii "cannot map the file that copies share\n"
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
.Lparameters:                           // references to global names are left to a linker
    .quad 0                             // trauma_kernel
    .quad 0                             // trauma_layout
    .quad 0                             // the data
    .quad 0                             // ITERATIONS when none is given
    .if trauma_bound
    .quad 0                             // the NUMA node
    .endif
    .if trauma_shares
    .fill 30, 8, 0                      // entries, where the state lies, where timed ticks are counted or 0; nine entries
    .endif
    .section .note.GNU-stack, "", @progbits
