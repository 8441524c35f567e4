/* For the files of the model "interconnect" (Adhinarayanan et al. 2016, sections V and VI): points that do
 * the same work and differ only in the distance that their data travels, and the model's settings. */
#ifndef MODEL_INTERCONNECT_INTERCONNECT_H
#define MODEL_INTERCONNECT_INTERCONNECT_H

#include "model/model.h"

/* One repetition, or a point's mean. */
struct interconnect_sample {
    const struct result_point *point;
    size_t condition;  /* number of its condition: samples of one condition differ only in distance */
    size_t place;      /* index in the order of reading */
    size_t group;      /* index of its recipe, the same for short and long paths */
    double distance;   /* mm, or in paths */
    double toggle;     /* flips per bit and transfer, 0 to 1 */
    double dealt_off;  /* difference to the toggle rate of the words as they are dealt to wires; 0: unknown */
    double bytes_s;    /* measured across the interconnect; NAN: only the stated share is known */
    double stated;     /* the recipe's share of the unthrottled bandwidth of the same loop; NAN: not stated */
    size_t rated;      /* number of its loop: the stated shares of one loop refer to one bandwidth */
    double in_use;     /* effective number of L2 channels, 1 / the busiest one's share; NAN: unknown */
    double share;      /* of the peak bandwidth at the sample's clock, 0 to 1 */
    double hz, volts;  /* NAN: unknown */
    double scale;      /* f / f_ref * (V / V_ref)^2 */
    double watts;      /* dynamic power */
    double static_w;   /* idle power that was subtracted */
    double celsius;    /* NAN: unknown */
    double levelled_w; /* the part of watts that was added to match its pair's rate, if it is uncertain */
    double variance;   /* of a mean's watts; set by the fit */
    size_t reps;
    const char *pattern; /* "": unknown */
};

struct interconnect_samples {
    struct interconnect_sample *items;
    size_t count;
    bool mm;                  /* distances are in mm; else in paths (long - short = 1) */
    double ref_hz, ref_volts; /* NAN: unknown */
    double peak;              /* B/s at ref_hz; NAN: unknown */
    double levelled;          /* the largest deviation of a sample's rate from its condition's, as a share */
    double follows_rate;      /* the exponent of the rate in power, 0 to 1; NAN: unknown */
    bool peak_is_measured;    /* peak is the highest observed rate, as none was stated */
    size_t without_energy;    /* left out: repetitions without dynamic energy */
    size_t alone;             /* left out: points without a partner */
    size_t unmeasured;        /* repetitions whose bandwidth is stated but not measured */
    size_t dealt;             /* left out: repetitions whose wires toggle at another rate */
    const struct result_point *dealt_point;    /* the first of these; borrowed */
    size_t unplaced;                           /* left out: repetitions without a distance */
    const struct result_point *unplaced_point; /* the first of these; borrowed */
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

/* A part of interconnect_gather: keeps the samples that have a partner at another distance, and scales their
 * power to one rate. */
enum status interconnect_keep_pairs(struct interconnect_samples *samples, struct error *error);

/* Makes one sample per point, the mean of its repetitions. Free with interconnect_free. */
struct interconnect_samples interconnect_means(const struct interconnect_samples *samples);

/* Sets the variances of the means' power, from three parts: the scatter of the repetitions, shrunk towards
 * that of all points; the error of the idle level; and the uncertain power that was added to match the pair's
 * rate, any share of which may be right. drift: W per degree, if the chip's temperature explains the idle
 * level, whose error then does not count; NAN: it does not. Returns the degrees of freedom of a mean variance
 * (Satterthwaite 1946; the last two parts count as known). */
double interconnect_set_variances(const struct interconnect_samples *all, struct interconnect_samples *means,
                                  double drift);

/* The parameter that states the number of the chip's units on which a loop runs. */
#define INTERCONNECT_UNITS "units"

/* Whether the row is of a loop on some of the chip's units, without a distance: it serves to test the meter's
 * gain. */
bool interconnect_is_of_units(const struct dataset_row *row);

/* Adds a regression for the loops on some of the units: a line over their number, with a constant for power
 * that any running loop draws, which cancels between paths. form_test tests it for gains that change with the
 * power. Disbelieves the model if no such loops reach most_w, the highest power of the model's points. Errors
 * as linear_fit. */
enum status interconnect_add_units(const struct dataset *dataset, double most_w, double assumed,
                                   struct fitted *fitted, struct model_result *result, struct error *error);

void interconnect_free(struct interconnect_samples *samples);

/* Power at a toggle rate, W/mm (or W/path) at full bandwidth. */
struct interconnect_at {
    double toggle, value, low, high;
};

/* The members of the document that only this model has. */

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

/* Splits an application's dynamic power into its parts. As model.h's predict. */
enum status interconnect_predict(const struct model_result *model, const struct named_numbers *counters,
                                 const struct model_settings *settings, struct model_result *result,
                                 struct error *error);

#endif
