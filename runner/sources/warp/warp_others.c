#include "runner/sources/warp/warp_others.h"

/* Random orders and walks of a side are read whole by each block. */
static bool in_parts(const struct warp_others *others, const struct grid_stream *stream)
{
    return !stream->shared && !stream->sided && stream->bytes <= others->chip->l2.size && stream->block > 0 &&
           (!stream->chase || stream->rule->multiplier == 1);
}

static uint64_t round_of(const struct grid_stream *stream)
{
    uint64_t rows = stream->bytes / stream->step;
    if (stream->dense > 0)
        rows = stream->bytes / stream->apart * (stream->dense / stream->step);
    return (rows + stream->per_pass - 1) / stream->per_pass;
}

/* Passes in which a block comes to where the next one began, and one more. */
static uint64_t part_of(const struct grid_stream *stream)
{
    uint64_t each = stream->chase ? stream->per_pass * stream->step : stream->advance;
    uint64_t round = round_of(stream);
    uint64_t passes = each == 0 ? 1 : stream->block % stream->bytes / each + 2;
    return passes < round ? passes : round;
}

static void serve(struct warp_service *service, unsigned sm, struct warp_line *line)
{
    if (line->wanted != 0)
        warp_service_line(service, sm, true, line);
    line->wanted = 0;
}

/* All threads' accesses to the row. */
static void read_row(const struct warp_others *others, const struct grid_stream *stream, unsigned sm,
                     uint64_t at, struct warp_service *service)
{
    unsigned sector = others->chip->l2.sector, per_line = others->chip->l2.line / sector;
    struct warp_line line = {0};
    for (unsigned t = 0; t < others->manifest->threads; t++) {
        uint64_t own = at + grid_stream_thread(stream, t);
        uint64_t address = stream->start + (stream->chase ? own % stream->bytes : own);
        for (uint64_t s = address / sector; s <= (address + stream->width - 1) / sector; s++) {
            if (line.wanted != 0 && line.number != s / per_line)
                serve(service, sm, &line);
            line.number = s / per_line;
            line.wanted |= 1U << s % per_line;
        }
    }
    serve(service, sm, &line);
}

static void read_pass(const struct warp_others *others, const struct grid_stream *stream, unsigned block,
                      uint64_t pass, struct warp_service *service)
{
    uint64_t each = stream->chase ? stream->per_pass * stream->step : stream->advance;
    uint64_t begin = grid_stream_begin(stream, block) + pass * each;
    for (unsigned k = 0; k < stream->per_pass; k++) {
        uint64_t at =
            stream->chase ? begin + k * stream->step : begin % stream->bytes + grid_stream_row(stream, k);
        read_row(others, stream, warp_launch_sm(others->chip, others->launch, block), at, service);
    }
}

void warp_others_read(struct warp_service *service, const void *context)
{
    const struct warp_others *others = context;
    for (size_t i = 0; i < others->manifest->stream_count; i++) {
        const struct grid_stream *stream = &others->manifest->streams[i];
        if (!in_parts(others, stream) || round_of(stream) <= others->warmup)
            continue;
        uint64_t last = others->warmup, part = part_of(stream);
        for (uint64_t pass = last > part ? last - part : 0; pass < last; pass++)
            for (unsigned block = 0; block < others->manifest->blocks; block++)
                if (others->works[block] != 0 && others->chosen[block] == 0)
                    read_pass(others, stream, block, pass, service);
    }
}

uint64_t warp_others_round(const struct warp_others *others)
{
    uint64_t most = 1;
    for (size_t i = 0; i < others->manifest->stream_count; i++) {
        const struct grid_stream *stream = &others->manifest->streams[i];
        uint64_t round = stream->sided || stream->bytes > others->chip->l2.size ? 1 : round_of(stream);
        most = round + 1 > most ? round + 1 : most;
    }
    return most;
}
