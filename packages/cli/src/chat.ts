import { createInterface } from 'node:readline'
import { operations, type SearchAnswer } from '@cairnstore/contract'
import { askedOf, CONTINUE, tellAnswer } from './ask.ts'
import { call } from './call.ts'
import { openTalk, type Talk } from './conversations.ts'
import { Failure, usageFailure } from './failure.ts'
import { note, print } from './output.ts'
import type { OwnCommand } from './own-command.ts'
import { sandboxOf } from './sandbox-of.ts'
import { readSettings, type Settings } from './settings.ts'
import type { Options, Typed } from './typed.ts'

const { search } = operations

/** The exit code of a command that was ended with Ctrl-C. */
const INTERRUPTED = 130
const PROMPT = '> '

/** The command that asks one question after another. */
export const CHAT: OwnCommand = {
  words: ['chat'],
  operands: '',
  summary: 'Ask one question after another, each in the light of those before',
  about:
    'Takes a question a line, typed or from a pipe, until the end of what is read (Ctrl-D). With --json each reply ' +
    'is a line. `cairn ask --continue` goes on with it later.',
  access: search.access,
  given: {},
  options: { continue: CONTINUE },
  operation: search,
  without: ['query', 'history'],
  isInside: true,
  examples: ['chat', 'chat --sandbox "Field notes" --reference-date 2026-06-20', 'chat --json < questions.txt'],
  run: chat,
}

async function chat({ operands, options }: Typed): Promise<number> {
  if (operands[0] !== undefined) {
    throw usageFailure(`"${operands[0]}" is one too many: the questions are typed. \`cairn ask\` takes one with it.`)
  }
  const settings = readSettings(search.access, options)
  const sandboxId = await sandboxOf(settings)
  const talk = openTalk(settings, sandboxId, { goesOn: options.continue === true })
  const isTyped = process.stdin.isTTY === true
  if (isTyped) note(settings, 'Ask one question after another; Ctrl-D ends.')
  for await (const question of questions(isTyped)) {
    try {
      await answerTo(question, { options, settings, sandboxId, talk, isTyped })
    } catch (error) {
      // Whoever types can ask otherwise; the questions of a pipe rest on those before.
      if (!isTyped || !(error instanceof Failure)) throw error
      process.stderr.write(`cairn: ${error.message}\n`)
    }
  }
  return 0
}

/** The lines that hold something, each when it is asked for. */
async function* questions(isTyped: boolean): AsyncGenerator<string> {
  const lines = createInterface({ input: process.stdin, ...(isTyped && { output: process.stdout }), prompt: PROMPT })
  lines.on('SIGINT', () => process.exit(INTERRUPTED))
  if (isTyped) lines.prompt()
  for await (const line of lines) {
    if (line.trim() !== '') yield line.trim()
    if (isTyped) lines.prompt()
  }
}

interface Chat {
  options: Options
  settings: Settings
  sandboxId: string
  talk: Talk
  isTyped: boolean
}

async function answerTo(question: string, { options, settings, sandboxId, talk, isTyped }: Chat): Promise<void> {
  const asked = askedOf(question, options, sandboxId, talk.turns)
  if (options.json) {
    const answer = (await call(search, asked, settings)) as SearchAnswer
    talk.add(question, answer.answer)
    return print(`${JSON.stringify(answer)}\n`)
  }
  // What was typed stands there already.
  if (!isTyped) await print(`${PROMPT}${question}\n`)
  const { answer } = await tellAnswer(asked, options, settings)
  talk.add(question, answer)
  await print('\n')
}
