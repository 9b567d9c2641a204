// options: --distribute
void scale(double *x, int n);
void f(int n, int nb, double *A)
{
    for (int i = 0; i < n; i++) {
#pragma omp task depend(inout : A [i * nb:nb])
        scale(&A[i * nb], nb);
#pragma omp task depend(inout : A [i * nb:n])
        scale(&A[i * nb], nb);
    }
}

//! error 3:6 nothing says how large the tiles of 'A' are
//! warning 8:1 sections of 'A' have different lengths
