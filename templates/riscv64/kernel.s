The program of one point; see templates/x86_64/kernel.s.

In the loop a0 counts the passes down, a1 is the data's address, and nothing but the body touches memory. ra is free for what belongs to
no unit. All instructions have 4 bytes, and assemblers leave them as they are (.option). A label's address is never taken: assemblers leave
that to a linker.

@section kernel
    .option arch, +m, +a, +f, +d
    .option norvc
    .option norelax
{extensions}    .text
    .globl {symbols}_kernel
    .type {symbols}_kernel, @function
    .type trauma_kernel, @function
    .p2align 7, 0x73
{symbols}_kernel:
trauma_kernel:                          # void trauma_kernel(uint64_t iterations, void *data)
    beqz a0, .Ltrauma_none
    addi sp, sp, -112
    sd ra, 0(sp)
    sd s0, 8(sp)
    sd s1, 16(sp)
    sd s2, 24(sp)
    sd s3, 32(sp)
    sd s4, 40(sp)
    sd s5, 48(sp)
    sd s6, 56(sp)
    sd s7, 64(sp)
    sd s8, 72(sp)
    sd s9, 80(sp)
    sd s10, 88(sp)
    sd s11, 96(sp)
    j .Ltrauma_start
.Ltrauma_none:
    ret
.Ltrauma_start:
{start}{loop}{finish}    ld ra, 0(sp)
    ld s0, 8(sp)
    ld s1, 16(sp)
    ld s2, 24(sp)
    ld s3, 32(sp)
    ld s4, 40(sp)
    ld s5, 48(sp)
    ld s6, 56(sp)
    ld s7, 64(sp)
    ld s8, 72(sp)
    ld s9, 80(sp)
    ld s10, 88(sp)
    ld s11, 96(sp)
    addi sp, sp, 112
    ret
{area}    .size {symbols}_kernel, . - {symbols}_kernel
    .size trauma_kernel, . - trauma_kernel

    .section .rodata
    .globl {symbols}_layout
    .type {symbols}_layout, @object
    .type trauma_layout, @object
    .p2align 3
{symbols}_layout:
trauma_layout:                          # struct trauma_layout of trauma.h
    .quad {bytes}                       # bytes of data
    .quad {align}                       # its alignment
    .quad {relative}                    # 1: set-up adds the data's address to every value
    .quad {huge}                        # from this byte on better in huge pages
    .quad {warmup}                      # passes of warm-up
    .quad {holds}                      # passes over which the rates hold
    .quad {runs}                        # entries of trauma_runs
    .size {symbols}_layout, . - {symbols}_layout
    .size trauma_layout, . - trauma_layout
    .globl {symbols}_runs
    .type {symbols}_runs, @object
    .type trauma_runs, @object
{symbols}_runs:
trauma_runs:                            # offset in the data, step, count, value of each word
{table}    .size {symbols}_runs, . - {symbols}_runs
    .size trauma_runs, . - trauma_runs
{chunks}{aliases}{texts}    .section .note.GNU-stack, "", @progbits

@section aliases
    .weak trauma_kernel                 # the same names in every object of a suite: a linker takes the first
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
    .section .trauma.texts, "", @progbits # where the recipe's own instructions begin and end in the loop

@section loop
    j trauma_loop                       # over what fills the gap
    .p2align {loop_align}, 0x73
trauma_loop:
{body}trauma_advance:
{advance}    addi a0, a0, -1
trauma_close:
    bnez a0, trauma_loop
trauma_loop_end:
{twin}
@section twin
    j .Ltrauma_leave
    .p2align {loop_align}, 0x73         # the last bits of a branch's address are the same in loop and twin
trauma_twin:                            # the same units again: where the branches of the loop above go when taken
{body}{advance}    addi a0, a0, -1
    bnez a0, trauma_loop
.Ltrauma_leave:

@section loop.indirect
    jal {other_goal}, .Ltrauma_find
    j .Ltrauma_enter
    .p2align {loop_align}, 0x73
    .skip 496, 0x73
