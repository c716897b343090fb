// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <span>
#include <vector>

#include "grader/lab/vectorised.h"

/// The training step of lab 15 on the host, in double, with nothing fused and nothing rounded: the formulas
/// of step.h in their order.
namespace roofline::grader::step_reference {

using Numbers = std::vector<double>;

constexpr double kBeta1 = static_cast<double>(0.9F), kBeta2 = static_cast<double>(0.999F);  ///< of Adam

/// A matrix in an array: element (i, j) is at[i * row + j * column].
struct View {
  const double* at;
  std::size_t row, column = 1;
  View turned() const { return {at, column, row}; }
};

/// c[0 .. 4) += four terms a * b each, on rows of n elements.
ROOFLINE_VECTORISED inline void add_rows(double* const* c, const double* const* b, const double (*a)[4],
                                         std::size_t n) {
  const double *b0 = b[0], *b1 = b[1], *b2 = b[2], *b3 = b[3];
  for (int i = 0; i < 4; ++i) {
    const double a0 = a[i][0], a1 = a[i][1], a2 = a[i][2], a3 = a[i][3];
    double* sum = c[i];
#pragma GCC ivdep  // rows of c are none of b
    for (std::size_t j = 0; j < n; ++j) sum[j] += a0 * b0[j] + a1 * b1[j] + a2 * b2[j] + a3 * b3[j];
  }
}

/// c = a b of m x k and k x n: sizes are multiples of 4, and rows of c are `distance` apart.
inline void multiply(const View& a, const View& b, double* c, std::size_t distance, std::size_t m,
                     std::size_t n, std::size_t k) {
  Numbers turned;
  View right = b;
  if (b.column != 1) {  // rows that can be read in order
    turned.resize(k * n);
    for (std::size_t i = 0; i < k; ++i)
      for (std::size_t j = 0; j < n; ++j) turned[i * n + j] = b.at[i * b.row + j * b.column];
    right = {turned.data(), n};
  }
  for (std::size_t i = 0; i < m; ++i) std::fill(c + i * distance, c + i * distance + n, 0.0);
  constexpr std::size_t kColumns = 256;  // four rows of b and of c stay in L1
  for (std::size_t j = 0; j < n; j += kColumns)
    for (std::size_t i = 0; i < m; i += 4)
      for (std::size_t l = 0; l < k; l += 4) {
        double* to[4];
        const double* from[4];
        double factors[4][4];
        for (std::size_t r = 0; r < 4; ++r) {
          to[r] = c + (i + r) * distance + j;
          from[r] = right.at + (l + r) * right.row + j;
          for (std::size_t t = 0; t < 4; ++t) factors[r][t] = a.at[(i + r) * a.row + (l + t) * a.column];
        }
        add_rows(to, from, factors, std::min(kColumns, n - j));
      }
}

struct Size {
  std::size_t sequences, length, width;
  std::size_t tokens() const { return sequences * length; }
  std::size_t heads() const { return width / 64; }
};

/// Rows of a normalised, and 1 / sqrt(variance + epsilon) of each.
struct Normalised {
  Numbers n, scale;
};

inline Normalised normalised(std::span<const double> x, std::size_t width) {
  Normalised result{Numbers(x.size()), Numbers(x.size() / width)};
  for (std::size_t row = 0; row < result.scale.size(); ++row) {
    const auto in = x.subspan(row * width, width);
    double mean = 0, variance = 0;
    for (const double v : in) mean += v / static_cast<double>(width);
    for (const double v : in) variance += (v - mean) * (v - mean) / static_cast<double>(width);
    result.scale[row] = 1 / std::sqrt(variance + 1e-5);
    for (std::size_t i = 0; i < width; ++i) result.n[row * width + i] = (in[i] - mean) * result.scale[row];
  }
  return result;
}

inline Numbers times_columns(const Numbers& n, std::span<const double> gamma) {
  Numbers result(n.size());
  for (std::size_t i = 0; i < n.size(); ++i) result[i] = n[i] * gamma[i % gamma.size()];
  return result;
}

/// dgamma[i] = sum of da n over a column.
inline void gamma_gradient(const Numbers& da, const Numbers& n, std::span<double> dgamma) {
  std::ranges::fill(dgamma, 0.0);
  for (std::size_t i = 0; i < da.size(); ++i) dgamma[i % dgamma.size()] += da[i] * n[i];
}

/// The gradient of what was normalised, added to `dx`.
inline void normalised_backward(const Numbers& da, const Normalised& of, std::span<const double> gamma,
                                Numbers& dx) {
  const std::size_t width = gamma.size();
  for (std::size_t row = 0; row < of.scale.size(); ++row) {
    double mean = 0, with_n = 0;
    for (std::size_t i = 0; i < width; ++i) {
      const double dn = da[row * width + i] * gamma[i];
      mean += dn / static_cast<double>(width);
      with_n += dn * of.n[row * width + i] / static_cast<double>(width);
    }
    for (std::size_t i = 0; i < width; ++i) {
      const double dn = da[row * width + i] * gamma[i], n = of.n[row * width + i];
      dx[row * width + i] += of.scale[row] * (dn - mean - n * with_n);
    }
  }
}

inline double normal(double u) { return 0.5 * (1 + std::erf(u / std::numbers::sqrt2)); }
inline double density(double u) {
  return std::exp(-0.5 * u * u) * std::numbers::inv_sqrtpi / std::numbers::sqrt2;
}

/// Tensors in the order of step.h: qkv, out, up, down, gamma1, gamma2.
struct Tensors {
  explicit Tensors(std::size_t c)
      : begin{0, 3 * c * c, 4 * c * c, 8 * c * c, 12 * c * c, 12 * c * c + c, 12 * c * c + 2 * c} {}
  std::size_t begin[7];
  std::size_t count() const { return begin[6]; }
};

/// The loss of a batch, and the gradient of every parameter.
class Step {
 public:
  Step(const Size& size, std::span<const double> w)
      : s_(size), at_(size.width), w_(w), gradient_(at_.count()) {}

