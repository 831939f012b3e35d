import type { Cairn, Provider, ProviderConnection } from '@cairnstore/client'
import { Alert, Button, NativeSelect, PasswordInput, Textarea, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type FormEvent, type ReactNode, useState } from 'react'
import { sentenceOf } from '../app/sentence-of.ts'
import { useCairn } from '../app/session.ts'
import { CopyableText } from '../parts/copyable-text.tsx'
import { plainLine } from '../parts/plain.ts'
import { labelOf } from '../parts/words.ts'
import { fieldsOf, type SettingField, valuesOf } from './setting-fields.ts'
import classes from './sources-page.module.css'

interface ConnectFormProps {
  provider: Provider
  way: ProviderConnection
}

type Typed = Readonly<Record<string, string>>

/** Shows the form that registers a source of this product. A returned secret is shown once. */
export function ConnectForm({ provider, way }: ConnectFormProps): ReactNode {
  const cairn = useCairn()
  const known = useQueryClient()
  const fields = allFields(way)
  const [typed, setTyped] = useState<Typed>({ name: provider.name })
  const connecting = useMutation({
    mutationFn: () => connect(cairn, provider, way, fields, typed),
    onSuccess: () => known.invalidateQueries(),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    connecting.mutate()
  }
  if (connecting.data) return <Made product={provider.name} {...connecting.data} />
  return (
    <form className={classes.form} onSubmit={submit}>
      {connecting.error && (
        <Alert color="red" role="alert">
          {sentenceOf(connecting.error)}
        </Alert>
      )}
      {fields.map((field) => (
        <Field
          key={field.name}
          field={field}
          value={typed[field.name] ?? ''}
          onChange={(value) => setTyped({ ...typed, [field.name]: value })}
        />
      ))}
      <div>
        <Button type="submit" loading={connecting.isPending}>
          Connect
        </Button>
      </div>
    </form>
  )
}

const NAME: SettingField = {
  name: 'name',
  description: 'A name for this source.',
  placeholder: '',
  kind: 'text',
  choices: [],
  isRequired: true,
}

/** Returns all fields: the name, the product's secret, then its settings. */
function allFields({ settings, settings_in: place, credential }: ProviderConnection): SettingField[] {
  // The ingestion mode was already chosen.
  const own = fieldsOf(settings, credential).filter(({ name }) => name !== 'name' && name !== 'ingestion_mode')
  const isApart = place !== null && credential !== null
  const secret: SettingField[] = isApart
    ? [
        {
          ...NAME,
          name: credential,
          description: 'It is stored encrypted, and never shown again.',
          kind: 'secret',
          isRequired: false,
        },
      ]
    : []
  return [NAME, ...secret, ...own]
}

interface MadeSource {
  sourceId?: string
  url?: string | null
  secret?: string | null
}

async function connect(
  cairn: Cairn,
  { provider }: Provider,
  way: ProviderConnection,
  fields: readonly SettingField[],
  typed: Typed,
): Promise<MadeSource> {
  const values = valuesOf(fields, typed)
  const { ingestion_mode, settings_in: place, credential, path } = way
  if (path.endsWith('/user-mcp')) {
    const made = await cairn.createUserMcp(values as unknown as Parameters<Cairn['createUserMcp']>[0])
    return { sourceId: made.data_source_id ?? undefined }
  }
  if (path.endsWith('/linear')) {
    const made = await cairn.createTracker({ ...values, ingestion_mode } as unknown as Parameters<
      Cairn['createTracker']
    >[0])
    return { sourceId: made.data_source_id ?? undefined }
  }
  const { name, ...rest } = values as { name: string }
  const secret = credential ? (rest as Record<string, unknown>)[credential] : undefined
  const settings = Object.fromEntries(Object.entries(rest).filter(([key]) => key !== credential))
  const made = await cairn.createSource({
    provider,
    name,
    ingestion_mode,
    ...(place && { [place]: settings }),
    ...(credential && secret !== undefined && { [credential]: secret }),
  })
  return { sourceId: made.data_source_id, url: made.webhook_url, secret: made.webhook_signing_secret }
}

function Made({ product, sourceId, url, secret }: MadeSource & { product: string }): ReactNode {
  return (
    <div className={classes.made} role="status">
      <p>
        Connected.{' '}
        {sourceId && (
          <Link to="/sources/$sourceId" params={{ sourceId }}>
            {url ? 'Open the source' : 'See its first run'}
          </Link>
        )}
      </p>
      {url && (
        <>
          <p>Set this address as the webhook in {plainLine(product)}:</p>
          <CopyableText text={url} label="the address" />
        </>
      )}
      {secret && (
        <>
          <p>Senders that do not sign their requests send this secret as a bearer token. It is shown only once:</p>
          <CopyableText text={secret} label="the secret" />
        </>
      )}
    </div>
  )
}

interface FieldProps {
  field: SettingField
  value: string
  onChange: (value: string) => void
}

function Field({ field, value, onChange }: FieldProps): ReactNode {
  const { name, description, placeholder, kind, choices, isRequired } = field
  const common = { label: labelOf(name), description, value, required: isRequired }
  if (kind === 'choice') {
    const data = isRequired ? [...choices] : [{ value: '', label: '–' }, ...choices]
    return <NativeSelect {...common} data={data} onChange={({ currentTarget }) => onChange(currentTarget.value)} />
  }
  if (kind === 'secret') {
    return (
      <PasswordInput {...common} autoComplete="off" onChange={({ currentTarget }) => onChange(currentTarget.value)} />
    )
  }
  if (kind === 'list' || kind === 'json') {
    return (
      <Textarea
        {...common}
        autosize
        minRows={2}
        placeholder={kind === 'list' ? 'One per line' : '{ … }'}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      />
    )
  }
  return (
    <TextInput
      {...common}
      placeholder={placeholder}
      type={kind === 'number' ? 'number' : 'text'}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  )
}
