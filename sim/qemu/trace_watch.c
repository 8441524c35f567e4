/* The plugin's mode trace=: records each instruction of the kernel and its accesses.
 *
 *     trace = PATH                       a file or pipe for the records (trace_stream.h)
 *     kernel = A, loop = A, loop_end = A addresses of the kernel's entry, of its loop, and of the loop's end
 *     text_end = A                       the end of the program's code
 *
 * The start code calls the kernel twice, for the warm-up and for the passes. The trace has no set-up code. */
#include "isa/qemu_target.h"
#include "sim/qemu/share_watch.h"
#include "sim/qemu/trace_stream.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* MOST_EACH: records per instruction; an instruction's records are flushed together. */
enum { RECORDS = 4096, MOST_EACH = 256 };

/* An instruction of the program. They live as long as the process, as QEMU may execute them until then. */
struct followed {
    uint64_t address;
    uint32_t bytes;
    bool conditional; /* a conditional store, for which QEMU also reports a load, which does not happen */
};

static struct {
    const struct qemu_target *target;
    uint64_t kernel, loop, loop_end, text_end;
    int output; /* 1 + descriptor; 0: none */
    unsigned calls;
    bool measures, ended;
    struct trace_record records[RECORDS];
    size_t count;
} watch;

/* A failed write needs no report: the runner notices the missing end. */
static void flush(void)
{
    const char *from = (const char *)watch.records;
    size_t left = watch.count * sizeof watch.records[0];
    while (left > 0) {
        ssize_t wrote = write(watch.output - 1, from, left);
        if (wrote <= 0)
            break;
        from += wrote;
        left -= (size_t)wrote;
    }
    watch.count = 0;
}

static void add(enum trace_kind kind, uint64_t address, uint64_t bytes)
{
    if (watch.count == RECORDS)
        flush();
    watch.records[watch.count++] =
        (struct trace_record){.address = address, .kind = kind, .bytes = (uint32_t)bytes};
}

static void finish(void)
{
    if (watch.ended)
        return;
    add(TRACE_END, 0, 0);
    flush();
    watch.ended = true;
}

static void execute(unsigned vcpu, void *context)
{
    (void)vcpu;
    const struct followed *now = context;
    watch.calls += now->address == watch.kernel;
    if (watch.ended || watch.calls == 0)
        return;
    if (watch.count > RECORDS - MOST_EACH)
        flush();
    if (!watch.measures && watch.calls == 2 && now->address == watch.loop) {
        add(TRACE_MEASURED, 0, 0);
        watch.measures = true;
    }
    if (watch.measures && now->address == watch.loop_end)
        finish();
    else
        add(TRACE_INSTRUCTION, now->address, now->bytes);
}

/* Adjacent parts of one instruction's data are one access. */
static void access_data(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t address, void *context)
{
    (void)vcpu;
    const struct followed *now = context;
    enum trace_kind kind = qemu_plugin_mem_is_store(info) ? TRACE_STORE : TRACE_LOAD;
    uint64_t bytes = UINT64_C(1) << qemu_plugin_mem_size_shift(info);
    if (watch.ended || watch.calls == 0 || (now->conditional && kind == TRACE_LOAD))
        return;
    struct trace_record *before = watch.count > 0 ? &watch.records[watch.count - 1] : NULL;
    if (before != NULL && before->kind == kind && before->address + before->bytes == address)
        before->bytes += (uint32_t)bytes;
    else
        add(kind, address, bytes);
}

static void translate(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
    (void)id;
    size_t count = qemu_plugin_tb_n_insns(tb);
    struct followed *all = calloc(count + 1, sizeof *all);
    if (all == NULL)
        abort();
    for (size_t i = 0; i < count; i++) {
        struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
        uint64_t at = qemu_plugin_insn_vaddr(insn);
        uint8_t bytes[QEMU_INSN_BYTES];
        size_t size = qemu_api_bytes(insn, bytes);
        if (at < watch.kernel || at >= watch.text_end)
            continue;
        all[i] =
            (struct followed){at, (uint32_t)size, watch.target->access(bytes, size) == ACCESS_CONDITIONAL};
        qemu_plugin_register_vcpu_insn_exec_cb(insn, execute, QEMU_PLUGIN_CB_NO_REGS, &all[i]);
        qemu_plugin_register_vcpu_mem_cb(insn, access_data, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW,
                                         &all[i]);
    }
}

static void end(qemu_plugin_id_t id, void *context)
{
    (void)id, (void)context;
    if (watch.measures)
        finish();
}

/* ---- arguments ---- */

static bool read_argument(const char *argument)
{
    uint64_t unused; /* a board's: the text's range excludes its system anyway */
    const struct plugin_number numbers[] = {
        {"kernel", &watch.kernel},     {"loop", &watch.loop}, {"loop_end", &watch.loop_end},
        {"text_end", &watch.text_end}, {"code", &unused},     {"code_end", &unused},
        {"advised", &unused},          {NULL, NULL}};
    if (strncmp(argument, "trace=", 6) == 0) {
        watch.output = 1 + open(argument + 6, O_WRONLY | O_CLOEXEC);
        return watch.output > 0;
    }
    return plugin_read_number(numbers, argument);
}

int trace_watch_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
    watch.target = qemu_target_find(info->target_name);
    if (watch.target == NULL)
        return plugin_refuse(info->target_name);
    for (int i = 0; i < argc; i++)
        if (!read_argument(argv[i]))
            return plugin_refuse(argv[i]);
    if (watch.output == 0 || watch.loop < watch.kernel || watch.text_end < watch.loop_end)
        return plugin_refuse("no trace, or no loop");
    qemu_plugin_register_vcpu_tb_trans_cb(id, translate);
    qemu_plugin_register_atexit_cb(id, end, NULL);
    return 0;
}
