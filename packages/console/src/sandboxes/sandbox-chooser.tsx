import { NativeSelect } from '@mantine/core'
import { useNavigate, useRouterState } from '@tanstack/react-router'
import { type ReactNode, useEffect } from 'react'
import { chooseSandbox, useSession } from '../app/session.ts'
import { useSandboxes } from '../app/shared-queries.ts'
import { t } from '../language/language.ts'
import { plainLine } from '../parts/plain.ts'

/** Option value that creates a new sandbox. */
const NEW = 'new'

/** Shows the current sandbox, switches to another, and links to creating one. The first sandbox is the default. */
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
    // A list is shown for the other sandbox. An object of this sandbox is left.
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
