// options: --distribute --tile A=n
static double *A[16];

static void f(int n)
{
    for (int i = 0; i < n; i++) {
#pragma omp task depend(inout : A[i])
        {
            A[i][0] = i;
        }
    }
}

int main(void)
{
    f(3);
    return 0;
}

//! error 7:1 tiles that a task finds by itself stay on one rank
