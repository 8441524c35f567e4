#include "runner/sources/qemu/qemu_shared.h"

#include "base/buffer.h"
#include "base/files/memory_file.h"
#include "base/memory.h"
#include "generator/kernel/kernel.h"
#include "isa/isa.h"
#include "isa/mc.h"
#include "isa/object.h"
#include "isa/qemu_target.h"
#include "runner/process/child.h"
#include "runner/sources/identity.h"
#include "runner/sources/source.h"
#include "sim/qemu/share_board.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Compares the copies' accesses to shared regions with those that their recipe states. It uses the kernel and
 * the shared board of the simulation, but not the plan, so that it finds the plan's errors. */

/* The run to compare with. */
struct share_request {
    const struct kernel *kernel;
    unsigned units;          /* of the loop */
    unsigned passes;         /* of each copy */
    unsigned copies;         /* all copies */
    unsigned first, counted; /* the copies that ran: `counted` of them, from the first one on */
    unsigned line;           /* bytes */
};

/* Numbers of accesses. Reads that belong to an atomic count only in the first two members. */
struct share_tally {
    double as_stated; /* stated accesses that were made */
    double all;       /* stated or made */
    double made;
    double on_common_lines, on_common_words; /* of these, to lines and words of several copies */
};

/* A copy's accesses of one kind to one word. */
struct share_row {
    uint64_t place;
    unsigned copy, kind, width;
    double stated, made, in_turn;
    bool reads;   /* an atomic's own reads: there may be more than stated */
    bool ordered; /* only accesses in turn count */
};

struct share_rows {
    struct share_row *items;
    size_t count;
};

static void add(struct share_rows *rows, const struct share_row *row)
{
    rows->items = memory_next(rows->items, rows->count, sizeof *rows->items);
    rows->items[rows->count++] = *row;
}

/* ---- stated accesses ---- */

static enum board_kind kind_of(const struct behaviour *item)
{
    if (strcmp(item->op, "load") == 0)
        return BOARD_LOAD;
    return strcmp(item->op, "store") == 0 || behaviour_is_atomic(item, "turn") ? BOARD_STORE : BOARD_ATOMIC;
}

/* Adds one access of the behaviour, made that many times. Compare-and-swap may read the word before, and
 * copies wait for their turn by reading. */
static void state_access(struct share_rows *rows, const struct behaviour *item, unsigned copy, uint64_t place,
                         double times)
{
    bool turn = behaviour_is_atomic(item, "turn");
    struct share_row row = {.place = place,
                            .copy = copy,
                            .kind = kind_of(item),
                            .width = item->width,
                            .stated = times,
                            .ordered = turn};
    add(rows, &row);
    if (!turn && !behaviour_is_atomic(item, "cas"))
        return;
    row.kind = BOARD_LOAD;
    row.stated = turn ? times : 0;
    row.reads = true;
    row.ordered = false;
    add(rows, &row);
}

/* Adds a behaviour's accesses. Walks continue from pass to pass; other accesses repeat. */
static void state_item(struct share_rows *rows, const struct share_request *request,
                       const struct behaviour *item, unsigned copy)
{
    const struct shared_access *access = &item->shared;
    uint64_t start = (1 + access->region) * BOARD_SPAN + access->offset + copy * access->apart;
    unsigned count = request->units * item->count;
    bool walks = access->working_set > 0;
    uint64_t at = 0;
    for (unsigned pass = 0; pass < (walks ? request->passes : 1); pass++) {
        for (unsigned i = 0; i < count; i++)
            state_access(rows, item, copy, start + at + i * access->stride, walks ? 1 : request->passes);
        at += count * access->stride;
        if (walks && at >= access->working_set)
            at -= access->working_set;
    }
}

/* ---- accesses that were made ---- */

static void take_board(struct share_rows *rows, const struct board_access *table, size_t entries)
{
    for (size_t i = 0; i < entries; i++)
        if (table[i].count > 0 && table[i].kind != BOARD_WORD)
            add(rows, &(struct share_row){.place = table[i].place,
                                          .copy = table[i].copy,
                                          .kind = table[i].kind,
                                          .width = table[i].width,
                                          .made = table[i].count,
                                          .in_turn = table[i].in_turn});
}

