/* The kernels in C. Each function mirrors the one of the same name in kernels/python.py, where it is explained.
 *
 * No function here touches a Python object or global state: all of them run without the interpreter's lock. Texts are
 * arbitrary bytes; invalid UTF-8 is counted as it is, and nothing is read past the end. Functions that may take long
 * get a `Call` and ask it now and then whether to go on. */
#ifndef BLEU_KERNELS_H
#define BLEU_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#include "call.h"
#include "characters.h"

/* n texts: text i is data[bounds[2i] .. bounds[2i+1]), missing if bounds[2i] is negative. arguments.c has checked the
 * bounds. */
typedef struct {
    const unsigned char *data;
    const int64_t *bounds;
    size_t count;
} Segments;

/* One of them: its bytes from `at` to `end`. A missing text is empty. */
typedef struct {
    const unsigned char *at, *end;
    int is_missing;
} Text;

static inline Text text_at(Segments texts, size_t index)
{
    int64_t start = texts.bounds[2 * index], end = texts.bounds[2 * index + 1];
    return start < 0 ? (Text){texts.data, texts.data, 1} : (Text){texts.data + start, texts.data + end, 0};
}

/* Rows of integers or, if reals is set, of doubles. */
typedef struct {
    const int64_t *integers;
    const double *reals;
    size_t rows;
    size_t columns;
} Stats;

/* WRONG_FIELDS is for split_lines, TOO_FEW for draw_weights and bleu_rows; TOO_LARGE is for numbers that do not fit. */
typedef enum { DONE = 0, NO_MEMORY = 1, WRONG_FIELDS = 2, TOO_LARGE = 3, TOO_FEW = 4, STOPPED = 5 } Outcome;

/* --- memory.c: allocation that can be made to fail ------------------------------------------------------------- */

void *allocate(size_t count, size_t size);
void release(void *memory);
#ifdef BLEU_FAIL_ALLOCATIONS
extern long allocations_before_failure;
extern long live_allocations;
#endif

/* --- text.c: lines, white space, UTF-8 -------------------------------------------------------------------------- */

/* Once the call is stopped, these functions return early, and their results are void. */
int is_utf8(const unsigned char *data, size_t size, Call *call);
/* One more than the largest code point; also the size of a table by code point. */
#define CODE_POINTS 0x110000
const unsigned char *stripped_end(const unsigned char *start, const unsigned char *end);

size_t count_line_ends(const unsigned char *data, size_t size, Call *call);
/* bounds: room for 2 * lines integers per column, column by column. wrong: the index of a line with a different number
 * of fields, and that number. */
Outcome split_lines(const unsigned char *data, size_t size, size_t columns, size_t lines, int64_t *bounds,
                    size_t wrong[2], Call *call);
void strip_trailing(Segments texts, int64_t *bounds, Call *call);
void drop_empty(Segments texts, int64_t *bounds, Call *call);
void reference_counts(const Segments *streams, size_t stream_count, int64_t counts[3], Call *call);
int64_t count_ending(Segments texts, const unsigned char *ending, size_t ending_size, Call *call);

/* --- tokenizers.c ------------------------------------------------------------------------------------------------ */

/* Room in bytes that is enough for the tokenized texts, even if each byte is a token with a space after it. SIZE_MAX if
 * that is too much. */
size_t tokenized_room(Segments texts);
Outcome tokenize_13a(Segments texts, unsigned char *out, int64_t *bounds, Call *call);
Outcome tokenize_zh(Segments texts, unsigned char *out, int64_t *bounds, Call *call);
/* classes: by code point, 1 for numbers, 2 for punctuation, 3 for symbols, another number for others. */
Outcome tokenize_intl(Segments texts, const unsigned char *classes, unsigned char *out, int64_t *bounds,
                      Call *call);
/* A set of code points, with one bit for each. A page is NULL until a code point of its own is added, so that the set of
 * a sentence costs as little as the sentence. */
#define PAGE_CODES 4096
typedef struct {
    uint64_t *pages[CODE_POINTS / PAGE_CODES];
    size_t count; /* of code points */
} CodeSet;
void code_set_free(CodeSet *set);
/* set: empty; gets the code points that occur and whose class is 0. */
Outcome unclassified_characters(Segments texts, const unsigned char *classes, CodeSet *set, Call *call);
Outcome tokenize_char(Segments texts, unsigned char *out, int64_t *bounds, Call *call);

/* --- ngrams.c ---------------------------------------------------------------------------------------------------- */

/* rows: room for (2 + 2 * max_order) integers per text. */
Outcome ngram_stats(Segments hypotheses, const Segments *references, size_t reference_count, size_t max_order,
                    int64_t *rows, Call *call);

/* --- groups.c ---------------------------------------------------------------------------------------------------- */

/* groups: the number of texts in each group; they add up to all texts. rows: as for ngram_stats. distinct: room for
 * max_order integers per group. */
