/* The plugin's mode app=: counts an application, in total and by interval, for several machines at once.
 *
 *     app = PATH                         the file for the counts (app_stream.h)
 *     kernel, loop = A, passes = N       a generated program: observes everything, and counts N passes of the
 *                                        kernel's second call after its first pass
 *     l1i, l1d, l2, l3, tlb, huge_tlb =  caches, as in qemu_plugin.c; a further l1i begins the next machine
 *
 * There are at most APP_INTERVALS intervals: when all are used, pairs are merged and the length doubles. The
 * executions of each block are always counted. Its accesses, data, branches and misses are observed
 * completely in intervals of up to WHOLE_INTERVAL instructions; in longer ones they are sampled in windows
 * and extrapolated (stratified sampling, with a stratum per block). Between windows, accesses to lines that a
 * direct-mapped filter holds are skipped, and the others keep the caches warm; before each window, all
 * accesses do. All threads share one core's caches. QEMU does not report values; in qemu-user, the program's
 * memory is at a constant distance from its addresses. */
#include "isa/qemu_target.h"
#include "sim/qemu/app_stream.h"
#include "sim/qemu/branch_predictor.h"
#include "sim/qemu/huge_pages.h"
#include "sim/qemu/line_cache.h"
#include "sim/qemu/share_watch.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

enum { FIRST_INTERVAL = 1 << 16, MOST_THREADS = 64, WORD_BYTES = 8, PAGE_BYTES = 4096, HUGE_BYTES = 2 << 20 };

/* A path records APP_PATH consecutive blocks of a thread; between two paths are PATH_PAUSE to 2 PATH_PAUSE
 * blocks. When there are MOST_PATHS, every second one is dropped and the pause doubles. A path ends after
 * PATH_STOPS blocks of all threads even if it is incomplete. */
enum { MOST_PATHS = 4096, PATH_PAUSE = 1024, PATH_STOPS = 1 << 16 };

/* Intervals of more than WHOLE_INTERVAL instructions consist of at most MOST_PERIODS periods, of at least
 * PERIOD instructions. Each has one window, of 1 / WINDOW_PART of the period but at least LEAST_WINDOW
 * instructions, after a warm-up of half a window. */
enum {
    WHOLE_INTERVAL = 1 << 18,
    PERIOD = 1 << 21,
    MOST_PERIODS = 8,
    WINDOW_PART = 64,
    LEAST_WINDOW = 1 << 15
};

/* Between windows, the filter holds FILTER_LINES lines, and a block's code accesses the caches once per 1 <<
 * EPOCH_LOG2 blocks. */
enum { FILTER_LINES = 4096, EPOCH_LOG2 = 16 };

/* Groups of sets for which the last line is remembered. */
enum { MOST_GROUPS = 4096 };

/* A block's first FAMILIAR executions are always observed. ENOUGH observed executions in an interval
 * represent its others there; if there are fewer, the observations of all intervals represent them. */
enum { FAMILIAR = 64, ENOUGH = 4 };

/* A block that is executed BURST times in an interval outside windows gets an extra window, as its first
 * executions, which are observed, are not representative. */
enum { BURST = 1 << 12, EXTRA_WINDOW = 1 << 14 };

struct seen_block;

/* A decoded access descriptor of QEMU. */
struct access_kind {
    qemu_plugin_meminfo_t info;
    bool known;
    uint8_t store, shift; /* shift: log2 of the bytes */
};

struct block_counts {
    struct app_tally tally; /* without instructions and calls */
    struct app_caches caches[];
};

enum {
    TALLY_FIELDS = sizeof(struct app_tally) / sizeof(uint64_t),
    CACHE_FIELDS = sizeof(struct app_caches) / sizeof(uint64_t),
    COUNTS_MOST = TALLY_FIELDS + APP_MACHINES * CACHE_FIELDS
};

struct seen_code {
    struct app_code code;
    struct seen_block *block;
    bool conditional; /* a conditional store, for which QEMU also reports a load, which does not happen */
    struct access_kind kinds[APP_KINDS]; /* cached, as QEMU's functions take as long as a cache access */
};

/* A translated block. Blocks live as long as the process, as QEMU may execute them until then. */
struct seen_block {
    struct seen_block *next;  /* the block translated before it */
    struct seen_block *other; /* the next in the list of blocks executed in the current interval */
    uint64_t start, end, branch_at;
    bool open; /* its last instruction is longer than QEMU reports */
    enum branch_kind branch;
    uint32_t number;               /* of blocks translated before it */
    uint32_t count;                /* instructions */
    uint32_t epoch;                /* of its last access to the caches */
    uint32_t now;                  /* executions in the current interval */
    uint32_t watched;              /* of these, those observed, */
    uint32_t windowed;             /* and those in windows */
    uint32_t familiar;             /* observed executions, up to FAMILIAR */
    double watched_ever;           /* observed in all intervals; the latest weighs as much as all before it */
    bool watching;                 /* its current execution is observed */
    struct block_counts *counts;   /* of the current interval */
    double *ever;                  /* of all intervals, weighted like watched_ever */
    uint32_t times[APP_INTERVALS]; /* executions */
    struct seen_code codes[];
};

