/* Counts and sums as Python functions. */
#include "bindings.h"

#include <float.h>

/* --- statistics of segments -------------------------------------------------------------------------------------- */

/* A kernel that fills `rows`, of integers or doubles, for hypotheses and their references. */
typedef Outcome Count(Segments hypotheses, const Streams *references, const void *options, void *rows, Call *call);

typedef struct {
    Count *count;
    const void *options;
    const char *format; /* of the rows: "q" or "d" */
    size_t columns;
} Counter;

static PyObject *count_rows(PyObject *module, Segments hypotheses, const Streams *references, const Counter *counter)
{
    if (references->count != 0 && references->segments[0].count != hypotheses.count) {
        PyErr_SetString(PyExc_ValueError, "streams of different lengths");
        return NULL;
    }
    if (hypotheses.count > SIZE_MAX / counter->columns) {
        return PyErr_NoMemory();
    }
    int64_t *rows = NULL;
    PyObject *bytes = new_integers(hypotheses.count * counter->columns, &rows); /* doubles are as large */
    if (bytes == NULL) {
        return NULL;
    }
    Run run;
    run_begin(module, &run);
    Outcome outcome = run_end(&run, counter->count(hypotheses, references, counter->options, rows, &run.call));
    if (outcome != DONE) {
        Py_DECREF(bytes);
        return outcome_error(outcome);
    }
    return new_stats(module, bytes, counter->format, counter->columns);
}

static PyObject *stats_of(PyObject *module, PyObject *object, PyObject *sequence, Counter counter)
{
    Texts hypotheses;
    Streams references;
    PyObject *result = NULL;
    if (texts_open(module, object, &hypotheses) != 0) {
        return NULL;
    }
    if (streams_open(module, sequence, &references) == 0) {
        result = count_rows(module, hypotheses.segments, &references, &counter);
        streams_close(&references);
    }
    texts_close(&hypotheses);
    return result;
}

static Outcome count_ngrams(Segments hypotheses, const Streams *references, const void *max_order, void *rows,
                            Call *call)
{
    return ngram_stats(hypotheses, references->segments, references->count, *(const size_t *)max_order, rows, call);
}

PyObject *py_ngram_stats(PyObject *module, PyObject *arguments)
{
    PyObject *hypotheses, *references;
    Py_ssize_t order;
    if (!PyArg_ParseTuple(arguments, "OOn:ngram_stats", &hypotheses, &references, &order)) {
        return NULL;
    }
    if (order < 1) {
        return PyErr_Format(PyExc_ValueError, "max_order %zd; expected at least 1", order);
    }
    size_t max_order = (size_t)order;
    if (order > MAX_ORDER) {
        return PyErr_NoMemory();
    }
    return stats_of(module, hypotheses, references, (Counter){count_ngrams, &max_order, "q", 2 + 2 * max_order});
}

/* Whether the buffer holds the number of texts of each group, and these add up to all texts. */
static int groups_are_sound(const Py_buffer *groups, size_t texts)
{
    const int64_t *sizes = groups->buf;
    if (groups->len % 8 != 0 || !is_aligned(sizes, groups->len)) {
        return 0;
    }
    for (Py_ssize_t i = 0; i < groups->len / 8; i++) {
        if (sizes[i] < 0 || (uint64_t)sizes[i] > texts) {
            return 0;
        }
        texts -= (size_t)sizes[i];
    }
    return texts == 0;
}

static PyObject *count_groups(PyObject *module, Segments texts, const Py_buffer *groups, size_t max_order)
{
    size_t columns = 2 + 2 * max_order, group_count = (size_t)groups->len / 8;
    if (texts.count > SIZE_MAX / columns || group_count > SIZE_MAX / max_order) {
        return PyErr_NoMemory();
    }
    int64_t *rows = NULL, *distinct = NULL;
    PyObject *row_bytes = new_integers(texts.count * columns, &rows);
    PyObject *distinct_bytes = row_bytes != NULL ? new_integers(group_count * max_order, &distinct) : NULL;
    if (distinct_bytes == NULL) {
        Py_XDECREF(row_bytes);
        return NULL;
    }
    Run run;
    run_begin(module, &run);
    Outcome outcome = run_end(&run, group_stats(texts, groups->buf, group_count, max_order, rows, distinct, &run.call));
    if (outcome != DONE) {
        Py_DECREF(row_bytes);
        Py_DECREF(distinct_bytes);
        return outcome_error(outcome);
    }
    PyObject *stats = new_stats(module, row_bytes, "q", columns);
    if (stats == NULL) { /* as when a signal arrives now */
        Py_DECREF(distinct_bytes);
        return NULL;
    }
    PyObject *distinct_stats = new_stats(module, distinct_bytes, "q", max_order);
    if (distinct_stats == NULL) {
        Py_DECREF(stats);
        return NULL;
    }
    return Py_BuildValue("NN", stats, distinct_stats);
}

