#include "isa/gcn/walk/texts.h"

#include "isa/gcn/decode/decode.h"
#include "isa/gcn/walk/apart.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

enum { AT_ONCE = 4096, CRASHES_MOST = 64 };

/* Shared by parent and child: the child's current instruction and the texts so far. */
struct shared_texts {
    size_t at;
    char texts[AT_ONCE][GCN_TEXT_BYTES];
};

struct text_reading {
    struct gcn_walker *walker;
    const unsigned char *file;
    size_t size;
    const size_t *offsets;
    size_t count; /* AT_ONCE at most */
    struct shared_texts *shared;
};

/* Writes the decoder's text, or "". Returns the instruction's length, 0 if it is unknown. */
static size_t decode_text(const struct gcn_target *target, const unsigned char *at, size_t left,
                          char text[GCN_TEXT_BYTES])
{
    struct gcn_instruction instruction;
    struct error none;
    text[0] = '\0';
    if (gcn_decode(target->generation, at, left, 0, &instruction, &none) != STATUS_OK)
        return 0;
    gcn_print(target->generation, &instruction, text);
    return instruction.length;
}

void gcn_decoded_text(const struct gcn_target *target, const unsigned char *bytes, size_t length,
                      char text[GCN_TEXT_BYTES])
{
    if (decode_text(target, bytes, length, text) != length)
        text[0] = '\0';
}

static void read_on(void *context)
{
    const struct text_reading *reading = context;
    struct shared_texts *shared = reading->shared;
    for (; shared->at < reading->count; shared->at++) {
        size_t offset = reading->offsets[shared->at];
        gcn_walker_step(reading->walker, reading->file + offset, reading->size - offset,
                        shared->texts[shared->at]);
    }
}

static enum status read_some(struct text_reading *reading, struct error *error)
{
    enum status status = STATUS_OK;
    bool complete = false;
    reading->shared->at = 0;
    memset(reading->shared->texts, 0, reading->count * GCN_TEXT_BYTES);
    for (unsigned crashes = 0; status == STATUS_OK && !complete && crashes < CRASHES_MOST; crashes++) {
        status = gcn_apart(read_on, reading, &complete, error);
        if (status == STATUS_OK && !complete)
            reading->shared->texts[reading->shared->at++][0] = '\0';
    }
    return status;
}

enum status gcn_texts(struct gcn_walker *walker, const struct gcn_target *target, const unsigned char *file,
                      size_t size, const size_t *offsets, size_t count, char (*texts)[GCN_TEXT_BYTES],
                      struct error *error)
{
    enum status status = STATUS_OK;
    struct shared_texts *shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        return error_set(error, STATUS_FAILED, "no memory for the texts of %zu instructions: %s", count,
                         strerror(errno));
    for (size_t from = 0; status == STATUS_OK && from < count; from += AT_ONCE) {
        size_t some = count - from < AT_ONCE ? count - from : AT_ONCE;
        struct text_reading reading = {walker, file, size, offsets + from, some, shared};
        if (gcn_walker_may_crash(walker))
            status = read_some(&reading, error);
        for (size_t i = 0; status == STATUS_OK && i < some; i++) {
            size_t offset = offsets[from + i];
            if (gcn_walker_may_crash(walker))
                memcpy(texts[from + i], shared->texts[i], GCN_TEXT_BYTES);
            if (!gcn_walker_may_crash(walker) || texts[from + i][0] == '\0')
                decode_text(target, file + offset, size - offset, texts[from + i]);
        }
    }
    munmap(shared, sizeof *shared);
    return status;
}
