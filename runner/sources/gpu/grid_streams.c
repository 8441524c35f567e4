#include "runner/sources/gpu/grid_streams.h"

#include "base/memory.h"
#include "generator/plan/gpu/gpu_image_sides.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the record that a block's clocks leave ---- */

/* The last two reads of a clock are recorded; those before them, if any, are around the warm-up. */
enum { STOP = 1, START = 2, MOST_READS = 4, FIELD_BYTES = 8, FIELDS = 4 };

static const struct field {
    const char *name;
    enum clock_kind clock;
    unsigned number; /* of its reads, from the last one on */
} fields[FIELDS] = {{"start", CLOCK_TICKS, START},
                    {"stop", CLOCK_TICKS, STOP},
                    {"start in nanoseconds", CLOCK_NS, START},
                    {"stop in nanoseconds", CLOCK_NS, STOP}};

__attribute__((format(printf, 5, 6))) static bool wrong_record(const struct lane_access *access, int line,
                                                               uint64_t offset, struct error *error,
                                                               const char *format, ...)
{
    char what[320], at[48] = "";
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    if (line == 0)
        snprintf(at, sizeof at, ", at 0x%" PRIx64 " of the code", offset);
    error_set(error, STATUS_FAILED, "block %u, %s %u%s: %s", access->block,
              access->line > 0 ? "warp" : "wave", access->warp, at, what);
    if (line > 0)
        error_at(error, "program.ptx", line);
    return false;
}

/* The field's read of its clock; *count: all reads of that clock. */
static const struct clock_read *read_of(const struct clock_reads *reads, const struct field *field,
                                        unsigned *count)
{
    const struct clock_read *found = NULL;
    *count = 0;
    for (unsigned i = reads->count < CLOCK_READS ? reads->count : CLOCK_READS; i-- > 0;) {
        if (reads->items[i].clock != field->clock)
            continue;
        ++*count;
        found = *count == field->number ? &reads->items[i] : found;
    }
    return found;
}

/* True if the clock was read where the measured passes begin or end. */
static bool check_clock_read(const struct lane_access *access, const struct grid_clocks *clocks,
                             const struct field *field, const struct clock_read *read, struct error *error)
{
    bool start = field->number == START;
    int line = read->line, odd = start ? read->slow_after : read->slow_before;
    uint64_t between = start ? read->after : read->before;
    uint64_t passes = start ? clocks->warmup : access->pass;
    if (read->passes != CLOCK_UNKNOWN && read->passes != passes)
        return wrong_record(access, line, read->offset, error,
                            "reads its %s after %" PRIu64 " passes: expected after %" PRIu64, field->name,
                            read->passes, passes);
    if (!read->synchronised && (start || clocks->stops_meet))
        return wrong_record(access, line, read->offset, error,
                            "reads its %s while others of the block may %s: expected a barrier before",
                            field->name, start ? "not be there" : "still make their passes");
    if (read->underway > 0)
        return wrong_record(
            access, line, read->offset, error,
            "reads its %s while %u accesses may be under way: expected a wait for them before", field->name,
            read->underway);
    if (read->late)
        return wrong_record(access, line, read->offset, error,
                            "works on before its %s has come: expected a wait for it", field->name);
    if (odd > 0)
        return wrong_record(access, odd, read->offset, error,
                            "sleeps or accesses memory between the loop and the read of its %s in line %d",
                            field->name, line);
    if (between > clocks->between)
        return wrong_record(access, line, read->offset, error,
                            "executes %" PRIu64
                            " instructions between the loop and the read of its %s: expected at "
                            "most %u",
                            between, field->name, clocks->between);
    return true;
}

static bool check_field(const struct lane_access *access, const struct grid_clocks *clocks,
                        const struct field *field, uint64_t value, struct error *error)
{
    unsigned count;
    const struct clock_read *read = read_of(access->clocks, field, &count);
    bool runs = access->clocks->count > 0 && (clocks->has_ns || field->clock == CLOCK_TICKS);
    if (!runs)
        return value == 0 || wrong_record(access, access->line, access->offset, error,
                                          "records 0x%" PRIx64 " as its %s, and has read no such clock",
                                          value, field->name);
    if (count != START && count != MOST_READS)
        return wrong_record(access, access->line, access->offset, error,
                            "has read the clock of its %s %u times: expected %d, around the warm-up and the "
                            "measured passes, or %d",
                            field->name, count, MOST_READS, START);
    if (value != read->value)
        return wrong_record(access, access->line, access->offset, error,
                            "records 0x%" PRIx64
                            " as its %s: expected the clock's value %s the measured passes, "
                            "0x%" PRIx64,
                            value, field->name, field->number == START ? "before" : "after", read->value);
    return check_clock_read(access, clocks, field, read, error);
}

