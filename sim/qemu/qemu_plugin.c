/* A plugin for QEMU: counts what a program's loads, stores, instructions and branches do in caches, a
 * data TLB and a predictor, on any processor that QEMU emulates. The runner (runner/sources/qemu/)
 * loads it:
 *
 *     qemu-x86_64 -plugin PLUGIN.so,l1d=32768:8:64:lru,l2=... PROGRAM
 *
 *     l1i, l1d, l2, l3 = SIZE:WAYS:LINE:POLICY    caches; POLICY is lru, tree_plru, random or fifo
 *     tlb = SIZE:WAYS:PAGE:POLICY                 data TLB; SIZE is what its entries reach
 *     huge_tlb = SIZE:WAYS:PAGE:POLICY            another one, for the huge pages that the program asks for
 *                                                 by madvise; without it they take entries of the data TLB
 *     huge = BYTES                                of a huge page; 0: the system has none
 *     seed = N                                    of random replacement and of page maps
 *     pages = BYTES                               a random map of pages of that size, and of huge pages;
 *                                                 0: addresses are used unchanged
 *     hashed = 1                                  L2 and L3 take upper address bits into their index
 *     most = N                                    instructions; a program that executes more is ended, with
 *                                                 QEMU_ENDLESS on standard error; 0: no limit
 *
 * In qemu-system the program runs beside a board's system (board/), of which nothing counts:
 *
 *     code = A, code_end = A                      where the program's instructions are
 *     advised = A                                 the system's instruction that reads the first and the last
 *                                                 byte of what the program wants in huge pages
 *
 * Each process that ends writes one line of JSON to its standard output, behind what the program wrote. A
 * miss of L1D or L1I goes to L2, and of L2 to L3; no cache takes lines out of another. With board=, it counts
 * what copies do to the regions that they share instead (share_watch.h); with trace=, it writes down what the
 * program executes (trace_watch.c), with app=, it counts an application (app_watch.c).
 */
#include "isa/qemu_target.h"
#include "sim/qemu/branch_predictor.h"
#include "sim/qemu/huge_pages.h"
#include "sim/qemu/line_cache.h"
#include "sim/qemu/qemu_api.h"
#include "sim/qemu/share_watch.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv);

enum { LOAD, STORE, KINDS };

/* A translated block. Blocks live as long as the process, as QEMU may execute them until then. */
struct executed_block {
    uint64_t first, last; /* lines of its instructions, by number */
    uint64_t start, end;  /* addresses; the end is that of the following instruction */
    uint64_t branch_at;   /* address of its last instruction */
    enum branch_kind branch;
};

static struct {
    struct line_cache l1i, l1d, l2, l3, tlb, huge_tlb;
    struct branch_predictor predictor;
    const struct qemu_target *target;

    int output; /* standard output: qemu-system closes its own before it ends */
    uint64_t code, code_end, advised;
    uint64_t advised_from; /* the byte that was read first; 0: none */

    uint64_t pages; /* bytes; 0: addresses are used unchanged */
    struct huge_pages huge;
    bool board; /* no process of qemu-user */
    uint64_t hashed;
    uint64_t seed;
    uint64_t most; /* instructions; 0: no limit */

    /* The previous access: parts of one instruction's data count as one access. */
    uint64_t accessed_at[KINDS], next[KINDS], line[KINDS];
    bool missed[KINDS];

    const struct executed_block *before;

    uint64_t accesses[KINDS], l1d_misses[KINDS], l2_misses[KINDS], l3_misses[KINDS];
    uint64_t tlb_misses, lines_entered, l1i_misses, branches, branches_taken, branch_misses, jumps,
        jump_misses, blind;
} state;

/* ---- huge pages ---- */

static void add_huge(uint64_t address, uint64_t bytes)
{
    if (!huge_pages_add(&state.huge, address, bytes))
        abort();
}

