// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <memory>
#include <vector>

#include "simulator/program/texture.h"
#include "simulator/runtime/copy_request.h"

namespace roofline::sim::runtime {

class Runtime;

/// What a cudaArray_t points to: one level of texels in device memory, row by row (program/texture.h).
struct Array {
  int device = 0;
  cudaChannelFormatDesc channels{};
  cudaExtent extent{};  ///< as the program gave it: 0 where there is no such dimension
  unsigned flags = 0;
  TexelFormat format;
  TexelLevel level;
  bool part = false;  ///< a level of a mipmapped array, which alone can be freed

  size_t row_bytes() const { return size_t{level.width} * format.bytes(); }
};

/// What a cudaMipmappedArray_t points to; the levels are arrays in one allocation.
struct MipmappedArray {
  int device = 0;
  std::vector<std::unique_ptr<Array>> levels;
};

/// A texture or surface object as the program described it.
struct Object {
  int device = 0;
  bool surface = false;
  cudaResourceDesc resource{};
  cudaTextureDesc texture{};
};

/// The arrays and objects of a program, of all its devices.
class Arrays {
 public:
  /// nullptr when the handle is none.
  Array* find(cudaArray_const_t handle);
  MipmappedArray* find(cudaMipmappedArray_const_t handle);
  cudaArray_t add(std::unique_ptr<Array> array);
  cudaMipmappedArray_t add(std::unique_ptr<MipmappedArray> array);
  void remove(cudaArray_t handle);
  void remove(cudaMipmappedArray_t handle);
  /// A device was reset.
  void forget(int device);

  std::map<u64, Object> objects;  ///< by the machine's number

 private:
  std::map<cudaArray_const_t, std::unique_ptr<Array>> arrays_;
  std::map<cudaArray_const_t, Array*> parts_;
  std::map<cudaMipmappedArray_const_t, std::unique_ptr<MipmappedArray>> mipmapped_;
};

/// The format of channels; cudaErrorInvalidChannelDescriptor, or cudaErrorNotSupported with a sentence.
cudaError_t format_of(Runtime& r, const cudaChannelFormatDesc& channels, TexelFormat& format);
/// What texels of an array are: a plane, a volume, layers, a cube.
TextureObject::Shape shape_of(const cudaExtent& extent, unsigned flags);

/// A copy in the terms of copy(): arrays become memory. With an array the extent counts its elements.
cudaError_t request_of(Runtime& r, const cudaMemcpy3DParms& p, CopyRequest& q);

}  // namespace roofline::sim::runtime
