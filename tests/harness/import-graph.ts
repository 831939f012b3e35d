import { dirname, join, normalize } from 'node:path'

/** The modules that a text imports or exports from, types included, without what only looks like an import. */
export function importsOf(text: string): string[] {
  return [
    ...text.matchAll(/^\s*(?:import|export)\b[^'"`;]*?\bfrom\s+'([^']+)'|^import\s+'([^']+)'|\bimport\('([^']+)'\)/gm),
  ].map((match) => (match[1] ?? match[2] ?? match[3]) as string)
}

/** The files of the same package that a file imports, by their paths from the root. */
export function targetsOf(path: string, text: string): string[] {
  return importsOf(text)
    .filter((name) => name.startsWith('.'))
    .map((name) => normalize(join(dirname(path), name)))
}

/** The first folder inside a room, as `packages/server/src/tenancy/reach`; undefined for a file right in its room. */
export function folderInRoom(path: string): string | undefined {
  return /^(packages\/server\/src\/[^/]+\/[^/]+)\//.exec(path)?.[1]
}

/** Every cycle that a walk meets, as its members in order; none where imports go one way. */
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

/** The knots of a graph: groups of members each of which is reached from each other, in order. */
export function knotsIn(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const reached = new Map([...graph.keys()].map((at) => [at, reachedFrom(graph, at)]))
  const knots = new Map<string, string[]>()
  for (const [at, others] of reached) {
    const knot = [...others].filter((other) => reached.get(other)?.has(at)).sort()
    if (others.has(at)) knots.set(knot.join(), knot)
  }
  return [...knots.values()]
}

/** What a walk from one member meets; that member itself only when a way leads back to it. */
function reachedFrom(graph: ReadonlyMap<string, readonly string[]>, from: string): Set<string> {
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

/** A text of TypeScript without its comments, roughly: enough to look for words in what runs. */
export function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/[^\n]*/g, '')
}
