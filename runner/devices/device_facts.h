/* What a driver reports about a device and a loaded program, for results and `trauma sensors`. */
#ifndef RUNNER_DEVICES_DEVICE_FACTS_H
#define RUNNER_DEVICES_DEVICE_FACTS_H

#include "base/buffer.h"
#include "base/json/json_text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DEVICE_WORD_BYTES = 32, DEVICE_TEXT_BYTES = 128, DEVICE_SENTENCE_BYTES = 1024 };

enum device_interface { DEVICE_CUDA, DEVICE_OPENCL };

/* "" and 0: not reported. Sizes in bytes. */
struct device {
    enum device_interface through;
    uint64_t ordinal;
    char name[DEVICE_TEXT_BYTES];
    char arch[DEVICE_WORD_BYTES]; /* "sm_90", "gfx906" */
    char type[DEVICE_WORD_BYTES]; /* "GPU", "CPU" or "other" */
    char pci[DEVICE_WORD_BYTES];  /* "0000:0f:00.0" */
    char driver[DEVICE_TEXT_BYTES], platform[DEVICE_TEXT_BYTES], version[DEVICE_TEXT_BYTES];
    bool mig;          /* a part of a GPU */
    bool amd;          /* a GPU on AMD's own platform */
    bool code_objects; /* of these, one that takes ROCm's binaries */
    uint64_t units;    /* multiprocessors, or compute units */
    uint64_t threads_per_block, threads_per_sm, blocks_per_sm;
    uint64_t shared;           /* shared memory of a block */
    uint64_t shared_per_block; /* the same for a kernel that opts in to more */
    uint64_t shared_per_sm, l2, memory, buffer /* the largest */;
    uint64_t clock_hz, memory_clock_hz, bus_bits, wave, channels, ecc;
};

/* A loaded program. Numbers are NAN, and texts empty, where the driver reports none. */
struct device_module {
    double registers, local_bytes, shared_bytes, threads_per_block, ptx, binary;
    const char *from;                /* the suite's file that was loaded, a constant; NULL: program.ptx */
    char why[DEVICE_SENTENCE_BYTES]; /* why program.co was refused; "": it was not */
    struct buffer log;               /* the compiler's */
    const char *read;                /* the fields of its place that a patched program reads, a constant;
                                        NULL: it was not patched */
    uint64_t patched, patched_bytes; /* the number of patched instructions and bytes */
    struct buffer made; /* the binary that the runtime made, which runs and which evidence judges;
                           empty: unknown, for the reason no_binary */
    char no_binary[DEVICE_SENTENCE_BYTES];
};

/* Settings of a launch that were requested and that the driver accepted; NAN or false: none. */
struct device_launch {
    double shared_split, l2_fetch_bytes;
    bool spread; /* blocks of a cluster */
};

/* The sides of a two-part L2 on which the data and the multiprocessors are, and ticks per access. */
struct device_sides {
    uint64_t chunk;     /* bytes; 0: not determined */
    uint64_t chunks[3]; /* number of chunks on side 0, on side 1, on neither */
    struct buffer sms;  /* the side of each multiprocessor, a byte each */
    double agreement, atomic_near, atomic_far, load_near, load_far;
};

struct device_facts {
    struct device device;
    struct device_module module;
    struct device_launch launch;
    struct device_sides sides;
};

/* Facts of which none is known yet. */
struct device_facts device_facts_none(void);
void device_facts_free(struct device_facts *facts);

/* Sets module->made or, if it is too large to be sent to the parent, that reason. */
void device_module_set_made(struct device_module *module, const void *binary, size_t size);

/* Writes and reads facts as bytes, between copies of one process: the struct, and then its buffers' bytes.
 * take moves *at past them; false if they are incomplete. */
void device_facts_append(const struct device_facts *facts, struct buffer *bytes);
bool device_facts_take(const struct buffer *bytes, size_t *at, struct device_facts *facts);

/* Writes the device: {"ordinal", "name", "arch", ...}. */
void device_write(struct json_text *text, const char *name, const struct device *device);

/* Writes {"device", "module", ...}. */
void device_facts_write(struct json_text *text, const struct device_facts *facts);

#endif
