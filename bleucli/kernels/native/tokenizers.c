/* Tokenizers: each writes its texts one after the other, tokens separated by one space. */
#include "kernels.h"

#include "blocks.h"

size_t tokenized_room(Segments texts)
{
    size_t room = SLACK;
    for (size_t i = 0; i < texts.count; i++) {
        Text text = text_at(texts, i);
        size_t size = (size_t)(text.end - text.at);
        if (size > (SIZE_MAX / 2 - room) / 2) {
            return SIZE_MAX;
        }
        room += 2 * size;
    }
    return room;
}

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

static void write_token(Writer *out, const unsigned char *at, size_t size)
{
    out->open = 0;
    for (size_t i = 0; i < size; i++) {
        write_byte(out, at[i]);
    }
    out->open = 0;
}

/* A text to tokenize; bytes can be read up to `readable`, which is not before its end. */
typedef struct {
    const unsigned char *start, *end, *readable;
} Input;

/* How a tokenizer writes one text: `context` holds its other input. Returns the end of its output. */
typedef unsigned char *WriteText(Input text, unsigned char *out, const void *context, Call *call);

/* The rough time that a text takes apart from reading it. */
#define TEXT_TIME 32

static Outcome write_each(Segments texts, unsigned char *out, int64_t *bounds, WriteText *write, const void *context,
                          Call *call)
{
    unsigned char *begin = out;
    const unsigned char *readable = texts.data;
    for (size_t i = 0; i < texts.count; i++) {
        const unsigned char *end = text_at(texts, i).end;
        readable = end > readable ? end : readable;
    }
    for (size_t i = 0; i < texts.count && goes_on(call, TEXT_TIME); i++) {
        Text text = text_at(texts, i);
        if (text.is_missing) {
            bounds[2 * i] = bounds[2 * i + 1] = -1;
            continue;
        }
        bounds[2 * i] = out - begin;
        out = write((Input){text.at, text.end, readable}, out, context, call);
        bounds[2 * i + 1] = out - begin;
    }
    return DONE;
}

/* --- 13a and zh -------------------------------------------------------------------------------------------------- */

enum { PLAIN = 0, SPACE, SYMBOL, POINT, HYPHEN, MAYBE_SPACE, MAYBE_CHINESE };

/* What each byte means to 13a and zh: SYMBOL is always a token, POINT (. ,) unless digits say otherwise; MAYBE_SPACE
 * may be the first byte of white space beyond ASCII. MAYBE_CHINESE and some of MAYBE_SPACE may begin a Chinese
 * character. */
static const unsigned char kinds_13a[256] = {
    ['\t'] = SPACE, ['\n'] = SPACE, ['\v'] = SPACE, ['\f'] = SPACE, ['\r'] = SPACE, [0x1C] = SPACE, [0x1D] = SPACE,
    [0x1E] = SPACE, [0x1F] = SPACE, [' '] = SPACE, ['!'] = SYMBOL, ['"'] = SYMBOL, ['#'] = SYMBOL, ['$'] = SYMBOL,
    ['%'] = SYMBOL, ['&'] = SYMBOL, ['('] = SYMBOL, [')'] = SYMBOL, ['*'] = SYMBOL, ['+'] = SYMBOL, [','] = POINT,
    ['-'] = HYPHEN, ['.'] = POINT, ['/'] = SYMBOL, [':'] = SYMBOL, [';'] = SYMBOL, ['<'] = SYMBOL, ['='] = SYMBOL,
    ['>'] = SYMBOL, ['?'] = SYMBOL, ['@'] = SYMBOL, ['['] = SYMBOL, ['\\'] = SYMBOL, [']'] = SYMBOL, ['^'] = SYMBOL,
    ['_'] = SYMBOL, ['`'] = SYMBOL, ['{'] = SYMBOL, ['|'] = SYMBOL, ['}'] = SYMBOL, ['~'] = SYMBOL,
    [0xC2] = MAYBE_SPACE, [0xE1] = MAYBE_SPACE, [0xE2] = MAYBE_SPACE, [0xE3] = MAYBE_SPACE, [0xE4] = MAYBE_CHINESE,
    [0xE5] = MAYBE_CHINESE, [0xE6] = MAYBE_CHINESE, [0xE7] = MAYBE_CHINESE, [0xE8] = MAYBE_CHINESE,
    [0xE9] = MAYBE_CHINESE, [0xEF] = MAYBE_CHINESE,
};

