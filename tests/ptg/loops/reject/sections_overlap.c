void scale(double *x, int n);
void f(int n, double *A)
{
    for (int i = 0; i < n; i++) {
#pragma omp task depend(inout : A [4 * i:4])
        scale(&A[4 * i], 4);
#pragma omp task depend(inout : A [4 * i + 2:4])
        scale(&A[4 * i + 2], 4);
    }
}

//! error 7:1 sections of 'A' overlap without being the same
