/* What killed commands left beside the place of this one's output. */
#ifndef CLI_OPTIONS_LEFTOVERS_H
#define CLI_OPTIONS_LEFTOVERS_H

#include "cli/options/options.h"

/* Warns of each, with the command that removes it: no command removes what another one made. */
void leftovers_tell(const struct options *options);

#endif
