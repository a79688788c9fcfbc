/* version.h - which version of the library is running. */
#ifndef BIPE_BASE_VERSION_H
#define BIPE_BASE_VERSION_H

#ifdef __cplusplus
extern "C" {
#endif

/* As BIPE_VERSION and BIPE_ABI of <bipe/bipe.h> were when the library was built. A program that was compiled with one ABI version
 * runs with every library of that version. */
const char *bipe_version(void);
unsigned bipe_abi(void);

#ifdef __cplusplus
}
#endif
#endif
