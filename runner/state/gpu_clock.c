#include "runner/state/gpu_clock.h"

#include "runner/power/sensors/nvml_library.h"
#include "runner/results/result_point.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double ANSWER_S = 30;

/* A multiprocessor's clock changes in steps of 15 MHz. */
static const double SAME_CLOCK = 0.012;

/* nvmlClockLimitId_t: the value that NVML accepts for the base clock instead of MHz. */
enum { BASE_CLOCK = 0xffffff01 };

/* ---- in the keeper ---- */

enum clock_order_kind { LOCK, UNLOCK, RELEASE, LOOK };

struct clock_order {
    enum clock_order_kind kind;
    char pci[sizeof((struct gpu_clock *)0)->pci]; /* of the GPU */
    unsigned mhz;                                 /* for LOCK */
};

struct keeper {
    struct nvml_library library;
    bool opened;
    nvml_device device;
    bool locked;
};

static enum status refuse(const struct nvml_library *library, int result, const char *what,
                          struct error *error)
{
    error_set(error, STATUS_UNAVAILABLE, "%s: %s", what, library->error_text(result));
    error_hint(error, "%s",
               result == NVML_NO_PERMISSION ? "locking a GPU's clock takes root: run it with sudo"
                                            : "`nvidia-smi --lock-gpu-clocks` uses the same library");
    return STATUS_UNAVAILABLE;
}

static enum status find_device(struct keeper *keeper, const char *pci, struct error *error)
{
    struct nvml_library *library = &keeper->library;
    if (!keeper->opened && nvml_library_open(nvml_library_named(NULL), library, error) != STATUS_OK)
        return STATUS_UNAVAILABLE;
    keeper->opened = true;
    if (library->by_pci == NULL || library->lock_clock == NULL || library->unlock_clock == NULL)
        return error_set(error, STATUS_UNAVAILABLE, "this driver's NVML cannot lock clocks");
    int result = library->by_pci(pci, &keeper->device);
    return result == NVML_OK ? STATUS_OK : refuse(library, result, "NVML does not find the GPU", error);
}

static enum status lock(struct keeper *keeper, unsigned mhz, struct error *error)
{
    int result = keeper->library.lock_clock(keeper->device, mhz, mhz);
    keeper->locked = result == NVML_OK;
    return result == NVML_OK ? STATUS_OK : refuse(&keeper->library, result, "it cannot be locked", error);
}

static enum status unlock(struct keeper *keeper, struct error *error)
{
    if (!keeper->locked)
        return STATUS_OK;
    int result = keeper->library.unlock_clock(keeper->device);
    if (result != NVML_OK)
        return refuse(&keeper->library, result, "the GPU's clock cannot be unlocked", error);
    keeper->locked = false;
    return STATUS_OK;
}

/* The clocks that the keeper can observe. */
static const struct observed_clock {
    const char *name;
    unsigned which;
} clocks[] = {{"sm", NVML_CLOCK_SM}, {"memory", NVML_CLOCK_MEMORY}};
enum { CLOCKS = sizeof clocks / sizeof clocks[0] };

/* Appends their values in GHz; NAN: the device does not report it. */
static void append_clocks(struct keeper *keeper, struct buffer *answer)
{
    double ghz[CLOCKS];
    for (size_t i = 0; i < CLOCKS; i++) {
        unsigned mhz = 0;
        int result = keeper->library.clock(keeper->device, clocks[i].which, &mhz);
        ghz[i] = result == NVML_OK ? mhz * 1e-3 : NAN;
    }
    buffer_append(answer, ghz, sizeof ghz);
}

static enum status answer_order(void *context, const struct worker_bytes *request, struct buffer *answer,
                                struct error *error)
{
    struct keeper *keeper = context;
    const struct clock_order *order = request->bytes;
    enum status status = order->kind == UNLOCK ? STATUS_OK : find_device(keeper, order->pci, error);
    if (order->kind == RELEASE) /* another keeper has locked it */
        keeper->locked = status == STATUS_OK;
    if (status != STATUS_OK)
        return status;
    if (order->kind == LOCK)
        return lock(keeper, order->mhz, error);
    if (order->kind != LOOK)
        return unlock(keeper, error);
    append_clocks(keeper, answer);
    return STATUS_OK;
}

static void end(void *context)
{
    (void)unlock(context, NULL); /* the parent has ended, so an error cannot be reported */
}

/* ---- in the parent ---- */

enum status gpu_clock_open(bool allowed, struct gpu_clock *clock, struct error *error)
{
    struct keeper keeper = {.opened = false};
    const struct worker_job job = {.answer = answer_order, .end = end, .context = &keeper, .survives = true};
    *clock = (struct gpu_clock){.allowed = allowed};
    return allowed ? worker_start(&job, &clock->keeper, error) : STATUS_OK;
}

static enum status send_order(struct gpu_clock *clock, const struct clock_order *order, struct buffer *answer,
                              struct error *error)
{
    return worker_ask(&clock->keeper, &(struct worker_bytes){order, sizeof *order}, ANSWER_S,
                      "the GPU's clock", answer, error);
}

