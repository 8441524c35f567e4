/* Settings of the model "interconnect": for the fit, the chip, and what-if predictions. */
#include "model/fitting/point_error.h"
#include "model/interconnect/interconnect.h"

#include <math.h>

const struct model_setting_row interconnect_settings[] = {
    {"distance", "fit: mm that the long (far) path is longer than the short (near) one", NAN},
    {"access_bytes", "fit: bytes per load, if no bandwidth was measured", NAN},
    {"banks", "L2 banks of the chip; with bank_bytes and ghz the peak to which the constant refers", NAN},
    {"bank_bytes", "bytes that a bank moves per cycle", 64},
    {"peak", "peak of the channels in use in B/s at the reference clock, in place of banks", NAN},
    {"ghz", "fit: the reference clock (else the fastest point's); predict: the application's clock", NAN},
    {"volts", "fit: the reference voltage; predict: the application's", NAN},
    {"toggle", "predict: flips per bit (the paper's assumption for applications)", 0.34},
    {"product", "predict: 1 uses the paper's product alone, which is 0 without toggling", 0},
    {"reg_l1", "mm, or paths, from registers to L1", NAN},
    {"l1_l2", "mm, or paths, from L1 to L2", NAN},
    {"l2_mc", "mm, or paths, from L2 to the memory controllers", NAN},
    {"l1_bytes", "bytes per counted L1 access", 64},
    {"l2_bytes", "bytes per counted L2 hit or miss, from L1", 64},
    {"mc_bytes", "bytes per counted L2 miss, from memory", 32},
    {"peak_reg_l1", "B/s: shares of this segment are of its own peak", NAN},
    {"peak_l1_l2", "as peak_reg_l1", NAN},
    {"peak_l2_mc", "as peak_reg_l1", NAN},
    {"to_reg_l1", "what if: another distance", NAN},
    {"to_l1_l2", "what if: another distance", NAN},
    {"to_l2_mc", "what if: another distance", NAN},
    {"to_toggle", "what if: another toggle rate", NAN},
    {"l1_size", "size of L1, in any unit", NAN},
    {"to_l1_size", "what if: another size of L1, in the same unit", NAN},
    {"l2_size", "size of L2, in any unit", NAN},
    {"to_l2_size", "what if: another size of L2, in the same unit", NAN},
    {"miss_exponent", "misses fall as size to the power of minus this (Hartstein et al. 2006)", 0.5},
    {"wire_factor", "what if: wire energy in another technology relative to this one", NAN},
    {"transistor_factor", "what if: the same for all other dynamic power", NAN},
    POINT_ERROR_SETTING,
    {NULL, NULL, 0},
};

double interconnect_setting(const struct model_settings *settings, const char *name)
{
    return model_setting(model_interconnect.settings, settings, name);
}
