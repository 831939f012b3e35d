import { Button } from '@mantine/core'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useCairn, useSession } from '../app/session.ts'
import { useSandboxes } from '../app/shared-queries.ts'
import { t } from '../language/language.ts'
import { Page } from '../parts/page.tsx'
import { plain } from '../parts/plain.ts'
import { ErrorMessage, Loading, QueryView } from '../parts/states.tsx'
import { NewSandbox } from '../sandboxes/new-sandbox.tsx'
import classes from './ask-page.module.css'
import { ask, forgetAnswered, forgetAsked, type QuestionTurn, type SearchOptions } from './conversation.ts'
import { QuestionForm } from './question-form.tsx'
import { RecentAnswers } from './recent-answers.tsx'
import { Starters, useDefaultOptions } from './starters.tsx'
import { TurnView } from './turn.tsx'
import { useConversation } from './use-conversation.ts'

/** Maximum number of earlier answers in an address. */
const EARLIER_MAX = 20

/** Shows the first page or the page of an answer: the question form, and each answer with its records. */
export function AskPage(): ReactNode {
  const sandboxes = useSandboxes()
  return (
    <QueryView of={sandboxes}>
      {({ sandboxes: all }) => (all.length === 0 ? <NewSandbox /> : <ConversationPage />)}
    </QueryView>
  )
}

function ConversationPage(): ReactNode {
  const cairn = useCairn()
  const { sandboxId } = useSession()
  const navigate = useNavigate()
  const { answerId } = useParams({ strict: false })
  const { after: earlier = '' } = useSearch({ strict: false })
  const after = earlier === '' ? [] : earlier.split('.').slice(-EARLIER_MAX)
  const { turns, isLoading, error, missing } = useConversation(answerId, after)
  const usual = useDefaultOptions()
  const [chosen, setChosen] = useState<SearchOptions>()
  const last = turns[turns.length - 1]
  const isAsking = last !== undefined && !last.answer && !last.error
  const { answerId: nextId, after: nextAfter } = addressAfter(turns) ?? {}
  useEffect(() => {
    if (answerId) forgetAnswered(answerId)
  }, [answerId])
  useEffect(() => {
    if (nextId === undefined || nextId === answerId) return
    const search = nextAfter ? { after: nextAfter } : {}
    void navigate({ to: '/answers/$answerId', params: { answerId: nextId }, search, state: { keepsFocus: true } })
  }, [nextId, nextAfter, answerId, navigate])
  // A follow-up keeps the options of the previous question until the user changes them.
  const manner = chosen ?? last?.manner ?? usual
  const put = (question: string, how: SearchOptions) =>
    void ask(cairn, question, how, { sandboxId, base: answerId, shown: turns.filter(({ answer }) => answer) })
  if (error) return <ErrorMessage error={error} />
  if (isLoading) return <Loading />
  return (
    <Page
      title={turns[0] ? plain(turns[0].question) : t('Ask')}
      tab={last && plain(last.question)}
      about={!last && t('Each statement of an answer shows the records that support it.')}
      beside={last && <NewConversation />}
    >
      {missing > 0 && (
        <p className={classes.missing}>
          {t('Earlier answers of this conversation were deleted or are not shared with you.')}
        </p>
      )}
      {last && <Turns turns={turns} onAgain={(turn) => put(turn.question, turn.manner)} />}
      <div className={last ? classes.next : classes.first}>
        <QuestionForm
          manner={manner}
          onManner={setChosen}
          onAsk={(question) => put(question, manner)}
          isAsking={isAsking}
          isFollowUp={last !== undefined}
        />
      </div>
      {!last && sandboxId && (
        <>
          <Starters onAsk={put} />
          <RecentAnswers />
        </>
      )}
    </Page>
  )
}

/**
 * Returns the address of the last answer, which includes the answers before it. Returns undefined while a question is
 * open, if it failed, or if an answer is not stored.
 */
function addressAfter(turns: readonly QuestionTurn[]): { answerId: string; after: string } | undefined {
  const ids = turns.map(({ answer }) => answer?.answer_id)
  const answerId = ids.pop()
  if (answerId === undefined || ids.includes(undefined)) return undefined
  return { answerId, after: ids.slice(-EARLIER_MAX).join('.') }
}

function Turns({
  turns,
  onAgain,
}: {
  turns: readonly QuestionTurn[]
  onAgain: (turn: QuestionTurn) => void
}): ReactNode {
  const latest = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (turns.length > 1) void latest.current?.lastElementChild?.scrollIntoView({ block: 'start' })
  }, [turns.length])
  return (
    <div ref={latest} aria-live="polite">
      {turns.map((turn, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the turns of a conversation keep their order
        <TurnView key={at} number={at + 1} turn={turn} onAgain={() => onAgain(turn)} />
      ))}
    </div>
  )
}

function NewConversation(): ReactNode {
  return (
    <Button
      variant="default"
      size="compact-sm"
      leftSection={<Plus />}
      renderRoot={(props) => <Link {...props} to="/" onClick={forgetAsked} />}
    >
      {t('New conversation')}
    </Button>
  )
}
