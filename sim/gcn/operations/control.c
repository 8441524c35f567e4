/* Flow, waiting and the clock: SOPP, the scalar memory operations that load nothing, hardware registers. */
#include "sim/gcn/hardware.h"
#include "sim/gcn/service.h"
#include "sim/gcn/wave_start.h"

#include <limits.h>
#include <string.h>

static bool nothing(struct wave_core *core, struct wave *wave, const struct wave_instruction *it)
{
    (void)core;
    (void)wave;
    (void)it;
    return true;
}

/* Up to GFX9 a wave starts an instruction every fourth cycle, and s_nop N stands for N + 1 of them; from
 * GFX10 on the next one starts N + 1 cycles later. */
static bool idle(struct wave_core *core, struct wave *wave, const struct wave_instruction *it)
{
    uint64_t cycles =
        (uint64_t)(((unsigned)it->in.number & 15) + 1) * (core->kernel.target->generation < 10 ? 4 : 1);
    core->intervals[wave->interval].idle_cycles += wave->timed ? cycles : 0;
    return true;
}

static bool end(struct wave_core *core, struct wave *wave, const struct wave_instruction *it)
{
    (void)core;
    (void)it;
    wave->done = true;
    return true;
}

static bool barrier(struct wave_core *core, struct wave *wave, const struct wave_instruction *it)
{
    (void)core;
    (void)it;
    wave->barriers++;
    wave->waiting = wave->group->live > 1;
    return true;
}

static void wait_until(struct wave *wave, unsigned vm, unsigned lgkm, unsigned km)
{
    wave_waits_until(&wave->waits, vm, lgkm, km);
    wave->reading = wave->reading && wave_waits_answer(&wave->waits);
}

static bool wait_count(struct wave_core *core, struct wave *wave, const struct wave_instruction *it)
{
    unsigned generation = core->kernel.target->generation;
    if (generation >= 12)
        return wave_fault(core, wave,
                          "waits by s_waitcnt, which GFX12 lacks: expected s_wait_loadcnt, s_wait_dscnt or "
                          "s_wait_kmcnt");
    wait_until(wave, wave_vmcnt(generation, it->in.number), wave_lgkmcnt(generation, it->in.number),
               UINT_MAX);
    return true;
}

static bool wait_all(struct wave_core *core, struct wave *wave, const struct wave_instruction *it)
{
    (void)core, (void)it;
    wait_until(wave, 0, 0, 0);
    wave_waits_until_stored(&wave->waits, 0);
    return true;
}

/* The operand of a wait for one counter. If a register would be added to it, the wait is for all accesses. */
static unsigned count_of(const struct wave_instruction *it)
{
    return it->in.src[0] == GCN_NULL ? (unsigned)it->in.number & 63 : 0;
}

static bool wait_vm(struct wave_core *core, struct wave *wave, const struct wave_instruction *it)
{
    (void)core;
    wait_until(wave, count_of(it), UINT_MAX, UINT_MAX);
    return true;
}

static bool wait_stored(struct wave_core *core, struct wave *wave, const struct wave_instruction *it)
{
    (void)core;
    wave_waits_until_stored(&wave->waits, count_of(it));
    return true;
}

static bool wait_lgkm(struct wave_core *core, struct wave *wave, const struct wave_instruction *it)
{
    (void)core;
    wait_until(wave, UINT_MAX, count_of(it), UINT_MAX);
    return true;
}

/* GFX12's waits. If they name two counters, the number's lower six bits are for LDS. */
static bool wait_one(struct wave_core *core, struct wave *wave, const struct wave_instruction *it)
{
    const char *counter = it->in.row->name + strlen("s_wait_");
    unsigned number = (unsigned)it->in.number, low = number & 63, high = number >> 8 & 63;
    bool loads = strncmp(counter, "loadcnt", 7) == 0, stores = strncmp(counter, "storecnt", 8) == 0;
    bool lds = strstr(counter, "dscnt") != NULL, both = lds && (loads || stores);
    (void)core;
    wait_until(wave, loads ? both ? high : low : UINT_MAX, lds ? low : UINT_MAX,
               strcmp(counter, "kmcnt") == 0 ? number & 31 : UINT_MAX);
    if (stores)
        wave_waits_until_stored(&wave->waits, both ? high : low);
    return true;
}

