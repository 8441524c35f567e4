// golden/default
    .amdgcn_target "amdgcn-amd-amdhsa--gfx900"
    .text
    .globl trauma_kernel
    .p2align 8
    .type trauma_kernel,@function
trauma_kernel:                          // uint64_t iterations, uint64_t warmup, void *data, void *record
    s_load_dwordx4 s[4:7], s[0:1], 0x0
    s_load_dwordx4 s[8:11], s[0:1], 0x10
    s_getreg_b32 s3, hwreg(4, 0, 32)     // where the wave runs: the record has it whole
    v_mov_b32 v4, 0
    s_mov_b32 s20, 0                    // ticks: none yet
    s_mov_b32 s21, 0
    s_mov_b32 s22, 0
    s_mov_b32 s23, 0
    s_mov_b32 s26, 0                    // worked: not yet
    s_waitcnt lgkmcnt(0)
    s_mov_b32 s12, s8               // the buffer: the data, without bounds
    s_mov_b32 s13, s9
    s_mov_b32 s14, -1
    s_mov_b32 s15, 0x100f000
    s_mov_b32 m0, -1                    // all of the shared memory
    s_mov_b32 s27, 16384             // stream 0: its region comes from the data
    s_mov_b32 s28, 0
    s_mov_b32 s29, 0
    s_mov_b32 s30, 0
.Lcopy_0:
    v_mad_u32_u24 v1, v0, 8, s29
    v_cmp_gt_u32 vcc, s27, v1
    s_and_saveexec_b64 s[24:25], vcc
    s_cbranch_execz .Lcopied_0
    buffer_load_dwordx2 v[2:3], v1, s[12:15], s28 offen
    s_waitcnt vmcnt(0)
    v_sad_u32 v2, v2, 0, 0     // an address of the region becomes one of shared memory
    ds_write_b64 v1, v[2:3] offset:0
    s_waitcnt lgkmcnt(0)
.Lcopied_0:
    s_mov_b64 exec, s[24:25]
    s_add_u32 s29, s29, 1024
    s_cmp_lt_u32 s29, s27
    s_cbranch_scc1 .Lcopy_0
    s_waitcnt lgkmcnt(0)
    s_mov_b32 s32, s30
    v_mov_b32 v1, 4
    v_mad_u32_u24 v24, v0, v1, s30
    v_mad_u32_u24 v32, v0, v1, s30
    s_mul_i32 s33, s2, 0     // stream 1
.Lwrap_1:
    s_cmp_ge_u32 s33, 4096
    s_cbranch_scc0 .Lwrapped_1
    s_sub_u32 s33, s33, 4096
    s_branch .Lwrap_1
.Lwrapped_1:
    s_add_u32 s33, s33, 16384
    v_mul_u32_u24 v25, 4, v0
    s_mul_i32 s34, s2, 2048     // stream 2
.Lwrap_2:
    s_cmp_ge_u32 s34, 131072
    s_cbranch_scc0 .Lwrapped_2
    s_sub_u32 s34, s34, 131072
    s_branch .Lwrap_2
.Lwrapped_2:
    s_add_u32 s34, s34, 20480
    v_mul_u32_u24 v26, 4, v0
    s_mul_i32 s35, s2, 459776     // stream 3
.Lwrap_3:
    s_cmp_ge_u32 s35, 33554432
    s_cbranch_scc0 .Lwrapped_3
    s_sub_u32 s35, s35, 33554432
    s_branch .Lwrap_3
.Lwrapped_3:
    s_add_u32 s35, s35, 151552
    v_mul_u32_u24 v27, 4, v0
    s_mul_i32 s36, s2, 2048     // stream 4
.Lwrap_4:
    s_cmp_ge_u32 s36, 131072
    s_cbranch_scc0 .Lwrapped_4
    s_sub_u32 s36, s36, 131072
    s_branch .Lwrap_4
.Lwrapped_4:
    s_add_u32 s36, s36, 33705984
    v_mul_u32_u24 v28, 8, v0
    s_add_u32 s28, s8, s36         // the ring's first word for each thread
    s_addc_u32 s29, s9, 0
    v_mov_b32 v1, 8
    v_mad_u64_u32 v[40:41], vcc, v0, v1, s[28:29]
    s_mul_i32 s37, s2, 8192     // stream 5
.Lwrap_5:
    s_cmp_ge_u32 s37, 163840
    s_cbranch_scc0 .Lwrapped_5
    s_sub_u32 s37, s37, 163840
    s_branch .Lwrap_5
