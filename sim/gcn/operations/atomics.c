#include "sim/gcn/wave_state.h"

static int64_t as_signed(uint64_t value, unsigned bytes)
{
    return bytes == 4 ? (int64_t)(int32_t)(uint32_t)value : (int64_t)value;
}

uint64_t wave_atomic_value(enum wave_atomic atomic, unsigned bytes, uint64_t old, uint64_t operand,
                           uint64_t compare)
{
    int64_t was = as_signed(old, bytes);
    int64_t with = as_signed(operand, bytes);
    switch (atomic) {
    case ATOMIC_SWAP:
        return operand;
    case ATOMIC_CMPSWAP:
        return old == compare ? operand : old;
    case ATOMIC_ADD:
        return old + operand;
    case ATOMIC_SUB:
        return old - operand;
    case ATOMIC_RSUB:
        return operand - old;
    case ATOMIC_SMIN:
        return with < was ? operand : old;
    case ATOMIC_UMIN:
        return operand < old ? operand : old;
    case ATOMIC_SMAX:
        return with > was ? operand : old;
    case ATOMIC_UMAX:
        return operand > old ? operand : old;
    case ATOMIC_AND:
        return old & operand;
    case ATOMIC_OR:
        return old | operand;
    case ATOMIC_XOR:
        return old ^ operand;
    case ATOMIC_INC:
        return old >= operand ? 0 : old + 1;
    case ATOMIC_DEC:
        return old == 0 || old > operand ? operand : old - 1;
    }
    return old;
}