static int is_digit(const unsigned char *at)
{
    return *at >= '0' && *at <= '9';
}

/* Quirk: U+2001-2A6D and U+2F81-2FA1 are sacreBLEU's reading of U+20000-2A6D6 and U+2F800-2FA1D; published scores
 * depend on it. So the quotation marks and dashes from U+2010 on are split off, and the rare characters are not. The
 * most frequent ranges come first; ranges within others are left out. */
static const uint16_t chinese_ranges[][2] = {
    {0x4E00, 0x9FBB}, {0xFF00, 0xFFEF}, {0x3000, 0x303F}, {0x2001, 0x2A6D}, {0x3400, 0x4DB5}, {0xF900, 0xFA2D},
    {0xFA30, 0xFA6A}, {0xFA70, 0xFAD9}, {0x2E80, 0x2EFF}, {0x2F00, 0x2FDF}, {0x2FF0, 0x2FFF}, {0x3100, 0x312F},
    {0x31A0, 0x31BF}, {0x31C0, 0x31EF}, {0x3200, 0x33FF}, {0xFE10, 0xFE1F}, {0xFE30, 0xFE4F},
};

static int is_chinese(const unsigned char *at, const unsigned char *end)
{
    if (*at < 0xE2 || *at > 0xEF || end - at < 3) {
        return 0;
    }
    uint32_t code = code_point(at, 3);
    for (size_t i = 0; i < sizeof chinese_ranges / sizeof chinese_ranges[0]; i++) {
        if (code >= chinese_ranges[i][0] && code <= chinese_ranges[i][1]) {
            return 1;
        }
    }
    return 0;
}

/* Whether the last of a run of points stays with what follows it; all others are tokens of their own.
 *
 * The second and third substitutions of 13a in one step. The second, ([^0-9])([.,]), consumes characters in pairs: from
 * the character before the run on or, if that is a digit or missing (`from_first`), from the first point on. So the
 * last point may be left over. The third, ([.,])([^0-9]), splits off such a point unless a digit or the end of the text
 * follows (`holds`). */
static int last_stays(size_t run, int from_first, int holds)
{
    return holds && (run % 2 != 0) == from_first;
}

/* Write a run of points; return its end. `padded`: act as if a space stood before and after the text. */
static const unsigned char *write_points(Writer *out, const unsigned char *start, const unsigned char *at,
                                         const unsigned char *end, int padded)
{
    const unsigned char *run_end = at + 1;
    while (run_end < end && kinds_13a[*run_end] == POINT) {
        run_end++;
    }
    int from_first = at == start ? !padded : is_digit(at - 1);
    int holds = run_end == end ? !padded : is_digit(run_end);
    int stays = last_stays((size_t)(run_end - at), from_first, holds);
    if (stays && run_end - at == 1) {
        write_byte(out, *at);
        return run_end;
    }
    for (; at < run_end; at++) {
        write_token(out, at, 1);
    }
    out->open = stays;
    return run_end;
}

/* Write the Chinese character at `at`, and those that follow it in this piece of text, up to one that may be white
 * space; return their end. */
static inline const unsigned char *write_chinese(Writer *out, const unsigned char *at, const unsigned char *piece,
                                                 const unsigned char *end)
{
    unsigned char *const start = out->start, *next = out->at; /* unlike *out, nothing that bytes written could change */
    do {
        if (next != start) {
            *next++ = ' ';
        }
        memcpy(next, at, 3);
        next += 3;
        at += 3;
    } while (at < piece && kinds_13a[*at] == MAYBE_CHINESE && is_chinese(at, end));
    out->at = next;
    out->open = 0;
    return at;
}

/* Write the character at `at`: white space, Chinese and maybe more that follows it, a hyphen, or a byte of a token.
 * Return the end of what is written. */
