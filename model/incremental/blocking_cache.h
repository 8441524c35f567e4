/* The baseline of the 2001 paper: a blocking cache, where each load that misses L1 stops the pipeline until
 * L2 has answered (Joseph, Brooks, Martonosi 2001, section 5, equation 1, figure 9). A measured IPC above
 * this curve shows the gain from the non-blocking cache. */
#ifndef MODEL_INCREMENTAL_BLOCKING_CACHE_H
#define MODEL_INCREMENTAL_BLOCKING_CACHE_H

/* IPC = 1 / (cpi_base + penalty * (1 - hit)).
 * cpi_base: cycles per instruction when every load hits and no instruction depends on a load (1 / IPC, as
 *           measured; the paper's Pentium Pro: 1 / 2.7). Above 0.
 * penalty:  extra cycles of a miss: the latency of L2 minus that of L1. At least 0.
 * hit:      L1 hit rate, 0 to 1.
 * As in the paper, the penalty applies to every instruction, not only to every load: with one load in three
 * instructions, the equation is three times as pessimistic as the text suggests. */
double blocking_cache_ipc(double cpi_base, double penalty, double hit);

#endif
