The program of one point, for ROCm. A text in braces is filled in by the generator.

Every wave asks where it runs first and, where the recipe places it elsewhere, leaves; a block's waves are all on one compute
unit. The loop stands between trauma_loop and trauma_advance and is run twice: the warm-up's passes, then those that are
measured.

@section kernel
    .amdgcn_target "amdgcn-amd-amdhsa--{arch}"
    .text
    .globl trauma_kernel
    .p2align 8
    .type trauma_kernel,@function
trauma_kernel:                          // uint64_t iterations, uint64_t warmup, void *data, void *record
    s_load_dwordx4 s[4:7], s[0:1], 0x0
    s_load_dwordx4 s[8:11], s[0:1], {second}
    s_getreg_b32 s3, hwreg({whole})     // where the wave runs: the record has it whole
    v_mov_b32 v4, 0
    s_mov_b32 s20, 0                    // ticks: none yet
    s_mov_b32 s21, 0
    s_mov_b32 s22, 0
    s_mov_b32 s23, 0
    s_mov_b32 s26, 0                    // worked: not yet
    {arguments_done}
{placement}    s_mov_b32 s12, s8               // the buffer: the data, without bounds
    s_mov_b32 s13, s9
    s_mov_b32 s14, -1
    s_mov_b32 s15, {format}
{shared}{start}    s_mov_b32 s16, s6               // the warm-up comes first
    s_mov_b32 s17, s7
trauma_again:
    {loads_done}
    {stores_done}
    {meet}
    {clock_start}
    {clock_done}
    s_or_b32 s18, s16, s17
    s_cbranch_scc0 trauma_stop
    .p2align 6
trauma_loop:
{body}trauma_advance:
{advance}    s_sub_u32 s16, s16, 1
    s_subb_u32 s17, s17, 0
    s_or_b32 s18, s16, s17
    s_cbranch_scc1 trauma_loop
trauma_stop:
    {loads_done}
    {stores_done}
    {clock_stop}
    {clock_done}
    s_mov_b32 s16, s4
    s_mov_b32 s17, s5
    s_xor_b32 s26, s26, 1               // 1 after the warm-up
    s_cmp_eq_u32 s26, 1
    s_cbranch_scc1 trauma_again
    s_mov_b32 s26, 1
{finish}trauma_leave:
    s_lshl_b32 s27, s2, 6               // the block's entry of the record
    s_add_u32 s10, s10, s27
    s_addc_u32 s11, s11, 0
    v_cmp_eq_u32 {vcc}, 0, v0
    s_and_saveexec_{mask_bits} {saved}, {vcc}
    s_cbranch_execz trauma_end
    v_mov_b32 v8, s10
    v_mov_b32 v9, s11
    v_mov_b32 v10, s20
    v_mov_b32 v11, s21
    v_mov_b32 v12, s22
    v_mov_b32 v13, s23
    {store} v[8:9], v[10:13]            // what it stores stays: another value there may come too early
    v_mov_b32 v24, 0
    v_mov_b32 v25, 0
    v_mov_b32 v26, 0
    v_mov_b32 v27, 0
    s_add_u32 s10, s10, 16
    s_addc_u32 s11, s11, 0
    v_mov_b32 v14, s10
    v_mov_b32 v15, s11
    {store} v[14:15], v[24:27]
    s_add_u32 s10, s10, 16
    s_addc_u32 s11, s11, 0
    v_mov_b32 v16, s10
    v_mov_b32 v17, s11
    v_mov_b32 v18, s3
    v_mov_b32 v19, s26
    v_mov_b32 v20, v4
    v_mov_b32 v21, 0
{leave}    {store} v[16:17], v[18:21]
    s_add_u32 s10, s10, 16
    s_addc_u32 s11, s11, 0
    v_mov_b32 v22, s10
    v_mov_b32 v23, s11
    {store} v[22:23], v[24:27]
    {loads_done}
trauma_end:
    s_endpgm
.Ltrauma_end:
    .size trauma_kernel, .Ltrauma_end-trauma_kernel

    .rodata
    .p2align 6
    .amdhsa_kernel trauma_kernel
        .amdhsa_user_sgpr_kernarg_segment_ptr 1
        .amdhsa_system_sgpr_workgroup_id_x 1
        .amdhsa_next_free_vgpr {vgprs}
        .amdhsa_next_free_sgpr {sgprs}
        .amdhsa_kernarg_size 32
        .amdhsa_group_segment_fixed_size {shared_bytes}
        {descriptor}
    .end_amdhsa_kernel

    .amdgpu_metadata
---
amdhsa.version: [ 1, 1 ]
amdhsa.kernels:
  - .name: trauma_kernel
    .symbol: trauma_kernel.kd
    .kernarg_segment_size: 32
    .group_segment_fixed_size: {shared_bytes}
    .private_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .wavefront_size: {wave}
    .sgpr_count: {sgprs}
    .vgpr_count: {vgprs}
    .max_flat_workgroup_size: {threads}
    .reqd_workgroup_size: [ {threads}, 1, 1 ]
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

@section leave.die
    s_getreg_b32 s27, hwreg(20, 0, 4)   // XCC_ID
    v_mov_b32 v21, s27

@section placement
    s_getreg_b32 s27, hwreg({register_id}, {low}, {size}) // {field}
    s_mov_b32 s28, {mask}
    s_bitcmp1_b32 s28, s27
    s_cbranch_scc0 trauma_leave

@section shared.declare
    s_mov_b32 m0, -1                    // all of the shared memory

@section words
    v_lshrrev_b32 v5, {word_shift}, v0  // stream {index}: the number of the thread's word

