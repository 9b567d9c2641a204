/* Floyd-Warshall by tiles */
// values: n=4
// call: floyd(4, D)
#include "ptg/loops/kernels.h"

void floyd(int n, tile D[16][16])
{
    for (int k = 0; k < n; k++) {
        relax(&D[k][k]);
        for (int j = 0; j < n; j++)
            if (j != k) {
                row(&D[k][k], &D[k][j]);
                trsm(&D[k][k], &D[j][k]);
            }
        for (int i = 0; i < n; i++) {
            if (i == k)
                continue;
            for (int j = 0; j < n; j++)
                if (j != k)
                    minplus(&D[i][k], &D[k][j], &D[i][j]);
        }
    }
}
