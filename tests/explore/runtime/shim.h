/* Included before every explored source file, which stays as it is: the names below are renamed in
 * it, and in the headers that declare them, so that the calls of explored code come to the runtime
 * while those of the C library and of hwloc do not. */
#ifndef EXPLORE_SHIM_H
#define EXPLORE_SHIM_H

/* instructions without a hook */
#define __builtin_ia32_pause explore_pause
#define __builtin_ia32_rdtsc explore_ticks
void explore_pause(void);
unsigned long long explore_ticks(void);

/* threads */
#define pthread_create explore_thread_create
#define pthread_join explore_thread_join
#define pthread_detach explore_thread_detach
#define pthread_exit explore_thread_exit
#define pthread_cancel explore_thread_cancel
#define pthread_once explore_once
#define pthread_key_create explore_key_create
#define pthread_key_delete explore_key_delete

/* locks and waits */
#define pthread_mutex_init explore_mutex_init
#define pthread_mutex_destroy explore_mutex_destroy
#define pthread_mutex_lock explore_mutex_lock
#define pthread_mutex_trylock explore_mutex_trylock
#define pthread_mutex_unlock explore_mutex_unlock
#define pthread_cond_wait explore_cond_wait
#define pthread_cond_timedwait explore_cond_timedwait
#define pthread_cond_clockwait explore_cond_clockwait
#define pthread_cond_signal explore_cond_signal
#define pthread_cond_broadcast explore_cond_broadcast
#define pthread_barrier_init explore_barrier_init
#define pthread_barrier_destroy explore_barrier_destroy
#define pthread_barrier_wait explore_barrier_wait
#define sem_init explore_sem_init
#define sem_destroy explore_sem_destroy
#define sem_wait explore_sem_wait
#define sem_trywait explore_sem_trywait
#define sem_timedwait explore_sem_timedwait
#define sem_post explore_sem_post

/* time and the system */
#define clock_gettime explore_clock_gettime
#define clock_nanosleep explore_clock_nanosleep
#define nanosleep explore_nanosleep
#define usleep explore_usleep
#define sleep explore_sleep
#define sched_yield explore_yield
#define syscall explore_syscall

/* memory */
#define malloc explore_malloc
#define calloc explore_calloc
#define realloc explore_realloc
#define aligned_alloc explore_aligned_alloc
#define posix_memalign explore_posix_memalign
#define strdup explore_strdup
#define strndup explore_strndup
#define free explore_free
#define mmap explore_mmap
#define munmap explore_munmap
#define madvise explore_madvise
#define memset explore_memset
#define memcpy explore_memcpy
#define memmove explore_memmove

#endif