struct hierarchy {
    struct line_cache l1i, l1d, l2, l3, tlb, huge_tlb;
    uint64_t last_line, last_page; /* of code; of data */
    uint64_t touched;              /* line of the previous access */
    uint64_t line[APP_KINDS];      /* line of the previous access of the kind, */
    bool missed[APP_KINDS];        /* which missed */
    struct app_caches caches[APP_INTERVALS];
};

/* Observing and counting; observing to warm the caches; skipping most accesses. */
enum watch_mode { WATCH_COUNTED, WATCH_WARM, WATCH_SKIMMED };

struct planned_window {
    uint64_t turn, start, end;
};

struct walked_path {
    struct app_path path;
    uint32_t blocks[APP_PATH];
};

static struct {
    /* Read by every callback. */
    enum watch_mode mode;
    unsigned filter_shift;
    bool skims;                    /* the current block is not observed */
    bool plain;                    /* nor is a path recorded, and there is one thread */
    bool many;                     /* there are several threads */
    bool walking;                  /* a path is being recorded */
    uint64_t length, turn;         /* instructions in the interval so far, and at the next change of mode */
    uint64_t serial;               /* of executed blocks */
    uint64_t path_turn;            /* the block at which a path begins, or ends even if it is incomplete */
    uint64_t filter[FILTER_LINES]; /* lines, of filter_shift */

    const struct qemu_target *target;
    struct app_header *header; /* shared with children */
    int output;
    pid_t first; /* the process that is counted */
    struct hierarchy machines[APP_MACHINES];
    size_t machine_count;
    struct branch_predictor predictor;
    struct huge_pages huge; /* the first ones that the application requests */
    struct app_tally tallies[APP_INTERVALS];
    struct block_counts *uncounted;
    size_t interval;
    uint64_t interval_length, period, window, window_end; /* instructions; the starts of both; its end */
    struct planned_window planned;                        /* postponed by an extra window; turn 0: none */
    struct seen_block *blocks, *executed;                 /* all; those executed in the current interval */
    uint32_t block_count;
    struct seen_block *before[MOST_THREADS];

    /* The last line used in each group of sets: using it again changes no cache. */
    uint64_t last_used[MOST_GROUPS], group_mask, last_page;
    unsigned line_shift, page_shift;
    bool grouped;         /* all machines' L1D allow such groups */
    bool same[APP_KINDS]; /* the previous access was to such a line */

    struct walked_path paths[MOST_PATHS];
    size_t path_count;          /* begun, without those dropped */
    struct walked_path *walked; /* the path that is being recorded, */
    unsigned walker;            /* and its thread */
    uint64_t pause;             /* fewest blocks between paths */

    /* The previous access: parts of one instruction's data count as one access. */
    const struct seen_code *accessor[APP_KINDS];
    uint64_t accessed_in[APP_KINDS], next[APP_KINDS];

    uint64_t drawn; /* state of the random numbers */
    uint64_t word[APP_KINDS];
    unsigned word_bytes[APP_KINDS]; /* 0: none */

    bool all;                      /* observes everything, without windows */
    uint64_t kernel, loop, passes; /* of a generated program: addresses; passes to count */
    uint64_t calls, begun;         /* calls of the kernel; passes begun in its second call */
    char lock;
} app;

static void lock(void)
{
    /* With more threads than processors, the lock's holder may not be running. */
    enum { SPINS = 64 };
    for (unsigned i = 1; app.many && __atomic_test_and_set(&app.lock, __ATOMIC_ACQUIRE); i++)
        if (i % SPINS == 0)
            sched_yield();
}

static void unlock(void)
{
    if (app.many)
        __atomic_clear(&app.lock, __ATOMIC_RELEASE);
}

static size_t count_fields(void)
{
    return TALLY_FIELDS + app.machine_count * CACHE_FIELDS;
}

static bool is_whole(void)
{
    return app.interval_length <= WHOLE_INTERVAL || app.all;
}

/* ---- intervals ---- */

static void merge_pairs(uint64_t *counts, size_t each)
{
    for (size_t i = 0; i < APP_INTERVALS; i++)
        for (size_t j = 0; j < each; j++) {
            uint64_t count = counts[i * each + j];
            counts[i * each + j] = 0;
            counts[i / 2 * each + j] += count;
        }
}

static uint64_t draw(void)
{
    app.drawn = app.drawn * 6364136223846793005U + 1442695040888963407U; /* Knuth's MMIX */
    return app.drawn >> 40;
}

/* The counts of branches and jumps at a block's end: [FIRST_FLOW, FIRST_FLOW + FLOW_FIELDS). */
enum {
    FIRST_FLOW = offsetof(struct app_tally, branches) / sizeof(uint64_t),
    FLOW_FIELDS =
        (offsetof(struct app_tally, calls) - offsetof(struct app_tally, branches)) / sizeof(uint64_t)
};

