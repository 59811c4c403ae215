/* Lines, references and tokenizers as Python functions. */
#include "bindings.h"

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

/* Raise the error of Python's own decoder about bytes that are not UTF-8. */
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
    size_t size = (size_t)data->len, fields = columns != 0 ? columns : 1, wrong[2] = {0, 0};
    Run run;
    run_begin(module, &run);
    int valid = is_utf8(bytes, size, &run.call);
    size_t lines = valid ? count_line_ends(bytes, size, &run.call) + (size > 0 && bytes[size - 1] != '\n') : 0;
    if (run_end(&run, DONE) != DONE) {
        return outcome_error(STOPPED);
    }
    if (!valid) {
        return raise_not_utf8(data);
    }
    int64_t *bounds = fields <= SIZE_MAX / 2 / sizeof(int64_t) ? allocate(lines, fields * 2 * sizeof(int64_t)) : NULL;
    if (bounds == NULL) {
        return PyErr_NoMemory();
    }
    run_begin(module, &run);
    Outcome outcome = run_end(&run, split_lines(bytes, size, columns, lines, bounds, wrong, &run.call));
    PyObject *result = outcome == DONE           ? columns_from_bounds(module, object, bounds, lines, fields)
                       : outcome == WRONG_FIELDS ? raise_field_count(module, wrong)
                                                 : outcome_error(outcome);
    release(bounds);
    return result;
}

PyObject *py_count_line_ends(PyObject *module, PyObject *object)
{
    Py_buffer data;
    if (buffer_open(object, &data) != 0) {
        return NULL;
    }
    Run run;
    run_begin(module, &run);
    size_t ends = count_line_ends(data.buf, (size_t)data.len, &run.call);
    Outcome outcome = run_end(&run, DONE);
    PyBuffer_Release(&data);
    return outcome == DONE ? PyLong_FromSize_t(ends) : outcome_error(outcome);
}

PyObject *py_split_lines(PyObject *module, PyObject *arguments)
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
    if (buffer_open(object, &data) != 0) {
        return NULL;
    }
    PyObject *result = split_buffer(module, object, &data, (size_t)columns);
    PyBuffer_Release(&data);
    return result;
}

/* Segments over the same data with bounds that `change` makes; the same object if it changes nothing. */
static PyObject *rebound(PyObject *module, PyObject *object, void (*change)(Segments, int64_t *, Call *))
{
    Texts texts;
    if (texts_open(module, object, &texts) != 0) {
        return NULL;
    }
    int64_t *bounds = NULL;
    PyObject *bytes = new_integers(2 * texts.segments.count, &bounds), *result = NULL;
    PyObject *data = bytes != NULL ? PyObject_GetAttr(object, state_of(module)->data_name) : NULL;
    if (data != NULL) {
        Run run;
        run_begin(module, &run);
        change(texts.segments, bounds, &run.call);
        if (run_end(&run, DONE) != DONE) {
            outcome_error(STOPPED);
        }
        else if (memcmp(bounds, texts.segments.bounds, 2 * texts.segments.count * sizeof *bounds) == 0) {
            result = Py_NewRef(object);
        }
        else {
            result = new_segments(module, data, Py_NewRef(bytes));
        }
    }
    Py_XDECREF(data);
    Py_XDECREF(bytes);
    texts_close(&texts);
    return result;
}

PyObject *py_strip_trailing(PyObject *module, PyObject *segments)
{
    return rebound(module, segments, strip_trailing);
}

PyObject *py_drop_empty(PyObject *module, PyObject *segments)
{
    return rebound(module, segments, drop_empty);
}

/* --- references -------------------------------------------------------------------------------------------------- */

PyObject *py_reference_counts(PyObject *module, PyObject *references)
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
    Run run;
    run_begin(module, &run);
    reference_counts(streams.segments, streams.count, counts, &run.call);
    Outcome outcome = run_end(&run, DONE);
    streams_close(&streams);
    if (outcome != DONE) {
        return outcome_error(outcome);
    }
    return Py_BuildValue("(LLL)", (long long)counts[0], (long long)counts[1], (long long)counts[2]);
}

/* --- tokenizers -------------------------------------------------------------------------------------------------- */

typedef Outcome (*Tokenizer)(Segments, unsigned char *, int64_t *, Call *);

/* Tokenize with `tokenizer`, or with intl if there are `classes`. Unused room is kept: memory that is never written
 * costs nothing. */
