#include "runner/results/evidence_kind.h"

#include <string.h>

/* Tolerances: {usual, branches, lines, idle}. */
const struct evidence_kind_row evidence_kinds[EVIDENCE_KINDS] = {
    [EVIDENCE_NONE] = {"", NULL, SIDE_NONE, {0, 0, 0, 0}},
    [EVIDENCE_PREDICTED] = {"predicted", NULL, SIDE_NONE, {0, 0, 0, 0}},
    /* the tolerances of measurements: the page map is not part of the program */
    [EVIDENCE_MAPPED] = {"mapped", " by ", SIDE_CODE, {0.01, 0.03, 0, 0}},
    [EVIDENCE_INFERRED] = {"inferred", " from ", SIDE_SILICON, {0.03, 0.03, 0.03, 0.03}},
    [EVIDENCE_SIMULATED] = {"simulated", " by ", SIDE_CODE, {0.002, 0.03, 0, 0}},
    [EVIDENCE_INSPECTED] = {"inspected", " in the ", SIDE_CODE, {0, 0, 0, 0}},
    [EVIDENCE_MEASURED] = {"measured", " by ", SIDE_SILICON, {0.01, 0.01, 0.01, 0.01}},
};

enum evidence_kind evidence_kind_named(const char *name)
{
    for (unsigned i = EVIDENCE_PREDICTED; name != NULL && i < EVIDENCE_KINDS; i++)
        if (strcmp(evidence_kinds[i].name, name) == 0)
            return (enum evidence_kind)i;
    return EVIDENCE_NONE;
}
