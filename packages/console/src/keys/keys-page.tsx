import type { ApiKey } from '@cairnstore/client'
import { Alert, Button, NativeSelect, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import { sentenceOf } from '../app/sentence-of.ts'
import { useCairn, useSession } from '../app/session.ts'
import { Copied } from '../parts/copied.tsx'
import { Fields, Page, Sheet } from '../parts/page.tsx'
import { plainLine } from '../parts/plain.ts'
import { Shown } from '../parts/states.tsx'
import { ago, count, day } from '../parts/when.ts'
import { hostLines } from './host-lines.ts'
import classes from './keys-page.module.css'

const CHARS = 60
const LIVES = [
  { value: '90', label: '90 days' },
  { value: '365', label: 'A year' },
  { value: '', label: 'No end' },
]

/** The account's keys, and what is pasted to connect agents. */
export function KeysPage(): ReactNode {
  const [made, setMade] = useState<string | null>(null)
  return (
    <Page title="Keys & connect">
      <NewKey onMade={setMade} />
      {made && (
        <Alert color="teal" title="This key is shown only here">
          <Copied text={made} label="the key" />
        </Alert>
      )}
      <Keys />
      <Hosts made={made} />
    </Page>
  )
}

function NewKey({ onMade }: { onMade: (key: string | null) => void }): ReactNode {
  const cairn = useCairn()
  const known = useQueryClient()
  const [name, setName] = useState('')
  const [days, setDays] = useState(LIVES[0]?.value ?? '')
  const making = useMutation({
    mutationFn: () => cairn.createApiKey({ name: name.trim(), ...(days && { expires_in_days: Number(days) }) }),
    onSuccess: ({ key }) => {
      onMade(key)
      setName('')
      return known.invalidateQueries({ queryKey: ['keys'] })
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
          label="Name of a new key"
          placeholder="Laptop, Claude Code …"
          value={name}
          error={making.error ? sentenceOf(making.error) : undefined}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
        />
        <NativeSelect
          label="Works for"
          value={days}
          data={LIVES}
          onChange={({ currentTarget }) => setDays(currentTarget.value)}
        />
        <Button type="submit" disabled={!name.trim()} loading={making.isPending}>
          Make a key
        </Button>
      </Fields>
    </form>
  )
}

function Keys(): ReactNode {
  const cairn = useCairn()
  const { apiKey } = useSession()
  const keys = useQuery({ queryKey: ['keys', apiKey], queryFn: () => cairn.listApiKeys() })
  return (
    <Sheet title="Your keys">
      <Shown of={keys}>
        {(all) => (
          <ul className={classes.keys}>
            {all.map((key) => (
              <KeyLine key={key.id} of={key} isOwn={apiKey?.startsWith(key.key_prefix) === true} />
            ))}
          </ul>
        )}
      </Shown>
    </Sheet>
  )
}

function KeyLine({ of: key, isOwn }: { of: ApiKey; isOwn: boolean }): ReactNode {
  const cairn = useCairn()
  const known = useQueryClient()
  const [isSure, setSure] = useState(false)
  const revoking = useMutation({
    mutationFn: () => cairn.revokeApiKey({ key_id: key.id }),
    onSuccess: () => known.invalidateQueries({ queryKey: ['keys'] }),
  })
  const until = key.expires_at ? `until ${day(key.expires_at)}` : 'no end'
  return (
    <li>
      <span className={classes.key}>
        <strong>
          <bdi>{plainLine(key.name, CHARS)}</bdi>
        </strong>{' '}
        <code>{key.key_prefix}…</code>
        {isOwn && ' (this tab’s)'}
        <span className={classes.soft}>
          {key.is_expired ? 'expired' : until} · used {count(key.use_count)} times
          {key.last_used_at && `, last ${ago(key.last_used_at, Date.now())}`}
        </span>
      </span>
      {revoking.error && <span role="alert">{sentenceOf(revoking.error)}</span>}
      {isSure ? (
        <Button size="compact-sm" color="red" loading={revoking.isPending} onClick={() => revoking.mutate()}>
          Revoke for good
        </Button>
      ) : (
        <Button size="compact-sm" variant="default" aria-label={`Revoke ${key.name}`} onClick={() => setSure(true)}>
          Revoke
        </Button>
      )}
    </li>
  )
}

function Hosts({ made }: { made: string | null }): ReactNode {
  const { sandboxId = '' } = useSession()
  return (
    <Sheet title="Connect an agent to this sandbox">
      <p className={classes.soft}>
        Give each agent a key of its own, so that it can be revoked alone.{' '}
        {made ? 'The key that you made stands in these lines.' : 'Make one above, and it is filled in.'}
      </p>
      <div className={classes.hosts}>
        {hostLines(location.origin, sandboxId, made ?? undefined).map(({ host, where, text }) => (
          <section key={host}>
            <h3>
              {host} <span className={classes.soft}>{where}</span>
            </h3>
            <Copied text={text} label={`the line for ${host}`} />
          </section>
        ))}
      </div>
    </Sheet>
  )
}
