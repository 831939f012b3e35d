import { answers, type Role, takesWork } from '../../base/role.ts'
import { type Place, placeAmong } from './place.ts'

/** A process that shares the database. */
export interface Node {
  readonly id: string
  /** Where the others reach it; null: it has no place for sandboxes. */
  readonly url: string | null
  readonly role: Role
}

/** The processes that are alive, this one among them, and which place each sandbox has at them. */
export interface Nodes {
  /** This process, as the others are to know it. */
  readonly own: Node
  readonly others: readonly Node[]
  /** Changes what this process is to the others, who hear of it when it is noted. */
  become(own: Node): void
  /** Notes who else is alive; whether anything is new since the last time. */
  note(others: readonly Node[]): boolean
  /** Where questions about the sandbox are answered, when that is another process. */
  placeOf(sandboxId: string): Place | undefined
  /** Where the sandbox is worked on, when that is another process. */
  workPlaceOf(sandboxId: string): Place | undefined
  /** How many take work. */
  workers(): number
}

/** Nothing but this process is known at first. */
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

/** The nodes with places; of two processes at one address, the one that died there is not noticed yet. */
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
