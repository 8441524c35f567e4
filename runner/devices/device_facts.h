/* What a driver reports of a device, and of a program that it has loaded: for results and `trauma sensors`.
 */
#ifndef RUNNER_DEVICES_DEVICE_FACTS_H
#define RUNNER_DEVICES_DEVICE_FACTS_H

#include "base/buffer.h"
#include "base/json/json_text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DEVICE_WORD_BYTES = 32, DEVICE_TEXT_BYTES = 128, DEVICE_SENTENCE_BYTES = 1024 };

enum device_interface { DEVICE_CUDA, DEVICE_OPENCL };

/* "" and 0: it reports none. Sizes in bytes. */
struct device {
    enum device_interface through;
    uint64_t ordinal;
    char name[DEVICE_TEXT_BYTES];
    char arch[DEVICE_WORD_BYTES]; /* "sm_90", "gfx906" */
    char type[DEVICE_WORD_BYTES]; /* "GPU", "CPU" or "other" */
    char pci[DEVICE_WORD_BYTES];  /* "0000:0f:00.0" */
    char driver[DEVICE_TEXT_BYTES], platform[DEVICE_TEXT_BYTES], version[DEVICE_TEXT_BYTES];
    bool mig;               /* a part of a GPU */
    bool amd, code_objects; /* a GPU on AMD's own platform; which takes ROCm's binaries */
    uint64_t units;         /* multiprocessors, or compute units */
    uint64_t threads_per_block, threads_per_sm, blocks_per_sm;
    uint64_t shared_per_block; /* if a kernel asks for it; */
    uint64_t shared;           /* otherwise */
    uint64_t shared_per_sm, l2, memory, buffer /* the largest */;
    uint64_t clock_hz, memory_clock_hz, bus_bits, wave, channels, ecc;
};

/* What was loaded. Numbers are NAN, and texts empty, where the driver reports none. */
struct device_module {
    double registers, local_bytes, shared_bytes, threads_per_block, ptx, binary;
    const char *from;                /* the suite's file that it was made of, a constant; NULL: program.ptx */
    char why[DEVICE_SENTENCE_BYTES]; /* program.co was refused */
    struct buffer log;               /* the compiler's */
    const char *read;                /* the fields that a patched program reads of where it runs, a constant;
                                        NULL: it was not patched, */
    uint64_t patched, patched_bytes; /* or how many instructions and bytes were */
    struct buffer made;              /* the binary that the runtime made, which is what runs: evidence judges
                                        that one; empty: */
    char no_binary[DEVICE_SENTENCE_BYTES]; /* the reason */
};

/* What of a launch was requested and the driver accepted; NAN or false: nothing. */
struct device_launch {
    double shared_split, l2_fetch_bytes;
    bool spread; /* blocks of a cluster */
};

/* On which side of a two-part L2 the data and the multiprocessors are, and ticks per access. */
struct device_sides {
    uint64_t chunk;     /* bytes; 0: not determined */
    uint64_t chunks[3]; /* of side 0, of side 1, of neither */
    struct buffer sms;  /* the side of each multiprocessor, a byte each */
    double agreement, atomic_near, atomic_far, load_near, load_far;
};

struct device_facts {
    struct device device;
    struct device_module module;
    struct device_launch launch;
    struct device_sides sides;
};

/* Nothing is known yet. */
struct device_facts device_facts_none(void);
void device_facts_free(struct device_facts *facts);

/* Sets module->made, or the reason that it is too large to be sent to the parent. */
void device_module_set_made(struct device_module *module, const void *binary, size_t size);

/* Passes them on within copies of one process: a struct with its buffers' bytes behind it. take moves *at
 * past them; false if they are not whole. */
void device_facts_append(const struct device_facts *facts, struct buffer *bytes);
bool device_facts_take(const struct buffer *bytes, size_t *at, struct device_facts *facts);

/* Writes {"ordinal", "name", "arch", ...}, what the device reports. */
void device_write(struct json_text *text, const char *name, const struct device *device);

/* Writes {"device", "module", ...}. */
void device_facts_write(struct json_text *text, const struct device_facts *facts);

#endif
