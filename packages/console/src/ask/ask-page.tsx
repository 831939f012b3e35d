import { Button } from '@mantine/core'
import { type ReactNode, useEffect, useRef } from 'react'
import { useSandboxes } from '../app/sandbox-chooser.tsx'
import { useCairn, useSession } from '../app/session.ts'
import { Shown } from '../parts/states.tsx'
import classes from './ask-page.module.css'
import { ask, forgetConversation, type Manner, useConversation } from './conversation.ts'
import { FirstSandbox } from './first-sandbox.tsx'
import { QuestionForm } from './question-form.tsx'
import { Starters } from './starters.tsx'
import { TurnShown } from './turn.tsx'

/** The first page: a question, its answer, and what each statement of it rests on. */
export function AskPage(): ReactNode {
  const sandboxes = useSandboxes()
  return (
    <Shown of={sandboxes}>{({ sandboxes: all }) => (all.length === 0 ? <FirstSandbox /> : <Conversation />)}</Shown>
  )
}

function Conversation(): ReactNode {
  const cairn = useCairn()
  const { sandboxId } = useSession()
  const turns = useConversation()
  const end = useRef<HTMLDivElement>(null)
  const put = (question: string, manner: Manner) => void ask(cairn, question, manner)
  useEffect(() => {
    if (turns.length > 1) void end.current?.scrollIntoView({ block: 'nearest' })
  }, [turns.length])
  const last = turns[turns.length - 1]
  const isAsking = last !== undefined && !last.answer && !last.error
  return (
    <div className={classes.page}>
      <div className={classes.top}>
        <h1>Ask</h1>
        {turns.length > 0 && (
          <Button variant="default" size="compact-sm" onClick={forgetConversation}>
            New conversation
          </Button>
        )}
      </div>
      {turns.length === 0 && sandboxId && <Starters onAsk={put} />}
      <div aria-live="polite">
        {turns.map((turn) => (
          <TurnShown key={turn.id} turn={turn} onAgain={() => put(turn.question, turn.manner)} />
        ))}
      </div>
      <div ref={end} />
      <QuestionForm onAsk={put} isAsking={isAsking} isFollowUp={turns.length > 0} />
    </div>
  )
}
