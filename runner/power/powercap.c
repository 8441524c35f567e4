/* The sensor "powercap": Linux's RAPL energy counters, Intel's and AMD's, as files. A domain is a folder
 * intel-rapl:N (a package, or the whole platform) or intel-rapl:N:M (a part of one: core, uncore, dram) with
 * the files name, energy_uj and max_energy_range_uj. Since Linux 5.10 energy_uj is readable by root alone. */
#include "runner/power/sensor.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char folder_below_root[] = "/sys/class/powercap";

/* Domains begin so; the folder "intel-rapl" without a number is the control type and has no counter, and
 * "intel-rapl-mmio:N" is the same package's counter once more. */
static const char domain_prefix[] = "intel-rapl:";

enum { LINE_BYTES = 64 };

/* Reads a sysfs file's only line without its end. Returns 0 or errno. */
static int read_line(const char *path, char line[LINE_BYTES])
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return errno;
    ssize_t count = read(fd, line, LINE_BYTES - 1);
    int number = count < 0 ? errno : 0;
    close(fd);
    line[count > 0 ? count : 0] = '\0';
    line[strcspn(line, "\n")] = '\0';
    return number;
}

/* Reads a file of microjoules as joules. Returns 0 or errno; EINVAL when it holds no number. */
static int read_joules(const char *path, double *joules)
{
    char line[LINE_BYTES] = "";
    int number = read_line(path, line);
    if (number != 0)
        return number;
    char *end;
    errno = 0;
    unsigned long long microjoules = strtoull(line, &end, 10);
    if (line[0] < '0' || line[0] > '9' || *end != '\0' || errno != 0)
        return EINVAL;
    *joules = (double)microjoules * 1e-6;
    return 0;
}

static char *domain_file(char path[FILE_PATH_BYTES], const char *folder, const char *domain, const char *file)
{
    char place[FILE_PATH_BYTES];
    return file_join(path, file_join(place, folder, domain), file);
}

/* "package-0", or "package-0/core" for a part: every package has a "core". */
static void read_label(const char *folder, const char *domain, char *label, size_t capacity)
{
    char path[FILE_PATH_BYTES];
    char name[LINE_BYTES];
    if (read_line(domain_file(path, folder, domain, "name"), name) != 0)
        snprintf(name, sizeof name, "%.*s", LINE_BYTES - 1, domain);
    const char *last_colon = strrchr(domain, ':');
    if (last_colon < domain + sizeof domain_prefix - 1) { /* the prefix's own colon: a whole package */
        snprintf(label, capacity, "%s", name);
        return;
    }
    char package[FILE_PATH_BYTES];
    char package_name[LINE_BYTES];
    snprintf(package, sizeof package, "%.*s", (int)(last_colon - domain), domain);
    if (read_line(domain_file(path, folder, package, "name"), package_name) != 0)
        snprintf(package_name, sizeof package_name, "%.*s", LINE_BYTES - 1, package);
    snprintf(label, capacity, "%.31s/%.31s", package_name, name);
}

/* Fills the channel when its counter can be read now. Returns 0 or errno. */
static int open_domain(const char *folder, const char *domain, struct sensor_channel *channel)
{
    char path[FILE_PATH_BYTES];
    double now;
    int number = read_joules(domain_file(path, folder, domain, "energy_uj"), &now);
    if (number == 0 && strlen(path) >= sizeof channel->path)
        number = ENAMETOOLONG;
    if (number != 0)
        return number;
    *channel = (struct sensor_channel){.wrap_j = 0};
    memcpy(channel->path, path, strlen(path) + 1);
    snprintf(channel->name, sizeof channel->name, "powercap:%.100s", domain);
    read_label(folder, domain, channel->label, sizeof channel->label);
    if (read_joules(domain_file(path, folder, domain, "max_energy_range_uj"), &channel->wrap_j) != 0)
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

static enum status find(const char *sysfs_root, struct sensor_channel *channels, size_t capacity,
                        size_t *count, struct error *error)
{
    char folder[FILE_PATH_BYTES];
    snprintf(folder, sizeof folder, "%s%s", sysfs_root, folder_below_root);
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
    return *count > 0 ? STATUS_OK : nothing_found(folder, domains, first_failure, error);
}

static enum status read_energy(const struct sensor_channel *channel, double *joules, struct error *error)
{
    int number = read_joules(channel->path, joules);
    if (number == 0)
        return STATUS_OK;
    enum status status = number == EACCES || number == EPERM ? STATUS_UNAVAILABLE : STATUS_FAILED;
    error_set(error, status, "cannot read the energy of %s: %s", channel->label, strerror(number));
    error_at(error, channel->path, 0);
    error_hint(error, "expected a whole number of microjoules; `sudo chmod a+r %s` lets everyone read it",
               channel->path);
    return status;
}

const struct power_sensor power_powercap = {.name = "powercap",
                                            .what = "energy of CPU packages and their parts (RAPL)",
                                            .find = find,
                                            .read_energy = read_energy};
