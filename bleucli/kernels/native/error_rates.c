/* WER and CER: Levenshtein distances of words or characters; kernels/python_edits.py explains.
 *
 * The table of distances is filled strip by strip, 64 rows at a time, each from left to right. Each column needs the
 * one before, so a processor waits most of the time if it fills one strip. Therefore some strips are filled at once.
 * The places of words need bits for only these strips, and memory is linear in the length of the texts, not quadratic.
 * If the texts are alike, time is linear too: of each strip, only the columns that a path with few edits can reach are
 * filled. */
#include "bits.h"
#include "tokens.h"

#include <string.h>

/* Code points of ASCII are ids. Those below FREQUENT are looked up in a table, the others in the vocabulary; all fit
 * into 21 bits. */
#define ASCII 0x80
#define FREQUENT 0x800
#define MOST_CHARACTERS ((size_t)1 << 21)
/* The rough times to read a word or a character, and to fill a column of a strip. */
#define UNIT_TIME 16
#define COLUMN_TIME 2
/* The most strips that are filled at once: column by column, and with vectors, which are worth it for more strips. */
#define FEW_STRIPS ((size_t)4)
#define STRIPS ((size_t)16)
/* The number of edits to try first. */
#define FEW_EDITS 64

/* Bytes of a text that has so few rare characters that they need no counting. */
#define SHORT 256

/* The id of what is not in the reference, whose mask is always 0. */
#define UNKNOWN 0

/* A text as ids of its words, from 1 on, or of its characters: those of ASCII, and then the others. */
typedef struct {
    uint32_t *ids;
    size_t size;
} Units;

/* The id of a character; unknown unless `era` is the vocabulary's. */
typedef struct {
    uint32_t era, id;
} Character;

typedef struct {
    Call *call;
    int characters;
    Vocabulary vocabulary; /* of the reference: at most `different` words or rarer characters */
    size_t different;
    Character *frequent; /* by code point */
    Units hypothesis, reference;
    uint32_t *slanted;      /* columns, as fill_slants reads them */
    unsigned char *changes; /* of each column: how the cost changes from the one before, in the last row filled */
    unsigned char *changes_memory;
    uint64_t *masks; /* by id and strip: the id's places in the strip; all 0 between strips */
    size_t masks_room;
    size_t strips; /* the most that are filled at once */
} Work;

/* --- reading ------------------------------------------------------------------------------------------------------ */

/* The id of a character that is not in the table. */
static uint32_t rare_id(Work *work, uint32_t code, int add)
{
    Table *table = &work->vocabulary.table;
    size_t slot = table_slot(table, code);
    uint32_t id = table_find(table, code, &slot);
    if (id == NONE && add) {
        id = table_insert(table, code, slot);
    }
    return id == NONE ? UNKNOWN : id + ASCII + 1;
}

/* The id of a character. Whether it is new decides no branch, since that is hard to predict. */
static inline uint32_t character_id(Work *work, uint32_t code, int add)
{
    Table *table = &work->vocabulary.table;
    if (code >= FREQUENT) {
        return rare_id(work, code, add);
    }
    Character *character = &work->frequent[code];
    uint32_t is_known = character->era == table->era;
    if (!add) {
        return character->id & (0 - is_known);
    }
    uint32_t id = is_known ? character->id : table->ids + ASCII + 1;
    *character = (Character){table->era, id};
    table->ids += is_known ^ 1;
    return id;
}

static void read_characters(Work *work, Text text, Units *units, int add)
{
    const unsigned char *at = text.at, *end = text.end, *piece;
    while (at < end && (piece = piece_end(work->call, at, end)) != NULL) {
        while (at < piece) {
            if (end - at >= 8) { /* expand 8 bytes, and keep those before the first one that is not ASCII */
                uint64_t others = load(at) & UINT64_C(0x8080808080808080);
                size_t size = others == 0 ? 8 : first_bit(others) / 8;
                for (size_t i = 0; i < 8; i++) {
                    units->ids[units->size + i] = at[i] + 1U;
                }
                units->size += size;
                at += size;
                if (others == 0) {
                    continue;
                }
            }
            if (*at < ASCII) {
                units->ids[units->size++] = *at++ + 1U;
                continue;
            }
            size_t size = character_length(at, end);
            units->ids[units->size++] = character_id(work, code_point(at, size), add);
            at += size;
        }
    }
}

