import { expect, test } from 'vitest'
import { foldText, wordsOfFolded } from '../text/words.ts'
import { readBroad } from './broad.ts'
import { kindOf } from './question.ts'

/** Classifies a question in which the given words are the name of an entity. */
function read(text: string, name = '', { isOfPeople = true, isAlone = true } = {}) {
  const words = wordsOfFolded(foldText(text)).map((word) => word.text)
  const [first, ...rest] = wordsOfFolded(foldText(name)).map((word) => word.text)
  const at = first === undefined ? -1 : words.indexOf(first)
  const names = at < 0 ? [] : [{ at, length: rest.length + 1, entityIds: ['ent_1'], isOfPeople }]
  return readBroad({ text, kind: kindOf(text.toLowerCase()) ?? 'overview', isAlone }, names)
}

test.each(['Hello!', 'Good morning', 'thanks a lot', 'Vielen Dank', 'Merci beaucoup', '¡Hola!'])(
  '%s is a courtesy, in a talk too',
  (text) => {
    expect(read(text)).toEqual({ of: 'courtesy' })
    expect(read(text, '', { isAlone: false })).toEqual({ of: 'courtesy' })
  },
)

test.each([
  'What do you know?',
  'What topics are there here?',
  'Tell me about the company.',
  'Summarise everything',
  'What happened?',
  'Was gibt es für Themen?',
  'What topics are in my notes?',
  'what is in here',
  'what have I saved',
  'summarise my notes',
  'Which subjects do I write about most?',
  'What kinds of things are stored here?',
  'What do my documents talk about?',
  'Welche Themen stehen in meinen Notizen?',
  'Quels sont les sujets de mes notes ?',
])('%s asks for everything, where it leaves nothing to the turns before it', (text) => {
  expect(read(text)).toEqual({ of: 'everything' })
  expect(read(text, '', { isAlone: false })).toBeUndefined()
})

test.each([
  ['Who is Mira Holt?', 'Mira Holt', false],
  ['Tell me about Mira Holt, please', 'Mira Holt', false],
  ['Wer ist Mira Holt?', 'Mira Holt', false],
  ['Mira Holt', 'Mira Holt', false],
  ['What is Mira Holt working on right now?', 'Mira Holt', true],
  ['What does Mira Holt work on?', 'Mira Holt', true],
])('%s asks for a person', (text, name, asksWork) => {
  expect(read(text, name)).toEqual({ of: 'thing', entityIds: ['ent_1'], nameGoesOn: [], asksWork })
})

test('a name may go on in words that the name found does not hold', () => {
  expect(read('Who is Mira Holt?', 'Mira')).toMatchObject({ nameGoesOn: ['holt'] })
  expect(read('Who is Mira today?', 'Mira')).toBeUndefined()
  expect(read('Which Holt is Mira?', 'Mira')).toBeUndefined()
})

test.each([
  ['What did Mira Holt decide?', 'Mira Holt'],
  ['When is Mira Holt back?', 'Mira Holt'],
  ['Why is Mira Holt here?', 'Mira Holt'],
  ['How many reports does Mira Holt have?', 'Mira Holt'],
  ['What is still open?', ''],
  ['What is the deadline?', ''],
  ['Who wrote the notes?', ''],
  ['How many documents are there?', ''],
  ['What is stored?', ''],
  ['What is a talk?', ''],
  ['What did I write about the gate?', ''],
  ['Who is responsible for the gate?', ''],
  ['', ''],
  ['???', ''],
])('“%s” asks for something', (text, name) => {
  expect(read(text, name)).toBeUndefined()
})

test('an entity that is not a person does not answer a "who" question', () => {
  expect(read('Who is on Atlas?', 'Atlas', { isOfPeople: false })).toBeUndefined()
  expect(read('What is Atlas?', 'Atlas', { isOfPeople: false })).toMatchObject({ of: 'thing' })
})

test('a long text is not broad, whatever it says', () => {
  expect(read('hello '.repeat(1_000))).toBeUndefined()
})