static bool check_clocks(const struct lane_access *access, const struct grid_clocks *clocks, uint64_t at,
                         struct error *error)
{
    for (unsigned i = 0; i < FIELDS; i++) {
        uint64_t from = (uint64_t)i * FIELD_BYTES, value;
        if (from + FIELD_BYTES <= at || from >= at + access->bytes)
            continue;
        if (from < at || from + FIELD_BYTES > at + access->bytes)
            return wrong_record(access, access->line, access->offset, error,
                                "writes a part of its %s: expected all of it", fields[i].name);
        memcpy(&value, access->value + (from - at), sizeof value);
        if (!check_field(access, clocks, &fields[i], value, error))
            return false;
    }
    return true;
}

/* Checks a store or atomic outside of streams. False, with the reason, if it writes anything but the block's
 * entry of the record, or another time than that of the measured loop. *written gets a bit for each byte. */
static bool grid_record_store(const struct lane_access *access, const struct grid_clocks *clocks,
                              uint64_t *written, struct error *error)
{
    uint64_t at = access->addresses[0] - GRID_RECORD_ADDRESS - (uint64_t)access->block * GRID_RECORD_BYTES;
    bool one = access->count == 1 && access->warp == 0 && access->lanes[0] == 0;
    if (access->kind == LANE_ATOMIC || at >= GRID_RECORD_BYTES || access->bytes > GRID_RECORD_BYTES - at)
        return wrong_record(access, access->line, access->offset, error,
                            "%s 0x%" PRIx64
                            ", which belongs to no stream of stores and is not its entry of the record",
                            access->kind == LANE_ATOMIC ? "changes" : "writes", access->addresses[0]);
    bool reads =
        clocks->read && (clocks->has_ns || access->clocks->count > 0); /* compiled programs never do */
    if (reads && !one)
        return wrong_record(
            access, access->line, access->offset, error,
            "writes its entry of the record with %u threads from %u on: expected its first alone",
            access->count, access->warp * 32 + access->lanes[0]);
    if (reads)
        *written |= ((UINT64_C(1) << access->bytes) - 1) << at; /* at most 16 bytes */
    return !reads || check_clocks(access, clocks, at, error);
}

enum { WORD = 8, WHERE_BYTES = 48 };

/* The progress of one warp in one stream. */
struct stream_progress {
    uint64_t pass;   /* the last one with an access */
    unsigned made;   /* accesses of that pass */
    uint64_t links;  /* reads of the next chunk's place */
    uint64_t at;     /* offset in the region: of the pass, or of a chase's first lane; or a chunk's address */
    uint64_t copied; /* in a ring's first stream: copies of all streams to the ring */
    uint64_t read;   /* reads of the ring, likewise */
    uint64_t *lanes; /* [lanes]: a chase's lanes where rows overlap, from the region's start; or NULL */
};

struct grid_streams {
    const struct grid_manifest *manifest;
    struct grid_clocks clocks;
    unsigned warps;
    struct stream_progress *progress; /* [blocks * warps][streams] */
    uint64_t *written;                /* [blocks]: a bit for each byte of its entry of the record */
};

struct grid_streams *grid_streams_new(const struct grid_manifest *manifest, const struct grid_clocks *clocks)
{
    struct grid_streams *streams = memory_zeroed(1, sizeof *streams);
    streams->manifest = manifest;
    streams->clocks = *clocks;
    streams->written = memory_zeroed(manifest->blocks, sizeof *streams->written);
    streams->warps = (manifest->threads + manifest->lanes - 1) / manifest->lanes;
    streams->progress = memory_zeroed(
        (size_t)manifest->blocks * streams->warps * (manifest->stream_count + 1), sizeof *streams->progress);
    return streams;
}

