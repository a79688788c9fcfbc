/* version.h - the version of these headers, and of the library that runs. configure reads both numbers here. */
#ifndef BIPE_VERSION_H
#define BIPE_VERSION_H

#ifdef __cplusplus
extern "C" {
#endif

#define BIPE_VERSION "0.1.0"
/* The version of the binary interface: one more when programs must be compiled again. A program that was compiled with
 * one ABI version runs with every library of that version. */
#define BIPE_ABI 1

/* BIPE_VERSION and BIPE_ABI as they were when the library was built. */
const char *bipe_version(void);
unsigned bipe_abi(void);

#ifdef __cplusplus
}
#endif
#endif
