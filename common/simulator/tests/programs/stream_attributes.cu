// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// What a stream knows about itself: flags, priority, number, device; and its attributes, which are set, read,
// copied.
#include "expect.h"

int main() {
  int least = 9, greatest = 9;
  OK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  EXPECT(greatest <= least);
  cudaStream_t a, b;
  OK(cudaStreamCreateWithPriority(&a, cudaStreamNonBlocking, greatest - 10));  // clamped into the range
  OK(cudaStreamCreate(&b));
  int priority = 9, device = 9;
  unsigned flags = 9;
  unsigned long long id_a = 0, id_b = 0;
  OK(cudaStreamGetPriority(a, &priority));
  EXPECT(priority == greatest);
  OK(cudaStreamGetFlags(a, &flags));
  EXPECT(flags == cudaStreamNonBlocking);
  OK(cudaStreamGetFlags(b, &flags));
  EXPECT(flags == cudaStreamDefault);
  OK(cudaStreamGetDevice(a, &device));
  EXPECT(device == 0);
  OK(cudaStreamGetId(a, &id_a));
  OK(cudaStreamGetId(b, &id_b));
  EXPECT(id_a != id_b);

  cudaStreamAttrValue value{};
  value.accessPolicyWindow.num_bytes = 1024;
  value.accessPolicyWindow.hitRatio = 0.5f;
  value.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
  value.accessPolicyWindow.missProp = cudaAccessPropertyStreaming;
  OK(cudaStreamSetAttribute(a, cudaStreamAttributeAccessPolicyWindow, &value));
  cudaStreamAttrValue read{};
  OK(cudaStreamCopyAttributes(b, a));
  OK(cudaStreamGetAttribute(b, cudaStreamAttributeAccessPolicyWindow, &read));
  EXPECT(read.accessPolicyWindow.num_bytes == 1024 && read.accessPolicyWindow.hitRatio == 0.5f);
  value.accessPolicyWindow.hitRatio = 2;
  EXPECT_RESULT(cudaErrorInvalidValue,
                cudaStreamSetAttribute(a, cudaStreamAttributeAccessPolicyWindow, &value));
  value = {};
  value.syncPolicy = cudaSyncPolicyBlockingSync;
  OK(cudaStreamSetAttribute(a, cudaStreamAttributeSynchronizationPolicy, &value));
  OK(cudaStreamGetAttribute(a, cudaStreamAttributeSynchronizationPolicy, &read));
  EXPECT(read.syncPolicy == cudaSyncPolicyBlockingSync);
  // The default stream did not get it; what it has is the driver's choice.
  OK(cudaStreamGetAttribute(0, cudaStreamAttributeSynchronizationPolicy, &read));
  OK(cudaCtxResetPersistingL2Cache());
  // A part of L2 can be set aside from capability 8.0 on.
  int most;
  std::size_t bytes = 0;
  OK(cudaDeviceGetAttribute(&most, cudaDevAttrMaxPersistingL2CacheSize, 0));
  if (most == 0) {
    EXPECT_RESULT(cudaErrorUnsupportedLimit, cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 1 << 20));
  } else {
    OK(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 1 << 20));
    OK(cudaDeviceGetLimit(&bytes, cudaLimitPersistingL2CacheSize));
    EXPECT(bytes >= 1 << 20 && bytes <= static_cast<std::size_t>(most));
  }
  EXPECT_RESULT(cudaErrorInvalidValue, cudaStreamCreateWithFlags(&a, 77));
  OK(cudaStreamDestroy(a));
  OK(cudaStreamDestroy(b));
}