static void add_unmet(struct state_record *record, const struct value *wanted, const char *why)
{
    warning_add(&record->unmet, NULL, "state.gpu_clock, requested %s: %s",
                value_text(wanted, 6, &record->arena), why);
}

static enum status record_lock(struct gpu_clock *clock, const char *pci, struct error *error)
{
    struct journal_entry entry = {.knob = "gpu_clock"};
    snprintf(clock->pci, sizeof clock->pci, "%s", pci);
    if (clock->journal == NULL)
        return STATUS_OK;
    if (clock->journal->fd < 0)
        return error_set(error, STATUS_UNAVAILABLE, "no state is set without a journal");
    snprintf(entry.gpu, sizeof entry.gpu, "%s", pci);
    return journal_add(clock->journal, &entry, error);
}

/* The device's present clocks, as far as it reports them. */
static void observe(struct gpu_clock *clock, struct clock_order *order, struct state_record *record)
{
    struct error unseen;
    struct buffer answer = {0};
    double ghz[CLOCKS];
    order->kind = LOOK;
    if (send_order(clock, order, &answer, &unseen) == STATUS_OK && answer.size == sizeof ghz) {
        struct value seen = {.kind = VALUE_PARTS, .number = NAN};
        memcpy(ghz, answer.data, sizeof ghz);
        for (size_t i = 0; i < CLOCKS; i++)
            if (isfinite(ghz[i]))
                value_set(&seen, clocks[i].name, value_number(ghz[i]), &record->arena);
        value_set(&record->observed, "gpu_clock", seen, &record->arena);
    }
    buffer_free(&answer);
}

void gpu_clock_lock(struct gpu_clock *clock, const char *pci, struct state_record *record)
{
    struct error error;
    const struct value *wanted = value_get(&record->wanted, "gpu_clock");
    if (!clock->allowed) {
        add_unmet(record, wanted, "--allow-state locks it for the run");
        return;
    }
    struct clock_order order = {.kind = LOCK,
                                .mhz = wanted->kind == VALUE_WORD ? BASE_CLOCK
                                                                  : (unsigned)(wanted->number * 1000 + 0.5)};
    snprintf(order.pci, sizeof order.pci, "%s", pci);
    enum status status = record_lock(clock, pci, &error);
    if (status == STATUS_OK)
        status = send_order(clock, &order, NULL, &error);
    if (status != STATUS_OK)
        add_unmet(record, wanted, error.message);
    clock->locked = status == STATUS_OK;
    if (status != STATUS_OK && clock->journal != NULL)
        (void)journal_add_unlocked(clock->journal, pci, NULL); /* if that fails, it is unlocked again later */
    observe(clock, &order, record);
}

enum status gpu_clock_unlock(struct gpu_clock *clock, struct error *error)
{
    const struct clock_order order = {.kind = UNLOCK};
    enum status status = STATUS_OK;
    if (clock->locked)
        status = send_order(clock, &order, NULL, error);
    if (clock->locked && status == STATUS_OK && clock->journal != NULL)
        status = journal_add_unlocked(clock->journal, clock->pci, error);
    clock->locked = false;
    return status;
}

enum status gpu_clock_release(const char *pci, struct error *error)
{
    struct gpu_clock clock;
    struct clock_order order = {.kind = RELEASE};
    enum status status = gpu_clock_open(true, &clock, error);
    snprintf(order.pci, sizeof order.pci, "%s", pci);
    if (status == STATUS_OK)
        status = send_order(&clock, &order, NULL, error);
    gpu_clock_close(&clock);
    return status;
}

void gpu_clock_close(struct gpu_clock *clock)
{
    (void)worker_end(&clock->keeper); /* it unlocks what is locked */
    *clock = (struct gpu_clock){.allowed = false};
}

/* ---- afterwards ---- */

double gpu_clock_judge(const struct result_rep *reps, size_t count, double requested,
                       struct warnings *warnings)
{
    double low = INFINITY;
    double high = -INFINITY;
    for (size_t i = 0; i < count; i++) {
        double ghz = (reps[i].record == NULL ? NAN : reps[i].record->clock_hz) * 1e-9;
        low = fmin(low, ghz);
        high = fmax(high, ghz);
    }
    if (!(high >= low))
        return NAN; /* no clock was reported */
    char ran[64];
    if (high / low - 1 > SAME_CLOCK)
        snprintf(ran, sizeof ran, "%.4g to %.4g GHz", low, high);
    else
        snprintf(ran, sizeof ran, "%.4g GHz", low);
    if (requested > 0 && (fabs(low / requested - 1) > SAME_CLOCK || fabs(high / requested - 1) > SAME_CLOCK))
        warning_add(warnings, "trauma run --allow-state",
                    "the kernel ran at %s, but state.gpu_clock requests %.4g", ran, requested);
    else if (high / low - 1 > SAME_CLOCK)
        warning_add(warnings, "state = { gpu_clock = \"base\" } and --allow-state lock it",
                    "the GPU's clock changed from %.4g to %.4g GHz between repetitions", low, high);
    return high / low - 1;
}
