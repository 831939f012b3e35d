import type { Cairn } from '@cairnstore/client'
import { useQuery } from '@tanstack/react-query'
import { findInSandboxes } from './find-in-sandboxes.ts'
import { chooseSandbox, useCairn, useSession } from './session.ts'
import { useSandboxes } from './shared-queries.ts'

interface FoundOptions<Found> {
  isEnabled?: boolean
  staleTime?: number
  /** Returns the polling interval; false if the object does not change. */
  everyMs?: (found: Found | undefined) => number | false
}

/**
 * Returns the query of an object by its id. The address does not contain the sandbox, so this hook finds it and
 * switches to it.
 */
export function useFound<Found>(
  name: readonly unknown[],
  get: (cairn: Cairn, sandboxId: string) => Promise<Found>,
  { isEnabled = true, staleTime, everyMs }: FoundOptions<Found> = {},
) {
  const cairn = useCairn()
  const { sandboxId, asUser } = useSession()
  const sandboxes = useSandboxes().data?.sandboxes ?? []
  return useQuery({
    queryKey: [sandboxId, ...name],
    queryFn: async () => {
      const others = asUser === undefined ? sandboxes.map(({ sandbox_id: id }) => id) : []
      const searched = [sandboxId!, ...others.filter((id) => id !== sandboxId)] as const
      const { found, sandboxId: place } = await findInSandboxes((id) => get(cairn, id), searched)
      if (place !== sandboxId) chooseSandbox(place)
      return found
    },
    enabled: isEnabled && sandboxId !== undefined,
    ...(staleTime !== undefined && { staleTime }),
    ...(everyMs && { refetchInterval: ({ state }: { state: { data?: Found | undefined } }) => everyMs(state.data) }),
  })
}
