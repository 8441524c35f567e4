The same program as OpenCL C, for runtimes that compile it: Catalyst's, ROCm's, or that of a CPU, which runs it without
placement. A text in braces is filled in by the generator; {open} and {close} are braces.

@section kernel
// Where the recipe places its blocks, TRAUMA_PLACEMENT must be defined: the compiled binary then has an instruction that
// `trauma patch --marker --field cu,sh,se` makes one that reads where the wave runs.
// Loads past L1: a relaxed atomic load has the bits of program.s and waits for nothing. A compiler without it, and 16 bytes,
// take a load that is not temporal (GFX6 to GFX90a; it marks its line for early eviction from L2) or a volatile one, which waits.
// What AMD's compilers make of it is proven on the binary: plain loads do not run.
#if defined(__GFX10__)
#define TRAUMA_STREAM_BITS " glc dlc slc"
#elif defined(__GFX11__)
#define TRAUMA_STREAM_BITS " glc slc"
#elif defined(__gfx940__) || defined(__gfx941__) || defined(__gfx942__) || defined(__gfx950__)
#define TRAUMA_STREAM_BITS " sc0 sc1 nt"
#endif
#if defined(TRAUMA_STREAM_BITS) // here L1 may serve a load that is not temporal
#define TRAUMA_WORDS_uint "dword"
#define TRAUMA_WORDS_uint2 "dwordx2"
#define TRAUMA_WORDS_ulong "dwordx2"
#define TRAUMA_WORDS_uint4 "dwordx4"
#define TRAUMA_STREAM(to, type, pointer) \
    __asm volatile("global_load_" TRAUMA_WORDS_##type " %0, %1, off" TRAUMA_STREAM_BITS "\n\ts_waitcnt vmcnt(0)" \
                   : "=&v"(to) : "v"((ulong)(pointer)) : "memory")
