The program of one point. A text in braces is filled in by the generator; {REGISTER=NUMBER} becomes the instructions that
put a number into a register, and {NUMBER[FROM:BITS]} is a part of a number.

The loop stands between trauma_loop and trauma_loop_end, with code{} in the pieces of trauma_code that trauma_chunks lists;
what belongs to no unit stands after trauma_advance, but for the back edge after trauma_close, which is a branch of the last
unit where units have branches. In the loop x0 counts the passes down, x1 is the data's address, and nothing but the body
touches memory. x18, the platform's, and the lower halves of v8 to v15, the caller's, are not used; v24 to v29 keep the
caller's x19 to x30.

@section kernel
{extensions}    .text
    .globl {symbols}_kernel
    .type {symbols}_kernel, @function
    .type trauma_kernel, @function
    .p2alignl 7, 0
{symbols}_kernel:
trauma_kernel:                          // void trauma_kernel(uint64_t iterations, void *data)
    cbz x0, .Ltrauma_return
    fmov d24, x19                       // no stack: its lines would come and go with the data's
    ins v24.d[1], x20
    fmov d25, x21
    ins v25.d[1], x22
    fmov d26, x23
    ins v26.d[1], x24
    fmov d27, x25
    ins v27.d[1], x26
    fmov d28, x27
    ins v28.d[1], x28
    fmov d29, x29
    ins v29.d[1], x30
{start}{loop}{finish}    fmov x19, d24
    umov x20, v24.d[1]
    fmov x21, d25
    umov x22, v25.d[1]
    fmov x23, d26
    umov x24, v26.d[1]
    fmov x25, d27
    umov x26, v27.d[1]
    fmov x27, d28
    umov x28, v28.d[1]
    fmov x29, d29
    umov x30, v29.d[1]
.Ltrauma_return:
    ret
{area}    .size {symbols}_kernel, . - {symbols}_kernel
    .size trauma_kernel, . - trauma_kernel

    .section .rodata
    .globl {symbols}_layout
    .type {symbols}_layout, @object
    .type trauma_layout, @object
    .p2align 3
{symbols}_layout:
trauma_layout:                          // struct trauma_layout of trauma.h
    .quad {bytes}                       // bytes of data
    .quad {align}                       // its alignment
    .quad {relative}                    // 1: set-up adds the data's address to every value
    .quad {huge}                        // from this byte on better in huge pages
    .quad {warmup}                      // passes of warm-up
    .quad {holds}                       // passes over which the rates hold
    .quad {runs}                        // entries of trauma_runs
    .size {symbols}_layout, . - {symbols}_layout
    .size trauma_layout, . - trauma_layout
    .globl {symbols}_runs
    .type {symbols}_runs, @object
    .type trauma_runs, @object
{symbols}_runs:
trauma_runs:                            // offset in the data, step, count, value of each word
{table}    .size {symbols}_runs, . - {symbols}_runs
    .size trauma_runs, . - trauma_runs
{chunks}{aliases}{texts}    .section .note.GNU-stack, "", @progbits

@section aliases
    .weak trauma_kernel                 // the same names in every object of a suite: a linker takes the first
    .weak trauma_layout
    .weak trauma_runs

@section aliases.prefix
    .weak {prefix}_kernel
    .set {prefix}_kernel, trauma_kernel
    .weak {prefix}_layout
    .set {prefix}_layout, trauma_layout
    .weak {prefix}_runs
    .set {prefix}_runs, trauma_runs

@section texts
    .section .trauma.texts, "", @progbits // where the recipe's own instructions begin and end in the loop

@section loop
    b trauma_loop                       // over what fills the gap
    .p2alignl {loop_align}, 0
trauma_loop:
{body}trauma_advance:
{advance}trauma_close:
    subs x0, x0, #1
    b.ne trauma_loop
trauma_loop_end:
{twin}
@section twin
    b .Ltrauma_leave
    .p2alignl {loop_align}, 0           // the last bits of a branch's address are the same in loop and twin
trauma_twin:                            // the same units again: where the branches of the loop above go when taken
{body}{advance}    subs x0, x0, #1
    b.ne trauma_loop
.Ltrauma_leave:

@section gap
    .skip {gap}, 0                      // never run: keeps the next indirect branch off another one's entry

@section loop.code
    b trauma_loop
.Ltrauma_leave:

@section code.area
    .p2alignl {power}, 0
trauma_code:                            // the pieces of the loop, by their addresses

@section code.place
    .org trauma_code + {offset}, 0

