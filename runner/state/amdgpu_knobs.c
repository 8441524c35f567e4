/* The knobs of AMD's GPUs, by the files of the kernel's driver amdgpu (Documentation/gpu/amdgpu/thermal.rst):
 * the clocks' levels (pp_dpm_sclk, pp_dpm_mclk), the level of performance (power_dpm_force_performance_level)
 * and the fan (pwm1, pwm1_enable). A row's place is the card's number, as in /sys/class/drm/card0. The files
 * do not report which levels are allowed, but any level of performance except "manual" allows all again. Not
 * yet tested on a real GPU. */
#include "runner/state/knob.h"

#include "base/file.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char cards[] = "/sys/class/drm/card";
static const char monitors[] = "/sys/class/hwmon";
static const char PERFORMANCE[] = "power_dpm_force_performance_level";
static const char CORE[] = "pp_dpm_sclk";
static const char MEMORY[] = "pp_dpm_mclk";
static const char FAN[] = "pwm1";
static const char FAN_WAY[] = "pwm1_enable";

static const char MANUAL[] = "manual";
static const char BASE[] = "profile_standard"; /* the kernel's fixed clocks for comparing programs */

enum { LEVELS_MOST = 32, PWM_MOST = 255 };

/* Levels are whole MHz. */
static const double SAME_GHZ = 0.0055;
static const double SAME_SHARE = 0.011; /* the driver rounds to a hundredth */

/* ---- files ---- */

/* The folder's path without links below the root, which is kept as given. False, with errno, when there is no
 * such folder, or it lies outside of the root. */
static bool resolve(const char *root, const char *folder, char path[KNOB_PATH_BYTES])
{
    char real_root[PATH_MAX] = "", real[PATH_MAX], given[KNOB_PATH_BYTES];
    int length = snprintf(given, sizeof given, "%s%s", root, folder);
    snprintf(path, KNOB_PATH_BYTES, "%s", given);
    if (length >= KNOB_PATH_BYTES || (root[0] != '\0' && realpath(root, real_root) == NULL) ||
        realpath(given, real) == NULL)
        return false;
    size_t below = strlen(real_root);
    errno = EXDEV;
    if (strncmp(real, real_root, below) != 0 || real[below] != '/')
        return false;
    errno = ENAMETOOLONG;
    return snprintf(path, KNOB_PATH_BYTES, "%s%s", root, real + below) < KNOB_PATH_BYTES;
}

static bool device_of(const char *root, int card, char path[KNOB_PATH_BYTES])
{
    char folder[64];
    snprintf(folder, sizeof folder, "%s%d/device", cards, card);
    return resolve(root, folder, path);
}

static bool append(char path[KNOB_PATH_BYTES], const char *name)
{
    size_t used = strlen(path);
    errno = ENAMETOOLONG;
    return snprintf(path + used, KNOB_PATH_BYTES - used, "/%s", name) < (int)(KNOB_PATH_BYTES - used);
}

/* The path of the file of the card's device, which need not exist; false without a device. */
static bool device_file(const char *root, int card, const char *name, char path[KNOB_PATH_BYTES])
{
    bool found = device_of(root, card, path);
    return append(path, name) && found;
}

static bool device_line(const char *root, int card, const char *name, char path[KNOB_PATH_BYTES],
                        char line[KNOB_VALUE_BYTES])
{
    return device_file(root, card, name, path) && knob_read_line(path, line);
}

/* Whether the folder of a sensor has the card's fan: it is inside the card's device, or it names the driver
 * and no other device. */
static bool has_fan(const char *root, const char *folder, const char *device, bool inside,
                    char path[KNOB_PATH_BYTES])
{
    char line[KNOB_VALUE_BYTES], other[KNOB_PATH_BYTES], link[KNOB_PATH_BYTES];
    if (!resolve(root, folder, path))
        return false;
    size_t length = strlen(path);
    bool fan = append(path, FAN) && knob_read_line(path, line);
    path[length] = '\0';
    if (!fan || inside)
        return fan;
    bool named = append(path, "name") && knob_read_line(path, line) && strcmp(line, "amdgpu") == 0;
    path[length] = '\0';
    bool linked =
        snprintf(link, sizeof link, "%s/device", folder) < (int)sizeof link && resolve(root, link, other);
    return named && (!linked || strcmp(other, device) == 0);
}

