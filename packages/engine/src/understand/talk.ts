import { type ChatMessage, HISTORY_TURNS } from '@cairnstore/contract'
import { anyOf } from '../lexicon/entries.ts'
import { anyIn, STANDING_FOR } from '../lexicon/languages.ts'
import { terms } from '../text/terms.ts'
import { pattern } from '../text/words.ts'

/** What a question takes from the talk that it is asked in. */
export interface Talk {
  /** What the latest turns said, oldest first. */
  turns: string[]
  /** The questions before this one, oldest first. */
  questions: string[]
  /** What it is about by the questions before it; empty when it says so itself. */
  subject: string
}

const REFERS = new RegExp(`\\b(?:${anyOf(STANDING_FOR)}|${anyIn('pointingWords')})\\b`, 'i')
const OPENS = pattern('i', `^\\W*${anyIn('talkOpenings')}\\b|^\\W*${anyIn('talkAlone', 'questionWords')}\\W*$`)
/** "What is still open?" says too little by itself; a name or a number says enough. */
const TELLING_TERMS_MIN = 3
const NAMES = /\S\s+["'(“]?\p{Lu}|\d/u
/** Characters of earlier questions that are read for what they are about, which the brief looks for in every record. */
const SUBJECT_CHARS = 1_000
/** Questions that are looked back to for a subject. */
const LOOKED_BACK = 3

/** Reads the turns before a question. */
export function readTalk(query: string, history: readonly ChatMessage[] | undefined): Talk {
  const questions = historyTexts(history?.filter(({ role }) => role === 'user'))
  return { turns: historyTexts(history), questions, subject: leansBack(query) ? subjectOf(questions) : '' }
}

/** Whether a question says only with those before it what it is about: "and who owns it?" */
function leansBack(question: string): boolean {
  const query = question.slice(0, SUBJECT_CHARS)
  if (REFERS.test(query) || OPENS.test(query)) return true
  return !NAMES.test(query) && terms(query).length < TELLING_TERMS_MIN
}

/** The latest question that says what it is about, and those after it that lean on it, shortened. */
function subjectOf(questions: readonly string[]): string {
  const latest = questions.slice(-LOOKED_BACK)
  const from = latest.findLastIndex((question) => !leansBack(question))
  return latest.slice(Math.max(0, from)).join(' ').slice(0, SUBJECT_CHARS)
}

/**
 * What the latest turns said, oldest first, each up to `TURN_CHARS_READ`. Instructions of a `system` turn are not part
 * of the question.
 */
function historyTexts(history: readonly ChatMessage[] | undefined): string[] {
  return (history ?? [])
    .slice(-HISTORY_TURNS)
    .filter((turn) => turn.role !== 'system')
    .map((turn) => turn.content.slice(0, TURN_CHARS_READ))
}

/** Characters of one turn that are read: what a question is about stands at its beginning. */
const TURN_CHARS_READ = 4_000