static int compare(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int compare_rows(const void *a, const void *b)
{
    const struct share_row *left = a, *right = b;
    int order = compare(left->copy, right->copy);
    order = order != 0 ? order : compare(left->place, right->place);
    order = order != 0 ? order : compare(left->kind, right->kind);
    return order != 0 ? order : compare(left->width, right->width);
}

/* Sorts the rows, and joins those of the same copy, place, kind and width. */
static void join(struct share_rows *rows)
{
    size_t kept = 0;
    if (rows->count > 0)
        qsort(rows->items, rows->count, sizeof *rows->items, compare_rows);
    for (size_t i = 0; i < rows->count; i++) {
        struct share_row *last = kept == 0 ? NULL : &rows->items[kept - 1];
        const struct share_row *row = &rows->items[i];
        if (last == NULL || compare_rows(last, row) != 0) {
            rows->items[kept++] = *row;
            continue;
        }
        last->stated += row->stated;
        last->made += row->made;
        last->in_turn += row->in_turn;
        last->reads = last->reads || row->reads;
        last->ordered = last->ordered || row->ordered;
    }
    rows->count = kept;
}

/* ---- accesses to common lines and words ---- */

struct share_touch {
    uint64_t part; /* the line's or word's number */
    unsigned copy;
    size_t row;
};

static int compare_touches(const void *a, const void *b)
{
    const struct share_touch *left = a, *right = b;
    int order = compare(left->part, right->part);
    return order != 0 ? order : compare(left->copy, right->copy);
}

/* The number of accesses to parts of that many bytes that another copy also accesses. */
static double count_common(const struct share_rows *rows, unsigned bytes)
{
    struct share_touch *touches = NULL;
    size_t count = 0;
    bool *common = memory_zeroed(rows->count, sizeof *common);
    for (size_t i = 0; i < rows->count; i++) {
        const struct share_row *row = &rows->items[i];
        for (uint64_t part = row->place / bytes; part <= (row->place + row->width - 1) / bytes; part++) {
            if (row->reads || row->made == 0)
                continue;
            touches = memory_next(touches, count, sizeof *touches);
            touches[count++] = (struct share_touch){part, row->copy, i};
        }
    }
    if (count > 0)
        qsort(touches, count, sizeof *touches, compare_touches);
    for (size_t first = 0, end = 0; first < count; first = end) {
        while (end < count && touches[end].part == touches[first].part)
            end++;
        for (size_t i = first; touches[first].copy != touches[end - 1].copy && i < end; i++)
            common[touches[i].row] = true;
    }
    double sum = 0;
    for (size_t i = 0; i < rows->count; i++)
        sum += common[i] ? rows->items[i].made : 0;
    free(common);
    free(touches);
    return sum;
}

static struct share_tally share_tally_of(const struct share_request *request,
                                         const struct board_access *table, size_t entries)
{
    enum { SMALLEST_WORD = 4 };
    struct share_rows rows = {0};
    struct share_tally tally = {0};
    take_board(&rows, table, entries);
    for (unsigned copy = request->first; copy < request->first + request->counted; copy++)
        for (size_t i = 0; i < request->kernel->count; i++)
            if (request->kernel->items[i].kind == BEHAVIOUR_SHARED)
                state_item(&rows, request, &request->kernel->items[i], copy);
    join(&rows);
    for (size_t i = 0; i < rows.count; i++) {
        const struct share_row *row = &rows.items[i];
        double made = row->ordered ? fmin(row->made, row->in_turn) : row->made;
        tally.as_stated += fmin(row->stated, made);
        tally.all += row->reads ? row->stated : fmax(row->stated, row->made);
        tally.made += row->reads ? 0 : row->made;
    }
    tally.on_common_lines = count_common(&rows, request->line);
    tally.on_common_words = count_common(&rows, SMALLEST_WORD);
    free(rows.items);
    return tally;
}

/* ---- flushes ---- */

struct marking {
    const struct qemu_target *target;
    const struct object_part *from; /* the object's code */
    unsigned char *to;              /* the same place of the executable */
    size_t room;                    /* bytes from there */
};

static void visit(uint64_t offset, size_t length, const char *text, void *context)
{
    const struct marking *marking = context;
    const unsigned char *bytes = marking->from->bytes + offset;
    unsigned char marked[QEMU_INSTRUCTION_BYTES];
    (void)text;
    if (offset + length <= marking->room && marking->target->mark_flush(bytes, length, marked) &&
        memcmp(marking->to + offset, bytes, length) == 0)
        memcpy(marking->to + offset, marked, length);
}

/* Replaces flushes in the executable's copy by marked loads, where the object has flushes and the executable
 * the same bytes. STATUS_FAILED if a file cannot be read. */
static enum status flush_marks_set(const struct isa *isa, const void *object, size_t object_size,
                                   struct buffer *executable, struct error *error)
{
    struct object_part from, to;
    uint64_t from_kernel = 0, to_kernel = 0;
    struct marking marking = {.target = qemu_target_find(isa->name), .from = &from};
    if (marking.target == NULL || marking.target->mark_flush == NULL)
        return STATUS_OK;
    enum status status = object_section(object, object_size, ".text", &from, error);
    if (status == STATUS_OK)
        status = object_symbol(object, object_size, "trauma_kernel", &from_kernel, error);
    if (status == STATUS_OK)
        status = object_section(executable->data, executable->size, ".text", &to, error);
    if (status == STATUS_OK)
        status = object_symbol(executable->data, executable->size, "trauma_kernel", &to_kernel, error);
    if (status != STATUS_OK)
        return status;
    uint64_t at = to_kernel - to.address - from_kernel;
    if (at > to.size)
        return error_set(error, STATUS_FAILED, "the executable's kernel lies outside its code");
    marking.to = (unsigned char *)executable->data + (to.bytes - (unsigned char *)executable->data) + at;
    marking.room = to.size - at;
    return mc_disassemble(isa, from.bytes, from.size, visit, &marking, error);
}

/* Passes of each copy: windows and turns repeat within a few. */
enum { PASSES = 20, ARGUMENT_BYTES = 256, NOBODY = -1 };
static const double TIMEOUT_S = 240;

_Static_assert(BOARD_SPAN == REGION_SPAN && BOARD_PARTS == 1 + MOST_REGIONS,
               "the board's parts are those of the shared file");

/* Accesses of all copies, with the preparation of lines, that take about a minute. */
static const double MOST_ACCESSES = 6e7;

/* The run of a point's copies. */
struct share_run {
    const struct test_program *test_program;
    struct share_request request;
    const struct isa *isa;
    enum qemu_way way;
    uint64_t kernel_at, loop_at, loop_end;
    struct buffer program; /* its executable, with marks for flushes */
    int board_fd, share_fd;
    struct board *board; /* mapped up to the end of its table */
    const struct board_access *table;
    size_t mapped;
    atomic_int blame; /* the first copy that failed */
};

/* ---- how many copies ---- */

static unsigned number_in_place(const struct manifest *manifest)
{
    for (size_t i = 0; i < manifest->place.count; i++)
        if (strcmp(manifest->place.items[i].kind, "cores") == 0 && manifest->place.items[i].word == NULL)
            return (unsigned)manifest->place.items[i].count;
    return 0;
}

/* Finds the number of copies. A program that runs with programs of other cores is observed alone, as the copy
 * that it is. */
static void find_copies(const struct test_program *test_program, struct share_request *request)
{
    const struct manifest *manifest = test_program->manifest;
    *request = (struct share_request){.copies = 1, .counted = 1};
    if (manifest->together.count > 1) {
        request->copies = (unsigned)manifest->together.count;
        for (unsigned i = 0; i < request->copies; i++)
            if (strcmp(manifest_text_or(manifest->together.items[i], ""),
                       manifest_text_or(manifest->point, "")) == 0)
                request->first = i;
        return;
    }
    if (manifest->threads >= 0)
        request->copies = (unsigned)fmin(manifest->threads, UINT16_MAX);
    else if (manifest->place.given && number_in_place(manifest) > 0)
        request->copies = number_in_place(manifest);
    else if (manifest->place.given)
        request->copies = test_program->place == NULL ? 0 : (unsigned)test_program->place->count;
    request->counted = request->copies;
}

/* The accesses of all copies in passes, warm-up and preparation of lines. */
static double count_turns(const struct test_program *test_program, const struct share_request *request)
{
    const struct manifest_shared *shared = &test_program->manifest->shared;
    double calls = 2, passes = test_program->manifest->warmup + PASSES;
    double accesses = shared->load + shared->store + shared->atomic;
    double lines = isnan(shared->lines) ? 0 : shared->lines;
    double prepared = shared->coherence == NULL ? 0
                      : lines > shared->pass_lines
                          ? calls * 3 * lines * (1 + passes * shared->pass_lines / lines)
                          : passes * 3 * lines;
    return request->copies * (passes * accesses + prepared);
}

static enum status check_size(const struct test_program *test_program, const struct share_request *request,
                              struct error *error)
{
    if (request->copies == 0) {
        error_set(error, STATUS_UNAVAILABLE,
                  "how many copies share the regions depends on the machine, and none is placed here");
        error_hint(error, "threads = 2, or place = { cores = { 0, 1 } }");
        return STATUS_UNAVAILABLE;
    }
    if (request->copies > LINE_STATES_CORES)
        return error_set(error, STATUS_UNAVAILABLE,
                         "%u copies share regions: at most %d are simulated together", request->copies,
                         LINE_STATES_CORES);
    double all = count_turns(test_program, request);
    if (all <= MOST_ACCESSES)
        return STATUS_OK;
    error_set(error, STATUS_UNAVAILABLE,
              "its copies make %.3g accesses to what they share, the preparing of lines included: at most "
              "%.3g are simulated",
              all, MOST_ACCESSES);
    error_hint(error, "a smaller working_set, or a window of it");
    return STATUS_UNAVAILABLE;
}

/* Reads the kernel from the manifest, and checks its accesses. */
static enum status read_kernel(struct share_run *run, const struct isa *isa, struct arena *arena,
                               struct kernel *kernel, struct error *error)
{
    const struct manifest *manifest = run->test_program->manifest;
    const struct manifest_shared *shared = &manifest->shared;
    if (isa == NULL || manifest->kernel == NULL)
        return error_set(error, STATUS_UNAVAILABLE, "the manifest has no kernel of a processor");
    enum status status = kernel_from_json(manifest->kernel, isa, arena, kernel, error);
    if (status != STATUS_OK)
        return source_unavailable(STATUS_FAILED, error);
    double accesses = 0;
    for (size_t i = 0; i < kernel->count; i++)
        accesses += kernel->items[i].kind == BEHAVIOUR_SHARED ? kernel->items[i].count : 0;
    if (accesses > 0 && accesses * manifest->units == shared->load + shared->store + shared->atomic)
        return STATUS_OK;
    return error_set(
        error, STATUS_UNAVAILABLE,
        "the manifest states %.0f accesses to shared regions in each of %.0f units, and %.0f in a "
        "pass",
        accesses, manifest->units, shared->load + shared->store + shared->atomic);
}

/* ---- the files that the copies need ---- */

static enum status read_symbols(struct share_run *run, struct error *error)
{
    const struct test_program *program = run->test_program;
    const struct {
        const char *name;
        uint64_t *value;
    } symbols[] = {{"trauma_kernel", &run->kernel_at},
                   {"trauma_loop", &run->loop_at},
                   {"trauma_loop_end", &run->loop_end}};
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < sizeof symbols / sizeof symbols[0]; i++)
        status = object_symbol(program->executable, program->executable_size, symbols[i].name,
                               symbols[i].value, error);
    return status;
}

