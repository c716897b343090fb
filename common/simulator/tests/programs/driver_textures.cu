// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// The driver API: arrays, copies from and to them, texture and surface objects in a module's kernel.
// nvcc: -lcuda
#include <cmath>
#include <vector>

#include "driver.h"

namespace {

/// to[y * n + x] = the texture at (x + 1, y + 1/2), and the surface's texel (x, y) is set to y.
constexpr const char* kCopyShifted = R"(
.version 7.0
.target sm_75
.address_size 64
.visible .entry shifted(.param .u64 texture, .param .u64 surface, .param .u64 to, .param .u32 n)
{
  .reg .b32 %r<8>;
  .reg .b64 %rd<8>;
  .reg .f32 %f<12>;
  .reg .b16 %rs<2>;
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %ctaid.x;
  ld.param.u64 %rd1, [texture];
  ld.param.u64 %rd2, [surface];
  ld.param.u64 %rd3, [to];
  ld.param.u32 %r3, [n];
  cvt.rn.f32.u32 %f1, %r1;
  cvt.rn.f32.u32 %f2, %r2;
  add.f32 %f3, %f1, 0f3F800000;
  add.f32 %f4, %f2, 0f3F000000;
  tex.2d.v4.f32.f32 {%f5, %f6, %f7, %f8}, [%rd1, {%f3, %f4}];
  mad.lo.u32 %r4, %r2, %r3, %r1;
  mul.wide.u32 %rd4, %r4, 4;
  add.u64 %rd5, %rd3, %rd4;
  st.global.f32 [%rd5], %f5;
  shl.b32 %r5, %r1, 1;
  cvt.u16.u32 %rs1, %r2;
  sust.b.2d.b16.trap [%rd2, {%r5, %r2}], {%rs1};
  ret;
}
)";

constexpr unsigned kWidth = 12, kHeight = 5;

void run(CUfunction kernel) {
  const CUDA_ARRAY_DESCRIPTOR plane{kWidth, kHeight, CU_AD_FORMAT_UNSIGNED_INT8, 1};
  CUarray array;
  DRIVER_OK(cuArrayCreate(&array, &plane));
  CUDA_ARRAY_DESCRIPTOR same{};
  DRIVER_OK(cuArrayGetDescriptor(&same, array));
  EXPECT(same.Width == kWidth && same.Height == kHeight && same.Format == CU_AD_FORMAT_UNSIGNED_INT8);
  CUDA_ARRAY3D_DESCRIPTOR writable{
      kWidth, kHeight, 0, CU_AD_FORMAT_SIGNED_INT16, 1, CUDA_ARRAY3D_SURFACE_LDST};
  CUarray target;
  DRIVER_OK(cuArray3DCreate(&target, &writable));
  CUDA_ARRAY3D_DESCRIPTOR same_3d{};
  DRIVER_OK(cuArray3DGetDescriptor(&same_3d, target));
  EXPECT(same_3d.Flags == CUDA_ARRAY3D_SURFACE_LDST && same_3d.Depth == 0);

  std::vector<unsigned char> texels(kWidth * kHeight);
  for (size_t i = 0; i < texels.size(); i++) texels[i] = static_cast<unsigned char>(i * 4);
  CUDA_MEMCPY2D in{};
  in.srcMemoryType = CU_MEMORYTYPE_HOST;
  in.srcHost = texels.data();
  in.srcPitch = kWidth;
  in.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  in.dstArray = array;
  in.WidthInBytes = kWidth;
  in.Height = kHeight;
  DRIVER_OK(cuMemcpy2D(&in));

  CUDA_RESOURCE_DESC resource{};
  resource.resType = CU_RESOURCE_TYPE_ARRAY;
  resource.res.array.hArray = array;
  CUDA_TEXTURE_DESC how{};  // bytes are read as floats from 0 to 1
  how.addressMode[0] = how.addressMode[1] = CU_TR_ADDRESS_MODE_CLAMP;
  how.filterMode = CU_TR_FILTER_MODE_LINEAR;
  CUtexObject texture;
  DRIVER_OK(cuTexObjectCreate(&texture, &resource, &how, nullptr));
  CUDA_TEXTURE_DESC told{};
  DRIVER_OK(cuTexObjectGetTextureDesc(&told, texture));
  EXPECT(told.filterMode == CU_TR_FILTER_MODE_LINEAR && told.flags == 0);
  CUDA_RESOURCE_DESC of_surface{};
  of_surface.resType = CU_RESOURCE_TYPE_ARRAY;
  of_surface.res.array.hArray = target;
  CUsurfObject surface;
  DRIVER_OK(cuSurfObjectCreate(&surface, &of_surface));
  CUDA_RESOURCE_DESC back{};
  DRIVER_OK(cuSurfObjectGetResourceDesc(&back, surface));
  EXPECT(back.res.array.hArray == target);

  CUdeviceptr to;
  DRIVER_OK(cuMemAlloc(&to, kWidth * kHeight * 4));
  unsigned n = kWidth;
  void* arguments[] = {&texture, &surface, &to, &n};
  DRIVER_OK(cuLaunchKernel(kernel, kHeight, 1, 1, kWidth, 1, 1, 0, nullptr, arguments, nullptr));
  std::vector<float> got(kWidth * kHeight);
  DRIVER_OK(cuMemcpyDtoH(got.data(), to, got.size() * 4));
  for (unsigned y = 0; y < kHeight; y++)
    for (unsigned x = 0; x < kWidth; x++) {
      const unsigned at = y * kWidth + x, next = x + 1 < kWidth ? at + 1 : at;
      EXPECT(std::fabs(got[at] - (texels[at] + texels[next]) / 510.0) < 1e-6);
    }
  std::vector<short> written(kWidth * kHeight, -1);
  CUDA_MEMCPY3D out{};
  out.srcMemoryType = CU_MEMORYTYPE_ARRAY;
  out.srcArray = target;
  out.dstMemoryType = CU_MEMORYTYPE_HOST;
  out.dstHost = written.data();
  out.dstPitch = kWidth * 2;
  out.WidthInBytes = kWidth * 2;
  out.Height = kHeight;
  out.Depth = 1;
  DRIVER_OK(cuMemcpy3D(&out));
  for (unsigned i = 0; i < kWidth * kHeight; i++) EXPECT_VALUE(i / kWidth, written[i]);
  out.Height = kHeight + 1;
  EXPECT_DRIVER(CUDA_ERROR_INVALID_VALUE, cuMemcpy3D(&out));

  DRIVER_OK(cuTexObjectDestroy(texture));
  DRIVER_OK(cuSurfObjectDestroy(surface));
  DRIVER_OK(cuArrayDestroy(array));
  DRIVER_OK(cuArrayDestroy(target));
  DRIVER_OK(cuMemFree(to));
}

