#include "isa/assembly_parts.h"

#include <inttypes.h>
#include <stdlib.h>

/* Rounds in which jumps grow; each lengthens one at least, and a program has fewer classes than jumps. */
enum { MOST_ROUNDS = 100000 };

static uint64_t label_offset(const struct assembly *assembly, int label)
{
    return assembly_offset(assembly, &assembly->labels[label].place);
}

/* Gives the event's label a first encoding: the narrowest that the shape has. False when that is not known.
 */
static bool widen(struct assembly *assembly, struct event *event, size_t class, bool *known)
{
    size_t count = 0;
    const struct encoding *found = NULL;
    *known = true;
    for (; found == NULL && *known; class ++) {
        if (!stencils_has_target(assembly->stencils, class))
            return false;
        found = stencils_target(assembly->stencils, event->shape, class, known);
        count = class;
    }
    if (found == NULL)
        return false;
    event->class = count;
    event->encoding = found;
    event->size = found->size;
    return true;
}

static enum status check_labels(const struct assembly *assembly, const struct event *event,
                                struct error *error)
{
    const int labels[] = {event->label, event->from};
    for (size_t i = 0; i < 2; i++)
        if (labels[i] != NO_LABEL && !assembly->labels[labels[i]].defined)
            return error_set(error, STATUS_FAILED, "the program has no label %s",
                             assembly->labels[labels[i]].name);
    return STATUS_OK;
}

static enum status begin(struct assembly *assembly, bool *complete, struct error *error)
{
    for (unsigned s = 0; s < assembly->section_count; s++) {
        struct section_code *section = &assembly->sections[s];
        if (section->grown_room < section->event_count + 1) {
            section->grown_room = 2 * section->event_count + 1;
            section->grown = realloc(section->grown, section->grown_room * sizeof *section->grown);
            if (section->grown == NULL)
                abort();
        }
        section->grown[0] = 0;
        for (size_t i = 0; i < section->event_count; i++) {
            struct event *event = &section->events[i];
            enum status status = check_labels(assembly, event, error);
            bool known = true;
            if (status != STATUS_OK)
                return status;
            if (event->kind == EVENT_DIFFERENCE)
                event->size = event->bytes;
            if (event->kind == EVENT_TARGET && !widen(assembly, event, 0, &known) && known)
                return error_set(error, STATUS_FAILED, "no known field holds the label %s",
                                 assembly->labels[event->label].name);
            *complete = *complete && known;
        }
    }
    return STATUS_OK;
}

/* Where everything lies with the events as they are. False when an .org would lead back. */
static bool place(struct assembly *assembly, struct section_code *section)
{
    uint64_t total = 0;
    for (size_t i = 0; i < section->event_count; i++) {
        struct event *event = &section->events[i];
        uint64_t here = event->at + total;
        section->grown[i] = total;
        if (event->kind == EVENT_ALIGN) {
            uint64_t align = UINT64_C(1) << event->amount;
            event->size = (align - here % align) % align;
        } else if (event->kind == EVENT_ORG) {
            uint64_t goal = label_offset(assembly, event->label) + (uint64_t)event->amount;
            if (goal < here)
                return false;
            event->size = goal - here;
        }
        total += event->size;
    }
    section->grown[section->event_count] = total;
    return true;
}

/* From the branch origin to the instruction's target. */
static int64_t distance(const struct assembly *assembly, const struct section_code *section, size_t index)
{
    const struct event *event = &section->events[index];
    uint64_t origin = event->at + section->grown[index];
    if (stencils_isa(assembly->stencils)->branch_origin == ORIGIN_END)
        origin += event->size;
    return (int64_t)(label_offset(assembly, event->label) - origin) + event->amount;
}

static enum status grow(struct assembly *assembly, struct section_code *section, bool *grown,
                        struct error *error)
{
    for (size_t i = 0; i < section->event_count; i++) {
        struct event *event = &section->events[i];
        bool known = true;
        if (event->kind != EVENT_TARGET || event->encoding == NULL)
            continue;
        if (stencils_target_fits(assembly->stencils, event->class, distance(assembly, section, i)))
            continue;
        *grown = true;
        if (!widen(assembly, event, event->class + 1, &known) && known)
            return error_set(error, STATUS_FAILED, "the label %s is too far from a use of it",
                             assembly->labels[event->label].name);
        if (!known) {
            event->encoding = NULL;
            assembly->incomplete = true;
        }
    }
    return STATUS_OK;
}

static void write_event(const struct assembly *assembly, const struct section_code *section, size_t index,
                        struct buffer *output)
{
    const struct event *event = &section->events[index];
    unsigned char bytes[ENCODING_ROOM] = {0};
    if (event->kind == EVENT_TARGET && event->encoding != NULL)
        encoding_stencil(event->encoding, distance(assembly, section, index), bytes);
    if (event->kind == EVENT_DIFFERENCE) {
        uint64_t value = label_offset(assembly, event->label) - label_offset(assembly, event->from);
        memcpy(bytes, &value, sizeof value);
    }
    if (event->kind == EVENT_TARGET || event->kind == EVENT_DIFFERENCE) {
        buffer_append(output, bytes, event->size);
        return;
    }
    memset(bytes, event->fill, sizeof bytes);
    for (uint64_t left = event->size; left > 0;) {
        uint64_t part = left < sizeof bytes ? left : sizeof bytes;
        buffer_append(output, bytes, part);
        left -= part;
    }
}

static void write_section(const struct assembly *assembly, struct section_code *section)
{
    size_t done = 0;
    section->output.size = 0;
    for (size_t i = 0; i < section->event_count; i++) {
        buffer_append(&section->output, section->bytes + done, section->events[i].at - done);
        done = section->events[i].at;
        write_event(assembly, section, i, &section->output);
    }
    if (section->size > done)
        buffer_append(&section->output, section->bytes + done, section->size - done);
}

enum status assembly_finish(struct assembly *assembly, bool *complete, struct error *error)
{
    *complete = true;
    enum status status = begin(assembly, complete, error);
    bool grown = true;
    for (unsigned round = 0; status == STATUS_OK && grown && round < MOST_ROUNDS; round++) {
        grown = false;
        for (unsigned i = 0; i < assembly->section_count; i++)
            if (!place(assembly, &assembly->sections[i]) && *complete && !assembly->incomplete)
                return error_set(error, STATUS_FAILED, "an .org leads back in section %s",
                                 assembly->sections[i].name);
        for (unsigned i = 0; status == STATUS_OK && i < assembly->section_count; i++)
            status = grow(assembly, &assembly->sections[i], &grown, error);
    }
    *complete = *complete && !assembly->incomplete;
    for (unsigned i = 0; status == STATUS_OK && *complete && i < assembly->section_count; i++)
        write_section(assembly, &assembly->sections[i]);
    return status;
}