static enum status copy_program(struct share_run *run, const struct isa *isa, struct error *error)
{
    const struct test_program *program = run->test_program;
    buffer_append(&run->program, program->executable, program->executable_size);
    const struct behaviour *coherent = kernel_coherent(run->request.kernel);
    enum status status = STATUS_OK;
    if (coherent != NULL && coherent->shared.coherence != COHERENCE_MODIFIED) /* other states need flushes */
        status = flush_marks_set(isa, program->object, program->object_size, &run->program, error);
    return status;
}

/* The size of the board's table: twice as many entries as there can be, of two rows for an atomic and one for
 * a word. */
static uint32_t entry_bits_of(const struct share_run *run)
{
    enum { ENTRIES_EACH = 2 * 3, LEAST_BITS = 12, MOST_BITS = 26 };
    const struct manifest_shared *shared = &run->test_program->manifest->shared;
    double entries = ENTRIES_EACH * (double)run->request.copies *
                     (PASSES + run->test_program->manifest->warmup) *
                     (shared->load + shared->store + shared->atomic);
    uint32_t bits = LEAST_BITS;
    while (bits < MOST_BITS && (double)(UINT64_C(1) << bits) < entries)
        bits++;
    return bits;
}

static enum status open_board(struct share_run *run, bool interleave, struct error *error)
{
    uint32_t bits = entry_bits_of(run);
    enum status status = memory_file_open("", 0, false, &run->board_fd, error);
    if (status != STATUS_OK)
        return status;
    run->mapped = board_lines_at(bits);
    void *bytes = MAP_FAILED;
    if (ftruncate(run->board_fd, (off_t)board_bytes(bits, run->request.line)) == 0)
        bytes = mmap(NULL, run->mapped, PROT_READ | PROT_WRITE, MAP_SHARED, run->board_fd, 0);
    if (bytes == MAP_FAILED)
        return error_set(error, STATUS_UNAVAILABLE, "cannot map a file in memory for the copies: %s",
                         strerror(errno));
    run->board = bytes;
    run->table = (const void *)((const char *)bytes + board_table_at());
    *run->board = (struct board){.copies = run->request.copies,
                                 .line = run->request.line,
                                 .entry_bits = bits,
                                 .skip = run->test_program->manifest->warmup > 0,
                                 .interleave = interleave};
    for (unsigned i = 0; i < run->request.copies; i++)
        run->board->of[i].ended = i < run->request.first || i >= run->request.first + run->request.counted;
    run->board->of[run->request.first].go = 1;
    return STATUS_OK;
}

