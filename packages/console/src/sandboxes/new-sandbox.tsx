import { Button, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import { sentenceOf } from '../app/sentence-of.ts'
import { chooseSandbox, useCairn } from '../app/session.ts'
import { Empty } from '../parts/states.tsx'

const NAME = 'Notes'

/** What an account without a sandbox sees: what one is, and a way to make it. */
export function FirstSandbox(): ReactNode {
  const cairn = useCairn()
  const known = useQueryClient()
  const [name, setName] = useState(NAME)
  const making = useMutation({
    mutationFn: async () => {
      const { sandbox_id: id } = await cairn.createSandbox({ name: name.trim() || NAME })
      await known.invalidateQueries({ queryKey: ['sandboxes'] })
      chooseSandbox(id)
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    making.mutate()
  }
  return (
    <Empty title="Make a sandbox first">
      <p>
        A sandbox holds what is known together: your notes, a team’s chat and tracker, one customer’s files. Questions
        are answered from one sandbox, and nobody else sees into it unless you share it.
      </p>
      <form onSubmit={submit}>
        <TextInput
          label="Its name"
          value={name}
          error={making.error ? sentenceOf(making.error) : undefined}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
          maw={320}
          mb="sm"
        />
        <Button type="submit" loading={making.isPending}>
          Make the sandbox
        </Button>
      </form>
    </Empty>
  )
}