static void read_words(Work *work, Text text, Units *units, int add)
{
    Token word;
    Tokens tokens = tokens_of(text.at, text.end);
    while (next_word(&tokens, &word) && goes_on(work->call, UNIT_TIME + word.size)) {
        units->ids[units->size++] = token_id(&work->vocabulary, word, add) + 1; /* NONE becomes UNKNOWN */
    }
}

/* A text without the white space around it. */
static inline Text stripped(Work *work, Text text)
{
    const unsigned char *piece;
    size_t space = 1;
    while (space != 0 && text.at < text.end && (piece = piece_end(work->call, text.at, text.end)) != NULL) {
        while (text.at < piece && (space = space_length(text.at, text.end)) != 0) {
            text.at += space;
        }
    }
    text.end = stripped_end(text.at, text.end);
    return text;
}

/* The number of characters that begin in some bytes. */
static size_t count_characters(Work *work, const unsigned char *at, const unsigned char *end)
{
    const unsigned char *piece;
    size_t characters = 0;
    while (at < end && (piece = piece_end(work->call, at, end)) != NULL) {
        for (; at < piece; at++) {
            characters += !is_continuation(*at);
        }
    }
    return characters;
}

/* Cut off characters that two texts begin or end with, which cost nothing, 8 bytes at a time; returns their number. */
static size_t cut_common(Work *work, Text *one, Text *other)
{
    size_t size = (size_t)(one->end - one->at), other_size = (size_t)(other->end - other->at), common = 0, last = 0;
    size_t least = size < other_size ? size : other_size;
    while (least - common >= 8 && load(one->at + common) == load(other->at + common)) {
        common += 8;
    }
    while (common > 0 && ((common < size && is_continuation(one->at[common])) ||
                          (common < other_size && is_continuation(other->at[common])))) {
        common--;
    }
    while (least - common - last >= 8 && load(one->end - last - 8) == load(other->end - last - 8)) {
        last += 8;
    }
    while (last > 0 && is_continuation(*(one->end - last))) {
        last--;
    }
    if (common + last == 0) {
        return 0;
    }
    size_t characters = count_characters(work, one->at, one->at + common);
    characters += count_characters(work, one->end - last, one->end);
    *one = (Text){.at = one->at + common, .end = one->end - last};
    *other = (Text){.at = other->at + common, .end = other->end - last};
    return characters;
}

/* An upper bound of the characters in a text that are not in the table. */
static size_t most_rare(Work *work, Text text)
{
    const unsigned char *at = text.at, *piece;
    size_t rare = 0;
    if (text.end - at <= SHORT) {
        return (size_t)(text.end - at) / 3;
    }
    while (at < text.end && (piece = piece_end(work->call, at, text.end)) != NULL) {
        for (; at < piece; at++) {
            rare += *at >= 0xE0; /* the first byte of three or four */
        }
    }
    return rare < work->different ? rare : work->different;
}

static void read_units(Work *work, Text text, Units *units, int add)
{
    units->size = 0;
    if (work->characters) {
        read_characters(work, text, units, add);
    }
    else {
        read_words(work, text, units, add);
    }
}

/* --- strips ------------------------------------------------------------------------------------------------------- */

/* Changes of columns are kept in bytes. */
static unsigned char packed(Change change)
{
    return (unsigned char)(change.rises | change.falls << 1);
}

static Change unpacked(unsigned char change)
{
    return (Change){change & 1, change >> 1};
}

/* Fill columns of a few strips. If these have all rows, `changes` is not needed: above the first row, each word is one
 * more insertion, and of the last row, only the sum of the changes matters, which is returned. */
static inline int64_t fill_columns(const uint64_t *masks, const uint32_t *columns, unsigned char *changes, size_t count,
                                   Bits *kept, size_t strips, unsigned int last, int is_whole)
{
    Bits bits[FEW_STRIPS];
    int64_t cost = 0;
    memcpy(bits, kept, strips * sizeof *bits);
    for (size_t at = 0; at < count; at++) {
        const uint64_t *equal = masks + columns[at] * strips;
        Change change = is_whole ? (Change){1, 0} : unpacked(changes[at]);
        for (size_t strip = 0; strip + 1 < strips; strip++) {
            change = advance(&bits[strip], equal[strip], change, 63);
        }
        change = advance(&bits[strips - 1], equal[strips - 1], change, last);
        if (is_whole) {
            cost += change_of(change);
        }
        else {
            changes[at] = packed(change);
        }
    }
    memcpy(kept, bits, strips * sizeof *bits);
    return cost;
}