static void close_files(struct share_run *run)
{
    int *const fds[] = {&run->board_fd, &run->share_fd};
    if (run->board != NULL)
        munmap(run->board, run->mapped);
    for (size_t i = 0; i < sizeof fds / sizeof fds[0]; i++)
        if (*fds[i] >= 0)
            close(*fds[i]);
    buffer_free(&run->program);
}

/* ---- the run ---- */

struct attendant {
    struct share_run *run;
    unsigned copy;
    pthread_t thread;
    enum status status;
    struct error error;
};

/* Checks that the program reported the requested passes. */
static enum status check_output(const struct child_result *result, struct error *error)
{
    char mark[ARGUMENT_BYTES];
    snprintf(mark, sizeof mark, "{\"iterations\":%d,", PASSES);
    if (result->output.size > 0 && strstr(result->output.data, mark) != NULL)
        return STATUS_OK;
    return error_set(error, STATUS_FAILED, "the program did not report its %d passes", PASSES);
}

static void *attend(void *context)
{
    struct attendant *attendant = context;
    struct share_run *run = attendant->run;
    char board[MEMORY_FILE_PATH_BYTES], share[MEMORY_FILE_PATH_BYTES];
    char plugin[2 * ARGUMENT_BYTES], passes[ARGUMENT_BYTES], place[ARGUMENT_BYTES];
    memory_file_path(board, run->board_fd);
    memory_file_path(share, run->share_fd);
    snprintf(plugin, sizeof plugin, "board=%s,copy=%u,kernel=%" PRIu64 ",loop=%" PRIu64 ",loop_end=%" PRIu64,
             board, attendant->copy, run->kernel_at, run->loop_at, run->loop_end);
    snprintf(passes, sizeof passes, "%d", PASSES);
    snprintf(place, sizeof place, "@%u/%u%s", attendant->copy, run->request.copies, share);
    const struct qemu_start start = {.isa = run->isa,
                                     .way = run->way,
                                     .cpu = qemu_program_cpu(run->test_program),
                                     .executable = run->program.data,
                                     .executable_size = run->program.size,
                                     .plugin = plugin,
                                     .arguments = {passes, place},
                                     .share = share,
                                     .timeout_s = TIMEOUT_S};
    struct child_result result = {0};
    attendant->status = qemu_program_run(&start, &result, &attendant->error);
    if (attendant->status == STATUS_OK)
        attendant->status = check_output(&result, &attendant->error);
    child_result_free(&result);
    int nobody = NOBODY;
    if (attendant->status == STATUS_OK)
        return NULL;
    atomic_compare_exchange_strong(&run->blame, &nobody, (int)(attendant->copy - run->request.first));
    __atomic_store_n(&run->board->stop, 1, __ATOMIC_RELEASE);
    return NULL;
}