Outcome group_stats(Segments texts, const int64_t *groups, size_t group_count, size_t max_order, int64_t *rows,
                    int64_t *distinct, Call *call);

/* --- chrf.c ------------------------------------------------------------------------------------------------------ */

typedef struct {
    size_t char_order, word_order;
    double factor; /* beta squared */
    int whitespace, eps_smoothing;
} ChrfOptions;

/* rows: room for 3 * (char_order + word_order) integers per text. */
Outcome chrf_stats(Segments hypotheses, const Segments *references, size_t reference_count, ChrfOptions options,
                   int64_t *rows, Call *call);

/* --- f_score.c --------------------------------------------------------------------------------------------------- */

/* The F-score in percent of `hyp_count, ref_count, match` of each order; `factor` is beta squared. */
double f_score(const double *stats, size_t orders, double factor, int eps_smoothing);
/* The same of each row of integers. scores: room for one per row. TOO_FEW: no text has such a row. */
Outcome chrf_rows(Stats stats, double factor, int eps_smoothing, double *scores, Call *call);

/* --- bleu_score.c ----------------------------------------------------------------------------------------------- */

typedef struct {
    size_t max_order;
    int halves;           /* whether orders without a match count half a match, a quarter, and so on */
    double floor, added;  /* used in place of zero matches; added to all orders but the first */
    int effective_order;
    int compensates;      /* whether to add logarithms as Python does from 3.12 on */
} BleuOptions;

/* The sentence BLEU in percent; matches: one number per order. */
double bleu_score(const BleuOptions *options, size_t sys_len, size_t ref_len, const uint32_t *matches);

/* options: without `added`. scores: room for 2 + max_order doubles per row of `hyp_len, ref_len` and, for each order,
 * matches, then n-grams: the score and the brevity penalty, then the precisions. TOO_FEW: no text has such a row. */
Outcome bleu_rows(Stats stats, const BleuOptions *options, double *scores, Call *call);

/* --- digits.c ---------------------------------------------------------------------------------------------------- */

/* Write a number, and return the size. out: room for 24 bytes. The number is `number` / 10 ^ `decimals`, at most 20. */
size_t write_digits(uint64_t number, size_t decimals, char *out);
/* Write a double as Python does with %.Nf, or with repr; 0 if only Python can. */
size_t write_fixed(double number, size_t decimals, char *out);
size_t write_shortest(double number, char *out);

/* --- pairwise.c ------------------------------------------------------------------------------------------------- */

/* Texts group by group. sizes: the numbers of hypotheses and of references of each group. */
typedef struct {
    Segments hypotheses, references;
    const int64_t *sizes;
    size_t groups;
    const double *weights; /* of all references, or NULL */
    double *scores;        /* room for one per pair or, with weights, for one sum per hypothesis */
} Pairs;

Outcome pairwise_bleu(Pairs pairs, BleuOptions options, Call *call);
Outcome pairwise_chrf(Pairs pairs, ChrfOptions options, Call *call);

/* --- ter.c ------------------------------------------------------------------------------------------------------- */

/* rows: room for two doubles per text. */
Outcome ter_stats(Segments hypotheses, const Segments *references, size_t reference_count, double *rows, Call *call);
/* rows: room for five integers per text. */
Outcome ter_kinds(Segments hypotheses, const Segments *references, size_t reference_count, int64_t *rows, Call *call);

/* --- error_rates.c ------------------------------------------------------------------------------------------------ */

/* rows: room for two integers per text. characters: whether to count characters, not words. */
Outcome edit_stats(Segments hypotheses, const Segments *references, size_t reference_count, int characters,
                   int64_t *rows, Call *call);

/* --- sums.c ------------------------------------------------------------------------------------------------------ */

/* Exactly one of `integers` and `reals` is filled: room for one number per column. */
Outcome column_sums(Stats stats, int64_t *integers, double *reals, Call *call);

/* --- weights.c, swaps.c ------------------------------------------------------------------------------------------- */

/* Random 64-bit words. */
typedef struct {
    const uint64_t *numbers;
    size_t count;
} Words;

/* Where rows of sums go: as integers or, if reals is set, as doubles. */
typedef struct {
    int64_t *integers;
    double *reals;
} Sums;

/* One random bit per row and trial, from bit `first` on. */
typedef struct {
    const uint64_t *words;
    size_t first, trials;
} Swaps;

/* half: how many halves of words are used, before and after the call. weights: one byte per segment and resample,
 * undefined if the outcome is TOO_FEW (words) or TOO_LARGE (a weight). */
Outcome draw_weights(Words words, size_t *half, size_t segments, size_t resamples, unsigned char *weights,
                     Call *call);
/* out: room for one row per resample. */
Outcome weighted_sums(Stats stats, const unsigned char *weights, size_t resamples, Sums out, Call *call);
/* left, right: the same number of rows of the same kind; the words have bits for all trials. sums, others: room for one
 * row per trial. */
Outcome swapped_sums(Stats left, Stats right, Swaps swaps, Sums sums, Sums others, Call *call);

#endif