@section code.close
trauma_advance:
{advance}trauma_close:
    subs x0, x0, #1
    b.ne trauma_loop
trauma_loop_end:
    b .Ltrauma_leave

@section code.close_twin
{advance}    subs x0, x0, #1
    b.ne trauma_loop
    b .Ltrauma_leave

@section code.branches
trauma_closes_unit:                     // the back edge is a branch of the last unit

@section start.copies
    adr {copy}, trauma_copies           // where the code that has copies goes on
    movz {copy_turn}, #0                // when it changes, in units of 2^-32

@section advance.copies_all
    cmp {copy}, {copy}                  // the next copy in every pass: a carry

@section advance.copies_some
    movz {place}, #{copy_share[0:16]}
    movk {place}, #{copy_share[16:16]}, lsl #16
    adds {copy_turn:32}, {copy_turn:32}, {place:32} // a carry when the next copy's turn comes

@section advance.copies
    movz {place}, #{copy_step[0:16]}
    movk {place}, #{copy_step[16:16]}, lsl #16
    add {place}, {copy}, {place}
    csel {copy}, {place}, {copy}, cs
    adr x30, trauma_copies              // saved, and not needed in the loop
    movz {place}, #{copy_limit[0:16]}
    movk {place}, #{copy_limit[16:16]}, lsl #16
    add {place}, x30, {place}
    cmp {copy}, {place}
    csel {copy}, x30, {copy}, hs        // the first copy after the last

@section start.random
    movz {multiplier}, #0xa9c5          // 0xf1357aea2e62a9c5
    movk {multiplier}, #0x2e62, lsl #16
    movk {multiplier}, #0x7aea, lsl #32
    movk {multiplier}, #0xf135, lsl #48
    movz {random}, #0x7c15              // 0x9e3779b97f4a7c15
    movk {random}, #0x7f4a, lsl #16
    movk {random}, #0x79b9, lsl #32
    movk {random}, #0x9e37, lsl #48
    eor {random}, {random}, x0          // the passes to make: the warm-up must not teach what follows it
    orr {random}, {random}, #1

@section start.vector.32
    rdvl x17, #1                        // the rows are those of vectors of 32 bytes
    cmp x17, #32
    b.eq .Ltrauma_vectors
    udf #0                              // this processor has others
.Ltrauma_vectors:
    ptrue p0.d

@section start.vector.64
    rdvl x17, #1                        // the rows are those of vectors of 64 bytes
    cmp x17, #64
    b.eq .Ltrauma_vectors
    udf #0                              // this processor has others
.Ltrauma_vectors:
    ptrue p0.d

@section start.accumulator
    movz {accumulator}, #0

@section start.given
    movz {given}, #0

@section start.given_mask
    pfalse {given}.b

@section start.given_128
    movi {given}.2d, #0

@section start.texts
    movz x29, #{text_memory[0:16]}      // what texts' own memory begins with
    movk x29, #{text_memory[16:16]}, lsl #16
    add x29, {data}, x29

@section start.operand
    {operand=word}

@section start.division
    movz {quotient}, #0x7aea            // the dividend
    movk {quotient}, #0xf135, lsl #16
    movk {quotient}, #0x7aea, lsl #32
    movk {quotient}, #0xf135, lsl #48
    movz {remainder}, #0x79b9           // the first divisor of a chain that goes on over the loop's end
    movk {remainder}, #0x9e37, lsl #16