static void call_system(qemu_plugin_id_t id, unsigned vcpu, int64_t number, uint64_t a1, uint64_t a2,
                        uint64_t a3, uint64_t a4, uint64_t a5, uint64_t a6, uint64_t a7, uint64_t a8)
{
    (void)id, (void)vcpu, (void)a4, (void)a5, (void)a6, (void)a7, (void)a8;
    if (number == state.target->madvise && a3 == HUGE_ADVICE)
        add_huge(a1, a2);
}

static void read_advised(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t address, void *context)
{
    (void)vcpu, (void)info, (void)context;
    if (state.advised_from != 0)
        add_huge(state.advised_from, address + 1 - state.advised_from);
    state.advised_from = state.advised_from != 0 ? 0 : address;
}

/* ---- counting ---- */

/* Maps a page to a frame of its own: four Feistel rounds over 32 bits of its number are a bijection. */
static uint64_t physical(uint64_t address)
{
    if (state.pages == 0)
        return address;
    uint64_t bytes = huge_pages_have(&state.huge, address) ? state.huge.bytes : state.pages;
    uint64_t page = address / bytes;
    uint32_t left = (uint32_t)(page >> 16 & 0xFFFF);
    uint32_t right = (uint32_t)(page & 0xFFFF);
    for (uint64_t round = 0; round < 4; round++) {
        uint64_t mixed = (right + (round << 16) + (state.seed << 20)) * 0x9E3779B97F4A7C15U;
        uint32_t next = left ^ (uint32_t)(mixed >> 44 & 0xFFFF);
        left = right;
        right = next;
    }
    uint64_t frame = (page >> 32 << 32) | (uint64_t)left << 16 | right;
    return frame * bytes + address % bytes;
}

/* Below L1: *l2 and *l3 count the misses. */
static void fetch(uint64_t address, uint64_t *l2, uint64_t *l3)
{
    if (state.l2.ways == 0 || line_cache_access(&state.l2, address))
        return;
    ++*l2;
    if (state.l3.ways > 0 && !line_cache_access(&state.l3, address))
        ++*l3;
}

static void touch(uint64_t address, int kind, bool goes_on)
{
    uint64_t at = physical(address);
    bool missed = !line_cache_access(&state.l1d, at);
    if (missed && !(goes_on && state.missed[kind])) {
        state.l1d_misses[kind]++;
        fetch(at, &state.l2_misses[kind], &state.l3_misses[kind]);
    }
    state.missed[kind] = missed || (goes_on && state.missed[kind]);
}

static void access_data(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t address, void *context)
{
    (void)vcpu;
    int kind = qemu_plugin_mem_is_store(info) ? STORE : LOAD;
    if (kind == LOAD && context != NULL)
        return; /* QEMU reads what a conditional store would overwrite; the instruction does not */
    uint64_t size = UINT64_C(1) << qemu_plugin_mem_size_shift(info);
    uint64_t line_bytes = state.l1d.line;
    uint64_t first = address / line_bytes;
    uint64_t last = (address + size - 1) / line_bytes;
    uint64_t executed = qemu_api_counted();
    bool goes_on = state.accessed_at[kind] == executed && state.next[kind] == address;
    state.accessed_at[kind] = executed;
    state.next[kind] = address + size;
    if (!goes_on) {
        state.accesses[kind]++;
        if (state.tlb.ways > 0)
            state.tlb_misses += !huge_pages_translate(&state.huge, &state.tlb, &state.huge_tlb, address);
    }
    if (!goes_on || first != state.line[kind])
        touch(address, kind, goes_on);
    if (last != first)
        touch(last * line_bytes, kind, true);
    state.line[kind] = last;
}

static void resolve(const struct executed_block *before, uint64_t next)
{
    if (before->branch == BRANCH_CONDITIONAL) {
        bool taken = next != before->end;
        state.branches++;
        state.branches_taken += taken;
        state.branch_misses += !branch_predictor_taken(&state.predictor, before->branch_at, taken);
    }
    state.blind += before->branch == BRANCH_BLIND;
    if (before->branch == BRANCH_INDIRECT) {
        state.jumps++;
        state.jump_misses += !branch_predictor_target(&state.predictor, before->branch_at, next);
    }
}

