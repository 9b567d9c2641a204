/* Elements of the four types. Programs are compiled once for each, with TW_DOUBLE and TW_COMPLEX
 * defined or not; the files are put together by the build, this one first. */

#ifdef TW_DOUBLE
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
typedef double real;
typedef double2 real2;
typedef double8 real8;
typedef double16 real16;
#else
typedef float real;
typedef float2 real2;
typedef float8 real8;
typedef float16 real16;
#endif

#ifdef TW_COMPLEX
typedef real2 element;
#define IM(text) text
static element make(real x) { return (element)(x, 0); }
static real re(element a) { return a.x; }
static real im(element a) { return a.y; }
static element conjugate(element a) { return (element)(a.x, -a.y); }
static element times(element a, element b)
{
    return (element)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}
static real abs1(element a) { return fabs(a.x) + fabs(a.y); }
static bool is_zero(element a) { return a.x == 0 && a.y == 0; }
/* Without overflow on the way. */
static element over(element a, element b)
{
    real s = fmax(fabs(b.x), fabs(b.y));
    if (!(s > 0))
        return (element)(a.x / s, a.y / s);
    b /= s;
    return times(a / s, conjugate(b)) / (b.x * b.x + b.y * b.y);
}
#else
typedef real element;
#define IM(text)
static element make(real x) { return x; }
static real re(element a) { return a; }
static real im(element a) { return 0; }
static element conjugate(element a) { return a; }
static element times(element a, element b) { return a * b; }
static real abs1(element a) { return fabs(a); }
static bool is_zero(element a) { return a == 0; }
static element over(element a, element b) { return a / b; }
#endif

/* Flags, as call.h has them: how an operand is taken, and which part of a matrix. */
enum { PLAIN, TRANSPOSED, CONJUGATED };
enum { WHOLE, LOWER, UPPER, BELOW, ABOVE };
enum { GENERAL, SYMMETRIC, HERMITIAN, TRIANGULAR, UNIT_TRIANGULAR };

static bool is_in(int part, int i, int j)
{
    return part == WHOLE   ? true
           : part == LOWER ? i >= j
           : part == UPPER ? i <= j
           : part == BELOW ? i > j
                           : i < j;
}

#define GROUP(x, y) kernel __attribute__((reqd_work_group_size(x, y, 1))) void
