// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// cudaMemcpy2DToArray and its relatives. Offsets and widths count bytes. A `_ptds` twin works in the thread's
// own default stream.
#include <algorithm>

#include "simulator/runtime/array.h"
#include "simulator/runtime/copy.h"

using namespace roofline::sim;
using namespace roofline::sim::runtime;

namespace {

/// Where a copy begins, or ends up: memory, or an array.
struct End {
  const void* memory = nullptr;
  size_t pitch = 0;  ///< of memory
  cudaArray_const_t array = nullptr;
  size_t x = 0, y = 0;  ///< in the array; x in bytes
};

struct Corner {
  char* base = nullptr;
  size_t pitch = 0;
};

cudaError_t corner_of(Runtime& r, const End& end, size_t width, size_t height, Corner& corner) {
  if (!end.array) {
    corner = {static_cast<char*>(const_cast<void*>(end.memory)), end.pitch};
    return cudaSuccess;
  }
  const Array* const array = r.arrays.find(end.array);
  if (!array) return cudaErrorInvalidResourceHandle;
  const size_t row = array->row_bytes(), rows = array->level.height;
  if (end.x > row || width > row - end.x || end.y > rows || height > rows - end.y)
    return cudaErrorInvalidValue;
  corner = {reinterpret_cast<char*>(array->level.address + end.y * array->level.pitch + end.x),
            array->level.pitch};
  return cudaSuccess;
}

cudaError_t copy_rectangle(Runtime& r, const End& to, const End& from, size_t width, size_t height,
                           cudaMemcpyKind kind, cudaStream_t stream, bool async) {
  Corner target, source;
  if (const cudaError_t error = corner_of(r, to, width, height, target); error != cudaSuccess) return error;
  if (const cudaError_t error = corner_of(r, from, width, height, source); error != cudaSuccess) return error;
  return copy(r, {target.base, target.pitch, source.base, source.pitch, width, height, kind, stream, async});
}

cudaError_t rectangle(const End& to, const End& from, size_t width, size_t height, cudaMemcpyKind kind,
                      cudaStream_t stream = nullptr, bool async = false) {
  return api([&](Runtime& r) {
    const cudaError_t error = copy_rectangle(r, to, from, width, height, kind, stream, async);
    if (error == cudaSuccess && !async) r.connection().show_output();
    return error;
  });
}

/// Bytes until the end of the row, and on to the next.
size_t left_in_row(Runtime& r, const End& end, size_t count) {
  if (!end.array) return count;
  const Array* const array = r.arrays.find(end.array);
  return array && end.x < array->row_bytes() ? array->row_bytes() - end.x : count;
}
void advance(Runtime& r, End& end, size_t count) {
  if (!end.array) {
    end.memory = static_cast<const char*>(end.memory) + count;
    return;
  }
  end.x += count;
  const Array* const array = r.arrays.find(end.array);
  if (array && end.x == array->row_bytes()) {
    end.x = 0;
    ++end.y;
  }
}

/// Bytes one after the other; in an array they go on in the next row (a form of before CUDA 10.1).
cudaError_t run_of_bytes(End to, End from, size_t count, cudaMemcpyKind kind, cudaStream_t stream = nullptr,
                         bool async = false) {
  return api([&](Runtime& r) {
    cudaError_t error = cudaSuccess;
    while (count != 0 && error == cudaSuccess) {
      const size_t n = std::min({count, left_in_row(r, to, count), left_in_row(r, from, count)});
      error = copy_rectangle(r, to, from, n, 1, kind, stream, async);
      advance(r, to, n);
      advance(r, from, n);
      count -= n;
    }
    if (error == cudaSuccess && !async) r.connection().show_output();
    return error;
  });
}

}  // namespace

cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, const void* from, size_t pitch,
                                size_t width, size_t height, cudaMemcpyKind kind) {
  return rectangle({nullptr, 0, to, x, y}, {from, pitch}, width, height, kind);
}
ROOFLINE_EXPORT cudaError_t cudaMemcpy2DToArray_ptds(cudaArray_t to, size_t x, size_t y, const void* from,
                                                     size_t pitch, size_t width, size_t height,
                                                     cudaMemcpyKind kind) {
  return rectangle({nullptr, 0, to, x, y}, {from, pitch}, width, height, kind, cudaStreamPerThread);
}
cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x, size_t y, const void* from, size_t pitch,
                                     size_t width, size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
  return rectangle({nullptr, 0, to, x, y}, {from, pitch}, width, height, kind, stream, true);
}
ROOFLINE_EXPORT cudaError_t cudaMemcpy2DToArrayAsync_ptsz(cudaArray_t to, size_t x, size_t y,
                                                          const void* from, size_t pitch, size_t width,
                                                          size_t height, cudaMemcpyKind kind,
                                                          cudaStream_t stream) {
  return cudaMemcpy2DToArrayAsync(to, x, y, from, pitch, width, height, kind, per_thread(stream));
}

