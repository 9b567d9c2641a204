void scale(double *x, int n);
void f(int n, int nb, double *A)
{
    for (int i = 0; i < n; i += nb)
        scale(&A[i], nb);
    for (int j = 0; j < n; j++)
        scale(&A[j], 1);
}

//! error 2:6 'A' is used in blocks of one size, and in others or by elements
