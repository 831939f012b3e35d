/** A straight horizontal or vertical line on a page. */
export interface Rule {
  readonly isVertical: boolean
  /** The x of a vertical line, or the y of a horizontal one. */
  readonly at: number
  readonly from: number
  readonly to: number
}

/** Codes of the PDF library's drawing operators, by name. */
export interface DrawingCodes {
  readonly save: number
  readonly restore: number
  readonly transform: number
  readonly paintFormXObjectBegin: number
  readonly paintFormXObjectEnd: number
  readonly constructPath: number
}

type Matrix = readonly [number, number, number, number, number, number]

const IDENTITY: Matrix = [1, 0, 0, 1, 0, 0]
/** Limits in points: maximum thickness of a rule, and minimum length. Other shapes are areas or marks. */
const THICK_MAX = 3
const LENGTH_MIN = 4
/** Maximum number of rules on one page. A page with more is a drawing, and its rules are ignored. */
const RULES_MAX = 5_000
/** Number of coordinates after each path operator code. */
const STEP_NUMBERS = [2, 2, 6, 4, 0]
const CLOSE = 4

/** Returns the rules of a page. Browsers and word processors draw them as lines or as thin rectangles. */
export function rulesOf(
  { fnArray, argsArray }: { fnArray: readonly number[]; argsArray: readonly unknown[] },
  codes: DrawingCodes,
): Rule[] {
  const rules: Rule[] = []
  const stack: Matrix[] = []
  let matrix = IDENTITY
  for (const [at, code] of fnArray.entries()) {
    const args = argsArray[at] as readonly unknown[] | null
    if (code === codes.save || code === codes.paintFormXObjectBegin) stack.push(matrix)
    if (code === codes.restore || code === codes.paintFormXObjectEnd) matrix = stack.pop() ?? IDENTITY
    else if (code === codes.transform) matrix = times(matrix, args as unknown as Matrix)
    else if (code === codes.paintFormXObjectBegin && args?.[0]) matrix = times(matrix, args[0] as Matrix)
    else if (code === codes.constructPath) {
      const [path] = (args?.[1] ?? []) as ArrayLike<number>[]
      if (path) rules.push(...rulesIn(path, matrix))
    }
    if (rules.length > RULES_MAX) return []
  }
  return rules
}

function times([a, b, c, d, e, f]: Matrix, [a2, b2, c2, d2, e2, f2]: Matrix): Matrix {
  return [a * a2 + c * b2, b * a2 + d * b2, a * c2 + c * d2, b * c2 + d * d2, a * e2 + c * f2 + e, b * e2 + d * f2 + f]
}

interface Point {
  x: number
  y: number
}

function rulesIn(path: ArrayLike<number>, [a, b, c, d, e, f]: Matrix): Rule[] {
  const rules: Rule[] = []
  let points: Point[] = []
  const end = () => {
    rules.push(...rulesOfShape(points))
    points = []
  }
  for (let at = 0; at < path.length && rules.length <= RULES_MAX; ) {
    const code = path[at]!
    const numbers = STEP_NUMBERS[code]
    if (numbers === undefined) return []
    if (code === 0) end()
    if (code === CLOSE && points.length > 0) points.push(points[0]!)
    else if (numbers > 0) {
      const [x, y] = [path[at + numbers - 1]!, path[at + numbers]!]
      points.push({ x: a * x + c * y + e, y: b * x + d * y + f })
    }
    at += 1 + numbers
  }
  end()
  return rules
}

/** Returns one rule for a thin shape. Returns the horizontal and vertical edges of any other shape. */
function rulesOfShape(points: readonly Point[]): Rule[] {
  if (points.length < 2) return []
  const xs = points.map(({ x }) => x)
  const ys = points.map(({ y }) => y)
  const box = { left: Math.min(...xs), right: Math.max(...xs), low: Math.min(...ys), high: Math.max(...ys) }
  const [width, height] = [box.right - box.left, box.high - box.low]
  if (Math.min(width, height) <= THICK_MAX) {
    if (Math.max(width, height) < LENGTH_MIN) return []
    const isVertical = height > width
    const at = isVertical ? (box.left + box.right) / 2 : (box.low + box.high) / 2
    return [{ isVertical, at, from: isVertical ? box.low : box.left, to: isVertical ? box.high : box.right }]
  }
  return points.slice(1).flatMap((point, index) => {
    const last = points[index]!
    const isVertical = Math.abs(point.x - last.x) < 0.5
    if (!isVertical && Math.abs(point.y - last.y) >= 0.5) return []
    const [from, to] = isVertical ? [last.y, point.y] : [last.x, point.x]
    if (Math.abs(to - from) < LENGTH_MIN) return []
    return [{ isVertical, at: isVertical ? point.x : point.y, from: Math.min(from, to), to: Math.max(from, to) }]
  })
}
