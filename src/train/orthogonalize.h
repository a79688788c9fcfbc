/* orthogonalize.h - makes all singular values of a matrix nearly 1 (Jordan et al. 2024, "Muon").
 *
 * Five rounds of a quintic Newton-Schulz iteration, x <- a x + b (x x^T) x + c (x x^T)^2 x, whose coefficients raise
 * small values fast: singular values above 0.0015 of the norm end between 0.67 and 1.21. In f32, by the kernels of nn.
 * One thread does all of a matrix, so its digits do not depend on how many there are. */
#ifndef BIPE_TRAIN_ORTHOGONALIZE_H
#define BIPE_TRAIN_ORTHOGONALIZE_H

#include <stddef.h>

#include "nn/cpu.h"

/* Bytes of scratch for a matrix (rows, columns), a multiple of 64. */
size_t bipe_orthogonalize_scratch(const nn_cpu *cpu, size_t rows, size_t columns);

/* x (rows, columns) becomes the result. norm: of x (Frobenius), of which at least 1e-7 is taken; scratch is aligned to
 * 64. */
void bipe_orthogonalize(const nn_cpu *cpu, float *x, double norm, size_t rows, size_t columns, void *scratch);

#endif