static struct stream_progress *progress_of(const struct grid_streams *streams, unsigned block, unsigned warp,
                                           size_t stream)
{
    size_t place = (size_t)block * streams->warps + warp;
    return &streams->progress[place * streams->manifest->stream_count + stream];
}

/* Reports a wrong access, with its line. */
__attribute__((format(printf, 3, 4))) static bool refuse(const struct lane_access *access,
                                                         struct error *error, const char *format, ...)
{
    char what[320];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    error_set(error, STATUS_FAILED, "%s", what);
    if (access->line > 0)
        error_at(error, "program.ptx", access->line);
    return false;
}

/* What the target calls a warp. */
static const char *name_of(const struct grid_manifest *manifest)
{
    return strcmp(manifest_text_or(manifest->stated->target, ""), "gcn") == 0 ? "wave" : "warp";
}

void grid_streams_free(struct grid_streams *streams)
{
    if (streams == NULL)
        return;
    size_t count = (size_t)streams->manifest->blocks * streams->warps * streams->manifest->stream_count;
    for (size_t i = 0; i < count; i++)
        free(streams->progress[i].lanes);
    free(streams->progress);
    free(streams->written);
    free(streams);
}

/* ---- what is expected ---- */

/* The word of the image at the address. */
static uint64_t word_at(const struct grid_manifest *manifest, uint64_t address)
{
    unsigned char bytes[WORD];
    uint64_t word = 0;
    gpu_image_fill(&manifest->image, GRID_DATA_ADDRESS, address - GRID_DATA_ADDRESS, WORD, bytes);
    for (int i = 0; i < WORD; i++)
        word |= (uint64_t)bytes[i] << (8 * i);
    return word;
}

/* The chunk after this one in its ring. */
static uint64_t next_chunk(const struct grid_manifest *manifest, const struct grid_stream *stream,
                           uint64_t at)
{
    uint64_t word = word_at(manifest, at);
    return stream->chase ? word : GRID_DATA_ADDRESS + (word ^ gpu_sides_key(stream->rule, 0));
}

/* True if the lanes of a block span more than a row, so that they wrap one after the other. */
static bool overlaps(const struct grid_manifest *manifest, const struct grid_stream *stream)
{
    return stream->lane * (manifest->threads - 1) + stream->width > stream->step;
}

static uint64_t hop_of(const struct grid_stream *stream, uint64_t at)
{
    const struct gpu_rule *rule = stream->rule;
    uint64_t index = at / stream->step % rule->count;
    unsigned __int128 next = (unsigned __int128)rule->multiplier * index + rule->increment;
    uint64_t row = rule->multiplier == 1 ? (index + rule->increment % rule->count) % rule->count
                                         : (uint64_t)(next % rule->count);
    return row * stream->step + at % stream->step;
}

static void begin(const struct grid_manifest *manifest, const struct grid_stream *stream,
                  const struct lane_access *access, struct stream_progress *own)
{
    own->at = grid_stream_begin(stream, access->block);
    if (stream->sided) {
        uint64_t entry = (uint64_t)access->unit * stream->rule->starts + access->warp;
        own->at = word_at(manifest, stream->start + entry * WORD);
    } else if (stream->chase) {
        own->at += (uint64_t)access->warp * manifest->lanes * stream->lane;
        if (!overlaps(manifest, stream))
            return;
        own->lanes = memory_zeroed(manifest->lanes, sizeof *own->lanes);
        for (unsigned i = 0; i < manifest->lanes; i++)
            own->lanes[i] = own->at + i * stream->lane;
    }
}

static void advance(const struct grid_stream *stream, struct stream_progress *own)
{
    if (stream->chase || stream->sided)
        return;
    own->at += stream->advance;
    own->at -= own->at >= stream->bytes ? stream->bytes : 0;
}

/* The address of the warp's first lane. */
static uint64_t expected(const struct grid_manifest *manifest, const struct grid_stream *stream,
                         const struct lane_access *access, const struct stream_progress *own)
{
    uint64_t thread = (uint64_t)access->warp * manifest->lanes;
    if (stream->sided)
        return own->at + stream->rule->header + (own->made % stream->hop) * stream->step * !stream->chase;
    if (stream->chase)
        return stream->start + own->at;
    return stream->start + own->at + grid_stream_row(stream, own->made) +
           grid_stream_thread(stream, (unsigned)thread);
}

