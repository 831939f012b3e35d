import { randomBytes } from 'node:crypto'
import type { Cell, Column, ColumnKind, View } from '@cairnstore/engine/tables'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createContentCipher } from '../../tenancy/caller-keys/content-cipher.ts'
import { DecryptionFailed } from '../../tenancy/secrets/encrypt.ts'
import { decryptViews, encryptViews, openCells, openLookup, packCells, packLookup } from './encrypted-views.ts'

/** More rows than one segment holds. */
const ROWS = 600
const seal = createContentCipher(randomBytes(32), 'sbx_1', 1)

const column = (name: string, kind: ColumnKind, cells: Cell[]): Column => ({
  ...{ name, words: [name], kind, isPerson: name === 'author', cells },
  labels: new Map([
    ['ent_1', 'Ana Šimić'],
    ...cells.flat().flatMap((each) => (typeof each === 'string' ? [[each, each] as const] : [])),
  ]),
  spellings: new Map([['ana simic', new Set(['ent_1', 'ent_2'])]]),
})
const people = { labels: new Map([['ent_9', 'Zoë']]), spellings: new Map([['zoe', new Set(['ent_9'])]]) }
const row = (id: string) => ({
  ...{ recordId: id, citedId: id, externalId: `K-${id}` },
  title: 'Łódź 🚢',
  occurredAt: null,
})
const views: View[] = [
  {
    type: 'issue',
    nouns: [['issue'], ['issues']],
    columns: [
      column('author', 'text', ['ent_1', null, 'ent_1']),
      column('occurred_at', 'time', [1_700_000_000_000, null, -1]),
      column('tags', 'list', [['bug', 'ui'], [], null]),
      column('points', 'number', [0, 2.5, null]),
      column('urgent', 'flag', [true, false, null]),
    ],
    rows: Array.from({ length: ROWS }, (_, at) => row(`rec_${at}`)),
    people,
  },
  { type: 'empty', nouns: [], columns: [column('author', 'text', [])], rows: [], people },
]
const lookupOf = (lookup: Column['labels' | 'spellings']) => [...lookup]
const plainly = ({ rows, columns, people, ...view }: View) => ({
  ...view,
  rows: Array.from({ length: rows.length + 1 }, (_, at) => rows.at(at)),
  people: [lookupOf(people.labels), lookupOf(people.spellings)],
  columns: columns.map(({ labels, spellings, ...rest }) => [rest, lookupOf(labels), lookupOf(spellings)]),
})

describe('typed rows with a customer-managed key', () => {
  it('are restored unchanged', async () => {
    const opened = decryptViews(seal, await encryptViews(seal, 'head', views))
    expect(opened.map(plainly)).toEqual(views.map(plainly))
    const [author] = opened[0]!.columns
    expect(author!.spellings.get('ana simic')).toEqual(new Set(['ent_1', 'ent_2']))
    expect(author!.spellings.has('ana')).toBe(false)
    expect(author!.labels.get('ent_2')).toBeUndefined()
  })

  it('are opaque bytes that decrypt only with the key and in their context', async () => {
    const sealed = await encryptViews(seal, 'head', views)
    for (const said of ['issue', 'author', 'ent_1', 'rec_1', 'Ana', 'zoe', 'bug', 'K-rec']) {
      expect(sealed.segments.some((segment) => segment.includes(said))).toBe(false)
    }
    const other = createContentCipher(randomBytes(32), 'sbx_1', 1)
    expect(() => decryptViews(other, sealed)).toThrow(DecryptionFailed)
    expect(() => decryptViews(seal, { ...sealed, name: 'another head' })).toThrow(DecryptionFailed)
    expect(() => decryptViews(seal, { ...sealed, segments: [...sealed.segments].reverse() })).toThrow(DecryptionFailed)
  })

  it('are decrypted segment by segment on access', async () => {
    const { name, segments } = await encryptViews(seal, 'head', views)
    const broken = segments.map((segment, at) => (at === 0 ? segment : Buffer.alloc(segment.length)))
    const [view] = decryptViews(seal, { name, segments: broken })
    expect([view!.type, view!.rows.length, view!.columns.map(({ name }) => name)]).toEqual([
      'issue',
      ROWS,
      ['author', 'occurred_at', 'tags', 'points', 'urgent'],
    ])
    expect(() => view!.columns[0]!.cells).toThrow(DecryptionFailed)
    expect(() => view!.columns[0]!.labels.get('ent_1')).toThrow(DecryptionFailed)
    expect(() => view!.rows.at(0)).toThrow(DecryptionFailed)
  })
})

describe('packed data', () => {
  it('finds every text of a map, and no other', () => {
    const texts = fc.string({ unit: 'grapheme', maxLength: 6 })
    fc.assert(
      fc.property(fc.array(fc.tuple(texts, texts)), texts, (entries, other) => {
        const map = new Map(entries)
        const opened = openLookup(() => packLookup(map), String)
        expect([...opened]).toEqual([...map])
        for (const text of [...map.keys(), other]) {
          expect([opened.has(text), opened.get(text)]).toEqual([map.has(text), map.get(text)])
        }
      }),
    )
  })

  it('holds any cells of a kind', () => {
    const same = (kind: ColumnKind) => (cells: Cell[]) => {
      expect(openCells(kind, packCells(kind, cells))).toEqual(cells)
    }
    const text = fc.option(fc.string({ unit: 'grapheme' }))
    const number = fc.option(fc.double({ noNaN: true, noDefaultInfinity: true }))
    fc.assert(fc.property(fc.array(text), same('text')))
    fc.assert(fc.property(fc.array(fc.option(fc.array(fc.string()))), same('list')))
    fc.assert(fc.property(fc.array(number), same('number')))
  })
})
