/* Reads its data over and over on the compute units of one shader engine. Arguments and record are those of
 * every GCN program. With CACHED the loads may be served by L1; else they go past it. To compile it anew:
 *     clang-19 -x cl -cl-std=CL1.2 -target amdgcn-amd-amdhsa -mcpu=gfx701 -nogpulib -O2 -o read.co read.cl
 *     llvm-strip-19 read.co; xxd -p read.co > read.gfx701.hex
 * and with -DCACHED for cached.*.hex. gfx908 and later have three bits of SE: -DBITS=8. From GFX10 on HW_ID1
 * tells the place, and BITS are those of the shader engine. */
#if defined(__GFX10__)
#define BITS 2
#elif defined(__GFX11__)
#define BITS 3
#elif !defined(BITS)
#define BITS 7
#endif
#if defined(__GFX10__) || defined(__GFX11__)
#define WHOLE (23 | 31 << 11)
#define ENGINE __builtin_amdgcn_s_getreg(23 | 18 << 6 | (BITS - 1) << 11)
#else
#define WHOLE (4 | 31 << 11)
#define ENGINE __builtin_amdgcn_s_getreg(4 | 8 << 6 | (BITS - 1) << 11) >> 5 /* cu, sh, se */
#endif
#if defined(__GFX10__)
#define CLOCK() __builtin_amdgcn_s_memtime()
#elif defined(__GFX11__)
#define CLOCK() __builtin_amdgcn_s_sendmsg_rtnl(131)
#else
#define CLOCK() __builtin_readcyclecounter()
#endif
#ifdef CACHED
#define LOADED const uint
#else
#define LOADED volatile const uint
#endif
__attribute__((reqd_work_group_size(256, 1, 1))) __kernel void
trauma_kernel(ulong iterations, ulong warmup, __global LOADED *data, __global ulong *record)
{
    uint group = __builtin_amdgcn_workgroup_id_x();
    uint lane = __builtin_amdgcn_workitem_id_x();
    uint engine = ENGINE;
    __global ulong *mine = record + group * 8;
    uint worked = engine == 0;
    ulong start = 0, stop = 0, sum = 0;
    if (worked) {
        __global LOADED *at = data + group * 1024 + lane;
        for (ulong pass = 0; pass < warmup; pass++) {
            for (uint i = 0; i < 4; i++)
                sum += at[i * 256];
            __asm__ volatile("" ::: "memory");
        }
        start = CLOCK();
        for (ulong pass = 0; pass < iterations; pass++) {
            for (uint i = 0; i < 4; i++)
                sum += at[i * 256];
            __asm__ volatile("" ::: "memory");
        }
        stop = CLOCK();
    }
    if (lane == 0) {
        mine[0] = start;
        mine[1] = stop;
        mine[2] = 0;
        mine[3] = 0;
        mine[4] = __builtin_amdgcn_s_getreg(WHOLE) | (ulong)worked << 32;
        mine[5] = sum;
        mine[6] = 0;
        mine[7] = 0;
    }
}
