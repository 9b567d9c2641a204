int factor(double *x);
int f(int n, double *A[n])
{
    for (int i = 0; i < n; i++) {
        int info = factor(A[i]);
        if (info)
            return info;
    }
    return 0;
}

//! error 5:13 'factor(A[i])' calls a function, whose value is not known
