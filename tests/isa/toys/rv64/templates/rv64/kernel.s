The program of one point, without what only other behaviours need.

@section kernel
    .text
    .globl trauma_kernel
    .type trauma_kernel, @function
    .p2align 7, 1
trauma_kernel:                          # void trauma_kernel(uint64_t iterations, void *data)
    beqz a0, .Ltrauma_return
{start}{loop}{finish}.Ltrauma_return:
    ret
{area}    .size trauma_kernel, . - trauma_kernel

    .section .rodata
    .globl trauma_layout
    .type trauma_layout, @object
    .p2align 3
trauma_layout:                          # struct trauma_layout of trauma.h
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
    j trauma_loop
    .p2align {loop_align}, 1
trauma_loop:
{body}trauma_advance:
{advance}    addi a0, a0, -1                     # a branch of the last unit is one instruction, as in its row
trauma_close:
    bnez a0, trauma_loop
trauma_loop_end:
{twin}
@section twin
    j .Ltrauma_leave
    .p2align {loop_align}, 1
trauma_twin:
{body}{advance}    addi a0, a0, -1
    bnez a0, trauma_loop
.Ltrauma_leave:

@section start.random
    li {multiplier}, 1553               # 1 modulo 8 and odd
    ori {random}, a0, 1

@section start.accumulator
    li {accumulator}, 0

@section start.value
    li {value}, 0

@section start.anchor
    li {anchor}, {anchor_offset}
    add {anchor}, {anchor}, {base}