/* Finds the folder of the card's fan, because hwmon's numbers change from boot to boot. */
static bool find_fan(const char *root, int card, char path[KNOB_PATH_BYTES])
{
    char device[KNOB_PATH_BYTES], place[2][KNOB_PATH_BYTES], folder[FILE_PATH_BYTES];
    bool found = false;
    if (!device_of(root, card, device)) {
        snprintf(path, KNOB_PATH_BYTES, "%s", device);
        return false;
    }
    snprintf(place[0], sizeof place[0], "%s%d/device/hwmon", cards, card);
    snprintf(place[1], sizeof place[1], "%s", monitors);
    for (size_t i = 0; i < 2 && !found; i++) {
        snprintf(folder, sizeof folder, "%s%s", root, place[i]);
        char **names = file_list(folder, "");
        for (size_t j = 0; names != NULL && names[j] != NULL && !found; j++) {
            snprintf(folder, sizeof folder, "%s/%s", place[i], names[j]);
            found = has_fan(root, folder, device, i == 0, path);
        }
        if (names != NULL)
            file_free_names(names);
    }
    errno = ENOENT;
    if (!found)
        snprintf(path, KNOB_PATH_BYTES, "%s%s", root, place[0]);
    return found;
}

static bool fan_file(const char *root, int card, const char *name, char path[KNOB_PATH_BYTES])
{
    return find_fan(root, card, path) && append(path, name);
}

static const struct knob_place card_device = {
    device_file, "the driver amdgpu has it, for most GPUs and not in a virtual machine"};

bool knob_amdgpu_card(const char *root, int card, char pci[KNOB_WORD_BYTES])
{
    char path[KNOB_PATH_BYTES], line[KNOB_VALUE_BYTES];
    if (!device_line(root, card, PERFORMANCE, path, line) && !device_line(root, card, CORE, path, line))
        return false;
    (void)device_of(root, card, path);
    snprintf(pci, KNOB_WORD_BYTES, "%.*s", KNOB_WORD_BYTES - 1, file_base_name(path));
    return true;
}

bool knob_amdgpu_owns(const char *path)
{
    static const char *const names[] = {PERFORMANCE, CORE, MEMORY, FAN, FAN_WAY};
    static const char *const folders[] = {"/sys/devices/", cards, monitors};
    bool named = false, placed = false;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        named = named || strcmp(file_base_name(path), names[i]) == 0;
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++)
        placed = placed || strncmp(path, folders[i], strlen(folders[i])) == 0;
    return named && placed;
}

enum status knob_amdgpu_check(const char *root, int card, struct error *error)
{
    char path[KNOB_PATH_BYTES], line[KNOB_VALUE_BYTES];
    if (!device_line(root, card, PERFORMANCE, path, line))
        return knob_unset(&amdgpu_knobs[0], path, error);
    if (root[0] != '\0' || strcmp(line, MANUAL) != 0)
        return STATUS_OK;
    error_set(
        error, STATUS_UNAVAILABLE,
        "somebody has set it already (%s is \"manual\"), and which levels are allowed cannot be read: it "
        "could not be restored",
        path);
    error_hint(error, "echo auto | sudo tee %s", path);
    return STATUS_UNAVAILABLE;
}

/* ---- levels of a clock: read as lines such as "1: 930Mhz *", the present one with a star; written as a list
 * of the allowed numbers ---- */

struct clock_levels {
    int numbers[LEVELS_MOST];
    double ghz[LEVELS_MOST];
    int count;
    int current;                 /* index; -1: none has a star */
    char mask[KNOB_VALUE_BYTES]; /* the text of a file without levels, as after a write in a folder */
};

