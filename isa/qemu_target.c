#include "isa/qemu_target.h"

#include <string.h>

#define address(isa) &qemu_##isa,
static const struct qemu_target *const targets[] = {ISA_PROCESSORS(address)};

const struct qemu_target *qemu_target_find(const char *isa)
{
    for (size_t i = 0; i < sizeof targets / sizeof targets[0]; i++)
        if (strcmp(targets[i]->isa, isa) == 0)
            return targets[i];
    return NULL;
}
