import { Button, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, type ReactNode, useState } from 'react'
import { sentenceOf } from '../app/sentence-of.ts'
import { chooseSandbox, useCairn } from '../app/session.ts'
import { useCaller, useSandboxes } from '../app/shared-queries.ts'
import { t } from '../language/language.ts'
import { Fields, Page } from '../parts/page.tsx'
import { EmptyState } from '../parts/states.tsx'

const NAME = t('Notes')
const ABOUT = [
  t('A sandbox holds content that belongs together: your notes, a team’s chat, a customer’s files.'),
  t('A question is answered from one sandbox.'),
]
const ALONE = t('Nobody else can see its content unless you share it.')
const IN_TEAM = t('Owners and admins of the account can see its content, others only if you share it.')

/** Explains sandboxes and creates one. An account without a sandbox sees this on its first page. */
export function NewSandbox(): ReactNode {
  const cairn = useCairn()
  const known = useQueryClient()
  const navigate = useNavigate()
  const { role } = useCaller().data ?? {}
  const hasNone = useSandboxes().data?.sandboxes.length === 0
  const [name, setName] = useState(NAME)
  const making = useMutation({
    mutationFn: async () => {
      const { sandbox_id: id } = await cairn.createSandbox({ name: name.trim() })
      await known.invalidateQueries({ queryKey: ['sandboxes'] })
      chooseSandbox(id)
      await navigate({ to: '/' })
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    making.mutate()
  }
  if (role === 'viewer') {
    return (
      <EmptyState title={t('Nothing is shared with you yet')}>
        <p>{t('Ask an owner or admin of the account to share a sandbox with you. It then appears here.')}</p>
      </EmptyState>
    )
  }
  return (
    <Page title={t('New sandbox')} about={[...ABOUT, role ? IN_TEAM : ALONE].join(' ')}>
      {hasNone && role === 'member' && (
        <p>{t('Nothing is shared with you yet. You can make a sandbox of your own.')}</p>
      )}
      <form onSubmit={submit}>
        <Fields>
          <TextInput
            label={t('Its name')}
            value={name}
            error={making.error ? sentenceOf(making.error) : undefined}
            onChange={({ currentTarget }) => setName(currentTarget.value)}
          />
          <Button type="submit" disabled={!name.trim()} loading={making.isPending}>
            {t('Make the sandbox')}
          </Button>
        </Fields>
      </form>
    </Page>
  )
}
