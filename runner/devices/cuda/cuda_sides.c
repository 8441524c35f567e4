#include "runner/devices/cuda/cuda_sides.h"

#include "base/buffer.h"
#include "base/memory.h"
#include "base/stats.h"
#include "generator/plan/gpu/gpu_image_sides.h"
#include "generator/suite/program.h"
#include "runner/devices/cuda/cuda_module.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- two sides from ticks ---- */

enum { ITERATIONS = 60 };

/* The minimum for two sides: far pairs take a tenth longer, nine pairs of ten agree, and each side has a
 * tenth of the chunks. */
static const double LEAST_RATIO = 1.1;
static const double LEAST_AGREEMENT = 0.9;
static const double LEAST_SHARE = 0.1;

static double *room(size_t count)
{
    double *numbers = memory_zeroed(count + 1, sizeof *numbers);
    return numbers;
}

/* Ticks less the means of their multiprocessor and of their chunk, because the distance to a slice of L2
 * varies too, but not by side. */
static double *residuals(const double *ticks, size_t sms, size_t chunks)
{
    double *rest = room(sms * chunks);
    double *of_sm = room(sms);
    double *of_chunk = room(chunks);
    double all = 0;
    for (size_t i = 0; i < sms * chunks; i++) {
        of_sm[i / chunks] += ticks[i] / (double)chunks;
        of_chunk[i % chunks] += ticks[i] / (double)sms;
        all += ticks[i] / (double)(sms * chunks);
    }
    for (size_t i = 0; i < sms * chunks; i++)
        rest[i] = ticks[i] - of_sm[i / chunks] - of_chunk[i % chunks] + all;
    free(of_sm);
    free(of_chunk);
    return rest;
}

static void scale_to_one(double *numbers, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += numbers[i] * numbers[i];
    for (size_t i = 0; sum > 0 && i < count; i++)
        numbers[i] /= sqrt(sum);
}

/* The first principal component, of multiprocessors (u) and of chunks (v), by power iteration. */
static void find_component(const double *rest, size_t sms, size_t chunks, double *u, double *v)
{
    for (size_t s = 0; s < sms; s++)
        u[s] = s == 0 ? 1 : 1e-3 * (double)(s % 7);
    for (int i = 0; i < ITERATIONS; i++) {
        memset(v, 0, chunks * sizeof *v);
        for (size_t k = 0; k < sms * chunks; k++)
            v[k % chunks] += rest[k] * u[k / chunks];
        scale_to_one(v, chunks);
        memset(u, 0, sms * sizeof *u);
        for (size_t k = 0; k < sms * chunks; k++)
            u[k / chunks] += rest[k] * v[k % chunks];
        scale_to_one(u, sms);
    }
}

static void choose_judges(const double *u, size_t sms, const unsigned char *sm_side,
                          struct sides_found *found)
{
    for (unsigned side = 0; side < 2; side++) {
        double last = INFINITY;
        found->judge_count[side] = 0;
        while (found->judge_count[side] < SIDES_JUDGES) {
            size_t best = sms;
            for (size_t s = 0; s < sms; s++)
                if (sm_side[s] == side && fabs(u[s]) < last && (best == sms || fabs(u[s]) > fabs(u[best])))
                    best = s;
            if (best == sms)
                break;
            found->judges[side][found->judge_count[side]++] = best;
            last = fabs(u[best]);
        }
    }
}

void sides_medians(const double *ticks, size_t sms, size_t chunks, const unsigned char *sm_side,
                   const unsigned char *chunk_side, double *near_ticks, double *far_ticks)
{
    double *same = room(sms * chunks);
    double *other = room(sms * chunks);
    size_t counts[2] = {0};
    for (size_t i = 0; i < sms * chunks; i++) {
        if (sm_side[i / chunks] == chunk_side[i % chunks])
            same[counts[0]++] = ticks[i];
        else
            other[counts[1]++] = ticks[i];
    }
    *near_ticks = stats_median(same, counts[0]);
    *far_ticks = stats_median(other, counts[1]);
    free(same);
    free(other);
}

