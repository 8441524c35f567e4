/* The widths of numbers in x86-64 instructions. */
#ifndef ISA_X86_64_NUMBERS_H
#define ISA_X86_64_NUMBERS_H

#include "isa/numbers.h"

extern const struct number_classes x86_64_numbers[NUMBER_KINDS];

#endif
