import { operations } from '@cairnstore/contract'
import { call } from './call.ts'
import { Failure, usageFailure } from './failure.ts'
import type { Settings } from './settings.ts'

/** A sandbox as a person knows it. */
export interface NamedSandbox {
  sandbox_id: string
  name: string
}

const ID = /^sbx_/
const SHOWN_MAX = 5

/**
 * The id of the sandbox to work in: the one that was named, by id or name, else the only one that there is. Throws
 * Failure when that is none or several.
 */
export async function sandboxOf(settings: Settings): Promise<string> {
  const { sandbox } = settings
  if (sandbox !== undefined && ID.test(sandbox)) return sandbox
  const named = (await listSandboxes(settings)).filter(({ name }) => sandbox === undefined || name === sandbox)
  const [only, other] = named
  if (only && !other) return only.sandbox_id
  const shown = named.slice(0, SHOWN_MAX).map(({ sandbox_id: id, name }) => `${id} "${name}"`)
  const several = `Say which with --sandbox: ${shown.join(', ')}${named.length > SHOWN_MAX ? ' …' : '.'}`
  if (other && sandbox === undefined) throw usageFailure(`There are several sandboxes. ${several}`)
  const detail = other
    ? `Several sandboxes are called "${sandbox}". ${several}`
    : sandbox === undefined
      ? 'There is no sandbox yet. `cairn init` makes one.'
      : `No sandbox is called "${sandbox}". \`cairn sandboxes\` lists them.`
  throw new Failure(detail, { error: 'no_sandbox_named', detail })
}

/** A sandbox with whose it is. */
export interface Reached extends NamedSandbox {
  owner_id: string
  access: string
}

/** The first thousand sandboxes that the key reaches. */
export async function listSandboxes(settings: Settings): Promise<Reached[]> {
  const reply = await call(operations.listSandboxes, {}, settings)
  return (reply as { sandboxes: Reached[] }).sandboxes
}