static void enter_block(unsigned vcpu, void *context)
{
    (void)vcpu;
    static uint64_t last_line;
    const struct executed_block *block = context;
    if (state.most > 0 && qemu_api_counted() > state.most) {
        fprintf(stderr, "%s%" PRIu64 "\n", QEMU_ENDLESS, state.most);
        _exit(EXIT_FAILURE);
    }
    if (state.before != NULL)
        resolve(state.before, block->start);
    state.before = block;
    for (uint64_t line = block->first; line <= block->last; line++) {
        uint64_t unused[2] = {0};
        uint64_t at = physical(line * state.l1i.line);
        if (line == last_line)
            continue;
        state.lines_entered++;
        if (!line_cache_access(&state.l1i, at)) {
            state.l1i_misses++;
            fetch(at, &unused[0], &unused[1]);
        }
    }
    last_line = block->last;
}

static void translate(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
    (void)id;
    size_t count = qemu_plugin_tb_n_insns(tb);
    if (count == 0)
        abort();
    struct qemu_plugin_insn *first = qemu_plugin_tb_get_insn(tb, 0);
    uint64_t start = qemu_plugin_insn_vaddr(first);
    if (!state.board)
        huge_pages_place(&state.huge, qemu_plugin_insn_haddr(first), start);
    if (start < state.code || start >= state.code_end) {
        for (size_t i = 0; i < count; i++)
            if (qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(tb, i)) == state.advised)
                qemu_plugin_register_vcpu_mem_cb(qemu_plugin_tb_get_insn(tb, i), read_advised,
                                                 QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW, NULL);
        return;
    }
    struct executed_block *block = calloc(1, sizeof *block);
    uint8_t bytes[QEMU_INSN_BYTES];
    if (block == NULL)
        abort();
    for (size_t i = 0; i < count; i++) {
        struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
        size_t length = qemu_api_bytes(insn, bytes);
        bool conditional = state.target->access(bytes, length) == ACCESS_CONDITIONAL;
        qemu_api_count(insn);
        qemu_plugin_register_vcpu_mem_cb(insn, access_data, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW,
                                         conditional ? block : NULL);
    }
    struct qemu_plugin_insn *last = qemu_plugin_tb_get_insn(tb, count - 1);
    size_t size = qemu_api_bytes(last, bytes);
    block->start = start;
    block->branch_at = qemu_plugin_insn_vaddr(last);
    block->end = block->branch_at + size;
    block->branch = state.target->branch(bytes, size);
    if (block->branch == BRANCH_INDIRECT && size > 2 && state.target->entry != 0 &&
        (qemu_word(bytes) & state.target->entry_bits) == state.target->entry)
        block->branch = BRANCH_NONE; /* it is no branch{} */
    block->first = block->start / state.l1i.line;
    block->last = (block->end - 1) / state.l1i.line;
    qemu_plugin_register_vcpu_tb_exec_cb(tb, enter_block, QEMU_PLUGIN_CB_NO_REGS, block);
}

/* ---- its output line ---- */

static void report(qemu_plugin_id_t id, void *context)
{
    (void)id;
    (void)context;
    const struct {
        const char *name;
        uint64_t value;
    } counts[] = {{"instructions", qemu_api_counted()},
                  {"loads", state.accesses[LOAD]},
                  {"stores", state.accesses[STORE]},
                  {"l1d_load_misses", state.l1d_misses[LOAD]},
                  {"l1d_store_misses", state.l1d_misses[STORE]},
                  {"l2_load_misses", state.l2_misses[LOAD]},
                  {"l2_store_misses", state.l2_misses[STORE]},
                  {"l3_load_misses", state.l3_misses[LOAD]},
                  {"l3_store_misses", state.l3_misses[STORE]},
                  {"tlb_misses", state.tlb_misses},
                  {"lines_entered", state.lines_entered},
                  {"l1i_misses", state.l1i_misses},
                  {"branches", state.branches},
                  {"branches_taken", state.branches_taken},
                  {"branch_misses", state.branch_misses},
                  {"jumps", state.jumps},
                  {"jump_misses", state.jump_misses},
                  {"blind", state.blind}};
    char line[1024];
    int used = snprintf(line, sizeof line, "{\"qemu\":1");
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        used += snprintf(line + used, sizeof line - (size_t)used, ",\"%s\":%" PRIu64, counts[i].name,
                         counts[i].value);
    used += snprintf(line + used, sizeof line - (size_t)used, "}\n");
    /* If the reader is gone, the program's own write reports it. */
    ssize_t written = write(state.output, line, (size_t)used);
    (void)written;
}

