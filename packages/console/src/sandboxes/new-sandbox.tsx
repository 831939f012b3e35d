import { Button, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, type ReactNode, useState } from 'react'
import { sentenceOf } from '../app/sentence-of.ts'
import { chooseSandbox, useCairn } from '../app/session.ts'
import { Fields, Page } from '../parts/page.tsx'

const NAME = 'Notes'
const ABOUT =
  'A sandbox holds content that belongs together: your notes, a team’s chat, a customer’s files. A question is ' +
  'answered from one sandbox. Nobody else can see its content unless you share it.'

/** Explains sandboxes and creates one. An account without a sandbox sees this on its first page. */
export function NewSandbox(): ReactNode {
  const cairn = useCairn()
  const known = useQueryClient()
  const navigate = useNavigate()
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
  return (
    <Page title="New sandbox" about={ABOUT}>
      <form onSubmit={submit}>
        <Fields>
          <TextInput
            label="Its name"
            value={name}
            error={making.error ? sentenceOf(making.error) : undefined}
            onChange={({ currentTarget }) => setName(currentTarget.value)}
          />
          <Button type="submit" disabled={!name.trim()} loading={making.isPending}>
            Make the sandbox
          </Button>
        </Fields>
      </form>
    </Page>
  )
}
