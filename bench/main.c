/* bench: compares TraumaGen with other programs, in parts. The only file here that reads the command line. */
#include "base/buffer.h"
#include "bench/bench.h"
#include "runner/evidence/host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A part is one row and one file. */
static const struct bench_part parts[] = {
    {"generation", "generation: suites of a thousand programs, and their assembly", bench_generation},
    {"kernels", "kernels: bandwidth and latency, ours beside other programs' at the same sizes",
     bench_kernels},
    {"verdict", "verdict: trauma check of all shipped recipes", bench_verdict},
};
enum { PART_COUNT = sizeof parts / sizeof parts[0], DEFAULT_ROUNDS = 9 };

static const char usage[] =
    "usage: bench [PART...] [--rounds N] [--filter TEXT] [--isa NAME] [--json]\n"
    "\n"
    "Measures two sides, ours and theirs, in alternation. Prints the median of the ratios\n"
    "ours / theirs with its 95 % interval (bootstrap), the limits of the ratio, and the\n"
    "verdict. Ratios are of rates (more is better) or of nanoseconds (less is better). If the\n"
    "rounds differ too much for a verdict (\"untold\"), it measures up to three times.\n"
    "\n"
    "  --rounds N     measurements of each side (default 9)\n"
    "  --filter TEXT  only comparisons whose name contains TEXT\n"
    "  --isa NAME     ISA of the suites of \"generation\": x86_64, aarch64 or riscv64\n"
    "                 (default: this processor's)\n"
    "  --json         print one JSON document with all rounds\n"
    "\n"
    "exit code: 5 if a comparison FAILS, 4 if none fails and one is untold\n";

struct bench_choice {
    bool wanted[PART_COUNT];
    bool any;
};

static int fail(const char *message, const char *word)
{
    fprintf(stderr, "bench: %s%s%s\n", message, word == NULL ? "" : ": ", word == NULL ? "" : word);
    return STATUS_USAGE;
}

static bool choose_part(const char *word, struct bench_choice *choice)
{
    for (int i = 0; i < PART_COUNT; i++) {
        if (strcmp(parts[i].name, word) != 0)
            continue;
        choice->wanted[i] = true;
        choice->any = true;
        return true;
    }
    return false;
}

static int read_arguments(int count, char **words, struct bench *bench, struct bench_choice *choice)
{
    for (int i = 1; i < count; i++) {
        const char *value = i + 1 < count ? words[i + 1] : NULL;
        if (strcmp(words[i], "--json") == 0) {
            bench->json = true;
        } else if (strcmp(words[i], "--filter") == 0 && value != NULL) {
            bench->filter = words[++i];
        } else if (strcmp(words[i], "--isa") == 0 && value != NULL) {
            bench->isa = words[++i];
        } else if (strcmp(words[i], "--rounds") == 0 && value != NULL) {
            long rounds = strtol(words[++i], NULL, 10);
            if (rounds < 1 || rounds > BENCH_MOST_ROUNDS)
                return fail("expected from 1 to 101 rounds, not", value);
            bench->rounds = (unsigned)rounds;
        } else if (!choose_part(words[i], choice)) {
            return fail("neither a part (generation, kernels, verdict) nor an option; see bench --help",
                        words[i]);
        }
    }
    return STATUS_OK;
}

static void print_title(const struct bench_part *part)
{
    printf("%s\n", part->title);
    printf("  %-24s %10s %10s %-10s %-22s  %-14s\n", "", "ours", "theirs", "", "ratio", "wanted");
}

static int run_parts(struct bench *bench, const struct bench_choice *choice)
{
    int code = STATUS_OK;
    for (int i = 0; i < PART_COUNT; i++) {
        struct error error = {0};
        if (choice->any && !choice->wanted[i])
            continue;
        if (!bench->json)
            print_title(&parts[i]);
        if (parts[i].run(bench, &error) == STATUS_OK)
            continue;
        fprintf(stderr, "bench: %s: %s%s%s\n", parts[i].name, error.message,
                error.hint[0] == '\0' ? "" : "\n  ", error.hint);
        code = error.code;
    }
    return code;
}

/* Reports the number of failed and undecided comparisons, with advice; returns the exit code. */
static int sum_up(const struct bench *bench)
{
    if (bench->failed > 0)
        fprintf(stderr, "bench: %u of %u fail: see FAILS above\n", bench->failed, bench->result_count);
    if (bench->undecided > 0)
        fprintf(stderr,
                "bench: this machine was too noisy for %u: stop other programs until `uptime` shows a load "
                "near 0,\n"
                "  then repeat with --filter NAME --rounds 31. If that does not help in a virtual machine, "
                "whose host\n"
                "  shares its last cache and memory with other guests, use another machine\n",
                bench->undecided);
    return bench->failed > 0 ? STATUS_MISSED : bench->undecided > 0 ? STATUS_UNAVAILABLE : STATUS_OK;
}

int main(int count, char **words)
{
    struct bench bench = {.rounds = DEFAULT_ROUNDS, .trauma = TRAUMA_PROGRAM, .cpu = host_choose_cpu()};
    struct bench_choice choice = {0};
    if (count > 1 && strcmp(words[1], "--help") == 0) {
        fputs(usage, stdout);
        return STATUS_OK;
    }
    int code = read_arguments(count, words, &bench, &choice);
    if (code != STATUS_OK)
        return code;
    struct buffer output = {0};
    bench.results.buffer = &output;
    json_text_open(&bench.results, NULL, '[');
    code = run_parts(&bench, &choice);
    json_text_close(&bench.results, ']');
    if (bench.json)
        fputs(output.data, stdout);
    int verdict = sum_up(&bench);
    buffer_free(&output);
    return code != STATUS_OK ? code : verdict;
}
