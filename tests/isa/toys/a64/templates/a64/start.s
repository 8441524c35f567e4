Runs the kernel once, and ends.

@section start
    .text
    .globl _start
_start:
    adr x20, .Lwords
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
.Lwords:                                 // what is global is left to a linker
    .quad 0, 0, 0, 0