/* ---- the comparison ---- */

static bool wrong(const struct grid_manifest *manifest, const struct lane_access *access,
                  const struct grid_stream *stream, struct error *error, const char *what, uint64_t found,
                  uint64_t wanted)
{
    char at[WHERE_BYTES] = "";
    if (access->line == 0)
        snprintf(at, sizeof at, ", at 0x%" PRIx64 " of the code", access->offset);
    return refuse(access, error,
                  "block %u, %s %u%s: %s 0x%" PRIx64 "; by the manifest it would be 0x%" PRIx64
                  " (%s of %u bytes%s%s)",
                  access->block, name_of(manifest), access->warp, at, what, found, wanted,
                  stream->atomic != NULL ? "atomic"
                  : stream->store        ? "store"
                                         : "load",
                  stream->width, stream->cache[0] == '\0' ? "" : ", ", stream->cache);
}

static bool wrong_count(const struct grid_manifest *manifest, const struct lane_access *access,
                        const struct grid_stream *stream, struct error *error, uint64_t pass, unsigned made)
{
    return refuse(access, error,
                  "block %u, %s %u makes %s%u accesses of a stream in pass %" PRIu64
                  "; by the manifest it would be %u",
                  access->block, name_of(manifest), access->warp, made > stream->per_pass ? "more than " : "",
                  made > stream->per_pass ? stream->per_pass : made, pass, stream->per_pass);
}

/* The block's first thread alone makes the copy. */
static bool check_leader(const struct grid_manifest *manifest, const struct grid_stream *stream,
                         const struct lane_access *access, const struct stream_progress *own,
                         struct error *error)
{
    uint64_t first = expected(manifest, stream, access, own);
    uint64_t thread = (uint64_t)access->warp * manifest->lanes + access->lanes[0];
    if (access->count != 1)
        return wrong(manifest, access, stream, error, "threads that make a bulk copy:", access->count, 1);
    if (thread != 0)
        return wrong(manifest, access, stream, error, "a bulk copy is made by thread", thread, 0);
    return access->addresses[0] == first ||
           wrong(manifest, access, stream, error, "copies from address", access->addresses[0], first);
}

/* All threads of the block take part, at the stream's distance. */
static bool check_lanes(const struct grid_manifest *manifest, const struct grid_stream *stream,
                        const struct lane_access *access, const struct stream_progress *own,
                        struct error *error)
{
    if (stream->bulk)
        return check_leader(manifest, stream, access, own, error);
    unsigned before = access->warp * manifest->lanes;
    unsigned lanes =
        manifest->threads - before < manifest->lanes ? manifest->threads - before : manifest->lanes;
    uint64_t first = expected(manifest, stream, access, own);
    if (access->count != lanes)
        return wrong(manifest, access, stream, error, "threads that take part:", access->count, lanes);
    bool words = stream->together > 0;
    for (unsigned i = 0; i < lanes && (!access->even || own->lanes != NULL || words || i == 0); i++) {
        uint64_t wanted =
            own->lanes != NULL ? stream->start + own->lanes[i]
            : words ? first + grid_stream_thread(stream, before + i) - grid_stream_thread(stream, before)
                    : first + i * stream->lane;
        if (access->addresses[i] != wanted)
            return wrong(manifest, access, stream, error, "accesses address", access->addresses[i], wanted);
    }
    if (access->even && own->lanes == NULL && !words && lanes > 1 && access->stride != (int64_t)stream->lane)
        return wrong(manifest, access, stream, error,
                     "bytes from thread to thread:", (uint64_t)access->stride, stream->lane);
    return true;
}

/* ---- asynchronous loads ---- */

/* The warp's progress in the ring, whose copies may be of several streams. */
static struct stream_progress *progress_of_ring(const struct grid_streams *streams,
                                                const struct lane_access *access,
                                                const struct grid_stream *stream)
{
    int first = grid_manifest_ring(streams->manifest, stream->ring);
    return progress_of(streams, access->block, access->warp, (size_t)first);
}

