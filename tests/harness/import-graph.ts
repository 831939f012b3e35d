import { dirname, join, normalize } from 'node:path'

/**
 * Returns the modules that a source text imports or re-exports, including type imports. Ignores import statements
 * within strings.
 */
export function importsOf(text: string): string[] {
  return [
    ...text.matchAll(/^\s*(?:import|export)\b[^'"`;]*?\bfrom\s+'([^']+)'|^import\s+'([^']+)'|\bimport\('([^']+)'\)/gm),
  ].map((match) => (match[1] ?? match[2] ?? match[3]) as string)
}

/** Returns the files of the same package that a file imports, as paths from the root. */
export function targetsOf(path: string, text: string): string[] {
  return importsOf(text)
    .filter((name) => name.startsWith('.'))
    .map((name) => normalize(join(dirname(path), name)))
}

/**
 * Returns the first folder inside a module, such as `packages/server/src/tenancy/reach`. Undefined for a file directly
 * in its module.
 */
export function folderInModule(path: string): string | undefined {
  return /^(packages\/server\/src\/[^/]+\/[^/]+)\//.exec(path)?.[1]
}

/** Returns the cycles that a depth-first search finds, each as its members in order; none if the graph is acyclic. */
export function cyclesIn(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const done = new Set<string>()
  const cycles: string[] = []
  const walk = (at: string, way: readonly string[]): void => {
    if (done.has(at)) return
    if (way.includes(at)) {
      cycles.push([...way.slice(way.indexOf(at)), at].join(' → '))
      return
    }
    for (const next of graph.get(at) ?? []) walk(next, [...way, at])
    done.add(at)
  }
  for (const at of graph.keys()) walk(at, [])
  return cycles
}

/** Returns the strongly connected components with a cycle, in order. */
export function knotsIn(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const reached = new Map([...graph.keys()].map((at) => [at, reachableFrom(graph, at)]))
  const knots = new Map<string, string[]>()
  for (const [at, others] of reached) {
    const knot = [...others].filter((other) => reached.get(other)?.has(at)).sort()
    if (others.has(at)) knots.set(knot.join(), knot)
  }
  return [...knots.values()]
}

/** Returns the nodes reachable from one node. Includes that node itself only if it is on a cycle. */
function reachableFrom(graph: ReadonlyMap<string, readonly string[]>, from: string): Set<string> {
  const met = new Set<string>()
  const walk = (at: string): void => {
    for (const next of graph.get(at) ?? []) {
      if (met.has(next)) continue
      met.add(next)
      walk(next)
    }
  }
  walk(from)
  return met
}

/** Removes the comments from TypeScript source approximately. This suffices to search for words in the code. */
export function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/[^\n]*/g, '')
}
