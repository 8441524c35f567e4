/* D-optimal allocation of time: how long to measure each candidate so that the determinant of the
 * coefficients' covariance is smallest. Vertex exchange (Fedorov 1972; Boehning 1986). */
#ifndef MODEL_DESIGN_EXCHANGE_H
#define MODEL_DESIGN_EXCHANGE_H

#include <stdbool.h>
#include <stddef.h>

/* Candidates and their rows. A candidate measured for T seconds adds T / (1 + T * error) times the sum of the
 * products x x' of its rows to the information. error, per second, is that of whole points: it limits the
 * information from one point, however long it is measured. */
struct exchange {
    size_t columns, count;
    const double *rows;  /* rows * columns; the rows of a candidate are contiguous */
    const size_t *first; /* count + 1: where each candidate's rows begin */
    const double *error; /* count; NULL: none */
    const bool *out;     /* count: candidates that get no time; NULL: none */
};

/* The best seconds[count] with the sum total. Returns the most by which the logarithm of the determinant
 * could still grow, divided by the columns: 0.001 means 99.9 % D-efficiency. NAN when the candidates together
 * do not determine all columns (exchange_unknown). */
double exchange_choose(const struct exchange *exchange, double total, double *seconds);

/* covariance[columns * columns] of the coefficients for these seconds, with noise of variance 1 in one
 * second. False when the seconds do not determine all columns. */
bool exchange_covariance(const struct exchange *exchange, const double *seconds, double *covariance);

/* The variance inflation of each column. */
void exchange_inflation(const struct exchange *exchange, const double *seconds, const double *covariance,
                        double *inflation);

/* A combination of the columns (each scaled to length 1) that no candidate moves: its weights[columns], the
 * largest 1. False when there is none. */
bool exchange_unknown(const struct exchange *exchange, double *weights);

#endif