/* The same with constants, so that the compiler keeps the state in registers. */
#define FILL(strips)                                                                                                  \
    (is_whole ? fill_columns(masks, columns, changes, piece, bits, strips, last, 1)                                   \
              : fill_columns(masks, columns, changes, piece, bits, strips, last, 0))

/* The same from the first column on. */
static int64_t fill_few(Work *work, const uint32_t *columns, unsigned char *changes, size_t count, size_t strips,
                        unsigned int last, int is_whole)
{
    const uint64_t *masks = work->masks;
    int64_t cost = 0;
    Bits bits[FEW_STRIPS];
    for (size_t strip = 0; strip < FEW_STRIPS; strip++) {
        bits[strip] = (Bits){~UINT64_C(0), 0}; /* left of the first column, costs rise from row to row */
    }
    for (size_t piece; count > 0; columns += piece, changes += piece, count -= piece) {
        piece = count < STRIDE ? count : STRIDE;
        if (!goes_on(work->call, piece * strips * COLUMN_TIME)) {
            break;
        }
        switch (strips) {
        case 1:
            cost += FILL(1);
            break;
        case 2:
            cost += FILL(2);
            break;
        case 3:
            cost += FILL(3);
            break;
        default:
            cost += FILL(FEW_STRIPS);
        }
    }
    return cost;
}

/* Not on Windows, where GCC does not align vectors on the stack */
#if defined __GNUC__ && defined __x86_64__ && !defined _WIN32
#include <immintrin.h>

#define WITH_AVX2 __attribute__((target("avx2")))
/* Four strips side by side. */
typedef uint64_t Four __attribute__((vector_size(32)));

typedef struct {
    Four plus, minus; /* as in Bits */
    Four flat, down;  /* of the columns filled last: where costs do not rise and where they fall, as in `advance` */
} Quad;

/* As `advance`, for four strips. */
WITH_AVX2 static inline void advance_four(Quad *quad, Four equal, Four flat_above, Four down_above)
{
    Four plus = quad->plus, minus = quad->minus, vertical = equal | minus;
    equal |= down_above;
    Four horizontal = (((equal & plus) + plus) ^ plus) | equal;
    Four flat = (horizontal | plus) & ~minus, down = plus & horizontal;
    quad->flat = flat;
    quad->down = down;
    flat = flat << 1 | flat_above;
    down = down << 1 | down_above;
    quad->plus = down | (~vertical & flat);
    quad->minus = vertical & ~flat;
}

/* Whether the bit `last` of a lane is set, as 0 or 1. */
WITH_AVX2 static inline int bit_of(Four bits, unsigned int lane, unsigned int last)
{
    return _mm256_movemask_pd((__m256d)(bits << (63 - last))) >> lane & 1;
}

/* Fill slants of up to four strips for each of `quads`: column `at` of the first strip, and of each other strip the
 * column before that of the strip above. The columns before the first one and after the last one are unknown, which
 * leaves a strip as it is before its first column, and does no harm after its last. */
WITH_AVX2 static inline __attribute__((always_inline)) void
fill_quads(const uint64_t *masks, const uint32_t *slanted, unsigned char *changes, size_t count, Quad *kept,
           size_t quads, size_t strips, unsigned int last)
{
    Quad state[STRIPS / 4];
    memcpy(state, kept, quads * sizeof *state);
    unsigned int lane = (unsigned int)(strips - 1) % 4;
    for (size_t at = 0; at < count; at++) {
        for (size_t i = quads; i-- > 0;) { /* upwards, since each strip needs what the one above found before */
            const uint32_t *column = slanted + at + STRIPS - 4 * i;
            const uint64_t *equal = masks + 4 * i;
            Four flat = state[i].flat >> 63, down = state[i].down >> 63;
            Change above = unpacked(changes[at]);
            uint64_t flat_above = i > 0 ? state[i - 1].flat[3] >> 63 : above.rises ^ 1;
            uint64_t down_above = i > 0 ? state[i - 1].down[3] >> 63 : above.falls;
            advance_four(&state[i],
                         (Four){equal[column[0]], equal[column[-1] + 1], equal[column[-2] + 2], equal[column[-3] + 3]},
                         (Four){flat_above, flat[0], flat[1], flat[2]}, (Four){down_above, down[0], down[1], down[2]});
        }
        const Quad *end = &state[quads - 1];
        changes[(ptrdiff_t)at - (ptrdiff_t)(strips - 1)] =
            (unsigned char)((bit_of(end->flat, lane, last) ^ 1) | bit_of(end->down, lane, last) << 1);
    }
    memcpy(kept, state, quads * sizeof *state);
}

