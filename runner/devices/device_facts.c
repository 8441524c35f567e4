#include "runner/devices/device_facts.h"

#include "base/hash.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_BINARY = 1 << 26 };

struct device_facts device_facts_none(void)
{
    return (struct device_facts){.module = {NAN, NAN, NAN, NAN, NAN, NAN, .from = NULL},
                                 .launch = {.shared_split = NAN, .l2_fetch_bytes = NAN}};
}

/* ---- as bytes ---- */

enum { BUFFERS = 3 };

static void list_buffers(struct device_facts *facts, struct buffer *list[BUFFERS])
{
    list[0] = &facts->module.log;
    list[1] = &facts->module.made;
    list[2] = &facts->sides.sms;
}

void device_facts_free(struct device_facts *facts)
{
    struct buffer *list[BUFFERS];
    list_buffers(facts, list);
    for (size_t i = 0; i < BUFFERS; i++)
        buffer_free(list[i]);
}

void device_module_set_made(struct device_module *module, const void *binary, size_t size)
{
    if (size <= MOST_BINARY)
        buffer_append(&module->made, binary, size);
    else
        snprintf(module->no_binary, sizeof module->no_binary, "the runtime's binary is larger than 64 MiB");
}

void device_facts_append(const struct device_facts *facts, struct buffer *bytes)
{
    struct device_facts copy = *facts;
    struct buffer *list[BUFFERS];
    list_buffers(&copy, list);
    buffer_append(bytes, (const char *)&copy, sizeof copy);
    for (size_t i = 0; i < BUFFERS; i++)
        buffer_append(bytes, list[i]->data, list[i]->size);
}

bool device_facts_take(const struct buffer *bytes, size_t *at, struct device_facts *facts)
{
    struct buffer *list[BUFFERS];
    bool whole = bytes->size - *at >= sizeof *facts;
    *facts = device_facts_none();
    if (!whole)
        return false;
    memcpy(facts, bytes->data + *at, sizeof *facts);
    *at += sizeof *facts;
    list_buffers(facts, list);
    for (size_t i = 0; i < BUFFERS; i++) {
        size_t size = list[i]->size;
        *list[i] = (struct buffer){0};
        whole = whole && size <= bytes->size - *at;
        if (whole)
            buffer_append(list[i], bytes->data + *at, size);
        *at += whole ? size : 0;
    }
    return whole;
}

/* ---- as JSON ---- */

/* These write only reported values: more than 0, finite, or not empty. */
static void count(struct json_text *text, const char *name, uint64_t value)
{
    if (value > 0)
        json_text_integer(text, name, (long long)value);
}

static void number(struct json_text *text, const char *name, double value)
{
    if (isfinite(value))
        json_text_number(text, name, value);
}

static void word(struct json_text *text, const char *name, const char *value)
{
    if (value != NULL && value[0] != '\0')
        json_text_string(text, name, value);
}

static void write_cuda(struct json_text *text, const struct device *device)
{
    word(text, "name", device->name);
    if (device->mig)
        json_text_bool(text, "mig", true);
    word(text, "arch", device->arch);
    word(text, "pci", device->pci);
    word(text, "driver", device->driver);
    count(text, "sm", device->units);
    count(text, "threads_per_block", device->threads_per_block);
    count(text, "threads_per_sm", device->threads_per_sm);
    count(text, "blocks_per_sm", device->blocks_per_sm);
    count(text, "shared_per_block", device->shared_per_block);
    count(text, "shared_usual", device->shared);
    count(text, "shared_per_sm", device->shared_per_sm);
    count(text, "l2", device->l2);
    count(text, "clock_hz", device->clock_hz);
    count(text, "memory_clock_hz", device->memory_clock_hz);
    count(text, "bus_bits", device->bus_bits);
    count(text, "warp", device->wave);
    count(text, "ecc", device->ecc);
    count(text, "memory", device->memory);
}

