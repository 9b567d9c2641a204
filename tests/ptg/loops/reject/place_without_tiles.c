// options: --distribute --tile A=n
void scale(double *x, int n);
void f(int n, double *A[n], double *B[n])
{
    for (int i = 0; i < n; i++)
#pragma twill on(B[i])
        scale(A[i], n);
}

//! error 7:9 no task uses a tile of 'B', so its tiles are on no ranks where this could run
