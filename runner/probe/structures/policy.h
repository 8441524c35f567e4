/* Replacement policies of a cache's set: simulates them, and identifies a cache's policy by access sequences.
 * After each sequence, a block is timed that is in the set under some policies and not under others. The
 * caller measures. */
#ifndef RUNNER_PROBE_STRUCTURES_POLICY_H
#define RUNNER_PROBE_STRUCTURES_POLICY_H

#include <stdbool.h>
#include <stddef.h>

enum { POLICY_WAYS_MOST = 32, POLICY_BLOCKS_MOST = 64, POLICY_NAME_BYTES = 32, POLICY_SEQUENCE_MOST = 160 };

enum replacement_kind {
    KIND_LRU,
    KIND_FIFO,
    KIND_TREE_PLRU, /* ways are a power of two */
    KIND_LRU_TREES, /* LRU among trees of four ways, then tree-PLRU in the tree: ways are a multiple of 4 */
    KIND_BIT_PLRU,  /* a bit for each way, cleared for all others when the last is set */
    KIND_QLRU,      /* ages of two bits, as A. Abel's nanoBench names them: QLRU_Hxy_Mx_Rx_Ux */
    KIND_RANDOM,
};

/* A policy. The other members are those of KIND_QLRU:
 * - a hit changes age 3 to hit3, age 2 to hit2, and others to 0; a miss inserts with age `insert`;
 * - replace: 0 and 1 replace the leftmost way of age 3, 1 the first way if there is none; 2 is as 1, but
 * fills an empty set from the right;
 * - update, when no age is 3: 0 raises all ages by the same amount so that the oldest becomes 3, 1 all except
 *   the accessed way's; 2 raises all by one, 3 all except the accessed way's;
 * - on_miss: ages are raised only before a replacement. */
struct replacement {
    enum replacement_kind kind;
    unsigned hit3, hit2, insert, replace, update;
    bool on_miss;
};

/* "lru", "fifo", "tree-plru", "lru-of-trees", "bit-plru", "QLRU_H11_M1_R0_U0", "random". */
void policy_name(const struct replacement *policy, char name[POLICY_NAME_BYTES]);

/* A set whose ways are filled from the left, or by its policy. */
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

/* Invalidates all blocks; the policy's state stays. */
void policy_set_flush(struct policy_set *set);

/* Measures the cache: flushes all blocks, accesses those of the sequence in order, and returns the cycles of
 * a load of the block `probe`, the mean over sets that are in the same state; NAN: it was disturbed. */
typedef double policy_measure(void *context, const unsigned char *sequence, size_t length, unsigned probe);

struct policy_cache {
    policy_measure *measure;
    void *context;
    unsigned ways;
};

enum policy_verdict {
    POLICY_FOUND,        /* one policy, or several that no sequence distinguishes */
    POLICY_NONE,         /* none of these */
    POLICY_UNDETERMINED, /* disturbed, or not as many blocks as there are ways stay in the set */
};

struct policy_finding {
    enum policy_verdict verdict;
    struct replacement policy; /* if found */
    size_t alike;              /* further policies that no sequence distinguishes from it */
    size_t sequences;          /* measured */
    size_t contradicting;      /* of these, those that contradict the policy */
    double hit, miss;          /* cycles */
};

/* The share of misses among the blocks of a set that was filled with as many blocks as it has ways, 0 to 1.
 * If it is large, other programs use these sets. NAN: it was disturbed. */
double policy_losses(const struct policy_cache *cache);

/* Whether no sequence of some hundreds distinguishes both in a set of that many ways. */
bool policy_alike(const struct replacement *a, const struct replacement *b, unsigned ways);

/* Finds the cache's policy. Of policies that no sequence distinguishes, it is the first in the order of enum
 * replacement_kind. */
void policy_find(const struct policy_cache *cache, struct policy_finding *finding);

#endif
