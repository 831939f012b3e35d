import type { Candidate, Material } from './candidates.ts'
import type { Piece } from './frame.ts'
import type { Scored } from './select.ts'
import { LEANS_BACK } from './traits.ts'

// What follows a part's answer in its record, so that the answer is not lost in it.
const AFTER_ANSWER_MAX = 1

/** One piece a record: the answer's first, from its answer on, then in order of time where known, else of relevance. */
export function toPieces(chosen: readonly Scored[], answer: Scored, { records }: Material): Piece[] {
  const byRecord = new Map<number, Candidate[]>()
  for (const each of chosen) byRecord.set(each.record, [...(byRecord.get(each.record) ?? []), each])
  const rank = (record: number): number => records[record]!.occurredAtMs ?? Number.MAX_SAFE_INTEGER
  const pieces = [...byRecord].map(([record, candidates]): Piece => {
    const made = candidates.filter((each) => each.source !== 'sentence')
    const said = candidates.filter((each) => each.source === 'sentence').sort((a, b) => a.position - b.position)
    if (!said.includes(answer)) return { record, candidates: [...made, ...said] }
    return { record, candidates: [...fromAnswer(said, answer), ...made] }
  })
  return pieces.sort(
    (a, b) =>
      Number(b.record === answer.record) - Number(a.record === answer.record) ||
      rank(a.record) - rank(b.record) ||
      a.record - b.record,
  )
}

/** What a record says from its answer on, then what stands before that; with what the answer's first word points to. */
function fromAnswer(said: readonly Candidate[], answer: Scored): Candidate[] {
  const at = said.indexOf(answer)
  const before = said[at - 1]
  const isPointedTo = before !== undefined && before.position === answer.position - 1 && LEANS_BACK.test(answer.text)
  const from = isPointedTo ? at - 1 : at
  return [...said.slice(from), ...said.slice(0, from)]
}

/** The answers of a question's parts as pieces, in the order asked, then whatever else is told. */
export function toAnswerPieces(
  runs: readonly (readonly Scored[])[],
  others: readonly Scored[],
  material: Material,
): Piece[] {
  const pieces: Piece[] = []
  for (const run of runs) {
    const [first] = run
    if (!first) continue
    const last = pieces[pieces.length - 1]
    if (last && last.record === first.record && follows(last.candidates, first)) last.candidates.push(...run)
    else pieces.push({ record: first.record, candidates: [...run] })
  }
  const rest: Scored[] = []
  const added = new Map<Piece, number>()
  for (const each of others) {
    const own = pieces.find((piece) => piece.record === each.record)
    if (!own) rest.push(each)
    else if (follows(own.candidates, each) && (added.get(own) ?? 0) < AFTER_ANSWER_MAX) {
      own.candidates.push(each)
      added.set(own, (added.get(own) ?? 0) + 1)
    }
  }
  const [head] = rest
  return head ? [...pieces, ...inTime(rest, material)] : pieces
}

/** Pieces in order of time, those of none last. */
export function inTime(rest: readonly Scored[], material: Material): Piece[] {
  const { records } = material
  const rank = ({ record }: Piece): number => records[record]!.occurredAtMs ?? Number.MAX_SAFE_INTEGER
  return toPieces(rest, rest[0]!, material).sort((a, b) => rank(a) - rank(b) || a.record - b.record)
}

function follows(told: readonly Candidate[], next: Candidate): boolean {
  const last = told[told.length - 1]!
  return last.source === 'sentence' && next.source === 'sentence' && next.position > last.position
}
