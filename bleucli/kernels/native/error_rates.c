/* WER and CER: Levenshtein distances of words or characters; kernels/python_edits.py explains.
 *
 * The table of distances is filled strip by strip, 64 words of the reference at a time, each from left to right. Each
 * column needs the one before, so a processor waits most of the time if it fills one strip. Therefore some strips are
 * filled at once, each of them one column later than the strip above. The places of words need bits for only these
 * strips, and memory is linear in the length of the texts, not quadratic. If the texts are alike, time is linear too:
 * of each strip, only the columns that a path with few edits can reach are filled. */
#include "bits.h"
#include "tokens.h"

#include <string.h>

/* Code points below this are their own ids; the others get the ids after these. All fit into 21 bits. */
#define FREQUENT 0x800
#define MOST_CHARACTERS ((size_t)1 << 21)
/* The rough times to read a word or a character, and to fill a column of a strip. */
#define UNIT_TIME 16
#define COLUMN_TIME 4
/* The most strips that are filled at once, and their rows. */
#ifdef __GNUC__
#define STRIPS ((size_t)4)
#else
#define STRIPS ((size_t)1)
#endif
#define ROWS (64 * STRIPS)
/* After this many rows, look whether the distance can still be small enough. */
#define ROWS_TO_LOOK ((size_t)2048)
/* The number of edits to try first: texts of ordinary length have fewer. */
#define FEW_EDITS 512

/* A text as ids of its words or characters. */
typedef struct {
    uint32_t *ids;
    size_t size;
} Units;

typedef struct {
    Call *call;
    int characters;
    Vocabulary vocabulary; /* of the reference: at most `different` words or rarer characters */
    size_t different;
    Units hypothesis, reference;
    const uint32_t *columns; /* the part of the hypothesis that is compared */
    unsigned char *changes; /* of each column: how the cost changes from the one before, in the last row filled */
    uint64_t *masks[STRIPS]; /* by id: its places in each strip; all 0 between strips */
    uint32_t unknown;        /* the id of what is not in the reference, whose mask is always 0 */
} Work;

/* --- reading ------------------------------------------------------------------------------------------------------ */

static uint32_t character_id(Work *work, uint32_t code, int add)
{
    Table *table = &work->vocabulary.table;
    if (code < FREQUENT) {
        return code;
    }
    size_t slot = table_slot(table, code);
    uint32_t id = table_find(table, code, &slot);
    if (id == NONE && add) {
        id = table_insert(table, code, slot);
    }
    return id == NONE ? work->unknown : FREQUENT + id;
}

