import { expect, it } from 'vitest'
import { terms } from '../text/terms.ts'
import { analyseParts } from './parts.ts'

it.each([
  ["What is Lena's shoe size?", "what Lena's shoe size is"],
  ['What is Joan Petrie’s shoe size?', 'what Joan Petrie’s shoe size is'],
  ['What was the price of the piano?', 'what the price of the piano was'],
  ['When was Sunil Rao born?', 'when Sunil Rao was born'],
  ['What colour is Kittiwake?', 'what colour Kittiwake is'],
  ['How old is Lena?', 'how old Lena is'],
  ["Who is Jonas's line manager?", "who Jonas's line manager is"],
  ['Where will Lena move?', 'where Lena will move'],
  ['What has Lena bought?', 'what Lena has bought'],
  ['Who pays Ines Aldana?', 'who pays Ines Aldana'],
  ['How deep is the river at Mill Weir?', 'how deep the river at Mill Weir is'],
  ['What is Ana doing?', 'what Ana is doing'],
])('%s asks for %s', (query, unsaid) => {
  expect(analyseParts(query, terms).spelt.missing).toBe(unsaid)
})

it.each([
  'How much does Lena earn?',
  'What is the boat like?',
  'What is the team doing?',
  "What is Lena's dog called?",
  'What about the boat?',
  'What is the gate code?',
  'Is Lena tall?',
  'Who?',
  'What is Lena, and who pays her?',
  'Wo wohnt Lena?',
  'Lena shoe size',
  'What is Birgit Stahl phone number?',
  'Where is the boat now?',
])('%s makes no such clause', (query) => {
  expect(analyseParts(query, terms).spelt.missing).toBeUndefined()
})