PyObject *py_group_stats(PyObject *module, PyObject *arguments)
{
    PyObject *object, *groups_object, *result = NULL;
    Py_ssize_t order;
    Texts texts;
    Py_buffer groups;
    if (!PyArg_ParseTuple(arguments, "OOn:group_stats", &object, &groups_object, &order)) {
        return NULL;
    }
    if (order < 1) {
        return PyErr_Format(PyExc_ValueError, "max_order %zd; expected at least 1", order);
    }
    if (order > MAX_ORDER) {
        return PyErr_NoMemory();
    }
    if (texts_open(module, object, &texts) != 0) {
        return NULL;
    }
    if (buffer_open(groups_object, &groups) == 0) {
        if (groups_are_sound(&groups, texts.segments.count)) {
            result = count_groups(module, texts.segments, &groups, (size_t)order);
        }
        else {
            PyErr_SetString(PyExc_ValueError, "groups do not add up to the number of texts");
        }
        PyBuffer_Release(&groups);
    }
    texts_close(&texts);
    return result;
}

static Outcome count_chrf(Segments hypotheses, const Streams *references, const void *options, void *rows,
                          Call *call)
{
    const ChrfOptions *chosen = options;
    return chrf_stats(hypotheses, references->segments, references->count, *chosen, rows, call);
}

/* beta ** 2.0, by Python's own power: a product may differ in the last bit, which decides ties. */
int square_of(PyObject *beta, double *square)
{
    PyObject *two = PyFloat_FromDouble(2.0), *power = two != NULL ? PyNumber_Power(beta, two, Py_None) : NULL;
    Py_XDECREF(two);
    if (power == NULL) {
        return -1;
    }
    *square = PyFloat_AsDouble(power);
    Py_DECREF(power);
    if (PyErr_Occurred() != NULL) {
        return -1;
    }
    if (!(*square <= DBL_MAX)) {
        PyErr_SetString(PyExc_ValueError, "beta is not finite");
        return -1;
    }
    return 0;
}

int chrf_options(Py_ssize_t chars, Py_ssize_t words, PyObject *beta, ChrfOptions *options)
{
    if (chars < 0 || words < 0 || (chars == 0 && words == 0)) {
        PyErr_Format(PyExc_ValueError, "orders %zd and %zd; expected at least one n-gram", chars, words);
        return -1;
    }
    if (chars > MAX_ORDER || words > MAX_ORDER) {
        PyErr_NoMemory();
        return -1;
    }
    options->char_order = (size_t)chars;
    options->word_order = (size_t)words;
    return square_of(beta, &options->factor);
}

PyObject *py_chrf_stats(PyObject *module, PyObject *arguments)
{
    PyObject *hypotheses, *references;
    Py_ssize_t chars, words;
    PyObject *beta;
    ChrfOptions options;
    if (!PyArg_ParseTuple(arguments, "OOnnOpp:chrf_stats", &hypotheses, &references, &chars, &words, &beta,
                          &options.whitespace, &options.eps_smoothing) ||
        chrf_options(chars, words, beta, &options) != 0) {
        return NULL;
    }
    size_t columns = 3 * (options.char_order + options.word_order);
    return stats_of(module, hypotheses, references, (Counter){count_chrf, &options, "q", columns});
}

static Outcome count_ter(Segments hypotheses, const Streams *references, const void *unused, void *rows, Call *call)
{
    (void)unused;
    return ter_stats(hypotheses, references->segments, references->count, rows, call);
}

PyObject *py_ter_stats(PyObject *module, PyObject *arguments)
{
    PyObject *hypotheses, *references;
    if (!PyArg_ParseTuple(arguments, "OO:ter_stats", &hypotheses, &references)) {
        return NULL;
    }
    return stats_of(module, hypotheses, references, (Counter){count_ter, NULL, "d", 2});
}

static Outcome count_ter_kinds(Segments hypotheses, const Streams *references, const void *unused, void *rows,
                               Call *call)
{
    (void)unused;
    return ter_kinds(hypotheses, references->segments, references->count, rows, call);
}

