/* Drives a fuzz entry without libFuzzer: fuzz_NAME FILE|FOLDER...
 *
 * Each file is an input as it is, then with damage (tests/mutate.h) for TRAUMA_FUZZ_S seconds of processor
 * time (1), and for a hundred inputs at least; TRAUMA_FUZZ_RUNS=N makes it N inputs instead. TRAUMA_SEED
 * varies them. TRAUMA_FUZZ_KEEP=FILE has the last input in a file, for one that ends the process. */
#include "base/file.h"
#include "tests/fuzz/fuzz.h"
#include "tests/mutate.h"

#include <inttypes.h>

enum { MOST_BYTES = 1 << 17 };

struct corpus {
    struct buffer *inputs;
    size_t count;
};

static double processor_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void add_file(struct corpus *corpus, const char *path)
{
    struct buffer input = {0};
    struct error error;
    if (file_read(path, &input, &error) != STATUS_OK) {
        fprintf(stderr, "%s\n", error.message);
        exit(1);
    }
    if (input.size > MOST_BYTES) {
        buffer_free(&input);
        return;
    }
    corpus->inputs = realloc(corpus->inputs, (corpus->count + 1) * sizeof *corpus->inputs);
    corpus->inputs[corpus->count++] = input;
}

static void add(struct corpus *corpus, const char *path)
{
    if (!file_is_folder(path)) {
        add_file(corpus, path);
        return;
    }
    char **names = file_list(path, "");
    for (char **name = names; name != NULL && *name != NULL; name++) {
        char whole[FILE_PATH_BYTES];
        if (file_is_regular(file_join(whole, path, *name)))
            add_file(corpus, whole);
    }
    file_free_names(names);
}

/* An own block of just the input's size, so that a byte too far is seen. */
static void try_input(const struct buffer *input)
{
    uint8_t *exact = malloc(input->size + (input->size == 0));
    FUZZ_REQUIRE(exact != NULL);
    mutate_keep(input);
    if (input->size > 0)
        memcpy(exact, input->data, input->size);
    LLVMFuzzerTestOneInput(exact, input->size);
    free(exact);
}

/* Two inputs of the corpus as one: the first's begin and the second's end. */
static struct buffer cross(struct random *random, const struct buffer *one, const struct buffer *other)
{
    struct buffer both = {0};
    buffer_append(&both, one->data, one->size == 0 ? 0 : random_below(random, (uint32_t)one->size));
    if (other->size > 0) {
        size_t from = random_below(random, (uint32_t)other->size);
        buffer_append(&both, other->data + from, other->size - from);
    }
    return both;
}

static struct buffer next_input(struct random *random, const struct corpus *corpus)
{
    const struct buffer *one = &corpus->inputs[random_below(random, (uint32_t)corpus->count)];
    if (random_below(random, 16) > 0)
        return mutate(random, one);
    return cross(random, one, &corpus->inputs[random_below(random, (uint32_t)corpus->count)]);
}

int main(int argc, char **argv)
{
    struct corpus corpus = {0};
    const char *seconds = getenv("TRAUMA_FUZZ_S");
    const char *runs = getenv("TRAUMA_FUZZ_RUNS");
    const char *seed = getenv("TRAUMA_SEED");
    for (int i = 1; i < argc; i++)
        add(&corpus, argv[i]);
    if (corpus.count == 0) {
        fprintf(stderr, "usage: %s FILE|FOLDER...: there is no input\n", argv[0]);
        return 1;
    }
    struct random random = mutate_start(file_base_name(argv[0]));
    double begin = processor_s();
    double end = begin + (seconds == NULL ? 1 : atof(seconds));
    uint64_t least = runs == NULL ? MUTATE_LEAST_TRIES : strtoull(runs, NULL, 10);
    uint64_t tried = 0;
    for (size_t i = 0; i < corpus.count; i++)
        try_input(&corpus.inputs[i]);
    while (tried < least || (runs == NULL && processor_s() < end)) {
        struct buffer input = next_input(&random, &corpus);
        try_input(&input);
        buffer_free(&input);
        tried++;
    }
    double spent = processor_s() - begin;
    printf("%s: seed %s, %zu files, %" PRIu64 " damaged inputs in %.1f s, %.0f a second\n",
           file_base_name(argv[0]), seed == NULL ? "1" : seed, corpus.count, tried, spent,
           (double)tried / (spent > 0 ? spent : 1));
    for (size_t i = 0; i < corpus.count; i++)
        buffer_free(&corpus.inputs[i]);
    free(corpus.inputs);
    return 0;
}
