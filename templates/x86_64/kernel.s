The program of one point. A text in braces is filled in by the generator.

The loop stands between trauma_loop and trauma_loop_end, with code{} in the pieces of trauma_code that trauma_chunks lists; what belongs to no unit stands after trauma_advance, but for
the back edge after trauma_close, which is a branch of the last unit where units have branches. In the loop
%rdi counts the passes down, %rsi is the data's address, and nothing but the body touches memory.

@section kernel
    .text
    .globl trauma_kernel
    .type trauma_kernel, @function
    .p2align 7, 0xcc
trauma_kernel:                          # void trauma_kernel(uint64_t iterations, void *data)
    testq %rdi, %rdi
    jz .Ltrauma_return
    pushq %rbx
    pushq %rbp
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
{start}{loop}{finish}    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbp
    popq %rbx
.Ltrauma_return:
    retq
{area}    .size trauma_kernel, . - trauma_kernel

    .section .rodata
    .globl trauma_layout
    .type trauma_layout, @object
    .p2align 3
trauma_layout:                          # struct trauma_layout of trauma.h
    .quad {bytes}                       # bytes of data
    .quad {align}                       # its alignment
    .quad {relative}                    # 1: set-up adds the data's address to every value
    .quad {huge}                        # from this byte on better in huge pages
    .quad {warmup}                      # passes of warm-up
    .quad {holds}                      # passes over which the rates hold
    .quad {runs}                        # entries of trauma_runs
    .size trauma_layout, . - trauma_layout
    .globl trauma_runs
    .type trauma_runs, @object
trauma_runs:                            # offset in the data, step, count, value of each word
{table}    .size trauma_runs, . - trauma_runs
{chunks}{texts}    .section .note.GNU-stack, "", @progbits

@section texts
    .section .trauma.texts, "", @progbits # where the recipe's own instructions begin and end in the loop

@section loop
    jmp trauma_loop                     # over what fills the gap, which no two assemblers fill alike
    .p2align {loop_align}, 0xcc
trauma_loop:
{body}trauma_advance:
{advance}trauma_close:
    decq %rdi
    jnz trauma_loop
trauma_loop_end:
{twin}
@section twin
    jmp .Ltrauma_leave
    .p2align {loop_align}, 0xcc         # the last bits of a branch's address are the same in loop and twin
trauma_twin:                            # the same units again: where the branches of the loop above go when taken
{body}{advance}    decq %rdi
    jnz trauma_loop
.Ltrauma_leave:

@section gap
    .skip {gap}, 0xcc                   # never run: keeps the next indirect branch off another one's entry

@section loop.code
    jmp trauma_loop
.Ltrauma_leave:

@section code.area
    .p2align {power}, 0xcc
trauma_code:                            # the pieces of the loop, by their addresses

@section code.place
    .org trauma_code + {offset}, 0xcc

@section code.close
trauma_advance:
{advance}trauma_close:
    decq %rdi
    {far} jnz trauma_loop
trauma_loop_end:
    jmp .Ltrauma_leave

@section code.close_twin
{advance}    decq %rdi
    {far} jnz trauma_loop
    jmp .Ltrauma_leave

@section code.branches
trauma_closes_unit:                     # the back edge is a branch of the last unit

@section code.far
{disp32}
@section start.copies
    leaq trauma_copies(%rip), {copy}    # where the code that has copies goes on
    xorl {copy_turn:32}, {copy_turn:32} # when it changes, in units of 2^-32

@section advance.copies_all
    stc                                 # the next copy in every pass

@section advance.copies_some
    addl ${copy_share}, {copy_turn:32}  # a carry when the next copy's turn comes

@section advance.copies
    leaq {copy_step}({copy}), {place}
    cmovcq {place}, {copy}
    leaq trauma_copies+{copy_limit}(%rip), {place}
    cmpq {place}, {copy}
    leaq trauma_copies(%rip), {place}
    cmovaeq {place}, {copy}

@section start.random
    movabsq $0xf1357aea2e62a9c5, {multiplier}
    movabsq $0x9e3779b97f4a7c15, {random}
    xorq %rdi, {random}                 # the passes to make: the warm-up must not teach what follows it
    orq $1, {random}

@section start.accumulator
    xorl {accumulator:32}, {accumulator:32}

@section start.given
    xorl {given:32}, {given:32}

@section start.given_128
    pxor {given}, {given}

@section start.given_256
    vpxor {given}, {given}, {given}

@section start.given_512
    vpxord {given}, {given}, {given}

@section start.given_mask
    kxorw {given}, {given}, {given}

@section start.operand
    movabsq ${word}, {operand}

@section start.division
    movl $-1, {quotient:32}             # the first dividend of a chain that goes on over the loop's end
    xorl {remainder:32}, {remainder:32}

@section start.flush
    subq $8, %rsp                       # denormal numbers count as zero, or bits of the recipe's data would cost
    stmxcsr (%rsp)                      # a hundred cycles and more
    movl (%rsp), %eax
    orl $0x8040, %eax
    movl %eax, 4(%rsp)
    ldmxcsr 4(%rsp)

@section finish.flush
    ldmxcsr (%rsp)
    addq $8, %rsp

@section finish.vector.32
    vzeroupper

@section finish.vector.64
    vzeroupper

@section start.value
    xorl {value:32}, {value:32}

@section start.pointer
    movq {data}, {pointer}              # every word holds this address

@section start.pointer_indexed
    xorl {pointer:32}, {pointer:32}     # every word is 0

@section start.idle
    xorl {idle:32}, {idle:32}

@section start.stored
    xorl {stored:32}, {stored:32}

@section start.rotating
    movq {state}({data}), {rotating}    # this pass's base, as the call before left it
    addq {data}, {rotating}

@section advance.always
    addq ${step}, {rotating}

@section advance.sometimes
    leaq {step}({rotating}), {place}    # in passes that read there, and not in others
    cmpq ${until}, {turn}
    cmovaeq {rotating}, {place}
    cmpq ${from}, {turn}
    cmovbq {rotating}, {place}
    movq {place}, {rotating}

@section advance.rotating
    leaq {limit}({data}), {place}
    cmpq {place}, {rotating}
    leaq -{back}({rotating}), {place}
    cmovaeq {place}, {rotating}

@section finish.rotating
    subq {data}, {rotating}
    movq {rotating}, {state}({data})

@section start.turn
    movq {state}({data}), {turn}        # passes since the period began

@section advance.turn
    incq {turn}
    movl $0, {place:32}
    cmpq ${period}, {turn}
    cmovaeq {place}, {turn}

@section finish.turn
    movq {turn}, {state}({data})

@section place.first
    leaq {disp}({base}), {place}

@section place.next
    leaq {disp}({base}), {spare}
    cmpq ${until}, {turn}
    cmovaeq {spare}, {place}