/* From GFX12 on a barrier has two parts: arriving, and waiting for the others. */
static bool signal_barrier(struct wave_core *core, struct wave *wave, const struct wave_instruction *it)
{
    if (wave_read(wave, &it->in, it->in.src[0]) != UINT32_MAX)
        return wave_fault(core, wave,
                          "arrives at a barrier other than the work-group's, which is not modelled");
    if (wave->arrived)
        return wave_fault(core, wave, "arrives twice at a barrier without s_barrier_wait between");
    wave->arrived = true;
    return true;
}

static bool wait_barrier(struct wave_core *core, struct wave *wave, const struct wave_instruction *it)
{
    if (it->in.number != -1)
        return wave_fault(core, wave,
                          "waits at a barrier other than the work-group's, which is not modelled");
    if (!wave->arrived)
        return wave_fault(core, wave,
                          "waits at a barrier at which it has not arrived: expected s_barrier_signal");
    wave->arrived = false;
    return barrier(core, wave, it);
}

static bool invalidate(struct wave_core *core, struct wave *wave, const struct wave_instruction *it)
{
    if (core->kernel.target->generation < 12 || it->in.scope > GCN_SCOPE_CU)
        wave_service_invalidate(core, wave->place.unit);
    return true;
}

static bool halt(struct wave_core *core, struct wave *wave, const struct wave_instruction *it)
{
    return wave_fault(core, wave, "stops for good by %s", it->in.row->name);
}

static bool round_mode(struct wave_core *core, struct wave *wave, const struct wave_instruction *it)
{
    return it->in.number == 0 ||
           wave_fault(core, wave, "sets a rounding mode other than nearest even, which is not modelled");
}

/* Each instruction of any wave is one tick. The passes before the read are unknown until the whole run has
 * shown where the loop is. */
static void read_clock(const struct wave_core *core, struct wave *wave, const struct wave_instruction *it,
                       enum clock_kind clock)
{
    uint64_t first = clock == CLOCK_TICKS ? CLOCK_TICKS_FIRST : CLOCK_NS_FIRST;
    wave_set_pair(wave, it->in.dst, first + core->result->executed);
    if (wave->clocks.count < CLOCK_READS)
        wave->clocks.items[wave->clocks.count] =
            (struct clock_read){.clock = clock,
                                .value = first + core->result->executed,
                                .passes = CLOCK_UNKNOWN,
                                .synchronised = wave->barriers > 0,
                                .underway = wave_waits_underway(&wave->waits),
                                .offset = wave->at - WAVE_IMAGE_ADDRESS - core->kernel.code};
    wave->clocks.count++;
    wave->barriers = 0;
    wave->reading = true;
}

static bool memtime(struct wave_core *core, struct wave *wave, const struct wave_instruction *it)
{
    read_clock(core, wave, it, CLOCK_TICKS);
    core->result->clocked = core->result->clocked || wave->times == 1;
    if (core->launch->all)
        return true;
    wave->timed = ++wave->times % 2 == 1;
    if (!wave->timed) {
        wave_service_join(core, wave); /* the last branch belongs to the passes that end here */
        return true;
    }
    wave->interval = wave->times / 2;
    if (wave->interval >= WAVE_INTERVALS)
        return wave_fault(core, wave, "begins interval number %u between clock reads", wave->interval + 1);
    if (wave->interval >= core->interval_count)
        core->interval_count = wave->interval + 1;
    wave_forget(wave->report);
    wave->report->intervals = wave->interval + 1;
    return true;
}

static bool realtime(struct wave_core *core, struct wave *wave, const struct wave_instruction *it)
{
    read_clock(core, wave, it, CLOCK_NS);
    return true;
}

/* Messages from GFX11 on: releasing registers early, and reading the clock. */
enum { DEALLOC_VGPRS = 3, GET_REALTIME = 131 };

static bool message(struct wave_core *core, struct wave *wave, const struct wave_instruction *it)
{
    if (core->kernel.target->generation >= 11 && it->in.number == DEALLOC_VGPRS)
        return true;
    return wave_fault(core, wave, "sends message %d, which is not modelled", (int)it->in.number);
}

