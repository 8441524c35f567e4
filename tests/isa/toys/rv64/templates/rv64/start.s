Runs the kernel once, and ends.

@section start
    .text
    .globl _start
_start:
    nop                                 # what follows the jump is at a multiple of 8
    jal s0, .Lgo
    .globl trauma_parameters
trauma_parameters:
    .quad 0, 0, 0, 0
.Lgo:
    ld t0, 0(s0)
    ld a1, 16(s0)
    ld a0, 24(s0)
    jalr t0
    li a0, 0
    li a7, 94                           # exit_group
    ecall
