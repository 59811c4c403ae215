/* Blocks of 64 bytes as bits: which of them a tokenizer has to look at. With vectors of 16 bytes, as SSE2 and NEON have
 * them on every x86-64 and arm64, a block takes a few dozen steps. */
#ifndef BLEU_BLOCKS_H
#define BLEU_BLOCKS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define BLOCK ((size_t)64)
/* A token is copied in pieces of this size, so this many bytes after a block can be read, and written, too. */
#define SLACK ((size_t)16)

/* Where to read a block from: `at` or, if less can be read there, `copy`, in which zeros follow what can. */
static inline const unsigned char *whole_block(const unsigned char *at, const unsigned char *readable,
                                               unsigned char copy[BLOCK + SLACK])
{
    size_t left = (size_t)(readable - at);
    if (left >= BLOCK + SLACK) {
        return at;
    }
    memset(copy, 0, BLOCK + SLACK);
    memcpy(copy, at, left);
    return copy;
}

static inline int64_t count_bits(uint64_t bits)
{
    bits -= bits >> 1 & UINT64_C(0x5555555555555555);
    bits = (bits & UINT64_C(0x3333333333333333)) + (bits >> 2 & UINT64_C(0x3333333333333333));
    bits = (bits + (bits >> 4)) & UINT64_C(0x0F0F0F0F0F0F0F0F);
    return (int64_t)(bits * UINT64_C(0x0101010101010101) >> 56);
}

/* The bits before a place. */
static inline uint64_t bits_before(size_t place)
{
    return place < 64 ? (UINT64_C(1) << place) - 1 : ~UINT64_C(0);
}

#if defined(__GNUC__) && defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define HAS_VECTORS

/* Tests set all bits of the bytes for which they hold. */
typedef unsigned char Bytes __attribute__((vector_size(16)));

static inline Bytes load_bytes(const unsigned char *at)
{
    Bytes bytes;
    memcpy(&bytes, at, sizeof bytes);
    return bytes;
}

static inline Bytes bytes_between(Bytes bytes, unsigned char first, unsigned char last)
{
    return (Bytes)(bytes - first <= (unsigned char)(last - first));
}

static inline Bytes bytes_equal(Bytes bytes, unsigned char byte)
{
    return (Bytes)(bytes == byte);
}

#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* The highest bit of each byte. */
static inline uint64_t bits_of(Bytes test)
{
#ifdef __SSE2__
    return (uint64_t)_mm_movemask_epi8((__m128i)test);
#else
    const uint64_t highest = UINT64_C(0x8080808080808080), gather = UINT64_C(0x0002040810204081);
    uint64_t words[2];
    memcpy(words, &test, sizeof words);
    return ((words[0] & highest) * gather) >> 56 | ((words[1] & highest) * gather) >> 56 << 8;
#endif
}

static inline size_t first_bit(uint64_t bits)
{
    return (size_t)__builtin_ctzll(bits);
}
#else
static inline size_t first_bit(uint64_t bits)
{
    size_t place = 0;
    for (; (bits & 0xFF) == 0; bits >>= 8) {
        place += 8;
    }
    for (; (bits & 1) == 0; bits >>= 1) {
        place++;
    }
    return place;
}
#endif

#endif
