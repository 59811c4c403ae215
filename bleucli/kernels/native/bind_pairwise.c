/* Scores of all pairs as Python functions. */
#include "bindings.h"

/* The first arguments of both functions. */
typedef struct {
    Texts hypotheses, references;
    Py_buffer sizes, weights, scores;
    Pairs pairs;
} Arguments;

typedef Outcome ScorePairs(const Pairs *pairs, const void *options, Call *call);

static int room_open(PyObject *object, Py_buffer *scores)
{
    if (PyObject_GetBuffer(object, scores, PyBUF_SIMPLE | PyBUF_WRITABLE) != 0) {
        return -1;
    }
    if (scores->len % 8 == 0 && is_aligned(scores->buf, scores->len)) {
        return 0;
    }
    PyBuffer_Release(scores);
    PyErr_SetString(PyExc_ValueError, "scores are not doubles");
    return -1;
}

static void arguments_close(Arguments *arguments)
{
    texts_close(&arguments->hypotheses);
    texts_close(&arguments->references);
    PyBuffer_Release(&arguments->sizes);
    PyBuffer_Release(&arguments->weights);
    PyBuffer_Release(&arguments->scores);
}

/* Hold the buffers of the given arguments. PyBuffer_Release ignores empty ones, so those that fail to open become
 * empty. */
static int arguments_open(PyObject *module, PyObject *const objects[5], Arguments *arguments)
{
    *arguments = (Arguments){.pairs = {.weights = NULL}};
    if (texts_open(module, objects[0], &arguments->hypotheses) != 0) {
        arguments->hypotheses = (Texts){.segments = {.count = 0}};
        return -1;
    }
    if (texts_open(module, objects[1], &arguments->references) != 0) {
        arguments->references = (Texts){.segments = {.count = 0}};
        return -1;
    }
    if (buffer_open(objects[2], &arguments->sizes) != 0) {
        arguments->sizes = (Py_buffer){.obj = NULL};
        return -1;
    }
    if (objects[3] != Py_None && buffer_open(objects[3], &arguments->weights) != 0) {
        arguments->weights = (Py_buffer){.obj = NULL};
        return -1;
    }
    if (room_open(objects[4], &arguments->scores) != 0) {
        arguments->scores = (Py_buffer){.obj = NULL};
        return -1;
    }
    arguments->pairs = (Pairs){
        .hypotheses = arguments->hypotheses.segments,
        .references = objects[0] == objects[1] ? arguments->hypotheses.segments : arguments->references.segments,
        .sizes = arguments->sizes.buf,
        .groups = (size_t)arguments->sizes.len / 16,
        .weights = objects[3] != Py_None ? arguments->weights.buf : NULL,
        .scores = arguments->scores.buf,
    };
    return 0;
}

/* Whether the groups add up to all texts and the scores fit into their buffer; otherwise, an exception is set. */
static int arguments_are_sound(const Arguments *arguments)
{
    const Pairs *pairs = &arguments->pairs;
    const int64_t *sizes = pairs->sizes;
    size_t hypotheses = pairs->hypotheses.count, references = pairs->references.count;
    size_t room = (size_t)arguments->scores.len / 8;
    int sound = arguments->sizes.len % 16 == 0 && is_aligned(sizes, arguments->sizes.len);
    for (size_t i = 0; i < pairs->groups && sound; i++) {
        sound = sizes[2 * i] >= 0 && (uint64_t)sizes[2 * i] <= hypotheses && sizes[2 * i + 1] >= 0 &&
                (uint64_t)sizes[2 * i + 1] <= references;
        if (sound) {
            hypotheses -= (size_t)sizes[2 * i];
            references -= (size_t)sizes[2 * i + 1];
        }
    }
    if (!sound || hypotheses != 0 || references != 0) {
        PyErr_SetString(PyExc_ValueError, "sizes do not add up to the number of texts");
        return 0;
    }
    if (pairs->weights != NULL && ((uint64_t)arguments->weights.len != 8 * (uint64_t)pairs->references.count ||
                                   !is_aligned(pairs->weights, arguments->weights.len))) {
        PyErr_SetString(PyExc_ValueError, "weights are not one double per reference");
        return 0;
    }
    int fits = 1;
    for (size_t i = 0; i < pairs->groups && fits; i++) {
        size_t rows = (size_t)sizes[2 * i], columns = pairs->weights != NULL ? 1 : (size_t)sizes[2 * i + 1];
        fits = rows == 0 || columns <= room / rows;
        room -= fits ? rows * columns : 0;
    }
    if (!fits || room != 0) {
        PyErr_SetString(PyExc_ValueError,
                        "scores have the wrong length; expected one per pair or, with weights, per hypothesis");
        return 0;
    }
    return 1;
}

/* Score the pairs that the objects describe, if they are sound; returns the last one, the scores. */
static PyObject *score_pairs(PyObject *module, PyObject *const objects[5], ScorePairs *score, const void *options)
{
    Arguments arguments;
    PyObject *result = NULL;
    if (arguments_open(module, objects, &arguments) == 0 && arguments_are_sound(&arguments)) {
        Run run;
        run_begin(module, &run);
        Outcome outcome = run_end(&run, score(&arguments.pairs, options, &run.call));
        result = outcome == DONE ? Py_NewRef(objects[4]) : outcome_error(outcome);
    }
    arguments_close(&arguments);
    return result;
}

static Outcome score_chrf(const Pairs *pairs, const void *options, Call *call)
{
    return pairwise_chrf(*pairs, *(const ChrfOptions *)options, call);
}

PyObject *py_pairwise_chrf(PyObject *module, PyObject *arguments)
{
    PyObject *objects[5], *beta;
    Py_ssize_t chars, words;
    ChrfOptions options;
    if (!PyArg_ParseTuple(arguments, "OOOOOnnOpp:pairwise_chrf", &objects[0], &objects[1], &objects[2], &objects[3],
                          &objects[4], &chars, &words, &beta, &options.whitespace, &options.eps_smoothing) ||
        chrf_options(chars, words, beta, &options) != 0) {
        return NULL;
    }
    return score_pairs(module, objects, score_chrf, &options);
}

static Outcome score_bleu(const Pairs *pairs, const void *options, Call *call)
{
    return pairwise_bleu(*pairs, *(const BleuOptions *)options, call);
}

PyObject *py_pairwise_bleu(PyObject *module, PyObject *arguments)
{
    PyObject *objects[5];
    Py_ssize_t order;
    const char *method;
    double value;
    int effective_order;
    if (!PyArg_ParseTuple(arguments, "OOOOOnsdp:pairwise_bleu", &objects[0], &objects[1], &objects[2], &objects[3],
                          &objects[4], &order, &method, &value, &effective_order)) {
        return NULL;
    }
    if (order < 1) {
        return PyErr_Format(PyExc_ValueError, "max_order %zd; expected at least 1", order);
    }
    if (order > MAX_ORDER) {
        return PyErr_NoMemory();
    }
    int halves = strcmp(method, "exp") == 0, floors = strcmp(method, "floor") == 0, adds = strcmp(method, "add-k") == 0;
    if (!halves && !floors && !adds && strcmp(method, "none") != 0) {
        return PyErr_Format(PyExc_ValueError, "smoothing %s; expected exp, floor, add-k or none", method);
    }
    BleuOptions options = {
        .max_order = (size_t)order,
        .halves = halves,
        .floor = floors ? value : 0.0,
        .added = adds ? value : 0.0,
        .effective_order = effective_order,
        .compensates = Py_Version >= HAS_COMPENSATED_SUM,
    };
    return score_pairs(module, objects, score_bleu, &options);
}
