/* The sensor "powercap": Linux's RAPL energy counters, Intel's and AMD's, as files. A domain is a folder
 * intel-rapl:N (a package, or the whole platform) or intel-rapl:N:M (a part of one: core, uncore, dram) with
 * the files name, energy_uj and max_energy_range_uj. Since Linux 5.10 only root can read energy_uj. */
#include "runner/power/sensor.h"
#include "runner/power/sensors/file_channels.h"

#include "base/file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const char folder_below_root[] = "/sys/class/powercap";

/* Domains start with this; the folder "intel-rapl" without a number is the control type and has no counter,
 * and "intel-rapl-mmio:N" is another view of the same package's counter. */
static const char domain_prefix[] = "intel-rapl:";

enum { LINE_BYTES = 64 };

static char *domain_file(char path[FILE_PATH_BYTES], const char *folder, const char *domain, const char *file)
{
    char place[FILE_PATH_BYTES];
    return file_join(path, file_join(place, folder, domain), file);
}

/* Fills name with the domain's own name. */
static void read_name(const char *folder, const char *domain, char name[LINE_BYTES])
{
    char place[FILE_PATH_BYTES];
    if (!file_channel_line(file_join(place, folder, domain), "name", name, LINE_BYTES))
        snprintf(name, LINE_BYTES, "%.*s", LINE_BYTES - 1, domain);
}

/* "package-0", or "package-0/core" for a part, as every package has a "core". A package counts in the total;
 * the platform ("psys") includes the packages, and counts only if it is alone. */
static void read_label(const char *folder, const char *domain, struct sensor_channel *channel)
{
    char name[LINE_BYTES];
    read_name(folder, domain, name);
    const char *last_colon = strrchr(domain, ':');
    if (last_colon < domain + sizeof domain_prefix - 1) { /* the prefix's own colon: no part */
        snprintf(channel->label, sizeof channel->label, "%s", name);
        channel->whole = true;
        return;
    }
    char package[FILE_PATH_BYTES];
    char package_name[LINE_BYTES];
    snprintf(package, sizeof package, "%.*s", (int)(last_colon - domain), domain);
    read_name(folder, package, package_name);
    snprintf(channel->label, sizeof channel->label, "%.31s/%.31s", package_name, name);
}

/* Fills the channel if its counter can be read now. Returns 0 or errno. */
static int open_domain(const char *folder, const char *domain, struct sensor_channel *channel)
{
    char path[FILE_PATH_BYTES];
    double now;
    int number = file_channel_read(domain_file(path, folder, domain, "energy_uj"), SENSOR_ENERGY, &now);
    if (number == 0 && strlen(path) >= sizeof channel->path)
        number = ENAMETOOLONG;
    if (number != 0)
        return number;
    *channel = (struct sensor_channel){.quantity = SENSOR_ENERGY};
    memcpy(channel->path, path, strlen(path) + 1);
    snprintf(channel->name, sizeof channel->name, "powercap:%.100s", domain);
    read_label(folder, domain, channel);
    if (file_channel_read(domain_file(path, folder, domain, "max_energy_range_uj"), SENSOR_ENERGY,
                          &channel->wrap_j) != 0)
        channel->wrap_j = 0;
    return 0;
}

static enum status nothing_found(const char *folder, size_t domains, int number, struct error *error)
{
    if (domains == 0) {
        error_set(error, STATUS_UNAVAILABLE, "there is no RAPL energy counter under %s", folder);
        error_hint(error,
                   "a virtual machine usually has none; on a real one try `sudo modprobe intel_rapl_msr`");
    } else if (number == EACCES || number == EPERM) {
        error_set(error, STATUS_UNAVAILABLE, "the %zu RAPL energy counters under %s may not be read: %s",
                  domains, folder, strerror(number));
        error_hint(error, "sudo chmod a+r %s/%s*/energy_uj, or run as root", folder, domain_prefix);
    } else {
        error_set(error, STATUS_UNAVAILABLE, "none of the %zu RAPL energy counters under %s can be read: %s",
                  domains, folder, strerror(number));
        error_hint(error, "expected a whole number of microjoules in each energy_uj");
    }
    return STATUS_UNAVAILABLE;
}

static enum status find(const struct sensor_request *request, struct sensor_channel *channels,
                        size_t capacity, size_t *count, struct error *error)
{
    char folder[FILE_PATH_BYTES];
    snprintf(folder, sizeof folder, "%s%s", request->root, folder_below_root);
    char **names = file_list(folder, "");
    size_t domains = 0;
    int first_failure = 0;
    *count = 0;
    for (char **name = names; name != NULL && *name != NULL && *count < capacity; name++) {
        if (strncmp(*name, domain_prefix, sizeof domain_prefix - 1) != 0)
            continue;
        domains++;
        int number = open_domain(folder, *name, &channels[*count]);
        *count += number == 0;
        first_failure = first_failure == 0 ? number : first_failure;
    }
    file_free_names(names);
    sensor_leave_out_platform(channels, *count);
    return *count > 0 ? STATUS_OK : nothing_found(folder, domains, first_failure, error);
}

const struct power_sensor power_powercap = {.name = "powercap",
                                            .what = "energy of CPU packages and their parts (RAPL)",
                                            .type = "power",
                                            .period_s = 0.001, /* about the counters' update period */
                                            .rank = 40,
                                            .find = find,
                                            .open = file_channels_open,
                                            .read = file_channels_read,
                                            .close = file_channels_close};