static enum status check_board(const struct share_run *run, struct error *error)
{
    const struct board *board = run->board;
    if (board->full != 0)
        return error_set(error, STATUS_FAILED,
                         "the copies access far more words of what they share than the recipe states");
    for (unsigned i = run->request.first; i < run->request.first + run->request.counted; i++) {
        const struct board_copy *copy = &board->of[i];
        if (copy->ended == 0 || copy->calls == 0) {
            error_set(error, STATUS_UNAVAILABLE, "qemu's plugin observed nothing of copy %u", i);
            error_hint(error, "the plugin is made for QEMU 4.2 and later");
            return STATUS_UNAVAILABLE;
        }
        if (copy->calls != board->skip + 1 || copy->passes != PASSES)
            return error_set(error, STATUS_FAILED,
                             "copy %u made %" PRIu64 " passes of the loop in the last of %" PRIu64
                             " calls; expected %d in the last of %u",
                             i, copy->passes, copy->calls, PASSES, board->skip + 1);
    }
    return STATUS_OK;
}

static enum status run_copies(struct share_run *run, struct error *error)
{
    unsigned count = run->request.counted, begun = 0;
    struct attendant *attendants = memory_zeroed(count, sizeof *attendants);
    atomic_store(&run->blame, NOBODY);
    for (; begun < count; begun++) {
        attendants[begun] = (struct attendant){.run = run, .copy = run->request.first + begun};
        if (pthread_create(&attendants[begun].thread, NULL, attend, &attendants[begun]) != 0)
            break;
    }
    if (begun < count)
        __atomic_store_n(&run->board->stop, 1, __ATOMIC_RELEASE);
    for (unsigned i = 0; i < begun; i++)
        pthread_join(attendants[i].thread, NULL);
    int blame = atomic_load(&run->blame);
    enum status status = STATUS_OK;
    if (begun < count) {
        status = error_set(error, STATUS_UNAVAILABLE,
                           "only %u of %u copies could be started: no more threads", begun, count);
    } else if (blame != NOBODY) {
        status = attendants[blame].status;
        if (error != NULL)
            *error = attendants[blame].error;
        error_prefix(error, "copy %u", attendants[blame].copy);
    }
    free(attendants);
    return status == STATUS_OK ? check_board(run, error) : status;
}