static bool message_with_result(struct wave_core *core, struct wave *wave, const struct wave_instruction *it)
{
    if (it->in.number == GET_REALTIME)
        return memtime(core, wave, it);
    return wave_fault(core, wave, "sends message %d, which is not modelled", (int)it->in.number);
}

static void jump(struct wave *wave, const struct wave_instruction *it, bool taken)
{
    if (taken)
        wave->pc += (uint64_t)((int64_t)it->in.number * 4);
}

#define BRANCH(name, condition)                                                                              \
    static bool name(struct wave_core *core, struct wave *wave, const struct wave_instruction *it)           \
    {                                                                                                        \
        (void)core;                                                                                          \
        jump(wave, it, condition);                                                                           \
        return true;                                                                                         \
    }

BRANCH(always, true)
BRANCH(scc0, !wave->scc)
BRANCH(scc1, wave->scc)
BRANCH(vccz, wave_mask(wave, GCN_VCC) == 0)
BRANCH(vccnz, wave_mask(wave, GCN_VCC) != 0)
BRANCH(execz, wave_exec(wave) == 0)
BRANCH(execnz, wave_exec(wave) != 0)

const struct wave_row wave_control_rows[] = {
    {"s_nop", idle},
    {"s_sleep", nothing},
    {"s_setprio", nothing},
    {"s_incperflevel", nothing},
    {"s_decperflevel", nothing},
    {"s_ttracedata", nothing},
    {"s_icache_inv", nothing},
    {"s_waitcnt", wait_count},
    {"s_dcache_inv", nothing},
    {"s_dcache_inv_vol", nothing},
    {"s_dcache_wb", nothing},
    {"s_dcache_wb_vol", nothing},
    {"buffer_wbinvl1", invalidate},
    {"buffer_wbinvl1_vol", invalidate},
    {"buffer_wbinvl1_sc", invalidate},
    {"buffer_wbl2", nothing},
    {"buffer_invl2", invalidate}, /* gfx940: buffer_inv */
    {"v_nop", nothing},
    {"s_endpgm", end},
    {"s_barrier", barrier},
    {"s_barrier_signal", signal_barrier},
    {"s_barrier_wait", wait_barrier},
    {"s_wait_loadcnt", wait_one},
    {"s_wait_storecnt", wait_one},
    {"s_wait_samplecnt", nothing}, /* the executor has no image instructions */
    {"s_wait_bvhcnt", nothing},
    {"s_wait_expcnt", nothing},
    {"s_wait_dscnt", wait_one},
    {"s_wait_kmcnt", wait_one},
    {"s_wait_loadcnt_dscnt", wait_one},
    {"s_wait_storecnt_dscnt", wait_one},
    {"global_inv", invalidate},
    {"global_wb", nothing},
    {"global_wbinv", invalidate},
    {"s_waitcnt_vscnt", wait_stored},
    {"s_waitcnt_vmcnt", wait_vm},
    {"s_waitcnt_expcnt", nothing},
    {"s_waitcnt_lgkmcnt", wait_lgkm},
    {"s_waitcnt_depctr", nothing},
    {"s_wait_idle", wait_all},
    {"s_clause", nothing},
    {"s_delay_alu", nothing},
    {"s_inst_prefetch", nothing},
    {"s_round_mode", round_mode},
    {"s_denorm_mode", nothing},
    {"s_gl1_inv", nothing},
    {"buffer_gl0_inv", invalidate},
    {"buffer_gl1_inv", nothing}, /* no cache is modelled between L0 and L2 */
    {"s_code_end", halt},
    {"s_sendmsg", message},
    {"s_sendmsg_rtn_b64", message_with_result},
    {"s_sethalt", halt},
    {"s_trap", halt},
    {"s_memtime", memtime},
    {"s_memrealtime", realtime},
    {"s_getreg_b32", wave_getreg},
    {"s_setreg_b32", wave_setreg},
    {"s_setreg_imm32_b32", wave_setreg},
    {"s_branch", always},
    {"s_cbranch_scc0", scc0},
    {"s_cbranch_scc1", scc1},
    {"s_cbranch_vccz", vccz},
    {"s_cbranch_vccnz", vccnz},
    {"s_cbranch_execz", execz},
    {"s_cbranch_execnz", execnz},
    {NULL, NULL},
};
