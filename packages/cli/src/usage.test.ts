import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { cliPage } from '../../../scripts/cli.mjs'
import { COMMANDS } from './commands.ts'
import { OWN_COMMANDS } from './own-commands.ts'
import { overview, usageOf, usageOfOwn, usageTexts } from './usage.ts'

it('docs/cli.md is the output of `npm run cli`', () => {
  expect(readFileSync(new URL('../../../docs/cli.md', import.meta.url), 'utf8')).toBe(cliPage(usageTexts()))
})

it('the overview lists every command, and each has help with every option and an example', () => {
  const text = overview()
  for (const { operation } of COMMANDS) expect(text).toContain(operation.summary)
  for (const { noun, verb } of COMMANDS) expect(text).toMatch(new RegExp(`^  ${noun} ${verb}\\b`, 'm'))
  for (const own of OWN_COMMANDS) {
    const usage = usageOfOwn(own)
    expect(usage).toMatch(/--json[\s\S]*--quiet[\s\S]*--profile TEXT[\s\S]*Examples:\n {2}cairn /)
    for (const option of Object.keys(own.options)) expect(usage).toContain(`--${option}`)
  }
  const entities = COMMANDS.find(({ noun, verb }) => noun === 'entities' && verb === 'list')!
  expect(usageOf(entities)).toMatch(
    /Usage: cairn entities list \[[\s\S]*--type TEXT[\s\S]*--sandbox TEXT[\s\S]*Examples/,
  )
})