static PyObject *tokenize_texts(PyObject *module, Segments texts, Tokenizer tokenizer, const unsigned char *classes)
{
    size_t room = tokenized_room(texts);
    int64_t *bounds = NULL;
    PyObject *bounds_bytes = new_integers(2 * texts.count, &bounds);
    PyObject *data =
        room <= (size_t)PY_SSIZE_T_MAX ? PyBytes_FromStringAndSize(NULL, (Py_ssize_t)room) : PyErr_NoMemory();
    Outcome outcome = NO_MEMORY;
    if (data != NULL && bounds_bytes != NULL) {
        unsigned char *out = (unsigned char *)PyBytes_AsString(data);
        Run run;
        run_begin(module, &run);
        outcome = classes != NULL ? tokenize_intl(texts, classes, out, bounds, &run.call)
                                  : tokenizer(texts, out, bounds, &run.call);
        outcome = run_end(&run, outcome);
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

static PyObject *tokenize(PyObject *module, PyObject *object, Tokenizer tokenizer, const unsigned char *classes)
{
    Texts texts;
    if (texts_open(module, object, &texts) != 0) {
        return NULL;
    }
    PyObject *result = tokenize_texts(module, texts.segments, tokenizer, classes);
    texts_close(&texts);
    return result;
}

PyObject *py_tokenize_13a(PyObject *module, PyObject *segments)
{
    return tokenize(module, segments, tokenize_13a, NULL);
}

PyObject *py_tokenize_zh(PyObject *module, PyObject *segments)
{
    return tokenize(module, segments, tokenize_zh, NULL);
}

/* Get the arguments `segments, classes` of a kernel; `arguments` has its name as well. */
static int parse_classes(PyObject *tuple, const char *arguments, PyObject **segments, Py_buffer *classes)
{
    if (!PyArg_ParseTuple(tuple, arguments, segments, classes)) {
        return -1;
    }
    if (classes->len != CODE_POINTS) {
        PyErr_Format(PyExc_ValueError, "classes of %zd bytes; expected one per code point", classes->len);
        PyBuffer_Release(classes);
        return -1;
    }
    return 0;
}

PyObject *py_tokenize_intl(PyObject *module, PyObject *arguments)
{
    PyObject *object;
    Py_buffer classes;
    if (parse_classes(arguments, "Oy*:tokenize_intl", &object, &classes) != 0) {
        return NULL;
    }
    PyObject *result = tokenize(module, object, NULL, classes.buf);
    PyBuffer_Release(&classes);
    return result;
}

/* The characters of a set, as a string. */
static PyObject *characters_of(const CodeSet *set)
{
    uint32_t *codes = allocate(set->count, sizeof *codes);
    if (codes == NULL) {
        return PyErr_NoMemory();
    }
    size_t count = 0;
    for (uint32_t page = 0; page < CODE_POINTS / PAGE_CODES; page++) {
        for (uint32_t code = 0; set->pages[page] != NULL && code < PAGE_CODES; code++) {
            if (set->pages[page][code / 64] >> code % 64 & 1) {
                codes[count++] = page * PAGE_CODES + code;
            }
        }
    }
    const uint16_t one = 1;
    int order = *(const unsigned char *)&one == 1 ? -1 : 1; /* native: no byte-order mark is looked for */
    PyObject *characters =
        PyUnicode_DecodeUTF32((const char *)codes, (Py_ssize_t)(count * sizeof *codes), "surrogatepass", &order);
    release(codes);
    return characters;
}

PyObject *py_unclassified_characters(PyObject *module, PyObject *arguments)
{
    PyObject *object, *result = NULL;
    Py_buffer classes;
    if (parse_classes(arguments, "Oy*:unclassified_characters", &object, &classes) != 0) {
        return NULL;
    }
    Texts texts;
    if (texts_open(module, object, &texts) == 0) {
        CodeSet set = {{NULL}, 0};
        Run run;
        run_begin(module, &run);
        Outcome outcome = unclassified_characters(texts.segments, classes.buf, &set, &run.call);
        outcome = run_end(&run, outcome);
        result = outcome == DONE ? characters_of(&set) : outcome_error(outcome);
        code_set_free(&set);
        texts_close(&texts);
    }
    PyBuffer_Release(&classes);
    return result;
}

PyObject *py_tokenize_char(PyObject *module, PyObject *segments)
{
    return tokenize(module, segments, tokenize_char, NULL);
}

/* --- hints ------------------------------------------------------------------------------------------------------- */

PyObject *py_count_ending(PyObject *module, PyObject *arguments)
{
    PyObject *object;
    Py_buffer ending;
    if (!PyArg_ParseTuple(arguments, "Oy*:count_ending", &object, &ending)) {
        return NULL;
    }
    Texts texts;
    PyObject *result = NULL;
    if (texts_open(module, object, &texts) == 0) {
        Run run;
        run_begin(module, &run);
        int64_t found = count_ending(texts.segments, ending.buf, (size_t)ending.len, &run.call);
        Outcome outcome = run_end(&run, DONE);
        texts_close(&texts);
        result = outcome == DONE ? PyLong_FromLongLong(found) : outcome_error(outcome);
    }
    PyBuffer_Release(&ending);
    return result;
}
