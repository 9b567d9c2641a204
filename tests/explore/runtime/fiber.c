/* Fibers on the memory of sleeping threads. x86-64 only. */
#include "fiber.h"

#include "clock.h"
#include "layout.h"

#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef __x86_64__
#error "the explorer runs on x86-64 only"
#endif

enum { STACK_BYTES = 1 << 20, HEAD_ROOM = 4096 };

static struct {
    uintptr_t local;
    char *top;
} pool[EX_THREADS];
static pthread_barrier_t ready;

/* thread-local variables of the program itself: they end where the thread pointer points */
static struct {
    const void *image;
    size_t filled, bytes;
} locals;

static void *sleeper(void *arg)
{
    int i = (int)(intptr_t)arg;
    pool[i].local = (uintptr_t)pthread_self();
    pool[i].top = (char *)__builtin_frame_address(0) - HEAD_ROOM;
    pthread_barrier_wait(&ready);
    for (;;)
        pause();
    return NULL;
}

static int find_locals(struct dl_phdr_info *info, size_t size, void *arg)
{
    (void)size, (void)arg;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        if (p->p_type != PT_TLS)
            continue;
        locals.image = (const void *)(info->dlpi_addr + p->p_vaddr);
        locals.filled = p->p_filesz;
        locals.bytes = (p->p_memsz + p->p_align - 1) / p->p_align * p->p_align;
    }
    return 1; /* the first one is the program */
}

void ex_fibers_make(void)
{
    enum { HWCAP2_FSGSBASE_BIT = 2 };
    if (!(getauxval(AT_HWCAP2) & HWCAP2_FSGSBASE_BIT)) {
        fputs("explore: this processor or kernel does not let programs set fs\n", stderr);
        exit(77);
    }
    dl_iterate_phdr(find_locals, NULL);
    pthread_barrier_init(&ready, NULL, EX_THREADS + 1);
    for (int i = 0; i < EX_THREADS; i++) {
        char *stack = (char *)EX_STACKS + (size_t)i * STACK_BYTES;
        pthread_attr_t attr;
        pthread_t id;
        pthread_attr_init(&attr);
        if (mmap(stack, STACK_BYTES, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) != stack ||
            pthread_attr_setstack(&attr, stack, STACK_BYTES) ||
            pthread_create(&id, &attr, sleeper, (void *)(intptr_t)i)) {
            perror("explore: cannot make a stack");
            exit(2);
        }
        pthread_attr_destroy(&attr);
    }
    pthread_barrier_wait(&ready);
}

/* Callee-saved registers stay on the stack that is left. */
void ex_fiber_swap(void **save, void *sp, uintptr_t local);
__asm__(".text\n.type ex_fiber_swap, @function\nex_fiber_swap:\n"
        "push %rbp\n push %rbx\n push %r12\n push %r13\n push %r14\n push %r15\n"
        "mov %rsp, (%rdi)\n mov %rsi, %rsp\n wrfsbase %rdx\n"
        "pop %r15\n pop %r14\n pop %r13\n pop %r12\n pop %rbx\n pop %rbp\n ret\n"
        ".size ex_fiber_swap, .-ex_fiber_swap\n");

void ex_fiber_begin(ex_fiber *fiber, int i, void (*entry)(void))
{
    fiber->local = pool[i].local;
    fiber->top = (char *)((uintptr_t)pool[i].top & ~(uintptr_t)15);
    char *mine = (char *)fiber->local - locals.bytes;
    memcpy(mine, locals.image, locals.filled);
    memset(mine + locals.filled, 0, locals.bytes - locals.filled);
    void **sp = (void **)fiber->top;
    *--sp = NULL; /* nobody to return to */
    *--sp = (void *)(uintptr_t)entry;
    for (int registers = 0; registers < 6; registers++)
        *--sp = NULL;
    fiber->sp = sp;
}

void ex_fiber_switch(ex_fiber *from, const ex_fiber *to)
{
    ex_fiber_swap(&from->sp, to->sp, to->local);
}
