#include "sim/qemu/share_watch.h"

#include "isa/qemu_target.h"
#include "sim/qemu/share_board.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* An instruction. They live as long as the process, as QEMU may execute them until then. */
struct watched {
    enum access_code code;
    bool in_loop, begins_kernel;
    bool ends_pass; /* the loop's last instruction, the branch back; the first one may wait for a turn */
};

/* A mapping of the shared file. */
struct mapping {
    uint64_t start, end, file_at;
};

/* An access to the shared file. */
struct watched_access {
    uint64_t place;
    unsigned width;
    bool writes;
};

enum { MOST_MAPPINGS = BOARD_PARTS, MOST_ACCESSES = 4 };

static struct {
    struct board *board;
    struct board_access *table;
    struct line_holders *lines;
    uint32_t copy;
    const struct qemu_target *target;
    uint64_t kernel, loop, loop_end;
    uint64_t code, code_end, shared; /* of a board's program */
    struct mapping mappings[MOST_MAPPINGS];
    size_t mapping_count, planned; /* planned: mappings that a board's program will make */

    /* The instruction that is being executed, and its accesses to the shared file. */
    const struct watched *now;
    struct watched_access accesses[MOST_ACCESSES];
    size_t access_count;

    /* A load-linked without its store-conditional so far. */
    bool linked, linked_in_loop;
    struct watched_access link;
} watch;

/* ---- turns ---- */

