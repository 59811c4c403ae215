/* WER and CER: Levenshtein distances of words or characters; kernels/python_edits.py explains.
 *
 * The table of distances is filled strip by strip, 64 words of the reference at a time, each from left to right. So the
 * places of words need bits for only one strip, and memory is linear in the length of the texts, not quadratic. If the
 * texts are alike, time is linear too: of each strip, only the columns that a path with few edits can reach are
 * filled. */
#include "bits.h"
#include "tokens.h"

#include <string.h>

/* Code points below this are their own ids; the others get the ids after these. All fit into 21 bits. */
#define FREQUENT 0x800
#define MOST_CHARACTERS ((size_t)1 << 21)
/* The rough times to read a word or a character, and to fill a column of a strip. */
#define UNIT_TIME 16
#define COLUMN_TIME 4
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
    signed char *steps; /* of each column: its distance minus that of the one before, in the last row */
    uint64_t *masks;    /* by id: its places in the strip; all 0 between strips */
    uint32_t unknown;   /* the id of what is not in the reference, whose mask is always 0 */
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
            size_t size = character_length(at, end);
            units->ids[units->size++] = character_id(work, code_point(at, size), add);
            at += size;
        }
    }
}

static void read_words(Work *work, Text text, Units *units, int add)
{
    Token word;
    while (next_word(&text.at, text.end, &word) && goes_on(work->call, UNIT_TIME + word.size)) {
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

/* --- distances ---------------------------------------------------------------------------------------------------- */

/* Fill the columns `from` to `to` of a strip of up to 64 rows; 0 if the call is stopped. */
static int fill_strip(Work *work, const uint32_t *reference, size_t rows, size_t from, size_t to)
{
    Bits bits = {~UINT64_C(0), 0}; /* left of the first column, costs rise from row to row */
    uint64_t last = UINT64_C(1) << (rows - 1);
    for (size_t row = 0; row < rows; row++) {
        work->masks[reference[row]] |= UINT64_C(1) << row;
    }
    while (from < to) {
        size_t end = to - from > STRIDE ? from + STRIDE : to;
        if (!goes_on(work->call, (end - from) * COLUMN_TIME)) {
            return 0;
        }
        for (; from < end; from++) {
            uint64_t equal = work->masks[work->columns[from]];
            work->steps[from] = (signed char)advance(&bits, equal, work->steps[from], last);
        }
    }
    for (size_t row = 0; row < rows; row++) {
        work->masks[reference[row]] = 0;
    }
    return 1;
}

/* The distance if it is at most `most`; otherwise a number above `most`, and no smaller than the distance. `most` is at
 * least the difference of the lengths.
 *
 * With `most` edits, a path strays below the diagonal by `below` rows at most, and beyond it by `beyond` columns:
 * insertions and deletions are at most `most` together, and the difference of their numbers is that of the lengths.
 * What is not filled counts as if it could be reached only from the left and from above: costs there are too high,
 * never too low. `cost` is the distance in a strip's last row, at its first column. */
static int64_t distance_within(Work *work, Units hypothesis, Units reference, size_t most)
{
    size_t longer = reference.size > hypothesis.size ? reference.size - hypothesis.size : 0;
    size_t shorter = hypothesis.size > reference.size ? hypothesis.size - reference.size : 0;
    size_t below = (most + longer - shorter) / 2, beyond = (most + shorter - longer) / 2, from = 0;
    int64_t cost = 0;
    work->columns = hypothesis.ids;
    memset(work->steps, 1, hypothesis.size);
    for (size_t row = 0; row < reference.size; row += 64) {
        size_t rows = reference.size - row < 64 ? reference.size - row : 64;
        size_t to = row + rows + beyond < hypothesis.size ? row + rows + beyond : hypothesis.size;
        for (; from + below < row; from++) {
            cost += work->steps[from];
        }
        cost += (int64_t)rows;
        if (!fill_strip(work, reference.ids + row, rows, from, to)) {
            return 0;
        }
    }
    for (; from < hypothesis.size; from++) {
        cost += work->steps[from];
    }
    return cost;
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
    size_t distance = (size_t)distance_within(work, hypothesis, reference, most);
    while (distance > most && !work->call->stopped) {
        most = distance < 2 * most ? distance : 2 * most; /* `distance` is an upper bound */
        distance = (size_t)distance_within(work, hypothesis, reference, most);
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
    work->steps = allocate(hyp_room, 1);
    work->masks = allocate((size_t)work->unknown + 1, sizeof(uint64_t));
    if (vocabulary_start(&work->vocabulary, work->different, &work->call->secrets) != DONE || work->steps == NULL ||
        work->hypothesis.ids == NULL || work->reference.ids == NULL || work->masks == NULL) {
        return NO_MEMORY;
    }
    memset(work->masks, 0, ((size_t)work->unknown + 1) * sizeof(uint64_t));
    return DONE;
}

static void work_free(Work *work)
{
    release(work->hypothesis.ids);
    release(work->reference.ids);
    release(work->steps);
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