/* Checks that the lanes are at the ring's place with that number. */
static bool check_place(const struct grid_manifest *manifest, const struct grid_stream *stream,
                        const struct lane_access *access, const uint64_t *addresses, uint64_t number,
                        const char *what, struct error *error)
{
    uint64_t wanted = stream->ring + number % (stream->stages * stream->copies) * stream->place +
                      (uint64_t)access->warp * manifest->lanes * stream->width;
    for (unsigned i = 0; i < access->count; i++)
        if (addresses[i] != wanted + access->lanes[i] * stream->width)
            return wrong(manifest, access, stream, error, what, addresses[i],
                         wanted + access->lanes[i] * stream->width);
    return true;
}

static bool check_copy(const struct grid_streams *streams, const struct grid_stream *stream,
                       const struct lane_access *access, struct error *error)
{
    if ((access->to != NULL) != stream->async)
        return refuse(access, error, "the load is %sasynchronous; by the manifest it would%s be",
                      stream->async ? "not " : "", stream->async ? "" : " not");
    if (access->to == NULL)
        return true;
    struct stream_progress *own = progress_of_ring(streams, access, stream);
    return check_place(streams->manifest, stream, access, access->to, own->copied++,
                       "copies to shared memory at", error);
}

/* Checks a read of the ring: each unit, after its copies, reads the last copy of the unit `stages` - 1
 * before. */
static bool check_read(const struct grid_streams *streams, const struct grid_stream *stream,
                       const struct lane_access *access, struct error *error)
{
    const struct grid_manifest *manifest = streams->manifest;
    struct stream_progress *own = progress_of_ring(streams, access, stream);
    if (access->kind != LANE_LOAD || access->bytes != stream->width || !stream->read)
        return wrong(manifest, access, stream, error, "accesses what asynchronous loads copy, at",
                     access->addresses[0], stream->ring);
    own->read++;
    /* Other warps than the one that makes bulk copies may read before it has made those of their unit. */
    if ((!stream->bulk || access->warp == 0) && own->copied != own->read * stream->copies)
        return wrong(manifest, access, stream, error, "copies before the read of a unit's last:", own->copied,
                     own->read * stream->copies);
    return check_place(manifest, stream, access, access->addresses,
                       own->read % stream->stages * stream->copies + stream->copies - 1,
                       "reads shared memory at", error);
}

/* Checks a read of the next chunk's place, by a stream on one side. */
static bool check_link(const struct grid_manifest *manifest, const struct grid_stream *stream,
                       const struct lane_access *access, struct stream_progress *own, struct error *error)
{
    if (own->pass == 0 && own->at == 0)
        begin(manifest, stream, access, own);
    for (unsigned i = 0; i < access->count; i++) {
        uint64_t wanted = own->at + (access->lanes[i] % 2 == 0 ? 0 : stream->rule->bus);
        if (access->addresses[i] != wanted)
            return wrong(manifest, access, stream, error, "reads the next chunk's place at",
                         access->addresses[i], wanted);
    }
    own->links++;
    return true;
}

static bool is_link(const struct grid_stream *stream, const struct lane_access *access)
{
    if (!stream->sided || stream->chase || access->bytes != WORD)
        return false;
    uint64_t first = GRID_DATA_ADDRESS + gpu_sides_first(stream->rule);
    return access->addresses[0] >= first && (access->addresses[0] - first) % stream->rule->chunk == 0;
}

/* Checks whose shared memory is accessed: blocks of a cluster read that of the next block. */
static bool check_owner(const struct grid_manifest *manifest, const struct grid_stream *stream,
                        const struct lane_access *access, struct error *error)
{
    char found[32], wanted[32];
    unsigned owner = grid_manifest_owner(manifest, access->block);
    if (!stream->shared ||
        (access->of_cluster == stream->others && (!stream->others || access->owner == owner)))
        return true;
    snprintf(found, sizeof found, access->of_cluster ? "block %u" : "its own block", access->owner);
    snprintf(wanted, sizeof wanted, stream->others ? "block %u" : "its own", owner);
    return refuse(access, error,
                  "block %u, %s %u accesses shared memory of %s; by the manifest it would be of %s",
                  access->block, name_of(manifest), access->warp, found, wanted);
}

static bool differs(const struct lane_access *access, struct error *error, const char *what,
                    const char *found, const char *wanted)
{
    return refuse(access, error, "the atomic %s %s; by the manifest it would be %s", what, found, wanted);
}

