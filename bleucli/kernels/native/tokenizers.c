/* Tokenizers: each writes its texts one behind the other, tokens separated by one space. */
#include "kernels.h"

#include <string.h>

size_t tokenized_room(Segments texts)
{
    size_t room = 0;
    for (size_t i = 0; i < texts.count; i++) {
        size_t size = (size_t)(texts.bounds[2 * i + 1] - texts.bounds[2 * i]);
        if (size > (SIZE_MAX / 2 - room) / 2) {
            return SIZE_MAX;
        }
        room += 2 * size;
    }
    return room;
}

/* --- 13a --------------------------------------------------------------------------------------------------------- */

enum { PLAIN = 0, SPACE, SYMBOL, POINT, HYPHEN, MAYBE_SPACE };

/* What each byte means to 13a: SYMBOL is always a token, POINT (. ,) unless digits say otherwise, MAYBE_SPACE the
 * first byte of the white space beyond ASCII. */
static const unsigned char kinds_13a[256] = {
    ['\t'] = SPACE, ['\n'] = SPACE, ['\v'] = SPACE, ['\f'] = SPACE, ['\r'] = SPACE, [0x1C] = SPACE, [0x1D] = SPACE,
    [0x1E] = SPACE, [0x1F] = SPACE, [' '] = SPACE, ['!'] = SYMBOL, ['"'] = SYMBOL, ['#'] = SYMBOL, ['$'] = SYMBOL,
    ['%'] = SYMBOL, ['&'] = SYMBOL, ['('] = SYMBOL, [')'] = SYMBOL, ['*'] = SYMBOL, ['+'] = SYMBOL, [','] = POINT,
    ['-'] = HYPHEN, ['.'] = POINT, ['/'] = SYMBOL, [':'] = SYMBOL, [';'] = SYMBOL, ['<'] = SYMBOL, ['='] = SYMBOL,
    ['>'] = SYMBOL, ['?'] = SYMBOL, ['@'] = SYMBOL, ['['] = SYMBOL, ['\\'] = SYMBOL, [']'] = SYMBOL, ['^'] = SYMBOL,
    ['_'] = SYMBOL, ['`'] = SYMBOL, ['{'] = SYMBOL, ['|'] = SYMBOL, ['}'] = SYMBOL, ['~'] = SYMBOL,
    [0xC2] = MAYBE_SPACE, [0xE1] = MAYBE_SPACE, [0xE2] = MAYBE_SPACE, [0xE3] = MAYBE_SPACE,
};

/* Tokenized text being written. */
typedef struct {
    unsigned char *start;
    unsigned char *at;
    int open; /* whether the next byte continues the last token */
} Writer;

static void write_byte(Writer *out, unsigned char byte)
{
    if (!out->open && out->at != out->start) {
        *out->at++ = ' ';
    }
    out->open = 1;
    *out->at++ = byte;
}

static void write_token(Writer *out, unsigned char byte)
{
    out->open = 0;
    write_byte(out, byte);
    out->open = 0;
}

static int is_digit(const unsigned char *at)
{
    return *at >= '0' && *at <= '9';
}

/* Write a run of points; return its end.
 *
 * The second and third substitutions of 13a, taken together: every point is a token of its own, but the last of a run
 * stays with a digit behind it if the second substitution has not consumed it. That one consumes the points in pairs,
 * from the character before the run on, or from the first point if that character is a digit. */
static const unsigned char *write_points(Writer *out, const unsigned char *start, const unsigned char *at,
                                         const unsigned char *end)
{
    const unsigned char *run_end = at + 1;
    while (run_end < end && kinds_13a[*run_end] == POINT) {
        run_end++;
    }
    int odd = (run_end - at) % 2 != 0;
    int after_digit = at > start && is_digit(at - 1);
    int stays = run_end < end && is_digit(run_end) && odd == after_digit;
    if (stays && run_end - at == 1) {
        write_byte(out, *at);
        return run_end;
    }
    for (; at < run_end; at++) {
        write_token(out, *at);
    }
    out->open = stays;
    return run_end;
}

