#include "runner/state/machine_state.h"

#include "base/file.h"
#include "base/fork.h"
#include "runner/state/put_back.h"

#include <errno.h>
#include <hwloc.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

/* ---- guard ---- */

struct watch_keeper {
    const struct journal *journal;
    int line;
};

/* In the child: closes the parent's standard streams, waits for the parent's end and restores everything. */
static void keep_watch(void *context)
{
    const struct watch_keeper *keeper = context;
    char nothing;
    ssize_t got;
    for (int fd = 0; fd <= STDERR_FILENO; fd++)
        close(fd);
    (void)send(keeper->line, "r", 1, MSG_NOSIGNAL);
    do
        got = recv(keeper->line, &nothing, 1, 0);
    while (got > 0 || (got < 0 && errno == EINTR));
    if (put_back(keeper->journal, PUT_BACK_GUARD, NULL) == 0)
        journal_remove(keeper->journal);
}

/* In the parent. */

/* Ends it; restores what is still in the journal. */
static void guard_close(struct guard *guard)
{
    if (guard->pid <= 0)
        return;
    close(guard->line);
    (void)fork_wait(guard->pid);
    *guard = (struct guard){.line = -1};
}

/* Starts the child in its own session, ignoring termination signals, so that killing this process's group
 * does not end it. It shares the journal's lock. */
static enum status guard_open(const struct journal *journal, struct guard *guard, struct error *error)
{
    int inside = -1;
    int outside = -1;
    char ready;
    *guard = (struct guard){.line = -1};
    if (fork_line(&inside, &outside, "to the process that restores the machine's state", error) != STATUS_OK)
        return STATUS_FAILED;
    struct watch_keeper keeper = {journal, inside};
    const struct fork_job job = {.work = keep_watch,
                                 .context = &keeper,
                                 .traits = FORK_SURVIVES | FORK_ALONE,
                                 .files = {inside, journal->fd}};
    pid_t pid = fork_child(&job);
    int number = errno;
    close(inside);
    if (pid < 0) {
        close(outside);
        return error_set(error, STATUS_FAILED, "cannot create a process to restore the machine's state: %s",
                         strerror(number));
    }
    *guard = (struct guard){.pid = pid, .line = outside};
    /* Until it has its own session, whatever ends this process's group ends it too. */
    ssize_t got;
    do
        got = recv(guard->line, &ready, 1, 0);
    while (got < 0 && errno == EINTR);
    if (got == 1)
        return STATUS_OK;
    guard_close(guard);
    return error_set(error, STATUS_FAILED, "the process that must restore the machine's state has ended");
}

bool guard_watches(const struct guard *guard)
{
    struct pollfd line = {.fd = guard->line, .events = POLLIN};
    return guard->pid > 0 && poll(&line, 1, 0) == 0;
}

/* ---- machine state ---- */

static hwloc_bitmap_t empty_set(void)
{
    hwloc_bitmap_t set = hwloc_bitmap_alloc();
    if (set == NULL)
        abort(); /* out of memory */
    return set;
}

/* The logical processors that are online; the first one if the system does not report them. */
static hwloc_bitmap_t find_processors(const char *root)
{
    char path[FILE_PATH_BYTES];
    struct buffer text = {0};
    hwloc_bitmap_t set = empty_set();
    snprintf(path, sizeof path, "%s/sys/devices/system/cpu/online", root);
    if (file_read(path, &text, NULL) == STATUS_OK && text.data != NULL)
        hwloc_bitmap_list_sscanf(set, text.data);
    if (hwloc_bitmap_first(set) < 0 || hwloc_bitmap_last(set) < 0)
        hwloc_bitmap_only(set, 0);
    buffer_free(&text);
    return set;
}

/* The processors that the request is for. */
static hwloc_bitmap_t find_requested(const struct state_request *request)
{
    if (request->cpu_count == 0)
        return find_processors(request->root);
    hwloc_bitmap_t set = empty_set();
    for (size_t i = 0; i < request->cpu_count; i++)
        hwloc_bitmap_set(set, (unsigned)request->cpus[i]);
    return set;
}

