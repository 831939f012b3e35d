import { decodeContent, type RecordContent } from '@cairnstore/engine/resolve'
import { describe, expect, it } from 'vitest'
import { incoming, openSandbox } from '../../../../tests/harness/sandbox-in-memory.ts'
import { SECOND_HAND_AS_OF } from '../base/second-hand.ts'
import type { IncomingRecord } from './batch-shape.ts'
import { linkKey } from './last-versions.ts'

const [OWN, OTHER] = ['prj_own', 'prj_other']
const IN_BOTH = new Set([linkKey(OWN, 'src_chat')])

const owners = (text: string, projectId: string | null = OTHER): IncomingRecord => ({
  ...incoming({ text }),
  projectId,
})
const limited = (text: string): IncomingRecord => ({ ...incoming({ text }), within: OWN })
const removal = (within?: string): IncomingRecord => ({
  ...incoming({}, { deleted: true }),
  ...(within !== undefined && { within }),
})

/** Returns the texts stored after these batches, and the number of rejected records of the last one. */
async function after(links: Set<string>, ...batches: IncomingRecord[][]) {
  const sandbox = openSandbox(undefined, links)
  let refused: string[] = []
  for (const batch of batches) refused = [...(await sandbox.apply(...batch)).refused.values()]
  const texts = [...sandbox.records.values()].map(({ content }) => decodeContent<RecordContent>(content).text)
  return { texts, refused }
}

describe('a grant for one project', () => {
  const refused = ['outside_project']

  it('neither replaces nor deletes a record of another project, in the same batch or a later one', async () => {
    for (const [late, why] of [
      [limited('mine'), refused],
      [removal(OWN), []],
    ] as const) {
      const stands = { texts: ['theirs'], refused: why }
      expect(await after(IN_BOTH, [owners('theirs')], [late])).toEqual(stands)
      expect(await after(IN_BOTH, [owners('theirs'), late])).toEqual(stands)
    }
  })

  it('replaces and deletes records of its project: by the record’s own project, or by its source’s', async () => {
    for (const theirs of [owners('theirs', OWN), owners('theirs', null)]) {
      expect(await after(IN_BOTH, [theirs], [limited('mine')])).toEqual({ texts: ['mine'], refused: [] })
      expect(await after(IN_BOTH, [theirs, removal(OWN)])).toEqual({ texts: [], refused: [] })
    }
    // The source has left the project meanwhile.
    expect(await after(new Set(), [owners('theirs', null)], [limited('mine')])).toEqual({ texts: ['theirs'], refused })
  })

  it('accepts new records, and those that were just moved or deleted', async () => {
    expect(await after(IN_BOTH, [limited('mine')])).toEqual({ texts: ['mine'], refused: [] })
    expect(await after(IN_BOTH, [owners('theirs')], [removal(), limited('mine')])).toEqual({
      texts: ['mine'],
      refused: [],
    })
    const moved = [owners('moved', OWN), limited('mine')]
    expect(await after(IN_BOTH, [owners('theirs')], moved)).toEqual({ texts: ['mine'], refused: [] })
  })

  it('gives no access through a version that is older than the stored one', async () => {
    const at = (text: string, day: string, projectId: string): IncomingRecord => ({
      ...incoming({ text, as_of: `2026-05-${day}T00:00:00Z` }),
      projectId,
    })
    const late = [at('old', '01', OWN), limited('mine')]
    expect(await after(IN_BOTH, [at('theirs', '02', OTHER)], late)).toEqual({ texts: ['theirs'], refused })
  })

  it('does not block others from the same record', async () => {
    expect(await after(IN_BOTH, [owners('theirs')], [limited('mine'), owners('again')])).toEqual({
      texts: ['again'],
      refused,
    })
  })
})

it('a second-hand version replaces only second-hand versions, and every version replaces it', async () => {
  const quoted = (text: string) => ({ ...incoming({ text, as_of: SECOND_HAND_AS_OF }) })
  const own = incoming({ text: 'own' })
  expect((await after(new Set(), [quoted('quoted')], [quoted('more')], [own])).texts).toEqual(['own'])
  expect((await after(new Set(), [own], [quoted('quoted')])).texts).toEqual(['own'])
  expect((await after(new Set(), [quoted('quoted'), own, quoted('again')])).texts).toEqual(['own'])
})
