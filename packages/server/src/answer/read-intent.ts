import { type Discover, type Interpret, PRESETS, type Preset } from '@cairnstore/contract'
import { rowNounsOf } from '@cairnstore/engine/tables'
import { dayOf, MS_PER_DAY, terms, writeDay } from '@cairnstore/engine/text'
import {
  analyseQuestion,
  type DatedEvent,
  type Intent,
  type QuestionEvent,
  type TimeSpan,
  understand,
  withEvent,
} from '@cairnstore/engine/understand'
import { Fault } from '../base/fault.ts'
import { readRecords } from '../store/read-records.ts'
import type { ReadSnapshot } from '../store/read-snapshot.ts'
import type { SandboxView } from '../store/sandbox-view.ts'
import type { AccessScope } from '../tenancy/access/access-scope.ts'
import type { AnswerCtx } from './context.ts'
import { isEnglishWord } from './dictionary.ts'
import { readReferenceTime } from './reference-time.ts'

/**
 * Maximum number of records that are searched for an event, the same for an event named by an issue key, and the
 * minimum score of a record relative to the best one.
 */
const EVENT_RECORDS = 10
const EVENT_RECORDS_OF_KEY = 50
const EVENT_SCORE_MIN = 0.5
/**
 * Maximum number of characters of a record in which the name of an event is searched. All words must match, because a
 * single word may refer to another event.
 */
const EVENT_CHARS_READ = 4_000

/**
 * Maximum number of records in a sandbox for answering any question in the form of a table query from rows. In a larger
 * sandbox the question must also name a record type, because reading the rows takes 50 ms per 1,000 records.
 */
const ALWAYS_TYPED_MAX = 1_000

/**
 * Interprets a question against the records in scope, and dates an event that the question uses as a time. Relative
 * dates count from the reference date, by default today in the question's time zone. Throws `validation_error` for an
 * invalid date or time zone.
 */
export async function readIntent(
  ctx: Pick<AnswerCtx, 'clock'>,
  asked: Pick<Discover | Interpret, 'query' | 'history' | 'reference_date' | 'time_zone'>,
  view: SandboxView,
  { scope }: Pick<ReadSnapshot, 'scope'>,
): Promise<Intent> {
  const { referenceDate, timeZone } = readReferenceTime(asked, ctx.clock.now())
  // Under a customer-managed key, the graph has encrypted types, which cannot be looked up by name.
  const isAnyForm = view.seal !== undefined || view.graph.recordCount <= ALWAYS_TYPED_MAX
  const rowNouns = isAnyForm ? undefined : rowNounsOf(view.graph.typesIn(scope))
  const known = { graph: view.graph, hash: view.hash, isWord: isEnglishWord }
  const { history } = asked
  const intent = understand(asked.query, { history, referenceDate, timeZone, view: known, scope, rowNouns })
  const found = intent.event && (await findEvent(view, scope, intent.event))
  return found ? withEvent(intent, found, view.hash) : intent
}

/** Returns the date of an event, from the record about it or, with less certainty, from one that mentions it. */
async function findEvent(
  view: SandboxView,
  scope: ReadSnapshot['scope'],
  { side, name, said, isUnplanned }: QuestionEvent,
): Promise<DatedEvent | undefined> {
  const question = analyseQuestion(name, [], view.hash)
  const [keyed] = /\d$/.test(name) ? view.graph.entitiesNamed(question, scope) : []
  const ids = keyed
    ? view.graph.recordsOf(keyed, scope, EVENT_RECORDS_OF_KEY)
    : (await view.ranking.candidates(question, scope, EVENT_RECORDS)).flatMap(({ id, score }) =>
        score < EVENT_SCORE_MIN ? [] : id,
      )
  const records = await readRecords(view, ids)
  const named = terms(name)
  const containsName = (text: string) => {
    const found = new Set(terms(text))
    return named.every((term) => found.has(term))
  }
  const dated = ids.flatMap((id) => {
    const { title = '', text = '', external_id: key, occurred_at: at } = records.get(id)?.content ?? {}
    const isTitled = keyed !== undefined || containsName(title)
    const isAboutEvent = isTitled || containsName(`${title}\n${text.slice(0, EVENT_CHARS_READ)}`)
    return at === undefined || !isAboutEvent ? [] : [{ atMs: Date.parse(at), label: title || key, isTitled }]
  })
  if (isUnplanned) dated.sort((one, other) => one.atMs - other.atMs)
  const [first] = dated
  if (!first) return undefined
  const range = rangeOf(side, first.atMs)
  if (!view.graph.occursIn(range, scope)) return undefined
  return {
    range,
    isSure: first.isTitled,
    note: `“${said}” is counted from ${writeDay(dayOf(first.atMs))}, the day of “${first.label}”.`,
  }
}

function rangeOf(side: QuestionEvent['side'], atMs: number): TimeSpan {
  const dayMs = dayOf(atMs) * MS_PER_DAY
  if (side === 'before') return { fromMs: Number.NEGATIVE_INFINITY, toMs: dayMs }
  return { fromMs: dayMs, toMs: side === 'during' ? dayMs + MS_PER_DAY : Number.POSITIVE_INFINITY }
}

/** A question whose preset is one of `PRESETS` or null. */
export type WithPreset<Given> = Omit<Given, 'preset'> & { preset: Preset | null }

/** Throws `sandbox_not_active` if the sandbox does not accept queries. */
export function assertQueryable({ status }: AccessScope): void {
  if (status !== 'active') throw new Fault('sandbox_not_active')
}

/**
 * Returns the question with its effective preset and notes for the caller. An unknown preset, such as the name of a
 * model, is replaced by `auto`, with a note. Throws `preset_reserved` for `max`, and `sandbox_not_active` if the
 * sandbox does not accept queries.
 */
export function parsePreset<Given extends { preset?: string | null | undefined }>(
  access: AccessScope,
  given: Given,
): { asked: WithPreset<Given>; notes: string[] } {
  const { preset: named = null } = given
  if (named === 'max') throw new Fault('preset_reserved')
  assertQueryable(access)
  const own = PRESETS.find((preset) => preset === named)
  if (own || named === null) return { asked: { ...given, preset: own ?? null }, notes: [] }
  const note = `Unknown preset ${named}; auto was used instead.`
  return { asked: { ...given, preset: 'auto' }, notes: [note] }
}
