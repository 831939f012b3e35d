import { answers, type Role, takesWork } from '../../base/role.ts'
import { type Place, placeAmong } from './place.ts'

/** A process that shares the database. */
export interface Node {
  readonly id: string
  /** URL for the other processes. Null if it cannot be a home node. */
  readonly url: string | null
  readonly role: Role
}

/** The live processes, including this one, and the assignment of sandboxes to them. */
export interface Nodes {
  /** This process, as published to the others. */
  readonly own: Node
  readonly others: readonly Node[]
  /** Changes the published state of this process. The next heartbeat publishes it. */
  become(own: Node): void
  /** Sets the other live processes. Returns true if anything changed. */
  note(others: readonly Node[]): boolean
  /** Returns the process that answers questions about the sandbox. Undefined if it is this one. */
  placeOf(sandboxId: string): Place | undefined
  /** Returns the process that works on the sandbox. Undefined if it is this one. */
  workPlaceOf(sandboxId: string): Place | undefined
  /** Returns the number of processes that take work. */
  workers(): number
}

/** Creates the registry, with only this process in it. */
export function createNodes(first: Node): Nodes {
  let own = first
  let others: readonly Node[] = []
  let [answering, working]: [Place[], Place[]] = [[], []]
  let noted = ''
  const all = (): Node[] => [...others, own]
  const elsewhere = (sandboxId: string, places: readonly Place[]): Place | undefined => {
    const place = others.length > 0 ? placeAmong(sandboxId, places) : undefined
    return place?.id === own.id ? undefined : place
  }
  return {
    get own() {
      return own
    },
    get others() {
      return others
    },
    become: (next) => {
      own = next
    },
    note: (next) => {
      others = next
      answering = placesOf(all().filter((node) => answers(node.role)))
      working = placesOf(all().filter((node) => takesWork(node.role)))
      const before = noted
      noted = signatureOf(all())
      return noted !== before
    },
    placeOf: (sandboxId) => elsewhere(sandboxId, answering),
    workPlaceOf: (sandboxId) => elsewhere(sandboxId, working),
    workers: () => all().filter((node) => takesWork(node.role)).length,
  }
}

/** Returns the nodes that have a URL. If two have the same URL, the earlier one died and has not expired yet. */
function placesOf(nodes: readonly Node[]): Place[] {
  const byUrl = new Map<string, Place>()
  for (const { id, url } of nodes) if (url !== null) byUrl.set(url, { id, url })
  return [...byUrl.values()]
}

function signatureOf(nodes: readonly Node[]): string {
  return nodes
    .map(({ id, url, role }) => `${id} ${url} ${role}`)
    .sort()
    .join('\n')
}
