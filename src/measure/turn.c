/* turn.c - see turn.h. */
#include "config.h"

#include "measure/turn.h"

void bipe_turn_open(bipe_turn *t)
{
    *t = (bipe_turn){.taken = false};
    atomic_init(&t->alone, false);
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->changed, NULL);
}

void bipe_turn_close(bipe_turn *t)
{
    pthread_cond_destroy(&t->changed);
    pthread_mutex_destroy(&t->lock);
}

bool bipe_turn_try(bipe_turn *t)
{
    pthread_mutex_lock(&t->lock);
    bool got = !t->taken;
    t->taken = true;
    pthread_mutex_unlock(&t->lock);
    return got;
}

void bipe_turn_take(bipe_turn *t)
{
    pthread_mutex_lock(&t->lock);
    while (t->taken)
        pthread_cond_wait(&t->changed, &t->lock);
    t->taken = true;
    pthread_mutex_unlock(&t->lock);
}

void bipe_turn_stand_alone(bipe_turn *t)
{
    atomic_store_explicit(&t->alone, true, memory_order_relaxed);
}

void bipe_turn_wait(bipe_turn *t)
{
    pthread_mutex_lock(&t->lock);
    while (bipe_turn_is_alone(t))
        pthread_cond_wait(&t->changed, &t->lock);
    pthread_mutex_unlock(&t->lock);
}

void bipe_turn_give(bipe_turn *t)
{
    pthread_mutex_lock(&t->lock);
    t->taken = false;
    atomic_store_explicit(&t->alone, false, memory_order_relaxed);
    pthread_cond_broadcast(&t->changed);
    pthread_mutex_unlock(&t->lock);
}
