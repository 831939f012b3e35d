import { type AnswerOutcome, CHAT_ROLES, Choice, Type as T } from '@cairnstore/contract'
import { longestFit, oneLine, type SizeLimit } from '../size-limit.ts'
import { type RecordPointer, toPointer } from './record-pointer.ts'
import { outline, READS, type ToolResult, tool } from './tool.ts'

const TOKENS = 1_500
const TOKENS_MAX = 4_000
/** Share of the token limit that is for the answer. The rest is for its sources. */
const ANSWER_SHARE = 0.5
const TOKENS_MIN = 200
const WARNING_CHARS_MAX = 200
const WARNINGS_MAX = 3

export const ask = tool({
  name: 'ask',
  title: 'Ask',
  description: 'Answers a question in prose and lists its records. Start here.',
  role: 'viewer',
  annotations: READS,
  input: T.Object(
    {
      question: T.String(),
      history: T.Optional(T.Array(T.Object({ role: Choice(CHAT_ROLES), content: T.String() }))),
      reference_date: T.Optional(T.String({ description: '“Today”, YYYY-MM-DD.' })),
      time_zone: T.Optional(T.String()),
      project_id: T.Optional(T.String()),
      max_tokens: T.Optional(T.Integer({ description: `${TOKENS_MIN} to ${TOKENS_MAX}, default ${TOKENS}.` })),
    },
    { additionalProperties: false },
  ),
  output: outline({ answer: 'string', sources: 'array' }),
  tokensMax: ({ max_tokens: tokens = TOKENS }) => clamp(tokens),
  run: async (using, { question, history, reference_date, time_zone, project_id, max_tokens }, sizeLimit) => {
    const projectId = using.endpoint.project ?? project_id ?? null
    const body = {
      query: question,
      project_id: projectId,
      explain: true,
      max_tokens: Math.floor(clamp(max_tokens ?? TOKENS) * ANSWER_SHARE),
      ...(reference_date && { reference_date }),
      ...(time_zone && { time_zone }),
      ...(history && { history }),
    }
    const reply = await using.ctx.call('search', { body })
    const { answer, answer_id: answerId, outcome, nearest = [], records = [], warnings } = reply
    const shown = (outcome === 'nothing' ? nearest : records).map((each) =>
      toPointer(using, { ...each, id: each.record_id }),
    )
    const notes = warnings.slice(0, WARNINGS_MAX).map((each) => `Note: ${oneLine(each, WARNING_CHARS_MAX)}`)
    return fitResult(answer, { outcome, shown, answerId }, notes, sizeLimit)
  },
})

function clamp(tokens: number): number {
  return Math.min(Math.max(tokens, TOKENS_MIN), TOKENS_MAX)
}

/** Returns a result that fits the size limit. Drops sources from the end before it truncates the answer. */
function fitResult(
  answer: string,
  {
    outcome,
    shown,
    answerId,
  }: { outcome: AnswerOutcome; shown: readonly RecordPointer[]; answerId: string | undefined },
  notes: readonly string[],
  sizeLimit: SizeLimit,
): ToolResult {
  const lines = shown.map((each, at) => `[${at + 1}] ${sourceLine(each)}`)
  const heading = outcome === 'nothing' ? 'Nearest' : 'Sources'
  const answered = outcome === 'answered'
  const fits = ({ text, structured }: ToolResult) => sizeLimit.fits(text) && sizeLimit.fits(JSON.stringify(structured))
  const toResult = (whole: string, count: number, notesShown = notes): ToolResult => {
    const sources = count > 0 ? [`${heading}:\n${lines.slice(0, count).join('\n')}`] : []
    const id = answerId && { answer_id: answerId }
    const structured = { answer: whole, outcome, answered, ...id, sources: shown.slice(0, count), notes: notesShown }
    return { text: [whole, ...sources, ...notesShown].join('\n\n'), structured }
  }
  for (let count = lines.length; count > 0; count -= 1) {
    const result = toResult(answer, count)
    if (fits(result)) return result
  }
  const fittingNotes = fits(toResult('', 0)) ? notes : []
  const start = longestFit(answer, (part) => fits(toResult(part, 0, fittingNotes)))
  return toResult(start, 0, fittingNotes)
}

function sourceLine({ title, locator, date, url, id }: RecordPointer): string {
  return [title, locator, date, url, id].filter(Boolean).join(' — ')
}