static const unsigned char *write_rare(Writer *out, const unsigned char *start, const unsigned char *at,
                                       const unsigned char *piece, const unsigned char *end, int chinese)
{
    size_t space = kinds_13a[*at] == MAYBE_SPACE ? space_length(at, end) : 0;
    if (space != 0) {
        out->open = 0;
        return at + space;
    }
    if (chinese && is_chinese(at, end)) {
        return write_chinese(out, at, piece, end);
    }
    if (kinds_13a[*at] == HYPHEN && at > start && is_digit(at - 1)) {
        write_token(out, at, 1);
    }
    else {
        write_byte(out, *at);
    }
    return at + 1;
}

/* The bytes of a block that are not PLAIN, or are control characters. */
static inline uint64_t marks_in(const unsigned char *block)
{
    uint64_t bits = 0;
#ifdef HAS_VECTORS
    for (size_t place = 0; place < BLOCK; place += sizeof(Bytes)) {
        Bytes bytes = load_bytes(block + place);
        Bytes ascii = bytes_between(bytes | 0x20, 'a', 'z') | bytes_between(bytes, '0', '9') | bytes_equal(bytes, '\'');
        Bytes doubtful = bytes_between(bytes, 0xE1, 0xEF) | bytes_equal(bytes, 0xC2);
        Bytes plain = ascii | (bytes_between(bytes, 0x80, 0xFF) & ~doubtful);
        bits |= (bits_of(plain) ^ 0xFFFF) << place;
    }
#else
    for (size_t place = 0; place < BLOCK; place++) {
        bits |= (uint64_t)(kinds_13a[block[place]] != PLAIN) << place;
    }
#endif
    return bits;
}

/* Write PLAIN bytes of a block, after which SLACK bytes can be read. */
static inline void write_plain(Writer *out, const unsigned char *at, size_t size)
{
    if (!out->open && out->at != out->start) {
        *out->at++ = ' ';
    }
    out->open = 1;
    memcpy(out->at, at, SLACK); /* of one size, which takes less time than as many as there are; what follows them is
                                 * written over */
    if (size > SLACK) {
        memcpy(out->at + SLACK, at + SLACK, size - SLACK);
    }
    out->at += size;
}

/* The block of a text that is being read. */
typedef struct {
    const unsigned char *at, *bytes; /* where it begins in the text, and where its bytes can be read */
    uint64_t marks;
    unsigned char copy[BLOCK + SLACK];
} Block;

/* Write a run of PLAIN bytes, up to the end of its block; return its end. */
static inline const unsigned char *write_run(Writer *out, Input text, const unsigned char *at, Block *block)
{
    if (block->at == NULL || (size_t)(at - block->at) >= BLOCK) {
        block->at = at;
        block->bytes = whole_block(at, text.readable, block->copy);
        block->marks = marks_in(block->bytes);
    }
    size_t place = (size_t)(at - block->at), left = (size_t)(text.end - at);
    uint64_t marks = block->marks >> place;
    size_t size = marks != 0 ? first_bit(marks) : BLOCK - place;
    size = size == 0 ? 1 : size < left ? size : left; /* a control character is PLAIN, but has a mark */
    write_plain(out, block->bytes + place, size);
    return at + size;
}

/* The substitutions of 13a, or those of zh (`chinese`), which splits off Chinese characters and does not pad the text.
 * Returns the end of the output. */
static inline unsigned char *split_punctuation(Input text, unsigned char *out, int chinese, Call *call)
{
    Writer writer = {out, out, 0};
    Block block;
    block.at = NULL;
    const unsigned char *at = text.start, *piece;
    while (at < text.end && (piece = piece_end(call, at, text.end)) != NULL) {
        while (at < piece) {
            switch (kinds_13a[*at]) {
            case PLAIN:
                at = write_run(&writer, text, at, &block);
                break;
            case SPACE:
                writer.open = 0;
                at++;
                break;
            case SYMBOL:
                write_token(&writer, at++, 1);
                break;
            case POINT:
                at = write_points(&writer, text.start, at, text.end, !chinese);
                break;
            default:
                at = write_rare(&writer, text.start, at, piece, text.end, chinese);
            }
        }
    }
    return writer.at;
}