/* Adds the counts of the observed executions, scaled to all executions. False if none was observed. */
static bool add_times(const double *counts, size_t first, size_t end, uint64_t times, double watched,
                      double *sums)
{
    if (watched <= 0)
        return false;
    double ratio = (double)times / watched;
    for (size_t i = first; i < end; i++)
        sums[i] += ratio * counts[i];
    return true;
}

/* An interval's extrapolated counts. */
struct interval_sums {
    double counts[COUNTS_MOST];
    uint64_t known;                    /* instructions of blocks with observations */
    uint64_t branches, known_branches; /* executed branches, and those with observations */
};

static double followed(const double *counts)
{
    enum { JUMPS = offsetof(struct app_tally, jumps) / sizeof(uint64_t) };
    return counts[FIRST_FLOW] + counts[JUMPS];
}

/* Extrapolates the block's counts in the interval from its observations there, if they are ENOUGH, or else
 * from those of all intervals. */
static void add_executed(struct seen_block *block, struct interval_sums *sums)
{
    size_t fields = count_fields();
    uint64_t times = block->now;
    double own[COUNTS_MOST] = {0}, *ever = block->ever;
    if (block->watched > 0) {
        uint64_t *window = (uint64_t *)block->counts;
        for (size_t i = 0; i < fields; i++) {
            own[i] = (double)window[i];
            ever[i] = ever[i] / 2 + own[i];
        }
        memset(window, 0, fields * sizeof *window);
    }
    if (block->watched > 0)
        block->watched_ever = block->watched_ever / 2 + block->watched;
    if (is_whole()) {
        add_times(own, 0, fields, 1, 1, sums->counts);
        return;
    }
    bool enough = block->watched >= ENOUGH || block->watched == times;
    const double *counts = enough ? own : ever, watched = enough ? block->watched : block->watched_ever;
    bool known = add_times(counts, 0, FIRST_FLOW, times, watched, sums->counts);
    add_times(counts, FIRST_FLOW + FLOW_FIELDS, fields, times, watched, sums->counts);
    sums->known += known ? times * block->count : 0;
    if (block->branch == BRANCH_NONE)
        return;
    enough = followed(own) >= ENOUGH || followed(own) >= (double)times;
    counts = enough ? own : ever;
    known = add_times(counts, FIRST_FLOW, FIRST_FLOW + FLOW_FIELDS, times, followed(counts), sums->counts);
    sums->branches += times;
    sums->known_branches += known ? times : 0;
}

static double scale_of(uint64_t known, uint64_t all)
{
    return known > 0 ? (double)all / (double)known : 1;
}

static void end_interval(void)
{
    struct interval_sums sums = {.known = 0};
    for (struct seen_block *block = app.executed; block != NULL; block = block->other) {
        add_executed(block, &sums);
        block->times[app.interval] = block->now;
        block->now = block->watched = block->windowed = 0;
        block->epoch = UINT32_MAX;
    }
    app.executed = NULL;
    for (size_t i = 0; i < count_fields(); i++) {
        bool flow = i >= FIRST_FLOW && i < FIRST_FLOW + FLOW_FIELDS;
        size_t machine = i < TALLY_FIELDS ? 0 : (i - TALLY_FIELDS) / CACHE_FIELDS;
        uint64_t *counts = i < TALLY_FIELDS ? (uint64_t *)&app.tallies[app.interval] + i
                                            : (uint64_t *)&app.machines[machine].caches[app.interval] +
                                                  (i - TALLY_FIELDS) % CACHE_FIELDS;
        double scale = flow ? scale_of(sums.known_branches, sums.branches) : scale_of(sums.known, app.length);
        *counts += (uint64_t)(sums.counts[i] * scale + 0.5);
    }
    app.tallies[app.interval].instructions += app.length;
}

static void next_interval(void)
{
    end_interval();
    app.length = 0;
    if (++app.interval < APP_INTERVALS)
        return;
    app.interval = APP_INTERVALS / 2;
    app.interval_length *= 2;
    merge_pairs((uint64_t *)app.tallies, sizeof app.tallies[0] / sizeof(uint64_t));
    for (size_t i = 0; i < app.machine_count; i++)
        merge_pairs((uint64_t *)app.machines[i].caches, sizeof(struct app_caches) / sizeof(uint64_t));
    for (struct seen_block *block = app.blocks; block != NULL; block = block->next)
        for (size_t i = 0; i < APP_INTERVALS; i++) {
            uint32_t times = block->times[i];
            block->times[i] = 0;
            block->times[i / 2] += times;
        }
    for (size_t i = 0; i < app.path_count && i < MOST_PATHS; i++)
        app.paths[i].path.interval /= 2;
}

static void set_mode(enum watch_mode mode, uint64_t turn)
{
    if (app.mode == WATCH_SKIMMED && mode != WATCH_SKIMMED)
        memset(app.before, 0, sizeof app.before);
    app.mode = mode;
    app.turn = turn;
}

static struct block_counts *counts_of(struct seen_block *block)
{
    return block->watching && !app.skims ? block->counts : app.uncounted;
}

static uint64_t period_length(void)
{
    uint64_t least = app.interval_length / MOST_PERIODS, most = least > PERIOD ? least : PERIOD;
    return most < app.interval_length ? most : app.interval_length;
}