.Ltrauma_enter:
    auipc {back_goal}, 0                # 16 bytes before trauma_loop
    sub {other_goal}, {goal}, {back_goal} # the distance to the twin
    sub {back_goal}, zero, {other_goal} # and back
    nop
trauma_loop:
{body}trauma_advance:
{advance}    addi a0, a0, -1
trauma_close:
    bnez a0, trauma_loop
trauma_loop_end:
{twin}
@section twin.indirect
    j .Ltrauma_leave
    .p2align {loop_align}, 0x73         # the last bits of a branch's address are the same in loop and twin
    .skip 496, 0x73
.Ltrauma_find:
    auipc {goal}, 0                     # 16 bytes before trauma_twin
    jr {other_goal}
    nop
    nop
trauma_twin:                            # the same units again
{body}{advance}    addi a0, a0, -1
    bnez a0, trauma_loop
.Ltrauma_leave:

@section gap
    .skip {gap}, 0x73                   # never run: keeps the next indirect branch off another one's entry

@section loop.code
    j trauma_loop
.Ltrauma_leave:

@section code.area
    .p2align {power}, 0x73
trauma_code:                            # the pieces of the loop, by their addresses

@section code.place
    .org trauma_code + {offset}, 0x73

@section code.close
trauma_advance:
{advance}    addi a0, a0, -1
    j 2f
1:  j trauma_loop                       # a conditional branch reaches 4 KiB
2:
trauma_close:
    bnez a0, 1b
trauma_loop_end:
    j .Ltrauma_leave

@section code.close_twin
{advance}    addi a0, a0, -1
    j 2f
1:  j trauma_loop
2:  bnez a0, 1b
    j .Ltrauma_leave

@section code.branches
trauma_closes_unit:                     # the back edge is a branch of the last unit

@section start.copies
    auipc {copy}, 0                     # trauma_code lies at the next multiple of its alignment
    srli {copy}, {copy}, {code_power}
    slli {copy}, {copy}, {code_power}
    lui ra, {copy_start:high}
    addiw ra, ra, {copy_start:low}
    add {copy}, {copy}, ra              # where the code that has copies goes on
    li {copy_turn}, 0                   # the copy's number, and when it changes, in units of 2^-32

@section start.apart
    lui {other_goal}, {apart:high}      # the distance from code to its twin
    addiw {other_goal}, {other_goal}, {apart:low}
    sub {back_goal}, zero, {other_goal} # and back

@section advance.copies_all
    li {place}, 1
    slli {place}, {place}, 32
    add {copy_turn}, {copy_turn}, {place}
    li {place}, -1                      # the next copy in every pass

@section advance.copies_some
    srli ra, {copy_turn}, 32
    lui {place}, {copy_share:high}
    addiw {place}, {place}, {copy_share:low}
    slli {place}, {place}, 32
    srli {place}, {place}, 32
    add {copy_turn}, {copy_turn}, {place}
    srli {place}, {copy_turn}, 32
    sub {place}, ra, {place}            # -1 when the next copy's turn comes

@section advance.copies
    lui ra, {copy_step:high}
    addiw ra, ra, {copy_step:low}
    and ra, ra, {place}
    add {copy}, {copy}, ra
    srli {place}, {copy_turn}, 32
    sltiu {place}, {place}, {copies}
    addi {place}, {place}, -1           # -1 after the last copy
    lui ra, {copy_limit:high}
    addiw ra, ra, {copy_limit:low}
    and ra, ra, {place}
    sub {copy}, {copy}, ra
    li ra, {copies}
    slli ra, ra, 32
    and ra, ra, {place}
    sub {copy_turn}, {copy_turn}, ra

