/* Lines, white space and UTF-8. */
#include "kernels.h"

#include "blocks.h"

#include <limits.h>
#include <string.h>

/* The rough time that a text takes apart from reading it. */
#define STEP 8

/* --- white space -------------------------------------------------------------------------------------------------- */

/* Looking backwards is safe: a lead byte is never part of another character. */
const unsigned char *stripped_end(const unsigned char *start, const unsigned char *end)
{
    while (end > start) {
        if (end[-1] < 0x80) {
            if (!is_ascii_space(end[-1])) {
                break;
            }
            end -= 1;
        }
        else if (end - start >= 2 && space_length(end - 2, end) == 2) {
            end -= 2;
        }
        else if (end - start >= 3 && space_length(end - 3, end) == 3) {
            end -= 3;
        }
        else {
            break;
        }
    }
    return end;
}

/* --- UTF-8 ------------------------------------------------------------------------------------------------------- */

/* Whether a well-formed character of three bytes begins at `at`, where three can be read. */
static inline int is_three_bytes(const unsigned char *at)
{
    uint32_t bytes = (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16;
    uint32_t range = bytes & 0x200F; /* the top 5 bits of 16: 0 for U+0000-07FF, 0x200D for surrogates */
    return (bytes & 0xC0C0F0) == 0x8080E0 && range != 0 && range != 0x200D;
}

/* Length of the well-formed character at `at` (RFC 3629), or 0. */
static size_t well_formed(const unsigned char *at, size_t left)
{
    unsigned char lead = at[0];
    if (lead < 0x80) {
        return 1;
    }
    if (lead < 0xC2 || lead > 0xF4 || left < 2 || !is_continuation(at[1])) {
        return 0;
    }
    if (lead < 0xE0) {
        return 2;
    }
    if (lead < 0xF0) {
        return left >= 3 && is_three_bytes(at) ? 3 : 0;
    }
    if (left < 4 || !is_continuation(at[2]) || !is_continuation(at[3])) {
        return 0;
    }
    int overlong = lead == 0xF0 && at[1] < 0x90;
    int too_large = lead == 0xF4 && at[1] > 0x8F;
    return overlong || too_large ? 0 : 4;
}

int is_utf8(const unsigned char *data, size_t size, Call *call)
{
    size_t at = 0;
    while (at < size && goes_on(call, PIECE)) {
        size_t piece = size - at > PIECE ? at + PIECE : size;
        while (at < piece) {
#ifdef HAS_VECTORS
            if (size - at >= sizeof(Bytes)) {
                uint64_t others = bits_of(load_bytes(data + at)); /* bytes beyond ASCII have the highest bit */
                at += others != 0 ? first_bit(others) : sizeof(Bytes);
                if (others == 0) {
                    continue;
                }
            }
#endif
            size_t length = well_formed(data + at, size - at);
            if (length == 0) {
                return 0;
            }
            at += length;
            /* Characters of three bytes mostly follow one another, as in Chinese */
            while (length == 3 && at < piece && size - at >= 3 && is_three_bytes(data + at)) {
                at += 3;
            }
        }
    }
    return 1;
}

/* --- lines ------------------------------------------------------------------------------------------------------- */

/* The first place of `byte` in data[start .. end), or `end`. */
static size_t find(const unsigned char *data, size_t start, size_t end, int byte)
{
    const unsigned char *found = memchr(data + start, byte, end - start);
    return found != NULL ? (size_t)(found - data) : end;
}

/* Bytes are compared in lanes, which compilers turn into vectors; before a lane can overflow, all are added up. */
static size_t count_in(const unsigned char *data, size_t size)
{
    enum { LANES = 32 };
    size_t ends = 0, at = 0;
    while (size - at >= LANES) {
        unsigned char lanes[LANES] = {0};
        for (int round = 0; round < UCHAR_MAX && size - at >= LANES; round++, at += LANES) {
            for (size_t lane = 0; lane < LANES; lane++) {
                lanes[lane] = (unsigned char)(lanes[lane] + (data[at + lane] == '\n'));
            }
        }
        for (size_t lane = 0; lane < LANES; lane++) {
            ends += lanes[lane];
        }
    }
    for (; at < size; at++) {
        ends += data[at] == '\n';
    }
    return ends;
}

size_t count_line_ends(const unsigned char *data, size_t size, Call *call)
{
    size_t ends = 0;
    for (size_t at = 0, piece; at < size && goes_on(call, PIECE); at += piece) {
        piece = size - at < PIECE ? size - at : PIECE;
        ends += count_in(data + at, piece);
    }
    return ends;
}

static size_t count_fields(const unsigned char *data, size_t start, size_t end)
{
    size_t fields = 1;
    for (size_t at = start; at < end; at++) {
        fields += data[at] == '\t';
    }
    return fields;
}

Outcome split_lines(const unsigned char *data, size_t size, size_t columns, size_t lines, int64_t *bounds,
                    size_t wrong[2], Call *call)
{
    size_t start = 0, pause = 0; /* lines are short: ask once in PIECE bytes, not for each line */
    for (size_t line = 0; line < lines; line++) {
        size_t line_end = find(data, start, size, '\n');
        if (line_end >= pause) {
            if (!goes_on(call, line_end - start + PIECE)) {
                return STOPPED;
            }
            pause = line_end + PIECE;
        }
        size_t fields = columns != 0 ? count_fields(data, start, line_end) : 1;
        if (columns != 0 && fields != columns) {
            wrong[0] = line;
            wrong[1] = fields;
            return WRONG_FIELDS;
        }
        for (size_t field = 0; field < fields; field++) {
            size_t field_end = field + 1 < fields ? find(data, start, line_end, '\t') : line_end;
            int64_t *bound = bounds + 2 * (field * lines + line);
            bound[0] = (int64_t)start;
            bound[1] = stripped_end(data + start, data + field_end) - data;
            start = field_end + 1;
        }
    }
    return DONE;
}

void strip_trailing(Segments texts, int64_t *bounds, Call *call)
{
    for (size_t i = 0; i < texts.count && goes_on(call, STEP); i++) {
        Text text = text_at(texts, i);
        bounds[2 * i] = texts.bounds[2 * i];
        bounds[2 * i + 1] = text.is_missing ? texts.bounds[2 * i + 1] : stripped_end(text.at, text.end) - texts.data;
    }
}

/* --- missing texts ----------------------------------------------------------------------------------------------- */

void drop_empty(Segments texts, int64_t *bounds, Call *call)
{
    for (size_t i = 0; i < 2 * texts.count && goes_on(call, STEP); i += 2) {
        int present = texts.bounds[i] < texts.bounds[i + 1];
        bounds[i] = present ? texts.bounds[i] : -1;
        bounds[i + 1] = present ? texts.bounds[i + 1] : -1;
    }
}

void reference_counts(const Segments *streams, size_t stream_count, int64_t counts[3], Call *call)
{
    counts[0] = counts[1] = 0;
    counts[2] = -1;
    for (size_t i = 0; i < streams[0].count && goes_on(call, STEP * stream_count); i++) {
        int64_t present = 0;
        for (size_t stream = 0; stream < stream_count; stream++) {
            present += !text_at(streams[stream], i).is_missing;
        }
        counts[0] = i == 0 || present < counts[0] ? present : counts[0];
        counts[1] = present > counts[1] ? present : counts[1];
        counts[2] = present == 0 && counts[2] < 0 ? (int64_t)i : counts[2];
    }
}

int64_t count_ending(Segments texts, const unsigned char *ending, size_t ending_size, Call *call)
{
    int64_t found = 0;
    for (size_t i = 0; i < texts.count && goes_on(call, STEP + ending_size / 16); i++) {
        Text text = text_at(texts, i);
        if (!text.is_missing && (size_t)(text.end - text.at) >= ending_size) {
            found += memcmp(text.end - ending_size, ending, ending_size) == 0;
        }
    }
    return found;
}
