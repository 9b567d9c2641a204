/* The picture of twill array: a panel for the first two dimensions, and one more for each block of
 * the others. */
#include "command/array.h"

#include <math.h>
#include <string.h>

enum {
    SIDE = 640,  /* points that the longer side of a panel gets */
    MARGIN = 28, /* around panels */
    LEGEND = 26, /* a line of the legend */
    PANELS = 64, /* at most, ACROSS in a row */
    ACROSS = 4,
    SHOWN = 12 /* ranks in the legend */
};

/* What is drawn where: dimension `down` is the rows, `right` the columns; -1: there is none. */
typedef struct picture {
    const twill_pattern *p;
    FILE *out;
    int down, right;
    double cell, width, height; /* of an element, and of a panel */
} picture;

static int64_t extent_of(const picture *x, int d)
{
    return d < 0 ? 1 : x->p->extent[d];
}

static int64_t blocks_of(const picture *x, int d)
{
    return d < 0 ? 1 : twill_pattern_blocks(x->p, d);
}

/* Colours far apart, however many ranks there are: turns of the golden angle. */
static void fill_of(int64_t rank, char text[32])
{
    double turn = fmod((double)rank * 0.38196601125, 1.0);
    snprintf(text, 32, "hsl(%.0f,%d%%,%d%%)", turn * 360, rank / 8 % 2 ? 45 : 65,
             rank / 16 % 2 ? 62 : 76);
}

static void draw_block(const picture *x, double left, double top, const int64_t *block)
{
    double from[2] = {0}, size[2] = {x->cell, x->cell};
    const int dims[2] = {x->right, x->down};
    char fill[32];
    for (int i = 0; i < 2; i++)
        if (dims[i] >= 0) {
            from[i] = (double)(block[dims[i]] * x->p->block[dims[i]]) * x->cell;
            size[i] = (double)twill_pattern_block_extent(x->p, dims[i], block[dims[i]]) * x->cell;
        }
    int64_t rank = twill_pattern_owner(x->p, block);
    double text = fmin(22, fmin(size[0], size[1]) * 0.6);
    fill_of(rank, fill);
    fprintf(x->out,
            "<g class=\"block\"><rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" "
            "fill=\"%s\" stroke=\"#333\"/>",
            left + from[0], top + from[1], size[0], size[1], fill);
    if (text >= 5)
        fprintf(x->out, "<text x=\"%.2f\" y=\"%.2f\" font-size=\"%.1f\">%lld</text>",
                left + from[0] + size[0] / 2, top + from[1] + size[1] / 2, text, (long long)rank);
    fputs("<title>block (", x->out);
    for (int d = 0; d < x->p->ndim; d++)
        fprintf(x->out, "%s%lld", d ? ", " : "", (long long)block[d]);
    fprintf(x->out, "): unit %lld, its number %lld</title></g>\n", (long long)rank,
            (long long)twill_pattern_lblock_number(x->p, block));
}

/* Thin lines between elements that are large enough to be seen. */
static void draw_elements(const picture *x, double left, double top)
{
    if (x->cell < 7)
        return;
    fputs("<path stroke=\"#333\" stroke-opacity=\"0.25\" d=\"", x->out);
    for (int64_t i = 1; i < extent_of(x, x->right); i++)
        fprintf(x->out, "M%.2f %.2fv%.2f", left + (double)i * x->cell, top, x->height);
    for (int64_t i = 1; i < extent_of(x, x->down); i++)
        fprintf(x->out, "M%.2f %.2fh%.2f", left, top + (double)i * x->cell, x->width);
    fputs("\"/>\n", x->out);
}

/* Where the panel is in the other dimensions. */
static void draw_title(const picture *x, double left, double top, const int64_t *block)
{
    if (x->p->ndim < 3)
        return;
    fprintf(x->out, "<text class=\"title\" x=\"%.2f\" y=\"%.2f\">[:, :", left, top - 8);
    for (int d = 2; d < x->p->ndim; d++) {
        int64_t first = block[d] * x->p->block[d];
        fprintf(x->out, ", %lld:%lld", (long long)first,
                (long long)(first + twill_pattern_block_extent(x->p, d, block[d])));
    }
    fputs("]</text>\n", x->out);
}

