// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// The driver API: allocations of every kind, copies of rectangles and volumes, fills, what is known about a
// pointer.
// nvcc: -lcuda
#include <vector>

#include "driver.h"

static void fills() {
  CUdeviceptr p;
  DRIVER_OK(cuMemAlloc(&p, 64));
  unsigned char bytes[64];
  DRIVER_OK(cuMemsetD8(p, 1, 64));
  DRIVER_OK(cuMemsetD16(p, 0x0203, 4));
  DRIVER_OK(cuMemsetD32(p + 16, 0x04050607, 2));
  DRIVER_OK(cuMemcpyDtoH(bytes, p, 64));
  EXPECT(bytes[0] == 3 && bytes[1] == 2 && bytes[7] == 2 && bytes[8] == 1);
  EXPECT(bytes[16] == 7 && bytes[19] == 4 && bytes[23] == 4 && bytes[24] == 1);
  DRIVER_OK(cuMemsetD2D16(p, 8, 0x0909, 2, 4));  // 4 rows of 4 bytes, 8 bytes apart
  DRIVER_OK(cuMemcpyDtoH(bytes, p, 64));
  EXPECT(bytes[3] == 9 && bytes[4] != 9 && bytes[8] == 9 && bytes[27] == 9 && bytes[28] == 1);
  EXPECT_DRIVER(CUDA_ERROR_INVALID_VALUE, cuMemsetD32(p + 1, 0, 1));
  DRIVER_OK(cuMemFree(p));
}

static void rectangles() {
  constexpr size_t kWidth = 40, kHeight = 10;
  CUdeviceptr p;
  size_t pitch = 0;
  DRIVER_OK(cuMemAllocPitch(&p, &pitch, kWidth, kHeight, 4));
  EXPECT(pitch >= kWidth);
  CUdeviceptr none;
  size_t of_none;  // written although the call fails
  EXPECT_DRIVER(CUDA_ERROR_INVALID_VALUE, cuMemAllocPitch(&none, &of_none, kWidth, kHeight, 3));
  std::vector<unsigned char> from(kWidth * kHeight), to(kWidth * kHeight, 255);
  for (size_t i = 0; i < from.size(); i++) from[i] = static_cast<unsigned char>(i % 251);
  CUDA_MEMCPY2D in{};
  in.srcMemoryType = CU_MEMORYTYPE_HOST;
  in.srcHost = from.data();
  in.srcPitch = kWidth;
  in.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  in.dstDevice = p;
  in.dstPitch = pitch;
  in.WidthInBytes = kWidth;
  in.Height = kHeight;
  DRIVER_OK(cuMemcpy2D(&in));
  CUDA_MEMCPY2D out{};  // all but the first row and the first four columns
  out.srcMemoryType = CU_MEMORYTYPE_UNIFIED;
  out.srcDevice = p;
  out.srcPitch = pitch;
  out.srcXInBytes = 4;
  out.srcY = 1;
  out.dstMemoryType = CU_MEMORYTYPE_HOST;
  out.dstHost = to.data();
  out.dstPitch = kWidth;
  out.WidthInBytes = kWidth - 4;
  out.Height = kHeight - 1;
  DRIVER_OK(cuMemcpy2D(&out));
  EXPECT(to[0] == from[kWidth + 4] && to[kWidth] == from[2 * kWidth + 4] && to[kWidth - 1] == 255);
  DRIVER_OK(cuMemFree(p));
}

static void volumes() {
  constexpr size_t kWidth = 8, kHeight = 4, kDepth = 3;
  CUdeviceptr p;
  DRIVER_OK(cuMemAlloc(&p, kWidth * kHeight * kDepth));
  std::vector<unsigned char> from(kWidth * kHeight * kDepth), to(4, 0);
  for (size_t i = 0; i < from.size(); i++) from[i] = static_cast<unsigned char>(i);
  DRIVER_OK(cuMemcpyHtoD(p, from.data(), from.size()));
  CUDA_MEMCPY3D out{};  // two bytes of one row of the last two slices
  out.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  out.srcDevice = p;
  out.srcPitch = kWidth;
  out.srcHeight = kHeight;
  out.srcXInBytes = 3;
  out.srcY = 2;
  out.srcZ = 1;
  out.dstMemoryType = CU_MEMORYTYPE_HOST;
  out.dstHost = to.data();
  out.dstPitch = 2;
  out.dstHeight = 1;
  out.WidthInBytes = 2;
  out.Height = 1;
  out.Depth = 2;
  DRIVER_OK(cuMemcpy3D(&out));
  const size_t first = kWidth * kHeight + 2 * kWidth + 3;
  EXPECT(to[0] == from[first] && to[1] == from[first + 1] && to[2] == from[first + kWidth * kHeight]);
  DRIVER_OK(cuMemFree(p));
}

static void pointers() {
  CUdeviceptr p, begin = 0, managed = 0;
  size_t bytes = 0;
  DRIVER_OK(cuMemAlloc(&p, 1000));
  DRIVER_OK(cuMemGetAddressRange(&begin, &bytes, p + 500));
  EXPECT(begin == p && bytes >= 1000);
  CUmemorytype type{};
  DRIVER_OK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p));
  EXPECT(type == CU_MEMORYTYPE_DEVICE);
  int device = -1;
  DRIVER_OK(cuPointerGetAttribute(&device, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, p));
  EXPECT(device == 0);
  int on_stack = 0;
  EXPECT_DRIVER(CUDA_ERROR_INVALID_VALUE, cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                                                reinterpret_cast<CUdeviceptr>(&on_stack)));
  DRIVER_OK(cuMemAllocManaged(&managed, 64, CU_MEM_ATTACH_GLOBAL));
  reinterpret_cast<int*>(managed)[3] = 12;
  unsigned is_managed = 0;
  DRIVER_OK(cuPointerGetAttribute(&is_managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, managed));
  EXPECT(is_managed == 1);
  void* host = nullptr;
  CUdeviceptr same = 0;
  DRIVER_OK(cuMemHostAlloc(&host, 64, CU_MEMHOSTALLOC_DEVICEMAP));
  DRIVER_OK(cuMemHostGetDevicePointer(&same, host, 0));
  EXPECT(same != 0);
  DRIVER_OK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, same));
  EXPECT(type == CU_MEMORYTYPE_HOST);
  DRIVER_OK(cuMemcpy(same, managed, 64));
  DRIVER_OK(cuCtxSynchronize());
  EXPECT(static_cast<int*>(host)[3] == 12);
  DRIVER_OK(cuMemFreeHost(host));
  DRIVER_OK(cuMemFree(managed));
  DRIVER_OK(cuMemFree(p));
}

int main() {
  DRIVER_OK(cuInit(0));
  CUcontext context;
  DRIVER_OK(cuCtxCreate(&context, nullptr, 0, 0));
  size_t free_bytes = 0, total = 0;
  DRIVER_OK(cuMemGetInfo(&free_bytes, &total));
  EXPECT(free_bytes > 0 && free_bytes <= total);
  CUdeviceptr p;
  EXPECT_DRIVER(CUDA_ERROR_OUT_OF_MEMORY, cuMemAlloc(&p, total + 1));
  EXPECT_DRIVER(CUDA_ERROR_INVALID_VALUE, cuMemAlloc(&p, 0));
  fills();
  rectangles();
  volumes();
  pointers();
  DRIVER_OK(cuCtxDestroy(context));
  return 0;
}
