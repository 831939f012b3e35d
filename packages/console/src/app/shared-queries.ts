import { useQuery } from '@tanstack/react-query'
import { clientFor, useCairn, useSession } from './session.ts'

const LISTED = 100

/** Returns the query of all sandboxes that the key can access. */
export function useSandboxes() {
  const { apiKey } = useSession()
  return useQuery({
    queryKey: ['sandboxes', apiKey],
    queryFn: () => firstPage(clientFor(apiKey).listSandboxes({ status: 'active', limit: LISTED })),
  })
}

/** Returns the caller's role on the current sandbox; undefined until it is known. The view of others is read-only. */
export function useAccess() {
  const { sandboxId, asUser } = useSession()
  const sandboxes = useSandboxes().data?.sandboxes
  const own = sandboxes?.find(({ sandbox_id: id }) => id === sandboxId)?.access ?? undefined
  return asUser === undefined ? own : 'viewer'
}

/** Returns the query of the current sandbox's sources, polled at the given interval. */
export function useSources(again?: { everyMs: number }) {
  const cairn = useCairn()
  const { sandboxId } = useSession()
  return useQuery({
    queryKey: [sandboxId, 'sources'],
    queryFn: () => firstPage(cairn.listSources({ limit: LISTED })),
    enabled: sandboxId !== undefined,
    ...(again && { refetchInterval: again.everyMs }),
  })
}

/** Returns the query of the current sandbox's projects. */
export function useProjects() {
  const cairn = useCairn()
  const { sandboxId } = useSession()
  return useQuery({
    queryKey: [sandboxId, 'projects'],
    queryFn: () => firstPage(cairn.listProjects({ status: 'active' })),
    enabled: sandboxId !== undefined,
  })
}

/** Returns the query of the current sandbox's overview, which has its counts. */
export function useOverview({ everyMs }: { everyMs?: number } = {}) {
  const cairn = useCairn()
  const { sandboxId } = useSession()
  return useQuery({
    queryKey: [sandboxId, 'overview'],
    queryFn: () => cairn.getOverview(),
    enabled: sandboxId !== undefined,
    refetchInterval: everyMs ?? false,
  })
}

/** Returns the query of the products that can be connected. */
export function useProviders() {
  const cairn = useCairn()
  const { sandboxId } = useSession()
  return useQuery({
    queryKey: [sandboxId, 'providers'],
    queryFn: () => cairn.listProviders(),
    enabled: sandboxId !== undefined,
  })
}

/** Returns the account and member that is signed in, and when the session ends. */
export function useCaller() {
  const { apiKey, isOperator } = useSession()
  return useQuery({
    queryKey: ['caller', apiKey],
    queryFn: () => clientFor(apiKey).getSession(),
    enabled: !isOperator,
  })
}

/**
 * Returns the first page of a list as a plain promise, which a query requires. The client's list type has more methods.
 */
async function firstPage<Page>(listed: PromiseLike<Page>): Promise<Page> {
  return listed
}