  double run(std::span<const double> x, std::span<const double> target) {
    const std::size_t t = s_.tokens(), c = s_.width;
    // Forward.
    const Normalised norm1 = normalised(x, c);
    const Numbers a1 = times_columns(norm1.n, gamma(4));
    Numbers qkv(t * 3 * c), o(t * c);
    product(a1, weights(0, 3 * c), qkv, t, 3 * c, c);
    std::vector<Numbers> p;
    for (std::size_t head = 0; head < s_.sequences * s_.heads(); ++head) p.push_back(attend(qkv, o, head));
    Numbers x1(t * c), y(t * c), u(t * 4 * c), g(t * 4 * c);
    product(o, weights(1, c), x1, t, c, c);
    for (std::size_t i = 0; i < x1.size(); ++i) x1[i] += x[i];
    const Normalised norm2 = normalised(x1, c);
    const Numbers a2 = times_columns(norm2.n, gamma(5));
    product(a2, weights(2, 4 * c), u, t, 4 * c, c);
    for (std::size_t i = 0; i < u.size(); ++i) g[i] = u[i] * normal(u[i]);
    product(g, weights(3, c), y, t, c, 4 * c);
    double loss = 0;
    const auto n = static_cast<double>(y.size());
    Numbers& dy = y;
    for (std::size_t i = 0; i < y.size(); ++i) {
      const double difference = x1[i] + y[i] - target[i];
      loss += difference * difference / n;
      dy[i] = 2 * difference / n;
    }
    // Backward.
    Numbers du(u.size()), da(t * c);
    multiply(View{g.data(), 4 * c}.turned(), {dy.data(), c}, gradient(3), c, 4 * c, c, t);
    product(dy, weights(3, c).turned(), du, t, 4 * c, c);
    for (std::size_t i = 0; i < u.size(); ++i) du[i] *= normal(u[i]) + u[i] * density(u[i]);
    multiply(View{a2.data(), c}.turned(), {du.data(), 4 * c}, gradient(2), 4 * c, c, 4 * c, t);
    product(du, weights(2, 4 * c).turned(), da, t, c, 4 * c);
    gamma_gradient(da, norm2.n, gamma_gradient_of(5));
    Numbers& dx1 = dy;
    normalised_backward(da, norm2, gamma(5), dx1);
    Numbers d_o(t * c), dqkv(qkv.size());
    multiply(View{o.data(), c}.turned(), {dx1.data(), c}, gradient(1), c, c, c, t);
    product(dx1, weights(1, c).turned(), d_o, t, c, c);
    for (std::size_t head = 0; head < p.size(); ++head) attend_backward(qkv, d_o, p[head], dqkv, head);
    multiply(View{a1.data(), c}.turned(), {dqkv.data(), 3 * c}, gradient(0), 3 * c, c, 3 * c, t);
    product(dqkv, weights(0, 3 * c).turned(), da, t, c, 3 * c);
    gamma_gradient(da, norm1.n, gamma_gradient_of(4));
    return loss;
  }
  const Numbers& gradients() const { return gradient_; }

