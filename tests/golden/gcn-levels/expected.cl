// golden/default
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
#if defined(__has_builtin)
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

__kernel __attribute__((reqd_work_group_size(128, 1, 1)))
void trauma_kernel(ulong iterations, ulong warmup, __global uchar *data, __global ulong *record)
{
    const uint block = (uint)get_group_id(0);
    const uint thread = (uint)get_local_id(0);
    const ulong zero = iterations >> 63; // which the compiler cannot know
    uint place = 0;
    uint worked = 0;
    uint sum0 = 0, sum1 = 0, sum2 = 0, sum3 = 0;
    uint v0 = 0, v4 = 0, v8 = 0, v12 = 0;
    uint2 w0, w4, w8, w12;
    uint4 x4v0, x4v4, x4v8, x4v12;
    __local ulong trauma_shared[(16384 + 7) / 8];
    __local uchar *const local_data = (__local uchar *)trauma_shared;
    worked = 1;
    for (ulong at = 8 * thread; at < 16384; at += 1024) // stream 0: its region comes from the data
        *(__local ulong *)(local_data + 0 + at) = *(__global const ulong *)(data + 0 + at);
    barrier(CLK_LOCAL_MEM_FENCE);
    ulong s0 = 0;
    const ulong l0 = (ulong)thread * 4;
    ulong p0 = l0;
    ulong s1 = (ulong)block * 0 % 4096 + 16384; // stream 1
    const ulong l1 = (ulong)thread * 4;
    ulong s2 = (ulong)block * 2048 % 131072 + 20480; // stream 2
    const ulong l2 = (ulong)thread * 4;
    ulong s3 = (ulong)block * 459776 % 33554432 + 151552; // stream 3
    const ulong l3 = (ulong)thread * 4;
    ulong s4 = (ulong)block * 2048 % 131072 + 33705984; // stream 4
    const ulong l4 = (ulong)thread * 8;
    ulong p4 = (ulong)(data + s4 + l4);
    ulong s5 = (ulong)block * 8192 % 163840 + 33837056; // stream 5
    const ulong l5 = (ulong)thread * 8;
    const uint stored = 0x00000000;
    uint a0 = thread * 40503u + 3 | 1, b0 = thread * 30011u + 3 | 1;
    uint a1 = thread * 40503u + 5 | 1, b1 = thread * 30011u + 5 | 1;
    uint a2 = thread * 40503u + 7 | 1, b2 = thread * 30011u + 7 | 1;
    uint a3 = thread * 40503u + 9 | 1, b3 = thread * 30011u + 9 | 1;
    uint a4 = thread * 40503u + 11 | 1, b4 = thread * 30011u + 11 | 1;
    uint a5 = thread * 40503u + 13 | 1, b5 = thread * 30011u + 13 | 1;
    uint a6 = thread * 40503u + 15 | 1, b6 = thread * 30011u + 15 | 1;
    uint a7 = thread * 40503u + 17 | 1, b7 = thread * 30011u + 17 | 1;
    uint a8 = thread * 40503u + 19 | 1, b8 = thread * 30011u + 19 | 1;
    float x0 = (float)(thread + 3);
    float x1 = (float)(thread + 5);
    float x2 = (float)(thread + 7);
    float x3 = (float)(thread + 9);
    float x4 = (float)(thread + 11);
    float x5 = (float)(thread + 13);
    float x6 = (float)(thread + 15);
    float x7 = (float)(thread + 17);
    float x8 = (float)(thread + 19);
    const float y0 = 0.5f - (float)zero, y1 = 1.0f + (float)zero;
    for (int measured = 0; measured < 2; measured++) {
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
        for (ulong left = measured ? iterations : warmup; left != 0; left--) {
    // unit 0
    v0 = *(__local const uint *)(local_data + s0 + l0); // unit 0, behaviour 1: SHARED, stream 0
    sum0 ^= v0;
    p4 = TRAUMA_PAST_L1(ulong, p4);     // unit 0, behaviour 2: L2, stream 4
    *(__global uint2 *)(data + s5 + l5) = (uint2)(stored); // unit 0, behaviour 3: L2, stream 5
    a0 += (uint)p4;
    x1 = fma(x1, y0, y1);
    // unit 1
    v4 = *(__global const uint *)(data + s1 + l1); // unit 1, behaviour 1: L1, stream 1
    sum1 ^= v4;
    p4 = TRAUMA_PAST_L1(ulong, p4);     // unit 1, behaviour 2: L2, stream 4
    *(__global uint2 *)(data + s5 + l5+1024) = (uint2)(stored); // unit 1, behaviour 3: L2, stream 5
    a2 += (uint)p4;
    x3 = fma(x3, y0, y1);
    // unit 2
    v8 = TRAUMA_PAST_L1(uint, data + s2 + l2); // unit 2, behaviour 1: L2, stream 2
    sum2 ^= v8;
    p4 = TRAUMA_PAST_L1(ulong, p4);     // unit 2, behaviour 2: L2, stream 4
    *(__global uint2 *)(data + s5 + l5+2048) = (uint2)(stored); // unit 2, behaviour 3: L2, stream 5
    a4 += (uint)p4;
    x5 = fma(x5, y0, y1);
    // unit 3
    v12 = TRAUMA_PAST_L1(uint, data + s3 + l3); // unit 3, behaviour 1: MEM, stream 3
    sum3 ^= v12;
    p4 = TRAUMA_PAST_L1(ulong, p4);     // unit 3, behaviour 2: L2, stream 4
    *(__global uint2 *)(data + s5 + l5+3072) = (uint2)(stored); // unit 3, behaviour 3: L2, stream 5
    a6 += (uint)p4;
    x7 = fma(x7, y0, y1);
    // unit 4
    v0 = *(__local const uint *)(local_data + s0 + l0+512); // unit 4, behaviour 1: SHARED, stream 0
    sum0 ^= v0;
    p4 = TRAUMA_PAST_L1(ulong, p4);     // unit 4, behaviour 2: L2, stream 4
    *(__global uint2 *)(data + s5 + l5+4096) = (uint2)(stored); // unit 4, behaviour 3: L2, stream 5
    b0 += (uint)p4;
    x1 = fma(x1, y0, y1);
    // unit 5
    v4 = *(__global const uint *)(data + s1 + l1+512); // unit 5, behaviour 1: L1, stream 1
    sum1 ^= v4;
    p4 = TRAUMA_PAST_L1(ulong, p4);     // unit 5, behaviour 2: L2, stream 4
    *(__global uint2 *)(data + s5 + l5+5120) = (uint2)(stored); // unit 5, behaviour 3: L2, stream 5
    b2 += (uint)p4;
    x3 = fma(x3, y0, y1);
    // unit 6
    v8 = TRAUMA_PAST_L1(uint, data + s2 + l2+512); // unit 6, behaviour 1: L2, stream 2
    sum2 ^= v8;
    p4 = TRAUMA_PAST_L1(ulong, p4);     // unit 6, behaviour 2: L2, stream 4
    *(__global uint2 *)(data + s5 + l5+6144) = (uint2)(stored); // unit 6, behaviour 3: L2, stream 5
    b4 += (uint)p4;
    x5 = fma(x5, y0, y1);
    // unit 7
    v12 = TRAUMA_PAST_L1(uint, data + s3 + l3+512); // unit 7, behaviour 1: MEM, stream 3
    sum3 ^= v12;
    p4 = TRAUMA_PAST_L1(ulong, p4);     // unit 7, behaviour 2: L2, stream 4
    *(__global uint2 *)(data + s5 + l5+7168) = (uint2)(stored); // unit 7, behaviour 3: L2, stream 5
    b6 += (uint)p4;
    x7 = fma(x7, y0, y1);
            s0 += 1024;
            s0 -= s0 >= 16384 ? 16384 : 0;
            s1 += 1024;
            s1 -= s1 >= 20480 ? 4096 : 0;
            s2 += 1024;
            s2 -= s2 >= 151552 ? 131072 : 0;
            s3 += 1024;
            s3 -= s3 >= 33705984 ? 33554432 : 0;
            s5 += 8192;
            s5 -= s5 >= 34000896 ? 163840 : 0;
        }
    }
    sum1 ^= (uint)s0;
    sum1 ^= (uint)s1;
    sum1 ^= (uint)s2;
    sum1 ^= (uint)s3;
    sum1 ^= (uint)p4; // without a use of where it leads to, a compiler removes the chase
    sum1 ^= (uint)s4;
    sum1 ^= (uint)s5;
    sum0 ^= a0 ^ b0;
    sum0 ^= a1 ^ b1;
    sum0 ^= a2 ^ b2;
    sum0 ^= a3 ^ b3;
    sum0 ^= a4 ^ b4;
    sum0 ^= a5 ^ b5;
    sum0 ^= a6 ^ b6;
    sum0 ^= a7 ^ b7;
    sum0 ^= a8 ^ b8;
    sum0 ^= as_uint(x0);
    sum0 ^= as_uint(x1);
    sum0 ^= as_uint(x2);
    sum0 ^= as_uint(x3);
    sum0 ^= as_uint(x4);
    sum0 ^= as_uint(x5);
    sum0 ^= as_uint(x6);
    sum0 ^= as_uint(x7);
    sum0 ^= as_uint(x8);
trauma_leave:
    if (thread == 0) {
        __global ulong *entry = record + 8 * (ulong)block;
        entry[0] = 0; // OpenCL C has no clock
        entry[1] = 0;
        entry[2] = 0;
        entry[3] = 0;
        entry[4] = (ulong)worked << 32 | place;
        entry[5] = sum0 ^ sum1 ^ sum2 ^ sum3;
        entry[6] = 0;
        entry[7] = 0;
    }
}