/* ---- observations ---- */

/* Adds the states that loads find in the region with prepared lines; loads without a preparation count in the
 * total. */
static void add_states(const struct share_run *run, const struct behaviour *coherent,
                       struct observations *list)
{
    static const struct {
        const char *metric;
        enum line_state state;
    } states[] = {{"coherence.left_modified", LINE_MODIFIED},
                  {"coherence.left_exclusive", LINE_EXCLUSIVE},
                  {"coherence.left_shared", LINE_SHARED}};
    double found[LINE_STATES] = {0}, all = 0;
    double lines = run->request.counted * floor(PASSES * run->test_program->manifest->shared.pass_lines);
    for (unsigned i = 0; i < run->request.counted; i++)
        for (unsigned state = 0; state < LINE_STATES; state++)
            found[state] += (double)run->board->of[i].parts[1 + coherent->shared.region].firsts[state];
    for (unsigned state = 0; state < LINE_STATES; state++)
        all += found[state];
    for (size_t i = 0; i < sizeof states / sizeof states[0]; i++)
        if (found[states[i].state] > 0 || manifest_has_target(run->test_program->manifest, states[i].metric))
            source_add_share(&counter_qemu, list, states[i].metric, found[states[i].state], fmax(all, lines));
}

static void add_taken(const struct share_run *run, struct observations *list)
{
    double taken = 0, accesses = 0;
    for (unsigned i = 0; i < run->request.counted; i++)
        for (unsigned part = 1; part < BOARD_PARTS; part++) {
            taken += (double)run->board->of[i].parts[part].taken;
            accesses += (double)run->board->of[i].parts[part].accesses;
        }
    source_add_share(&counter_qemu, list, "coherence.taken", taken, accesses);
}