static uint64_t window_length(void)
{
    uint64_t part = period_length() / WINDOW_PART;
    return part > LEAST_WINDOW ? part : LEAST_WINDOW;
}

/* Begins a period with a window at a random place in it. */
static void begin_period(void)
{
    uint64_t length = window_length(), warm_up = length / 2, room = period_length() - length - warm_up;
    app.window = app.period + warm_up + draw() % (room + 1);
    app.window_end = app.window + length;
    set_mode(WATCH_SKIMMED, app.window - warm_up);
}

static void begin_interval(void)
{
    app.period = 0;
    app.planned = (struct planned_window){0};
    if (is_whole())
        set_mode(WATCH_COUNTED, app.interval_length);
    else
        begin_period();
}

/* Begins a window for the code that is executed now, unless the next one is near. */
static void begin_extra_window(void)
{
    uint64_t window = app.length + EXTRA_WINDOW / 2, end = window + EXTRA_WINDOW;
    if (app.mode != WATCH_SKIMMED || end > app.turn)
        return;
    app.planned = (struct planned_window){app.turn, app.window, app.window_end};
    app.window = window;
    app.window_end = end;
    set_mode(WATCH_WARM, window);
}

static void end_window(void)
{
    const struct planned_window planned = app.planned;
    app.planned = (struct planned_window){0};
    if (planned.turn > 0) {
        app.window = planned.start;
        app.window_end = planned.end;
        set_mode(WATCH_SKIMMED, planned.turn);
        return;
    }
    app.period += period_length();
    set_mode(WATCH_SKIMMED, app.period);
}

static void change_mode(void)
{
    if (app.length >= app.interval_length) {
        next_interval();
        begin_interval();
    } else if (app.mode == WATCH_COUNTED)
        end_window();
    else if (app.mode == WATCH_WARM)
        set_mode(WATCH_COUNTED, app.window_end);
    else if (app.length < app.window)
        set_mode(WATCH_WARM, app.window);
    else
        begin_period();
}

/* ---- caches ---- */

/* Accesses L2 and L3 after a miss in L1. */
static void fetch(struct hierarchy *machine, uint64_t address, uint64_t *l2, uint64_t *l3)
{
    if (machine->l2.ways == 0 || line_cache_again(&machine->l2, address))
        return;
    ++*l2;
    if (machine->l3.ways > 0 && !line_cache_again(&machine->l3, address))
        ++*l3;
}

static void touch(struct hierarchy *machine, struct app_caches *caches, uint64_t address, int kind,
                  bool goes_on)
{
    bool missed = !line_cache_again(&machine->l1d, address), before = goes_on && machine->missed[kind];
    if (missed && !before) {
        caches->l1d[kind]++;
        fetch(machine, address, &caches->l2[kind], &caches->l3[kind]);
    }
    machine->missed[kind] = missed || before;
}

static void access_caches(struct hierarchy *machine, struct app_caches *caches, uint64_t address,
                          uint64_t size, int kind, bool goes_on)
{
    uint64_t first = address >> machine->l1d.line_shift,
             last = (address + size - 1) >> machine->l1d.line_shift;
    uint64_t page = address >> machine->tlb.line_shift;
    if (!goes_on && machine->tlb.ways > 0 && page != machine->last_page) {
        caches->tlb += app.huge.count > 0 && machine->tlb.line == PAGE_BYTES
                           ? !huge_pages_translate(&app.huge, &machine->tlb, &machine->huge_tlb, address)
                           : !line_cache_again(&machine->tlb, address);
        machine->last_page = page;
    }
    if (first == last && first == machine->touched) {
        machine->missed[kind] = goes_on && machine->missed[kind];
        machine->line[kind] = last;
        return;
    }
    machine->touched = last;
    if (!goes_on || first != machine->line[kind])
        touch(machine, caches, address, kind, goes_on);
    if (last != first)
        touch(machine, caches, last << machine->l1d.line_shift, kind, true);
    machine->line[kind] = last;
}

/* The last line used in its sets, in the last page used, hits in all caches and TLBs. */
static void access_machines(struct block_counts *counts, uint64_t address, uint64_t size, int kind,
                            bool goes_on)
{
    uint64_t line = address >> app.line_shift, page = address >> app.page_shift;
    uint64_t *last_used = &app.last_used[line & app.group_mask];
    bool one = app.grouped && (address + size - 1) >> app.line_shift == line;
    bool same = one && !goes_on && *last_used == line && page == app.last_page;
    if (goes_on && app.same[kind])
        for (size_t i = 0; i < app.machine_count; i++) {
            app.machines[i].missed[kind] = false;
            app.machines[i].line[kind] = (address - 1) >> app.line_shift;
        }
    app.same[kind] = same;
    if (same)
        return;
    for (size_t i = 0; i < app.machine_count; i++)
        access_caches(&app.machines[i], &counts->caches[i], address, size, kind, goes_on);
    *last_used = line;
    if (!one)
        app.last_used[(line + 1) & app.group_mask] = line + 1;
    if (!goes_on)
        app.last_page = page;
}

/* ---- data ---- */

