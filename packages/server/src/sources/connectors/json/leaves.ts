/** Maximum number of values that are stored for one object. */
const LEAVES_MAX = 2_000
/** Values below this depth are stored as JSON text, truncated to `DEEP_CHARS_MAX` characters. */
const DEPTH_MAX = 16
const DEEP_CHARS_MAX = 2_000

type Scalar = string | number | boolean

/** A value with its path, such as `spec.power` or `items[0].price`. */
export interface Leaf {
  readonly path: string
  readonly value: Scalar
  /** The top-level field of the object that contains it. */
  readonly field: string
}

/** Returns true for a non-empty string, a number or a boolean. */
export function isScalar(value: unknown): value is Scalar {
  return ['string', 'number', 'boolean'].includes(typeof value) && value !== ''
}

/** Returns the values of an object with their paths, in order, and the number of values above the limit. */
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

/** Returns one line per value, each with its path as the prefix. */
export function leafLines(item: object): string {
  const { leaves, left } = leavesOf(item)
  const lines = leaves.map(({ path, value }) => `${path}: ${String(value)}`)
  return [...lines, ...(left > 0 ? [omissionNote(left)] : [])].join('\n')
}

/** Returns the note in a record's text about omitted values. */
export function omissionNote(count: number): string {
  return `${count} more values are left out.`
}
