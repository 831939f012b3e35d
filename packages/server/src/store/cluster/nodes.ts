import { answers, type Role, takesWork } from '../../base/role.ts'
import { type HomeNode, pickHomeNode } from './pick-home-node.ts'

/** A process that shares the database. */
export interface Node {
  readonly id: string
  /** URL for the other processes. Null if it cannot be a home node. */
  readonly url: string | null
  readonly role: Role
}

/** The live processes, including this one, and the assignment of sandboxes to them. */
export type Nodes = ReturnType<typeof createNodes>

/** Creates the registry, with only this process in it. */
export function createNodes(first: Node) {
  let own = first
  let others: readonly Node[] = []
  let [apiNodes, workerNodes]: [HomeNode[], HomeNode[]] = [[], []]
  let lastSignature = ''
  const all = (): Node[] => [...others, own]
  const pickOther = (sandboxId: string, places: readonly HomeNode[]): HomeNode | undefined => {
    const node = others.length > 0 ? pickHomeNode(sandboxId, places) : undefined
    return node?.id === own.id ? undefined : node
  }
  return {
    /** This process, as published to the others. */
    get own() {
      return own
    },
    get others() {
      return others
    },
    /** Changes the published state of this process. The next heartbeat publishes it. */
    setOwn: (next: Node) => {
      own = next
    },
    /** Sets the other live processes. Returns true if anything changed. */
    replaceOthers: (next: readonly Node[]) => {
      others = next
      apiNodes = toHomeNodes(all().filter((node) => answers(node.role)))
      workerNodes = toHomeNodes(all().filter((node) => takesWork(node.role)))
      const before = lastSignature
      lastSignature = signatureOf(all())
      return lastSignature !== before
    },
    /** Returns the process that answers questions about the sandbox. Undefined if it is this one. */
    homeNodeOf: (sandboxId: string) => pickOther(sandboxId, apiNodes),
    /** Returns the process that works on the sandbox. Undefined if it is this one. */
    workerNodeOf: (sandboxId: string) => pickOther(sandboxId, workerNodes),
    /** Returns the number of processes that take work. */
    workers: () => all().filter((node) => takesWork(node.role)).length,
  }
}

/** Returns the nodes that have a URL. Of several with the same URL, returns the last, since the others have died. */
function toHomeNodes(nodes: readonly Node[]): HomeNode[] {
  const byUrl = new Map<string, HomeNode>()
  for (const { id, url } of nodes) if (url !== null) byUrl.set(url, { id, url })
  return [...byUrl.values()]
}

function signatureOf(nodes: readonly Node[]): string {
  return nodes
    .map(({ id, url, role }) => `${id} ${url} ${role}`)
    .sort()
    .join('\n')
}
