/* Softmax over the rows of a matrix, by the kernel of ../softmax.py: on the caller's thread, and on two threads that
 * share the grid. What comes out is compared with libm's, in double. */

#include "softmax_rows.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 1000, COLUMNS = 781 };

static float x[ROWS][COLUMNS], alone[ROWS][COLUMNS], shared[ROWS][COLUMNS];

struct Share {
  int64_t first, last;
  const char *wrong;
};

static void *runShare(void *argument) {
  struct Share *share = argument;
  /* Each thread has scratch memory of its own, if the kernel needs any. */
  void *scratch = aligned_alloc(64, (SOFTMAX_ROWS_SCRATCH_BYTES / 64 + 1) * 64);
  share->wrong = softmax_rows_programs(shared[0], x[0], COLUMNS, COLUMNS, COLUMNS, ROWS, 1, 1, share->first, share->last,
                                       scratch);
  free(scratch);
  return NULL;
}

static double largestError(float (*actual)[COLUMNS]) {
  double largest = 0;
  for (int row = 0; row < ROWS; ++row) {
    double sum = 0;
    for (int column = 0; column < COLUMNS; ++column)
      sum += exp(x[row][column]);
    for (int column = 0; column < COLUMNS; ++column)
      largest = fmax(largest, fabs(actual[row][column] - exp(x[row][column]) / sum));
  }
  return largest;
}

int main(void) {
  for (int row = 0; row < ROWS; ++row)
    for (int column = 0; column < COLUMNS; ++column)
      x[row][column] = (float)rand() / (float)RAND_MAX * 8 - 4;

  const char *wrong = softmax_rows(alone[0], x[0], COLUMNS, COLUMNS, COLUMNS, ROWS, 1, 1);
  if (wrong) {
    fprintf(stderr, "%s\n", wrong);
    return 1;
  }
  printf("one thread:  largest error %.1e\n", largestError(alone));

  struct Share shares[2] = {{0, ROWS / 2, NULL}, {ROWS / 2, ROWS, NULL}};
  pthread_t other;
  if (pthread_create(&other, NULL, runShare, &shares[1]) != 0)
    return 1;
  runShare(&shares[0]);
  pthread_join(other, NULL);
  for (int i = 0; i < 2; ++i)
    if (shares[i].wrong) {
      fprintf(stderr, "%s\n", shares[i].wrong);
      return 1;
    }
  printf("two threads: largest error %.1e\n", largestError(shared));
  return largestError(alone) < 1e-7 && largestError(shared) < 1e-7 ? 0 : 1;
}
