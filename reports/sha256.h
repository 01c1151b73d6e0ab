/* SPDX-License-Identifier: MIT
 * sha256.h -- SHA-256: how a page's policy names its script, and a batch the files it knows.
 */
#ifndef REPORTS_SHA256_H
#define REPORTS_SHA256_H

#include <stddef.h>
#include <stdint.h>

#define SHA256_BYTES  32
#define SHA256_BASE64 45 /* characters of the digest in base64, and a NUL */

void sha256(const void *bytes, size_t n, uint8_t digest[SHA256_BYTES]);
/* The digest in base64, as `'sha256-...'` of a Content-Security-Policy wants it; returns out. */
const char *sha256_base64(const void *bytes, size_t n, char out[SHA256_BASE64]);

#endif
