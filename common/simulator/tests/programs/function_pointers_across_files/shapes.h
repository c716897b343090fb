// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

struct Shape {
  __device__ virtual float area() const = 0;
  __device__ virtual ~Shape() {}
};
struct Rectangle : Shape {
  float a, b;
  __device__ Rectangle(float a_, float b_) : a(a_), b(b_) {}
  __device__ float area() const override;
};
struct Disc : Shape {
  float r;
  __device__ explicit Disc(float r_) : r(r_) {}
  __device__ float area() const override;
};
__device__ void make_shapes(Shape** out);