/* One knob on all processors: a single value if they agree. VALUE_NONE, with the reason, if one has
 * none. */
static struct value observe_all(const struct knob *knob, const char *root, hwloc_const_bitmap_t cpus,
                                struct arena *arena, struct error *why_not)
{
    struct value list = {.kind = VALUE_NONE};
    bool agree = true;
    for (int cpu = hwloc_bitmap_first(cpus); cpu >= 0; cpu = hwloc_bitmap_next(cpus, cpu)) {
        const struct value value = knob->observe(knob, root, cpu, arena, why_not);
        if (value.kind == VALUE_NONE)
            return value;
        value_set(&list, NULL, value, arena);
        agree = agree && value_same(&value, &list.parts[0].value);
    }
    return agree && list.count > 0 ? list.parts[0].value : list;
}

/* Adds the observed values of the table's knobs on all places: processors or cards. */
static void observe_knobs(const struct knob *table, const char *root, hwloc_const_bitmap_t places,
                          struct value *observed, struct arena *arena)
{
    for (const struct knob *knob = table; knob->name != NULL && !hwloc_bitmap_iszero(places); knob++) {
        const struct value value = observe_all(knob, root, places, arena, NULL);
        if (value.kind != VALUE_NONE)
            value_set(observed, knob->name, value, arena);
    }
}

/* The cards of the driver amdgpu with that PCI address, or all if NULL. */
static hwloc_bitmap_t find_cards(const char *root, const char *pci)
{
    enum { MOST_CARDS = 64 };
    char own[KNOB_WORD_BYTES];
    hwloc_bitmap_t set = empty_set();
    for (unsigned card = 0; card < MOST_CARDS; card++)
        if (knob_amdgpu_card(root, (int)card, own) && (pci == NULL || strcasecmp(own, pci) == 0))
            hwloc_bitmap_set(set, card);
    return set;
}

struct value state_observe(const char *root, struct arena *arena)
{
    struct value observed = {.kind = VALUE_PARTS};
    hwloc_bitmap_t cpus = find_processors(root), cards = find_cards(root, NULL);
    observe_knobs(knobs, root, cpus, &observed, arena);
    observe_knobs(amdgpu_knobs, root, cards, &observed, arena);
    hwloc_bitmap_free(cpus);
    hwloc_bitmap_free(cards);
    return observed;
}

/* A state being set. */
struct setting {
    const struct state_request *request;
    hwloc_bitmap_t cpus; /* or cards */
    struct state_record *record;
};

/* Records the old and the new content, then writes. Also records the resulting content, as a clock may be
 * rounded. */
static enum status make_change(const struct state_lease *lease, const char *knob,
                               const struct knob_change *change, struct error *error)
{
    struct journal_entry entry = {.old = *change, .wrote = *change, .reads = *change};
    snprintf(entry.knob, sizeof entry.knob, "%s", knob);
    if (!knob_read(&entry.old)) {
        error_set(error, STATUS_UNAVAILABLE, "%s cannot be read: %s", change->path, strerror(errno));
        return STATUS_UNAVAILABLE;
    }
    if (knob_change_same(&entry.old, change))
        return STATUS_OK;
    bool undone = change->follows && lease->journal.root[0] == '\0';
    if (!guard_watches(&lease->guard))
        return error_set(error, STATUS_FAILED, "the process that restores %s has ended: it stays unchanged",
                         change->path);
    enum status status = undone ? STATUS_OK : journal_add(&lease->journal, &entry, error);
    if (status != STATUS_OK)
        return status;
    if (!knob_write(lease->journal.root, change)) {
        error_set(error, STATUS_UNAVAILABLE, "%s cannot be written: %s", change->path, strerror(errno));
        error_hint(error, "this takes root, and a value that the kernel accepts");
        return STATUS_UNAVAILABLE;
    }
    if (!undone && knob_read(&entry.reads) && !knob_change_same(&entry.reads, change))
        status = journal_add_reads(&lease->journal, &entry.reads, error);
    return status;
}

static bool is_allowed(const struct state_request *request)
{
    return request->lease != NULL && request->lease->opened;
}