/* Replace every `old` in text[0 .. size) from left to right; `new` is not longer. Returns the new size. */
static size_t replace(unsigned char *text, size_t size, const char *old, const char *new, Call *call)
{
    size_t old_size = strlen(old), new_size = strlen(new), kept = 0;
    for (size_t at = 0; at < size && goes_on(call, PIECE);) {
        for (size_t piece = size - at > PIECE ? at + PIECE : size; at < piece;) {
            if (text[at] == (unsigned char)*old && size - at >= old_size && memcmp(text + at, old, old_size) == 0) {
                memcpy(text + kept, new, new_size);
                kept += new_size;
                at += old_size;
            }
            else {
                text[kept++] = text[at++];
            }
        }
    }
    return kept;
}

/* Make, in place, the replacements that 13a makes before it splits off punctuation, in its order: &amp;lt; becomes <.
 * Returns the new size. */
static size_t clean_13a(unsigned char *text, size_t size, Call *call)
{
    size = replace(text, size, "<skipped>", "", call);
    size = replace(text, size, "-\n", "", call);
    size = replace(text, size, "\n", " ", call);
    size = replace(text, size, "&quot;", "\"", call);
    size = replace(text, size, "&amp;", "&", call);
    size = replace(text, size, "&lt;", "<", call);
    return replace(text, size, "&gt;", ">", call);
}

static int needs_cleaning(const unsigned char *at, const unsigned char *end)
{
#ifdef HAS_VECTORS
    Bytes found = {0};
    for (; (size_t)(end - at) >= sizeof found; at += sizeof found) {
        Bytes bytes = load_bytes(at);
        found |= bytes_equal(bytes, '&') | bytes_equal(bytes, '<') | bytes_equal(bytes, '\n');
    }
    if (bits_of(found) != 0) {
        return 1;
    }
#endif
    for (; at < end; at++) {
        if (*at == '&' || *at == '<' || *at == '\n') {
            return 1;
        }
    }
    return 0;
}

static unsigned char *write_13a(Input text, unsigned char *out, const void *scratch, Call *call)
{
    if (needs_cleaning(text.start, text.end)) {
        unsigned char *const *cleaned = scratch;
        size_t size = (size_t)(text.end - text.start);
        memcpy(*cleaned, text.start, size);
        const unsigned char *end = *cleaned + clean_13a(*cleaned, size, call);
        text = (Input){*cleaned, end, end};
    }
    return split_punctuation(text, out, 0, call);
}

/* The size of the longest text. Memory that is never written costs nothing. */
static size_t scratch_room(Segments texts)
{
    size_t room = 0;
    for (size_t i = 0; i < texts.count; i++) {
        Text text = text_at(texts, i);
        size_t size = (size_t)(text.end - text.at);
        room = size > room ? size : room;
    }
    return room;
}

Outcome tokenize_13a(Segments texts, unsigned char *out, int64_t *bounds, Call *call)
{
    unsigned char *scratch = allocate(scratch_room(texts), 1);
    if (scratch == NULL) {
        return NO_MEMORY;
    }
    Outcome outcome = write_each(texts, out, bounds, write_13a, &scratch, call);
    release(scratch);
    return outcome;
}

static unsigned char *write_zh(Input text, unsigned char *out, const void *unused, Call *call)
{
    size_t space;
    (void)unused;
    text.end = stripped_end(text.start, text.end);
    while (text.start < text.end && (space = space_length(text.start, text.end)) != 0) {
        text.start += space;
    }
    return split_punctuation(text, out, 1, call);
}

Outcome tokenize_zh(Segments texts, unsigned char *out, int64_t *bounds, Call *call)
{
    return write_each(texts, out, bounds, write_zh, NULL, call);
}

/* --- intl -------------------------------------------------------------------------------------------------------- */

enum { NUMBER = 1, PUNCTUATION = 2, SIGN = 3 }; /* Unicode's general categories N, P, S */

static unsigned char class_at(const unsigned char *at, const unsigned char *end, const unsigned char *classes)
{
    uint32_t code = at < end ? code_point(at, character_length(at, end)) : 0;
    return code < CODE_POINTS ? classes[code] : 0;
}