@section start.flush
    mrs x17, fpcr                       // denormal numbers count as zero, or bits of the recipe's data would cost
    str x17, [sp, #-16]!                // a hundred cycles and more
    orr x17, x17, #0x1000000
    msr fpcr, x17

@section finish.flush
    ldr x17, [sp], #16
    msr fpcr, x17

@section start.value
    movz {value}, #0

@section start.pointer
    {pointer=link}                      // each word leads to the next
    add {pointer}, {data}, {pointer}

@section start.led
    movz {pointer}, #0                  // no load has led yet

@section start.pointer_indexed
    {pointer=link}                      // each word is the next one's offset from its base

@section start.idle
    movz {idle}, #0

@section start.stored
    movz {stored}, #0

@section start.anchor
    {anchor=anchor_offset}
    add {anchor}, {base}, {anchor}

@section start.rotating
    {place=state}
    ldr {rotating}, [{data}, {place}]   // this pass's base, as the call before left it
    add {rotating}, {rotating}, {data}

@section advance.always
    {place=step}
    add {rotating}, {rotating}, {place}

@section advance.sometimes
    {place=step}
    add {place}, {rotating}, {place}    // in passes that read there, and not in others
    cmp {turn}, #{until}
    csel {place}, {rotating}, {place}, hs
    cmp {turn}, #{from}
    csel {rotating}, {rotating}, {place}, lo

@section advance.rotating
    {place=limit}
    add {place}, {data}, {place}
    cmp {rotating}, {place}
    {place=back}
    sub {place}, {rotating}, {place}
    csel {rotating}, {place}, {rotating}, hs

@section finish.rotating
    sub {rotating}, {rotating}, {data}
    {place=state}
    str {rotating}, [{data}, {place}]

@section start.turn
    {place=state}
    ldr {turn}, [{data}, {place}]       // passes since the period began

@section advance.turn
    add {turn}, {turn}, #1
    cmp {turn}, #{period}
    csel {turn}, xzr, {turn}, hs

@section finish.turn
    {place=state}
    str {turn}, [{data}, {place}]

@section place.first
    mov {place}, #{disp[0:16]}
    movk {place}, #{disp[16:16]}, lsl #16
    adds {place}, {base}, {place}       // no instruction that a recipe can ask for, so that none is counted as one

@section place.next
    mov {spare}, #{disp[0:16]}
    movk {spare}, #{disp[16:16]}, lsl #16
    adds {spare}, {base}, {spare}
    cmp {turn}, #{until}
    csel {place}, {spare}, {place}, hs

@section start.shared
    {shared=at}                         // where a region lies that all copies map
    add {shared}, {data}, {shared}

@section start.shared_apart
    {place=copy_number}
    ldr {place}, [{data}, {place}]
    {spare=apart}
    madd {shared}, {place}, {spare}, {shared} // each copy's own part of it

@section start.turns
    {place=copy_number}
    ldr {mine}, [{data}, {place}]
    {place=copies}
    ldr {place}, [{data}, {place}]
    add {next}, {mine}, #1
    cmp {next}, {place}
    csel {next}, xzr, {next}, hs        // the first copy's turn is after the last one's

@section start.coherence
    {place=window}
    str {shared}, [{data}, {place}]
    {place=timed}
    str xzr, [{data}, {place}]
    bl .Ltrauma_begin

@section advance.coherence
    cmp x0, #1                          // what stands after the loop ends the last pass
    b.eq 9f
    bl .Ltrauma_end
    bl .Ltrauma_begin
9:

@section advance.coherence_walk
    cmp x0, #1                          // what stands after the loop ends the last window
    b.eq 9f
    {place=window}
    ldr {spare}, [{data}, {place}]
    sub {spare}, {shared}, {spare}
    {place=ahead}
    cmp {spare}, {place}                // until the next window begins
    b.eq 8f
    {place=at}
    add {place}, {data}, {place}
    cmp {shared}, {place}               // or the walk anew
    b.ne 9f
8:
    bl .Ltrauma_end
    {place=window}
    str {shared}, [{data}, {place}]
    bl .Ltrauma_begin
9:

@section finish.coherence
    bl .Ltrauma_end

@section coherence.area
// See templates/x86_64/kernel.s. x9: the pass's copy, x11: copies, x12: this one, x13: until which, x14: turns before, x15: a turn.
.Ltrauma_begin:                         // the turns up to this copy's pass
    stp x30, x9, [sp, #-80]!
    stp x11, x12, [sp, #16]
    stp x13, x14, [sp, #32]
    stp x15, x16, [sp, #48]
    str x17, [sp, #64]
    mov x9, #0
    {place=copy_number}
    ldr x12, [x1, {place}]
    add x13, x12, #1
    bl .Ltrauma_turns
    add x15, x14, x9, lsl #2
    sub x15, x15, #2
    bl .Ltrauma_wait
    {place=began}
    isb
    mrs x17, cntvct_el0
    isb
    str x17, [x1, {place}]
    b .Ltrauma_back

.Ltrauma_end:                           // the turns after this copy's pass
    stp x30, x9, [sp, #-80]!
    stp x11, x12, [sp, #16]
    stp x13, x14, [sp, #32]
    stp x15, x16, [sp, #48]
    str x17, [sp, #64]
    isb
    mrs x17, cntvct_el0
    {place=began}
    ldr x16, [x1, {place}]
    sub x17, x17, x16
    {place=timed}
    ldr x16, [x1, {place}]
    add x17, x17, x16
    str x17, [x1, {place}]
    {place=turns}
    ldr x14, [x1, {place}]
    {place=copy_number}
    ldr x12, [x1, {place}]
    add x9, x12, #1
    add x15, x14, x9, lsl #2
    {place=turn}
    add {place}, x1, {place}
    stlr x15, [{place}]
    {place=copies}
    ldr x13, [x1, {place}]
    cmp x13, #1
    cinc x13, x13, lo
    bl .Ltrauma_turns
    add x15, x14, x11, lsl #2
    {place=turns}
    str x15, [x1, {place}]
.Ltrauma_back:
    ldr x17, [sp, #64]
    ldp x15, x16, [sp, #48]
    ldp x13, x14, [sp, #32]
    ldp x11, x12, [sp, #16]
    ldp x30, x9, [sp], #80
    ret

.Ltrauma_turns:                         // those of the passes from x9 up to x13 that are this copy's
    str x30, [sp, #-16]!
    {place=copies}
    ldr x11, [x1, {place}]
    cmp x11, #1
    cinc x11, x11, lo
    {place=turns}
    ldr x14, [x1, {place}]
.Ltrauma_next:
    cmp x9, x13
    b.hs .Ltrauma_done
    add x17, x9, #1
    cmp x17, x11
    csel x17, xzr, x17, hs
    cmp x17, x12
    b.ne .Ltrauma_other
    add x15, x14, x9, lsl #2
    bl .Ltrauma_wait
{owner}.Ltrauma_other:
{sharer}    add x9, x9, #1
    b .Ltrauma_next
.Ltrauma_done:
    ldr x30, [sp], #16
    ret

.Ltrauma_wait:                          // until the turn is x15
    {place=turn}
    add {place}, x1, {place}
1:
    ldar x17, [{place}]
    cmp x17, x15
    b.eq 2f
    yield
    b 1b
2:
    ret

@section coherence.modified
    {place=window}
    ldr x17, [x1, {place}]
    {place=first}
    add {place}, x17, {place}
    {spare=lines}
    {compared=line}
3:
    ldr x17, [{place}]
    str x17, [{place}]                  // written, whatever it is
    add {place}, {place}, {compared}
    subs {spare}, {spare}, #1
    b.ne 3b
    dsb sy
    add x15, x15, #2
    {place=turn}
    add {place}, x1, {place}
    stlr x15, [{place}]

@section coherence.exclusive
    {place=window}
    ldr x17, [x1, {place}]
    {place=first}
    add {place}, x17, {place}
    {spare=lines}
    {compared=line}
3:
    dc civac, {place}                   // in no cache
    add {place}, {place}, {compared}
    subs {spare}, {spare}, #1
    b.ne 3b
    dsb sy
    {place=window}
    ldr x17, [x1, {place}]
    {place=first}
    add {place}, x17, {place}
    {spare=lines}
    {compared=line}
4:
    ldr x17, [{place}]
    add {place}, {place}, {compared}
    subs {spare}, {spare}, #1
    b.ne 4b
    dsb sy
    add x15, x15, #2
    {place=turn}
    add {place}, x1, {place}
    stlr x15, [{place}]

@section coherence.shared
    {place=window}
    ldr x17, [x1, {place}]
    {place=first}
    add {place}, x17, {place}
    {spare=lines}
    {compared=line}
3:
    dc civac, {place}                   // in no cache
    add {place}, {place}, {compared}
    subs {spare}, {spare}, #1
    b.ne 3b
    dsb sy
    {place=window}
    ldr x17, [x1, {place}]
    {place=first}
    add {place}, x17, {place}
    {spare=lines}
    {compared=line}
4:
    ldr x17, [{place}]
    add {place}, {place}, {compared}
    subs {spare}, {spare}, #1
    b.ne 4b
    dsb sy
    add x15, x15, #1
    {place=turn}
    add {place}, x1, {place}
    stlr x15, [{place}]

@section coherence.sharer
    add x17, x9, #1
    cmp x17, x11
    csel x17, xzr, x17, hs
    add x17, x17, #1                    // the copy after the one that prepared them; of two copies the one whose pass it is
    cmp x17, x11
    csel x17, xzr, x17, hs
    cmp x17, x12
    b.ne 7f
    add x15, x14, x9, lsl #2
    add x15, x15, #1
    bl .Ltrauma_wait
    {place=window}
    ldr x17, [x1, {place}]
    {place=first}
    add {place}, x17, {place}
    {spare=lines}
    {compared=line}
5:
    ldr x17, [{place}]
    add {place}, {place}, {compared}
    subs {spare}, {spare}, #1
    b.ne 5b
    dsb sy
    add x15, x15, #1
    {place=turn}
    add {place}, x1, {place}
    stlr x15, [{place}]
7:
