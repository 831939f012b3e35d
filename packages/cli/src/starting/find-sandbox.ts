import { operations } from '@cairnstore/contract'
import { call } from '../call.ts'
import { Failure } from '../failure.ts'
import { printable } from '../output.ts'
import type { Profile } from '../profiles.ts'
import { listSandboxes, type NamedSandbox, type Reached } from '../sandbox-of.ts'
import type { Settings } from '../settings.ts'
import type { Asking } from './prompts.ts'

interface WantedSandbox {
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

/**
 * The sandbox that is wanted, made when the account has none of that name, whatever `owner_id` it has, and those that
 * were there. Throws Failure for an id that is none, and for a name that several have.
 */
export async function findSandbox(
  settings: Settings,
  wanted: WantedSandbox,
): Promise<{ sandbox: NamedSandbox; there: NamedSandbox[] }> {
  const there = await listSandboxes(settings)
  return { sandbox: await chosen(settings, there, wanted), there }
}

async function chosen(
  settings: Settings,
  there: Reached[],
  { wanted, owner, before, asking }: WantedSandbox,
): Promise<NamedSandbox> {
  const byId = (id: string | undefined) => there.find(({ sandbox_id }) => sandbox_id === id)
  if (wanted !== undefined && ID.test(wanted)) {
    const found = byId(wanted)
    if (found) return found
    const detail = `There is no sandbox ${wanted} that this key reaches. Name another, or a new one, with --sandbox.`
    throw new Failure(detail, { error: 'not_found', detail })
  }
  if (wanted === undefined && asking && there.length > 0) {
    const choices = there.map(({ sandbox_id: value, name }) => ({ value, label: printable(`${name} (${value})`) }))
    const answer = await asking.choose('Which sandbox?', [{ value: NEW, label: 'A new one' }, ...choices])
    if (answer !== NEW) return byId(answer)!
  } else if (wanted === undefined && !asking) {
    const found = byId(before?.sandbox_id)
    if (found) return found
  }
  const name = wanted ?? (asking ? await asking.text('What shall it be called?', DEFAULT_NAME) : DEFAULT_NAME)
  const called = there.filter((each) => each.name === name && each.access === 'owner')
  const found = called.find((each) => each.owner_id === owner) ?? (called.length === 1 ? called[0] : undefined)
  if (found) return found
  if (called.length === 0) return made(settings, name, owner)
  const ids = called.map(({ sandbox_id: id }) => id).join(', ')
  const detail = `Several sandboxes are called "${name}". Say which by its id, with --sandbox: ${ids}.`
  throw new Failure(printable(detail), { error: 'no_sandbox_named', detail })
}

async function made(settings: Settings, name: string, owner: string): Promise<NamedSandbox> {
  return (await call(operations.createSandbox, { name, owner_id: owner }, settings)) as NamedSandbox
}
