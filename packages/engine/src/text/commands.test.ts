import { expect, test } from 'vitest'
import { commandsOf } from './commands.ts'

test('each line of a shell is a command, without prompt and comments by themselves', () => {
  expect(commandsOf('```sh\n# first\n$ npm ci\nDATA=./x run it \\\n  --fast   # soon\n```')).toEqual([
    'npm ci',
    'DATA=./x run it --fast # soon',
  ])
  expect(commandsOf('```\ncairn backup FILE\n```')).toEqual(['cairn backup FILE'])
})

test('other code has none', () => {
  for (const code of ['```js\nrun()\n```', '```json\n{ "a": 1 }\n```', '```\n{ "a": 1 }\n```', '```sh\n```'])
    expect(commandsOf(code)).toEqual([])
  expect(commandsOf('```\nsrc/    what is made\nrun it  says what\n```')).toEqual([])
})
