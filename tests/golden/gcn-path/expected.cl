// golden/default
// Where the recipe places its blocks, TRAUMA_PLACEMENT must be defined: the compiled binary then has an instruction that
// `trauma patch --marker --field cu,sh,se` makes one that reads where the wave runs.
#if defined(__GFX10__) || defined(__GFX11__) // there a load that is not temporal may still hit L0
#define TRAUMA_PAST_L1(pointer) (*(volatile __typeof__(*(pointer)) *)(pointer))
#elif defined(__has_builtin)
#if __has_builtin(__builtin_nontemporal_load)
#define TRAUMA_PAST_L1(pointer) __builtin_nontemporal_load(pointer)
#endif
#endif
#ifndef TRAUMA_PAST_L1
#define TRAUMA_PAST_L1(pointer) (*(pointer))
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
    v0 = TRAUMA_PAST_L1((__global const uint *)(data + s0 + l0));
    sum0 ^= v0;
    // unit 1
    v4 = TRAUMA_PAST_L1((__global const uint *)(data + s0 + l0+4096));
    sum1 ^= v4;
    // unit 2
    v8 = TRAUMA_PAST_L1((__global const uint *)(data + s0 + l0+8192));
    sum2 ^= v8;
    // unit 3
    v12 = TRAUMA_PAST_L1((__global const uint *)(data + s0 + l0+12288));
    sum3 ^= v12;
    // unit 4
    v0 = TRAUMA_PAST_L1((__global const uint *)(data + s0 + l0+16384));
    sum0 ^= v0;
    // unit 5
    v4 = TRAUMA_PAST_L1((__global const uint *)(data + s0 + l0+20480));
    sum1 ^= v4;
    // unit 6
    v8 = TRAUMA_PAST_L1((__global const uint *)(data + s0 + l0+24576));
    sum2 ^= v8;
    // unit 7
    v12 = TRAUMA_PAST_L1((__global const uint *)(data + s0 + l0+28672));
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
