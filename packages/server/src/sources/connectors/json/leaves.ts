/** Values of one object that are kept by their paths. */
const LEAVES_MAX = 2_000
/** No known product nests deeper; what does is kept as JSON, cut to so many characters. */
const DEPTH_MAX = 16
const DEEP_CHARS_MAX = 2_000

type Scalar = string | number | boolean

/** A value with its path, such as `spec.power` or `items[0].price`. */
export interface Leaf {
  readonly path: string
  readonly value: Scalar
  /** The field of the object that holds it. */
  readonly field: string
}

/** Whether a value is a text that says something, a number or a boolean. */
export function isScalar(value: unknown): value is Scalar {
  return ['string', 'number', 'boolean'].includes(typeof value) && value !== ''
}

/**
 * Returns every value of an object with its path, in the order in which they stand, and how many more there are. A list
 * of values is one value, with commas between them.
 */
export function leavesOf(item: object): { leaves: Leaf[]; left: number } {
  const leaves: Leaf[] = []
  let left = 0
  const add = (path: string, value: Scalar, field: string) => {
    if (leaves.length < LEAVES_MAX) leaves.push({ path, value, field })
    else left += 1
  }
  const walk = (value: unknown, path: string, field: string, depth: number) => {
    if (isScalar(value)) return add(path, value, field)
    if (typeof value !== 'object' || value === null) return
    if (depth > DEPTH_MAX) return add(path, JSON.stringify(value).slice(0, DEEP_CHARS_MAX), field)
    if (Array.isArray(value) && value.length > 0 && value.every(isScalar)) return add(path, value.join(', '), field)
    for (const [key, inner] of Object.entries(value)) {
      walk(inner, Array.isArray(value) ? `${path}[${key}]` : path ? `${path}.${key}` : key, field || key, depth + 1)
    }
  }
  walk(item, '', '', 0)
  return { leaves, left }
}

/** Returns one line for each value, with its path before it. */
export function leafLines(item: object): string {
  const { leaves, left } = leavesOf(item)
  const lines = leaves.map(({ path, value }) => `${path}: ${String(value)}`)
  return [...lines, ...(left > 0 ? [leftOut(left)] : [])].join('\n')
}

/** What the text of a record says about values that are too many for it. */
export function leftOut(count: number): string {
  return `${count} more values are left out.`
}