/* STATUS_UNAVAILABLE if the two groups are not clearly two sides. */
static enum status judge(const double *ticks, const double *rest, size_t sms, size_t chunks,
                         const unsigned char *sm_side, const unsigned char *chunk_side,
                         struct sides_found *found, struct error *error)
{
    size_t agree = 0;
    size_t ones = 0;
    for (size_t i = 0; i < sms * chunks; i++)
        agree += (rest[i] > 0) == (sm_side[i / chunks] != chunk_side[i % chunks]);
    for (size_t i = 0; i < chunks; i++)
        ones += chunk_side[i];
    double share = (double)ones / (double)chunks;
    found->agreement = (double)agree / (double)(sms * chunks);
    bool two = found->judge_count[0] > 0 && found->judge_count[1] > 0 && share >= LEAST_SHARE &&
               share <= 1 - LEAST_SHARE && found->agreement >= LEAST_AGREEMENT &&
               found->far_ticks >= LEAST_RATIO * found->near_ticks;
    if (two)
        return STATUS_OK;
    if (found->judge_count[1] == 0 || ones == 0 || ones == chunks)
        error_set(error, STATUS_UNAVAILABLE,
                  "near and far L2 cannot be told apart on this device: all multiprocessors take about %.0f "
                  "ticks to all chunks",
                  stats_median(ticks, sms * chunks));
    else
        error_set(
            error, STATUS_UNAVAILABLE,
            "near and far L2 cannot be told apart on this device: at best %.0f and %.0f ticks, of which "
            "%.0f %% of the pairs of multiprocessor and chunk agree; %.0f %% of the chunks are on one side",
            found->near_ticks, found->far_ticks, 100 * found->agreement, 100 * fmax(share, 1 - share));
    error_hint(error, "other work on the GPU disturbs this measurement; an L2 of one part has no sides");
    return STATUS_UNAVAILABLE;
}

enum status sides_split(const double *ticks, size_t sms, size_t chunks, unsigned char *sm_side,
                        unsigned char *chunk_side, struct sides_found *found, struct error *error)
{
    *found = (struct sides_found){0};
    if (sms < 2 || chunks < 2)
        return error_set(error, STATUS_UNAVAILABLE,
                         "near and far L2 cannot be told apart by %zu multiprocessors and %zu chunks", sms,
                         chunks);
    double *rest = residuals(ticks, sms, chunks);
    double *u = room(sms);
    double *v = room(chunks);
    find_component(rest, sms, chunks, u, v);
    /* What is far from multiprocessor 0 is side 1; a pair is slow if both components have the same sign. */
    for (size_t s = 0; s < sms; s++)
        sm_side[s] = (u[s] < 0) != (u[0] < 0);
    for (size_t c = 0; c < chunks; c++)
        chunk_side[c] = (v[c] < 0) == (u[0] < 0);
    choose_judges(u, sms, sm_side, found);
    sides_medians(ticks, sms, chunks, sm_side, chunk_side, &found->near_ticks, &found->far_ticks);
    enum status status = judge(ticks, rest, sms, chunks, sm_side, chunk_side, found, error);
    free(rest);
    free(u);
    free(v);
    return status;
}

unsigned char sides_classify(const struct sides_found *found, const double mean[2], unsigned char unknown)
{
    double difference = mean[1] - mean[0];
    if (!(fabs(difference) >= (found->far_ticks - found->near_ticks) / 2))
        return unknown;
    return difference < 0;
}

/* ---- measuring ---- */

/* Some of the chunks, measured from every multiprocessor, determine the sides; each other chunk is then
 * measured from a few multiprocessors. The minimum over this many rounds is taken as undisturbed. */
enum { REFERENCES = 256, ROUNDS = 9, WITHIN = 8, TRIES = 4, BLOCKS_OF_EACH = 8, WORD = 8, LEAST_CHUNK = 512 };

/* The share of places within chunks that may appear to be on another side than their chunk. */
static const double MOST_STRAY = 0.02;

