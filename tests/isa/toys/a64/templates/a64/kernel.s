The program of one point, without what only other behaviours need.

@section kernel
    .text
    .globl trauma_kernel
    .type trauma_kernel, @function
    .p2align 7, 1
trauma_kernel:                          // void trauma_kernel(uint64_t iterations, void *data)
    cbz x0, .Ltrauma_return
{start}{loop}{finish}.Ltrauma_return:
    ret
{area}    .size trauma_kernel, . - trauma_kernel

    .section .rodata
    .globl trauma_layout
    .type trauma_layout, @object
    .p2align 3
trauma_layout:                          // struct trauma_layout of trauma.h
    .quad {bytes}
    .quad {align}
    .quad {relative}
    .quad {huge}
    .quad {warmup}
    .quad {holds}
    .quad {runs}
    .size trauma_layout, . - trauma_layout
    .globl trauma_runs
    .type trauma_runs, @object
trauma_runs:
{table}    .size trauma_runs, . - trauma_runs
{chunks}{texts}    .section .note.GNU-stack, "", @progbits

@section loop
    b trauma_loop
    .p2align {loop_align}, 1
trauma_loop:
{body}trauma_advance:
{advance}trauma_close:
    subs x0, x0, #1
    b.ne trauma_loop
trauma_loop_end:
{twin}
@section twin
    b .Ltrauma_leave
    .p2align {loop_align}, 1
trauma_twin:
{body}{advance}    subs x0, x0, #1
    b.ne trauma_loop
.Ltrauma_leave:

@section start.random
    movz {multiplier}, #0x9c29
    movk {multiplier}, #0xf135, lsl #48
    orr {random}, x0, #1

@section start.accumulator
    mov {accumulator}, #0

@section start.value
    mov {value}, #0

@section start.anchor
    mov {anchor}, #{anchor_offset}
    add {anchor}, {anchor}, {base}