/* Counts the bits of a word. Between words of different widths, the bits that both have are compared. */
static void count_word(struct app_tally *tally, int kind, uint64_t address, uint64_t size)
{
    uint64_t word = 0;
    if (!app.huge.placed || size > WORD_BYTES) {
        app.word_bytes[kind] = 0;
        return;
    }
    memcpy(&word, (const void *)(uintptr_t)(address + (uint64_t)app.huge.distance), size);
    tally->bits[kind] += 8 * size;
    tally->ones[kind] += (unsigned)__builtin_popcountll(word);
    uint64_t both = app.word_bytes[kind] < size ? app.word_bytes[kind] : size;
    if (both > 0) {
        tally->compared[kind] += 8 * both;
        tally->toggles[kind] += (unsigned)__builtin_popcountll((word ^ app.word[kind]) << (64 - 8 * both));
    }
    app.word[kind] = word;
    app.word_bytes[kind] = (unsigned)size;
}

static const struct access_kind *kind_of(struct seen_code *code, qemu_plugin_meminfo_t info)
{
    for (int i = 0; i < APP_KINDS; i++)
        if (code->kinds[i].info == info && code->kinds[i].known)
            return &code->kinds[i];
    int store = qemu_plugin_mem_is_store(info) ? APP_STORE : APP_LOAD;
    code->kinds[store] =
        (struct access_kind){info, true, (uint8_t)store, (uint8_t)qemu_plugin_mem_size_shift(info)};
    return &code->kinds[store];
}

/* True if the filter holds the line; else inserts it. Concurrent writes of threads are harmless: each writes
 * a line. */
static bool is_filtered(uint64_t address)
{
    uint64_t line = address >> app.filter_shift, *place = &app.filter[line % FILTER_LINES];
    if (__atomic_load_n(place, __ATOMIC_RELAXED) == line)
        return true;
    __atomic_store_n(place, line, __ATOMIC_RELAXED);
    return false;
}

/* Not inlined, so that the callback's fast path saves no registers, which takes half its time. */
static __attribute__((noinline)) void watch_access(struct seen_code *code, qemu_plugin_meminfo_t info,
                                                   uint64_t address)
{
    lock();
    const struct access_kind *seen = kind_of(code, info);
    int kind = seen->store;
    if (kind == APP_LOAD && code->conditional) {
        unlock();
        return;
    }
    unsigned shift = seen->shift;
    uint64_t size = UINT64_C(1) << shift;
    struct block_counts *counts = counts_of(code->block);
    struct app_tally *tally = &counts->tally;
    bool goes_on =
        app.accessor[kind] == code && app.accessed_in[kind] == app.serial && app.next[kind] == address;
    code->code.accessed |= (uint8_t)(1 << kind);
    app.accessor[kind] = code;
    app.accessed_in[kind] = app.serial;
    app.next[kind] = address + size;
    tally->accesses[kind] += !goes_on;
    tally->widths[kind][shift < APP_WIDTHS ? shift : APP_WIDTHS - 1]++;
    if (counts != app.uncounted)
        count_word(tally, kind, address, size);
    access_machines(counts, address, size, kind, goes_on);
    unlock();
}

static void access_data(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t address, void *context)
{
    (void)vcpu;
    if (!app.skims || !is_filtered(address))
        watch_access(context, info, address);
}

/* ---- output ---- */

static void write_block(const struct seen_block *block, size_t intervals, FILE *file)
{
    const struct app_block written = {.instructions = block->count};
    fwrite(&written, sizeof written, 1, file);
    for (uint32_t i = 0; i < block->count; i++)
        fwrite(&block->codes[i].code, sizeof block->codes[i].code, 1, file);
    fwrite(block->times, sizeof block->times[0], intervals, file);
}

static void write_counts(void)
{
    size_t intervals = app.interval + 1;
    uint64_t blocks = 0;
    end_interval();
    FILE *file = fdopen(app.output, "w");
    if (file == NULL || fseek(file, APP_BODY, SEEK_SET) != 0)
        return; /* the runner reports that the file is incomplete */
    for (size_t i = 0; i < intervals; i++) {
        fwrite(&app.tallies[i], sizeof app.tallies[i], 1, file);
        for (size_t j = 0; j < app.machine_count; j++)
            fwrite(&app.machines[j].caches[i], sizeof app.machines[j].caches[i], 1, file);
    }
    for (const struct seen_block *block = app.blocks; block != NULL; block = block->next, blocks++)
        write_block(block, intervals, file);
    size_t paths = app.path_count < MOST_PATHS ? app.path_count : MOST_PATHS;
    for (size_t i = app.path_count - paths; i < app.path_count; i++) {
        const struct walked_path *path = &app.paths[i % MOST_PATHS];
        fwrite(&path->path, sizeof path->path, 1, file);
        fwrite(path->blocks, sizeof path->blocks[0], path->path.blocks, file);
    }
    app.header->machines = app.machine_count;
    app.header->intervals = intervals;
    app.header->blocks = blocks;
    app.header->paths = paths;
    app.header->complete = fclose(file) == 0;
}

/* ---- code ---- */

