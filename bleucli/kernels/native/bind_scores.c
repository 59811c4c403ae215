/* Scores of rows of statistics as Python functions. */
#include "bindings.h"

static PyObject *score_rows(PyObject *module, const Stats *stats, const BleuOptions *options)
{
    size_t columns = 2 + options->max_order;
    int64_t *numbers; /* doubles have the same size */
    PyObject *room = new_integers(stats->rows * columns, &numbers);
    if (room == NULL) {
        return NULL;
    }
    Run run;
    run_begin(module, &run);
    Outcome outcome = run_end(&run, bleu_rows(*stats, options, (double *)(void *)numbers, &run.call));
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
        result = score_rows(module, &rows.stats, &options);
    }
    PyBuffer_Release(&rows.data);
    return result;
}
