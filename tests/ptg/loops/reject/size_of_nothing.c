// options: --distribute --tile A=n --tile B=n
void scale(double *x, int n);
void f(int n, double *A[n])
{
    for (int i = 0; i < n; i++)
        scale(A[i], n);
}

//! error * f has no tiles of an array 'B' to give a size