static void resolve(struct seen_block *before, uint64_t next)
{
    struct app_tally *tally = &counts_of(before)->tally;
    if (before->branch == BRANCH_CONDITIONAL || before->branch == BRANCH_BLIND) {
        bool taken = before->open ? next - before->branch_at - 1 >= QEMU_INSN_BYTES : next != before->end;
        tally->branches++;
        tally->taken += taken;
        tally->branch_misses += !branch_predictor_taken(&app.predictor, before->branch_at, taken);
    }
    if (before->branch == BRANCH_INDIRECT) {
        tally->jumps++;
        tally->jump_misses += !branch_predictor_target(&app.predictor, before->branch_at, next);
    }
}

static void enter_code(struct hierarchy *machine, struct app_caches *caches, const struct seen_block *block)
{
    uint64_t last = (block->end - 1) >> machine->l1i.line_shift;
    for (uint64_t line = block->start >> machine->l1i.line_shift; line <= last; line++) {
        if (line == machine->last_line)
            continue;
        caches->lines++;
        if (!line_cache_again(&machine->l1i, line << machine->l1i.line_shift)) {
            caches->l1i++;
            fetch(machine, line << machine->l1i.line_shift, &caches->l2_code, &caches->l3_code);
        }
    }
    machine->last_line = last;
}

/* If everything is observed, the last MOST_PATHS are kept. */
static void begin_path(unsigned vcpu)
{
    bool goes_on = app.all && app.path_count > 0 && app.walker == vcpu;
    if (app.path_count >= MOST_PATHS && !app.all) {
        for (size_t i = 0; i < MOST_PATHS / 2; i++)
            app.paths[i] = app.paths[2 * i];
        app.path_count = MOST_PATHS / 2;
        app.pause *= 2;
    }
    app.walked = &app.paths[app.path_count++ % MOST_PATHS];
    app.walked->path = (struct app_path){.interval = (uint32_t)app.interval, .goes_on = goes_on};
    app.walker = vcpu;
    app.walking = true;
    app.path_turn = app.serial + PATH_STOPS;
}

/* Records the block. A path ends when it is complete, or if its thread stands still while others run. */
static void walk(unsigned vcpu, const struct seen_block *block)
{
    struct walked_path *path = app.walked;
    if (vcpu == app.walker)
        path->blocks[path->path.blocks++] = block->number;
    if (path->path.blocks < APP_PATH && app.serial < app.path_turn)
        return;
    app.walking = false;
    app.path_turn = app.serial + (app.all ? 1 : app.pause + draw() % app.pause);
}

static uint32_t epoch(void)
{
    return (uint32_t)(app.serial >> EPOCH_LOG2);
}

/* Resolves the branch before the block, and accesses the caches for its code. */
static void watch_block(unsigned vcpu, struct seen_block *block)
{
    if (app.mode != WATCH_SKIMMED) {
        struct seen_block **before = &app.before[vcpu % MOST_THREADS];
        if (*before != NULL)
            resolve(*before, block->start);
        *before = block;
    }
    for (size_t i = 0; i < app.machine_count; i++)
        enter_code(&app.machines[i], &counts_of(block)->caches[i], block);
}

/* Clears the counts, but not the caches and predictors. */
static void reset_counts(void)
{
    memset(app.tallies, 0, sizeof app.tallies);
    for (size_t i = 0; i < app.machine_count; i++)
        memset(app.machines[i].caches, 0, sizeof app.machines[i].caches);
    for (struct seen_block *block = app.blocks; block != NULL; block = block->next) {
        memset(block->counts, 0, count_fields() * sizeof(uint64_t));
        memset(block->times, 0, sizeof block->times);
        block->now = block->watched = 0;
    }
    app.executed = NULL;
    app.interval = app.path_count = 0;
    app.interval_length = FIRST_INTERVAL;
    app.length = 0;
    app.walking = false;
    app.path_turn = app.serial;
    begin_interval();
}

/* Counts the passes of a generated program. The kernel's code before the first pass may be in one block with
 * it. */
static void follow_passes(unsigned vcpu, const struct seen_block *block)
{
    app.calls += block->start == app.kernel;
    if (app.calls < 2)
        return;
    app.begun += block->start <= app.loop && app.loop < block->end;
    if (block->start != app.loop)
        return;
    if (app.begun == 2)
        reset_counts();
    if (app.begun == 2 + app.passes) {
        resolve(app.before[vcpu % MOST_THREADS], block->start);
        write_counts();
        _exit(0);
    }
}

/* True at every BURST-th execution in the interval. */
static bool is_burst(const struct seen_block *block)
{
    return block->now % BURST == BURST - 1;
}

