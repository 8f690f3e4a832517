/* Reads positions, and prints for each the chosen move and all logits, by the C player in player.h. */
#include <stdio.h>
#include <string.h>
#define QUARTO_PLAYER_IMPLEMENTATION
#include "player.h"
static quarto_memory memory;
int main(void) {
  char text[64];
  while (fgets(text, sizeof text, stdin)) {
    quarto_position p;
    int32_t logits[16];
    int64_t outcome[3];
    int i;
    text[strcspn(text, "\n")] = 0;
    if (quarto_parse(text, &p) != 0) { puts("illegal"); continue; }
    printf("%d", quarto_choose(&p, &memory));
    if (quarto_evaluate(&p, &memory, logits, outcome) != 0) { puts(" over"); continue; }
    for (i = 0; i < 16; ++i) printf(" %ld", (long)logits[i]);
    for (i = 0; i < 3; ++i) printf(" %lld", (long long)outcome[i]);
    printf("\n");
  }
  return 0;
}
