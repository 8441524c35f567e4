#include "runner/sources/wave/wave_duty.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

enum { SIMDS = 4, SLOTS = 32 }; /* of a compute unit; of a SIMD, at most */

static const char METRIC[] = "throttle.duty";

/* Cycles of those bytes; NAN where the machine file has no bandwidth for bytes that there are. */
static double cycles_of(const struct machine *machine, const char *level, double bytes)
{
    double peak = machine_bandwidth(machine, level);
    return bytes > 0 ? bytes / (peak > 0 ? peak : NAN) : 0;
}

/* Lines that went to L2, and the most of them that one channel had. */
struct channel_lines {
    double all, most;
};

static struct channel_lines lines_of_channels(const struct wave_chip *chip, const struct wave_result *result)
{
    struct channel_lines lines = {0, 0};
    for (unsigned i = 0; i < chip->l2_channels; i++) {
        lines.all += (double)result->channels[i];
        lines.most = fmax(lines.most, (double)result->channels[i]);
    }
    return lines;
}

/* The busiest compute unit's share of the accesses; 0: there are none. */
static double busiest_share(const struct wave_chip *chip, const struct wave_result *result)
{
    double all = 0, most = 0;
    for (unsigned i = 0; i < wave_chip_units(chip); i++) {
        all += (double)result->unit_accesses[i];
        most = fmax(most, (double)result->unit_accesses[i]);
    }
    return all > 0 ? most / all : 0;
}

/* Cycles that the accesses take at the chip's peak: those of the busiest of its channels, of the memory
 * behind them and of its compute units, each of which reads through its L1. */
static double peak_cycles(const struct machine *machine, const struct wave_chip *chip,
                          const struct wave_result *result)
{
    double line = (double)chip->l1.line;
    struct channel_lines lines = lines_of_channels(chip, result);
    double skew = lines.all > 0 ? lines.most * chip->l2_channels / lines.all : 1;
    double through_l1 = ((double)result->lines[GPU_L1] + lines.all) * line * busiest_share(chip, result);
    const double cycles[] = {
        cycles_of(machine, "L2", lines.all * line * skew),
        cycles_of(machine, "L3", (double)result->lines[GPU_L3] * line * skew),
        cycles_of(machine, "MEM", (double)result->lines[GPU_MEM] * line * skew),
        machine_bandwidth(machine, "L1") > 0 || result->lines[GPU_L1] > 0
            ? cycles_of(machine, "L1", through_l1)
            : 0,
        cycles_of(machine, "SHARED",
                  (double)result->loads[GPU_SHARED] * sizeof(uint32_t) * busiest_share(chip, result)),
    };
    double most = 0;
    for (size_t i = 0; i < sizeof cycles / sizeof cycles[0]; i++)
        most = isnan(cycles[i]) || isnan(most) ? NAN : fmax(most, cycles[i]);
    return most;
}

/* Waves that idle one after the other, as they have the same place: the most of any place. *working: all
 * waves that worked. */
static unsigned turns_of(const struct wave_chip *chip, const struct wave_result *result, size_t *working)
{
    size_t places = (size_t)wave_chip_units(chip) * SIMDS * SLOTS;
    unsigned *turns = memory_zeroed(places, sizeof *turns), most = 0;
    *working = 0;
    for (size_t i = 0; i < result->wave_count; i++) {
        const struct wave_place *place = &result->waves[i].place;
        unsigned *own = &turns[((size_t)place->unit * SIMDS + place->simd) * SLOTS + place->slot];
        *working += result->waves[i].worked;
        *own += result->waves[i].worked;
        most = *own > most ? *own : most;
    }
    free(turns);
    return most;
}

void wave_duty_observe(const struct test_program *test_program, const struct wave_chip *chip,
                       const struct wave_result *result, struct observations *list)
{
    size_t working;
    if (!manifest_has_target(test_program->manifest, METRIC))
        return;
    double turns = turns_of(chip, result, &working);
    double peak = peak_cycles(test_program->machine, chip, result);
    double idle = working > 0 ? turns * (double)result->idle_cycles / (double)working : 0;
    double duty = peak / fmax(peak, idle);
    if (peak > 0)
        observations_add(list, METRIC, "wave", EVIDENCE_SIMULATED, duty, duty, duty, (double)working);
}
