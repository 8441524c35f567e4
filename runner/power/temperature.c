#include "runner/power/temperature.h"

#include "base/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Drivers whose temperatures are the processor's. */
static const char *const drivers[] = {"coretemp", "k10temp", "zenpower", "k8temp"};

static const char suffix[] = "_input";

/* The file's first line, cut to what fits. */
static bool read_line(const char *folder, const char *name, char *line, size_t capacity)
{
    char path[FILE_PATH_BYTES];
    struct buffer text = {0};
    bool good = file_read(file_join(path, folder, name), &text, NULL) == STATUS_OK && text.size > 0;
    if (good)
        snprintf(line, capacity, "%.*s", (int)strcspn(text.data, "\n"), text.data);
    buffer_free(&text);
    return good;
}

static bool is_processor(const char *driver)
{
    for (size_t i = 0; i < sizeof drivers / sizeof drivers[0]; i++)
        if (strcmp(driver, drivers[i]) == 0)
            return true;
    return false;
}

/* "temp1_input" of the folder; labelled where the driver has a label. */
static void describe(const char *folder, const char *driver, const char *input, struct thermometer *found)
{
    char label[48];
    char file[FILE_PATH_BYTES];
    int stem = (int)(strlen(input) - strlen(suffix));
    snprintf(file, sizeof file, "%.*s_label", stem, input);
    if (!read_line(folder, file, label, sizeof label))
        snprintf(label, sizeof label, "%.*s", stem, input);
    snprintf(found->name, sizeof found->name, "%.40s:%s", driver, label);
    file_join(file, folder, input);
    snprintf(found->path, sizeof found->path, "%.511s", file);
}

/* Two packages have drivers and labels of the same names. */
static void make_unique(struct thermometer *found, size_t count)
{
    size_t length = strlen(found[count].name);
    for (size_t i = 0; i < count; i++)
        if (strcmp(found[i].name, found[count].name) == 0) {
            snprintf(found[count].name + length, sizeof found[count].name - length, "#%zu", count);
            return;
        }
}

static size_t find_in(const char *folder, struct thermometer *found, size_t count, size_t capacity)
{
    char driver[48];
    if (!read_line(folder, "name", driver, sizeof driver) || !is_processor(driver))
        return count;
    char **inputs = file_list(folder, suffix);
    for (char **input = inputs; input != NULL && *input != NULL && count < capacity; input++) {
        double celsius;
        if (strncmp(*input, "temp", 4) != 0)
            continue;
        describe(folder, driver, *input, &found[count]);
        make_unique(found, count);
        count += temperature_read(&found[count], &celsius);
    }
    file_free_names(inputs);
    return count;
}

size_t temperature_find(const char *sysfs_root, struct thermometer *found, size_t capacity)
{
    char root[FILE_PATH_BYTES];
    char folder[FILE_PATH_BYTES];
    size_t count = 0;
    snprintf(root, sizeof root, "%s/sys/class/hwmon", sysfs_root);
    char **names = file_list(root, "");
    for (char **name = names; name != NULL && *name != NULL; name++)
        count = find_in(file_join(folder, root, *name), found, count, capacity);
    file_free_names(names);
    return count;
}

bool temperature_read(const struct thermometer *thermometer, double *celsius)
{
    struct buffer text = {0};
    char *end = NULL;
    bool good = file_read(thermometer->path, &text, NULL) == STATUS_OK && text.size > 0;
    if (good)
        *celsius = strtod(text.data, &end) * 1e-3;
    good = good && end != text.data;
    buffer_free(&text);
    return good;
}
