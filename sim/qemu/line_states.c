#include "sim/qemu/share_board.h"

struct line_found line_states_access(struct line_holders *line, unsigned core, bool writes, bool is_use)
{
    uint64_t own = UINT64_C(1) << core;
    uint64_t others = line->cores & ~own;
    bool holds = (line->cores & own) != 0;
    struct line_found found = {.elsewhere = others == 0 ? LINE_NOWHERE : (enum line_state)line->state,
                               .first = is_use && (line->used & own) == 0,
                               .taken = others != 0 && (writes || !holds)};
    line->used = (line->used & own) | (is_use ? own : 0);
    if (writes) {
        line->cores = own;
        line->state = LINE_MODIFIED;
    } else if (!holds) {
        line->cores |= own;
        line->state = others == 0 ? LINE_EXCLUSIVE : LINE_SHARED;
    }
    return found;
}

void line_states_flush(struct line_holders *line)
{
    *line = (struct line_holders){0};
}