static void split_punctuation(Writer *out, const unsigned char *start, const unsigned char *end)
{
    for (const unsigned char *at = start; at < end;) {
        size_t space;
        switch (kinds_13a[*at]) {
        case PLAIN:
            write_byte(out, *at++);
            while (at < end && kinds_13a[*at] == PLAIN) {
                *out->at++ = *at++;
            }
            break;
        case SPACE:
            out->open = 0;
            at++;
            break;
        case SYMBOL:
            write_token(out, *at++);
            break;
        case POINT:
            at = write_points(out, start, at, end);
            break;
        case HYPHEN:
            if (at > start && is_digit(at - 1)) {
                write_token(out, *at++);
            }
            else {
                write_byte(out, *at++);
            }
            break;
        default:
            space = space_length(at, end);
            if (space != 0) {
                out->open = 0;
                at += space;
            }
            else {
                write_byte(out, *at++);
            }
        }
    }
}

/* Replace every `old` in text[0 .. size) from left to right; `new` is not longer. Returns the new size. */
static size_t replace(unsigned char *text, size_t size, const char *old, const char *new)
{
    size_t old_size = strlen(old), new_size = strlen(new), kept = 0;
    for (size_t at = 0; at < size;) {
        if (size - at >= old_size && memcmp(text + at, old, old_size) == 0) {
            memcpy(text + kept, new, new_size);
            kept += new_size;
            at += old_size;
        }
        else {
            text[kept++] = text[at++];
        }
    }
    return kept;
}

static int has(const unsigned char *text, size_t size, int byte)
{
    return memchr(text, byte, size) != NULL;
}

/* Take out what 13a takes out before it looks at punctuation, in place. Returns the new size. */
static size_t clean_13a(unsigned char *text, size_t size)
{
    size = replace(text, size, "<skipped>", "");
    size = replace(text, size, "-\n", "");
    size = replace(text, size, "\n", " ");
    size = replace(text, size, "&quot;", "\"");
    size = replace(text, size, "&amp;", "&");
    size = replace(text, size, "&lt;", "<");
    return replace(text, size, "&gt;", ">");
}

static size_t longest_text(Segments texts)
{
    int64_t longest = 0;
    for (size_t i = 0; i < texts.count; i++) {
        int64_t size = texts.bounds[2 * i + 1] - texts.bounds[2 * i];
        longest = size > longest ? size : longest;
    }
    return (size_t)longest;
}

Outcome tokenize_13a(Segments texts, unsigned char *out, int64_t *bounds)
{
    unsigned char *cleaned = NULL;
    unsigned char *begin = out;
    for (size_t i = 0; i < texts.count; i++) {
        if (texts.bounds[2 * i] < 0) {
            bounds[2 * i] = bounds[2 * i + 1] = -1;
            continue;
        }
        const unsigned char *text = texts.data + texts.bounds[2 * i];
        size_t size = (size_t)(texts.bounds[2 * i + 1] - texts.bounds[2 * i]);
        if (has(text, size, '&') || has(text, size, '\n') || has(text, size, '<')) {
            cleaned = cleaned != NULL ? cleaned : allocate(longest_text(texts), 1);
            if (cleaned == NULL) {
                return NO_MEMORY;
            }
            memcpy(cleaned, text, size);
            size = clean_13a(cleaned, size);
            text = cleaned;
        }
        Writer writer = {out, out, 0};
        split_punctuation(&writer, text, text + size);
        bounds[2 * i] = out - begin;
        out = writer.at;
        bounds[2 * i + 1] = out - begin;
    }
    release(cleaned);
    return DONE;
}

/* --- char -------------------------------------------------------------------------------------------------------- */

Outcome tokenize_char(Segments texts, unsigned char *out, int64_t *bounds)
{
    unsigned char *begin = out;
    for (size_t i = 0; i < texts.count; i++) {
        if (texts.bounds[2 * i] < 0) {
            bounds[2 * i] = bounds[2 * i + 1] = -1;
            continue;
        }
        const unsigned char *at = texts.data + texts.bounds[2 * i], *end = texts.data + texts.bounds[2 * i + 1];
        bounds[2 * i] = out - begin;
        while (at < end) {
            size_t length = character_length(at, end);
            memcpy(out, at, length);
            out += length;
            at += length;
            if (at < end) {
                *out++ = ' ';
            }
        }
        bounds[2 * i + 1] = out - begin;
    }
    return DONE;
}
