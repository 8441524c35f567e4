The program of one point. A text in braces is filled in by the generator.

The loop stands between trauma_loop and trauma_loop_end, with code{} in the pieces of trauma_code that trauma_chunks lists; what belongs to no unit stands after trauma_advance, but for
the back edge after trauma_close, which is a branch of the last unit where units have branches. In the loop
%rdi counts the passes down, %rsi is the data's address, and nothing but the body touches memory.

@section kernel
    .text
    .globl {symbols}_kernel
    .type {symbols}_kernel, @function
    .type trauma_kernel, @function
    .p2align 7, 0xcc
{symbols}_kernel:
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

@section start.target
    leaq {target}(%rip), {value}        # where a branch through memory leads
    movq {value}, {disp}({base})

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

@section start.copies_kept
    leaq trauma_copies(%rip), {place}   # the same in vector registers
    movq {place}, {kept_copy}
    xorl {place:32}, {place:32}
    movq {place}, {kept_turn}

@section advance.copies_kept_all
    movq %rdi, {kept_passes}
    movq {kept_copy}, %rdi
    stc

@section advance.copies_kept_some
    movq %rdi, {kept_passes}
    movq {kept_copy}, %rdi
    movq {kept_turn}, {place}
    addl ${copy_share}, {place:32}
    movq {place}, {kept_turn}

@section advance.copies_kept
    leaq {copy_step}(%rdi), {place}
    cmovcq {place}, %rdi
    leaq trauma_copies+{copy_limit}(%rip), {place}
    cmpq {place}, %rdi
    leaq trauma_copies(%rip), {place}
    cmovaeq {place}, %rdi
    movq %rdi, {kept_copy}
    movq {kept_passes}, %rdi

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

@section start.led
    xorl {pointer:32}, {pointer:32}     # no load has led yet

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

@section start.shared
    leaq {at}({data}), {shared}         # where a region lies that all copies map

@section start.shared_apart
    movq {copy_number}({data}), {place}
    imulq ${apart}, {place}, {place}
    addq {place}, {shared}              # each copy's own part of it

@section start.turns
    movq {copy_number}({data}), {mine}
    leaq 1({mine}), {next}
    xorl {place:32}, {place:32}
    cmpq {copies}({data}), {next}
    cmovaeq {place}, {next}             # the first copy's turn is after the last one's

@section start.coherence
    movq {shared}, {window}({data})
    movq $0, {timed}({data})
    callq .Ltrauma_begin

@section advance.coherence
    cmpq $1, %rdi                       # what stands after the loop ends the last pass
    je 9f
    callq .Ltrauma_end
    callq .Ltrauma_begin
9:

@section advance.coherence_walk
    cmpq $1, %rdi                       # what stands after the loop ends the last window
    je 9f
    movq {shared}, {place}
    subq {window}({data}), {place}
    cmpq ${ahead}, {place}              # until the next window begins
    je 8f
    leaq {at}({data}), {place}
    cmpq {place}, {shared}              # or the walk anew
    jne 9f
8:
    callq .Ltrauma_end
    movq {shared}, {window}({data})
    callq .Ltrauma_begin
9:

@section finish.coherence
    callq .Ltrauma_end

@section coherence.area
# Each copy in turn makes a pass, and the copy after it prepares the lines before. A word that all share says whose turn it
# is: 4 * (passes so far) for the copy that prepares, 1 more for the one that shares the lines, 2 more for the one that
# makes the pass, which alone is timed. All make equally many passes.
    .p2align 4, 0xcc
.Ltrauma_begin:                         # the turns up to this copy's pass
    pushq %rax
    pushq %rcx
    pushq %rdx
    pushq %r8
    pushq %r9
    pushq %r10
    pushq %r11
    xorl %ecx, %ecx
    movq {copy_number}(%rsi), %r10
    leaq 1(%r10), %r11
    callq .Ltrauma_turns
    leaq -2(%r9,%rcx,4), %rdx
    callq .Ltrauma_wait
    lfence
    rdtsc
    lfence
    shlq $32, %rdx
    orq %rdx, %rax
    movq %rax, {began}(%rsi)
    jmp .Ltrauma_back

