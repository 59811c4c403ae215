/* The kernels as Python functions: buffers in, buffers out; the counting itself runs without the interpreter's lock. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <string.h>

#include "checksum.h"
#include "kernels.h"

typedef struct {
    PyObject *segments_class;
    PyObject *stats_class;
    PyObject *field_count_error;
    PyObject *data_name;
    PyObject *bounds_name;
} State;

static State *state_of(PyObject *module)
{
    return PyModule_GetState(module);
}

static PyObject *outcome_error(Outcome outcome)
{
    if (outcome == TOO_LARGE) {
        PyErr_SetString(PyExc_OverflowError, "a sum of statistics does not fit into 64 bits");
        return NULL;
    }
    return PyErr_NoMemory();
}

/* --- arguments --------------------------------------------------------------------------------------------------- */

/* A `Segments` object with its buffers held. */
typedef struct {
    Py_buffer data;
    Py_buffer bounds;
    Segments segments;
} Texts;

static int buffer_of(PyObject *object, PyObject *attribute, int flags, Py_buffer *buffer)
{
    PyObject *value = PyObject_GetAttr(object, attribute);
    if (value == NULL) {
        return -1;
    }
    int failed = PyObject_GetBuffer(value, buffer, flags);
    Py_DECREF(value);
    return failed;
}

static int is_aligned(const Py_buffer *buffer)
{
    return buffer->len == 0 || (uintptr_t)buffer->buf % sizeof(int64_t) == 0;
}

static int bounds_are_sound(const Texts *texts)
{
    if (texts->bounds.len % 16 != 0 || !is_aligned(&texts->bounds)) {
        return 0;
    }
    const int64_t *bounds = texts->bounds.buf;
    for (Py_ssize_t i = 0; i < texts->bounds.len / 8; i += 2) {
        int missing = bounds[i] == -1 && bounds[i + 1] == -1;
        if (!missing && (bounds[i] < 0 || bounds[i] > bounds[i + 1] || bounds[i + 1] > texts->data.len)) {
            return 0;
        }
    }
    return 1;
}

static void texts_close(Texts *texts)
{
    PyBuffer_Release(&texts->data);
    PyBuffer_Release(&texts->bounds);
}

static int texts_open(PyObject *module, PyObject *object, Texts *texts)
{
    static const unsigned char nothing[1] = {0};
    if (buffer_of(object, state_of(module)->data_name, PyBUF_SIMPLE, &texts->data) != 0) {
        return -1;
    }
    if (buffer_of(object, state_of(module)->bounds_name, PyBUF_SIMPLE, &texts->bounds) != 0) {
        PyBuffer_Release(&texts->data);
        return -1;
    }
    if (!bounds_are_sound(texts)) {
        texts_close(texts);
        PyErr_SetString(PyExc_ValueError, "Segments whose bounds do not lie within their data");
        return -1;
    }
    texts->segments.data = texts->data.buf != NULL ? texts->data.buf : nothing;
    texts->segments.bounds = texts->bounds.buf;
    texts->segments.count = (size_t)texts->bounds.len / 16;
    return 0;
}

/* A sequence of `Segments` of one length. */
typedef struct {
    Texts *texts;
    Segments *segments;
    size_t count;
} Streams;

static void streams_close(Streams *streams)
{
    for (size_t i = 0; i < streams->count; i++) {
        texts_close(&streams->texts[i]);
    }
    release(streams->texts);
    release(streams->segments);
}

static int streams_add(PyObject *module, Streams *streams, PyObject *object)
{
    if (texts_open(module, object, &streams->texts[streams->count]) != 0) {
        return -1;
    }
    streams->segments[streams->count] = streams->texts[streams->count].segments;
    streams->count++;
    if (streams->segments[streams->count - 1].count != streams->segments[0].count) {
        PyErr_SetString(PyExc_ValueError, "streams of different lengths");
        return -1;
    }
    return 0;
}

static int streams_open(PyObject *module, PyObject *sequence, Streams *streams)
{
    Py_ssize_t wanted = PySequence_Size(sequence);
    *streams = (Streams){NULL, NULL, 0};
    if (wanted < 0) {
        return -1;
    }
    streams->texts = allocate((size_t)wanted, sizeof *streams->texts);
    streams->segments = allocate((size_t)wanted, sizeof *streams->segments);
    int failed = streams->texts == NULL || streams->segments == NULL;
    if (failed) {
        PyErr_NoMemory();
    }
    for (Py_ssize_t i = 0; i < wanted && !failed; i++) {
        PyObject *object = PySequence_GetItem(sequence, i);
        failed = object == NULL || streams_add(module, streams, object) != 0;
        Py_XDECREF(object);
    }
    if (failed) {
        streams_close(streams);
    }
    return failed ? -1 : 0;
}