static void read_characters(Work *work, Text text, Units *units, int add)
{
    const unsigned char *at = text.at, *piece;
    size_t space = 1;
    while (space != 0 && at < text.end && (piece = piece_end(work->call, at, text.end)) != NULL) {
        while (at < piece && (space = space_length(at, text.end)) != 0) {
            at += space;
        }
    }
    const unsigned char *end = stripped_end(at, text.end);
    while (at < end && (piece = piece_end(work->call, at, end)) != NULL) {
        while (at < piece) {
            if (*at < 0x80) {
                units->ids[units->size++] = *at++;
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
        uint32_t id = token_id(&work->vocabulary, word, add);
        units->ids[units->size++] = id == NONE ? work->unknown : id;
    }
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

/* Fill the columns `from` to `to` of a single strip. */
static void fill_strip(Work *work, unsigned int last, size_t from, size_t to, Bits *bits)
{
    for (; from < to; from++) {
        uint64_t equal = work->masks[0][work->columns[from]];
        work->changes[from] = packed(advance(bits, equal, unpacked(work->changes[from]), last));
    }
}

#ifdef __GNUC__
/* The same of two strips side by side, as a vector; SSE2 and NEON, which have them, are always there on x86-64 and
 * arm64. */
typedef uint64_t Two __attribute__((vector_size(16)));

typedef struct {
    Two plus, minus; /* as in Bits */
    Two up, down;    /* of the columns filled last: where costs rise and fall from the column before */
} Pair;

/* As `advance`, for two blocks. */
static inline void advance_pair(Pair *pair, Two equal, Two rises, Two falls)
{
    Two plus = pair->plus, minus = pair->minus, vertical = equal | minus;
    equal |= falls;
    Two horizontal = (((equal & plus) + plus) ^ plus) | equal;
    Two up = minus | ~(horizontal | plus), down = plus & horizontal;
    pair->up = up;
    pair->down = down;
    up = up << 1 | rises;
    down = down << 1 | falls;
    pair->plus = down | ~(vertical | up);
    pair->minus = up & vertical;
}

/* The mask of a column. One that is not within `from` and `to` has no match: such columns leave a strip as it is before
 * its first column, and do no harm after its last. */
static inline uint64_t mask_at(const Work *work, size_t strip, size_t column, size_t from, size_t to)
{
    return work->masks[strip][column - from < to - from ? work->columns[column] : work->unknown];
}

/* Fill column `at` of the first strip, and of each other strip the column before that of the strip above. `last` is the
 * last row of the last strip. */
static inline void fill_slant(Work *work, Pair *pairs, size_t strips, unsigned int last, size_t at, size_t from,
                              size_t to)
{
    size_t last_pair = (strips - 1) / 2, column = at - (strips - 1);
    for (size_t i = last_pair + 1; i-- > 0;) { /* upwards, since each strip needs what the one above found before */
        Two equal = {mask_at(work, 2 * i, at - 2 * i, from, to), mask_at(work, 2 * i + 1, at - 2 * i - 1, from, to)};
        Two up = pairs[i].up >> 63, down = pairs[i].down >> 63;
        if (i > 0) {
            up = (Two){pairs[i - 1].up[1] >> 63, up[0]};
            down = (Two){pairs[i - 1].down[1] >> 63, down[0]};
        }
        else {
            Change above = at - from < to - from ? unpacked(work->changes[at]) : (Change){0, 0};
            up = (Two){above.rises, up[0]};
            down = (Two){above.falls, down[0]};
        }
        advance_pair(&pairs[i], equal, up, down);
    }
    if (column - from < to - from) {
        uint64_t up = pairs[last_pair].up[(strips - 1) % 2], down = pairs[last_pair].down[(strips - 1) % 2];
        work->changes[column] = packed((Change){up >> last & 1, down >> last & 1});
    }
}

/* Fill the slants `at` to `pause`; `strips` is a constant, so that compilers keep the pairs in registers. */
static inline void fill_slants(Work *work, Pair *pairs, size_t strips, unsigned int last, size_t at, size_t pause,
                               size_t from, size_t to)
{
    for (; at < pause && at < from + strips - 1; at++) {
        fill_slant(work, pairs, strips, last, at, from, to);
    }
    for (; at < pause && at < to; at++) { /* all columns are within `from` and `to` */
        fill_slant(work, pairs, strips, last, at, 0, SIZE_MAX);
    }
    for (; at < pause; at++) {
        fill_slant(work, pairs, strips, last, at, from, to);
    }
}
#endif

/* Fill the columns `from` to `to` of up to ROWS rows, a strip for every 64; 0 if the call is stopped. */
static int fill_rows(Work *work, const uint32_t *reference, size_t rows, size_t from, size_t to)
{
    size_t strips = (rows + 63) / 64;
    unsigned int last = (unsigned int)(rows - 1) % 64;
    Bits bits = {~UINT64_C(0), 0}; /* left of the first column, costs rise from row to row */
#ifdef __GNUC__
    Two all = {~UINT64_C(0), ~UINT64_C(0)};
    Pair pairs[STRIPS / 2] = {{.plus = all}, {.plus = all}};
#endif
    for (size_t row = 0; row < rows; row++) {
        work->masks[row / 64][reference[row]] |= UINT64_C(1) << row % 64;
    }
    for (size_t at = from, end = to + strips - 1, pause; at < end; at = pause) {
        pause = end - at > STRIDE ? at + STRIDE : end;
        if (!goes_on(work->call, (pause - at) * strips * COLUMN_TIME)) {
            return 0;
        }
        switch (strips) {
        case 1:
            fill_strip(work, last, at, pause, &bits);
            break;
#ifdef __GNUC__
        case 2:
            fill_slants(work, pairs, 2, last, at, pause, from, to);
            break;
        case 3:
            fill_slants(work, pairs, 3, last, at, pause, from, to);
            break;
        default:
            fill_slants(work, pairs, STRIPS, last, at, pause, from, to);
#endif
        }
    }
    for (size_t row = 0; row < rows; row++) {
        work->masks[row / 64][reference[row]] = 0;
    }
    return 1;
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

/* How many edits to try if there are more than `most`: a bit more than the filled rows let expect, but not so many that
 * time is wasted if only these rows differ much. */
static size_t next_most(size_t most, double expected)
{
    double next = expected * 1.125;
    return next < 2.0 * (double)most ? 2 * most : next > 8.0 * (double)most ? 8 * most : (size_t)next;
}

/* The distance if it is at most `most`; otherwise a larger number, to try next. `most` is at least the difference of
 * the lengths.
 *
 * With `most` edits, a path strays below the diagonal by `below` rows at most, and beyond it by `beyond` columns:
 * insertions and deletions are at most `most` together, and the difference of their numbers is that of the lengths.
 * What is not filled counts as if it could be reached only from the left and from above: costs there are too high,
 * never too low. `cost` is the distance in the last row that was filled, at its first column. */
static size_t distance_within(Work *work, Units hypothesis, Units reference, size_t most)
{
    size_t longer = reference.size > hypothesis.size ? reference.size - hypothesis.size : 0;
    size_t shorter = hypothesis.size > reference.size ? hypothesis.size - reference.size : 0;
    size_t below = (most + longer - shorter) / 2, beyond = (most + shorter - longer) / 2, from = 0;
    int64_t cost = 0;
    work->columns = hypothesis.ids;
    memset(work->changes, 1, hypothesis.size); /* above the first row, each word is one more insertion */
    for (size_t row = 0; row < reference.size; row += ROWS) {
        size_t rows = reference.size - row < ROWS ? reference.size - row : ROWS;
        size_t to = row + rows + beyond < hypothesis.size ? row + rows + beyond : hypothesis.size;
        for (; from + below < row; from++) {
            cost += change_of(unpacked(work->changes[from]));
        }
        cost += (int64_t)rows;
        if (!fill_rows(work, reference.ids + row, rows, from, to)) {
            return 0;
        }
        size_t filled = row + rows;
        if (filled % ROWS_TO_LOOK == 0) {
            size_t least = (size_t)least_cost(work, cost, from, to);
            if (least > most) {
                return next_most(most, (double)least / (double)filled * (double)reference.size);
            }
        }
    }
    for (; from < hypothesis.size; from++) {
        cost += change_of(unpacked(work->changes[from]));
    }
    /* A cost above `most` is an upper bound of the distance */
    return (size_t)cost > 2 * most ? 2 * most : (size_t)cost;
}

/* The distance of two texts; meaningless once the call is stopped. */
static int64_t distance_of(Work *work)
{
    Units hypothesis = work->hypothesis, reference = work->reference;
    /* Words that both texts begin or end with cost nothing */
    while (hypothesis.size > 0 && reference.size > 0 && *hypothesis.ids == *reference.ids) {
        hypothesis = (Units){hypothesis.ids + 1, hypothesis.size - 1};
        reference = (Units){reference.ids + 1, reference.size - 1};
    }
    while (hypothesis.size > 0 && reference.size > 0 &&
           hypothesis.ids[hypothesis.size - 1] == reference.ids[reference.size - 1]) {
        hypothesis.size--;
        reference.size--;
    }
    size_t most = FEW_EDITS + (hypothesis.size > reference.size ? hypothesis.size - reference.size
                                                                : reference.size - hypothesis.size);
    size_t distance = distance_within(work, hypothesis, reference, most);
    while (distance > most && !work->call->stopped) {
        most = distance;
        distance = distance_within(work, hypothesis, reference, most);
    }
    return (int64_t)distance;
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
        vocabulary_clear(&work->vocabulary, work->different);
        read_units(work, reference, &work->reference, 1);
        read_units(work, text_at(hypotheses, index), &work->hypothesis, 0);
        int64_t edits = distance_of(work);
        if (!goes_on(work->call, UNIT_TIME)) {
            return STOPPED;
        }
        if (!found || edits < row[0]) {
            row[0] = edits;
            row[1] = (int64_t)work->reference.size;
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
    if (hyp_room >= NONE / 2 || ref_room >= NONE / 2) {
        return NO_MEMORY;
    }
    work->different = work->characters && ref_room > MOST_CHARACTERS ? MOST_CHARACTERS : ref_room;
    work->unknown = (uint32_t)(work->different + (work->characters ? FREQUENT : 0));
    work->hypothesis.ids = allocate(hyp_room, sizeof(uint32_t));
    work->reference.ids = allocate(ref_room, sizeof(uint32_t));
    work->changes = allocate(hyp_room, 1);
    size_t ids = (size_t)work->unknown + 1, strips = ref_room <= 64 ? 1 : ref_room <= 128 ? 2 : 4; /* one, or pairs */
    strips = strips < STRIPS ? strips : STRIPS;
    uint64_t *masks = allocate(strips * ids, sizeof *masks);
    work->masks[0] = masks;
    if (vocabulary_start(&work->vocabulary, work->different, &work->call->secrets) != DONE || work->changes == NULL ||
        work->hypothesis.ids == NULL || work->reference.ids == NULL || masks == NULL) {
        return NO_MEMORY;
    }
    memset(masks, 0, strips * ids * sizeof *masks);
    for (size_t strip = 1; strip < strips; strip++) {
        work->masks[strip] = masks + strip * ids;
    }
    return DONE;
}

static void work_free(Work *work)
{
    release(work->hypothesis.ids);
    release(work->reference.ids);
    release(work->changes);
    release(work->masks[0]);
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
