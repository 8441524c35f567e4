Runs the kernel once, and ends.

@section start
    .text
    .globl _start
_start:
    adr x20, trauma_parameters
    ldr x9, [x20]
    ldr x1, [x20, #16]
    ldr x0, [x20, #24]
    blr x9
    mov x0, #0
    mov x8, #94                         // exit_group
    svc #0
    .p2align 3
    .globl trauma_parameters
trauma_parameters:
    .quad 0, 0, 0, 0
