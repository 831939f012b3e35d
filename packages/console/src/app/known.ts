import { useQuery } from '@tanstack/react-query'
import { firstPage } from './first-page.ts'
import { clientFor, useCairn, useSession } from './session.ts'

const LISTED = 100

/** The sandboxes that the key reaches. */
export function useSandboxes() {
  const { apiKey } = useSession()
  return useQuery({
    queryKey: ['sandboxes', apiKey],
    queryFn: () => firstPage(clientFor(apiKey).listSandboxes({ status: 'active', limit: LISTED })),
  })
}

/** The sources of the sandbox that is shown, looked at again as often as is asked for. */
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

/** The projects of the sandbox that is shown. */
export function useProjects() {
  const cairn = useCairn()
  const { sandboxId } = useSession()
  return useQuery({
    queryKey: [sandboxId, 'projects'],
    queryFn: () => firstPage(cairn.listProjects({ status: 'active' })),
    enabled: sandboxId !== undefined,
  })
}

/** What is in the sandbox that is shown, in numbers. */
export function useOverview() {
  const cairn = useCairn()
  const { sandboxId } = useSession()
  return useQuery({
    queryKey: [sandboxId, 'overview'],
    queryFn: () => cairn.getOverview(),
    enabled: sandboxId !== undefined,
  })
}

/** The products that can be connected, and how. */
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