static bool read_levels(const char *path, struct clock_levels *levels)
{
    struct knob_change file = {.offset = KNOB_TEXT};
    char text[KNOB_VALUE_BYTES + 1];
    *levels = (struct clock_levels){.current = -1};
    snprintf(file.path, sizeof file.path, "%s", path);
    if (!knob_read(&file))
        return false;
    memcpy(text, file.value, file.size);
    text[file.size] = '\0';
    snprintf(levels->mask, sizeof levels->mask, "%.*s", (int)strcspn(text, "\n"), text);
    for (char *line = text, *next; line != NULL && levels->count < LEVELS_MOST; line = next) {
        int number;
        double mhz;
        next = strchr(line, '\n');
        if (next != NULL)
            *next++ = '\0';
        if (sscanf(line, "%d: %lf", &number, &mhz) != 2 || number < 0 || !(mhz >= 0))
            continue; /* "S: 19Mhz": asleep */
        levels->numbers[levels->count] = number;
        levels->ghz[levels->count] = mhz * 1e-3;
        if (strchr(line, '*') != NULL)
            levels->current = levels->count;
        levels->count++;
    }
    if (levels->count > 0)
        levels->mask[0] = '\0';
    return true;
}

static struct value clock_observe(const struct knob *knob, const char *root, int card, struct arena *arena,
                                  struct error *why_not)
{
    char path[KNOB_PATH_BYTES], line[KNOB_VALUE_BYTES];
    struct clock_levels levels;
    if (!device_file(root, card, knob->file, path) || !read_levels(path, &levels))
        return knob_unseen(knob, path, why_not);
    struct value seen = {.kind = VALUE_PARTS};
    if (levels.current >= 0)
        value_set(&seen, knob->key, value_number(levels.ghz[levels.current]), arena);
    if (levels.mask[0] != '\0')
        value_set(&seen, "levels", value_word(levels.mask, arena), arena);
    if (device_line(root, card, PERFORMANCE, path, line))
        value_set(&seen, "profile", value_word(line, arena), arena);
    return seen;
}

static const char *word_of(const struct value *value, const char *name)
{
    const struct value *part = value_get(value, name);
    return part->kind == VALUE_WORD ? part->word : "";
}

/* True if one level alone is allowed, and is the present one; or the file still contains the number that was
 * written. */
static bool clock_met(const struct knob *knob, const struct value *observed, const struct value *wanted)
{
    const char *profile = word_of(observed, "profile");
    const char *mask = word_of(observed, "levels");
    double ghz = value_get(observed, knob->key)->number;
    if (wanted->kind == VALUE_WORD)
        return strcmp(profile, BASE) == 0;
    bool one = mask[0] != '\0' && strspn(mask, "0123456789") == strlen(mask);
    return strcmp(profile, MANUAL) == 0 && (one || fabs(ghz - wanted->number) < SAME_GHZ);
}

static enum status no_such_level(const char *path, const struct clock_levels *levels, struct error *error)
{
    char list[KNOB_VALUE_BYTES] = "";
    size_t used = 0;
    for (int i = 0; i < levels->count && used < sizeof list; i++)
        used +=
            (size_t)snprintf(list + used, sizeof list - used, "%s%.4g", i == 0 ? "" : ", ", levels->ghz[i]);
    if (levels->count == 0)
        return error_set(error, STATUS_UNAVAILABLE, "%s lists no levels", path);
    return error_set(error, STATUS_UNAVAILABLE, "the GPU has no level of that clock; available: %s GHz",
                     list);
}