.Lwrapped_5:
    s_add_u32 s37, s37, 33837056
    v_mul_u32_u24 v29, 8, v0
    v_mov_b32 v60, 0x00000000
    v_mov_b32 v61, 0x00000000
    v_mov_b32 v62, 0x00000000
    v_mov_b32 v63, 0x00000000
    v_mov_b32 v48, 3
    v_mov_b32 v52, 3
    v_mov_b32 v49, 5
    v_mov_b32 v53, 5
    v_mov_b32 v50, 7
    v_mov_b32 v54, 7
    v_mov_b32 v51, 9
    v_mov_b32 v55, 9
    v_mov_b32 v52, 11
    v_mov_b32 v48, 11
    v_mov_b32 v53, 13
    v_mov_b32 v49, 13
    v_mov_b32 v54, 15
    v_mov_b32 v50, 15
    v_mov_b32 v55, 17
    v_mov_b32 v51, 17
    v_mov_b32 v48, 19
    v_mov_b32 v52, 19
    v_mov_b32 v48, 0x3f9a3e00       // 1.2; two halves: 1.9 and 1.5
    v_mov_b32 v49, 0x3f9a3e00       // 1.2; two halves: 1.9 and 1.5
    v_mov_b32 v50, 0x3f9a3e00       // 1.2; two halves: 1.9 and 1.5
    v_mov_b32 v51, 0x3f9a3e00       // 1.2; two halves: 1.9 and 1.5
    v_mov_b32 v52, 0x3f9a3e00       // 1.2; two halves: 1.9 and 1.5
    v_mov_b32 v53, 0x3f9a3e00       // 1.2; two halves: 1.9 and 1.5
    v_mov_b32 v54, 0x3f9a3e00       // 1.2; two halves: 1.9 and 1.5
    v_mov_b32 v55, 0x3f9a3e00       // 1.2; two halves: 1.9 and 1.5
    v_mov_b32 v48, 0x3f9a3e00       // 1.2; two halves: 1.9 and 1.5
    v_mov_b32 v56, 0.5
    v_mov_b32 v57, 0x3f7ffff0           // a little below 1
    v_mov_b32 v58, 0x42004200           // halves of 3 and of -1
    v_mov_b32 v59, 0xbc00bc00
    s_mov_b32 s48, 0x7fffff             // bits of a mantissa, of two
    s_mov_b32 s49, 0x3ff03ff
    s_mov_b32 s16, s6               // the warm-up comes first
    s_mov_b32 s17, s7
trauma_again:
    s_waitcnt vmcnt(0) lgkmcnt(0)
    s_waitcnt vmcnt(0)
    s_barrier
    s_memtime s[20:21]
    s_waitcnt lgkmcnt(0)
    s_or_b32 s18, s16, s17
    s_cbranch_scc0 trauma_stop
    .p2align 6