/* Sets one knob on one processor. */
static enum status set_one(const struct setting *setting, const struct knob *knob, int cpu,
                           const struct value *wanted, struct error *error)
{
    struct knob_changes changes = {0};
    const struct state_lease *lease = setting->request->lease;
    if (lease->journal.fd < 0) {
        *error = lease->why_not;
        return STATUS_UNAVAILABLE;
    }
    enum status status = knob->plan(knob, setting->request->root, cpu, wanted, &changes, error);
    for (size_t i = 0; status == STATUS_OK && i < changes.count; i++)
        status = make_change(lease, knob->name, &changes.items[i], error);
    knob_changes_free(&changes);
    return status;
}

/* Records an unmet request, with the actual value and the reason why it was not set. */
static void add_unmet(struct state_record *record, const struct knob *knob, const struct value *observed,
                      const struct value *wanted, const char *why)
{
    const char *is = observed->kind == VALUE_NONE ? "unknown" : value_text(observed, 6, &record->arena);
    warning_add(&record->unmet, NULL, "state.%s is %s, requested %s%s%s", knob->name, is,
                value_text(wanted, 6, &record->arena), why[0] == '\0' ? "" : ": ", why);
}

static bool met_on_all(const struct setting *setting, const struct knob *knob, const struct value *wanted)
{
    struct arena arena = {0};
    bool met = true;
    for (int cpu = hwloc_bitmap_first(setting->cpus); met && cpu >= 0;
         cpu = hwloc_bitmap_next(setting->cpus, cpu)) {
        const struct value value = knob->observe(knob, setting->request->root, cpu, &arena, NULL);
        met = value.kind != VALUE_NONE && knob->met(knob, &value, wanted);
    }
    arena_free(&arena);
    return met;
}

/* Sets one knob on all processors, reads the result, and reports unmet requests. */
static void begin_one(const struct setting *setting, const struct knob *knob, const struct value *wanted)
{
    const struct state_request *request = setting->request;
    struct error why = {0};
    struct error unseen = {0};
    enum status status = STATUS_OK;
    int cpu = hwloc_bitmap_first(setting->cpus);
    for (; is_allowed(request) && status == STATUS_OK && cpu >= 0;
         cpu = hwloc_bitmap_next(setting->cpus, cpu))
        status = set_one(setting, knob, cpu, wanted, &why);
    if (met_on_all(setting, knob, wanted))
        return;
    const struct value observed =
        observe_all(knob, request->root, setting->cpus, &setting->record->arena, &unseen);
    const char *reason = why.message[0] != '\0' ? why.message : unseen.message;
    if (reason[0] == '\0' && !is_allowed(request))
        reason = "--allow-state sets it for the run";
    add_unmet(setting->record, knob, &observed, wanted, reason);
}

static const struct value unseen = {.kind = VALUE_NONE};

static void begin_requested(const struct setting *setting, const struct knob *knob)
{
    const struct value *wanted = value_get(&setting->record->wanted, knob->name);
    if (wanted->kind != VALUE_NONE && knob->sane(wanted))
        begin_one(setting, knob, wanted);
    else if (wanted->kind != VALUE_NONE)
        add_unmet(setting->record, knob, &unseen, wanted, "no recipe can request that");
}

static bool is_clock(const struct knob *knob)
{
    static const char CLOCK[] = "_clock";
    size_t length = strlen(knob->name);
    return length >= strlen(CLOCK) && strcmp(knob->name + length - strlen(CLOCK), CLOCK) == 0;
}

/* Whether the requested clocks of all cards can be set, and restored. */
static enum status check_clocks(const struct setting *setting, struct error *error)
{
    bool requested = false;
    enum status status = STATUS_OK;
    for (const struct knob *knob = amdgpu_knobs; knob->name != NULL; knob++)
        requested = requested ||
                    (is_clock(knob) && value_get(&setting->record->wanted, knob->name)->kind != VALUE_NONE);
    int card = requested && is_allowed(setting->request) ? hwloc_bitmap_first(setting->cpus) : -1;
    for (; status == STATUS_OK && card >= 0; card = hwloc_bitmap_next(setting->cpus, card))
        status = knob_amdgpu_check(setting->request->root, card, error);
    return status;
}

