/* A plugin for QEMU: simulates caches, a data TLB and a branch predictor, and counts the events that a
 * program's loads, stores, instructions and branches cause in them, on any processor that QEMU emulates. The
 * runner (runner/sources/qemu/) loads it:
 *
 *     qemu-x86_64 -plugin PLUGIN.so,l1d=32768:8:64:lru,l2=... PROGRAM
 *
 *     l1i, l1d, l2, l3 = SIZE:WAYS:LINE:POLICY    caches; POLICY is lru, tree_plru, random or fifo
 *     tlb = SIZE:WAYS:PAGE:POLICY                 data TLB; SIZE is the bytes that its entries map
 *     huge_tlb = SIZE:WAYS:PAGE:POLICY            a TLB for the huge pages that the program requests by
 *                                                 madvise; without it they use the data TLB
 *     huge = BYTES                                size of a huge page; 0: the system has none
 *     seed = N                                    of random replacement and of page maps
 *     pages = BYTES                               page size of a random page map, which also maps huge pages;
 *                                                 0: addresses are used unchanged
 *     hashed = 1                                  the indices of L2 and L3 include upper address bits
 *     most = N                                    instructions; a program that executes more is ended, with
 *                                                 QEMU_ENDLESS on standard error; 0: no limit
 *
 * In qemu-system the program runs on a board's system (isa/<isa>/board.s), whose own code is not counted:
 *
 *     code = A, code_end = A                      the range of the program's instructions
 *     advised = A                                 the system's instruction that reads the first and the last
 *                                                 byte of memory for which the program requests huge pages
 *
 * Each process writes one line of JSON to its standard output when it ends. A miss in L1D or L1I accesses L2,
 * and a miss in L2 accesses L3; the caches are neither inclusive nor exclusive. With board=, the plugin
 * instead counts the accesses of copies to shared regions (share_watch.h); with trace=, it records what the
 * program executes (trace_watch.c); with app=, it counts an application (app_watch.c). */
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
    uint64_t start, end;  /* addresses of its first instruction and of the one after its last */
    uint64_t branch_at;   /* address of its last instruction */
    enum branch_kind branch;
};

static struct {
    struct line_cache l1i, l1d, l2, l3, tlb, huge_tlb;
    struct branch_predictor predictor;
    const struct qemu_target *target;

    int output; /* a duplicate of standard output, which qemu-system closes before it ends */
    uint64_t code, code_end, advised;
    uint64_t advised_from; /* the first byte, until the last one is read; 0: none */

    uint64_t pages; /* bytes; 0: addresses are used unchanged */
    struct huge_pages huge;
    bool board; /* qemu-system, not qemu-user */
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

/* Maps each page to a different frame: four Feistel rounds over 32 bits of its number are a bijection. */
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

/* Accesses L2 and L3 after a miss in L1; *l2 and *l3 count their misses. */
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
        return; /* QEMU also reports a load for a conditional store, which does not happen */
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
        block->branch = BRANCH_NONE; /* code{}'s jump to its copy, not one of branch{} */
    block->first = block->start / state.l1i.line;
    block->last = (block->end - 1) / state.l1i.line;
    qemu_plugin_register_vcpu_tb_exec_cb(tb, enter_block, QEMU_PLUGIN_CB_NO_REGS, block);
}

/* ---- output ---- */

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

/* ---- arguments ---- */

int plugin_refuse(const char *argument)
{
    fprintf(stderr, "trauma's plugin: cannot use \"%s\"\n", argument);
    return 1;
}

bool plugin_read_number(const struct plugin_number *rows, const char *argument)
{
    size_t length = strcspn(argument, "=");
    const char *value = argument + length + (argument[length] == '=');
    for (; rows->name != NULL; rows++)
        if (strlen(rows->name) == length && strncmp(rows->name, argument, length) == 0) {
            char *end;
            *rows->number = strtoull(value, &end, 10);
            return value[0] >= '0' && value[0] <= '9' && *end == '\0';
        }
    return false;
}

/* "l1d=32768:8:64:lru". */
static bool read_argument(const char *argument)
{
    const struct {
        const char *name;
        struct line_cache *cache;
    } caches[] = {{"l1i", &state.l1i}, {"l1d", &state.l1d}, {"l2", &state.l2},
                  {"l3", &state.l3},   {"tlb", &state.tlb}, {"huge_tlb", &state.huge_tlb}};
    const char *value = strchr(argument, '=');
    if (value == NULL)
        return false;
    size_t length = (size_t)(value++ - argument);
    for (size_t i = 0; i < sizeof caches / sizeof caches[0]; i++)
        if (strlen(caches[i].name) == length && strncmp(argument, caches[i].name, length) == 0)
            return line_cache_parse(caches[i].cache, value);
    static const struct plugin_number numbers[] = {
        {"seed", &state.seed},     {"pages", &state.pages},       {"huge", &state.huge.bytes},
        {"code", &state.code},     {"code_end", &state.code_end}, {"advised", &state.advised},
        {"hashed", &state.hashed}, {"most", &state.most},         {NULL, NULL}};
    return plugin_read_number(numbers, argument);
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
        return plugin_refuse(info->target_name);
    state.board = info->system_emulation;
    for (int i = 0; i < argc; i++)
        if (!read_argument(argv[i]))
            return plugin_refuse(argv[i]);
    if (state.l1i.ways == 0 || state.l1d.ways == 0)
        return plugin_refuse("no l1i, no l1d");
    state.l2.hashed = state.l3.hashed = state.hashed != 0;
    for (size_t i = 0; i < sizeof caches / sizeof caches[0]; i++)
        if (caches[i]->ways > 0 && !line_cache_start(caches[i], state.seed + i))
            return plugin_refuse("so large a cache");
    qemu_plugin_register_vcpu_tb_trans_cb(id, translate);
    qemu_plugin_register_vcpu_syscall_cb(id, call_system);
    qemu_plugin_register_atexit_cb(id, report, NULL);
    return 0;
}