.Ltrauma_end:                           # the turns after this copy's pass
    pushq %rax
    pushq %rcx
    pushq %rdx
    pushq %r8
    pushq %r9
    pushq %r10
    pushq %r11
    lfence
    rdtsc
    shlq $32, %rdx
    orq %rdx, %rax
    subq {began}(%rsi), %rax
    addq %rax, {timed}(%rsi)
    movq {turns}(%rsi), %r9
    movq {copy_number}(%rsi), %r10
    leaq 1(%r10), %rcx
    leaq (%r9,%rcx,4), %rdx
    movq %rdx, {turn}(%rsi)
    movq {copies}(%rsi), %r11
    cmpq $1, %r11
    adcq $0, %r11
    callq .Ltrauma_turns
    leaq (%r9,%r8,4), %rdx
    movq %rdx, {turns}(%rsi)
.Ltrauma_back:
    popq %r11
    popq %r10
    popq %r9
    popq %r8
    popq %rdx
    popq %rcx
    popq %rax
    retq

.Ltrauma_turns:                         # those of the passes from rcx up to r11 that are this copy's, r10
    movq {copies}(%rsi), %r8
    cmpq $1, %r8
    adcq $0, %r8
    movq {turns}(%rsi), %r9
.Ltrauma_next:
    cmpq %r11, %rcx
    jae .Ltrauma_done
    leaq 1(%rcx), %rax
    cmpq %r8, %rax
    jb .Ltrauma_owner
    xorl %eax, %eax
.Ltrauma_owner:
    cmpq %r10, %rax
    jne .Ltrauma_other
    leaq (%r9,%rcx,4), %rdx
    callq .Ltrauma_wait
{owner}.Ltrauma_other:
{sharer}    incq %rcx
    jmp .Ltrauma_next
.Ltrauma_done:
    retq

.Ltrauma_wait:                          # until the turn is rdx
    cmpq {turn}(%rsi), %rdx
    je .Ltrauma_done
    pause
    jmp .Ltrauma_wait

@section coherence.modified
    pushq %rdx
    movq {window}(%rsi), %rax
    addq ${first}, %rax
    movl ${lines}, %edx
1:
    orq $0, (%rax)                      # written, whatever it is
    addq ${line}, %rax
    decq %rdx
    jnz 1b
    popq %rdx
    addq $2, %rdx
    mfence
    movq %rdx, {turn}(%rsi)

@section coherence.exclusive
    pushq %rdx
    movq {window}(%rsi), %rax
    addq ${first}, %rax
    movl ${lines}, %edx
1:
    clflush (%rax)                      # in no cache
    addq ${line}, %rax
    decq %rdx
    jnz 1b
    mfence
    movq {window}(%rsi), %rax
    addq ${first}, %rax
    movl ${lines}, %edx
2:
    cmpb $0, (%rax)
    addq ${line}, %rax
    decq %rdx
    jnz 2b
    popq %rdx
    addq $2, %rdx
    mfence
    movq %rdx, {turn}(%rsi)

@section coherence.shared
    pushq %rdx
    movq {window}(%rsi), %rax
    addq ${first}, %rax
    movl ${lines}, %edx
1:
    clflush (%rax)                      # in no cache
    addq ${line}, %rax
    decq %rdx
    jnz 1b
    mfence
    movq {window}(%rsi), %rax
    addq ${first}, %rax
    movl ${lines}, %edx
2:
    cmpb $0, (%rax)
    addq ${line}, %rax
    decq %rdx
    jnz 2b
    popq %rdx
    incq %rdx
    mfence
    movq %rdx, {turn}(%rsi)

@section coherence.sharer
    leaq 1(%rcx), %rdx
    cmpq %r8, %rdx
    jb 4f
    xorl %edx, %edx
4:
    incq %rdx                           # the copy after the one that prepared them; of two copies the one whose pass it is
    cmpq %r8, %rdx
    jb 5f
    xorl %edx, %edx
5:
    cmpq %r10, %rdx
    jne .Ltrauma_beside
    leaq 1(%r9,%rcx,4), %rdx
    callq .Ltrauma_wait
    pushq %rdx
    movq {window}(%rsi), %rax
    addq ${first}, %rax
    movl ${lines}, %edx
3:
    cmpb $0, (%rax)
    addq ${line}, %rax
    decq %rdx
    jnz 3b
    popq %rdx
    incq %rdx
    mfence
    movq %rdx, {turn}(%rsi)
.Ltrauma_beside:
