#include "runner/sources/gpu/grid_manifest.h"

#include "base/rational.h"
#include "generator/suite/gpu_regions.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_BLOCKS = 1 << 20,
    MOST_THREADS = 1024,
    MOST_CLUSTER = 16,
    MOST_WARMUP = 1 << 24,
    MOST_ACCESSES = 1 << 20,
    MOST_WIDTH = 16,
    LEAST_BUS = 4,
    MOST_BUS = 128,
    MOST_STAGES = 16,
    MOST_SHARED = 1 << 20,
    SHARED_ALIGN = 128,
    CACHE_BYTES = 32
};
#define MOST_BYTES (UINT64_C(1) << 40)

/* A whole number of the manifest from least to most. */
static bool whole(double stated, uint64_t least, uint64_t most, uint64_t *number)
{
    bool good = stated >= (double)least && stated <= (double)most && stated == floor(stated);
    *number = good ? (uint64_t)stated : 0;
    return good;
}

static bool small(double stated, uint64_t least, uint64_t most, unsigned *number)
{
    uint64_t wide = 0;
    bool good = whole(stated, least, most, &wide);
    *number = (unsigned)wide;
    return good;
}

/* The rule of the region that names the stream. */
static const struct gpu_rule *rule_of(const struct grid_manifest *manifest, size_t stream)
{
    const struct manifest_data *data = &manifest->stated->data;
    for (size_t i = 0; i < manifest->image.rule_count && i < data->region_count; i++)
        if (data->regions[i].stream == (double)stream)
            return &manifest->image.rules[i];
    return NULL;
}

static const char *cache_of(struct grid_manifest *manifest, const char *cache)
{
    char text[CACHE_BYTES];
    bool l1 = strcmp(cache, "no_allocate") == 0 || strcmp(cache, "evict_last") == 0;
    snprintf(text, sizeof text, "%s%.20s", l1 ? "L1::" : "", cache);
    return arena_strdup(&manifest->arena, text);
}

/* Reads the members of asynchronous accesses. False if they are wrong; true for other streams. */
static bool read_ring(const struct grid_manifest *manifest, const struct manifest_stream *stated,
                      struct grid_stream *stream)
{
    stream->bulk = strcmp(stated->source, "tma") == 0;
    if (stream->store && stream->bulk)
        return !stream->shared && !stream->sided && stream->lane == stream->width && stream->atomic == NULL;
    stream->async = stream->bulk || strcmp(stated->source, "async") == 0;
    if (!stream->async)
        return stated->source[0] == '\0';
    stream->read = stated->read;
    stream->place = (uint64_t)manifest->threads * stream->width;
    if (stream->chase && (!stream->bulk || !stream->read || stated->stages != 1 || stated->copies != 1))
        return false;
    return !stream->store && !stream->shared &&
           (!stream->bulk || (!stream->sided && stream->lane == stream->width)) &&
           whole(stated->ring, 0, MOST_SHARED, &stream->ring) &&
           small(stated->stages, 1, MOST_STAGES, &stream->stages) &&
           small(stated->copies, 1, MOST_ACCESSES, &stream->copies) &&
           stream->stages * stream->copies * stream->place <= MOST_SHARED;
}

static bool read_stream(struct grid_manifest *manifest, const struct manifest_stream *stated,
                        struct grid_stream *stream)
{
    const char *side = manifest_text_or(stated->side, "");
    *stream = (struct grid_stream){
        .store = strcmp(stated->op, "store") == 0 || stated->atomic != NULL,
        .atomic = stated->atomic,
        .scope = manifest_text_or(stated->scope, ""),
        .returns = stated->returns,
        .chase = stated->chase,
        .shared = strcmp(stated->level, "SHARED") == 0 || strcmp(stated->level, "DSMEM") == 0,
        .others = strcmp(stated->level, "DSMEM") == 0,
        .cache = cache_of(manifest, stated->cache),
        .sided = side[0] != '\0',
        .far = strcmp(side, "far") == 0,
        .rule = rule_of(manifest, (size_t)(stream - manifest->streams)),
        .hop = 1,
    };
    return (stream->store || strcmp(stated->op, "load") == 0) && stream->rule != NULL &&
           (strcmp(stated->op, "atomic") == 0) == (stated->atomic != NULL) &&
           (stated->atomic == NULL || small(stated->together, 1, MOST_THREADS, &stream->together)) &&
           (!stream->others || manifest->cluster > 1) &&
           small(stated->width, 4, MOST_WIDTH, &stream->width) &&
           small(stated->per_pass, 1, MOST_ACCESSES, &stream->per_pass) &&
           small(stated->bus, LEAST_BUS, MOST_BUS, &stream->bus) &&
           whole(stated->bytes, 1, MOST_BYTES, &stream->bytes) &&
           whole(stated->step, 1, MOST_BYTES, &stream->step) &&
           whole(stated->lane, 1, MOST_BYTES, &stream->lane) &&
           whole(stated->block, 0, MOST_BYTES, &stream->block) &&
           whole(stated->advance, 0, MOST_BYTES, &stream->advance) &&
           whole(stated->dense, 0, MOST_BYTES, &stream->dense) &&
           whole(stated->apart, stream->dense, MOST_BYTES, &stream->apart) &&
           (!stream->sided || small(stated->hop, 1, MOST_ACCESSES, &stream->hop)) &&
           (!stream->sided || stream->rule->fill == GPU_FILL_SIDES) && stream->bytes >= stream->step &&
           read_ring(manifest, stated, stream);
}

/* Places the stream's region. Shared memory holds the regions of its streams one after the other. */
static void place_stream(struct grid_manifest *manifest, struct grid_stream *stream, uint64_t *shared)
{
    struct lane_region *region = &manifest->regions[stream - manifest->streams];
    bool words = stream->rule->fill == GPU_FILL_WORDS ||
                 (stream->rule->fill == GPU_FILL_SIDES && stream->rule->word_bytes > 0);
    stream->length = stream->rule->bytes;
    stream->start = stream->shared ? *shared : GRID_DATA_ADDRESS + stream->rule->offset;
    *shared += stream->shared ? (stream->length + SHARED_ALIGN - 1) / SHARED_ALIGN * SHARED_ALIGN : 0;
    *region = (struct lane_region){stream->shared, stream->start, stream->length,
                                   words && !stream->store ? stream->bus : 0};
}

static uint64_t sum_of(const struct rates *levels)
{
    uint64_t sum = 0, count;
    for (size_t i = 0; i < levels->count; i++)
        sum += whole(levels->items[i].value, 0, MOST_BYTES, &count) ? count : 0;
    return sum;
}

/* All stores of a kernel write one word. */
static void read_kernel(struct grid_manifest *manifest)
{
    for (size_t i = 0; i < manifest->stated->unit_count; i++) {
        const struct manifest_item *item = &manifest->stated->unit[i];
        manifest->has_asm = manifest->has_asm || strcmp(item->op, "asm") == 0;
        if (strcmp(item->op, "store") != 0)
            continue;
        manifest->has_word = true;
        manifest->word = (uint32_t)strtoull(manifest_text_or(item->data.word, "0x0"), NULL, 16);
    }
}

static enum status read_streams(struct grid_manifest *manifest, struct error *error)
{
    uint64_t shared = 0;
    manifest->stream_count = manifest->stated->stream_count;
    if (manifest->stream_count > GRID_STREAMS)
        return error_set(error, STATUS_FAILED, "the manifest has %zu streams: expected at most %d",
                         manifest->stream_count, GRID_STREAMS);
    for (size_t i = 0; i < manifest->stream_count; i++) {
        if (!read_stream(manifest, &manifest->stated->streams[i], &manifest->streams[i]))
            return error_set(
                error, STATUS_FAILED,
                "the manifest's streams[%zu] is not a stream of accesses with its region in data", i);
        place_stream(manifest, &manifest->streams[i], &shared);
    }
    return STATUS_OK;
}

/* True if next(i) = (multiplier i + increment) mod count visits all of them: Hull and Dobell 1962. */
static bool is_one_cycle(const struct gpu_rule *rule)
{
    uint64_t count = rule->count, less = (rule->multiplier - 1) % rule->count, rest = count;
    if (rational_gcd(rule->increment % count, count) != 1 && count > 1)
        return false;
    for (uint64_t prime = 2; prime * prime <= rest; prime++) {
        if (rest % prime == 0 && less % prime != 0)
            return false;
        while (rest % prime == 0)
            rest /= prime;
    }
    if (rest > 1 && less % rest != 0)
        return false;
    return count % 4 != 0 || less % 4 == 0;
}

static enum status check_chases(const struct grid_manifest *manifest, struct error *error)
{
    for (size_t i = 0; i < manifest->stream_count; i++) {
        const struct grid_stream *stream = &manifest->streams[i];
        const struct gpu_rule *rule = stream->rule;
        if (!stream->chase || stream->sided)
            continue;
        if (rule->fill != GPU_FILL_CHASE || rule->step != stream->step ||
            rule->count != stream->bytes / stream->step)
            return error_set(
                error, STATUS_FAILED,
                "the data of the manifest's streams[%zu], a chase, has no address for each of its "
                "%llu rows",
                i, (unsigned long long)(stream->bytes / stream->step));
        if (!is_one_cycle(rule))
            return error_set(
                error, STATUS_FAILED,
                "the chase of the manifest's streams[%zu] is more than one cycle: it visits only "
                "some of its %llu rows",
                i, (unsigned long long)rule->count);
    }
    return STATUS_OK;
}

enum status grid_manifest_read(const struct manifest *stated, unsigned lanes, struct grid_manifest *manifest,
                               struct error *error)
{
    *manifest = (struct grid_manifest){.stated = stated, .lanes = lanes};
    if (!small(stated->blocks, 1, MOST_BLOCKS, &manifest->blocks) ||
        !small(stated->block_threads, 1, MOST_THREADS, &manifest->threads) ||
        !whole(stated->warmup, 0, MOST_WARMUP, &manifest->warmup))
        return error_set(error, STATUS_FAILED,
                         "the manifest's grid or warmup is wrong: expected 1 to %d blocks of 1 to %d threads "
                         "and at most %d passes before",
                         MOST_BLOCKS, MOST_THREADS, MOST_WARMUP);
    if (!small(stated->cluster, 1, MOST_CLUSTER, &manifest->cluster) ||
        manifest->blocks % manifest->cluster != 0)
        return error_set(error, STATUS_FAILED,
                         "the manifest's grid.cluster is wrong: expected 1 to %d blocks, and a grid of whole "
                         "clusters",
                         MOST_CLUSTER);
    enum status status = gpu_regions_read(&stated->data, &manifest->arena, &manifest->image, error);
    if (status == STATUS_OK)
        status = read_streams(manifest, error);
    if (status == STATUS_OK)
        status = check_chases(manifest, error);
    manifest->accesses = sum_of(&stated->loads_by_level);
    manifest->transfers = sum_of(&stated->transfers);
    manifest->stored = sum_of(&stated->stored);
    manifest->is_placed = manifest_units(stated, "sm") != NULL;
    read_kernel(manifest);
    return status;
}

static void fill_data(const void *context, uint64_t from, size_t size, unsigned char *bytes)
{
    gpu_image_fill(context, GRID_DATA_ADDRESS, from, size, bytes);
}

/* Data that is all zeros needs no making. */
enum status grid_manifest_open_data(const struct grid_manifest *manifest, struct demand_memory *data,
                                    struct error *error)
{
    const struct gpu_image *image = &manifest->image;
    bool zeros = true;
    if (image->align > GRID_DATA_ADDRESS || image->bytes > GRID_RECORD_ADDRESS - GRID_DATA_ADDRESS)
        return error_set(error, STATUS_UNAVAILABLE,
                         "the program has %" PRIu64 " bytes of data, too many to simulate", image->bytes);
    for (size_t i = 0; i < image->rule_count; i++)
        zeros = zeros && image->rules[i].fill == GPU_FILL_ZEROS;
    demand_memory_free(data);
    return demand_memory_open(image->bytes, zeros ? NULL : fill_data, image, data, error);
}

void grid_manifest_free(struct grid_manifest *manifest)
{
    arena_free(&manifest->arena);
    *manifest = (struct grid_manifest){0};
}