/* Fill columns of more than FEW_STRIPS strips. */
WITH_AVX2 static void fill_many(Work *work, const uint32_t *columns, unsigned char *changes, size_t count,
                               size_t strips, unsigned int last)
{
    Quad quads[STRIPS / 4];
    for (size_t i = 0; i < STRIPS / 4; i++) {
        quads[i] = (Quad){.plus = ~(Four){0}, .flat = ~(Four){0}};
    }
    uint32_t *slanted = work->slanted;
    memset(slanted, 0, STRIPS * sizeof *slanted);
    memset(slanted + STRIPS + count, 0, STRIPS * sizeof *slanted);
    for (size_t at = 0; at < count; at++) {
        slanted[STRIPS + at] = columns[at] * (uint32_t)STRIPS;
    }
    for (size_t at = 0, end = count + strips - 1, piece; at < end; at += piece) {
        piece = end - at < STRIDE ? end - at : STRIDE;
        if (!goes_on(work->call, piece * strips * COLUMN_TIME)) {
            return;
        }
        switch ((strips + 3) / 4) {
        case 2:
            fill_quads(work->masks, slanted + at, changes + at, piece, quads, 2, strips, last);
            break;
        case 3:
            fill_quads(work->masks, slanted + at, changes + at, piece, quads, 3, strips, last);
            break;
        default:
            fill_quads(work->masks, slanted + at, changes + at, piece, quads, STRIPS / 4, strips, last);
        }
    }
}

#endif

/* The most strips that this processor should fill at once. */
static size_t strips_at_once(size_t room)
{
#ifdef BLEU_FAIL_ALLOCATIONS /* so that tests fill few and many */
    if (room % 2 == 0) {
        return FEW_STRIPS;
    }
#endif
    (void)room;
#ifdef WITH_AVX2
    return __builtin_cpu_supports("avx2") ? STRIPS : FEW_STRIPS;
#else
    return FEW_STRIPS;
#endif
}

/* Fill the columns `from` to `to` of as many rows as strips can have at once. If these are all columns of all rows,
 * which are few, return by how much the cost changes from the first column to the last one. */
static int64_t fill_rows(Work *work, const uint32_t *columns, Units rows, size_t from, size_t to, int is_whole)
{
    size_t strips = (rows.size + 63) / 64, stride = strips > FEW_STRIPS ? STRIPS : strips;
    unsigned int last = (unsigned int)(rows.size - 1) % 64;
    uint64_t *masks = work->masks;
    int64_t cost = 0;
    for (size_t strip = 0, row = 0; row < rows.size; strip++) {
        for (uint64_t place = 1; place != 0 && row < rows.size; place <<= 1, row++) {
            masks[rows.ids[row] * stride + strip] |= place;
        }
    }
    memset(masks + UNKNOWN * stride, 0, stride * sizeof *masks);
    if (strips <= FEW_STRIPS) {
        cost = fill_few(work, columns + from, work->changes + from, to - from, strips, last, is_whole);
    }
#ifdef WITH_AVX2
    else {
        fill_many(work, columns + from, work->changes + from, to - from, strips, last);
    }
#endif
    for (size_t row = 0; row < rows.size; row++) {
        masks[rows.ids[row] * stride + row / 64] = 0;
    }
    return cost;
}

/* --- distances ---------------------------------------------------------------------------------------------------- */

/* The least cost in the last row that was filled; `cost` is that at column `from`. */
static int64_t least_cost(const Work *work, int64_t cost, size_t from, size_t to)
{
    int64_t least = cost;
    for (; from < to; from++) {
        cost += change_of(unpacked(work->changes[from]));
        least = cost < least ? cost : least;
    }
    return least;
}

/* How many strips to fill at once if paths stray from the diagonal by `stray` rows and columns. More strips take less
 * time for a row, but more columns of them are filled. */
static size_t strips_for(const Work *work, Units columns, Units rows, size_t stray)
{
    /* Numbers of strips, and how long a column of them takes */
    static const size_t times[][2] = {{2, 31}, {FEW_STRIPS, 60}, {8, 67}, {STRIPS, 108}};
    size_t best = 0, least = SIZE_MAX;
    for (size_t i = 0; i < sizeof times / sizeof *times && times[i][0] <= work->strips; i++) {
        size_t height = 64 * times[i][0], width = height + stray < columns.size ? height + stray : columns.size;
        size_t time = (rows.size + height - 1) / height * width * times[i][1];
        if (time < least) {
            least = time;
            best = times[i][0];
        }
    }
    return best;
}