trauma_loop:
    // unit 0
    ds_read_b32 v8, v24 offset:0        // unit 0, behaviour 1: SHARED, stream 0
    s_waitcnt vmcnt(0) lgkmcnt(0)       // unit 0, behaviour 2: L2, stream 4
    flat_load_dwordx2 v[40:41], v[40:41] glc
    buffer_store_dwordx2 v[60:61], v29, s[12:15], s37 offen offset:0 // unit 0, behaviour 3: L2, stream 5
    s_waitcnt vmcnt(0) lgkmcnt(0)
    v_add_u32 v48, v48, v40
    v_fma_f32 v49, v49, v57, v56
    // unit 1
    buffer_load_dword v12, v25, s[12:15], s33 offen offset:0 // unit 1, behaviour 1: L1, stream 1
    s_waitcnt vmcnt(0) lgkmcnt(0)       // unit 1, behaviour 2: L2, stream 4
    flat_load_dwordx2 v[40:41], v[40:41] glc
    buffer_store_dwordx2 v[60:61], v29, s[12:15], s37 offen offset:1024 // unit 1, behaviour 3: L2, stream 5
    s_waitcnt vmcnt(0) lgkmcnt(0)
    v_add_u32 v50, v50, v40
    v_fma_f32 v51, v51, v57, v56
    // unit 2
    buffer_load_dword v16, v26, s[12:15], s34 offen offset:0 glc // unit 2, behaviour 1: L2, stream 2
    s_waitcnt vmcnt(0) lgkmcnt(0)       // unit 2, behaviour 2: L2, stream 4
    flat_load_dwordx2 v[40:41], v[40:41] glc
    buffer_store_dwordx2 v[60:61], v29, s[12:15], s37 offen offset:2048 // unit 2, behaviour 3: L2, stream 5
    s_waitcnt vmcnt(0) lgkmcnt(0)
    v_add_u32 v52, v52, v40
    v_fma_f32 v53, v53, v57, v56
    // unit 3
    buffer_load_dword v20, v27, s[12:15], s35 offen offset:0 glc // unit 3, behaviour 1: MEM, stream 3
    s_waitcnt vmcnt(0) lgkmcnt(0)       // unit 3, behaviour 2: L2, stream 4
    flat_load_dwordx2 v[40:41], v[40:41] glc
    buffer_store_dwordx2 v[60:61], v29, s[12:15], s37 offen offset:3072 // unit 3, behaviour 3: L2, stream 5
    s_waitcnt vmcnt(0) lgkmcnt(0)
    v_add_u32 v54, v54, v40
    v_fma_f32 v55, v55, v57, v56
    // unit 4
    ds_read_b32 v8, v24 offset:512      // unit 4, behaviour 1: SHARED, stream 0
    s_waitcnt vmcnt(0) lgkmcnt(0)       // unit 4, behaviour 2: L2, stream 4
    flat_load_dwordx2 v[40:41], v[40:41] glc
    s_add_u32 s45, s37, 4096
    buffer_store_dwordx2 v[60:61], v29, s[12:15], s45 offen offset:0 // unit 4, behaviour 3: L2, stream 5
    s_waitcnt vmcnt(0) lgkmcnt(0)
    v_add_u32 v52, v52, v40
    v_fma_f32 v49, v49, v57, v56
    // unit 5
    buffer_load_dword v12, v25, s[12:15], s33 offen offset:512 // unit 5, behaviour 1: L1, stream 1
    s_waitcnt vmcnt(0) lgkmcnt(0)       // unit 5, behaviour 2: L2, stream 4
    flat_load_dwordx2 v[40:41], v[40:41] glc
    buffer_store_dwordx2 v[60:61], v29, s[12:15], s45 offen offset:1024 // unit 5, behaviour 3: L2, stream 5
    s_waitcnt vmcnt(0) lgkmcnt(0)
    v_add_u32 v54, v54, v40
    v_fma_f32 v51, v51, v57, v56
    // unit 6
    buffer_load_dword v16, v26, s[12:15], s34 offen offset:512 glc // unit 6, behaviour 1: L2, stream 2
    s_waitcnt vmcnt(0) lgkmcnt(0)       // unit 6, behaviour 2: L2, stream 4
    flat_load_dwordx2 v[40:41], v[40:41] glc
    buffer_store_dwordx2 v[60:61], v29, s[12:15], s45 offen offset:2048 // unit 6, behaviour 3: L2, stream 5
    s_waitcnt vmcnt(0) lgkmcnt(0)
    v_add_u32 v48, v48, v40
    v_fma_f32 v53, v53, v57, v56
    // unit 7
    buffer_load_dword v20, v27, s[12:15], s35 offen offset:512 glc // unit 7, behaviour 1: MEM, stream 3
    s_waitcnt vmcnt(0) lgkmcnt(0)       // unit 7, behaviour 2: L2, stream 4
    flat_load_dwordx2 v[40:41], v[40:41] glc
    buffer_store_dwordx2 v[60:61], v29, s[12:15], s45 offen offset:3072 // unit 7, behaviour 3: L2, stream 5
    s_waitcnt vmcnt(0) lgkmcnt(0)
    v_add_u32 v50, v50, v40
    v_fma_f32 v55, v55, v57, v56
trauma_advance:
    s_add_u32 s32, s32, 1024
    s_cmp_ge_u32 s32, 16384
    s_cselect_b32 s27, 16384, 0
    s_sub_u32 s32, s32, s27
    v_mov_b32 v1, 4
    v_mad_u32_u24 v24, v0, v1, s32
    s_add_u32 s33, s33, 1024
    s_cmp_ge_u32 s33, 20480
    s_cselect_b32 s27, 4096, 0
    s_sub_u32 s33, s33, s27
    s_add_u32 s34, s34, 1024
    s_cmp_ge_u32 s34, 151552
    s_cselect_b32 s27, 131072, 0
    s_sub_u32 s34, s34, s27
    s_add_u32 s35, s35, 1024
    s_cmp_ge_u32 s35, 33705984
    s_cselect_b32 s27, 33554432, 0
    s_sub_u32 s35, s35, s27
    s_add_u32 s37, s37, 8192
    s_cmp_ge_u32 s37, 34000896
    s_cselect_b32 s27, 163840, 0
    s_sub_u32 s37, s37, s27
    s_sub_u32 s16, s16, 1
    s_subb_u32 s17, s17, 0
    s_or_b32 s18, s16, s17
    s_cbranch_scc1 trauma_loop