@section start.random
    lui {multiplier}, 987992            # 0xf1357aea2e62a9c5
    addiw {multiplier}, {multiplier}, -1302
    slli {multiplier}, {multiplier}, 11
    addi {multiplier}, {multiplier}, 371
    slli {multiplier}, {multiplier}, 11
    addi {multiplier}, {multiplier}, 170
    slli {multiplier}, {multiplier}, 10
    addi {multiplier}, {multiplier}, 453
    lui {random}, 648056                # 0x9e3779b97f4a7c15
    addiw {random}, {random}, -1607
    slli {random}, {random}, 11
    addi {random}, {random}, 1018
    slli {random}, {random}, 11
    addi {random}, {random}, 671
    slli {random}, {random}, 10
    addi {random}, {random}, 21
    xor {random}, {random}, a0          # the passes to make: the warm-up must not teach what follows it
    ori {random}, {random}, 1

@section start.vector.16
    vsetivli ra, 2, e64, m1, ta, ma     # vectors of 16 bytes
    addi ra, ra, -2
    beqz ra, .Ltrauma_vectors
    unimp                               # this processor's registers are shorter
.Ltrauma_vectors:

@section start.vector.32
    vsetivli ra, 4, e64, m1, ta, ma     # vectors of 32 bytes
    addi ra, ra, -4
    beqz ra, .Ltrauma_vectors
    unimp                               # this processor's registers are shorter
.Ltrauma_vectors:

@section start.vector.64
    vsetivli ra, 8, e64, m1, ta, ma     # vectors of 64 bytes
    addi ra, ra, -8
    beqz ra, .Ltrauma_vectors
    unimp                               # this processor's registers are shorter
.Ltrauma_vectors:

@section start.accumulator
    li {accumulator}, 0

@section start.given
    li {given}, 0

@section start.given_float
    fmv.d.x {given}, zero

@section start.texts
    lui ra, {text_memory:high}
    addiw ra, ra, {text_memory:low}
    add ra, ra, {data}

@section advance.texts
    lui ra, {text_memory:high}
    addiw ra, ra, {text_memory:low}
    add ra, ra, {data}

@section start.operand
    {operand=word}

@section start.division
    li {quotient}, -1                   # every dividend

@section start.flush

@section finish.flush

@section start.value
    li {value}, 0

@section start.pointer
    {pointer=link}
    add {pointer}, {pointer}, {data}    # each word holds the address that the next access is near

@section start.led
    mv {pointer}, zero                  # no load has led yet

@section start.pointer_indexed
    {pointer=link}                      # each word is the next one's offset from its base

@section start.idle
    li {idle}, 0

@section start.stored
    li {stored}, 0

@section start.anchor
    {anchor=anchor_offset}
    add {anchor}, {anchor}, {base}

@section start.rotating
    lui {place}, {state:high}
    add {place}, {place}, {data}
    ld {rotating}, {state:low}({place}) # this pass's base, as the call before left it
    add {rotating}, {rotating}, {data}

@section advance.always
    {place=step}
    add {rotating}, {rotating}, {place}

@section advance.sometimes
    sltiu {place}, {turn}, {until}      # in passes that read there, and not in others
    sltiu ra, {turn}, {from}
    sub {place}, ra, {place}
    lui ra, {step:high}
    addiw ra, ra, {step:low}
    and {place}, {place}, ra
    add {rotating}, {rotating}, {place}

@section advance.rotating
    {place=limit}
    add {place}, {place}, {data}
    sltu {place}, {rotating}, {place}
    addi {place}, {place}, -1
    lui ra, {back:high}
    addiw ra, ra, {back:low}
    and {place}, {place}, ra
    sub {rotating}, {rotating}, {place}

@section finish.rotating
    sub {rotating}, {rotating}, {data}
    lui {place}, {state:high}
    add {place}, {place}, {data}
    sd {rotating}, {state:low}({place})

@section start.turn
    lui {place}, {state:high}
    add {place}, {place}, {data}
    ld {turn}, {state:low}({place})     # passes since the period began

@section advance.turn
    addi {turn}, {turn}, 1
    sltiu {place}, {turn}, {period}
    neg {place}, {place}
    and {turn}, {turn}, {place}