/* The distance if it is at most `*limit`; otherwise a larger number, to try next. `*limit` is at least the difference
 * of the lengths; if all columns are filled anyway, it becomes the largest distance that there can be.
 *
 * A path of at most `most` edits strays below the diagonal by `below` rows, and beyond it by `beyond` columns:
 * insertions and deletions are no more than `most` together, and their numbers differ by as much as the lengths.
 * What is not filled counts as if it could be reached only from the left and from above: costs there are too high,
 * never too low. `cost` is the distance in the last row that was filled, at its first column. */
static size_t distance_within(Work *work, Units columns, Units rows, size_t *limit)
{
    size_t longer = rows.size > columns.size ? rows.size - columns.size : 0;
    size_t shorter = columns.size > rows.size ? columns.size - rows.size : 0;
    size_t most = *limit, below = (most + longer - shorter) / 2, beyond = (most + shorter - longer) / 2;
    size_t from = 0, look = 1, step = 64 * strips_for(work, columns, rows, below + beyond);
    int64_t cost = 0;
    if (step + below >= rows.size && step + beyond >= columns.size) {
        *limit = most = rows.size + shorter;
    }
    memset(work->changes, 1, columns.size + STRIPS); /* above the first row, each word is one more insertion */
    for (size_t row = 0; row < rows.size; row += step) {
        size_t count = rows.size - row < step ? rows.size - row : step, filled = row + count;
        size_t to = filled + beyond < columns.size ? filled + beyond : columns.size;
        for (; from + below < row; from++) {
            cost += change_of(unpacked(work->changes[from]));
        }
        cost += (int64_t)count;
        fill_rows(work, columns.ids, (Units){rows.ids + row, count}, from, to, 0);
        if (work->call->stopped) {
            return 0;
        }
        if (filled >= look && filled < rows.size) { /* can the distance still be small enough, and is it likely? */
            size_t least = (size_t)least_cost(work, cost, from, to);
            size_t expected = (size_t)((double)least / (double)filled * (double)rows.size);
            if (8 * least > most && expected > most) { /* try a few more, unless only these rows differ */
                return expected + expected / 4 < 32 * least ? expected + expected / 4 : 32 * least;
            }
            look = filled + filled / 4;
        }
    }
    for (; from < columns.size; from++) {
        cost += change_of(unpacked(work->changes[from]));
    }
    /* A cost above `most` is an upper bound of the distance */
    return (size_t)cost > 4 * most ? 4 * most : (size_t)cost;
}

/* The distance of two texts; meaningless once the call is stopped. */
static int64_t distance_of(Work *work)
{
    Units columns = work->hypothesis, rows = work->reference;
    /* Words that both texts begin or end with cost nothing */
    while (columns.size > 0 && rows.size > 0 && *columns.ids == *rows.ids) {
        columns = (Units){columns.ids + 1, columns.size - 1};
        rows = (Units){rows.ids + 1, rows.size - 1};
    }
    while (columns.size > 0 && rows.size > 0 && columns.ids[columns.size - 1] == rows.ids[rows.size - 1]) {
        columns.size--;
        rows.size--;
    }
    if ((rows.size + 63) / 64 * columns.size > (columns.size + 63) / 64 * rows.size) { /* fill fewer columns */
        Units swapped = columns;
        columns = rows;
        rows = swapped;
    }
    if (rows.size == 0 || columns.size == 0) {
        return (int64_t)(rows.size + columns.size);
    }
    if (rows.size <= 64 * FEW_STRIPS) {
        return (int64_t)rows.size + fill_rows(work, columns.ids, rows, 0, columns.size, 1);
    }
    size_t longer = rows.size > columns.size ? rows.size - columns.size : columns.size - rows.size;
    size_t most, distance = FEW_EDITS + longer;
    do {
        most = distance;
        distance = distance_within(work, columns, rows, &most);
    } while (distance > most && !work->call->stopped);
    return (int64_t)distance;
}

/* Make room for the masks of all ids that the reference has. */
static Outcome make_room(Work *work)
{
    size_t longer = work->hypothesis.size > work->reference.size ? work->hypothesis.size : work->reference.size;
    size_t strips = longer > 64 * FEW_STRIPS ? work->strips : (longer + 63) / 64;
    size_t room = ((size_t)work->vocabulary.table.ids + 1 + (work->characters ? ASCII : 0)) * strips;
    if (room > work->masks_room) {
        release(work->masks);
        work->masks = allocate(room, sizeof *work->masks);
        work->masks_room = work->masks != NULL ? room : 0;
        if (work->masks == NULL) {
            return NO_MEMORY;
        }
        memset(work->masks, 0, room * sizeof *work->masks);
    }
    return DONE;
}