/* --- results ----------------------------------------------------------------------------------------------------- */

/* New bytes for `count` integers; *integers is where they lie. */
static PyObject *new_integers(size_t count, int64_t **integers)
{
    if (count > (size_t)PY_SSIZE_T_MAX / sizeof(int64_t)) {
        return PyErr_NoMemory();
    }
    PyObject *bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(count * sizeof(int64_t)));
    *integers = bytes != NULL ? (int64_t *)(void *)PyBytes_AsString(bytes) : NULL;
    return bytes;
}

/* A new Segments object; steals `bounds`. */
static PyObject *new_segments(PyObject *module, PyObject *data, PyObject *bounds)
{
    PyObject *segments = PyObject_CallFunctionObjArgs(state_of(module)->segments_class, data, bounds, NULL);
    Py_DECREF(bounds);
    return segments;
}

/* A new SegmentStats object; steals `rows`. */
static PyObject *new_stats(PyObject *module, PyObject *rows, size_t columns)
{
    PyObject *bytes = PyMemoryView_FromObject(rows), *stats = NULL;
    Py_DECREF(rows);
    PyObject *integers = bytes != NULL ? PyObject_CallMethod(bytes, "cast", "s", "q") : NULL;
    Py_XDECREF(bytes);
    if (integers != NULL) {
        stats = PyObject_CallFunction(state_of(module)->stats_class, "On", integers, (Py_ssize_t)columns);
        Py_DECREF(integers);
    }
    return stats;
}

/* --- lines ------------------------------------------------------------------------------------------------------- */

static PyObject *columns_from_bounds(PyObject *module, PyObject *data, const int64_t *bounds, size_t lines,
                                     size_t columns)
{
    PyObject *list = PyList_New(0);
    for (size_t column = 0; list != NULL && column < columns; column++) {
        int64_t *own = NULL;
        PyObject *bytes = new_integers(2 * lines, &own), *segments = NULL;
        if (bytes != NULL) {
            memcpy(own, bounds + column * 2 * lines, 2 * lines * sizeof(int64_t));
            segments = new_segments(module, data, bytes);
        }
        if (segments == NULL || PyList_Append(list, segments) != 0) {
            Py_CLEAR(list);
        }
        Py_XDECREF(segments);
    }
    return list;
}

static PyObject *raise_field_count(PyObject *module, const size_t wrong[2])
{
    PyObject *arguments = Py_BuildValue("(nn)", (Py_ssize_t)wrong[0], (Py_ssize_t)wrong[1]);
    if (arguments != NULL) {
        PyErr_SetObject(state_of(module)->field_count_error, arguments);
        Py_DECREF(arguments);
    }
    return NULL;
}

/* Raise what Python's own decoder says of bytes that are not UTF-8. */
static PyObject *raise_not_utf8(const Py_buffer *data)
{
    PyObject *text = PyUnicode_DecodeUTF8(data->buf, data->len, NULL);
    if (text != NULL) {
        Py_DECREF(text);
        PyErr_SetString(PyExc_SystemError, "the two UTF-8 decoders disagree");
    }
    return NULL;
}

static PyObject *split_buffer(PyObject *module, PyObject *object, const Py_buffer *data, size_t columns)
{
    const unsigned char *bytes = data->buf;
    size_t size = (size_t)data->len, fields = columns != 0 ? columns : 1, lines = 0, wrong[2] = {0, 0};
    int valid;
    Py_BEGIN_ALLOW_THREADS
    valid = is_utf8(bytes, size);
    lines = valid ? count_lines(bytes, size) : 0;
    Py_END_ALLOW_THREADS
    if (!valid) {
        return raise_not_utf8(data);
    }
    int64_t *bounds = fields <= SIZE_MAX / 2 / sizeof(int64_t) ? allocate(lines, fields * 2 * sizeof(int64_t)) : NULL;
    if (bounds == NULL) {
        return PyErr_NoMemory();
    }
    Outcome outcome;
    Py_BEGIN_ALLOW_THREADS
    outcome = split_lines(bytes, size, columns, lines, bounds, wrong);
    Py_END_ALLOW_THREADS
    PyObject *result = outcome == DONE ? columns_from_bounds(module, object, bounds, lines, fields)
                                       : raise_field_count(module, wrong);
    release(bounds);
    return result;
}

