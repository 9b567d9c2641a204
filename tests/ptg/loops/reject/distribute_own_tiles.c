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

//! error 7:1 the task may touch more than the tiles of its lists