@section finish.turn
    lui {place}, {state:high}
    add {place}, {place}, {data}
    sd {turn}, {state:low}({place})

@section place.first
    lui {place}, {disp:high}
    addiw {place}, {place}, {disp:low}
    add {place}, {place}, {base}

@section place.next
    lui {spare}, {disp:high}
    addiw {spare}, {spare}, {disp:low}
    add {spare}, {spare}, {base}
    sltiu ra, {turn}, {until}
    addi ra, ra, -1
    xor {spare}, {spare}, {place}
    and {spare}, {spare}, ra
    xor {place}, {place}, {spare}

@section start.shared
    lui {shared}, {at:high}             # where a region lies that all copies map
    addiw {shared}, {shared}, {at:low}
    add {shared}, {shared}, {data}

@section start.shared_apart
    lui {place}, {copy_number:high}
    add {place}, {place}, {data}
    ld {place}, {copy_number:low}({place})
    lui {spare}, {apart:high}
    addiw {spare}, {spare}, {apart:low}
    mul {spare}, {spare}, {place}
    add {shared}, {shared}, {spare}     # each copy's own part of it

@section start.turns
    lui {place}, {copy_number:high}
    add {place}, {place}, {data}
    ld {mine}, {copy_number:low}({place})
    lui {place}, {copies:high}
    add {place}, {place}, {data}
    ld {place}, {copies:low}({place})
    addi {next}, {mine}, 1
    sltu {place}, {next}, {place}
    neg {place}, {place}
    and {next}, {next}, {place}         # the first copy's turn is after the last one's

@section start.coherence
    lui {place}, {window:high}
    add {place}, {place}, {data}
    sd {shared}, {window:low}({place})
    lui {place}, {timed:high}
    add {place}, {place}, {data}
    sd zero, {timed:low}({place})
    jal ra, .Ltrauma_begin

@section advance.coherence
    addi ra, a0, -1                     # what stands after the loop ends the last pass
    beqz ra, 9f
    jal ra, .Ltrauma_end
    jal ra, .Ltrauma_begin
9:

@section advance.coherence_walk
    addi ra, a0, -1                     # what stands after the loop ends the last window
    beqz ra, 9f
    lui {place}, {window:high}
    add {place}, {place}, {data}
    ld ra, {window:low}({place})
    sub ra, {shared}, ra
    lui {place}, {ahead:high}
    addiw {place}, {place}, {ahead:low}
    beq ra, {place}, 8f                 # until the next window begins
    lui {place}, {at:high}
    addiw {place}, {place}, {at:low}
    add {place}, {place}, {data}
    bne {shared}, {place}, 9f           # or the walk anew
8:
    jal ra, .Ltrauma_end
    lui {place}, {window:high}
    add {place}, {place}, {data}
    sd {shared}, {window:low}({place})
    jal ra, .Ltrauma_begin
9:

@section finish.coherence
    jal ra, .Ltrauma_end

@section coherence.area
# See templates/x86_64/kernel.s. t0: the pass's copy, t1: copies, t2: this one, t3: until which, t4: turns before, t5: a turn.
.Ltrauma_begin:                         # the turns up to this copy's pass
    addi sp, sp, -64
    sd ra, 0(sp)
    sd t0, 8(sp)
    sd t1, 16(sp)
    sd t2, 24(sp)
    sd t3, 32(sp)
    sd t4, 40(sp)
    sd t5, 48(sp)
    sd t6, 56(sp)
    li t0, 0
    lui {place}, {copy_number:high}
    add {place}, {place}, a1
    ld t2, {copy_number:low}({place})
    addi t3, t2, 1
    jal ra, .Ltrauma_turns
    slli t5, t0, 2
    add t5, t5, t4
    addi t5, t5, -2
    jal ra, .Ltrauma_wait
    fence
    rdtime t6
    lui {place}, {began:high}
    add {place}, {place}, a1
    sd t6, {began:low}({place})
    j .Ltrauma_back

