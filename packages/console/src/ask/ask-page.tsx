import { Button } from '@mantine/core'
import { Plus } from 'lucide-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useCairn, useSession } from '../app/session.ts'
import { useSandboxes } from '../app/shared-queries.ts'
import { Page } from '../parts/page.tsx'
import { QueryView } from '../parts/states.tsx'
import { NewSandbox } from '../sandboxes/new-sandbox.tsx'
import classes from './ask-page.module.css'
import { ask, forgetConversation, type SearchOptions, useConversation } from './conversation.ts'
import { QuestionForm } from './question-form.tsx'
import { Starters, useDefaultOptions } from './starters.tsx'
import { TurnView } from './turn.tsx'

/** Shows the first page: the question form, and each answer with the records that support its statements. */
export function AskPage(): ReactNode {
  const sandboxes = useSandboxes()
  return (
    <QueryView of={sandboxes}>
      {({ sandboxes: all }) => (all.length === 0 ? <NewSandbox /> : <Conversation />)}
    </QueryView>
  )
}

function Conversation(): ReactNode {
  const cairn = useCairn()
  const { sandboxId } = useSession()
  const turns = useConversation()
  const latest = useRef<HTMLDivElement>(null)
  const usual = useDefaultOptions()
  const [chosen, setChosen] = useState<SearchOptions>()
  const put = (question: string, how: SearchOptions) => void ask(cairn, question, how)
  useEffect(() => {
    if (turns.length > 1) void latest.current?.lastElementChild?.scrollIntoView({ block: 'start' })
  }, [turns.length])
  const last = turns[turns.length - 1]
  const isAsking = last !== undefined && !last.answer && !last.error
  // A follow-up keeps the options of the previous question until the user changes them.
  const manner = chosen ?? last?.manner ?? usual
  const forget = () => {
    forgetConversation()
    setChosen(undefined)
  }
  return (
    <Page
      title="Ask"
      about={!last && 'Each statement of an answer shows the records that support it.'}
      beside={last && <NewConversation onBegin={forget} />}
    >
      {last && (
        <div ref={latest} aria-live="polite">
          {turns.map((turn) => (
            <TurnView key={turn.id} turn={turn} onAgain={() => put(turn.question, turn.manner)} />
          ))}
        </div>
      )}
      <div className={last ? classes.next : classes.first}>
        <QuestionForm
          manner={manner}
          onManner={setChosen}
          onAsk={(question) => put(question, manner)}
          isAsking={isAsking}
          isFollowUp={last !== undefined}
        />
      </div>
      {!last && sandboxId && <Starters onAsk={put} />}
    </Page>
  )
}

function NewConversation({ onBegin }: { onBegin: () => void }): ReactNode {
  return (
    <Button variant="default" size="compact-sm" leftSection={<Plus />} onClick={onBegin}>
      New conversation
    </Button>
  )
}
