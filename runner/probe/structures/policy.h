/* Replacement policies of a cache's set, simulated, and told apart by access sequences: after each, a block
 * is timed that is in the set under some policies and not under others. Measures nothing itself. */
#ifndef RUNNER_PROBE_STRUCTURES_POLICY_H
#define RUNNER_PROBE_STRUCTURES_POLICY_H

#include <stdbool.h>
#include <stddef.h>

enum { POLICY_WAYS_MOST = 32, POLICY_BLOCKS_MOST = 64, POLICY_NAME_BYTES = 32, POLICY_SEQUENCE_MOST = 160 };

enum replacement_kind {
    KIND_LRU,
    KIND_FIFO,
    KIND_TREE_PLRU, /* ways are a power of two */
    KIND_LRU_TREES, /* the least recent of trees of four ways, then that tree's: ways are a multiple of 4 */
    KIND_BIT_PLRU,  /* a bit for each way, cleared for all others when the last is set */
    KIND_QLRU,      /* ages of two bits, as A. Abel's nanoBench names them: QLRU_Hxy_Mx_Rx_Ux */
    KIND_RANDOM,
};

/* A policy. Of KIND_QLRU: a hit makes age 3 hit3 and age 2 hit2, others 0; a miss inserts with age insert;
 * replace 0 and 1 take the leftmost way of age 3, 1 the first way where there is none, 2 fills a set from the
 * right; update says what raises ages when none is 3: 0 all by what the oldest lacks, 1 all but the accessed
 * one, 2 all by one, 3 all but the accessed one by one; on_miss: before a replacement only. */
struct replacement {
    enum replacement_kind kind;
    unsigned hit3, hit2, insert, replace, update;
    bool on_miss;
};

/* "lru", "fifo", "tree-plru", "lru-of-trees", "bit-plru", "QLRU_H11_M1_R0_U0", "random". */
void policy_name(const struct replacement *policy, char name[POLICY_NAME_BYTES]);

/* A set whose ways are filled from the left, or as its policy says. */
struct policy_set {
    struct replacement policy;
    unsigned ways;
    int blocks[POLICY_WAYS_MOST]; /* -1: empty */
    unsigned ages[POLICY_WAYS_MOST];
    unsigned long time;
    unsigned tree[POLICY_WAYS_MOST]; /* bits of trees, by node */
    unsigned long long random;
};

void policy_set_start(struct policy_set *set, const struct replacement *policy, unsigned ways,
                      unsigned long long seed);

/* Accesses the block; true: it was there. */
bool policy_set_access(struct policy_set *set, unsigned block);

/* Invalidates all blocks; what the policy remembers stays. */
void policy_set_flush(struct policy_set *set);

/* A cache to be told: cycles of a load of the block `probe` after a flush of all blocks and accesses to those
 * of the sequence in order, the mean over sets that are in the same state; NAN: it was disturbed. */
typedef double policy_measure(void *context, const unsigned char *sequence, size_t length, unsigned probe);

struct policy_cache {
    policy_measure *measure;
    void *context;
    unsigned ways;
};

enum policy_verdict {
    POLICY_TOLD,   /* one policy, or several that no sequence tells apart */
    POLICY_NONE,   /* none of these */
    POLICY_UNTOLD, /* disturbed, or not as many blocks as there are ways stay in the set */
};

struct policy_finding {
    enum policy_verdict verdict;
    struct replacement policy; /* if told */
    size_t alike;              /* policies, besides, that no sequence tells from it */
    size_t sequences;          /* that were measured */
    size_t contradicting;      /* of these, not as the policy has it */
    double hit, miss;          /* cycles */
};

/* The share of misses among the blocks of a set that was filled with as many as it has ways, 0 to 1: more
 * than a few, and others use these sets. NAN: it was disturbed. */
double policy_losses(const struct policy_cache *cache);

/* No sequence of some hundreds tells them apart in a set of so many ways. */
bool policy_alike(const struct replacement *a, const struct replacement *b, unsigned ways);

/* Names the cache's policy: of those that no sequence tells apart the first in the order of enum
 * replacement_kind. */
void policy_find(const struct policy_cache *cache, struct policy_finding *finding);

#endif
