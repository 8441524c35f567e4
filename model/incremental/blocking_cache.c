#include "model/incremental/blocking_cache.h"

double blocking_cache_ipc(double cpi_base, double penalty, double hit)
{
    return 1 / (cpi_base + penalty * (1 - hit));
}