static PyObject *py_split_lines(PyObject *module, PyObject *arguments)
{
    PyObject *object;
    Py_ssize_t columns = 0;
    if (!PyArg_ParseTuple(arguments, "O|n:split_lines", &object, &columns)) {
        return NULL;
    }
    if (columns < 0) {
        return PyErr_Format(PyExc_ValueError, "columns %zd; expected at least 0", columns);
    }
    Py_buffer data;
    if (PyObject_GetBuffer(object, &data, PyBUF_SIMPLE) != 0) {
        return NULL;
    }
    PyObject *result = split_buffer(module, object, &data, (size_t)columns);
    PyBuffer_Release(&data);
    return result;
}

/* Segments over the same data with bounds that `change` makes; the same object where it changes nothing. */
static PyObject *rebound(PyObject *module, PyObject *object, void (*change)(Segments, int64_t *))
{
    Texts texts;
    if (texts_open(module, object, &texts) != 0) {
        return NULL;
    }
    int64_t *bounds = NULL;
    PyObject *bytes = new_integers(2 * texts.segments.count, &bounds), *result = NULL;
    if (bytes != NULL) {
        Py_BEGIN_ALLOW_THREADS
        change(texts.segments, bounds);
        Py_END_ALLOW_THREADS
        if (memcmp(bounds, texts.segments.bounds, (size_t)texts.bounds.len) == 0) {
            result = Py_NewRef(object);
            Py_DECREF(bytes);
        }
        else {
            result = new_segments(module, texts.data.obj, bytes);
        }
    }
    texts_close(&texts);
    return result;
}

static PyObject *py_strip_trailing(PyObject *module, PyObject *segments)
{
    return rebound(module, segments, strip_trailing);
}

static PyObject *py_drop_empty(PyObject *module, PyObject *segments)
{
    return rebound(module, segments, drop_empty);
}

/* --- references -------------------------------------------------------------------------------------------------- */

static PyObject *py_reference_counts(PyObject *module, PyObject *references)
{
    Streams streams;
    int64_t counts[3];
    if (streams_open(module, references, &streams) != 0) {
        return NULL;
    }
    if (streams.count == 0) {
        streams_close(&streams);
        PyErr_SetString(PyExc_IndexError, "no reference stream");
        return NULL;
    }
    Py_BEGIN_ALLOW_THREADS
    reference_counts(streams.segments, streams.count, counts);
    Py_END_ALLOW_THREADS
    streams_close(&streams);
    return Py_BuildValue("(LLL)", (long long)counts[0], (long long)counts[1], (long long)counts[2]);
}

/* --- tokenizers -------------------------------------------------------------------------------------------------- */

typedef Outcome (*Tokenizer)(Segments, unsigned char *, int64_t *);

static PyObject *tokenize_texts(PyObject *module, Segments texts, Tokenizer tokenizer)
{
    size_t room = tokenized_room(texts);
    int64_t *bounds = NULL;
    PyObject *bounds_bytes = new_integers(2 * texts.count, &bounds);
    PyObject *data = room <= (size_t)PY_SSIZE_T_MAX ? PyBytes_FromStringAndSize(NULL, (Py_ssize_t)room) : PyErr_NoMemory();
    Outcome outcome = NO_MEMORY;
    if (data != NULL && bounds_bytes != NULL) {
        unsigned char *out = (unsigned char *)PyBytes_AsString(data);
        Py_BEGIN_ALLOW_THREADS
        outcome = tokenizer(texts, out, bounds);
        Py_END_ALLOW_THREADS
        if (outcome != DONE) {
            outcome_error(outcome);
        }
    }
    PyObject *result = NULL;
    if (outcome == DONE) {
        result = new_segments(module, data, bounds_bytes);
        bounds_bytes = NULL;
    }
    Py_XDECREF(data);
    Py_XDECREF(bounds_bytes);
    return result;
}

static PyObject *tokenize(PyObject *module, PyObject *object, Tokenizer tokenizer)
{
    Texts texts;
    if (texts_open(module, object, &texts) != 0) {
        return NULL;
    }
    PyObject *result = tokenize_texts(module, texts.segments, tokenizer);
    texts_close(&texts);
    return result;
}

static PyObject *py_tokenize_13a(PyObject *module, PyObject *segments)
{
    return tokenize(module, segments, tokenize_13a);
}

static PyObject *py_tokenize_char(PyObject *module, PyObject *segments)
{
    return tokenize(module, segments, tokenize_char);
}

/* --- counting ---------------------------------------------------------------------------------------------------- */

