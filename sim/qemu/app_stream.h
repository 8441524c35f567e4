/* The file that the plugin writes when it counts an application (app_watch.c) and the runner reads
 * (runner/sources/qemu/qemu_application.c), in the host's byte order. The first page has a struct app_header.
 * From APP_BODY on follow: for each interval, a struct app_tally and an app_caches per machine; for each
 * block of code, a struct app_block, an app_code per instruction, and its executions in each interval as
 * uint32_t; samples of the execution, each a struct app_path and the blocks' numbers as uint32_t, where 0 is
 * the last block in the file. Plugin and runner share only this header. */
#ifndef SIM_QEMU_APP_STREAM_H
#define SIM_QEMU_APP_STREAM_H

#include <stdint.h>

enum { APP_MACHINES = 8, APP_INTERVALS = 128, APP_BODY = 4096, APP_WIDTHS = 8, APP_PATH = 256 };

enum { APP_LOAD, APP_STORE, APP_KINDS };

/* Children that the application forks share the file: each adds to it when it ends. */
struct app_header {
    uint64_t complete; /* 1: the application has ended, and the file is complete */
    uint64_t machines, intervals, blocks, paths;
    uint64_t executions;                   /* calls of execve by forked children */
    uint64_t children, child_instructions; /* forked children that ended normally */
};

/* Counts of an interval that do not depend on the machine. */
struct app_tally {
    uint64_t instructions;
    uint64_t accesses[APP_KINDS];
    uint64_t widths[APP_KINDS][APP_WIDTHS]; /* parts of accesses by log2 of their bytes */
    uint64_t branches, taken, branch_misses, jumps, jump_misses, calls;
    uint64_t bits[APP_KINDS], ones[APP_KINDS], compared[APP_KINDS], toggles[APP_KINDS]; /* of sampled data */
};

/* Misses in a machine's caches and TLB, by the kind of access that caused them. */
struct app_caches {
    uint64_t l1d[APP_KINDS], l2[APP_KINDS], l3[APP_KINDS];
    uint64_t lines, l1i, l2_code, l3_code; /* lines of code entered; of these, misses in each level */
    uint64_t tlb;
};

struct app_block {
    uint32_t instructions;
};

/* Blocks that a thread executed in sequence. */
struct app_path {
    uint32_t interval; /* in which it began */
    uint16_t blocks;   /* at most APP_PATH */
    uint16_t goes_on;  /* 1: it continues the path before it */
};

struct app_code {
    uint8_t size;     /* bytes; sizeof bytes: the instruction is a prefix of unknown length */
    uint8_t accessed; /* bits 1 << APP_LOAD and 1 << APP_STORE: it made at least one such access */
    uint8_t bytes[16];
};

#endif