/* ---- its arguments ---- */

static int refuse(const char *argument)
{
    fprintf(stderr, "trauma's plugin: cannot use \"%s\"\n", argument);
    return 1;
}

static bool read_number(const char *text, uint64_t *value)
{
    char *end;
    *value = strtoull(text, &end, 10);
    return text[0] >= '0' && text[0] <= '9' && *end == '\0';
}

/* "l1d=32768:8:64:lru". */
static bool read_argument(char *argument)
{
    const struct {
        const char *name;
        struct line_cache *cache;
    } caches[] = {{"l1i", &state.l1i}, {"l1d", &state.l1d}, {"l2", &state.l2},
                  {"l3", &state.l3},   {"tlb", &state.tlb}, {"huge_tlb", &state.huge_tlb}};
    char *value = strchr(argument, '=');
    if (value == NULL)
        return false;
    size_t length = (size_t)(value++ - argument);
    for (size_t i = 0; i < sizeof caches / sizeof caches[0]; i++)
        if (strlen(caches[i].name) == length && strncmp(argument, caches[i].name, length) == 0)
            return line_cache_parse(caches[i].cache, value);
    const struct {
        const char *name;
        uint64_t *number;
    } numbers[] = {{"seed=", &state.seed},     {"pages=", &state.pages},       {"huge=", &state.huge.bytes},
                   {"code=", &state.code},     {"code_end=", &state.code_end}, {"advised=", &state.advised},
                   {"hashed=", &state.hashed}, {"most=", &state.most}};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (strncmp(argument, numbers[i].name, length + 1) == 0)
            return read_number(value, numbers[i].number);
    return false;
}

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
    struct line_cache *const caches[] = {&state.l1i, &state.l1d, &state.l2,
                                         &state.l3,  &state.tlb, &state.huge_tlb};
    state.output = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
    state.code_end = UINT64_MAX;
    qemu_api_begin(info);
    if (argc > 0 && strncmp(argv[0], "board=", 6) == 0)
        return share_watch_install(id, info, argc, argv);
    if (argc > 0 && strncmp(argv[0], "trace=", 6) == 0)
        return trace_watch_install(id, info, argc, argv);
    if (argc > 0 && strncmp(argv[0], "app=", 4) == 0)
        return app_watch_install(id, info, argc, argv);
    state.target = qemu_target_find(info->target_name);
    if (state.target == NULL)
        return refuse(info->target_name);
    state.board = info->system_emulation;
    for (int i = 0; i < argc; i++)
        if (!read_argument(argv[i]))
            return refuse(argv[i]);
    if (state.l1i.ways == 0 || state.l1d.ways == 0)
        return refuse("no l1i, no l1d");
    state.l2.hashed = state.l3.hashed = state.hashed != 0;
    for (size_t i = 0; i < sizeof caches / sizeof caches[0]; i++)
        if (caches[i]->ways > 0 && !line_cache_start(caches[i], state.seed + i))
            return refuse("so large a cache");
    qemu_plugin_register_vcpu_tb_trans_cb(id, translate);
    qemu_plugin_register_vcpu_syscall_cb(id, call_system);
    qemu_plugin_register_atexit_cb(id, report, NULL);
    return 0;
}