struct learner {
    const struct cuda_library *cuda;
    cuda_function function;
    cuda_address result;
    cuda_event event;
    size_t sms;
    cuda_address first; /* of the chunks */
    uint64_t chunk;
    size_t chunks;
    uint32_t *pairs; /* as the kernel writes them: a counter word, then atomic and load of each place */
};

bool cuda_sides_wanted(const struct gpu_image *image)
{
    for (size_t i = 0; i < image->rule_count; i++)
        if (image->rules[i].fill == GPU_FILL_SIDES)
            return true;
    return false;
}

/* ---- the kernel ---- */

static enum status refuse(const struct learner *learner, int result, struct error *error)
{
    return cuda_refusal(learner->cuda, result, "measuring the sides of L2", error);
}

static enum status write_kernel(const char *arch, struct buffer *text, struct error *error)
{
    struct code_generator code_generator;
    char version[16];
    char word[64];
    uint64_t number = 0;
    enum status status = code_generator_open("ptx", &code_generator, error);
    const char *section = status == STATUS_OK ? template_section(&code_generator.templates, "sides") : NULL;
    snprintf(word, sizeof word, "ptx.%.20s", arch);
    if (status == STATUS_OK && (section == NULL || !template_word(&code_generator.templates, word, &number)))
        status = error_set(error, STATUS_FAILED, "templates/ptx has no %s",
                           section == NULL ? "section sides" : word);
    snprintf(version, sizeof version, "%u.%u", (unsigned)(number / 10 % 1000), (unsigned)(number % 10));
    const struct binding bindings[] = {{"ptx", version}, {"arch", arch}, {"open", "{"}, {"close", "}"}};
    if (status == STATUS_OK)
        status = template_expand(&code_generator.templates, section, bindings,
                                 sizeof bindings / sizeof bindings[0], text, error);
    code_generator_close(&code_generator);
    return status;
}

static enum status load_kernel(struct learner *learner, const char *arch, struct error *error)
{
    struct buffer text = {0};
    enum status status = write_kernel(arch, &text, error);
    if (status == STATUS_OK)
        status = cuda_module_load(learner->cuda, text.data, text.size, "trauma_sides", &learner->function,
                                  NULL, error);
    buffer_free(&text);
    return status;
}

static int launch(struct learner *learner, const uint64_t places[3], uint64_t sm, unsigned blocks)
{
    const struct cuda_library *cuda = learner->cuda;
    uint64_t values[] = {places[0], places[1], places[2], ROUNDS, sm, learner->result};
    void *parameters[sizeof values / sizeof values[0]];
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        parameters[i] = &values[i];
    int result = cuda->fill(learner->result, 0, WORD);
    if (result == CUDA_OK)
        result = cuda->launch(learner->function, blocks, 1, 1, 1, 1, 1, 0, NULL, parameters, NULL);
    if (result == CUDA_OK)
        result = cuda->event_record(learner->event, NULL);
    if (result == CUDA_OK)
        result = cuda->event_wait(learner->event);
    return result == CUDA_OK ? cuda->copy_out(learner->pairs, learner->result, (1 + (size_t)places[2]) * WORD)
                             : result;
}

/* Measures {first, step, count} from one multiprocessor: ticks of atomic operations and, if wanted, of loads.
 * Blocks go to whichever multiprocessor has room, so a particular one may need several tries. */
static enum status measure(struct learner *learner, const uint64_t places[3], size_t sm, double *atomics,
                           double *loads, struct error *error)
{
    unsigned blocks = (unsigned)learner->sms * BLOCKS_OF_EACH;
    learner->pairs[0] = 0;
    for (int i = 0; i < TRIES && learner->pairs[0] == 0; i++, blocks *= BLOCKS_OF_EACH) {
        enum status status = refuse(learner, launch(learner, places, sm, blocks), error);
        if (status != STATUS_OK)
            return status;
    }
    if (learner->pairs[0] == 0)
        return error_set(error, STATUS_UNAVAILABLE,
                         "measuring the sides of L2: no block ran on multiprocessor %zu of %zu", sm,
                         learner->sms);
    for (size_t i = 0; i < places[2]; i++) {
        atomics[i] = learner->pairs[2 + 2 * i];
        if (loads != NULL)
            loads[i] = learner->pairs[3 + 2 * i];
    }
    return STATUS_OK;
}

