import { expect, test } from 'vitest'
import { inAll } from '../lexicon/languages.ts'
import { encodeBlocks } from './block.ts'
import { tasksIn } from './tasks.ts'

const [MARK = ''] = inAll('taskMarks')
const text = `# Minutes
${MARK} lists are long.

## To do
- [x] **Jon:** send the key list
- [ ] Odile: order the marquee
- ${MARK}(jon): ask about the pump
- the flyer is printed

${MARK}:

The word ${MARK} stands in this line.`

test('what a text lists as to do is its items with a box and its lines that begin with such a mark and a colon', () => {
  const tasks = [
    { text: 'Jon: send the key list', isDone: true, heading: 'To do' },
    { text: 'Odile: order the marquee', isDone: false, heading: 'To do' },
    { text: 'ask about the pump', isDone: false, heading: 'To do' },
  ]
  expect(tasksIn(text)).toEqual(tasks)
  expect(tasksIn(text, encodeBlocks(text))).toEqual(tasks)
  expect(tasksIn('The list [of things] to do is long.')).toEqual([])
  expect(tasksIn('')).toEqual([])
})
