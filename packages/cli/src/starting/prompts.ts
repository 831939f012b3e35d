import { Failure } from '../failure.ts'
import type { Options } from '../typed.ts'

/** Questions to a person at a terminal. Each throws Failure when the person leaves. */
export interface Asking {
  text(question: string, likely: string): Promise<string>
  secret(question: string): Promise<string>
  choose(question: string, choices: readonly { value: string; label: string }[]): Promise<string>
}

const USUAL_COLUMNS = 80
const USUAL_ROWS = 24

/** Somebody to ask: nobody where there is no terminal, or where programs read what is printed. */
export async function openAsking(options: Options): Promise<Asking | undefined> {
  const isAtTerminal = process.stdin.isTTY === true && process.stdout.isTTY === true
  if (!isAtTerminal || options.json === true || options.quiet === true) return undefined
  // A terminal that does not say its size would be written to one letter a line.
  process.stdout.columns ||= USUAL_COLUMNS
  process.stdout.rows ||= USUAL_ROWS
  const { password, select, text } = await import('@clack/prompts')
  // Whoever leaves answers with a symbol.
  const answered = (answer: string | symbol): string => {
    if (typeof answer === 'string') return answer
    throw new Failure('Left. Nothing was kept.', { error: 'left', detail: 'Left. Nothing was kept.' })
  }
  return {
    text: async (message, likely) => answered(await text({ message, placeholder: likely, defaultValue: likely })),
    secret: async (message) => answered(await password({ message })),
    choose: async (message, choices) => answered(await select({ message, options: [...choices] })),
  }
}
