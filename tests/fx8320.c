/* Writes what the played machine of tests/model/fx8320.h leaves: "results SEED" as results.jsonl, "trace" as
 * a trace of counters of two cores, whose program waits for memory in its second half, with the chip's power.
 */
#include "tests/model/fx8320.h"

#include <stdlib.h>

static void print_line(json_t *document)
{
    char *text = json_dumps(document, JSON_COMPACT);
    puts(text);
    free(text);
    json_decref(document);
}

static void write_results(uint64_t seed)
{
    struct fx fx = fx_start(fx_meter, seed);
    fx_results(&fx);
    print_line(json_pack("{s:i, s:s, s:o}", "schema", 1, "kind", "context", "machine", fx_machine()));
    for (size_t i = 0; i < json_array_size(fx.points); i++) {
        char name[32];
        json_t *point = json_incref(json_array_get(fx.points, i));
        snprintf(name, sizeof name, "point=%zu", i);
        json_object_set_new(point, "kind", json_string("point"));
        json_object_set_new(point, "name", json_string(name));
        json_object_set_new(point, "program_hash", json_string("0"));
        print_line(point);
    }
    json_decref(fx.points);
}

static void write_trace(void)
{
    struct fx fx = fx_start(fx_quiet, 1);
    printf("t_s,core,ghz,temperature_c,power_w,cap_w,cycles,instructions,mab0_wait_cycles");
    for (size_t i = 0; i < PPEP_EVENTS; i++)
        printf(",%s", ppep_events[i].names[0]);
    puts("");
    for (int step = 0; step < 40; step++) {
        const struct fx_program program = fx_make(&fx, "traced", step < 20 ? 3 : 7, 0.5);
        const struct ppep_rates rates = fx_rates(&fx, &program, 3.5);
        double watts = 2 * fx_dynamic(&rates, 1.32) + fx_idle(1.32, 50);
        for (int core = 0; core < 2; core++) {
            printf("%.1f,%d,3.5,50,%.4f,%d,%.0f,%.0f,%.0f", 0.2 * step, core, watts,
                   step / 10 % 2 == 0 ? 100 : 30, 0.2 * rates.cycles, 0.2 * rates.instructions,
                   0.2 * rates.leading);
            for (size_t i = 0; i < PPEP_EVENTS; i++)
                printf(",%.0f", 0.2 * rates.event[i]);
            puts("");
        }
    }
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "results") == 0)
        write_results(strtoull(argv[2], NULL, 10));
    else if (argc == 2 && strcmp(argv[1], "trace") == 0)
        write_trace();
    else
        return 2;
    return 0;
}
