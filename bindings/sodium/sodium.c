/* libsodium's BLAKE2b, ChaCha20 and SHA-256, portable versions, in one unit; and the two functions
 * of its core that they call. */
#include <stdlib.h>
#include <string.h>

#define blake2b_IV blake2b_compress_IV
#include "crypto_generichash/blake2b/ref/blake2b-compress-ref.c"
#undef blake2b_IV
#include "crypto_generichash/blake2b/ref/blake2b-ref.c"
#include "crypto_generichash/blake2b/ref/generichash_blake2b.c"
#include "crypto_hash/sha256/cp/hash_sha256_cp.c"
#include "crypto_stream/chacha20/ref/chacha20_ref.c"

void sodium_misuse(void) { abort(); }

/* The compiler must take it that the bytes are read afterwards: it cannot leave the writes out. */
void sodium_memzero(void *const pnt, const size_t len) {
  memset(pnt, 0, len);
  __asm__ __volatile__("" : : "r"(pnt) : "memory");
}

int crypto_generichash(unsigned char *out, size_t outlen, const unsigned char *in,
                       unsigned long long inlen, const unsigned char *key, size_t keylen) {
  return crypto_generichash_blake2b(out, outlen, in, inlen, key, keylen);
}

int crypto_stream_chacha20(unsigned char *c, unsigned long long clen, const unsigned char *n,
                           const unsigned char *k) {
  return crypto_stream_chacha20_ref_implementation.stream(c, clen, n, k);
}