/* Checks the operation, scope and operands. The operand is 1; cas has 0 twice, so that the comparison always
 * succeeds. */
static bool check_atomic(const struct grid_manifest *manifest, const struct grid_stream *stream,
                         const struct lane_access *access, struct error *error)
{
    const struct lane_atomic *atomic = access->atomic;
    uint64_t wanted = strcmp(stream->atomic, "cas") == 0 ? 0 : 1;
    if (atomic == NULL || strcmp(atomic->op, stream->atomic) != 0)
        return differs(access, error, "is", atomic == NULL ? "of another kind" : atomic->op, stream->atomic);
    bool names = access->line > 0 ||
                 atomic->names; /* PTX and GFX12 name scopes; else only that of the system may differ */
    const char *scope = names || strcmp(stream->scope, "sys") == 0 ? stream->scope : "gpu";
    if (atomic->scope != NULL && strcmp(atomic->scope, scope) != 0)
        return differs(access, error, "has the scope", atomic->scope, scope);
    if (atomic->returns != stream->returns)
        return differs(access, error, atomic->returns ? "returns" : "does not return", "the word's old value",
                       stream->returns ? "one that returns it" : "one that does not");
    for (unsigned i = 0; i < 2; i++)
        if (atomic->operands[i] != (i == 0 ? wanted : 0) || !atomic->same)
            return wrong(manifest, access, stream, error, "has the operand", atomic->operands[i],
                         i == 0 ? wanted : 0);
    return true;
}

static bool check_kind(const struct grid_manifest *manifest, const struct grid_stream *stream,
                       const struct lane_access *access, struct error *error)
{
    enum lane_kind kind = stream->atomic != NULL ? LANE_ATOMIC : stream->store ? LANE_STORE : LANE_LOAD;
    if (access->kind != kind)
        return wrong(manifest, access, stream, error, "another kind of access at", access->addresses[0],
                     access->addresses[0]);
    unsigned bytes = stream->bulk ? manifest->threads * stream->width : stream->width;
    if (access->bytes != bytes)
        return wrong(manifest, access, stream, error,
                     stream->bulk ? "bytes of a bulk copy:" : "bytes of a thread's access:", access->bytes,
                     bytes);
    if (strcmp(access->cache, stream->cache) != 0)
        return refuse(access, error, "the access has the operator \"%s\"; by the manifest it would be \"%s\"",
                      access->cache, stream->cache);
    if (stream->atomic != NULL)
        return check_atomic(manifest, stream, access, error);
    uint32_t word = 0;
    if (access->kind == LANE_STORE && access->bytes >= sizeof word)
        memcpy(&word, access->value, sizeof word);
    if (access->kind == LANE_STORE && (!access->same_value || word != manifest->word))
        return wrong(manifest, access, stream, error, "stores the word", word, manifest->word);
    return true;
}

/* Moves to the stream's next access. */
static void go_on(const struct grid_manifest *manifest, const struct grid_stream *stream,
                  struct stream_progress *own)
{
    own->made++;
    if (stream->sided && (stream->chase || own->made % stream->hop == 0 || own->made == stream->per_pass))
        own->at = next_chunk(manifest, stream, own->at);
    else if (stream->chase && !stream->sided)
        own->at = hop_of(stream, own->at);
    for (unsigned i = 0; own->lanes != NULL && i < manifest->lanes; i++)
        own->lanes[i] = hop_of(stream, own->lanes[i]);
}