/* Write a run of punctuation; return its end. from_first: as for last_stays, with numbers in place of digits. */
static const unsigned char *write_punctuation(Writer *out, const unsigned char *at, const unsigned char *end,
                                              const unsigned char *classes, int from_first)
{
    const unsigned char *run_end = at;
    size_t run = 0;
    while (run_end < end && class_at(run_end, end, classes) == PUNCTUATION) {
        run_end += character_length(run_end, end);
        run++;
    }
    int holds = run_end == end || class_at(run_end, end, classes) == NUMBER;
    int stays = last_stays(run, from_first, holds), joins = stays && run == 1;
    while (at < run_end) {
        size_t size = character_length(at, run_end);
        out->open = joins && out->open;
        for (size_t i = 0; i < size; i++) {
            write_byte(out, at[i]);
        }
        at += size;
    }
    out->open = stays;
    return run_end;
}

/* Write what starts in a piece of a text; return where that ends, maybe after the piece. from_first: as for
 * write_punctuation; set for what comes next. */
static const unsigned char *split_classes(Writer *out, const unsigned char *at, const unsigned char *piece,
                                          const unsigned char *end, const unsigned char *classes, int *from_first)
{
    while (at < piece) {
        size_t size = character_length(at, end), space = space_length(at, end);
        unsigned char class = class_at(at, end, classes);
        if (space == 0 && class == PUNCTUATION) {
            at = write_punctuation(out, at, end, classes, *from_first);
            *from_first = 0;
            continue;
        }
        if (space != 0) {
            out->open = 0;
        }
        else if (class == SIGN) {
            write_token(out, at, size);
        }
        else {
            for (size_t i = 0; i < size; i++) {
                write_byte(out, at[i]);
            }
        }
        *from_first = class == NUMBER;
        at += size;
    }
    return at;
}

static unsigned char *write_intl(Input text, unsigned char *out, const void *classes, Call *call)
{
    Writer writer = {out, out, 0};
    int from_first = 1; /* whether the character before is a number or there is none */
    const unsigned char *at = text.start, *piece;
    while (at < text.end && (piece = piece_end(call, at, text.end)) != NULL) {
        at = split_classes(&writer, at, piece, text.end, classes, &from_first);
    }
    return writer.at;
}

Outcome tokenize_intl(Segments texts, const unsigned char *classes, unsigned char *out, int64_t *bounds, Call *call)
{
    return write_each(texts, out, bounds, write_intl, classes, call);
}

static Outcome code_set_add(CodeSet *set, uint32_t code)
{
    uint64_t **page = &set->pages[code / PAGE_CODES];
    if (*page == NULL) {
        *page = allocate(PAGE_CODES / 64, sizeof **page);
        if (*page == NULL) {
            return NO_MEMORY;
        }
        memset(*page, 0, PAGE_CODES / 8);
    }
    uint64_t *word = *page + code % PAGE_CODES / 64, bit = (uint64_t)1 << code % 64;
    set->count += (*word & bit) == 0;
    *word |= bit;
    return DONE;
}

void code_set_free(CodeSet *set)
{
    for (size_t page = 0; page < CODE_POINTS / PAGE_CODES; page++) {
        release(set->pages[page]);
    }
}

Outcome unclassified_characters(Segments texts, const unsigned char *classes, CodeSet *set, Call *call)
{
    for (size_t i = 0; i < texts.count && goes_on(call, TEXT_TIME); i++) {
        Text text = text_at(texts, i);
        const unsigned char *at = text.at, *end = text.end, *piece;
        while (at < end && (piece = piece_end(call, at, end)) != NULL) {
            while (at < piece) {
                size_t size = character_length(at, end);
                uint32_t code = code_point(at, size);
                if (code < CODE_POINTS && classes[code] == 0 && code_set_add(set, code) != DONE) {
                    return NO_MEMORY;
                }
                at += size;
            }
        }
    }
    return DONE;
}

/* --- char -------------------------------------------------------------------------------------------------------- */

static unsigned char *write_char(Input text, unsigned char *out, const void *unused, Call *call)
{
    const unsigned char *at = text.start, *end = text.end, *piece;
    (void)unused;
    while (at < end && (piece = piece_end(call, at, end)) != NULL) {
        while (at < piece) {
            for (size_t left = character_length(at, end); left > 0; left--) {
                *out++ = *at++;
            }
            if (at < end) {
                *out++ = ' ';
            }
        }
    }
    return out;
}

Outcome tokenize_char(Segments texts, unsigned char *out, int64_t *bounds, Call *call)
{
    return write_each(texts, out, bounds, write_char, NULL, call);
}
