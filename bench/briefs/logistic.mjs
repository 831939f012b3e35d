// Ridge logistic regression by Newton's method, for dozens of weights and thousands of rows.
const ROUNDS = 60
const RIDGE = 1e-3

/**
 * Fits the weights of the columns. Weights that would violate their required sign become 0.
 * @param {readonly (readonly number[])[]} rows  last column is 1
 * @param {readonly number[]} labels  0 or 1
 * @param {readonly number[]} weights  of the rows
 * @param {readonly number[]} signs  of the columns; 0 for any
 */
export function fitLogistic(rows, labels, weights, signs) {
  const left = new Set(signs.keys())
  for (;;) {
    const kept = [...left]
    const fitted = fitColumns(
      rows.map((row) => kept.map((at) => row[at] ?? 0)),
      labels,
      weights,
    )
    const wrong = kept.filter((at, index) => (fitted[index] ?? 0) * (signs[at] ?? 0) < 0)
    if (wrong.length === 0) return signs.map((_, at) => (left.has(at) ? (fitted[kept.indexOf(at)] ?? 0) : 0))
    for (const at of wrong) left.delete(at)
  }
}

/**
 * @param {readonly (readonly number[])[]} rows
 * @param {readonly number[]} labels
 * @param {readonly number[]} weights
 */
function fitColumns(rows, labels, weights) {
  const size = rows[0]?.length ?? 0
  const theta = new Array(size).fill(0)
  for (let round = 0; round < ROUNDS; round += 1) {
    const gradient = theta.map((each, at) => (at < size - 1 ? RIDGE * each : 0))
    const hessian = theta.map((_, at) => theta.map((__, to) => (at === to ? RIDGE : 0)))
    for (const [at, row] of rows.entries()) {
      const p = 1 / (1 + Math.exp(-dot(row, theta)))
      const weight = weights[at] ?? 0
      for (let one = 0; one < size; one += 1) {
        const value = row[one] ?? 0
        gradient[one] += weight * (p - (labels[at] ?? 0)) * value
        for (let other = 0; other < size; other += 1) {
          const line = /** @type {number[]} */ (hessian[one])
          line[other] = (line[other] ?? 0) + weight * p * (1 - p) * value * (row[other] ?? 0)
        }
      }
    }
    const step = solve(hessian, gradient)
    for (const [at, each] of step.entries()) theta[at] -= each
  }
  return theta
}

/** @param {readonly number[]} one @param {readonly number[]} other */
export function dot(one, other) {
  return one.reduce((sum, each, at) => sum + each * (other[at] ?? 0), 0)
}

/** Solves a linear system by Gaussian elimination. @param {number[][]} matrix @param {number[]} right */
function solve(matrix, right) {
  const rows = matrix.map((row, at) => [...row, right[at] ?? 0])
  const size = rows.length
  const cell = (/** @type {number} */ at, /** @type {number} */ to) => rows[at]?.[to] ?? 0
  for (let at = 0; at < size; at += 1) {
    const pivot = cell(at, at)
    for (let other = 0; other < size; other += 1) {
      if (other === at) continue
      const factor = cell(other, at) / pivot
      rows[other] = /** @type {number[]} */ (rows[other]).map((each, to) => each - factor * cell(at, to))
    }
  }
  return rows.map((row, at) => (row[size] ?? 0) / cell(at, at))
}
