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

__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
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
#ifndef TRAUMA_PLACEMENT
#error "this program is placed by its shader engine: compile it with -DTRAUMA_PLACEMENT for an AMD GPU, and patch it"
#else
    __asm volatile("s_movk_i32 %0, 0x7a5a" : "=s"(place)); // cu, then sh, then se, once it is patched
#endif
#ifdef TRAUMA_PLACEMENT
    if (!(0x2u >> (place >> 5 & 0x3u) & 1)) // se
        goto trauma_leave;
#endif
#ifdef TRAUMA_PLACEMENT
    if (!(0xfu >> (place >> 0 & 0xfu) & 1)) // cu
        goto trauma_leave;
#endif
    worked = 1;
    ulong s0 = (ulong)block * 4096 % 98304 + 0; // stream 0
    const ulong l0 = (ulong)thread * 4;
    for (int measured = 0; measured < 2; measured++) {
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
        for (ulong left = measured ? iterations : warmup; left != 0; left--) {
    // unit 0
    v0 = TRAUMA_PAST_L1(uint, data + s0 + l0); // unit 0, behaviour 1: L2, stream 0
    sum0 ^= v0;
    // unit 1
    v4 = TRAUMA_PAST_L1(uint, data + s0 + l0+4096); // unit 1, behaviour 1: L2, stream 0
    sum1 ^= v4;
    // unit 2
    v8 = TRAUMA_PAST_L1(uint, data + s0 + l0+8192); // unit 2, behaviour 1: L2, stream 0
    sum2 ^= v8;
    // unit 3
    v12 = TRAUMA_PAST_L1(uint, data + s0 + l0+12288); // unit 3, behaviour 1: L2, stream 0
    sum3 ^= v12;
    // unit 4
    v0 = TRAUMA_PAST_L1(uint, data + s0 + l0+16384); // unit 4, behaviour 1: L2, stream 0
    sum0 ^= v0;
    // unit 5
    v4 = TRAUMA_PAST_L1(uint, data + s0 + l0+20480); // unit 5, behaviour 1: L2, stream 0
    sum1 ^= v4;
    // unit 6
    v8 = TRAUMA_PAST_L1(uint, data + s0 + l0+24576); // unit 6, behaviour 1: L2, stream 0
    sum2 ^= v8;
    // unit 7
    v12 = TRAUMA_PAST_L1(uint, data + s0 + l0+28672); // unit 7, behaviour 1: L2, stream 0
    sum3 ^= v12;
            s0 += 32768;
            s0 -= s0 >= 98304 ? 98304 : 0;
        }
    }
    sum1 ^= (uint)s0;
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
