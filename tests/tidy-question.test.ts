import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { withoutComments } from './harness/import-graph.ts'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const ROOMS = ['packages/engine/src', 'packages/server/src']
const UNDERSTANDING = 'packages/engine/src/understand/'
/** Files that pass a question's text to a model or to the query parser for rows. */
const GIVE_QUESTIONS = ['compose-answer.ts', 'rank-records.ts', 'rows/answer-from-rows.ts', 'written/writing-prompt.ts']

it("only the question parser, models and the table grammar get a question's text (S27)", () => {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', ...ROOMS], {
    cwd: root,
    encoding: 'utf8',
  })
  const others = listed.split('\n').filter((path) => /\.ts$/.test(path) && !/\.test\.ts$/.test(path))
  const reading = others.filter(
    (path) =>
      !path.startsWith(UNDERSTANDING) &&
      existsSync(join(root, path)) &&
      /\b(?:questionText|wordingOf)\b/.test(withoutComments(readFileSync(join(root, path), 'utf8'))),
  )
  expect(reading).toEqual(GIVE_QUESTIONS.map((path) => `packages/server/src/answer/${path}`))
})
