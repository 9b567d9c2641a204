/* The memory that explored code allocates. */
#ifndef EX_HEAP_H
#define EX_HEAP_H

void ex_heap_open(void);
/* Ends the run when a block or a thread is left over. */
void ex_heap_close(void);

#endif