@section atomics
    v_mov_b32 v30, 1                    // operands of atomics
    v_mov_b32 v31, 0
    v_mov_b32 v44, 0
    v_mov_b32 v45, 0
    v_mov_b32 v46, 0
    v_mov_b32 v47, 0

@section stream
    s_mul_i32 {stream}, s2, {block}     // stream {index}
.Lwrap_{index}:
    s_cmp_ge_u32 {stream}, {bytes}
    s_cbranch_scc0 .Lwrapped_{index}
    s_sub_u32 {stream}, {stream}, {bytes}
    s_branch .Lwrap_{index}
.Lwrapped_{index}:
    s_add_u32 {stream}, {stream}, {data_offset}
    v_mul_u32_u24 {lanes}, {lane}, {worker}

@section stream.chase
    s_add_u32 s28, s8, {stream}         // the ring's first word for each thread
    s_addc_u32 s29, s9, 0
    v_mov_b32 v1, {lane}
    v_mad_u64_u32 {pointer}, {vcc}, {worker}, v1, s[28:29]

@section shared.copy
    s_mov_b32 s27, {region}             // stream {index}: its region comes from the data
    s_mov_b32 s28, {data_offset}
    s_mov_b32 s29, 0
    s_mov_b32 s30, {offset}
.Lcopy_{index}:
    v_mad_u32_u24 v1, v0, 8, s29
    v_cmp_gt_u32 {vcc}, s27, v1
    s_and_saveexec_{mask_bits} {saved}, {vcc}
    s_cbranch_execz .Lcopied_{index}
    {load_two} v[2:3], v1, s[12:15], s28 offen
    {loaded_done}
    v_sad_u32 v2, v2, 0, {relative}     // an address of the region becomes one of shared memory
    {write_two} v1, v[2:3] offset:{offset}
    {copied_done}
.Lcopied_{index}:
    s_mov_{mask_bits} {exec}, {saved}
    s_add_u32 s29, s29, {copied}
    s_cmp_lt_u32 s29, s27
    s_cbranch_scc1 .Lcopy_{index}
    {shared_done}
    s_mov_b32 {stream}, s30
    v_mov_b32 v1, {lane}
    v_mad_u32_u24 {lanes}, {worker}, v1, s30
    v_mad_u32_u24 {pointer_low}, {worker}, v1, s30

@section step
    s_add_u32 {step}, {stream}, {high}

@section advance
    s_add_u32 {stream}, {stream}, {advance}
    s_cmp_ge_u32 {stream}, {data_end}
    s_cselect_b32 s27, {bytes}, 0
    s_sub_u32 {stream}, {stream}, s27

@section advance.shared
    v_mov_b32 v1, {lane}
    v_mad_u32_u24 {lanes}, v0, v1, {stream}

@section word.start
    v_mov_b32 {accumulator}, {seed}
    v_mov_b32 {other}, {seed}

@section long.start
    v_mov_b32 {float}, {seed}

@section float.start
    v_mov_b32 {float}, 0x3f9a3e00       // 1.2; two halves: 1.9 and 1.5

@section double.start
    v_mov_b32 {float}, 0x3fb504f3       // of two of them a number below 1

@section operations.constants
    v_mov_b32 v56, 0.5
    v_mov_b32 v57, 0x3f7ffff0           // a little below 1
    v_mov_b32 v58, 0x42004200           // halves of 3 and of -1
    v_mov_b32 v59, 0xbc00bc00
    s_mov_b32 s48, 0x7fffff             // bits of a mantissa, of two
    s_mov_b32 s49, 0x3ff03ff

@section factor.turn
    v_sub_f32 v57, 2.0, v57             // 1 - 2^-20 in one pass, 1 + 2^-20 in the next: products neither grow nor vanish

@section stored
    v_mov_b32 v60, {word}
    v_mov_b32 v61, {word}
    v_mov_b32 v62, {word}
    v_mov_b32 v63, {word}

@section sum.finish
    v_xor_b32 v4, v8, v9
    v_xor_b32 v4, v4, v10

@section branch.start
    v_and_b32 v1, 1, v0
    v_cmp_ne_u32 {odd}, 0, v1           // threads that diverging branches take
    s_mov_{mask_bits} {all}, {exec}     // and all that others take

@section branch
    s_and_saveexec_{mask_bits} {saved}, {taken}
    s_cbranch_execz .Lother_{slot}
    v_mul_lo_u32 {other}, {other}, {accumulator}
    v_mul_lo_u32 {accumulator}, {accumulator}, {other}
    v_mul_lo_u32 {other}, {other}, {accumulator}
    v_mul_lo_u32 {accumulator}, {accumulator}, {other}
    v_mul_lo_u32 {other}, {other}, {accumulator}
    v_mul_lo_u32 {accumulator}, {accumulator}, {other}
    v_mul_lo_u32 {other}, {other}, {accumulator}
    v_mul_lo_u32 {accumulator}, {accumulator}, {other}
.Lother_{slot}:
    s_andn2_{mask_bits} {exec}, {saved}, {taken}
    s_cbranch_execz .Ljoin_{slot}
    v_mul_lo_u32 {accumulator}, {accumulator}, {other}
    v_mul_lo_u32 {other}, {other}, {accumulator}
    v_mul_lo_u32 {accumulator}, {accumulator}, {other}
    v_mul_lo_u32 {other}, {other}, {accumulator}
    v_mul_lo_u32 {accumulator}, {accumulator}, {other}
    v_mul_lo_u32 {other}, {other}, {accumulator}
    v_mul_lo_u32 {accumulator}, {accumulator}, {other}
    v_mul_lo_u32 {other}, {other}, {accumulator}
.Ljoin_{slot}:
    s_mov_{mask_bits} {exec}, {saved}
