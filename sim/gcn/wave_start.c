#include "sim/gcn/wave_start.h"

#include <string.h>

enum { HIDDEN_BYTES = 256, PACKET_BYTES = 64, ABI_VERSION_5 = 3, MOST_KERNARG = 1 << 16, BLOCK_X = 108 + 9 };

static void put16(unsigned char *at, unsigned value)
{
    at[0] = (unsigned char)value;
    at[1] = (unsigned char)(value >> 8);
}

static void put32(unsigned char *at, uint32_t value)
{
    put16(at, value & 0xffff);
    put16(at + 2, value >> 16);
}

static void put64(unsigned char *at, uint64_t value)
{
    put32(at, (uint32_t)value);
    put32(at + 4, (uint32_t)(value >> 32));
}

void wave_make_kernarg(const struct wave_kernel *kernel, const struct wave_launch *launch,
                       struct buffer *kernarg)
{
    unsigned char hidden[HIDDEN_BYTES] = {0};
    unsigned char word[8];
    for (size_t i = 0; i < launch->argument_count; i++) {
        put64(word, launch->arguments[i]);
        buffer_append(kernarg, word, sizeof word);
    }
    if (kernel->abi >= ABI_VERSION_5) { /* earlier versions begin with the global offset, which is 0 */
        put32(hidden, launch->blocks);
        put32(hidden + 4, 1);
        put32(hidden + 8, 1);
        put16(hidden + 12, launch->threads);
        put16(hidden + 14, 1);
        put16(hidden + 16, 1);
        put16(hidden + 64, 1); /* dimensions of the grid */
    }
    buffer_append(kernarg, hidden, sizeof hidden);
    if (kernel->kernarg_bytes > kernarg->size && kernel->kernarg_bytes <= MOST_KERNARG)
        buffer_fill(kernarg, '\0', kernel->kernarg_bytes - kernarg->size);
}

void wave_make_packet(const struct wave_kernel *kernel, const struct wave_launch *launch,
                      struct buffer *packet)
{
    unsigned char bytes[PACKET_BYTES] = {0};
    put16(bytes, 2); /* a kernel dispatch packet */
    put16(bytes + 2, 1);
    put16(bytes + 4, launch->threads);
    put16(bytes + 6, 1);
    put16(bytes + 8, 1);
    put32(bytes + 12, launch->blocks * launch->threads);
    put32(bytes + 16, 1);
    put32(bytes + 20, 1);
    put32(bytes + 28, kernel->lds_bytes);
    put64(bytes + 40, WAVE_KERNARG_ADDRESS);
    buffer_append(packet, bytes, sizeof bytes);
}

/* Sets the user registers, in the order of the descriptor's bits, and those of the work-group's number. */
static void set_users(const struct wave_kernel *kernel, struct wave *wave)
{
    static const struct user {
        unsigned dwords;
        uint64_t value;
    } users[USERS] = {
        [USER_SEGMENT_BUFFER] = {4, 0}, [USER_DISPATCH] = {2, WAVE_PACKET_ADDRESS},
        [USER_QUEUE] = {2, 0},          [USER_KERNARG] = {2, WAVE_KERNARG_ADDRESS},
        [USER_DISPATCH_ID] = {2, 0},    [USER_FLAT_SCRATCH] = {2, 0},
        [USER_SEGMENT_SIZE] = {1, 0},
    };
    unsigned next = 0;
    for (unsigned i = 0; i < USERS; i++) {
        if (!kernel->user[i])
            continue;
        if (users[i].dwords > 1)
            wave_set_pair(wave, next, users[i].value);
        next += users[i].dwords;
    }
    next = kernel->user_count;
    if (kernel->target->generation >= 12) { /* ttmp9, and y and z in ttmp7: both 0 */
        wave->s[BLOCK_X] = wave->group->block;
        return;
    }
    for (unsigned i = 0; i < 3; i++)
        if (kernel->group_id[i])
            wave->s[next++] = i == 0 ? wave->group->block : 0;
    next += kernel->group_info;
    if (kernel->scratch_offset)
        wave->s[next] = 0;
}

void wave_start(const struct wave_kernel *kernel, const struct wave_launch *launch, struct wave *wave)
{
    unsigned before = wave->number * kernel->lanes;
    unsigned lanes = launch->threads - before < kernel->lanes ? launch->threads - before : kernel->lanes;
    wave->lanes = kernel->lanes;
    memset(wave->s, 0, sizeof wave->s);
    memset(wave->v, 0, kernel->registers * sizeof *wave->v);
    set_users(kernel, wave);
    for (unsigned i = 0; i < WAVE_LANES; i++)
        wave->v[0][i] = before + i;
    wave_set_mask(wave, GCN_EXEC, lanes == WAVE_LANES ? UINT64_MAX : (UINT64_C(1) << lanes) - 1);
    wave->pc = WAVE_IMAGE_ADDRESS + kernel->entry;
    wave->scc = wave->done = wave->waiting = wave->arrived = false;
    wave->timed = launch->all;
    wave->times = wave->interval = wave->barriers = 0;
    wave->clocks.count = 0;
    wave->reading = false;
    wave->fork = (struct wave_fork){.whole = 0};
    wave->waits = (struct wave_waits){.vm_count = 0};
}
