#include "sim/qemu/branch_predictor.h"

enum { MASK = (1 << PREDICTOR_LOG2) - 1, MOST = 3 };

static void count(uint8_t *counter, bool up)
{
    if (up && *counter < MOST)
        (*counter)++;
    if (!up && *counter > 0)
        (*counter)--;
}

static unsigned slot(uint64_t address)
{
    return (unsigned)(address ^ address >> PREDICTOR_LOG2) & MASK;
}

bool branch_predictor_taken(struct branch_predictor *predictor, uint64_t address, bool taken)
{
    unsigned own = slot(address);
    unsigned shared = (own ^ (unsigned)predictor->history) & MASK;
    bool by_address = predictor->by_address[own] > 1;
    bool by_history = predictor->by_history[shared] > 1;
    bool predicted = predictor->choice[own] > 1 ? by_history : by_address;
    if (by_address != by_history)
        count(&predictor->choice[own], by_history == taken);
    count(&predictor->by_address[own], taken);
    count(&predictor->by_history[shared], taken);
    predictor->history = (predictor->history << 1 | taken) & ((1 << PREDICTOR_HISTORY) - 1);
    return predicted == taken;
}

bool branch_predictor_target(struct branch_predictor *predictor, uint64_t address, uint64_t target)
{
    unsigned own = slot(address);
    unsigned shared = (own ^ (unsigned)predictor->path) & MASK;
    bool by_address = predictor->last_target[own] == target;
    bool by_path = predictor->target_by_path[shared] == target;
    bool good = predictor->target_choice[own] > 1 ? by_path : by_address;
    if (by_address != by_path)
        count(&predictor->target_choice[own], by_path);
    predictor->last_target[own] = target;
    predictor->target_by_path[shared] = target;
    predictor->path = predictor->path << 3 ^ slot(target);
    return good;
}