.Ltrauma_end:                           # the turns after this copy's pass
    addi sp, sp, -64
    sd ra, 0(sp)
    sd t0, 8(sp)
    sd t1, 16(sp)
    sd t2, 24(sp)
    sd t3, 32(sp)
    sd t4, 40(sp)
    sd t5, 48(sp)
    sd t6, 56(sp)
    fence
    rdtime t6
    lui {place}, {began:high}
    add {place}, {place}, a1
    ld t5, {began:low}({place})
    sub t6, t6, t5
    lui {place}, {timed:high}
    add {place}, {place}, a1
    ld t5, {timed:low}({place})
    add t6, t6, t5
    lui {place}, {timed:high}
    add {place}, {place}, a1
    sd t6, {timed:low}({place})
    lui {place}, {turns:high}
    add {place}, {place}, a1
    ld t4, {turns:low}({place})
    lui {place}, {copy_number:high}
    add {place}, {place}, a1
    ld t2, {copy_number:low}({place})
    addi t0, t2, 1
    slli t5, t0, 2
    add t5, t5, t4
    fence
    lui {place}, {turn:high}
    add {place}, {place}, a1
    sd t5, {turn:low}({place})
    lui {place}, {copies:high}
    add {place}, {place}, a1
    ld t3, {copies:low}({place})
    seqz t6, t3
    add t3, t3, t6
    jal ra, .Ltrauma_turns
    slli t5, t1, 2
    add t5, t5, t4
    lui {place}, {turns:high}
    add {place}, {place}, a1
    sd t5, {turns:low}({place})
.Ltrauma_back:
    ld ra, 0(sp)
    ld t0, 8(sp)
    ld t1, 16(sp)
    ld t2, 24(sp)
    ld t3, 32(sp)
    ld t4, 40(sp)
    ld t5, 48(sp)
    ld t6, 56(sp)
    addi sp, sp, 64
    ret

.Ltrauma_turns:                         # those of the passes from t0 up to t3 that are this copy's
    addi sp, sp, -16
    sd ra, 0(sp)
    lui {place}, {copies:high}
    add {place}, {place}, a1
    ld t1, {copies:low}({place})
    seqz t6, t1
    add t1, t1, t6
    lui {place}, {turns:high}
    add {place}, {place}, a1
    ld t4, {turns:low}({place})
.Ltrauma_next:
    bgeu t0, t3, .Ltrauma_done
    addi t6, t0, 1
    bltu t6, t1, 1f
    li t6, 0
1:
    bne t6, t2, .Ltrauma_other
    slli t5, t0, 2
    add t5, t5, t4
    jal ra, .Ltrauma_wait
{owner}.Ltrauma_other:
{sharer}    addi t0, t0, 1
    j .Ltrauma_next
.Ltrauma_done:
    ld ra, 0(sp)
    addi sp, sp, 16
    ret

.Ltrauma_wait:                          # until the turn is t5
    lui {place}, {turn:high}
    add {place}, {place}, a1
2:
    ld t6, {turn:low}({place})
    bne t6, t5, 2b
    fence
    ret

@section coherence.modified
    lui {place}, {window:high}
    add {place}, {place}, a1
    ld t6, {window:low}({place})
    lui {place}, {first:high}
    addiw {place}, {place}, {first:low}
    add {place}, {place}, t6
    lui {spare}, {lines:high}
    addiw {spare}, {spare}, {lines:low}
    lui {compared}, {line:high}
    addiw {compared}, {compared}, {line:low}
3:
    ld t6, 0({place})
    sd t6, 0({place})                   # written, whatever it is
    add {place}, {place}, {compared}
    addi {spare}, {spare}, -1
    bnez {spare}, 3b
    addi t5, t5, 2
    fence
    lui {place}, {turn:high}
    add {place}, {place}, a1
    sd t5, {turn:low}({place})
