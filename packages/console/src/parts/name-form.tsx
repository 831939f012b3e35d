import { Button, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import { sentenceOf } from '../app/sentence-of.ts'
import { Fields } from './page.tsx'

interface NameFormProps<Made> {
  label: string
  button: string
  make: (name: string) => Promise<Made>
  /** Renders the created object. */
  children?: (made: Made) => ReactNode
}

/** Shows a form that creates an object by its name. */
export function NameForm<Made>({ label, button, make, children }: NameFormProps<Made>): ReactNode {
  const known = useQueryClient()
  const [name, setName] = useState('')
  const making = useMutation({
    mutationFn: () => make(name.trim()),
    onSuccess: () => {
      setName('')
      return known.invalidateQueries()
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    making.mutate()
  }
  return (
    <form onSubmit={submit}>
      <Fields>
        <TextInput
          label={label}
          value={name}
          error={making.error ? sentenceOf(making.error) : undefined}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
        />
        <Button type="submit" variant="default" disabled={!name.trim()} loading={making.isPending}>
          {button}
        </Button>
      </Fields>
      {making.data !== undefined && children?.(making.data)}
    </form>
  )
}