cudaError_t cudaMemcpy2DFromArray(void* to, size_t pitch, cudaArray_const_t from, size_t x, size_t y,
                                  size_t width, size_t height, cudaMemcpyKind kind) {
  return rectangle({to, pitch}, {nullptr, 0, from, x, y}, width, height, kind);
}
ROOFLINE_EXPORT cudaError_t cudaMemcpy2DFromArray_ptds(void* to, size_t pitch, cudaArray_const_t from,
                                                       size_t x, size_t y, size_t width, size_t height,
                                                       cudaMemcpyKind kind) {
  return rectangle({to, pitch}, {nullptr, 0, from, x, y}, width, height, kind, cudaStreamPerThread);
}
cudaError_t cudaMemcpy2DFromArrayAsync(void* to, size_t pitch, cudaArray_const_t from, size_t x, size_t y,
                                       size_t width, size_t height, cudaMemcpyKind kind,
                                       cudaStream_t stream) {
  return rectangle({to, pitch}, {nullptr, 0, from, x, y}, width, height, kind, stream, true);
}
ROOFLINE_EXPORT cudaError_t cudaMemcpy2DFromArrayAsync_ptsz(void* to, size_t pitch, cudaArray_const_t from,
                                                            size_t x, size_t y, size_t width, size_t height,
                                                            cudaMemcpyKind kind, cudaStream_t stream) {
  return cudaMemcpy2DFromArrayAsync(to, pitch, from, x, y, width, height, kind, per_thread(stream));
}

cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from,
                                     size_t from_x, size_t from_y, size_t width, size_t height,
                                     cudaMemcpyKind kind) {
  return rectangle({nullptr, 0, to, to_x, to_y}, {nullptr, 0, from, from_x, from_y}, width, height, kind);
}
ROOFLINE_EXPORT cudaError_t cudaMemcpy2DArrayToArray_ptds(cudaArray_t to, size_t to_x, size_t to_y,
                                                          cudaArray_const_t from, size_t from_x,
                                                          size_t from_y, size_t width, size_t height,
                                                          cudaMemcpyKind kind) {
  return rectangle({nullptr, 0, to, to_x, to_y}, {nullptr, 0, from, from_x, from_y}, width, height, kind,
                   cudaStreamPerThread);
}

cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y, const void* from, size_t count,
                              cudaMemcpyKind kind) {
  return run_of_bytes({nullptr, 0, to, x, y}, {from}, count, kind);
}
ROOFLINE_EXPORT cudaError_t cudaMemcpyToArray_ptds(cudaArray_t to, size_t x, size_t y, const void* from,
                                                   size_t count, cudaMemcpyKind kind) {
  return run_of_bytes({nullptr, 0, to, x, y}, {from}, count, kind, cudaStreamPerThread);
}
cudaError_t cudaMemcpyToArrayAsync(cudaArray_t to, size_t x, size_t y, const void* from, size_t count,
                                   cudaMemcpyKind kind, cudaStream_t stream) {
  return run_of_bytes({nullptr, 0, to, x, y}, {from}, count, kind, stream, true);
}
ROOFLINE_EXPORT cudaError_t cudaMemcpyToArrayAsync_ptsz(cudaArray_t to, size_t x, size_t y, const void* from,
                                                        size_t count, cudaMemcpyKind kind,
                                                        cudaStream_t stream) {
  return run_of_bytes({nullptr, 0, to, x, y}, {from}, count, kind, per_thread(stream), true);
}

cudaError_t cudaMemcpyFromArray(void* to, cudaArray_const_t from, size_t x, size_t y, size_t count,
                                cudaMemcpyKind kind) {
  return run_of_bytes({to}, {nullptr, 0, from, x, y}, count, kind);
}
ROOFLINE_EXPORT cudaError_t cudaMemcpyFromArray_ptds(void* to, cudaArray_const_t from, size_t x, size_t y,
                                                     size_t count, cudaMemcpyKind kind) {
  return run_of_bytes({to}, {nullptr, 0, from, x, y}, count, kind, cudaStreamPerThread);
}
cudaError_t cudaMemcpyFromArrayAsync(void* to, cudaArray_const_t from, size_t x, size_t y, size_t count,
                                     cudaMemcpyKind kind, cudaStream_t stream) {
  return run_of_bytes({to}, {nullptr, 0, from, x, y}, count, kind, stream, true);
}
ROOFLINE_EXPORT cudaError_t cudaMemcpyFromArrayAsync_ptsz(void* to, cudaArray_const_t from, size_t x,
                                                          size_t y, size_t count, cudaMemcpyKind kind,
                                                          cudaStream_t stream) {
  return run_of_bytes({to}, {nullptr, 0, from, x, y}, count, kind, per_thread(stream), true);
}

cudaError_t cudaMemcpyArrayToArray(cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from,
                                   size_t from_x, size_t from_y, size_t count, cudaMemcpyKind kind) {
  return run_of_bytes({nullptr, 0, to, to_x, to_y}, {nullptr, 0, from, from_x, from_y}, count, kind);
}
ROOFLINE_EXPORT cudaError_t cudaMemcpyArrayToArray_ptds(cudaArray_t to, size_t to_x, size_t to_y,
                                                        cudaArray_const_t from, size_t from_x, size_t from_y,
                                                        size_t count, cudaMemcpyKind kind) {
  return run_of_bytes({nullptr, 0, to, to_x, to_y}, {nullptr, 0, from, from_x, from_y}, count, kind,
                      cudaStreamPerThread);
}