PyObject *py_ter_kinds(PyObject *module, PyObject *arguments)
{
    PyObject *hypotheses, *references;
    if (!PyArg_ParseTuple(arguments, "OO:ter_kinds", &hypotheses, &references)) {
        return NULL;
    }
    return stats_of(module, hypotheses, references, (Counter){count_ter_kinds, NULL, "q", 5});
}

static Outcome count_edits(Segments hypotheses, const Streams *references, const void *characters, void *rows,
                           Call *call)
{
    return edit_stats(hypotheses, references->segments, references->count, *(const int *)characters, rows, call);
}

PyObject *py_edit_stats(PyObject *module, PyObject *arguments)
{
    PyObject *hypotheses, *references;
    int characters;
    if (!PyArg_ParseTuple(arguments, "OOp:edit_stats", &hypotheses, &references, &characters)) {
        return NULL;
    }
    return stats_of(module, hypotheses, references, (Counter){count_edits, &characters, "q", 2});
}

/* --- sums of rows ------------------------------------------------------------------------------------------------- */

static PyObject *tuple_of_sums(const Stats *stats, const int64_t *integers, const double *reals)
{
    PyObject *sums = PyTuple_New((Py_ssize_t)stats->columns);
    for (size_t column = 0; sums != NULL && column < stats->columns; column++) {
        PyObject *sum =
            stats->reals != NULL ? PyFloat_FromDouble(reals[column]) : PyLong_FromLongLong(integers[column]);
        if (sum == NULL || PyTuple_SetItem(sums, (Py_ssize_t)column, sum) != 0) {
            Py_CLEAR(sums);
        }
    }
    return sums;
}

static PyObject *sum_columns(PyObject *module, const Stats *stats)
{
    int64_t *integers = allocate(stats->columns, sizeof *integers);
    double *reals = allocate(stats->columns, sizeof *reals);
    Outcome outcome = NO_MEMORY;
    if (integers != NULL && reals != NULL) {
        Run run;
        run_begin(module, &run);
        outcome = run_end(&run, column_sums(*stats, integers, reals, &run.call));
    }
    PyObject *result = outcome == DONE ? tuple_of_sums(stats, integers, reals) : outcome_error(outcome);
    release(integers);
    release(reals);
    return result;
}

PyObject *py_column_sums(PyObject *module, PyObject *object)
{
    Rows rows;
    if (rows_open(module, object, &rows) != 0) {
        return NULL;
    }
    PyObject *result = sum_columns(module, &rows.stats);
    PyBuffer_Release(&rows.data);
    return result;
}

/* --- scores ------------------------------------------------------------------------------------------------------- */

/* Read a sequence of counts; 0, or -1 with an exception set. As in Python, wrong types are refused before wrong
 * values. */
static int read_numbers(PyObject *sequence, Py_ssize_t size, double *numbers)
{
    for (Py_ssize_t i = 0; i < size; i++) {
        PyObject *number = PySequence_GetItem(sequence, i);
        numbers[i] = number != NULL ? PyFloat_AsDouble(number) : -1.0;
        Py_XDECREF(number);
        if (numbers[i] == -1.0 && PyErr_Occurred() != NULL) {
            return -1;
        }
    }
    for (Py_ssize_t i = 0; i < size; i++) {
        if (!(numbers[i] >= 0.0 && numbers[i] <= DBL_MAX)) {
            PyErr_SetString(PyExc_ValueError, "counts are negative or not finite");
            return -1;
        }
    }
    return 0;
}

PyObject *py_f_score(PyObject *Py_UNUSED(module), PyObject *arguments)
{
    PyObject *stats, *beta;
    int eps_smoothing;
    double factor;
    if (!PyArg_ParseTuple(arguments, "OOp:f_score", &stats, &beta, &eps_smoothing)) {
        return NULL;
    }
    Py_ssize_t size = PySequence_Size(stats);
    if (size == 0 || size % 3 > 0) {
        return PyErr_Format(PyExc_ValueError, "%zd statistics; expected three for each order", size);
    }
    if (size < 0 || square_of(beta, &factor) != 0) {
        return NULL;
    }
    double *numbers = allocate((size_t)size, sizeof *numbers);
    if (numbers == NULL) {
        return PyErr_NoMemory();
    }
    PyObject *result = NULL;
    if (read_numbers(stats, size, numbers) == 0) {
        result = PyFloat_FromDouble(f_score(numbers, (size_t)size / 3, factor, eps_smoothing));
    }
    release(numbers);
    return result;
}
