/* Declarations shared by the parts of the model "interconnect" (Adhinarayanan et al. 2016, sections V and
 * VI): points that do the same work and differ only in how far their data travels, and the table of the
 * model's settings. */
#ifndef MODEL_INTERCONNECT_INTERCONNECT_H
#define MODEL_INTERCONNECT_INTERCONNECT_H

#include "model/model.h"

/* One repetition, or a point's mean. */
struct interconnect_sample {
    const struct result_point *point;
    size_t condition; /* samples of one condition differ only in distance; numbered by interconnect_gather */
    size_t place;     /* among the samples as they were read */
    size_t group;     /* index of its recipe, the same for short and long paths */
    double distance;  /* mm, or in paths */
    double toggle;    /* flips per bit and transfer, 0 to 1 */
    double dealt_off; /* how far from it the rate is at which words dealt to wires toggle; 0: unknown */
    double bytes_s;   /* across the interconnect, as measured; NAN: only the stated share is known */
    double stated;    /* share of the rate of the same loop unthrottled, as the recipe states it; NAN: it does
                         not */
    size_t rated;     /* samples of one number are of one loop, whose stated shares are of one rate */
    double in_use;    /* of L2's channels, as many as the busiest's share says; NAN: unknown */
    double share;     /* of the peak at the sample's clock, 0 to 1 */
    double hz, volts; /* NAN: unknown */
    double scale;     /* f / f_ref * (V / V_ref)^2 */
    double watts;     /* dynamic */
    double static_w;  /* subtracted from the measured power */
    double celsius;   /* NAN: unknown */
    double levelled_w; /* by which power was scaled to its pair's rate, and which may not follow it */
    double variance;   /* of a mean's watts; set by the fit */
    size_t reps;
    const char *pattern; /* "": unknown */
};

struct interconnect_samples {
    struct interconnect_sample *items;
    size_t count;
    bool mm;                  /* distances are in mm; else long - short is 1 path */
    double ref_hz, ref_volts; /* NAN: unknown */
    double peak;              /* B/s at ref_hz; NAN: unknown */
    double levelled;          /* the largest deviation of a sample's rate from its condition's, as a share */
    double follows_rate;      /* by how much power does, 0 to 1; NAN: unknown */
    bool peak_is_measured;    /* it is the highest observed rate, as no possible peak was given */
    size_t without_energy, alone;              /* excluded: repetitions, and points */
    size_t unmeasured;                         /* repetitions whose bandwidth is only stated */
    size_t dealt;                              /* excluded: repetitions whose wires toggle otherwise */
    const struct result_point *dealt_point;    /* the first one's; borrowed */
    size_t unplaced;                           /* repetitions without a distance */
    const struct result_point *unplaced_point; /* the first one's; borrowed */
};

extern const struct model_setting_row interconnect_settings[];

/* The setting, or the model's default. */
double interconnect_setting(const struct model_settings *settings, const char *name);

/* Gathers all repetitions that have distance, rate, toggle rate and power. STATUS_USAGE, with the missing
 * parameter and the point that lacks it (for distance: only when all lack it); when no two points differ only
 * in distance; when such points move data at different rates, or a stated share contradicts the measured
 * bandwidth. Free in every case. */
enum status interconnect_gather(const struct dataset *dataset, const struct model_settings *settings,
                                struct interconnect_samples *samples, struct error *error);

/* saturation.h: kinds of points, regardless of their place. */
const char *interconnect_label(const struct dataset_row *row, char *buffer);

/* Keeps the samples that have a partner at another distance, and normalises their power to one rate; part of
 * interconnect_gather. */
enum status interconnect_keep_pairs(struct interconnect_samples *samples, struct error *error);

/* One sample per point, the mean of its repetitions. Free with interconnect_free. */
struct interconnect_samples interconnect_means(const struct interconnect_samples *samples);

/* Sets the variances of the means' power: the scatter of their repetitions, shrunk towards that of all
 * points; the idle level's error; and power that was scaled to the pair's rate, evenly from none to all of
 * which may follow it. drift: W per degree, where the chip's temperature explains that level and its error
 * does not count; NAN: it does not. Returns the degrees of freedom of one of them: the scatter's, over which
 * the known rest is spread (Satterthwaite 1946). */
double interconnect_set_variances(const struct interconnect_samples *all, struct interconnect_samples *means,
                                  double drift);

/* The parameter that says on how many of them. */
#define INTERCONNECT_UNITS "units"

/* Whether the row is of a loop on some of the chip's units: it goes nowhere, and shows the meter's gain. */
bool interconnect_is_of_units(const struct dataset_row *row);

/* A regression for the loops on some of the units: a line over their number, whose constant (power whenever a
 * loop runs) both paths have alike; form_test holds it against gains that change with the power. Says in the
 * first line if no such loops reach most_w, the highest power of the model's points. Errors as linear_fit. */
enum status interconnect_hold_gain(const struct dataset *dataset, double most_w, double assumed,
                                   struct fitted *fitted, struct model_result *result, struct error *error);

void interconnect_free(struct interconnect_samples *samples);

/* What this model alone states: power over toggle rates, W/mm (or path) at full bandwidth, and what it was
 * fitted at. */
struct interconnect_at {
    double toggle, value, low, high;
};

struct interconnect_own {
    double product_toggle;
    struct interconnect_at *line;
    size_t line_count;
    double hz, volts, peak_bytes_per_s; /* of the reference; NAN: unknown */
    const char *distance_unit;
    struct named_numbers settings;
    struct {
        struct model_span toggle, hz, volts;
    } fitted;
};

/* Splits an application's dynamic power into its parts (interconnect_predict.c). */
enum status interconnect_predict(const struct model_result *model, const struct named_numbers *counters,
                                 const struct model_settings *settings, struct model_result *result,
                                 struct error *error);

#endif