static PyObject *count_ngrams(PyObject *module, Segments hypotheses, const Streams *references, size_t max_order)
{
    if (references->count != 0 && references->segments[0].count != hypotheses.count) {
        PyErr_SetString(PyExc_ValueError, "streams of different lengths");
        return NULL;
    }
    size_t columns = 2 + 2 * max_order;
    if (hypotheses.count != 0 && columns > SIZE_MAX / hypotheses.count) {
        return PyErr_NoMemory();
    }
    int64_t *rows = NULL;
    PyObject *bytes = new_integers(hypotheses.count * columns, &rows);
    if (bytes == NULL) {
        return NULL;
    }
    Outcome outcome;
    Py_BEGIN_ALLOW_THREADS
    outcome = ngram_stats(hypotheses, references->segments, references->count, max_order, rows);
    Py_END_ALLOW_THREADS
    if (outcome != DONE) {
        Py_DECREF(bytes);
        return outcome_error(outcome);
    }
    return new_stats(module, bytes, columns);
}

static PyObject *py_ngram_stats(PyObject *module, PyObject *arguments)
{
    PyObject *object, *sequence, *result = NULL;
    Py_ssize_t max_order;
    Texts hypotheses;
    Streams references;
    if (!PyArg_ParseTuple(arguments, "OOn:ngram_stats", &object, &sequence, &max_order)) {
        return NULL;
    }
    if (max_order < 1) {
        return PyErr_Format(PyExc_ValueError, "max_order %zd; expected at least 1", max_order);
    }
    if (texts_open(module, object, &hypotheses) != 0) {
        return NULL;
    }
    if (streams_open(module, sequence, &references) == 0) {
        result = count_ngrams(module, hypotheses.segments, &references, (size_t)max_order);
        streams_close(&references);
    }
    texts_close(&hypotheses);
    return result;
}

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

static PyObject *sum_columns(const Stats *stats)
{
    int64_t *integers = allocate(stats->columns, sizeof *integers);
    double *reals = allocate(stats->columns, sizeof *reals);
    Outcome outcome = NO_MEMORY;
    if (integers != NULL && reals != NULL) {
        Py_BEGIN_ALLOW_THREADS
        outcome = column_sums(*stats, integers, reals);
        Py_END_ALLOW_THREADS
    }
    PyObject *result = outcome == DONE ? tuple_of_sums(stats, integers, reals) : outcome_error(outcome);
    release(integers);
    release(reals);
    return result;
}

static PyObject *py_column_sums(PyObject *module, PyObject *object)
{
    PyObject *width = PyObject_GetAttrString(object, "columns");
    if (width == NULL) {
        return NULL;
    }
    Py_ssize_t columns = PyLong_AsSsize_t(width);
    Py_DECREF(width);
    if (columns == -1 && PyErr_Occurred() != NULL) {
        return NULL;
    }
    Py_buffer data;
    if (buffer_of(object, state_of(module)->data_name, PyBUF_CONTIG_RO | PyBUF_FORMAT, &data) != 0) {
        return NULL;
    }
    PyObject *result = NULL;
    int reals = data.format != NULL && data.format[0] == 'd';
    if (columns < 1 || data.itemsize != 8 || (data.len / 8) % columns != 0 || !is_aligned(&data)) {
        PyErr_SetString(PyExc_ValueError, "SegmentStats whose data are no rows of 64-bit numbers");
    }
    else {
        Stats stats = {data.buf, reals ? data.buf : NULL, (size_t)(data.len / 8 / columns), (size_t)columns};
        result = sum_columns(&stats);
    }
    PyBuffer_Release(&data);
    return result;
}

static PyObject *py_count_ending(PyObject *module, PyObject *arguments)
{
    PyObject *object;
    Py_buffer ending;
    if (!PyArg_ParseTuple(arguments, "Oy*:count_ending", &object, &ending)) {
        return NULL;
    }
    Texts texts;
    PyObject *result = NULL;
    if (texts_open(module, object, &texts) == 0) {
        int64_t found;
        Py_BEGIN_ALLOW_THREADS
        found = count_ending(texts.segments, ending.buf, (size_t)ending.len);
        Py_END_ALLOW_THREADS
        texts_close(&texts);
        result = PyLong_FromLongLong(found);
    }
    PyBuffer_Release(&ending);
    return result;
}

#ifdef BLEU_FAIL_ALLOCATIONS
static PyObject *py_fail_allocation(PyObject *Py_UNUSED(module), PyObject *count)
{
    allocations_before_failure = PyLong_AsLong(count);
    return PyErr_Occurred() != NULL ? NULL : Py_NewRef(Py_None);
}