static void wake(uint32_t *word)
{
    syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

/* The runner sets stop without waking the copies, so they check it every 20 ms. */
static void wait_for_turn(void)
{
    static const struct timespec interval = {.tv_nsec = 20000000};
    uint32_t *go = &watch.board->of[watch.copy].go;
    while (__atomic_load_n(go, __ATOMIC_ACQUIRE) == 0) {
        if (__atomic_load_n(&watch.board->stop, __ATOMIC_ACQUIRE) != 0)
            _exit(1);
        syscall(SYS_futex, go, FUTEX_WAIT, 0, &interval, NULL, 0);
    }
}

/* Passes the turn to the next copy that has not ended. */
static void pass_turn(void)
{
    struct board *board = watch.board;
    uint32_t next = (watch.copy + 1) % board->copies;
    while (next != watch.copy && board->of[next].ended != 0)
        next = (next + 1) % board->copies;
    if (next == watch.copy)
        return;
    __atomic_store_n(&board->of[watch.copy].go, 0, __ATOMIC_RELEASE);
    __atomic_store_n(&board->of[next].go, 1, __ATOMIC_RELEASE);
    wake(&board->of[next].go);
}

/* ---- recording, while the copy has the turn ---- */

/* The entry with that place, copy, kind and width, or a new one. NULL: there is no room. */
static struct board_access *entry_of(const struct board_access *key)
{
    uint64_t size = UINT64_C(1) << watch.board->entry_bits;
    uint64_t mixed =
        (key->place / 4 * 256 + key->copy * 8 + key->kind * 2U + (key->width == 8)) * 0x9E3779B97F4A7C15U;
    uint64_t at = mixed >> (64 - watch.board->entry_bits);
    for (uint64_t tried = 0; tried < size; tried++, at = (at + 1) % size) {
        struct board_access *entry = &watch.table[at];
        if (entry->count == 0)
            *entry = *key;
        if (entry->place == key->place && entry->copy == key->copy && entry->kind == key->kind &&
            entry->width == key->width)
            return entry;
    }
    watch.board->full = 1;
    return NULL;
}

/* Records the access to the word. True for a store in turn: the previous copy stored the word last (or, for
 * copy 0, perhaps nobody), and this copy has read it since. */
static bool record_word(uint64_t place, bool writes)
{
    const struct board_access key = {.place = place, .kind = BOARD_WORD};
    struct board_access *word = entry_of(&key);
    uint64_t own = UINT64_C(1) << watch.copy;
    if (word == NULL)
        return false;
    word->count = 1;
    if (!writes) {
        word->readers |= own;
        return false;
    }
    uint32_t before = (watch.copy + watch.board->copies - 1) % watch.board->copies;
    bool in_turn =
        (word->readers & own) != 0 && (word->is_stored == 0 ? watch.copy == 0 : word->last_copy == before);
    word->readers = 0;
    word->is_stored = 1;
    word->last_copy = watch.copy;
    return in_turn;
}

static void count_access(const struct watched_access *access, enum board_kind kind, bool in_turn)
{
    const struct board_access key = {
        .place = access->place, .copy = watch.copy, .kind = (uint16_t)kind, .width = (uint16_t)access->width};
    struct board_access *entry = entry_of(&key);
    if (entry == NULL)
        return;
    entry->count++;
    entry->in_turn += in_turn;
}

static void record(const struct watched_access *access, enum board_kind kind, bool in_loop)
{
    struct board *board = watch.board;
    struct board_copy *copy = &board->of[watch.copy];
    bool counted = in_loop && copy->calls > board->skip;
    bool writes = kind != BOARD_LOAD;
    struct line_found found =
        line_states_access(&watch.lines[access->place / board->line], watch.copy, writes, in_loop);
    bool in_turn = in_loop && record_word(access->place, writes);
    if (!counted)
        return;
    struct board_part *part = &copy->parts[access->place / BOARD_SPAN];
    part->accesses++;
    part->taken += found.taken;
    if (!writes && found.first)
        part->firsts[found.elsewhere]++;
    count_access(access, kind, in_turn);
}

/* Lets the other copies run after an access to the page of turns, on which copies wait, and, if copies
 * interleave, after any access of the loop. */
static void hand_over(uint64_t place, bool in_loop)
{
    if (place >= BOARD_SPAN && !(in_loop && watch.board->interleave != 0))
        return;
    pass_turn();
    wait_for_turn();
}

static void drop_link(void)
{
    if (!watch.linked)
        return;
    watch.linked = false;
    record(&watch.link, BOARD_LOAD, watch.linked_in_loop);
}

static void record_conditional(const struct watched_access *access, bool in_loop)
{
    bool pairs = watch.linked && watch.link.place == access->place && watch.link.width == access->width;
    if (pairs)
        watch.linked = false;
    drop_link();
    record(access, pairs ? BOARD_ATOMIC : BOARD_STORE, in_loop);
}

/* Records the accesses of the last instruction. The turn passes only at the next instruction, so that an
 * atomic stays atomic however QEMU implements it. */
static void finish_instruction(void)
{
    if (watch.access_count == 0)
        return;
    const struct watched *now = watch.now;
    const struct watched_access first = watch.accesses[0], last = watch.accesses[watch.access_count - 1];
    size_t count = watch.access_count;
    watch.access_count = 0;
    if (now->code == ACCESS_FLUSH) {
        line_states_flush(&watch.lines[first.place / watch.board->line]);
        return;
    }
    if (now->code == ACCESS_LINK) {
        bool again = watch.linked;
        drop_link();
        watch.linked = true;
        watch.linked_in_loop = now->in_loop;
        watch.link = first;
        if (!again) /* keep the turn for the store; a second load-linked means that the copy is waiting */
            return;
    } else if (now->code == ACCESS_CONDITIONAL) {
        record_conditional(&last, now->in_loop);
    } else {
        drop_link();
        if (now->code == ACCESS_ATOMIC)
            record(&first, BOARD_ATOMIC, now->in_loop);
        for (size_t i = 0; now->code == ACCESS_PLAIN && i < count; i++)
            record(&watch.accesses[i], watch.accesses[i].writes ? BOARD_STORE : BOARD_LOAD, now->in_loop);
    }
    hand_over(first.place, now->in_loop);
}

/* ---- callbacks ---- */

static void execute(unsigned vcpu, void *context)
{
    (void)vcpu;
    struct board_copy *copy = &watch.board->of[watch.copy];
    const struct watched *next = context;
    finish_instruction();
    if (next->begins_kernel) {
        copy->calls++;
        copy->passes = 0;
    }
    copy->passes += next->ends_pass;
    watch.now = next;
}

static void access_data(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t address, void *context)
{
    (void)vcpu;
    (void)context;
    for (size_t i = 0; i < watch.mapping_count; i++) {
        const struct mapping *mapping = &watch.mappings[i];
        if (address < mapping->start || address >= mapping->end)
            continue;
        if (watch.access_count == MOST_ACCESSES) {
            watch.board->full = 1;
            continue;
        }
        watch.accesses[watch.access_count++] =
            (struct watched_access){.place = mapping->file_at + (address - mapping->start),
                                    .width = 1U << qemu_plugin_mem_size_shift(info),
                                    .writes = qemu_plugin_mem_is_store(info)};
    }
}

/* A board's program has mapped its shared regions. */
static void take_mappings(unsigned vcpu, void *context)
{
    (void)vcpu;
    (void)context;
    if (watch.mapping_count == 0)
        wait_for_turn();
    watch.mapping_count = watch.planned;
}

static void translate(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
    (void)id;
    size_t count = qemu_plugin_tb_n_insns(tb);
    struct watched *all = calloc(count + 1, sizeof *all);
    if (all == NULL)
        abort();
    for (size_t i = 0; i < count; i++) {
        struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
        uint64_t at = qemu_plugin_insn_vaddr(insn);
        uint8_t bytes[QEMU_INSN_BYTES];
        size_t size = qemu_api_bytes(insn, bytes);
        if (at == watch.shared && watch.planned > 0)
            qemu_plugin_register_vcpu_insn_exec_cb(insn, take_mappings, QEMU_PLUGIN_CB_NO_REGS, NULL);
        if (at < watch.code || at >= watch.code_end)
            continue;
        all[i] = (struct watched){.code = watch.target->access(bytes, size),
                                  .in_loop = at >= watch.loop && at < watch.loop_end,
                                  .begins_kernel = at == watch.kernel,
                                  .ends_pass = at < watch.loop_end && at + size >= watch.loop_end};
        qemu_plugin_register_vcpu_insn_exec_cb(insn, execute, QEMU_PLUGIN_CB_NO_REGS, &all[i]);
        qemu_plugin_register_vcpu_mem_cb(insn, access_data, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW, NULL);
    }
}

/* The program maps exactly its shared regions with MAP_SHARED, at addresses that it chooses. */
static void call_system(qemu_plugin_id_t id, unsigned vcpu, int64_t number, uint64_t address, uint64_t bytes,
                        uint64_t protection, uint64_t flags, uint64_t fd, uint64_t file_at, uint64_t a7,
                        uint64_t a8)
{
    (void)id, (void)vcpu, (void)protection, (void)fd, (void)a7, (void)a8;
    if (number != watch.target->mmap || (flags & 3) != MAP_SHARED)
        return;
    if (watch.mapping_count == MOST_MAPPINGS || file_at + bytes > BOARD_PARTS * BOARD_SPAN)
        abort();
    if (watch.mapping_count == 0)
        wait_for_turn();
    watch.mappings[watch.mapping_count++] = (struct mapping){address, address + bytes, file_at};
}

static void end(qemu_plugin_id_t id, void *context)
{
    (void)id;
    (void)context;
    if (watch.mapping_count == 0) /* it has not waited for its turn */
        wait_for_turn();
    finish_instruction();
    drop_link();
    watch.board->of[watch.copy].ended = 1;
    pass_turn();
}

/* ---- arguments ---- */

static bool map_board(const char *path)
{
    int fd = open(path, O_RDWR | O_CLOEXEC);
    struct board head;
    if (fd < 0 || pread(fd, &head, sizeof head, 0) != sizeof head || head.line == 0)
        return false;
    char *bytes = mmap(NULL, board_bytes(head.entry_bits, head.line), PROT_READ | PROT_WRITE,
                       MAP_SHARED | MAP_NORESERVE, fd, 0);
    close(fd);
    if (bytes == MAP_FAILED)
        return false;
    watch.board = (struct board *)(void *)bytes;
    watch.table = (struct board_access *)(void *)(bytes + board_table_at());
    watch.lines = (struct line_holders *)(void *)(bytes + board_lines_at(head.entry_bits));
    return true;
}

/* "A:BYTES:PLACE" */
static bool read_mapping(const char *text)
{
    uint64_t at, bytes, place;
    if (watch.planned == MOST_MAPPINGS ||
        sscanf(text, "%" SCNu64 ":%" SCNu64 ":%" SCNu64, &at, &bytes, &place) != 3 ||
        place + bytes > BOARD_PARTS * BOARD_SPAN)
        return false;
    watch.mappings[watch.planned++] = (struct mapping){at, at + bytes, place};
    return true;
}

static bool read_argument(const char *argument)
{
    uint64_t copy = watch.copy;
    const struct plugin_number numbers[] = {{"copy", &copy},           {"kernel", &watch.kernel},
                                            {"loop", &watch.loop},     {"loop_end", &watch.loop_end},
                                            {"code", &watch.code},     {"code_end", &watch.code_end},
                                            {"shared", &watch.shared}, {NULL, NULL}};
    if (strncmp(argument, "board=", 6) == 0)
        return map_board(argument + 6);
    if (strncmp(argument, "map=", 4) == 0)
        return read_mapping(argument + 4);
    bool good = plugin_read_number(numbers, argument);
    watch.copy = (uint32_t)copy;
    return good;
}

int share_watch_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
    watch.code_end = UINT64_MAX;
    watch.target = qemu_target_find(info->target_name);
    if (watch.target == NULL)
        return plugin_refuse(info->target_name);
    for (int i = 0; i < argc; i++)
        if (!read_argument(argv[i]))
            return plugin_refuse(argv[i]);
    if (watch.board == NULL || watch.copy >= watch.board->copies || watch.loop_end <= watch.loop)
        return plugin_refuse("no board, copy, or loop");
    qemu_plugin_register_vcpu_tb_trans_cb(id, translate);
    qemu_plugin_register_vcpu_syscall_cb(id, call_system);
    qemu_plugin_register_atexit_cb(id, end, NULL);
    return 0;
}
