/* chrF's F-score: the same operations in the same order as in kernels/python_ngrams.py. setup.py forbids fused ones,
 * which round differently. */
#include "kernels.h"

/* Popovic's chrF++.py: the value of an undefined precision, recall or F-score */
#define EPSILON 1e-16

static double smoothed(double factor, double hyp_count, double ref_count, double match)
{
    double precision = hyp_count > 0 ? match / hyp_count : EPSILON;
    double recall = ref_count > 0 ? match / ref_count : EPSILON;
    double denominator = factor * precision + recall;
    return denominator > 0 ? (1 + factor) * precision * recall / denominator : EPSILON;
}

double f_score(const double *stats, size_t orders, double factor, int eps_smoothing)
{
    double precision = 0.0, recall = 0.0, scores = 0.0, effective = 0.0;
    for (size_t order = 0; order < orders; order++, stats += 3) {
        double hyp_count = stats[0], ref_count = stats[1], match = stats[2];
        if (eps_smoothing) {
            scores += smoothed(factor, hyp_count, ref_count, match);
        }
        else if (hyp_count > 0 && ref_count > 0) {
            precision += match / hyp_count;
            recall += match / ref_count;
            effective += 1;
        }
    }
    if (eps_smoothing) {
        return 100 * scores / (double)orders;
    }
    if (effective == 0) {
        return 0.0;
    }
    precision /= effective;
    recall /= effective;
    double denominator = factor * precision + recall;
    return denominator > 0 ? 100 * ((1 + factor) * precision * recall / denominator) : 0.0;
}

/* The rough time to score a row. */
#define ROW_TIME 64

Outcome chrf_rows(Stats stats, double factor, int eps_smoothing, double *scores, Call *call)
{
    double *row = allocate(stats.columns, sizeof *row);
    Outcome outcome = row != NULL ? DONE : NO_MEMORY;
    for (size_t i = 0; outcome == DONE && i < stats.rows && goes_on_at(call, i, ROW_TIME); i++) {
        const int64_t *numbers = stats.integers + i * stats.columns;
        for (size_t column = 0; column < stats.columns; column++) {
            row[column] = (double)numbers[column];
            outcome = numbers[column] < 0 ? TOO_FEW : outcome;
        }
        scores[i] = f_score(row, stats.columns / 3, factor, eps_smoothing);
    }
    release(row);
    return outcome;
}