void state_begin_gpu(const struct state_request *request, const char *pci, struct state_record *record)
{
    struct error why = {0};
    const struct setting setting = {
        .request = request, .cpus = find_cards(request->root, pci), .record = record};
    bool none = hwloc_bitmap_iszero(setting.cpus);
    if (none)
        error_set(&why, STATUS_UNAVAILABLE, "the driver amdgpu has no card %s", pci == NULL ? "there" : pci);
    bool locked = !none && check_clocks(&setting, &why) != STATUS_OK;
    for (const struct knob *knob = amdgpu_knobs; knob->name != NULL; knob++) {
        const struct value *wanted = value_get(&record->wanted, knob->name);
        if (wanted->kind != VALUE_NONE && (none || (locked && is_clock(knob))))
            add_unmet(record, knob, &unseen, wanted, why.message);
        else
            begin_requested(&setting, knob);
    }
    observe_knobs(amdgpu_knobs, request->root, setting.cpus, &record->observed, &record->arena);
    hwloc_bitmap_free(setting.cpus);
}

void state_begin(const struct state_request *request, struct state_record *record)
{
    const struct setting setting = {.request = request, .cpus = find_requested(request), .record = record};
    for (const struct knob *knob = knobs; knob->name != NULL; knob++)
        begin_requested(&setting, knob);
    record->given = true;
    record->observed = (struct value){.kind = VALUE_PARTS};
    observe_knobs(knobs, request->root, setting.cpus, &record->observed, &record->arena);
    hwloc_bitmap_free(setting.cpus);
}

enum status state_end(struct state_lease *lease, struct error *error)
{
    if (!lease->opened || lease->journal.fd < 0)
        return STATUS_OK;
    struct warnings notes = {0};
    enum status status = STATUS_OK;
    if (put_back(&lease->journal, PUT_BACK_OWN, &notes) > 0)
        status = error_set(error, STATUS_FAILED, "part of the machine's state could not be restored: %.800s",
                           notes.items[0].what);
    else
        journal_clear(&lease->journal);
    warnings_free(&notes);
    return status;
}

/* ---- the lease ---- */

/* Makes this command the owner of the journal, and starts its guard. */
static enum status begin_journal(struct state_lease *lease, struct error *error)
{
    enum status status = journal_begin(&lease->journal, error);
    if (status == STATUS_OK)
        status = guard_open(&lease->journal, &lease->guard, error);
    if (status != STATUS_OK) {
        journal_remove(&lease->journal);
        journal_close(&lease->journal);
    }
    return status;
}

enum status state_lease_open(const char *root, struct state_lease *lease, struct warnings *notes,
                             struct error *error)
{
    char command[FILE_PATH_BYTES + 64];
    bool busy;
    *lease = (struct state_lease){.opened = true, .journal = {.fd = -1}};
    if (journal_make(root, &lease->journal, &busy, error) != STATUS_OK) {
        if (busy)
            return STATUS_UNAVAILABLE;
        lease->why_not = *error;
        return STATUS_OK;
    }
    if (put_back_taken(&lease->journal, notes) == 0)
        return begin_journal(lease, error);
    journal_close(&lease->journal);
    error_set(error, STATUS_UNAVAILABLE,
              "changes that an earlier run made to the machine's state are not all restored: the present "
              "state is not the machine's own");
    error_hint(error, "`%.300s` restores them, or lists those pending; without --allow-state nothing is set",
               put_back_command(root, command));
    return STATUS_UNAVAILABLE;
}

enum status state_lease_close(struct state_lease *lease, struct error *error)
{
    if (!lease->opened || lease->journal.fd < 0) {
        lease->opened = false;
        return STATUS_OK;
    }
    enum status status = state_end(lease, error);
    if (status == STATUS_OK)
        journal_remove(&lease->journal);
    guard_close(&lease->guard);
    journal_close(&lease->journal);
    lease->opened = false;
    return status;
}
