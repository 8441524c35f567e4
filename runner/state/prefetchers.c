/* The data prefetchers, by the register that can switch them off, through /dev/cpu/N/msr. Sources: Intel,
 * "Disclosure of Hardware Prefetcher Control on Some Intel Processors" (1A4h, bits 0 to 3); AMD, "Processor
 * Programming Reference" of families 19h and 1Ah (PrefetchControl, C000_0108h: L1Stream, L1Stride, L1Region,
 * L2Stream, UpDown) and "BIOS and Kernel Developer's Guide" of family 15h (DC_CFG, C001_1022h: DisHwPf). */
#include "runner/state/knob.h"

#include "runner/state/perf_host.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static const struct control {
    const char *vendor;
    unsigned first_family, last_family;
    uint32_t number;
    uint64_t off; /* bits that switch a prefetcher off */
} controls[] = {
    {"GenuineIntel", 0x6, 0x6, 0x1a4, 0xf},
    {"AuthenticAMD", 0x15, 0x15, 0xc0011022, 0x2000},
    {"AuthenticAMD", 0x19, 0x1a, 0xc0000108, 0x2f},
};

static const struct control *find_control(const char *root)
{
    struct perf_host host;
    perf_host_read(&host, -1, root);
    for (size_t i = 0; i < sizeof controls / sizeof controls[0]; i++)
        if (strcmp(host.vendor, controls[i].vendor) == 0 && host.family >= controls[i].first_family &&
            host.family <= controls[i].last_family)
            return &controls[i];
    return NULL;
}

/* Reads the register into *value. */
static enum status read_register(const char *root, int cpu, const struct control **control,
                                 struct knob_change *change, uint64_t *value, struct error *error)
{
    *control = find_control(root);
    if (*control == NULL)
        return error_set(error, STATUS_UNAVAILABLE, "this processor's prefetcher register is unknown");
    *change = (struct knob_change){.offset = (*control)->number, .size = sizeof *value};
    snprintf(change->path, sizeof change->path, "%s/dev/cpu/%d/msr", root, cpu);
    if (knob_read(change)) {
        memcpy(value, change->value, sizeof *value);
        return STATUS_OK;
    }
    error_set(error, STATUS_UNAVAILABLE, "the prefetchers' register %xh cannot be read: %s: %s",
              (*control)->number, change->path, strerror(errno));
    error_hint(error,
               "`sudo modprobe msr` as root gives access; a virtual machine may have no such register");
    return STATUS_UNAVAILABLE;
}

struct value knob_prefetchers_observe(const struct knob *knob, const char *root, int cpu, struct arena *arena,
                                      struct error *why_not)
{
    (void)knob;
    const struct control *control;
    struct knob_change change;
    uint64_t value = 0;
    if (read_register(root, cpu, &control, &change, &value, why_not) != STATUS_OK)
        return (struct value){.kind = VALUE_NONE};
    uint64_t off = value & control->off;
    if (off == 0 || off == control->off)
        return value_flag(off == 0);
    char text[KNOB_WORD_BYTES];
    snprintf(text, sizeof text, "some: register %xh is 0x%llx", control->number, (unsigned long long)value);
    return value_word(text, arena);
}

enum status knob_prefetchers_plan(const struct knob *knob, const char *root, int cpu,
                                  const struct value *wanted, struct knob_changes *changes,
                                  struct error *error)
{
    (void)knob;
    const struct control *control;
    struct knob_change change;
    uint64_t value;
    enum status status = read_register(root, cpu, &control, &change, &value, error);
    if (status != STATUS_OK)
        return status;
    value = wanted->on ? value & ~control->off : value | control->off;
    knob_add_bytes(changes, change.path, change.offset, &value, sizeof value);
    return STATUS_OK;
}
