/* Figure 7 of the DAGuE paper. */
void dpotrf(double *T);
void dtrsm(const double *T, double *C);
void dsyrk(const double *A, double *T);
void dgemm(const double *A, const double *B, double *C);

void cholesky(int NT, double *A[NT][NT])
{
    for (int k = 0; k < NT; k++) {
        dpotrf(A[k][k]);
        for (int m = k + 1; m < NT; m++)
            dtrsm(A[k][k], A[m][k]);
        for (int n = k + 1; n < NT; n++) {
            dsyrk(A[n][k], A[n][n]);
            for (int m = n + 1; m < NT; m++)
                dgemm(A[m][k], A[n][k], A[m][n]);
        }
    }
}