static Outcome count_segment(Work *work, Segments hypotheses, const Segments *references, size_t reference_count,
                             size_t index, int64_t row[2])
{
    int found = 0;
    row[0] = row[1] = 0;
    for (size_t i = 0; i < reference_count; i++) {
        Text reference = text_at(references[i], index);
        if (reference.is_missing) {
            continue;
        }
        Text hypothesis = text_at(hypotheses, index);
        size_t different = work->different, common = 0;
        if (work->characters) {
            hypothesis = stripped(work, hypothesis);
            reference = stripped(work, reference);
            common = cut_common(work, &hypothesis, &reference);
            different = most_rare(work, reference);
        }
        vocabulary_clear(&work->vocabulary, different);
        if (work->vocabulary.table.era == 1) { /* the first text, or all eras are used up */
            memset(work->frequent, 0, FREQUENT * sizeof *work->frequent);
        }
        read_units(work, reference, &work->reference, 1);
        read_units(work, hypothesis, &work->hypothesis, 0);
        if (make_room(work) != DONE) {
            return NO_MEMORY;
        }
        int64_t edits = distance_of(work);
        if (!goes_on(work->call, UNIT_TIME)) {
            return STOPPED;
        }
        if (!found || edits < row[0]) {
            row[0] = edits;
            row[1] = (int64_t)(work->reference.size + common);
        }
        found = 1;
    }
    return DONE;
}

/* --- the corpus --------------------------------------------------------------------------------------------------- */

/* An upper bound of the words or characters in any of the texts, at least one. */
static size_t most_units(Segments texts, int characters, Call *call)
{
    size_t most = 1;
    if (!characters) {
        return most_tokens(texts, call);
    }
    for (size_t i = 0; i < texts.count; i++) {
        Text text = text_at(texts, i);
        size_t bytes = (size_t)(text.end - text.at);
        most = bytes > most ? bytes : most;
    }
    return most;
}

static Outcome work_allocate(Work *work, size_t hyp_room, size_t ref_room)
{
    size_t room = hyp_room > ref_room ? hyp_room : ref_room;
    work->different = work->characters && ref_room > MOST_CHARACTERS ? MOST_CHARACTERS : ref_room;
    if (room >= NONE / 2 || work->different >= NONE / STRIPS) {
        return NO_MEMORY;
    }
    work->strips = strips_at_once(room);
    work->hypothesis.ids = allocate(hyp_room, sizeof(uint32_t));
    work->reference.ids = allocate(ref_room, sizeof(uint32_t));
    work->frequent = allocate(FREQUENT, sizeof *work->frequent);
    work->slanted = allocate(room + 2 * STRIPS, sizeof(uint32_t));
    work->changes_memory = allocate(room + 2 * STRIPS, 1);
    if (vocabulary_start(&work->vocabulary, work->different, &work->call->secrets) != DONE ||
        work->hypothesis.ids == NULL || work->reference.ids == NULL || work->frequent == NULL ||
        work->slanted == NULL || work->changes_memory == NULL) {
        return NO_MEMORY;
    }
    work->changes = work->changes_memory + STRIPS;
    return DONE;
}

static void work_free(Work *work)
{
    release(work->hypothesis.ids);
    release(work->reference.ids);
    release(work->frequent);
    release(work->slanted);
    release(work->changes_memory);
    release(work->masks);
    vocabulary_free(&work->vocabulary);
}

Outcome edit_stats(Segments hypotheses, const Segments *references, size_t reference_count, int characters,
                   int64_t *rows, Call *call)
{
    Work work = {.call = call, .characters = characters};
    size_t ref_room = 1;
    for (size_t i = 0; i < reference_count; i++) {
        size_t most = most_units(references[i], characters, call);
        ref_room = most > ref_room ? most : ref_room;
    }
    size_t hyp_room = most_units(hypotheses, characters, call);
    Outcome outcome = call->stopped ? STOPPED : work_allocate(&work, hyp_room, ref_room);
    for (size_t i = 0; outcome == DONE && i < hypotheses.count; i++) {
        outcome = count_segment(&work, hypotheses, references, reference_count, i, rows + 2 * i);
    }
    work_free(&work);
    return outcome;
}
