// options: --distribute
void scale(double *x, int n);
void f(int n, double *A[n])
{
    for (int i = 0; i < n; i++)
        scale(A[i], n);
}

//! error 3:6 nothing says how large the tiles of 'A' are; write '#pragma twill tile(A, ELEMENTS)'
//! or --tile 'A=ELEMENTS'