 private:
  View weights(int tensor, std::size_t columns) const { return {w_.data() + at_.begin[tensor], columns}; }
  std::span<const double> gamma(int tensor) const { return w_.subspan(at_.begin[tensor], s_.width); }
  double* gradient(int tensor) { return gradient_.data() + at_.begin[tensor]; }
  std::span<double> gamma_gradient_of(int tensor) { return {gradient(tensor), s_.width}; }

  static void product(const Numbers& a, const View& b, Numbers& c, std::size_t m, std::size_t n,
                      std::size_t k) {
    multiply({a.data(), k}, b, c.data(), n, m, n, k);
  }

  /// Where a head's part begins in rows of `row` elements.
  std::size_t part(std::size_t head, std::size_t row) const {
    return head / s_.heads() * s_.length * row + head % s_.heads() * 64;
  }

  Numbers attend(const Numbers& qkv, Numbers& o, std::size_t head) const {
    const std::size_t n = s_.length, c = s_.width;
    const double* q = qkv.data() + part(head, 3 * c);
    Numbers p(n * n);
    multiply({q, 3 * c}, View{q + c, 3 * c}.turned(), p.data(), n, n, n, 64);
    for (std::size_t row = 0; row < n; ++row) {
      const std::span<double> scores(p.data() + row * n, n);
      const double most = *std::ranges::max_element(scores);
      double sum = 0;
      for (double& each : scores) sum += each = std::exp((each - most) / 8);
      for (double& each : scores) each /= sum;
    }
    multiply({p.data(), n}, {q + 2 * c, 3 * c}, o.data() + part(head, c), c, n, 64, n);
    return p;
  }

  void attend_backward(const Numbers& qkv, const Numbers& d_o, const Numbers& p, Numbers& dqkv,
                       std::size_t head) const {
    const std::size_t n = s_.length, c = s_.width;
    const double *q = qkv.data() + part(head, 3 * c), *of_o = d_o.data() + part(head, c);
    double* dq = dqkv.data() + part(head, 3 * c);
    Numbers ds(n * n);
    multiply({of_o, c}, View{q + 2 * c, 3 * c}.turned(), ds.data(), n, n, n, 64);
    for (std::size_t row = 0; row < n; ++row) {
      double sum = 0;
      for (std::size_t j = row * n; j < (row + 1) * n; ++j) sum += p[j] * ds[j];
      for (std::size_t j = row * n; j < (row + 1) * n; ++j) ds[j] = p[j] * (ds[j] - sum) / 8;
    }
    multiply({ds.data(), n}, {q + c, 3 * c}, dq, 3 * c, n, 64, n);
    multiply(View{ds.data(), n}.turned(), {q, 3 * c}, dq + c, 3 * c, n, 64, n);
    multiply(View{p.data(), n}.turned(), {of_o, c}, dq + 2 * c, 3 * c, n, 64, n);
  }

  Size s_;
  Tensors at_;
  std::span<const double> w_;
  Numbers gradient_;
};

}  // namespace roofline::grader::step_reference
