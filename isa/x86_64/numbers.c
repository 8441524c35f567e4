#include "isa/x86_64/numbers.h"

#define COUNT(rows) (sizeof rows / sizeof rows[0])

/* Intel SDM, volume 2, sections 2.1.5 and 2.7.5: no displacement, one of 8 bits, with EVEX in units of what
 * the operand has in memory, or one of 32 bits. */
static const struct number_class displacements[] = {
    {0, 0, 1, 0, {0, 0}},
    {-128, 127, 1, 8, {0x55, -0x56}},
    {-128 * 2, 127 * 2, 2, 8, {0x55 * 2, -0x56 * 2}},
    {-128 * 4, 127 * 4, 4, 8, {0x55 * 4, -0x56 * 4}},
    {-128 * 8, 127 * 8, 8, 8, {0x55 * 8, -0x56 * 8}},
    {-128 * 16, 127 * 16, 16, 8, {0x55 * 16, -0x56 * 16}},
    {-128 * 32, 127 * 32, 32, 8, {0x55 * 32, -0x56 * 32}},
    {-128 * 64, 127 * 64, 64, 8, {0x55 * 64, -0x56 * 64}},
    {INT32_MIN, INT32_MAX, 1, 32, {0x55555555, -0x55555556}},
};

/* A shift by one has an encoding of its own; 32-bit operations take numbers above 2^31 for negative ones. */
static const struct number_class immediates[] = {
    {0, 0, 1, 0, {0, 0}},
    {1, 1, 1, 0, {0, 0}},
    {-128, 127, 1, 8, {0x55, -0x56}},
    {128, 255, 1, 8, {0xd5, 0xaa}},
    {INT64_C(0xffffff80), INT64_C(0xffffffff), 1, 8, {INT64_C(0xffffffd5), INT64_C(0xffffffaa)}},
    {INT32_MIN, INT32_MAX, 1, 32, {0x55555555, -0x55555556}},
    {INT64_C(0x80000000), INT64_C(0xffffffff), 1, 32, {INT64_C(0x95555555), INT64_C(0xeaaaaaaa)}},
    {INT64_MIN, INT64_MAX, 1, 64, {INT64_C(0x5555555555555555), -INT64_C(0x5555555555555556)}},
};

static const struct number_class targets[] = {
    {-128, 127, 1, 8, {0x55, -0x50}},
    {INT32_MIN, INT32_MAX, 1, 32, {0x1555, -0x1555}},
};

const struct number_classes x86_64_numbers[NUMBER_KINDS] = {
    [NUMBER_DISPLACEMENT] = {displacements, COUNT(displacements)},
    [NUMBER_IMMEDIATE] = {immediates, COUNT(immediates)},
    [NUMBER_TARGET] = {targets, COUNT(targets)},
};
