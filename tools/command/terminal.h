/* What standard output is: a terminal with colours and a width, or something that is read by
 * programs. */
#ifndef TERMINAL_H
#define TERMINAL_H

/* Columns of the terminal; 0 when it is none, and lines may be of any length. */
int terminal_width(void);

/* A word, "good" in green or else in red, on a terminal that has colours. NO_COLOR forbids them. */
void terminal_verdict(const char *word, int good);

/* Print `text` after something that has taken `used` columns. What goes beyond the width continues
 * on lines of its own that begin at column `indent`. Ends the last line. */
void terminal_wrap(const char *text, int used, int indent);

#endif
