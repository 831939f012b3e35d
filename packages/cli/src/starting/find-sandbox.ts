import { operations } from '@cairn/contract'
import { call } from '../call.ts'
import { Failure } from '../failure.ts'
import { printable } from '../output.ts'
import type { Profile } from '../profiles.ts'
import { listSandboxes, type Named } from '../sandbox-of.ts'
import type { Settings } from '../settings.ts'
import type { Asking } from './prompts.ts'

interface Wanted {
  /** By id or name. */
  wanted: string | undefined
  /** The account, whose own id becomes the `owner_id` of a new sandbox. */
  owner: string
  before: Profile | undefined
  asking: Asking | undefined
}

const DEFAULT_NAME = 'Notes'
const NEW = 'new'
const ID = /^sbx_/

/** The sandbox that is wanted, made when there is none of that name. Throws Failure for an id that is none. */
export async function findSandbox(settings: Settings, { wanted, owner, before, asking }: Wanted): Promise<Named> {
  const there = await listSandboxes(settings)
  const byId = (id: string | undefined) => there.find(({ sandbox_id }) => sandbox_id === id)
  if (wanted !== undefined && ID.test(wanted)) {
    const found = byId(wanted)
    if (found) return found
    const detail = `There is no sandbox ${wanted} that this key reaches. Name another, or a new one, with --sandbox.`
    throw new Failure(detail, { error: 'not_found', detail })
  }
  if (wanted === undefined && asking && there.length > 0) {
    const choices = there.map(({ sandbox_id: value, name }) => ({ value, label: printable(`${name} (${value})`) }))
    const chosen = await asking.choose('Which sandbox?', [{ value: NEW, label: 'A new one' }, ...choices])
    if (chosen !== NEW) return byId(chosen)!
  } else if (wanted === undefined && !asking) {
    const found = byId(before?.sandbox_id)
    if (found) return found
  }
  const name = wanted ?? (asking ? await asking.text('What shall it be called?', DEFAULT_NAME) : DEFAULT_NAME)
  return there.find((each) => each.name === name && each.owner_id === owner) ?? made(settings, name, owner)
}

async function made(settings: Settings, name: string, owner: string): Promise<Named> {
  const { createSandbox } = operations
  const inputs = { path: createSandbox.path, query: {}, body: { name, owner_id: owner } }
  return (await call(createSandbox, inputs, settings)) as Named
}