static PyObject *py_live_allocations(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(nothing))
{
    return PyLong_FromLong(live_allocations);
}
#endif

/* --- module ------------------------------------------------------------------------------------------------------ */

/* Signature and first line as in kernels/reference.py, which has the rest. */
#define DOC(name, parameters, summary) \
    name "(" parameters ")\n--\n\n" summary "\n\nSee bleucli.kernels.reference." name "."

static PyMethodDef methods[] = {
    {"split_lines", py_split_lines, METH_VARARGS,
     DOC("split_lines", "data, columns=0, /",
         "Cut UTF-8 text into its lines, or into tab-separated columns, without copying it.")},
    {"strip_trailing", py_strip_trailing, METH_O,
     DOC("strip_trailing", "segments, /",
         "Leave out trailing white space (what `str.rstrip` takes for it) of every text, without copying.")},
    {"drop_empty", py_drop_empty, METH_O,
     DOC("drop_empty", "segments, /",
         "Turn empty texts into missing ones.")},
    {"reference_counts", py_reference_counts, METH_O,
     DOC("reference_counts", "references, /",
         "Count the references that each segment has.")},
    {"tokenize_13a", py_tokenize_13a, METH_O,
     DOC("tokenize_13a", "segments, /",
         "Tokenize as NIST's mteval-v13a does: entities decoded, ASCII punctuation split off except within numbers.")},
    {"tokenize_char", py_tokenize_char, METH_O,
     DOC("tokenize_char", "segments, /",
         "Put a space between every two code points of a text.")},
    {"ngram_stats", py_ngram_stats, METH_VARARGS,
     DOC("ngram_stats", "hypotheses, references, max_order, /",
         "Count the n-grams of each hypothesis and how many of them its references contain (Papineni et al. 2002, 2.1).")},
    {"column_sums", py_column_sums, METH_O,
     DOC("column_sums", "stats, /",
         "Add up the rows, in their order.")},
    {"count_ending", py_count_ending, METH_VARARGS,
     DOC("count_ending", "segments, ending, /",
         "Count the texts that end in `ending`.")},
#ifdef BLEU_FAIL_ALLOCATIONS
    {"fail_allocation", py_fail_allocation, METH_O, "Let the allocation after the next n fail; -1 for none."},
    {"live_allocations", py_live_allocations, METH_NOARGS, "The allocations that are not released yet."},
#endif
    {NULL, NULL, 0, NULL},
};

static PyObject *attribute_of(const char *module_name, const char *name)
{
    PyObject *module = PyImport_ImportModule(module_name);
    PyObject *attribute = module != NULL ? PyObject_GetAttrString(module, name) : NULL;
    Py_XDECREF(module);
    return attribute;
}

static int module_exec(PyObject *module)
{
    State *state = state_of(module);
    state->segments_class = attribute_of("bleucli.segments", "Segments");
    state->stats_class = attribute_of("bleucli.stats", "SegmentStats");
    state->field_count_error = attribute_of("bleucli.errors", "FieldCountError");
    state->data_name = PyUnicode_InternFromString("data");
    state->bounds_name = PyUnicode_InternFromString("bounds");
    if (state->segments_class == NULL || state->stats_class == NULL || state->field_count_error == NULL ||
        state->data_name == NULL || state->bounds_name == NULL) {
        return -1;
    }
    return PyModule_AddStringConstant(module, "checksum", BLEU_SOURCES_CHECKSUM);
}

static int module_traverse(PyObject *module, visitproc visit, void *arg)
{
    State *state = state_of(module);
    Py_VISIT(state->segments_class);
    Py_VISIT(state->stats_class);
    Py_VISIT(state->field_count_error);
    return 0;
}

static int module_clear(PyObject *module)
{
    State *state = state_of(module);
    Py_CLEAR(state->segments_class);
    Py_CLEAR(state->stats_class);
    Py_CLEAR(state->field_count_error);
    Py_CLEAR(state->data_name);
    Py_CLEAR(state->bounds_name);
    return 0;
}

static void module_free(void *module)
{
    module_clear(module);
}

static PyModuleDef_Slot slots[] = {
    {Py_mod_exec, (void *)(uintptr_t)module_exec}, /* by way of an integer: ISO C has no such cast */
    {0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "_native", "The kernels in C; see bleucli.kernels.reference.", sizeof(State), methods, slots,
    module_traverse,       module_clear, module_free,
};

PyMODINIT_FUNC PyInit__native(void)
{
    return PyModuleDef_Init(&definition);
}