static __attribute__((noinline)) void count_block(unsigned vcpu, struct seen_block *block)
{
    lock();
    if (app.kernel != 0)
        follow_passes(vcpu, block);
    if (app.length >= app.turn)
        change_mode();
    app.serial++;
    app.length += block->count;
    bool often = is_burst(block);
    if (block->now++ == 0) {
        block->other = app.executed;
        app.executed = block;
    }
    if (!app.walking && app.serial >= app.path_turn)
        begin_path(vcpu);
    if (app.walking)
        walk(vcpu, block);
    block->watching = app.mode == WATCH_COUNTED || block->familiar < FAMILIAR;
    block->watched += block->watching;
    block->familiar += block->watching && block->familiar < FAMILIAR;
    block->windowed += app.mode == WATCH_COUNTED;
    if (often && block->windowed < ENOUGH)
        begin_extra_window();
    if (app.skims && block->watching)
        memset(app.word_bytes, 0, sizeof app.word_bytes);
    app.skims = app.mode == WATCH_SKIMMED && !block->watching;
    app.plain = app.skims && !app.walking && !app.many;
    if (!app.skims || block->epoch != epoch())
        watch_block(vcpu, block);
    block->epoch = epoch();
    unlock();
}

/* The fast path changes only counts. */
static void enter_block(unsigned vcpu, void *context)
{
    struct seen_block *block = context;
    if (!app.plain || app.length >= app.turn || app.serial >= app.path_turn || block->epoch != epoch() ||
        is_burst(block)) {
        count_block(vcpu, block);
        return;
    }
    app.serial++;
    app.length += block->count;
    block->now++;
}

/* Reads the instruction's bytes; returns their number. QEMU cuts an instruction off at a page's end, so the
 * rest is read from memory if the next page is there; the start of the block's next instruction is its
 * end. */
static size_t read_code(const struct qemu_plugin_insn *insn, const struct qemu_plugin_insn *next,
                        uint8_t bytes[QEMU_INSN_BYTES])
{
    size_t size = qemu_api_bytes(insn, bytes);
    void *host = qemu_plugin_insn_haddr(insn);
    uint64_t start = qemu_plugin_insn_vaddr(insn), whole = QEMU_INSN_BYTES;
    if (next != NULL)
        whole = qemu_plugin_insn_vaddr(next) - start;
    const struct iovec to = {bytes, whole}, from = {host, whole};
    bool cut = (start + size) % PAGE_BYTES == 0 && whole > size && whole <= QEMU_INSN_BYTES && host != NULL;
    return cut && process_vm_readv(getpid(), &to, 1, &from, 1, 0) == (ssize_t)whole ? whole : size;
}

static void translate(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
    (void)id;
    size_t count = qemu_plugin_tb_n_insns(tb);
    struct seen_block *block = calloc(1, sizeof *block + count * sizeof block->codes[0]);
    uint64_t *counts = calloc(count_fields(), sizeof *counts);
    double *ever = calloc(count_fields(), sizeof *ever);
    if (count == 0 || block == NULL || counts == NULL || ever == NULL)
        abort();
    block->counts = (struct block_counts *)counts;
    block->ever = ever;
    size_t size = 0;
    uint8_t bytes[QEMU_INSN_BYTES];
    for (size_t i = 0; i < count; i++) {
        struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
        struct seen_code *code = &block->codes[i];
        size = read_code(insn, i + 1 < count ? qemu_plugin_tb_get_insn(tb, i + 1) : NULL, bytes);
        memcpy(code->code.bytes, bytes, size);
        code->code.size = (uint8_t)size;
        code->block = block;
        code->conditional = app.target->access(bytes, size) == ACCESS_CONDITIONAL;
        qemu_plugin_register_vcpu_mem_cb(insn, access_data, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW, code);
    }
    const struct qemu_plugin_insn *first = qemu_plugin_tb_get_insn(tb, 0);
    const struct qemu_plugin_insn *last = qemu_plugin_tb_get_insn(tb, count - 1);
    block->count = (uint32_t)count;
    block->start = qemu_plugin_insn_vaddr(first);
    block->branch_at = qemu_plugin_insn_vaddr(last);
    block->end = block->branch_at + qemu_plugin_insn_size(last);
    block->open = size == QEMU_INSN_BYTES;
    block->branch = app.target->branch(bytes, size);
    lock();
    huge_pages_place(&app.huge, qemu_plugin_insn_haddr(first), block->start);
    block->number = app.block_count++;
    block->next = app.blocks;
    app.blocks = block;
    unlock();
    qemu_plugin_register_vcpu_tb_exec_cb(tb, enter_block, QEMU_PLUGIN_CB_NO_REGS, block);
}

static void call_system(qemu_plugin_id_t id, unsigned vcpu, int64_t number, uint64_t a1, uint64_t a2,
                        uint64_t a3, uint64_t a4, uint64_t a5, uint64_t a6, uint64_t a7, uint64_t a8)
{
    (void)id, (void)vcpu, (void)a4, (void)a5, (void)a6, (void)a7, (void)a8;
    if (number == app.target->execve && getpid() != app.first)
        __atomic_fetch_add(&app.header->executions, 1, __ATOMIC_RELAXED);
    lock();
    if (number == app.target->madvise && a3 == HUGE_ADVICE)
        (void)huge_pages_add(&app.huge, a1, a2);
    app.tallies[app.interval].calls++;
    unlock();
}

static void begin_thread(qemu_plugin_id_t id, unsigned vcpu)
{
    (void)id;
    app.many = app.many || vcpu > 0;
    app.plain = app.plain && !app.many;
}

