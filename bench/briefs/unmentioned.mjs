// Questions about things that a corpus does not mention: forms of questions, filled with names of another corpus.
import { sampled } from './sampled.mjs'

const FORMS = [
  'Who is NAME?',
  'What is NAME?',
  'When did NAME start?',
  'Who should I ask about NAME?',
  'What do we know about NAME?',
  'Why was NAME chosen?',
  'Where is NAME?',
  'How many people work on NAME?',
  'What did NAME say about the budget?',
  'what happened with NAME last month',
  'Is NAME still open?',
  'how much does NAME cost',
]
const WORDS_MAX = 4
const SMALL_CHARS_MAX = 3

/** @param {string} text */
function plain(text) {
  return ` ${(text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? []).join(' ')} `
}

/** Whether all its words but small ones are written with capitals. @param {string} title */
function isName(title) {
  return title.split(' ').every((word, at) => /^\p{Lu}/u.test(word) || (at > 0 && word.length <= SMALL_CHARS_MAX))
}

/**
 * @param {readonly import('../sandbox.mjs').Sent[]} records  which must not mention what is asked about
 * @param {readonly import('../sandbox.mjs').Sent[]} others  whose titles are the names
 * @param {number} count
 * @param {string} seed
 */
export function unmentioned(records, others, count, seed) {
  const held = plain(records.map((record) => JSON.stringify(record)).join('\n'))
  const names = [...new Set(others.map(({ title = '' }) => title.replace(/\s*\(.*\)$/, '')))]
  const strange = names.filter((name) => {
    const words = plain(name).trim().split(' ')
    return isName(name) && words.length <= WORDS_MAX && !held.includes(plain(name))
  })
  return sampled(
    strange.map((id) => ({ id })),
    count,
    seed,
  ).map(({ id: name }, at) => ({
    id: `unmentioned/${name}`,
    // Half of them as people write who write no capitals.
    text: (FORMS[at % FORMS.length] ?? '').replace(
      'NAME',
      at % (2 * FORMS.length) < FORMS.length ? name : name.toLowerCase(),
    ),
    gold: new Map(),
  }))
}
