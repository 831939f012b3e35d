import type { Connection, Project } from '@cairnstore/client'
import { Button, NativeSelect, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import { sentenceOf } from '../app/sentence-of.ts'
import { useCairn } from '../app/session.ts'
import { t } from '../language/language.ts'
import { Fields } from '../parts/page.tsx'
import { plainLine } from '../parts/plain.ts'
import { usePeople } from '../people/use-people.ts'

const OTHER = ''
const MEMBER = 'mem_'
const GROUP = 'grp_'

/** Returns the grantee of a share: a member, a group, an address, or the id of another account. */
function granteeIn(who: string) {
  if (who.startsWith(MEMBER)) return { grantee: { member_id: who } }
  if (who.startsWith(GROUP)) return { grantee: { group_id: who } }
  return who.includes('@') ? { grantee: { email: who } } : { user_id: who }
}

/** Shares the sandbox, or a project of it, with a person or a group. */
export function NewShare({ projects }: { projects: readonly Project[] }): ReactNode {
  const cairn = useCairn()
  const known = useQueryClient()
  const { members, groups } = usePeople()
  const [chosen, setChosen] = useState(OTHER)
  const [typed, setTyped] = useState('')
  const [role, setRole] = useState<Connection['role']>('viewer')
  const [project, setProject] = useState('')
  const who = chosen === OTHER ? typed.trim() : chosen
  const sharing = useMutation({
    mutationFn: () => cairn.createConnection({ ...granteeIn(who), role, ...(project && { project_id: project }) }),
    onSuccess: () => {
      setTyped('')
      return known.invalidateQueries()
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    sharing.mutate()
  }
  const people = [
    ...members.map(({ member_id: value, display_name: name }) => ({ value, label: plainLine(name) })),
    ...groups.map(({ group_id: value, name }) => ({ value, label: t('Group: {name}', { name: plainLine(name) }) })),
  ]
  const error = sharing.error ? sentenceOf(sharing.error) : undefined
  return (
    <form onSubmit={submit}>
      <Fields>
        {people.length > 0 && (
          <NativeSelect
            label={t('With')}
            value={chosen}
            error={chosen !== OTHER && error}
            data={[{ value: OTHER, label: t('Somebody else') }, ...people]}
            onChange={({ currentTarget }) => setChosen(currentTarget.value)}
          />
        )}
        {chosen === OTHER && (
          <TextInput
            label={t('E-mail address or account')}
            placeholder={t('name@example.com or acct_…')}
            description={t('An account’s id is under Keys & connect.')}
            value={typed}
            error={error}
            onChange={({ currentTarget }) => setTyped(currentTarget.value)}
          />
        )}
        <NativeSelect
          label={t('May')}
          value={role}
          data={[
            { value: 'viewer', label: t('Read') },
            { value: 'editor', label: t('Read and write') },
          ]}
          onChange={({ currentTarget }) => setRole(currentTarget.value as Connection['role'])}
        />
        <NativeSelect
          label={t('What')}
          value={project}
          data={[
            { value: '', label: t('The whole sandbox') },
            ...projects.map(({ project_id: value, name }) => ({ value, label: plainLine(name) })),
          ]}
          onChange={({ currentTarget }) => setProject(currentTarget.value)}
        />
        <Button type="submit" disabled={!who} loading={sharing.isPending}>
          {t('Share')}
        </Button>
      </Fields>
    </form>
  )
}
