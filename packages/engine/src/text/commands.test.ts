import { expect, test } from 'vitest'
import { commandsOf } from './sentences.ts'

test('each line of a shell is a command, without prompt and comments by themselves', () => {
  expect(commandsOf('# first\n$ npm ci\nDATA=./x run it \\\n  --fast   # soon', 'sh')).toEqual([
    'npm ci',
    'DATA=./x run it --fast # soon',
  ])
  expect(commandsOf('cairn backup FILE')).toEqual(['cairn backup FILE'])
})

test('other code has none', () => {
  for (const [code, language] of [
    ['run()', 'js'],
    ['{ "a": 1 }', 'json'],
    ['{ "a": 1 }', ''],
    ['', 'sh'],
  ] as const)
    expect(commandsOf(code, language)).toEqual([])
  expect(commandsOf('src/    what is made\nrun it  says what')).toEqual([])
})
