import { NativeSelect } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useEffect } from 'react'
import { plainLine } from '../parts/plain.ts'
import { firstPage } from './first-page.ts'
import { chooseSandbox, clientFor, useSession } from './session.ts'

const NAME_CHARS = 40
const LISTED = 100

/** The sandboxes that the key reaches. */
export function useSandboxes() {
  const { apiKey } = useSession()
  return useQuery({
    queryKey: ['sandboxes', apiKey],
    queryFn: () => firstPage(clientFor(apiKey).listSandboxes({ status: 'active', limit: LISTED })),
  })
}

/** Says which sandbox is shown, and changes it. The first one is shown when none was chosen. */
export function SandboxChooser(): ReactNode {
  const { sandboxId } = useSession()
  const navigate = useNavigate()
  const { data } = useSandboxes()
  const sandboxes = data?.sandboxes ?? []
  const isKnown = sandboxes.some(({ sandbox_id: id }) => id === sandboxId)
  const [first] = sandboxes
  useEffect(() => {
    if (!isKnown && first) chooseSandbox(first.sandbox_id)
  }, [isKnown, first])
  if (sandboxes.length === 0) return null
  return (
    <NativeSelect
      aria-label="Sandbox"
      value={sandboxId ?? ''}
      onChange={({ currentTarget }) => {
        chooseSandbox(currentTarget.value)
        void navigate({ to: '/' })
      }}
      data={sandboxes.map(({ sandbox_id: value, name }) => ({ value, label: plainLine(name, NAME_CHARS) }))}
    />
  )
}
