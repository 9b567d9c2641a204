/* Colours and widths, for people who look at a terminal. */
#include "command/terminal.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

int terminal_width(void)
{
    struct winsize size;
    if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0)
        return 0;
    return size.ws_col;
}

static bool has_colours(void)
{
    const char *forbidden = getenv("NO_COLOR"), *kind = getenv("TERM");
    return isatty(STDOUT_FILENO) && !(forbidden && *forbidden) && kind && strcmp(kind, "dumb") != 0;
}

void terminal_verdict(const char *word, int good)
{
    if (has_colours())
        printf("\033[1;%dm%s\033[0m", good ? 32 : 31, word);
    else
        fputs(word, stdout);
}

/* Where the line ends: before a blank, or the first word when that alone is too long. */
static size_t line_length(const char *text, int room)
{
    size_t length = strlen(text), fits = room > 0 ? (size_t)room : 0;
    if (length <= fits)
        return length;
    for (size_t i = fits; i > 0; i--)
        if (text[i] == ' ')
            return i;
    return strcspn(text, " ");
}

void terminal_wrap(const char *text, int used, int indent)
{
    enum { NARROWEST = 20 }; /* for the text; with less, lines are left to the terminal */
    int width = terminal_width();
    bool wraps = width >= indent + NARROWEST;
    while (wraps && *text) {
        size_t length = line_length(text, width - used);
        printf("%.*s", (int)length, text);
        text += length;
        text += strspn(text, " ");
        if (*text)
            printf("\n%*s", indent, "");
        used = indent;
    }
    printf("%s\n", text);
}
