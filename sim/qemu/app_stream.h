/* What the plugin writes when it counts an application (app_watch.c), and the runner reads (runner/sources/
 * qemu/qemu_application.c): in the bytes of this machine, a struct app_header in the file's first page, and
 * from APP_BODY on, for each interval, a struct app_tally and the app_caches of each machine; then, for each
 * block of code, a struct app_block, an app_code for each of its instructions and how often it was executed
 * in each interval, as uint32_t; then samples of what was executed, each a struct app_path and the blocks'
 * numbers as uint32_t, from 0 for the last of those written. The plugin is built apart, so that this is all
 * that both know. */
#ifndef SIM_QEMU_APP_STREAM_H
#define SIM_QEMU_APP_STREAM_H

#include <stdint.h>

enum { APP_MACHINES = 8, APP_INTERVALS = 128, APP_BODY = 4096, APP_WIDTHS = 8, APP_PATH = 256 };

enum { APP_LOAD, APP_STORE, APP_KINDS };

/* The file is shared with children that the application forks: each adds itself when it ends. */
struct app_header {
    uint64_t complete; /* 1: the application ended, and all of it is here */
    uint64_t machines, intervals, blocks, paths;
    uint64_t executions;                   /* of other programs, tried by forked children */
    uint64_t children, child_instructions; /* forked ones that ended by themselves, counted in nothing else */
};

/* Counts of an interval, the same on each machine. */
struct app_tally {
    uint64_t instructions;
    uint64_t accesses[APP_KINDS];
    uint64_t widths[APP_KINDS]
                   [APP_WIDTHS]; /* accesses by log2 of their bytes, of parts that follow each other */
    uint64_t branches, taken, branch_misses, jumps, jump_misses, calls;
    uint64_t bits[APP_KINDS], ones[APP_KINDS], compared[APP_KINDS], toggles[APP_KINDS]; /* of sampled data */
};

/* Of a machine's caches; misses by the access that began them. */
struct app_caches {
    uint64_t l1d[APP_KINDS], l2[APP_KINDS], l3[APP_KINDS];
    uint64_t lines, l1i, l2_code, l3_code; /* lines of code entered, and those missed */
    uint64_t tlb;
};

struct app_block {
    uint32_t instructions;
};

/* Blocks that a thread executed one after the other. */
struct app_path {
    uint32_t interval; /* in which it began */
    uint16_t blocks;   /* at most APP_PATH */
    uint16_t goes_on;  /* 1: it begins where the one before ended */
};

struct app_code {
    uint8_t size;     /* bytes; all of them: they begin with the instruction, whose end is not known */
    uint8_t accessed; /* bits 1 << APP_LOAD and 1 << APP_STORE: it did so at least once */
    uint8_t bytes[16];
};

#endif