/* A forked child counts only its own instructions. */
static void begin_child(void)
{
    memset(app.tallies, 0, sizeof app.tallies);
    app.length = 0;
}

static void report(qemu_plugin_id_t id, void *context)
{
    (void)id, (void)context;
    if (getpid() == app.first) {
        if (app.kernel == 0) /* else its passes have not ended, and the runner reports an incomplete file */
            write_counts();
        return;
    }
    uint64_t instructions = app.length;
    for (size_t i = 0; i <= app.interval; i++)
        instructions += app.tallies[i].instructions;
    __atomic_fetch_add(&app.header->child_instructions, instructions, __ATOMIC_RELAXED);
    __atomic_fetch_add(&app.header->children, 1, __ATOMIC_RELAXED);
}

/* ---- arguments ---- */

static bool open_output(const char *path)
{
    app.output = open(path, O_RDWR | O_CLOEXEC);
    if (app.output < 0 || ftruncate(app.output, APP_BODY) != 0)
        return false;
    app.header = mmap(NULL, APP_BODY, PROT_READ | PROT_WRITE, MAP_SHARED, app.output, 0);
    return app.header != MAP_FAILED;
}

static bool read_cache(const char *argument)
{
    if (strncmp(argument, "l1i=", 4) == 0 && app.machine_count < APP_MACHINES)
        app.machine_count++;
    if (app.machine_count == 0)
        return false;
    struct hierarchy *machine = &app.machines[app.machine_count - 1];
    const struct {
        const char *name;
        struct line_cache *cache;
    } caches[] = {{"l1i=", &machine->l1i}, {"l1d=", &machine->l1d}, {"l2=", &machine->l2},
                  {"l3=", &machine->l3},   {"tlb=", &machine->tlb}, {"huge_tlb=", &machine->huge_tlb}};
    for (size_t i = 0; i < sizeof caches / sizeof caches[0]; i++) {
        size_t length = strlen(caches[i].name);
        if (strncmp(argument, caches[i].name, length) == 0)
            return caches[i].cache->ways == 0 && line_cache_parse(caches[i].cache, argument + length) &&
                   line_cache_start(caches[i].cache, i + 1);
    }
    return false;
}

/* Groups are possible if all L1D have a power of two of sets and the same lines; there are as many as the
 * fewest sets. */
static void group_sets(void)
{
    app.grouped = true;
    app.group_mask = MOST_GROUPS - 1;
    app.page_shift = app.filter_shift = 64 - 1;
    app.line_shift = app.machines[0].l1d.line_shift;
    for (size_t i = 0; i < app.machine_count; i++) {
        const struct line_cache *l1d = &app.machines[i].l1d, *l1i = &app.machines[i].l1i,
                                *tlb = &app.machines[i].tlb;
        app.grouped = app.grouped && !l1d->hashed && (l1d->sets & (l1d->sets - 1)) == 0 &&
                      l1d->line_shift == app.line_shift;
        app.group_mask = l1d->sets - 1 < app.group_mask ? l1d->sets - 1 : app.group_mask;
        app.page_shift = tlb->ways > 0 && tlb->line_shift < app.page_shift ? tlb->line_shift : app.page_shift;
        app.filter_shift = l1d->line_shift < app.filter_shift ? l1d->line_shift : app.filter_shift;
        app.filter_shift = l1i->line_shift < app.filter_shift ? l1i->line_shift : app.filter_shift;
    }
    app.group_mask = app.grouped ? app.group_mask : 0;
}

int app_watch_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
    app.target = qemu_target_find(info->target_name);
    app.interval_length = FIRST_INTERVAL;
    app.pause = app.path_turn = PATH_PAUSE;
    app.huge.bytes = HUGE_BYTES;
    app.first = getpid();
    if (app.target == NULL || info->system_emulation)
        return plugin_refuse(info->target_name);
    if (!open_output(argv[0] + 4))
        return plugin_refuse(argv[0]);
    static const struct plugin_number numbers[] = {
        {"kernel", &app.kernel}, {"loop", &app.loop}, {"passes", &app.passes}, {NULL, NULL}};
    for (int i = 1; i < argc; i++)
        if (!read_cache(argv[i]) && !plugin_read_number(numbers, argv[i]))
            return plugin_refuse(argv[i]);
    app.all = app.kernel != 0;
    for (size_t i = 0; i < app.machine_count; i++)
        if (app.machines[i].l1i.ways == 0 || app.machines[i].l1d.ways == 0)
            return plugin_refuse("a machine without l1i or l1d");
    app.uncounted = calloc(count_fields(), sizeof(uint64_t));
    if (app.uncounted == NULL)
        return plugin_refuse("so much memory");
    (void)pthread_atfork(NULL, NULL, begin_child);
    group_sets();
    begin_interval();
    qemu_plugin_register_vcpu_init_cb(id, begin_thread);
    qemu_plugin_register_vcpu_tb_trans_cb(id, translate);
    qemu_plugin_register_vcpu_syscall_cb(id, call_system);
    qemu_plugin_register_atexit_cb(id, report, NULL);
    return 0;
}