static void draw_panel(const picture *x, double left, double top, int64_t *block)
{
    for (int64_t i = 0; i < blocks_of(x, x->down); i++)
        for (int64_t j = 0; j < blocks_of(x, x->right); j++) {
            if (x->down >= 0)
                block[x->down] = i;
            block[x->right] = j;
            draw_block(x, left, top, block);
        }
    draw_elements(x, left, top);
    draw_title(x, left, top, block);
}

static void draw_legend(const picture *x, double top, int64_t ranks)
{
    char fill[32];
    for (int64_t r = 0; r < ranks; r++) {
        fill_of(r, fill);
        fprintf(x->out,
                "<rect x=\"%.1f\" y=\"%.1f\" width=\"14\" height=\"14\" fill=\"%s\" "
                "stroke=\"#333\"/><text class=\"title\" x=\"%.1f\" y=\"%.1f\">%lld</text>\n",
                MARGIN + (double)r * 48, top, fill, MARGIN + (double)r * 48 + 19, top + 11,
                (long long)r);
    }
}

static void open_picture(const picture *x, double width, double height)
{
    fprintf(x->out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
            "viewBox=\"0 0 %.0f %.0f\">\n<style>text{font-family:Helvetica,Arial,sans-serif;"
            "text-anchor:middle;dominant-baseline:central;fill:#222}.title{font-size:13px;"
            "text-anchor:start;dominant-baseline:auto}</style>\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
            width, height, width, height);
}

/* The next block of the dimensions that have no room in a panel. */
static bool next_panel(const twill_pattern *p, int64_t *block)
{
    for (int d = 2; d < p->ndim; d++) {
        if (++block[d] < twill_pattern_blocks(p, d))
            return true;
        block[d] = 0;
    }
    return false;
}

static void draw(picture *x)
{
    const twill_pattern *p = x->p;
    int64_t block[TWILL_DIMS] = {0}, panels = 1, elements = 1, ranks = twill_pattern_ranks(p);
    for (int d = 0; d < p->ndim; d++) {
        elements *= p->extent[d] > 0;
        panels *= d < 2 ? 1 : twill_pattern_blocks(p, d);
        panels = panels > PANELS ? PANELS : panels;
    }
    double longer = fmax((double)extent_of(x, x->right), (double)extent_of(x, x->down));
    x->cell = (panels > 1 ? SIDE / 2 : SIDE) / fmax(longer, 1);
    x->width = (double)extent_of(x, x->right) * x->cell;
    x->height = (double)extent_of(x, x->down) * x->cell;
    int64_t across = panels < ACROSS ? panels : ACROSS, rows = (panels + ACROSS - 1) / ACROSS;
    ranks = ranks < SHOWN ? ranks : SHOWN;
    double width = fmax((x->width + MARGIN) * (double)across + MARGIN, MARGIN + 48.0 * SHOWN);
    double top = (x->height + MARGIN) * (double)rows + MARGIN;
    open_picture(x, width, top + LEGEND);
    int64_t n = 0;
    do {
        double left = MARGIN + (x->width + MARGIN) * (double)(n % ACROSS);
        if (elements)
            draw_panel(x, left, MARGIN + (x->height + MARGIN) * (double)(n / ACROSS), block);
    } while (++n < panels && next_panel(p, block));
    draw_legend(x, top, ranks);
    fputs("</svg>\n", x->out);
}

bool array_draw(const twill_pattern *p, const char *path)
{
    FILE *out = fopen(path, "w");
    if (!out)
        return false;
    picture x = {.p = p, .out = out, .down = p->ndim > 1 ? 0 : -1, .right = p->ndim > 1 ? 1 : 0};
    draw(&x);
    bool fine = !ferror(out);
    return fclose(out) == 0 && fine;
}
