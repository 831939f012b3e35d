import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { expect, it } from 'vitest'

const FOLDER = new URL('./', import.meta.url)
/** Fields that GitHub sends but its type package does not contain yet. */
const NEWER = [
  ...['sub_issue', 'blocked_issue', 'repository_advisory'],
  ...['projects_v2', 'projects_v2_status_update', 'short_description', 'start_date', 'target_date'],
]
/** A field of the source's own settings. */
const OWN = ['site']
/** Field path that is read: the quoted arguments of the functions of `pick.ts`. */
const PATH = /\b(?:address|hasObject|isThere|list|moment|number|pageUrl|pick|text)\(\s*[\w.?!()]+((?:,\s*'[^']+')+)/g
const FIELD = /^\s+(?:"([^"]+)"|(\w+))\??:/gm

it('every field that is read from a payload exists in GitHub’s types', () => {
  const types = createRequire(import.meta.url).resolve('@octokit/webhooks-types/schema.d.ts')
  const known = new Set([...readFileSync(types, 'utf8').matchAll(FIELD)].map(([, quoted, bare]) => quoted ?? bare))
  const files = readdirSync(FOLDER).filter((name) => !name.includes('.test.') && !name.startsWith('pull-'))
  const read = files.flatMap((name) =>
    [...readFileSync(new URL(name, FOLDER), 'utf8').matchAll(PATH)].flatMap(([, path = '']) =>
      [...path.matchAll(/'([^']+)'/g)].map(([, field]) => field),
    ),
  )
  const unknown = new Set(read.filter((field) => !known.has(field)))
  expect(read.length).toBeGreaterThan(NEWER.length)
  expect([...unknown].sort()).toEqual([...NEWER, ...OWN].sort())
})
