// Vectors of the widest register that the including file is compiled for, and
// functions of them. Everything is static: files of different x86-64 levels
// must not share code.
#ifndef TRIREME_RUNTIME_CPU_VECTOR_MATH_H
#define TRIREME_RUNTIME_CPU_VECTOR_MATH_H

#include <cstdint>

namespace trireme::runtime {
namespace {

#ifdef __AVX512F__
constexpr int VectorLanes = 16;
#else
constexpr int VectorLanes = 8;
#endif
typedef float Vector __attribute__((vector_size(4 * VectorLanes)));
typedef int32_t IntVector __attribute__((vector_size(4 * VectorLanes)));

inline Vector load(const float *from) {
  Vector value;
  __builtin_memcpy(&value, from, sizeof value);
  return value;
}
inline IntVector load(const int32_t *from) {
  IntVector value;
  __builtin_memcpy(&value, from, sizeof value);
  return value;
}
inline void store(float *to, Vector value) {
  __builtin_memcpy(to, &value, sizeof value);
}
inline Vector splat(float value) { return value - Vector{}; }
inline Vector larger(Vector a, Vector b) { return a > b ? a : b; }
inline Vector smaller(Vector a, Vector b) { return a < b ? a : b; }

/// e^x, within 1 ulp; below -87.3 the result is 0, above 88.7 infinite.
inline Vector exponential(Vector x) {
  // x = n ln 2 + r, |r| <= ln 2 / 2; adding 1.5 * 2^23 rounds to a whole n.
  const Vector shift = splat(0x1.8p23f);
  Vector n = (smaller(larger(x, splat(-90.0f)), splat(90.0f)) *
                  splat(1.44269504088896341f) +
              shift) -
             shift;
  Vector r = x - n * splat(0.693145751953125f);
  r = r - n * splat(1.428606765330187045e-06f);
  Vector p = splat(0.000198527617612853646278381f);
  p = p * r + splat(0.00139304355252534151077271f);
  p = p * r + splat(0.00833336077630519866943359f);
  p = p * r + splat(0.0416664853692054748535156f);
  p = p * r + splat(0.166666671633720397949219f);
  p = p * r + splat(0.5f);
  p = (p * r) * r + r + splat(1.0f);
  // 2^n in two factors, so that no exponent overflows on the way.
  IntVector whole = __builtin_convertvector(n, IntVector);
  IntVector half = whole >> 1, rest = whole - half;
  Vector result =
      p * (Vector)((half + 127) << 23) * (Vector)((rest + 127) << 23);
  result = x < splat(-87.3f) ? Vector{} : result;
  return x > splat(88.722839f) ? splat(__builtin_inff()) : result;
}

/// tanh x, within 2 ulp.
inline Vector tangent(Vector x) {
  Vector square = x * x;
  Vector p = splat(-5.70498872745e-3f);
  p = p * square + splat(2.06390887954e-2f);
  p = p * square + splat(-5.37397155531e-2f);
  p = p * square + splat(1.33314422036e-1f);
  p = p * square + splat(-3.33332819422e-1f);
  Vector near = (p * square) * x + x;
  Vector size = x < Vector{} ? -x : x;
  Vector far =
      splat(1.0f) - splat(2.0f) / (exponential(size + size) + splat(1.0f));
  far = x < Vector{} ? -far : far;
  return size < splat(0.625f) ? near : far;
}

} // namespace
} // namespace trireme::runtime

#endif // TRIREME_RUNTIME_CPU_VECTOR_MATH_H