/* ---- the sides ---- */

struct learned {
    unsigned char *sms, *chunks;
    struct sides_found found;
    double load_near, load_far;
};

/* Determines the multiprocessors' sides, from evenly spaced chunks. */
static enum status learn_sms(struct learner *learner, struct learned *learned, struct error *error)
{
    size_t count = learner->chunks < REFERENCES ? learner->chunks : REFERENCES;
    const uint64_t places[] = {learner->first, learner->chunks / count * learner->chunk, count};
    double *atomics = room(learner->sms * count);
    double *loads = room(learner->sms * count);
    unsigned char *sides = memory_zeroed(count + 1, 1);
    enum status status = STATUS_OK;
    for (size_t sm = 0; status == STATUS_OK && sm < learner->sms; sm++)
        status = measure(learner, places, sm, atomics + sm * count, loads + sm * count, error);
    if (status == STATUS_OK)
        status = sides_split(atomics, learner->sms, count, learned->sms, sides, &learned->found, error);
    if (status == STATUS_OK)
        sides_medians(loads, learner->sms, count, learned->sms, sides, &learned->load_near,
                      &learned->load_far);
    free(atomics);
    free(loads);
    free(sides);
    return status;
}

/* The sides of `count` places, determined from the judges. */
static enum status classify(struct learner *learner, const struct sides_found *found,
                            const uint64_t places[3], unsigned char *sides, struct error *error)
{
    size_t count = (size_t)places[2];
    double *sums[2] = {room(count), room(count)};
    double *ticks = room(count);
    enum status status = STATUS_OK;
    for (int side = 0; side < 2; side++)
        for (size_t j = 0; status == STATUS_OK && j < found->judge_count[side]; j++) {
            status = measure(learner, places, found->judges[side][j], ticks, NULL, error);
            for (size_t i = 0; i < count; i++)
                sums[side][i] += ticks[i] / (double)found->judge_count[side];
        }
    for (size_t i = 0; status == STATUS_OK && i < count; i++) {
        const double mean[2] = {sums[0][i], sums[1][i]};
        sides[i] = sides_classify(found, mean, GPU_SIDE_UNKNOWN);
    }
    free(sums[0]);
    free(sums[1]);
    free(ticks);
    return status;
}

/* Counts places within chunks that are on another side than the first place of their group of `grain` parts;
 * *known: how many places could be determined. sides: [WITHIN * count], by part of the chunk. */
static size_t count_strays(const unsigned char *sides, size_t count, size_t grain, size_t *known)
{
    size_t strays = 0;
    *known = 0;
    for (size_t part = 0; part < WITHIN; part++)
        for (size_t i = 0; i < count && part % grain > 0; i++) {
            unsigned char first = sides[(part - part % grain) * count + i];
            bool both = first != GPU_SIDE_UNKNOWN && sides[part * count + i] != GPU_SIDE_UNKNOWN;
            *known += both;
            strays += both && first != sides[part * count + i];
        }
    return strays;
}

static enum status judge_within(const struct learner *learner, const unsigned char *sides, size_t count,
                                struct error *error)
{
    size_t known;
    size_t within;
    size_t grain = WITHIN;
    size_t strays = count_strays(sides, count, grain, &known);
    if (known > 0 && (double)strays <= MOST_STRAY * (double)known)
        return STATUS_OK;
    do
        grain /= 2;
    while (grain > 1 &&
           ((double)count_strays(sides, count, grain, &within) > MOST_STRAY * (double)within || within == 0));
    unsigned long long finer = learner->chunk / WITHIN * grain;
    char advice[80] = "";
    if (grain > 1 && finer >= LEAST_CHUNK)
        snprintf(advice, sizeof advice, "; set gpu.side_bytes = \"%lluB\" in the machine file", finer);
    return error_set(error, STATUS_UNAVAILABLE,
                     "the side of L2 changes within chunks of %llu bytes: at %zu of %zu places it differs "
                     "from the chunk's start%s",
                     (unsigned long long)learner->chunk, strays, known, advice);
}

