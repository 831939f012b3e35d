import { NativeSelect } from '@mantine/core'
import { useNavigate, useRouterState } from '@tanstack/react-router'
import { type ReactNode, useEffect } from 'react'
import { chooseSandbox, useSession } from '../app/session.ts'
import { useSandboxes } from '../app/shared-queries.ts'
import { t } from '../language/language.ts'
import { plainLine } from '../parts/plain.ts'

/** Value of the option that creates a sandbox. */
const NEW = 'new'

/** Shows the current sandbox and a menu for switching to another or creating one. The first sandbox is the default. */
export function SandboxChooser(): ReactNode {
  const { sandboxId, asUser } = useSession()
  const navigate = useNavigate()
  const path = useRouterState({ select: ({ location }) => location.pathname })
  const { data } = useSandboxes()
  const sandboxes = data?.sandboxes ?? []
  const isKnown = sandboxes.some(({ sandbox_id: id }) => id === sandboxId)
  const [first] = sandboxes
  useEffect(() => {
    if (!isKnown && first) chooseSandbox(first.sandbox_id)
  }, [isKnown, first])
  if (sandboxes.length === 0) return null
  const choose = (value: string) => {
    if (value === NEW) {
      void navigate({ to: '/sandboxes/new' })
      return
    }
    chooseSandbox(value)
    // A list is shown again for the other sandbox. The page of a single object is left.
    const [, list, id] = path.split('/')
    if (list === 'answers' || list === 'sandboxes') void navigate({ to: '/' })
    else if (id !== undefined) void navigate({ to: `/${list}` as '/records' })
  }
  return (
    <NativeSelect
      aria-label={t('Sandbox')}
      value={sandboxId ?? ''}
      onChange={({ currentTarget }) => choose(currentTarget.value)}
      data={[
        ...sandboxes.map(({ sandbox_id: value, name }) => ({ value, label: plainLine(name) })),
        ...(asUser === undefined ? [{ value: NEW, label: t('New sandbox …') }] : []),
      ]}
    />
  )
}