#endif
{tables}#if defined(__has_builtin)
#if __has_builtin(__atomic_load_n)
#define TRAUMA_PAST_L1(type, pointer) __atomic_load_n((__global type *)(pointer), __ATOMIC_RELAXED)
#endif
#if __has_builtin(__builtin_nontemporal_load) && !defined(TRAUMA_STREAM_BITS) && !defined(__GFX12__)
#define TRAUMA_PAST_L1_WIDE(type, pointer) __builtin_nontemporal_load((__global const type *)(pointer))
#define TRAUMA_STREAM(to, type, pointer) to = __builtin_nontemporal_load((__global const type *)(pointer))
#endif
#if __has_builtin(__builtin_nontemporal_store) && (!defined(TRAUMA_STREAM_BITS) || defined(__GFX10__) || defined(__GFX11__))
#define TRAUMA_STREAM_STORE(type, pointer) __builtin_nontemporal_store((type)(stored), (__global type *)(pointer))
#endif
#endif
#define TRAUMA_VOLATILE(type, pointer) (*(volatile __global const type *)(pointer))
#if !defined(TRAUMA_PAST_L1) && __OPENCL_C_VERSION__ == 200 && defined(cl_khr_int64_base_atomics)
#define TRAUMA_PAST_L1(type, pointer) \
    atomic_load_explicit((volatile __global atomic_##type *)(pointer), memory_order_relaxed, memory_scope_device)
#elif !defined(TRAUMA_PAST_L1)
#define TRAUMA_PAST_L1(type, pointer) TRAUMA_VOLATILE(type, pointer)
#endif
#ifndef TRAUMA_PAST_L1_WIDE
#define TRAUMA_PAST_L1_WIDE(type, pointer) TRAUMA_VOLATILE(type, pointer)
#endif
#define TRAUMA_NO_STREAM _Static_assert(0, "this compiler marks no such access for early eviction: only program.co does")
#ifndef TRAUMA_STREAM
#define TRAUMA_STREAM(to, type, pointer) TRAUMA_NO_STREAM
#endif
#ifndef TRAUMA_STREAM_STORE
#define TRAUMA_STREAM_STORE(type, pointer) TRAUMA_NO_STREAM
#endif
// Operations on halves and dot products are in program.s and program.co alone: OpenCL C has none.
#define TRAUMA_ONLY_BINARY _Static_assert(0, "OpenCL C has no such operation: only program.s and program.co do")

__kernel __attribute__((reqd_work_group_size({threads}, 1, 1)))
void trauma_kernel(ulong iterations, ulong warmup, __global uchar *data, __global ulong *record)
{open}
    const uint block = (uint)get_group_id(0);
    const uint thread = (uint)get_local_id(0);
    const ulong zero = iterations >> 63; // which the compiler cannot know
    uint place = 0;
    uint worked = 0;
    uint sum0 = 0, sum1 = 0, sum2 = 0, sum3 = 0;
    uint v0 = 0, v4 = 0, v8 = 0, v12 = 0;
    uint2 w0, w4, w8, w12;
    uint4 x4v0, x4v4, x4v8, x4v12;
{shared}{placement}    worked = 1;
{start}    for (int measured = 0; measured < 2; measured++) {open}
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
        for (ulong left = measured ? iterations : warmup; left != 0; left--) {open}
{body}{advance}        {close}
    {close}
{finish}trauma_leave:
    if (thread == 0) {open}
        __global ulong *entry = record + 8 * (ulong)block;
        entry[0] = 0; // OpenCL C has no clock
        entry[1] = 0;
        entry[2] = 0;
        entry[3] = 0;
        entry[4] = (ulong)worked << 32 | place;
        entry[5] = sum0 ^ sum1 ^ sum2 ^ sum3;
        entry[6] = 0;
        entry[7] = 0;
    {close}
{close}

@section words.gfx12
#define TRAUMA_WORDS_uint "b32"
#define TRAUMA_WORDS_uint2 "b64"
#define TRAUMA_WORDS_ulong "b64"
#define TRAUMA_WORDS_uint4 "b128"
#define TRAUMA_STREAM(to, type, pointer) \
    __asm volatile("global_load_" TRAUMA_WORDS_##type " %0, %1, off th:TH_LOAD_NT scope:SCOPE_DEV\n\ts_wait_loadcnt 0x0" \
                   : "=&v"(to) : "v"((ulong)(pointer)) : "memory")

@section placement.marker
#ifndef TRAUMA_PLACEMENT
#error "this program is placed by its shader engine: compile it with -DTRAUMA_PLACEMENT for an AMD GPU, and patch it"
#else
    __asm volatile("s_movk_i32 %0, 0x7a5a" : "=s"(place)); // cu, then sh, then se, once it is patched
#endif

@section placement.apart
#ifdef TRAUMA_PLACEMENT
    {open}
        uint apart; // {field}
        __asm volatile("s_getreg_b32 %0, hwreg({register_id}, {low}, {size})" : "=s"(apart));
        if (!({mask}u >> apart & 1))
            goto trauma_leave;
    {close}
#endif

@section placement
#ifdef TRAUMA_PLACEMENT
    if (!({mask}u >> (place >> {shift} & {field_mask}u) & 1)) // {field}
        goto trauma_leave;
#endif

@section shared.declare
    __local ulong trauma_shared[({bytes} + 7) / 8];
    __local uchar *const local_data = (__local uchar *)trauma_shared;

@section shared.copy
    for (ulong at = 8 * thread; at < {region}; at += {copied}) // stream {index}: its region comes from the data
        *(__local ulong *)(local_data + {offset} + at) = *(__global const ulong *)(data + {data_offset} + at);
    barrier(CLK_LOCAL_MEM_FENCE);
    ulong {stream} = {offset};
    const ulong {lanes} = (ulong)thread * {lane};
    ulong {pointer} = {lanes};

@section stream
    ulong {stream} = (ulong)block * {block} % {bytes} + {data_offset}; // stream {index}
    const ulong {lanes} = (ulong)thread * {lane};

@section stream.chase
    ulong {pointer} = (ulong)(data + {stream} + {lanes});

@section stream.chase.finish
    sum1 ^= (uint){pointer}; // without a use of where it leads to, a compiler removes the chase

@section stream.finish
    sum1 ^= (uint){stream};

@section renew
            {stream} += zero;

@section advance
            {stream} += {advance};
            {stream} -= {stream} >= {data_end} ? {bytes} : 0;

@section word.start
    uint {accumulator} = thread * 40503u + {seed} | 1, {other} = thread * 30011u + {seed} | 1;

@section long.start
    ulong {accumulator} = thread * 40503u + {seed} | 1, {other} = thread * 30011u + {seed} | 1;

@section long.finish
    sum0 ^= (uint){accumulator} ^ (uint){other};

@section float.start
    float {float} = (float)(thread + {seed});

@section double.start
    double {double} = (double)(thread + {seed});

@section word.finish
    sum0 ^= {accumulator} ^ {other};

@section float.finish
    sum0 ^= as_uint({float});

@section double.finish
    sum0 ^= (uint)as_ulong({double});

@section operations.constants
    const float y0 = 0.5f - (float)zero, y1 = 1.0f + (float)zero;

@section stored
    const uint stored = {word};

@section branch.start
    const uint odd = thread & 1;             // threads that diverging branches take
    const uint all = thread >= (uint)zero;   // and all that others take

@section branch
            if ({taken}) {open}
                {other} *= {accumulator};
                {accumulator} *= {other};
                {other} *= {accumulator};
                {accumulator} *= {other};
                {other} *= {accumulator};
                {accumulator} *= {other};
                {other} *= {accumulator};
                {accumulator} *= {other};
            {close} else {open}
                {accumulator} *= {other};
                {other} *= {accumulator};
                {accumulator} *= {other};
                {other} *= {accumulator};
                {accumulator} *= {other};
                {other} *= {accumulator};
                {accumulator} *= {other};
                {other} *= {accumulator};
            {close}
