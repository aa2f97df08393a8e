// Attention's tiles for x86-64-v3: AVX2 and FMA.
#define TRIREME_ATTENTION_TILES attentionTilesV3
#include "cpu/attention_tiles.inc"

// The sizes are the same at every level; they are defined here once.
static int64_t padded(int64_t size) { return (size + 15) / 16 * 16; }

int64_t trireme::runtime::forwardScratch(int64_t group, int64_t headDim) {
  int64_t rows = tileRows(group);
  return rows * (2 * headDim + KeyTile + 4);
}

int64_t trireme::runtime::backwardScratch(int64_t keys, int64_t group,
                                          int64_t headDim) {
  int64_t rows = tileRows(group), width = padded(headDim);
  return rows * (3 * headDim + 2 * width + 2 * KeyTile + 4) + 2 * keys * width;
}
