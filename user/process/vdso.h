/*
 * vdso: the code that the kernel maps into every 64-bit process, as a file. All processes of one
 * kernel have the same, so ours is copied.
 */
#ifndef SYMBOL_VDSO_H
#define SYMBOL_VDSO_H

/* A memfd with the vDSO's ELF image, the caller's to close; or -1. */
int vdso_open(void);

#endif
