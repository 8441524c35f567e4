#include "runner/state/gpu_clock.h"

#include "base/json.h"
#include "runner/power/sensors/nvml_library.h"
#include "runner/results/warning.h"

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
                                            : "`nvidia-smi --lock-gpu-clocks` asks the same library");
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

static enum status lock(struct keeper *keeper, const json_t *request, struct error *error)
{
    const json_t *wanted = json_object_get(request, "lock");
    unsigned mhz = json_is_string(wanted) ? BASE_CLOCK : (unsigned)(json_number_value(wanted) * 1000 + 0.5);
    enum status status = find_device(keeper, json_string_or(request, "pci", ""), error);
    if (status != STATUS_OK)
        return status;
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

/* For a GPU that another keeper has locked. */
static enum status release(struct keeper *keeper, const json_t *request, struct error *error)
{
    enum status status = find_device(keeper, json_string_or(request, "pci", ""), error);
    keeper->locked = status == STATUS_OK;
    return status == STATUS_OK ? unlock(keeper, error) : status;
}

/* The device's present clocks, in GHz. New reference. */
static json_t *look(struct keeper *keeper, const json_t *request, struct error *error)
{
    static const struct {
        const char *key;
        unsigned which;
    } clocks[] = {{"sm", NVML_CLOCK_SM}, {"memory", NVML_CLOCK_MEMORY}};
    if (find_device(keeper, json_string_or(request, "pci", ""), error) != STATUS_OK)
        return NULL;
    json_t *seen = json_object();
    for (size_t i = 0; i < sizeof clocks / sizeof clocks[0]; i++) {
        unsigned mhz = 0;
        if (keeper->library.clock(keeper->device, clocks[i].which, &mhz) == NVML_OK)
            json_object_set_new(seen, clocks[i].key, json_real(mhz * 1e-3));
    }
    return seen;
}

static json_t *answer(void *context, const json_t *request)
{
    struct keeper *keeper = context;
    struct error error;
    json_t *seen = NULL;
    enum status status = STATUS_OK;
    if (json_object_get(request, "lock") != NULL)
        status = lock(keeper, request, &error);
    else if (json_object_get(request, "unlock") != NULL)
        status = unlock(keeper, &error);
    else if (json_object_get(request, "release") != NULL)
        status = release(keeper, request, &error);
    else if ((seen = look(keeper, request, &error)) == NULL)
        status = error.code;
    if (status != STATUS_OK)
        return worker_refusal(&error);
    return seen != NULL ? seen : json_object();
}

static void end(void *context)
{
    (void)unlock(context, NULL); /* the parent is gone: nobody to report to */
}

/* ---- in the parent ---- */

enum status gpu_clock_open(bool allowed, struct gpu_clock *clock, struct error *error)
{
    struct keeper keeper = {.opened = false};
    const struct worker_job job = {.answer = answer, .end = end, .context = &keeper, .survives = true};
    *clock = (struct gpu_clock){.allowed = allowed};
    return allowed ? worker_start(&job, &clock->keeper, error) : STATUS_OK;
}

/* Takes the request's reference. */
static enum status ask(struct gpu_clock *clock, json_t *request, json_t **said, struct error *error)
{
    enum status status = worker_ask(&clock->keeper, request, ANSWER_S, "the GPU's clock", said, error);
    json_decref(request);
    return status;
}

static void add_unmet(struct state_record *record, const struct state_value *wanted, const char *why)
{
    warning_add(&record->unmet, NULL, "state.gpu_clock, requested %s: %s", state_text(wanted, &record->arena),
                why);
}

static enum status write_down(struct gpu_clock *clock, const char *pci, struct error *error)
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

void gpu_clock_lock(struct gpu_clock *clock, const char *pci, struct state_record *record)
{
    struct error error;
    json_t *said = NULL;
    const struct state_value *wanted = state_get(&record->wanted, "gpu_clock");
    if (!clock->allowed) {
        add_unmet(record, wanted, "--allow-state locks it for the run");
        return;
    }
    enum status status = write_down(clock, pci, &error);
    if (status == STATUS_OK)
        status =
            ask(clock, json_pack("{s:o, s:s}", "lock", state_to_json(wanted), "pci", pci), &said, &error);
    if (status != STATUS_OK)
        add_unmet(record, wanted, error.message);
    clock->locked = status == STATUS_OK;
    if (status != STATUS_OK && clock->journal != NULL)
        (void)journal_add_unlocked(clock->journal, pci, NULL); /* otherwise it is unlocked once more later */
    json_decref(said);
    if (ask(clock, json_pack("{s:s}", "pci", pci), &said, &error) == STATUS_OK)
        state_set(&record->observed, "gpu_clock", state_from_json(said, &record->arena), &record->arena);
    json_decref(said);
}

enum status gpu_clock_unlock(struct gpu_clock *clock, struct error *error)
{
    json_t *said = NULL;
    enum status status = STATUS_OK;
    if (clock->locked)
        status = ask(clock, json_pack("{s:b}", "unlock", 1), &said, error);
    if (clock->locked && status == STATUS_OK && clock->journal != NULL)
        status = journal_add_unlocked(clock->journal, clock->pci, error);
    json_decref(said);
    clock->locked = false;
    return status;
}

enum status gpu_clock_release(const char *pci, struct error *error)
{
    struct gpu_clock clock;
    json_t *said = NULL;
    enum status status = gpu_clock_open(true, &clock, error);
    if (status == STATUS_OK)
        status = ask(&clock, json_pack("{s:b, s:s}", "release", 1, "pci", pci), &said, error);
    json_decref(said);
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
