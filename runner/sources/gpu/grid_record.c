#include "runner/sources/gpu/grid_record.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The last two reads of a clock are recorded; before them are those around the warm-up, if there are any. */
enum { STOP = 1, START = 2, MOST_READS = 4, FIELD_BYTES = 8, FIELDS = 4 };

static const struct field {
    const char *name;
    enum clock_kind clock;
    unsigned number; /* of its reads, from the last one on */
} fields[FIELDS] = {{"start", CLOCK_TICKS, START},
                    {"stop", CLOCK_TICKS, STOP},
                    {"start in nanoseconds", CLOCK_NS, START},
                    {"stop in nanoseconds", CLOCK_NS, STOP}};

__attribute__((format(printf, 5, 6))) static bool wrong(const struct lane_access *access, int line,
                                                        uint64_t offset, struct error *error,
                                                        const char *format, ...)
{
    char what[320], at[48] = "";
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    if (line == 0)
        snprintf(at, sizeof at, ", at 0x%" PRIx64 " of the code", offset);
    error_set(error, STATUS_FAILED, "block %u, %s %u%s: %s", access->block,
              access->line > 0 ? "warp" : "wave", access->warp, at, what);
    if (line > 0)
        error_at(error, "program.ptx", line);
    return false;
}

/* The field's read; *count: all of its clock. */
static const struct clock_read *read_of(const struct clock_reads *reads, const struct field *field,
                                        unsigned *count)
{
    const struct clock_read *found = NULL;
    *count = 0;
    for (unsigned i = reads->count < CLOCK_READS ? reads->count : CLOCK_READS; i-- > 0;) {
        if (reads->items[i].clock != field->clock)
            continue;
        ++*count;
        found = *count == field->number ? &reads->items[i] : found;
    }
    return found;
}

/* Whether the clock was read where the measured passes begin or end. */
static bool check_read(const struct lane_access *access, const struct grid_clocks *clocks,
                       const struct field *field, const struct clock_read *read, struct error *error)
{
    bool start = field->number == START;
    int line = read->line, odd = start ? read->odd_after : read->odd_before;
    uint64_t between = start ? read->after : read->before;
    uint64_t passes = start ? clocks->warmup : access->pass;
    if (read->passes != CLOCK_UNKNOWN && read->passes != passes)
        return wrong(access, line, read->offset, error,
                     "reads its %s after %" PRIu64 " passes: expected after %" PRIu64, field->name,
                     read->passes, passes);
    if (!read->met && (start || clocks->stops_meet))
        return wrong(access, line, read->offset, error,
                     "reads its %s while others of the block may %s: expected a barrier before", field->name,
                     start ? "not be there" : "still make their passes");
    if (read->underway > 0)
        return wrong(access, line, read->offset, error,
                     "reads its %s while %u accesses may be under way: expected a wait for them before",
                     field->name, read->underway);
    if (odd > 0)
        return wrong(access, odd, read->offset, error,
                     "sleeps or accesses memory between the loop and the read of its %s in line %d",
                     field->name, line);
    if (between > clocks->between)
        return wrong(access, line, read->offset, error,
                     "executes %" PRIu64 " instructions between the loop and the read of its %s: expected at "
                     "most %u",
                     between, field->name, clocks->between);
    return true;
}

static bool check_field(const struct lane_access *access, const struct grid_clocks *clocks,
                        const struct field *field, uint64_t value, struct error *error)
{
    unsigned count;
    const struct clock_read *read = read_of(access->clocks, field, &count);
    bool runs = access->clocks->count > 0 && (clocks->has_ns || field->clock == CLOCK_TICKS);
    if (!runs)
        return value == 0 ||
               wrong(access, access->line, access->offset, error,
                     "records 0x%" PRIx64 " as its %s, and has read no such clock", value, field->name);
    if (count != START && count != MOST_READS)
        return wrong(access, access->line, access->offset, error,
                     "has read the clock of its %s %u times: expected %d, around the warm-up and the "
                     "measured passes, or %d",
                     field->name, count, MOST_READS, START);
    if (value != read->value)
        return wrong(access, access->line, access->offset, error,
                     "records 0x%" PRIx64 " as its %s: expected what the clock said %s the measured passes, "
                     "0x%" PRIx64,
                     value, field->name, field->number == START ? "before" : "after", read->value);
    return check_read(access, clocks, field, read, error);
}

static bool check_clocks(const struct lane_access *access, const struct grid_clocks *clocks, uint64_t at,
                         struct error *error)
{
    for (unsigned i = 0; i < FIELDS; i++) {
        uint64_t from = (uint64_t)i * FIELD_BYTES, value;
        if (from + FIELD_BYTES <= at || from >= at + access->bytes)
            continue;
        if (from < at || from + FIELD_BYTES > at + access->bytes)
            return wrong(access, access->line, access->offset, error,
                         "writes a part of its %s: expected all of it", fields[i].name);
        memcpy(&value, access->value + (from - at), sizeof value);
        if (!check_field(access, clocks, &fields[i], value, error))
            return false;
    }
    return true;
}

bool grid_record_store(const struct lane_access *access, const struct grid_clocks *clocks, uint64_t *written,
                       struct error *error)
{
    uint64_t at = access->addresses[0] - GRID_RECORD_ADDRESS - (uint64_t)access->block * GRID_RECORD_BYTES;
    bool one = access->count == 1 && access->warp == 0 && access->lanes[0] == 0;
    if (access->kind == LANE_ATOMIC || at >= GRID_RECORD_BYTES || access->bytes > GRID_RECORD_BYTES - at)
        return wrong(access, access->line, access->offset, error,
                     "%s 0x%" PRIx64
                     ", which belongs to no stream of stores and is not its entry of the record",
                     access->kind == LANE_ATOMIC ? "changes" : "writes", access->addresses[0]);
    bool reads = clocks->read && (clocks->has_ns || access->clocks->count > 0); /* compiled ones never do */
    if (reads && !one)
        return wrong(access, access->line, access->offset, error,
                     "writes its entry of the record with %u threads from %u on: expected its first alone",
                     access->count, access->warp * 32 + access->lanes[0]);
    if (reads)
        *written |= ((UINT64_C(1) << access->bytes) - 1) << at; /* of 16 bytes at the most */
    return !reads || check_clocks(access, clocks, at, error);
}
