/** Values that one path may find; more is a mistake. */
const FOUND_MAX = 10_000
const PATH_CHARS_MAX = 512
const STEPS_MAX = 32

/**
 * The steps of a path: a JSON pointer (`/user/name`), or keys with dots between them (`user.name`), where `*`, or
 * `[]` after a key, stands for every entry of a list (`items.*.name`, `items[].name`). Undefined for what is no path.
 */
export function stepsOf(path: string): string[] | undefined {
  if (path === '' || path.length > PATH_CHARS_MAX) return undefined
  const steps = path.startsWith('/')
    ? path
        .slice(1)
        .split('/')
        .map((step) => step.replace(/~1/g, '/').replace(/~0/g, '~'))
    : path
        .replace(/^\$\.?/, '')
        .replace(/\[(?:\*)?\]/g, '.*')
        .replace(/\[(\d+)\]/g, '.$1')
        .split('.')
  const isWhole = steps.length === 1 && steps[0] === ''
  if (isWhole) return []
  return steps.length <= STEPS_MAX && steps.every((step) => step !== '') ? steps : undefined
}

/** Every value that the path leads to, in order. */
export function valuesAt(value: unknown, path: string): unknown[] {
  let found = [value]
  for (const step of stepsOf(path) ?? []) {
    found = found.flatMap((one) => entered(one, step)).slice(0, FOUND_MAX)
  }
  return found.filter((one) => one !== undefined && one !== null)
}

function entered(value: unknown, step: string): unknown[] {
  if (value === null || typeof value !== 'object') return []
  if (step === '*') return Array.isArray(value) ? value : Object.values(value)
  return Object.hasOwn(value, step) ? [(value as Record<string, unknown>)[step]] : []
}
