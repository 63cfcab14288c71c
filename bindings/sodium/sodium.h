/* What the device's code uses of libsodium, where there is no libsodium to link: its own source,
 * from the npm package `sodium`, is compiled with it (sodium.c). */
#ifndef FUTURERAND_SODIUM_H
#define FUTURERAND_SODIUM_H

#include <sodium/crypto_generichash.h>
#include <sodium/crypto_hash_sha256.h>
#include <sodium/crypto_stream_chacha20.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

void sodium_memzero(void* pnt, size_t len);

#ifdef __cplusplus
}
#endif

#endif
