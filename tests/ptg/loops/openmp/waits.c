/* What only taskwait, taskgroup and the ends of regions order. */
// function: sums
#include <stdio.h>
#include <unistd.h>
enum { N = 6 };
static long a[N], b[N];
static void fill(int k)
{
    usleep(500);
    a[k] = a[k] * 3 + k + 1;
}
static void sum(int t)
{
    for (int k = 0; k < N; k++)
        b[t] = b[t] * 7 + a[k];
}
static void sums(int n)
{
    for (int t = 0; t < 3; t++) {
        for (int k = 0; k < n; k++) {
#pragma omp task depend(inout : a[k])
            fill(k);
        }
#pragma omp taskwait
#pragma omp task depend(inout : b[t])
        sum(t);
#pragma omp taskwait
    }
#pragma omp taskgroup
    for (int k = 0; k < n; k++) {
#pragma omp task depend(inout : a[k])
        fill(k);
    }
#pragma omp task depend(inout : b[3])
    sum(3);
#pragma omp taskwait
#pragma omp parallel
#pragma omp single
    for (int k = 0; k < n; k++) {
#pragma omp task depend(inout : a[k])
        fill(k);
    }
#pragma omp task depend(inout : b[4])
    sum(4);
#pragma omp taskwait
}
int main(void)
{
    sums(N);
    for (int t = 0; t < N; t++)
        printf("%ld\n", b[t]);
    return 0;
}
