import { expect, it } from 'vitest'
import { asking, story } from '../../../../tests/harness/sample-stories.ts'
import { terms } from '../text/terms.ts'
import { analyseParts } from '../understand/parts.ts'
import { answerQuestion } from './answer.ts'

/** Small corpora without the requested information. */
const BODIES = [
  ['The kitchen closes at nine. Ivo Lind washes up.', 'Breakfast is at seven.'],
  ['Invoice 14 was paid by Norhaven in time.', 'Joost Hendriks sends reminders on Mondays.'],
  ['Fungi were counted near the mill. Ines Marker drew a map.'],
]

const echoed = (question: string) => `No record here answers “${question}”.`
const lacking = (things: string) => `No record mentions ${things}.`

it.each<[string, string]>([
  // English questions with a noun where only a noun is possible.
  ['Who owns a boat?', lacking('a boat')],
  ['Who owns the red canoe?', lacking('the red canoe')],
  ['Who bought our tractor?', lacking('tractor')],
  ['Where is the lighthouse?', lacking('the lighthouse')],
  ['Who cares for the swimming pool?', lacking('the swimming pool')],
  ['What did we decide for the orchard?', lacking('the orchard')],
  ['Which printers do we lease?', lacking('printers')],
  ['How many llamas are we feeding?', lacking('llamas')],
  ['Who paints in the gallery?', lacking('the gallery')],
  ['Who repaired an engine or a gearbox?', lacking('a gearbox')],
  ['Who broke the window last night?', lacking('the window')],
  ['What color is the sofa?', lacking('color or the sofa')],
  ['I have a question. Does Kim swim?', lacking('Kim')],
  ['WHO OWNS THE FERRY?', lacking('THE FERRY')],
  // Questions with names of people and things.
  ["Who owns Lena's boat?", lacking('Lena')],
  ['Who should I ask about Kubernetes?', lacking('Kubernetes')],
  ['What did Zora Quill adopt?', lacking('Zora Quill')],
  ['When did Zora and Milo marry?', lacking('Zora or Milo')],
  ['Who is the CEO of Marrow Foods?', lacking('the CEO of Marrow Foods')],
  ['Who works at the Marrow office?', lacking('Marrow')],
  ["What is Rupert's phone number?", lacking('Rupert')],
  ['Does Rupert Vane sing?', lacking('Rupert Vane')],
  ['Wem gehört das Boot?', lacking('Boot')],
  ['Wann fährt die Fähre nach Norddeich?', lacking('Fähre or Norddeich')],
  ['Wer streicht den Leuchtturm?', lacking('Leuchtturm')],
  ['Warum ist der Traktor kaputt?', lacking('Traktor')],
  ['Wie teuer war das Klavier?', lacking('Klavier')],
  ['Wer hat Lenas Boot gekauft?', lacking('Lenas Boot')],
  ['Qui possède le bateau de Margaux ?', lacking('Margaux')],
  ['Où habite Thibault Renaud ?', lacking('Thibault Renaud')],
  ['¿Dónde vive Lucía Ferrer?', lacking('Lucía Ferrer')],
  ['Chi ha venduto la barca di Chiara?', lacking('Chiara')],
  ['Onde mora Beatriz Falcão?', lacking('Beatriz Falcão')],
  ['Waar woont Sanne Bakker?', lacking('Sanne Bakker')],
  ['Who wants to emigrate?', 'Nothing here says who wants to emigrate.'],
  // Where a verb is possible, or in languages with lower-case nouns, the message repeats the question.
  ...[
    'Does the boat leak?',
    'When was the valve replaced?',
    'Who swims?',
    'Does this rattle?',
    'Why did the old piano crack?',
    'Wo wohnen Sie?',
    'Qui possède un bateau?',
    'Quand le bateau a-t-il coulé?',
    '¿Quién tiene el barco?',
    '¿Quién quiere nadar?',
    'Chi possiede una barca?',
    'Quem comprou um barco?',
    'Wie heeft de boot gerepareerd?',
    'Wie wil er zwemmen?',
  ].map((question): [string, string] => [question, echoed(question)]),
])('a refusal names things as the question spells them, and no verb: %s', (query, expected) => {
  for (const texts of BODIES) {
    const held = new Set(texts.flatMap((text) => terms(text)))
    const corpus = { records: 1_000, degreeOf: (term: string) => (held.has(term) ? 2 : 0) }
    const records = texts.map((text, at) => story(`rec_${at}`, at + 1, { text, type: 'document' }))
    const asked = analyseParts(query, terms)
    const { outcome, brief } = answerQuestion(asking(query, records, { terms, corpus, asked }))
    expect(outcome).not.toBe('answered')
    expect(brief.split(' The closest:')[0]).toBe(expected)
  }
})