enum status grid_manifest_check_working(const struct grid_manifest *manifest, unsigned working,
                                        struct error *error)
{
    const struct manifest *stated = manifest->stated;
    if (!stated->states_working ||
        (stated->working == working && stated->leaving == manifest->blocks - working))
        return STATUS_OK;
    return error_set(error, STATUS_FAILED,
                     "%u of the grid's blocks work and %u leave; by the manifest %g would work and %g leave",
                     working, manifest->blocks - working, stated->working, stated->leaving);
}

int grid_manifest_region(const struct grid_manifest *manifest, bool shared, uint64_t address)
{
    for (size_t i = 0; i < manifest->stream_count; i++) {
        const struct lane_region *region = &manifest->regions[i];
        if (region->shared == shared && address >= region->address &&
            address - region->address < region->size)
            return (int)i;
    }
    return -1;
}

int grid_manifest_ring(const struct grid_manifest *manifest, uint64_t address)
{
    for (size_t i = 0; i < manifest->stream_count; i++) {
        const struct grid_stream *stream = &manifest->streams[i];
        if (stream->async && address >= stream->ring &&
            address - stream->ring < stream->stages * stream->copies * stream->place)
            return (int)i;
    }
    return -1;
}

unsigned grid_manifest_owner(const struct grid_manifest *manifest, unsigned block)
{
    unsigned rank = block % manifest->cluster;
    return block - rank + (rank + 1) % manifest->cluster;
}

uint64_t grid_stream_thread(const struct grid_stream *stream, unsigned thread)
{
    return (stream->together > 0 ? thread / stream->together : thread) * stream->lane;
}

uint64_t grid_stream_row(const struct grid_stream *stream, unsigned number)
{
    uint64_t rows = stream->bytes / stream->step;
    if (stream->dense == 0)
        return number % rows * stream->step;
    rows = stream->bytes / stream->apart * (stream->dense / stream->step);
    uint64_t at = number % (rows == 0 ? 1 : rows) * stream->step;
    return at / stream->dense * stream->apart + at % stream->dense;
}

/* Each warp makes its own request. */
static uint64_t sectors_of(const struct grid_manifest *manifest, const struct grid_stream *stream,
                           unsigned sector)
{
    uint64_t count = 0, last = 0;
    for (unsigned t = 0; t < manifest->threads; t++) {
        uint64_t at = grid_stream_thread(stream, t);
        uint64_t first = at / sector, end = (at + stream->width - 1) / sector;
        count += end - first + 1 - (t % manifest->lanes != 0 && first == last);
        last = end;
    }
    return count;
}

uint64_t grid_manifest_shared_sectors(const struct grid_manifest *manifest, unsigned sector, bool stores)
{
    uint64_t count = 0;
    for (size_t i = 0; i < manifest->stream_count; i++) {
        const struct grid_stream *stream = &manifest->streams[i];
        if (stream->shared && stream->store == stores)
            count += stream->per_pass * sectors_of(manifest, stream, sector);
    }
    return count;
}

uint64_t grid_stream_begin(const struct grid_stream *stream, unsigned block)
{
    return stream->shared || stream->sided ? 0 : block * stream->block % stream->bytes;
}

unsigned grid_stream_links(const struct grid_stream *stream)
{
    return !stream->sided || stream->chase ? 0 : (stream->per_pass - 1) / stream->hop + 1;
}

uint64_t grid_stream_passes_to_wrap(const struct grid_stream *stream, unsigned block)
{
    if (stream->chase || stream->sided || stream->advance == 0)
        return 0;
    return (stream->bytes - grid_stream_begin(stream, block) + stream->advance - 1) / stream->advance + 1;
}

uint64_t grid_manifest_first_to_wrap(const struct grid_manifest *manifest, size_t stream,
                                     const unsigned char *works, unsigned *block)
{
    uint64_t least = 0;
    for (unsigned i = 0; i < manifest->blocks; i++) {
        uint64_t passes = grid_stream_passes_to_wrap(&manifest->streams[stream], i);
        if (works[i] == 0 || passes == 0 || (least > 0 && passes >= least))
            continue;
        least = passes;
        *block = i;
    }
    return least;
}
