void scale(double *x, int n);
#pragma twill tile(A)
void f(int n, double *A[n])
{
    for (int i = 0; i < n; i++)
        scale(A[i], n);
}

//! error 2:1 tile(A, ELEMENTS) says how large the tiles of A are, and is a pragma without other
//! clauses
