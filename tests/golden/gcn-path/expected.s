// golden/default
    .amdgcn_target "amdgcn-amd-amdhsa--gfx701"
    .text
    .globl trauma_kernel
    .p2align 8
    .type trauma_kernel,@function
trauma_kernel:                          // uint64_t iterations, uint64_t warmup, void *data, void *record
    s_load_dwordx4 s[4:7], s[0:1], 0x0
    s_load_dwordx4 s[8:11], s[0:1], 0x4
    s_getreg_b32 s3, hwreg(4, 0, 32)     // where the wave runs: the record has it whole
    v_mov_b32 v4, 0
    s_mov_b32 s20, 0                    // ticks: none yet
    s_mov_b32 s21, 0
    s_mov_b32 s22, 0
    s_mov_b32 s23, 0
    s_mov_b32 s26, 0                    // worked: not yet
    s_waitcnt lgkmcnt(0)
    s_getreg_b32 s27, hwreg(4, 13, 2) // se
    s_mov_b32 s28, 0x2
    s_bitcmp1_b32 s28, s27
    s_cbranch_scc0 trauma_leave
    s_getreg_b32 s27, hwreg(4, 8, 4) // cu
    s_mov_b32 s28, 0xf
    s_bitcmp1_b32 s28, s27
    s_cbranch_scc0 trauma_leave
    s_mov_b32 s12, s8               // the buffer: the data, without bounds
    s_mov_b32 s13, s9
    s_mov_b32 s14, -1
    s_mov_b32 s15, 0x100f000
    s_mul_i32 s32, s2, 4096     // stream 0
.Lwrap_0:
    s_cmp_ge_u32 s32, 98304
    s_cbranch_scc0 .Lwrapped_0
    s_sub_u32 s32, s32, 98304
    s_branch .Lwrap_0
.Lwrapped_0:
    s_add_u32 s32, s32, 0
    v_mul_u32_u24 v24, 4, v0
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
    buffer_load_dword v8, v24, s[12:15], s32 offen offset:0 glc // unit 0, behaviour 1: L2, stream 0
    // unit 1
    s_add_u32 s40, s32, 4096
    buffer_load_dword v12, v24, s[12:15], s40 offen offset:0 glc // unit 1, behaviour 1: L2, stream 0
    // unit 2
    s_add_u32 s40, s32, 8192
    buffer_load_dword v16, v24, s[12:15], s40 offen offset:0 glc // unit 2, behaviour 1: L2, stream 0
    // unit 3
    s_add_u32 s40, s32, 12288
    buffer_load_dword v20, v24, s[12:15], s40 offen offset:0 glc // unit 3, behaviour 1: L2, stream 0
    // unit 4
    s_add_u32 s40, s32, 16384
    buffer_load_dword v8, v24, s[12:15], s40 offen offset:0 glc // unit 4, behaviour 1: L2, stream 0
    // unit 5
    s_add_u32 s40, s32, 20480
    buffer_load_dword v12, v24, s[12:15], s40 offen offset:0 glc // unit 5, behaviour 1: L2, stream 0
    // unit 6
    s_add_u32 s40, s32, 24576
    buffer_load_dword v16, v24, s[12:15], s40 offen offset:0 glc // unit 6, behaviour 1: L2, stream 0
    // unit 7
    s_add_u32 s40, s32, 28672
    buffer_load_dword v20, v24, s[12:15], s40 offen offset:0 glc // unit 7, behaviour 1: L2, stream 0
trauma_advance:
    s_add_u32 s32, s32, 32768
    s_cmp_ge_u32 s32, 98304
    s_cselect_b32 s27, 98304, 0
    s_sub_u32 s32, s32, s27
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
        .amdhsa_group_segment_fixed_size 0
        .amdhsa_dx10_clamp 1
    .end_amdhsa_kernel

    .amdgpu_metadata
---
amdhsa.version: [ 1, 1 ]
amdhsa.kernels:
  - .name: trauma_kernel
    .symbol: trauma_kernel.kd
    .kernarg_segment_size: 32
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .wavefront_size: 64
    .sgpr_count: 96
    .vgpr_count: 64
    .max_flat_workgroup_size: 256
    .reqd_workgroup_size: [ 256, 1, 1 ]
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