trauma_stop:
    s_waitcnt vmcnt(0) lgkmcnt(0)
    s_waitcnt vmcnt(0)
    s_memtime s[22:23]
    s_waitcnt lgkmcnt(0)
    s_mov_b32 s16, s4
    s_mov_b32 s17, s5
    s_xor_b32 s26, s26, 1               // 1 after the warm-up
    s_cmp_eq_u32 s26, 1
    s_cbranch_scc1 trauma_again
    s_mov_b32 s26, 1
    v_xor_b32 v4, v8, v9
    v_xor_b32 v4, v4, v10
    v_xor_b32 v4, v8, v9
    v_xor_b32 v4, v4, v10
    v_xor_b32 v4, v8, v9
    v_xor_b32 v4, v4, v10
trauma_leave:
    s_lshl_b32 s27, s2, 6               // the block's entry of the record
    s_add_u32 s10, s10, s27
    s_addc_u32 s11, s11, 0
    v_cmp_eq_u32 vcc, 0, v0
    s_and_saveexec_b64 s[24:25], vcc
    s_cbranch_execz trauma_end
    v_mov_b32 v8, s10
    v_mov_b32 v9, s11
    v_mov_b32 v10, s20
    v_mov_b32 v11, s21
    v_mov_b32 v12, s22
    v_mov_b32 v13, s23
    flat_store_dwordx4 v[8:9], v[10:13]            // what it stores stays: another value there may come too early
    v_mov_b32 v24, 0
    v_mov_b32 v25, 0
    v_mov_b32 v26, 0
    v_mov_b32 v27, 0
    s_add_u32 s10, s10, 16
    s_addc_u32 s11, s11, 0
    v_mov_b32 v14, s10
    v_mov_b32 v15, s11
    flat_store_dwordx4 v[14:15], v[24:27]
    s_add_u32 s10, s10, 16
    s_addc_u32 s11, s11, 0
    v_mov_b32 v16, s10
    v_mov_b32 v17, s11
    v_mov_b32 v18, s3
    v_mov_b32 v19, s26
    v_mov_b32 v20, v4
    v_mov_b32 v21, 0
    flat_store_dwordx4 v[16:17], v[18:21]
    s_add_u32 s10, s10, 16
    s_addc_u32 s11, s11, 0
    v_mov_b32 v22, s10
    v_mov_b32 v23, s11
    flat_store_dwordx4 v[22:23], v[24:27]
    s_waitcnt vmcnt(0) lgkmcnt(0)
trauma_end:
    s_endpgm
.Ltrauma_end:
    .size trauma_kernel, .Ltrauma_end-trauma_kernel

    .rodata
    .p2align 6
    .amdhsa_kernel trauma_kernel
        .amdhsa_user_sgpr_kernarg_segment_ptr 1
        .amdhsa_system_sgpr_workgroup_id_x 1
        .amdhsa_next_free_vgpr 64
        .amdhsa_next_free_sgpr 96
        .amdhsa_kernarg_size 32
        .amdhsa_group_segment_fixed_size 16384
        .amdhsa_dx10_clamp 1
    .end_amdhsa_kernel

    .amdgpu_metadata
---
amdhsa.version: [ 1, 1 ]
amdhsa.kernels:
  - .name: trauma_kernel
    .symbol: trauma_kernel.kd
    .kernarg_segment_size: 32
    .group_segment_fixed_size: 16384
    .private_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .wavefront_size: 64
    .sgpr_count: 96
    .vgpr_count: 64
    .max_flat_workgroup_size: 128
    .reqd_workgroup_size: [ 128, 1, 1 ]
    .args:
      - .name: iterations
        .size: 8
        .offset: 0
        .value_kind: by_value
      - .name: warmup
        .size: 8
        .offset: 8
        .value_kind: by_value
      - .name: data
        .size: 8
        .offset: 16
        .value_kind: global_buffer
        .address_space: global
      - .name: record
        .size: 8
        .offset: 24
        .value_kind: global_buffer
        .address_space: global
...
    .end_amdgpu_metadata
