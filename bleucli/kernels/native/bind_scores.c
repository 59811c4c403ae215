/* Scores of rows of statistics as Python functions. */
#include "bindings.h"

typedef struct {
    double factor;
    int eps_smoothing;
} FOptions;

/* Score each row: by BLEU if its options are given, by chrF otherwise. */
static PyObject *score_rows(PyObject *module, const Stats *stats, const BleuOptions *bleu, FOptions chrf)
{
    size_t columns = bleu != NULL ? 2 + bleu->max_order : 1;
    int64_t *numbers; /* doubles have the same size */
    PyObject *room = new_integers(stats->rows * columns, &numbers);
    if (room == NULL) {
        return NULL;
    }
    double *scores = (double *)(void *)numbers;
    Run run;
    run_begin(module, &run);
    Outcome outcome = run_end(&run, bleu != NULL
                                        ? bleu_rows(*stats, bleu, scores, &run.call)
                                        : chrf_rows(*stats, chrf.factor, chrf.eps_smoothing, scores, &run.call));
    if (outcome != DONE) {
        Py_DECREF(room);
        if (outcome != TOO_FEW) {
            return outcome_error(outcome);
        }
        PyErr_SetString(PyExc_ValueError, "no text has such statistics");
        return NULL;
    }
    return new_stats(module, room, "d", columns);
}

PyObject *py_bleu_rows(PyObject *module, PyObject *arguments)
{
    PyObject *object, *result = NULL;
    const char *method;
    double value;
    int effective_order;
    if (!PyArg_ParseTuple(arguments, "Osdp:bleu_rows", &object, &method, &value, &effective_order)) {
        return NULL;
    }
    Rows rows;
    if (rows_open(module, object, &rows) != 0) {
        return NULL;
    }
    int halves = strcmp(method, "exp") == 0, floors = strcmp(method, "floor") == 0;
    if (rows.stats.reals != NULL || rows.stats.columns < 4 || rows.stats.columns % 2 != 0) {
        PyErr_SetString(PyExc_ValueError, "expected integers: two lengths, and matches and n-grams of each order");
    }
    else if (!halves && !floors && strcmp(method, "none") != 0) {
        PyErr_Format(PyExc_ValueError, "smoothing %s; expected exp, floor or none", method);
    }
    else if (!(value >= 0.0)) {
        PyErr_SetString(PyExc_ValueError, "smooth_value is below 0");
    }
    else {
        BleuOptions options = {
            .max_order = (rows.stats.columns - 2) / 2,
            .halves = halves,
            .floor = floors ? value : 0.0,
            .effective_order = effective_order,
            .compensates = Py_Version >= HAS_COMPENSATED_SUM,
        };
        result = score_rows(module, &rows.stats, &options, (FOptions){0.0, 0});
    }
    PyBuffer_Release(&rows.data);
    return result;
}

PyObject *py_chrf_rows(PyObject *module, PyObject *arguments)
{
    PyObject *object, *beta, *result = NULL;
    FOptions options;
    if (!PyArg_ParseTuple(arguments, "OOp:chrf_rows", &object, &beta, &options.eps_smoothing) ||
        square_of(beta, &options.factor) != 0) {
        return NULL;
    }
    Rows rows;
    if (rows_open(module, object, &rows) != 0) {
        return NULL;
    }
    if (rows.stats.reals != NULL || rows.stats.columns == 0 || rows.stats.columns % 3 != 0) {
        PyErr_SetString(PyExc_ValueError, "expected integers: three for each order");
    }
    else {
        result = score_rows(module, &rows.stats, NULL, options);
    }
    PyBuffer_Release(&rows.data);
    return result;
}