/* Checks at places within some chunks whether whole chunks are on one side. */
static enum status check_within(struct learner *learner, const struct learned *learned, struct error *error)
{
    size_t count = learner->chunks < REFERENCES ? learner->chunks : REFERENCES;
    size_t apart = learner->chunks / count;
    unsigned char *sides = memory_zeroed(WITHIN, count + 1);
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < count; i++)
        sides[i] = learned->chunks[i * apart];
    for (uint64_t part = 1; status == STATUS_OK && part < WITHIN; part++) {
        const uint64_t places[] = {learner->first + part * learner->chunk / WITHIN, apart * learner->chunk,
                                   count};
        status = classify(learner, &learned->found, places, sides + part * count, error);
    }
    if (status == STATUS_OK)
        status = judge_within(learner, sides, count, error);
    free(sides);
    return status;
}

static void describe(const struct learner *learner, const struct learned *learned, struct device_sides *sides)
{
    sides->chunk = learner->chunk;
    for (size_t i = 0; i < learner->chunks; i++)
        sides->chunks[learned->chunks[i] == GPU_SIDE_UNKNOWN ? 2 : learned->chunks[i]]++;
    buffer_append(&sides->sms, learned->sms, learner->sms);
    sides->agreement = learned->found.agreement;
    sides->atomic_near = learned->found.near_ticks;
    sides->atomic_far = learned->found.far_ticks;
    sides->load_near = learned->load_near;
    sides->load_far = learned->load_far;
}

static enum status learn_rule(struct learner *learner, cuda_address data, struct gpu_rule *rule,
                              struct arena *arena, struct device_sides *sides, struct error *error)
{
    struct learned learned = {0};
    learner->first = data + gpu_sides_first(rule);
    learner->chunk = rule->chunk;
    learner->chunks = gpu_sides_chunks(rule);
    size_t bytes = (1 + learner->chunks) * WORD;
    learned.sms = arena_alloc(arena, learner->sms, 1);
    learned.chunks = arena_alloc(arena, learner->chunks, 1);
    learner->pairs = arena_alloc(arena, bytes, 1);
    const uint64_t places[] = {learner->first, learner->chunk, learner->chunks};
    enum status status = refuse(learner, learner->cuda->allocate(&learner->result, bytes), error);
    if (status != STATUS_OK)
        return status;
    status = learn_sms(learner, &learned, error);
    if (status == STATUS_OK)
        status = classify(learner, &learned.found, places, learned.chunks, error);
    if (status == STATUS_OK)
        status = check_within(learner, &learned, error);
    (void)learner->cuda->release(learner->result); /* otherwise it is released with the context */
    if (status != STATUS_OK)
        return status;
    if (sides->chunk == 0)
        describe(learner, &learned, sides);
    const struct gpu_homes homes = {learned.chunks, learner->chunks, learned.sms, learner->sms};
    return gpu_sides_learn(rule, &homes, arena, error);
}

enum status cuda_sides_learn(const struct cuda_library *library, const struct device *device,
                             cuda_address data, struct gpu_image *image, struct arena *arena,
                             struct device_sides *sides, struct error *error)
{
    struct learner learner = {.cuda = library, .sms = device->units};
    enum status status = load_kernel(&learner, device->arch, error);
    if (status == STATUS_OK)
        status = refuse(&learner, library->event_create(&learner.event, 0), error);
    for (size_t i = 0; status == STATUS_OK && i < image->rule_count; i++)
        if (image->rules[i].fill == GPU_FILL_SIDES)
            status = learn_rule(&learner, data, &image->rules[i], arena, sides, error);
    return status;
}
