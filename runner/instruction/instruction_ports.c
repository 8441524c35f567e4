#include "runner/instruction/instruction_ports.h"

#include "base/memory.h"
#include "runner/sources/perf/perf_measure.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SAMPLES = 5 };

struct counted_event {
    char name[INSN_PORT_NAME_BYTES];
    const char *event; /* for messages */
    struct perf_event_attr attributes;
};

struct insn_port_events {
    struct perf_host host;
    struct event_table table;
    struct counted_event events[INSN_PORTS_MOST];
    unsigned count;
};

static const char PORT_PREFIX[] = "port_";

/* In order of preference: retired micro-operations leave out those of wrong predictions. */
static const char *const totals[] = {"uops_retired", "uops_issued"};

/* "port_2_3" is of the ports 2 and 3. */
static void name_port(const char *event, char name[INSN_PORT_NAME_BYTES])
{
    snprintf(name, INSN_PORT_NAME_BYTES, "%s", event + strlen(PORT_PREFIX));
    for (char *at = name; *at != '\0'; at++)
        *at = *at == '_' ? ',' : *at;
}

/* Adds the event if this machine counts it. */
static void consider(struct insn_port_events *events, const struct event *event, const char *name,
                     struct error *first_reason)
{
    struct error reason;
    struct counted_event *next = &events->events[events->count];
    if (events->count == INSN_PORTS_MOST)
        return;
    enum status status = perf_event_encode(&events->host, event->code, &next->attributes, &reason);
    if (status == STATUS_OK)
        status = perf_try(&events->host, event->name, &next->attributes, &reason);
    if (status != STATUS_OK) {
        if (first_reason->message[0] == '\0')
            *first_reason = reason;
        return;
    }
    snprintf(next->name, sizeof next->name, "%s", name);
    next->event = event->name;
    events->count++;
}

static const struct event *find_event(const struct event_table *table, const char *name)
{
    for (size_t i = 0; i < table->event_count; i++)
        if (table->events[i].name != NULL && strcmp(table->events[i].name, name) == 0)
            return &table->events[i];
    return NULL;
}

static void consider_all(struct insn_port_events *events, struct error *first_reason)
{
    char name[INSN_PORT_NAME_BYTES];
    const struct event *total = NULL;
    for (size_t i = 0; total == NULL && i < sizeof totals / sizeof totals[0]; i++)
        total = find_event(&events->table, totals[i]);
    if (total != NULL)
        consider(events, total, "", first_reason);
    for (size_t i = 0; i < events->table.event_count; i++) {
        const struct event *event = &events->table.events[i];
        if (event->name == NULL || strncmp(event->name, PORT_PREFIX, strlen(PORT_PREFIX)) != 0)
            continue;
        name_port(event->name, name);
        consider(events, event, name, first_reason);
    }
}

struct insn_port_events *insn_ports_open(const struct perf_host *host, struct error *error)
{
    struct insn_port_events *events = memory_zeroed(1, sizeof *events);
    struct error reason = {.code = STATUS_OK};
    events->host = *host;
    enum status status = perf_table(host, NULL, &events->table, error);
    if (status == STATUS_OK)
        consider_all(events, &reason);
    if (status == STATUS_OK && events->count > 0)
        return events;
    if (status == STATUS_OK && reason.message[0] != '\0')
        *error = reason;
    else if (status == STATUS_OK)
        error_set(error, STATUS_UNAVAILABLE,
                  "templates/events/ has no event of micro-operations for this processor");
    insn_ports_close(events);
    return NULL;
}

void insn_ports_close(struct insn_port_events *events)
{
    if (events == NULL)
        return;
    event_table_free(&events->table);
    free(events);
}

/* Events in `iterations` passes: the difference to a run that is twice as long. */
static enum status count_once(const struct insn_port_events *events, const struct counted_event *event,
                              insn_ports_run *run, const struct insn_ports_loop *loop, double *found,
                              struct error *error)
{
    struct perf_reading readings[3];
    struct perf_event_attr attributes = event->attributes;
    attributes.disabled = 0;
    const struct perf_kernel *kernel = events->host.kernel;
    int fd = kernel->open(&attributes, 0, -1, -1);
    if (fd < 0)
        return perf_refusal(&events->host, event->event, errno, error);
    bool good = kernel->read(fd, &readings[0]);
    run(loop->context, loop->iterations);
    good = good && kernel->read(fd, &readings[1]);
    run(loop->context, 2 * loop->iterations);
    good = good && kernel->read(fd, &readings[2]);
    close(fd);
    if (!good || readings[2].running == 0)
        return error_set(error, STATUS_UNAVAILABLE, "\"%s\" was not counted", event->event);
    const double shorter = (double)(readings[1].value - readings[0].value);
    const double longer = (double)(readings[2].value - readings[1].value);
    *found = longer - shorter;
    return STATUS_OK;
}

static enum status count_event(const struct insn_port_events *events, const struct counted_event *event,
                               const struct insn_ports_loop *loop, struct interval *per_instruction,
                               struct error *error)
{
    double samples[SAMPLES];
    const double instructions = (double)loop->iterations * loop->instructions;
    for (size_t i = 0; i < SAMPLES; i++) {
        double with;
        double without = 0;
        enum status status = count_once(events, event, loop->run, loop, &with, error);
        if (status == STATUS_OK && loop->empty != NULL)
            status = count_once(events, event, loop->empty, loop, &without, error);
        if (status != STATUS_OK)
            return status;
        samples[i] = fmax(0, with - without) / instructions;
    }
    *per_instruction = stats_bootstrap(samples, SAMPLES);
    return STATUS_OK;
}

enum status insn_ports_count(const struct insn_port_events *events, const struct insn_ports_loop *loop,
                             struct insn_ports *ports, struct error *error)
{
    *ports = (struct insn_ports){0};
    enum status status = STATUS_OK;
    for (unsigned i = 0; status == STATUS_OK && i < events->count; i++) {
        struct insn_port *port = &ports->ports[ports->count];
        memcpy(port->name, events->events[i].name, sizeof port->name);
        status = count_event(events, &events->events[i], loop, &port->per_instruction, error);
        ports->count += status == STATUS_OK;
    }
    return status;
}
