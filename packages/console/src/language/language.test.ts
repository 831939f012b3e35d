import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseAst } from 'rolldown/parseAst'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { operations } from '../../../contract/src/index.ts'
import { eventLabel } from '../parts/words.ts'
import { api } from './german/api.ts'
import { ask } from './german/ask.ts'
import { content } from './german/content.ts'
import { frame } from './german/frame.ts'
import { manage } from './german/manage.ts'
import { german } from './german.ts'
import { type Text, t } from './language.ts'

const SOURCES = fileURLToPath(new URL('..', import.meta.url))
const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.tsx?$/.test(path) && !path.includes('.test.') && !path.startsWith('language/'))
  .map((path) => ({ path, text: readFileSync(join(SOURCES, path), 'utf8') }))

interface Node {
  type: string
  name?: unknown
  value?: unknown
  callee?: Node
  arguments?: Node[]
  declaration?: Node | null
}
/** Attributes that people read or hear. */
const SHOWN = new Set(['label', 'title', 'about', 'description', 'placeholder', 'aria-label', 'alt', 'name', 'button'])
/** The product's name, commands, keys, units, exported names, fonts, and a state that is translated later. */
const NO_TEXT = /^(?:(?:· )?Cairn|cairn[ _].*|Esc|Enter|Arrow.*|MiB|\w+Page|Bearer|system-ui, .*|left out)$/
/** Code of other programs, questions about the example workspace, and an error for developers. */
const CODE_FILES = new Set(['ask/snippets.ts', 'ask/example-starters.ts', 'keys/host-settings.ts', 'main.tsx'])
/** A sentence, a name with a capital, or words: not an identifier, a color or a path. */
const PROSE = /^\p{Lu}\p{Ll}|\p{L}[,.:;]? \p{L}/u
const TRANSLATE = new Set(['t', 'rich'])
/** Positions of strings that no user sees. */
const TECHNICAL = /^(?:Import|Export(?:All|Named)Declaration$|TS(?:Literal|Union|TypeAlias|Interface)|Directive)/

/** Returns the texts of a source that do not come from the catalog. */
function literalTexts(path: string, source: string): string[] {
  const found: string[] = []
  const visit = (node: unknown, parent?: Node): void => {
    if (!isNode(node)) return
    if (TECHNICAL.test(node.type) && !node.declaration) return
    if (node.type === 'CallExpression' && TRANSLATE.has(node.callee?.name as string)) {
      for (const each of (node.arguments ?? []).slice(1)) visit(each, node)
      return
    }
    const text = textOf(node)
    if (text !== undefined && isShown(node, parent, text) && !NO_TEXT.test(text)) found.push(text)
    for (const child of Object.values(node).flat()) visit(child, node)
  }
  visit(parseAst(source, { lang: path.endsWith('x') ? 'tsx' : 'ts' }))
  return found
}

const isNode = (value: unknown): value is Node => typeof (value as Node | null)?.type === 'string'

function textOf(node: Node): string | undefined {
  if (node.type === 'JSXText' || (node.type === 'Literal' && typeof node.value === 'string'))
    return (node.value as string).trim()
  return node.type === 'TemplateElement' ? (node.value as { raw: string }).raw.trim() : undefined
}

function isShown({ type }: Node, parent: Node | undefined, text: string): boolean {
  if (!/\p{L}/u.test(text)) return false
  if (type === 'JSXText') return true
  if (parent?.type === 'JSXAttribute') return SHOWN.has((parent.name as Node).name as string)
  if (parent?.type === 'JSXExpressionContainer') return true
  return PROSE.test(text)
}

describe('the catalog', () => {
  it('contains every text of the components', () => {
    const literal = files.filter(({ path }) => !CODE_FILES.has(path))
    expect(literal.flatMap(({ path, text }) => literalTexts(path, text).map((each) => `${path}: ${each}`))).toEqual([])
  })

  it('notices a literal text in each position', () => {
    const source = '<p title="Sign out">Hello {n > 1 ? `many records` : "One record"} {t("Ask")}</p>'
    expect(literalTexts('x.tsx', source)).toEqual(['Sign out', 'Hello', 'many records', 'One record'])
  })

  it('has each text once, and no text that is not used', () => {
    const parts = [frame, ask, content, manage, api].flatMap((part) => Object.keys(part))
    expect(parts.filter((text, at) => parts.indexOf(text) !== at)).toEqual([])
    const sources = files.map(({ text }) => text).join('\n')
    const unused = Object.keys({ ...frame, ...ask, ...content, ...manage }).filter((text) => !sources.includes(text))
    expect(unused).toEqual([])
  })

  it('has the values and plural forms of each text in German', () => {
    const shape = (text: string) => [...new Set(text.match(/\{\w+\}/g))].sort().join() + text.split('|').length
    const differing = Object.entries(german).filter(([text, translated]) => shape(text) !== shape(translated))
    expect(differing).toEqual([])
    expect(Object.values(german).filter((text) => text.trim() === '')).toEqual([])
  })

  it('has the events of the audit log', () => {
    const events = Object.values(operations).flatMap(({ audit }) => ('event' in audit ? [eventLabel(audit.event)] : []))
    expect(events.length).toBeGreaterThan(0)
    expect(events.filter((event) => !Object.hasOwn(api, event))).toEqual([])
  })

  it('fills in values, and selects the plural form', () => {
    expect(t('{n} record|{n} records', { n: 1 })).toBe('1 record')
    expect(t('{n} record|{n} records', { n: 1234 })).toMatch(/^1.234 records$/)
    expect(t('Switch to {name}', { name: '{n}|' })).toBe('Switch to {n}|')
  })

  it('accepts only texts that it has', () => {
    expectTypeOf<'Sign out'>().toExtend<Text>()
    expectTypeOf<'No such text'>().not.toExtend<Text>()
  })
})
