#include "isa/gcn/walk/flow.h"

#include "isa/gcn/walk/apart.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

enum { CRASHES_MOST = 64 };

/* Shared by parent and child: the child's position and results so far. */
struct shared_lengths {
    size_t at;
    unsigned char lengths[];
};

/* One walk. */
struct length_walk {
    struct gcn_walker *walker;
    const unsigned char *bytes;
    size_t size;
    struct shared_lengths *shared;
};

static void walk_on(void *context)
{
    const struct length_walk *walk = context;
    struct shared_lengths *shared = walk->shared;
    char text[GCN_TEXT_BYTES];
    while (shared->at + 4 <= walk->size && shared->lengths[shared->at / 4] == 0) {
        size_t length =
            gcn_walker_step(walk->walker, walk->bytes + shared->at, walk->size - shared->at, text);
        shared->lengths[shared->at / 4] = length == 0 ? GCN_NO_INSTRUCTION : (unsigned char)length;
        shared->at += length == 0 ? 4 : length;
    }
}

enum status gcn_lengths(struct gcn_walker *walker, const unsigned char *bytes, size_t size, size_t from,
                        unsigned char *lengths, struct error *error)
{
    size_t room = sizeof(struct shared_lengths) + size / 4;
    struct shared_lengths *shared =
        mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    enum status status = STATUS_OK;
    if (shared == MAP_FAILED)
        return error_set(error, STATUS_FAILED, "no memory for the lengths of %zu instructions: %s", size / 4,
                         strerror(errno));
    shared->at = from;
    memcpy(shared->lengths, lengths, size / 4);
    struct length_walk walk = {walker, bytes, size, shared};
    bool complete = !gcn_walker_may_crash(walker);
    if (complete)
        walk_on(&walk);
    for (unsigned crashes = 0; status == STATUS_OK && !complete && crashes < CRASHES_MOST; crashes++) {
        status = gcn_apart(walk_on, &walk, &complete, error);
        if (status == STATUS_OK && !complete) { /* the word that crashed it is not an instruction */
            shared->lengths[shared->at / 4] = GCN_NO_INSTRUCTION;
            shared->at += 4;
        }
    }
    memcpy(lengths, shared->lengths, size / 4);
    munmap(shared, room);
    return status;
}
