/* The C player on a bare Cortex-M: no C library, no operating system. positions.h has the positions. It prints each move with
 * the logits, as tests/support/c_player_main.c does, then the instructions of a move, by way of the debugger (semihosting). */
#define QUARTO_PLAYER_IMPLEMENTATION
#include "player.h"
#include "positions.h"

/* The four functions that a compiler may call without a library. */
void *memset(void *to, int byte, uint32_t size) {
  volatile uint8_t *p = to;
  while (size--) *p++ = (uint8_t)byte;
  return to;
}
void *memcpy(void *to, const void *from, uint32_t size) {
  volatile uint8_t *p = to;
  const uint8_t *q = from;
  while (size--) *p++ = *q++;
  return to;
}

extern uint32_t data_from[], data_to[], data_end[], bss[], bss_end[], stack_end[];
int main(void);

static void semihosting(uint32_t what, const void *with) {
  register uint32_t r0 __asm__("r0") = what;
  register const void *r1 __asm__("r1") = with;
  __asm__ volatile("bkpt 0xAB" : "+r"(r0) : "r"(r1) : "memory");
}
static void stop(int failed) {
  semihosting(0x18, (const void *)(failed ? 0x20023UL : 0x20026UL)); /* an internal error, or an exit */
  for (;;) {
  }
}
void reset(void) {
  uint32_t *from = data_from, *to;
  for (to = data_to; to < data_end;) *to++ = *from++;
  for (to = bss; to < bss_end;) *to++ = 0;
  stop(main());
}
void fault(void) { stop(1); }
static const struct {
  uint32_t *stack;
  void (*handlers[3])(void);
} vectors __attribute__((section(".vectors"), used)) = {stack_end, {reset, fault, fault}};

static void say(const char *text) { semihosting(4, text); }
static void say_number(int64_t number) {
  char text[24], *at = text + sizeof text;
  uint64_t rest = number < 0 ? (uint64_t)-number : (uint64_t)number;
  *--at = 0;
  do *--at = (char)('0' + rest % 10);
  while (rest /= 10);
  if (number < 0) *--at = '-';
  say(at);
}

/* SysTick counts down from 2^24 - 1. */
#define SYSTICK ((volatile uint32_t *)0xE000E010UL)
static quarto_memory memory;

int main(void) {
  uint64_t ticks = 0;
  uint32_t most = 0;
  unsigned i, m;
  SYSTICK[1] = 0xFFFFFFUL;
  SYSTICK[0] = 5;
  for (i = 0; i < sizeof positions / sizeof *positions; ++i) {
    quarto_position p;
    int32_t logits[16];
    int64_t outcome[3];
    uint32_t began, took;
    int move;
    if (quarto_parse(positions[i], &p) != 0) return 1;
    SYSTICK[2] = 0;
    began = SYSTICK[2];
    move = quarto_choose(&p, &memory);
    took = (began - SYSTICK[2]) & 0xFFFFFFUL;
    ticks += took;
    if (took > most) most = took;
    say_number(move);
    if (quarto_evaluate(&p, &memory, logits, outcome) != 0) return 1;
    for (m = 0; m < 16; ++m) say(" "), say_number(logits[m]);
    for (m = 0; m < 3; ++m) say(" "), say_number(outcome[m]);
    say("\n");
  }
  say("memory ");
  say_number(sizeof memory);
  say(" ticks ");
  say_number((int64_t)(ticks / (sizeof positions / sizeof *positions)));
  say(" most ");
  say_number(most);
  say("\n");
  return 0;
}
