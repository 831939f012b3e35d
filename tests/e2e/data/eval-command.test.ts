import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { EvaluationResult } from '@cairnstore/contract'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Evaluated } from '../../../packages/cli/src/evaluating/run-evaluations.ts'
import { CLI_BIN, runCommand } from '../../harness/command.ts'
import { type ChatRequest, elements, type ModelServer, startModel } from '../../harness/model-server.ts'
import { type ServedCommandLine, serveCommandLine } from '../../harness/served-command-line.ts'

const FIRST = 'Pump 7 stopped because its filter was full of sand.'
const WRITTEN = 'The filter of pump 7 was full of sand.'
const FILE = [
  'question,expected,record,unanswerable,verdict,note',
  '"Why did pump 7 stop?",its filter was full of sand,,,,',
  '"Who cleaned the filter of pump 7?",Ada Berg,,,wrong,"a <b>note</b>"',
  '"Who built the lighthouse of Skagen <script>alert(1)</script>?",,,true,,',
  '',
].join('\r\n')

let model: ModelServer
let served: ServedCommandLine
const cairn = (args: string[], input = '') => runCommand(CLI_BIN, args, served.place, served.settings, input)
const isJudging = ({ messages }: ChatRequest) => messages[0]!.content.startsWith('You grade answers')

beforeAll(async () => {
  model = await startModel()
  served = await serveCommandLine({ CAIRN_MODEL_BASE_URL: model.baseUrl, CAIRN_MODEL_NAME: 'writer-1' })
  expect(await cairn(['init', '--sandbox', 'Notes'])).toMatchObject({ code: 0 })
  const { status } = await fetch(`${served.url}/api/v1/storage/ingest`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${served.settings.CAIRN_API_KEY}`,
      'content-type': 'application/json',
      prefer: 'wait=30',
    },
    body: JSON.stringify({
      title: 'Pump 7',
      text: `${FIRST} Ada Berg cleaned the filter on 10 March.`,
      author: 'Bo Lind',
    }),
  })
  expect(status).toBe(200)
  writeFileSync(join(served.place, 'questions.csv'), FILE)
  model.answer = (request) =>
    isJudging(request) ? elements({ verdict: 'right' }) : elements({ text: WRITTEN, ids: ['r1'], paragraph: 1 })
})
afterAll(async () => {
  await served.stop()
  await model.close()
})

it('a question file is evaluated with two settings, and the HTML report lists every question', async () => {
  const args = ['eval', 'questions.csv', '--against', 'writer=off', '--html', 'report.html', '--json']
  const { code, stdout, stderr } = await cairn(args)
  expect([code, stderr]).toEqual([0, expect.stringContaining('report.html')])
  const { runs } = JSON.parse(stdout)
  expect(runs.map(({ writer, judge, results }: Evaluated) => [writer, judge, results.length])).toEqual([
    ['writer-1', null, 3],
    [null, null, 3],
  ])
  // The model gives the same output for every question. Without it the passages are the answer.
  expect(runs[0].results.map(({ grade }: EvaluationResult) => grade).slice(0, 2)).toEqual(['right', 'wrong'])
  expect(runs[1].counts).toMatchObject({ right: 2, rightly_unanswered: 1 })
  const page = readFileSync(join(served.place, 'report.html'), 'utf8')
  for (const text of ['Why did pump 7 stop?', 'Who cleaned the filter', WRITTEN, 'expected: Ada Berg', 'writer=off']) {
    expect(page).toContain(text)
  }
  expect(page).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
  expect(page).not.toMatch(/<script|https?:\/\//)
  // The evaluation has been deleted.
  expect((await cairn(['api', 'listEvaluations', '--json'])).stdout).not.toContain('evaluation_id')
})

it('--min-right sets the exit code, and --judge names the grader', async () => {
  const failed = await cairn(['eval', '-', '--min-right', '0.9'], FILE)
  expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining('--min-right requires 90 %') })
  expect(failed.stdout).toMatch(/^wrong +[12]$/m)
  const judged = await cairn(['eval', 'questions.csv', '--judge', '--settings', 'preset=auto', '--min-right', '0.6'])
  expect(judged.code).toBe(0)
  expect(judged.stdout).toMatch(/^graded by +comparison, else writer-1$/m)
  expect(await cairn(['eval', 'questions.csv', '--settings', 'preset=fast', '--min-right', '1'])).toMatchObject({
    code: 0,
  })
})

it('reports invalid arguments before it asks anything', async () => {
  const asked = model.asked.length
  for (const [args, said] of [
    [['eval'], 'QUESTIONS_CSV is missing'],
    [['eval', 'nowhere.csv'], 'cannot be read'],
    [['eval', 'questions.csv', '--min-right', '80'], 'from 0 to 1'],
    [['eval', 'questions.csv', '--settings', 'speed=high'], '"speed=high" is not a valid setting'],
    [['eval', 'make', 'more'], 'takes only options'],
  ] as const) {
    expect(await cairn([...args])).toMatchObject({ code: 2, stderr: expect.stringContaining(said) })
  }
  expect(model.asked).toHaveLength(asked)
})

it('`eval make` drafts questions that `eval` accepts', async () => {
  const { code, stdout, stderr } = await cairn(['eval', 'make', '--count', '5', '--seed', '3'])
  expect([code, stderr]).toEqual([0, expect.stringMatching(/\d drafts?\. Correct the questions/)])
  expect(stdout).toMatch(/^question,expected,record,unanswerable\r\n.*“Pump 7”.*,rec_\w+,\r\n/)
  expect((await cairn(['eval', 'make', '--count', '5', '--seed', '3'])).stdout).toBe(stdout)
  expect(await cairn(['eval', '-', '--settings', 'writer=off'], stdout)).toMatchObject({ code: 0 })
})
