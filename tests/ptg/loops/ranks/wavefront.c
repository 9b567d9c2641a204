/* A wavefront over tiles that are structs, called as a program without tasks calls its kernels. */
// function: sweep
#include <stdio.h>

enum { N = 13 };
typedef struct block {
    unsigned long sum[9];
    char last;
} block;

static void corner(const block *up, const block *left, block *own, int i)
{
    for (int k = 0; k < 9; k++)
        own->sum[k] =
            own->sum[k] * 3 + up->sum[(k + 1) % 9] * 5 + left->sum[8 - k] + (unsigned long)i;
    own->last = (char)(up->last + left->last);
}

static void sweep(int n, block a[N][N])
{
    if (n < 2)
        return;
    for (int i = n - 1; i > 0; i--)
        for (int j = 1; j < n; j += 2)
            corner(&a[i - 1][j], &a[i][j - 1], &a[i][j], i);
    for (int d = 1; d < n; d++)
        corner(&a[d - 1][d], &a[0][d - 1], &a[d][d], 7);
}

int main(void)
{
    static block a[N][N];
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            a[i][j] = (block){{(unsigned long)(i * 7 + j), 3, 5, (unsigned long)j}, (char)i};
    sweep(N, a);
    sweep(1, a);
    sweep(5, a);
    unsigned long h = 0;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            for (int k = 0; k < 9; k++)
                h = (h ^ (a[i][j].sum[k] + (unsigned long)a[i][j].last)) * 0x9E3779B97F4A7C15ul;
    printf("%lx\n", h);
    return 0;
}
