import { usageFailure } from './failure.ts'
import { jsonText, note, print, tableOf } from './output.ts'
import type { OwnCommand } from './own-command.ts'
import { DEFAULT_PROFILE, type Profiles, profileOf, readProfiles, writeProfiles } from './profiles.ts'
import { profilesPath } from './settings.ts'
import type { Typed } from './typed.ts'

/** The command that shows what profiles there are, chooses the default one, and takes one away. */
export const PROFILES: OwnCommand = {
  words: ['profiles'],
  operands: '[use|remove NAME]',
  summary: 'List the profiles of this machine, choose the default one, or forget one',
  about: 'A key of a profile that is forgotten goes on working: `cairn keys revoke` stops it.',
  given: { 'use NAME': 'Make it the one that is used when none is named.', 'remove NAME': 'Forget it.' },
  options: {},
  examples: ['profiles', 'profiles use work', 'profiles remove work'],
  run: profiles,
}

async function profiles({ operands, options }: Typed): Promise<number> {
  const [verb = 'list', name, extra] = operands
  const isKnown = verb === 'list' ? name === undefined : ['use', 'remove'].includes(verb) && name !== undefined
  if (!isKnown || extra !== undefined) throw usageFailure(`This takes ${PROFILES.operands}, or nothing.`)
  const path = profilesPath()
  const kept = readProfiles(path)
  if (name === undefined) return list(kept, options.json === true, options.quiet === true)
  if (!profileOf(kept, name)) throw usageFailure(`${path} has no profile "${name}". \`cairn profiles\` lists them.`)
  const left = Object.fromEntries(Object.entries(kept.profiles).filter(([each]) => verb === 'use' || each !== name))
  const chosen = verb === 'use' ? name : kept.default
  const next = Object.hasOwn(left, chosen) ? chosen : (Object.keys(left)[0] ?? DEFAULT_PROFILE)
  writeProfiles(path, { default: next, profiles: left })
  return list(readProfiles(path), options.json === true, options.quiet === true)
}

async function list(kept: Profiles, asJson: boolean, isQuiet: boolean): Promise<number> {
  const rows = Object.entries(kept.profiles).map(([name, { url, sandbox_id: sandbox }]) => ({
    name,
    default: name === kept.default,
    url,
    sandbox_id: sandbox ?? null,
  }))
  if (asJson) await print(jsonText(rows))
  else if (rows.length > 0) await print(tableOf(['name', 'default', 'url', 'sandbox_id'], rows, true))
  else note({ isQuiet }, 'None. `cairn init` makes one.')
  return 0
}
