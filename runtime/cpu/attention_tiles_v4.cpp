// Attention's tiles for x86-64-v4: AVX-512.
#define TRIREME_ATTENTION_TILES attentionTilesV4
#include "cpu/attention_tiles.inc"
