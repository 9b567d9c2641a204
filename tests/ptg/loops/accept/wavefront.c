/* Smith-Waterman: a wavefront from a corner */
// values: m=6 n=5
// call: wavefront(6, 5, H)
#include "ptg/loops/kernels.h"

void wavefront(int m, int n, tile H[16][16])
{
    if (m <= 0 || n <= 0)
        return;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            if (i > 0 && j > 0)
                corner(&H[i - 1][j], &H[i][j - 1], &H[i - 1][j - 1], &H[i][j]);
            else if (i > 0)
                row(&H[i - 1][j], &H[i][j]);
            else if (j > 0)
                row(&H[i][j - 1], &H[i][j]);
            else
                step(&H[i][j]);
        }
}