static enum status clock_plan(const struct knob *knob, const char *root, int card, const struct value *wanted,
                              struct knob_changes *changes, struct error *error)
{
    char path[KNOB_PATH_BYTES], performance[KNOB_PATH_BYTES], text[16];
    struct clock_levels levels;
    int found = -1;
    if (!device_file(root, card, PERFORMANCE, performance))
        return knob_unset(knob, performance, error);
    if (wanted->kind == VALUE_WORD) {
        knob_add_text(changes, performance, BASE);
        return STATUS_OK;
    }
    if (!device_file(root, card, knob->file, path) || !read_levels(path, &levels))
        return knob_unset(knob, path, error);
    for (int i = 0; i < levels.count; i++)
        if (fabs(levels.ghz[i] - wanted->number) < SAME_GHZ)
            found = levels.numbers[i];
    if (found < 0)
        return no_such_level(path, &levels, error);
    snprintf(text, sizeof text, "%d", found);
    knob_add_text(changes, performance, MANUAL);
    knob_add_text(changes, path, text);
    changes->items[changes->count - 1].follows = true;
    return STATUS_OK;
}

/* ---- the fan: its share of the full speed, or the driver's own choice ---- */

static double full_speed(const char *root, int card)
{
    char path[KNOB_PATH_BYTES], line[KNOB_VALUE_BYTES];
    double most =
        fan_file(root, card, "pwm1_max", path) && knob_read_line(path, line) ? strtod(line, NULL) : 0;
    return most >= 1 ? most : PWM_MOST;
}

static struct value fan_observe(const struct knob *knob, const char *root, int card, struct arena *arena,
                                struct error *why_not)
{
    char path[KNOB_PATH_BYTES], way[KNOB_VALUE_BYTES], speed[KNOB_VALUE_BYTES];
    if (fan_file(root, card, FAN_WAY, path) && knob_read_line(path, way) && fan_file(root, card, FAN, path) &&
        knob_read_line(path, speed))
        return strcmp(way, "1") == 0
                   ? value_number(round(strtod(speed, NULL) / full_speed(root, card) * 1000) / 1000)
                   : value_word("automatic", arena);
    return knob_unseen(knob, path, why_not);
}

static bool fan_met(const struct knob *knob, const struct value *observed, const struct value *wanted)
{
    (void)knob;
    return fabs(observed->number - wanted->number) < SAME_SHARE;
}

static enum status fan_plan(const struct knob *knob, const char *root, int card, const struct value *wanted,
                            struct knob_changes *changes, struct error *error)
{
    char path[KNOB_PATH_BYTES], text[32];
    if (!fan_file(root, card, FAN_WAY, path))
        return knob_unset(knob, path, error);
    knob_add_text(changes, path, "1");
    snprintf(text, sizeof text, "%.0f", wanted->number * full_speed(root, card));
    (void)fan_file(root, card, FAN, path);
    knob_add_text(changes, path, text);
    return STATUS_OK;
}

/* ---- the table ---- */

static bool is_ghz_or_base(const struct value *wanted)
{
    return knob_is_ghz(wanted) || (wanted->kind == VALUE_WORD && strcmp(wanted->word, "base") == 0);
}

static bool is_profile(const struct value *wanted)
{
    const char *word = wanted->kind == VALUE_WORD ? wanted->word : NULL;
    return word != NULL && word[0] != '\0' && strlen(word) < 32 && strcmp(word, MANUAL) != 0 &&
           strspn(word, "abcdefghijklmnopqrstuvwxyz_") == strlen(word);
}

/* A GPU that works needs cooling, so slow speeds are refused. */
static bool is_speed(const struct value *wanted)
{
    return wanted->number >= 0.2 && wanted->number <= 1;
}

const struct knob amdgpu_knobs[] = {
    {"gpu_clock", "clock of the GPU", CORE, "sm", &card_device, is_ghz_or_base, clock_observe, clock_met,
     clock_plan},
    {"gpu_memory_clock", "clock of the GPU", MEMORY, "memory", &card_device, knob_is_ghz, clock_observe,
     clock_met, clock_plan},
    {"gpu_profile", "level of performance of the GPU", PERFORMANCE, NULL, &card_device, is_profile,
     knob_word_observe, knob_same, knob_word_plan},
    {"gpu_fan", "fan of the GPU", NULL, NULL, &card_device, is_speed, fan_observe, fan_met, fan_plan},
    {NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL},
};
