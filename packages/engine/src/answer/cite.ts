import { plainLine } from '../text/clean-text.ts'
import { ownTerms } from '../understand/question.ts'
import type { BriefEntity, BriefInput, BriefRecord, Citation } from './brief.ts'
import { nameWords } from './names.ts'
import { isMessage, typeWords } from './states.ts'

const CITATIONS_MAX = 10
const DECIMALS = 1000
// An entity that a statement names has more weight than an entity that only the statement's record has.
/** Weights of the first statement and of each further one. */
const WEIGHT = { first: 3, further: 1 }
const SHARE = { named: 1, carried: 0.25, asked: 0.6, pinned: 0.4, record: 0.5 }

/** Returns at most ten canonical entities, and records without entities, by their share in answer and question. */
export function citeEntities(
  statements: readonly { readonly text: string; readonly recordIds: readonly string[] }[],
  records: readonly BriefRecord[],
  input: BriefInput,
): Citation[] {
  const byId = new Map(records.map((record) => [record.id, record]))
  const asked = ownTerms(input.asked.whole)
  const pinned = new Set(input.tuples.flat())
  const spelt = new Map<string, string[]>()
  const spellings = (entity: BriefEntity): string[] => {
    const known = spelt.get(entity.canonicalId)
    if (known) return known
    const names = [entity.name, ...(entity.aliases ?? [])].map((name) => ` ${nameWords(name).join(' ')} `)
    spelt.set(entity.canonicalId, names)
    return names
  }
  const scores = new Map<string, { name: string; score: number }>()
  const add = (id: string, name: string, amount: number): void => {
    const known = scores.get(id)
    if (known) known.score += amount
    else scores.set(id, { name, score: amount })
  }
  for (const [at, { text, recordIds }] of statements.entries()) {
    const words = ` ${nameWords(text).join(' ')} `
    const share = at === 0 ? WEIGHT.first : WEIGHT.further
    for (const recordId of recordIds) {
      const record = byId.get(recordId)
      if (!record) continue
      if (record.entities.length === 0) {
        add(
          record.id,
          plainLine(record.title ?? '') || recordName(record.type, record.author?.name, isMessage(record)),
          share * SHARE.record,
        )
      }
      for (const entity of record.entities) {
        const named = spellings(entity).some((name) => words.includes(name))
        add(
          entity.canonicalId,
          plainLine(entity.name),
          (share * (named ? SHARE.named : SHARE.carried)) / recordIds.length ** 0.5,
        )
      }
    }
  }
  for (const [id, each] of scores) {
    const terms = new Set(input.terms(each.name))
    const shared = [...terms].filter((term) => asked.has(term)).length
    if (terms.size > 0) each.score += SHARE.asked * (shared / terms.size)
    if (pinned.has(id)) each.score += SHARE.pinned
  }
  const ranked = [...scores].sort((a, b) => b[1].score - a[1].score || (a[0] < b[0] ? -1 : 1)).slice(0, CITATIONS_MAX)
  const most = Math.max(ranked[0]?.[1].score ?? 1, 1)
  return ranked.map(([id, each]) => ({
    canonical_id: id,
    name: each.name,
    relevance: Math.min(1, Math.max(1 / DECIMALS, Math.round((each.score / most) * DECIMALS) / DECIMALS)),
  }))
}

function recordName(type: string, author: string | undefined, message: boolean): string {
  return message && author ? `${typeWords(type)} by ${plainLine(author)}` : typeWords(type)
}