/// Copies of runs of bytes, between arrays of one dimension and memory.
void lines() {
  const CUDA_ARRAY_DESCRIPTOR line{16, 0, CU_AD_FORMAT_FLOAT, 1};
  CUarray a, b;
  DRIVER_OK(cuArrayCreate(&a, &line));
  DRIVER_OK(cuArrayCreate(&b, &line));
  float from[16], to[16] = {};
  for (int i = 0; i < 16; i++) from[i] = static_cast<float>(i);
  DRIVER_OK(cuMemcpyHtoA(a, 0, from, sizeof from));
  DRIVER_OK(cuMemcpyAtoA(b, 0, a, 32, 32));
  CUdeviceptr d;
  DRIVER_OK(cuMemAlloc(&d, 16));
  DRIVER_OK(cuMemcpyAtoD(d, b, 4, 16));
  DRIVER_OK(cuMemcpyDtoA(b, 32, d, 16));
  DRIVER_OK(cuMemcpyAtoH(to, b, 0, 48));
  for (int i = 0; i < 8; i++) EXPECT_VALUE(i + 8, to[i]);
  for (int i = 8; i < 12; i++) EXPECT_VALUE(i + 1, to[i]);
  DRIVER_OK(cuMemFree(d));
  DRIVER_OK(cuArrayDestroy(a));
  DRIVER_OK(cuArrayDestroy(b));
}

void levels() {
  const CUDA_ARRAY3D_DESCRIPTOR plane{8, 4, 0, CU_AD_FORMAT_HALF, 2, 0};
  CUmipmappedArray mipmapped;
  DRIVER_OK(cuMipmappedArrayCreate(&mipmapped, &plane, 3));
  CUarray level;
  DRIVER_OK(cuMipmappedArrayGetLevel(&level, mipmapped, 2));
  CUDA_ARRAY3D_DESCRIPTOR facts{};
  DRIVER_OK(cuArray3DGetDescriptor(&facts, level));
  EXPECT(facts.Width == 2 && facts.Height == 1 && facts.NumChannels == 2 &&
         facts.Format == CU_AD_FORMAT_HALF);
  DRIVER_OK(cuMipmappedArrayDestroy(mipmapped));
}

}  // namespace

int main() {
  DRIVER_OK(cuInit(0));
  CUcontext context;
  DRIVER_OK(cuCtxCreate(&context, nullptr, 0, 0));
  CUmodule module;
  CUfunction kernel;
  DRIVER_OK(cuModuleLoadData(&module, kCopyShifted));
  DRIVER_OK(cuModuleGetFunction(&kernel, module, "shifted"));
  run(kernel);
  lines();
  levels();
  DRIVER_OK(cuCtxDestroy(context));
  return 0;
}
