#include "sim/qemu/qemu_api.h"

#include <string.h>

/* Up to QEMU 8.2, a plugin supplies the address of a counter, and QEMU returns a pointer to an instruction's
 * bytes. Later versions have scoreboards with a counter per processor, and copy the bytes. */
enum qemu_plugin_op { QEMU_PLUGIN_INLINE_ADD_U64 };
struct qemu_plugin_scoreboard;
typedef struct {
    struct qemu_plugin_scoreboard *board;
    size_t offset;
} qemu_plugin_u64;

#define IF_THERE __attribute__((weak))
IF_THERE void qemu_plugin_register_vcpu_insn_exec_inline(struct qemu_plugin_insn *insn,
                                                         enum qemu_plugin_op op, void *counter,
                                                         uint64_t more);
IF_THERE void qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(struct qemu_plugin_insn *insn,
                                                                  enum qemu_plugin_op op,
                                                                  qemu_plugin_u64 counter, uint64_t more);
IF_THERE struct qemu_plugin_scoreboard *qemu_plugin_scoreboard_new(size_t bytes);
IF_THERE void *qemu_plugin_scoreboard_find(struct qemu_plugin_scoreboard *board, unsigned vcpu);

/* With the arguments of newer versions; older ones return the bytes and ignore the last two. */
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn, void *bytes, size_t most);

/* QEMU reads this after it has loaded the plugin, and refuses an unsupported version. */
extern int qemu_plugin_version;
int qemu_plugin_version = 1;

static struct {
    bool copies; /* bytes */
    struct qemu_plugin_scoreboard *board;
    uint64_t counter;
} api;

__attribute__((constructor)) static void choose_version(void)
{
    qemu_plugin_version = qemu_plugin_scoreboard_new != NULL ? 2 : 1;
}

void qemu_api_begin(const qemu_info_t *info)
{
    enum { COPIES_FROM = 3 };
    api.copies = info->version.cur >= COPIES_FROM;
    if (qemu_plugin_scoreboard_new != NULL)
        api.board = qemu_plugin_scoreboard_new(sizeof api.counter);
}

size_t qemu_api_bytes(const struct qemu_plugin_insn *insn, uint8_t bytes[QEMU_INSN_BYTES])
{
    size_t size = qemu_plugin_insn_size(insn);
    size = size < QEMU_INSN_BYTES ? size : QEMU_INSN_BYTES;
    const void *data = qemu_plugin_insn_data(insn, bytes, size);
    if (!api.copies)
        memcpy(bytes, data, size);
    return size;
}

void qemu_api_count(struct qemu_plugin_insn *insn)
{
    if (api.board == NULL)
        qemu_plugin_register_vcpu_insn_exec_inline(insn, QEMU_PLUGIN_INLINE_ADD_U64, &api.counter, 1);
    else
        qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(insn, QEMU_PLUGIN_INLINE_ADD_U64,
                                                            (qemu_plugin_u64){api.board, 0}, 1);
}

uint64_t qemu_api_counted(void)
{
    return api.board == NULL ? api.counter : *(const uint64_t *)qemu_plugin_scoreboard_find(api.board, 0);
}
