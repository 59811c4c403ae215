/* The BLEU of a pair of texts, and of rows of statistics: the same operations in the same order as in
 * kernels/python_ngrams.py. */
#include "kernels.h"

#include <math.h>

/* sacreBLEU 2.6.0 uses this as the logarithm of 0 */
#define LOG_OF_ZERO -9999999999.0
/* How much rounding can add to a perfect score */
#define ROUNDING 1e-9

/* A sum of doubles as Python's sum() adds them: from 3.12 on, a second number holds the rounding errors (Neumaier). */
typedef struct {
    double sum, lost;
} Sum;

static void add(Sum *sum, double number)
{
    double next = sum->sum + number;
    sum->lost += fabs(sum->sum) >= fabs(number) ? (sum->sum - next) + number : (number - next) + sum->sum;
    sum->sum = next;
}

static double total_of(const Sum *sum, int compensates)
{
    return compensates && sum->lost != 0.0 && isfinite(sum->lost) ? sum->sum + sum->lost : sum->sum;
}

static double brevity_penalty(size_t sys_len, size_t ref_len)
{
    return sys_len >= ref_len ? 1.0 : exp(1.0 - (double)ref_len / (double)sys_len);
}

static int any_match(const uint32_t *matches, size_t orders)
{
    uint32_t any = 0;
    for (size_t order = 0; order < orders; order++) {
        any |= matches[order];
    }
    return any != 0;
}

double bleu_score(const BleuOptions *options, size_t sys_len, size_t ref_len, const uint32_t *matches)
{
    Sum logarithms = {0.0, 0.0};
    size_t order = 0;
    int zeros = 0;
    if (!any_match(matches, options->max_order)) { /* as in sacreBLEU, whatever the smoothing */
        return 0.0;
    }
    for (; order < options->max_order; order++) {
        double count = matches[order], total = order < sys_len ? (double)(sys_len - order) : 0.0;
        if (order > 0) {
            count += options->added;
            total += options->added;
        }
        if (total == 0.0) {
            break;
        }
        double precision = 100.0 * count / total;
        if (count == 0.0) {
            zeros += options->halves;
            precision = options->halves ? 100.0 / ldexp(total, zeros) : 100.0 * options->floor / total;
        }
        add(&logarithms, precision != 0.0 ? log(precision) : LOG_OF_ZERO);
    }
    size_t effective = options->effective_order ? order : options->max_order;
    for (; order < effective; order++) {
        add(&logarithms, LOG_OF_ZERO);
    }
    double mean = total_of(&logarithms, options->compensates) / (double)effective;
    double score = brevity_penalty(sys_len, ref_len) * exp(mean);
    return score > 100.0 && score < 100.0 + ROUNDING ? 100.0 : score;
}

/* The rough time to score a row. */
#define ROW_TIME 256

static void score_row(const BleuOptions *options, const int64_t *row, double *scores)
{
    const int64_t *matches = row + 2, *totals = matches + options->max_order;
    double *precisions = scores + 2;
    Sum logarithms = {0.0, 0.0};
    size_t order = 0, effective = options->max_order;
    int zeros = 0, any = 0;
    for (size_t place = 0; place < options->max_order; place++) {
        any |= matches[place] != 0;
        precisions[place] = 0.0;
    }
    scores[0] = 0.0;
    scores[1] = row[0] >= row[1] ? 1.0 : row[0] != 0 ? exp(1.0 - (double)row[1] / (double)row[0]) : 0.0;
    if (!any) { /* as in sacreBLEU, whatever the smoothing */
        return;
    }
    for (; order < options->max_order && totals[order] != 0; order++) {
        double total = (double)totals[order], precision = 100.0 * (double)matches[order] / total;
        if (matches[order] == 0) {
            zeros += options->halves;
            precision = options->halves ? 100.0 / ldexp(total, zeros) : 100.0 * options->floor / total;
        }
        precisions[order] = precision;
        add(&logarithms, precision != 0.0 ? log(precision) : LOG_OF_ZERO);
    }
    if (options->effective_order) {
        effective = order;
    }
    for (; order < effective; order++) {
        add(&logarithms, LOG_OF_ZERO);
    }
    double score = scores[1] * exp(total_of(&logarithms, options->compensates) / (double)effective);
    scores[0] = score > 100.0 && score < 100.0 + ROUNDING ? 100.0 : score;
}

static int is_possible(const int64_t *row, size_t orders)
{
    int possible = row[0] >= 0 && row[1] >= 0;
    for (size_t order = 0; order < orders; order++) {
        int64_t match = row[2 + order], total = row[2 + orders + order];
        possible &= match >= 0 && match <= total && (order == 0 || total <= row[1 + orders + order]);
    }
    return possible;
}

Outcome bleu_rows(Stats stats, const BleuOptions *options, double *scores, Call *call)
{
    for (size_t row = 0; row < stats.rows && goes_on_at(call, row, ROW_TIME); row++) {
        const int64_t *numbers = stats.integers + row * stats.columns;
        if (!is_possible(numbers, options->max_order)) {
            return TOO_FEW;
        }
        score_row(options, numbers, scores + row * (2 + options->max_order));
    }
    return DONE;
}
