/* DPP: which lane each lane reads source 0 from, and which lanes are written. Source: AMD's "GCN3", "Vega"
 * and RDNA ISA manuals, "data parallel primitives". */
#ifndef SIM_GCN_LANE_SOURCES_H
#define SIM_GCN_LANE_SOURCES_H

#include "isa/gcn/decode/decode.h"
#include "sim/gcn/wave_result.h"

/* The lanes that an instruction with DPP writes: of those in exec, the ones that its masks allow and that
 * have a source or read 0 without one. lanes: of the wave. */
uint64_t wave_dpp_written(const struct gcn_instruction *in, uint64_t exec, unsigned lanes);

/* Fills `to` with what each lane reads; 0 where it has no source. */
void wave_dpp_read(const struct gcn_instruction *in, uint64_t exec, unsigned lanes,
                   const uint32_t from[WAVE_LANES], uint32_t to[WAVE_LANES]);

#endif