bool grid_streams_visit(const struct lane_access *access, void *context, struct error *error)
{
    struct grid_streams *streams = context;
    const struct grid_manifest *manifest = streams->manifest;
    int ring = access->shared && access->pass > 0 ? grid_manifest_ring(manifest, access->addresses[0]) : -1;
    const struct grid_stream *of = access->region >= 0 ? &manifest->streams[access->region] : NULL;
    bool stores = of != NULL && of->store, atomics = of != NULL && of->atomic != NULL;
    if (ring >= 0)
        return check_read(streams, &manifest->streams[ring], access, error);
    if (!access->shared && access->kind != LANE_LOAD && (access->region < 0 || access->pass == 0) &&
        (!stores || atomics != (access->kind == LANE_ATOMIC)) && manifest->stated->from == NULL)
        return grid_record_store(access, &streams->clocks, &streams->written[access->block], error);
    if (access->region < 0) {
        bool others = access->shared && access->of_cluster;
        if (access->pass == 0 || access->kind != LANE_LOAD || (access->shared && !others))
            return true;
        return refuse(access, error,
                      "block %u, %s %u reads 0x%" PRIx64 "%s, which no stream of the manifest does",
                      access->block, name_of(manifest), access->warp, access->addresses[0],
                      others ? " of the cluster's shared memory" : "");
    }
    const struct grid_stream *stream = &manifest->streams[access->region];
    struct stream_progress *own = progress_of(streams, access->block, access->warp, (size_t)access->region);
    if (is_link(stream, access))
        return check_link(manifest, stream, access, own, error);
    if (access->pass == 0)
        return true; /* tables, and what is copied to shared memory */
    uint64_t current = access->pass;
    if (current == LANE_SOME_PASS)
        current = own->pass + (own->pass == 0 || own->made == stream->per_pass);
    if (current != own->pass) {
        if (own->pass > 0 && own->made != stream->per_pass)
            return wrong_count(manifest, access, stream, error, own->pass, own->made);
        if (own->pass == 0 && own->at == 0)
            begin(manifest, stream, access, own);
        for (uint64_t pass = own->pass == 0 ? 1 : own->pass; pass < current; pass++)
            advance(stream, own);
        own->pass = current;
        own->made = 0;
    }
    if (own->made == stream->per_pass)
        return wrong_count(manifest, access, stream, error, current, own->made + 1);
    if (!check_owner(manifest, stream, access, error) || !check_kind(manifest, stream, access, error) ||
        !check_lanes(manifest, stream, access, own, error) || !check_copy(streams, stream, access, error))
        return false;
    go_on(manifest, stream, own);
    return true;
}

enum status grid_streams_end(const struct grid_streams *streams, uint64_t passes, struct error *error)
{
    const struct grid_manifest *manifest = streams->manifest;
    for (unsigned block = 0; block < manifest->blocks; block++) {
        uint64_t left = ~streams->written[block];
        if (streams->clocks.read && left != 0 && left != UINT64_MAX)
            return error_set(error, STATUS_FAILED,
                             "block %u leaves byte %d of its entry of the record unwritten", block,
                             __builtin_ctzll(left));
        for (unsigned warp = 0; warp < streams->warps; warp++) {
            bool any = false;
            for (size_t i = 0; i < manifest->stream_count; i++)
                any = any || progress_of(streams, block, manifest->streams[i].bulk ? 0 : warp, i)->pass > 0;
            for (size_t i = 0; any && i < manifest->stream_count; i++) {
                const struct stream_progress *own = progress_of(streams, block, warp, i);
                bool leads = !manifest->streams[i].bulk || warp == 0;
                if (leads && (own->pass != passes || own->made != manifest->streams[i].per_pass))
                    return error_set(error, STATUS_FAILED,
                                     "block %u, %s %u makes %u accesses of streams[%zu] in its last pass, "
                                     "%" PRIu64 "; by the manifest it would be %u in pass %" PRIu64,
                                     block, name_of(manifest), warp, own->made, i, own->pass,
                                     manifest->streams[i].per_pass, passes);
                const struct grid_stream *stream = &manifest->streams[i];
                uint64_t copied = stream->bulk ? progress_of(streams, block, 0, i)->copied : own->copied;
                if (stream->async && stream->read && copied != own->read * stream->copies)
                    return error_set(error, STATUS_FAILED,
                                     "block %u, %s %u reads %" PRIu64 " of the %" PRIu64
                                     " units that streams[%zu] copies",
                                     block, name_of(manifest), warp, own->read, copied / stream->copies, i);
                unsigned links = grid_stream_links(stream);
                if (links > 0 && own->links != 1 + links * passes) /* one before the loop */
                    return error_set(error, STATUS_FAILED,
                                     "block %u, %s %u reads %" PRIu64
                                     " times where the next chunk of streams[%zu] "
                                     "is; by the manifest it would be %" PRIu64,
                                     block, name_of(manifest), warp, own->links, i, 1 + links * passes);
            }
        }
    }
    return STATUS_OK;
}