static void add_all(const struct share_run *run, struct observations *list)
{
    struct share_tally tally = share_tally_of(&run->request, run->table, (size_t)1 << run->board->entry_bits);
    const struct behaviour *coherent = kernel_coherent(run->request.kernel);
    source_add_share(&counter_qemu, list, "coherence.placed", tally.as_stated, tally.all);
    if (run->request.counted < 2) /* it is alone, or beside other programs, which do not run here */
        return;
    source_add_share(&counter_qemu, list, "coherence.common_lines", tally.on_common_lines, tally.made);
    source_add_share(&counter_qemu, list, "coherence.common_words", tally.on_common_words, tally.made);
    if (coherent != NULL)
        add_states(run, coherent, list);
    if (run->test_program->manifest->shared.turns == 0)
        add_taken(run, list);
}

static enum status observe_kernel(struct share_run *run, const struct isa *isa, struct observations *list,
                                  struct error *error)
{
    const struct kernel *kernel = run->request.kernel;
    bool interleave = kernel_coherent(kernel) == NULL || run->test_program->manifest->shared.turns > 0;
    enum status status = source_unavailable(read_symbols(run, error), error);
    if (status == STATUS_OK)
        status = source_unavailable(copy_program(run, isa, error), error);
    if (status == STATUS_OK)
        status = open_board(run, interleave, error);
    if (status == STATUS_OK)
        status = memory_file_open("", 0, false, &run->share_fd, error);
    if (status == STATUS_OK)
        status = run_copies(run, error);
    if (status == STATUS_OK)
        add_all(run, list);
    return status;
}

enum status qemu_shared_observe(const struct test_program *test_program, enum qemu_way way,
                                struct observations *list, struct error *error)
{
    const struct manifest *manifest = test_program->manifest;
    const struct isa *isa = isa_find(qemu_program_target(test_program));
    struct arena arena = {0};
    struct kernel kernel;
    struct share_run run = {
        .test_program = test_program, .isa = isa, .way = way, .board_fd = -1, .share_fd = -1};
    find_copies(test_program, &run.request);
    run.request.kernel = &kernel;
    run.request.passes = PASSES;
    run.request.line = test_program->machine->l1d.line;
    enum status status = check_size(test_program, &run.request, error);
    if (status == STATUS_OK)
        status = read_kernel(&run, isa, &arena, &kernel, error);
    run.request.units = status == STATUS_OK ? (unsigned)manifest->units : 0;
    if (status == STATUS_OK)
        status = observe_kernel(&run, isa, list, error);
    close_files(&run);
    arena_free(&arena);
    return status;
}

double qemu_shared_seconds(const struct test_program *test_program)
{
    /* Measured on an AMD EPYC at 3.7 GHz. Copies that prepare lines rarely wait for each other; others wait
     * at every access. */
    static const double BEGIN_S = 0.08, TURN_S = 27e-6, PREPARED_S = 35e-9;
    const struct manifest_shared *shared = &test_program->manifest->shared;
    struct share_request request;
    struct error why_not;
    if (!shared->given)
        return 0;
    find_copies(test_program, &request);
    if (check_size(test_program, &request, &why_not) != STATUS_OK)
        return 0;
    bool waits = request.copies > 1 && shared->coherence == NULL;
    return BEGIN_S + count_turns(test_program, &request) * (waits ? TURN_S : PREPARED_S);
}

void qemu_shared_identify(const struct test_program *test_program, char identity[HASH_TEXT_BYTES])
{
    struct share_request request;
    find_copies(test_program, &request);
    struct manifest manifest = *test_program->manifest;
    struct test_program placed = *test_program;
    json_t *recipe = json_copy((json_t *)(uintptr_t)manifest.recipe);
    json_object_set_new(recipe, "place", json_pack("[i,i]", (int)request.copies, (int)request.first));
    manifest.recipe = recipe;
    placed.manifest = &manifest;
    identity_of_executable(&placed, identity);
    json_decref(recipe);
}