static void write_opencl(struct json_text *text, const struct device *device)
{
    word(text, "name", device->name);
    json_text_string(text, "arch", device->arch);
    word(text, "type", device->type);
    json_text_bool(text, "amd", device->amd);
    json_text_bool(text, "code_objects", device->code_objects);
    word(text, "platform", device->platform);
    word(text, "version", device->version);
    word(text, "driver", device->driver);
    word(text, "pci", device->pci);
    count(text, "compute_units", device->units);
    count(text, "threads_per_block", device->threads_per_block);
    count(text, "shared", device->shared);
    count(text, "memory", device->memory);
    count(text, "buffer", device->buffer);
    count(text, "clock_hz", device->clock_hz);
    count(text, "wave", device->wave);
    count(text, "channels", device->channels);
}

void device_write(struct json_text *text, const char *name, const struct device *device)
{
    json_text_open(text, name, '{');
    json_text_integer(text, "ordinal", (long long)device->ordinal);
    (device->through == DEVICE_CUDA ? write_cuda : write_opencl)(text, device);
    json_text_close(text, '}');
}

static void write_module(struct json_text *text, const struct device_module *module, bool cuda)
{
    json_text_open(text, "module", '{');
    if (cuda) {
        number(text, "registers", module->registers);
        number(text, "local_bytes", module->local_bytes);
        number(text, "shared_bytes", module->shared_bytes);
        number(text, "threads_per_block", module->threads_per_block);
        number(text, "ptx", module->ptx);
        number(text, "binary", module->binary);
        word(text, "log", module->log.data);
    } else {
        word(text, "why", module->why);
        word(text, "log", module->log.data);
        word(text, "from", module->from);
        if (module->read != NULL)
            json_text_pack(text, "{s:{s:s, s:I, s:I}}", "placement", "read", module->read, "instructions",
                           (json_int_t)module->patched, "bytes", (json_int_t)module->patched_bytes);
        number(text, "threads_per_block", module->threads_per_block);
        number(text, "shared_bytes", module->shared_bytes);
        number(text, "local_bytes", module->local_bytes);
    }
    if (module->made.size > 0) {
        char hash[HASH_TEXT_BYTES];
        hash_bytes(module->made.data, module->made.size, hash);
        json_text_pack(text, "{s:{s:s, s:I}}", "made", "hash", hash, "bytes", (json_int_t)module->made.size);
    }
    word(text, "no_binary", module->no_binary);
    json_text_close(text, '}');
}

static void write_ends(struct json_text *text, const char *name, double near_ticks, double far_ticks)
{
    json_text_open(text, name, '{');
    json_text_real(text, "near", near_ticks);
    json_text_real(text, "far", far_ticks);
    json_text_close(text, '}');
}

static void write_sides(struct json_text *text, const struct device_sides *sides)
{
    json_text_open(text, "sides", '{');
    json_text_integer(text, "chunk", (long long)sides->chunk);
    json_text_integers(text, "chunks", sides->chunks, 3);
    json_text_open(text, "sm", '[');
    for (size_t i = 0; i < sides->sms.size; i++)
        json_text_integer(text, NULL, (unsigned char)sides->sms.data[i]);
    json_text_close(text, ']');
    json_text_real(text, "agreement", sides->agreement);
    write_ends(text, "atomic", sides->atomic_near, sides->atomic_far);
    write_ends(text, "load", sides->load_near, sides->load_far);
    json_text_close(text, '}');
}

void device_facts_write(struct json_text *text, const struct device_facts *facts)
{
    bool cuda = facts->device.through == DEVICE_CUDA;
    json_text_open(text, NULL, '{');
    if (cuda)
        device_write(text, "device", &facts->device);
    write_module(text, &facts->module, cuda);
    if (!cuda)
        device_write(text, "device", &facts->device);
    if (cuda) {
        json_text_open(text, "launch", '{');
        number(text, "shared_split", facts->launch.shared_split);
        word(text, "cluster_policy", facts->launch.spread ? "spread" : "");
        number(text, "l2_fetch_bytes", facts->launch.l2_fetch_bytes);
        json_text_close(text, '}');
    }
    if (facts->sides.chunk > 0)
        write_sides(text, &facts->sides);
    json_text_close(text, '}');
}
