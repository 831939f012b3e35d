import { Button, Textarea } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Copy, Link2, Share2, ThumbsDown, ThumbsUp, Trash2 } from 'lucide-react'
import { type FormEvent, type ReactNode, useState } from 'react'
import { sentenceOf } from '../app/sentence-of.ts'
import { useCairn, useSession } from '../app/session.ts'
import { useCaller } from '../app/shared-queries.ts'
import { t } from '../language/language.ts'
import { DeleteButton } from '../parts/delete-button.tsx'
import classes from './answer-actions.module.css'
import { answerKey, forgetAsked, type QuestionTurn, type ShownAnswer } from './conversation.ts'
import { CopyQuestion } from './copy-question.tsx'
import { withCitations } from './with-citations.ts'

interface ActionsProps {
  turn: QuestionTurn
  answer: ShownAnswer
}

/** Shows what can be done with an answer: copy, rate, share and delete it. */
export function AnswerActions({ turn, answer }: ActionsProps): ReactNode {
  const { asUser } = useSession()
  const caller = useCaller().data
  const { answer_id: answerId, asked_by: askedBy } = answer
  // A member has an id of their own. The caller is also the owner of an answer that has just arrived.
  const isOwn = askedBy === undefined || (caller && askedBy === (caller.member_id ?? caller.user_id))
  const canChange = answerId !== undefined && asUser === undefined
  return (
    <div className={classes.actions}>
      <CopyAnswer turn={turn} answer={answer} />
      <CopyQuestion turn={turn} />
      {canChange && isOwn && <ShareAnswer answerId={answerId} isShared={answer.shared === true} />}
      {canChange && isOwn && <DeleteAnswer answerId={answerId} />}
      {canChange && <FeedbackForm key={answerId} answerId={answerId} given={answer.feedback} />}
    </div>
  )
}

function CopyAnswer({ turn, answer }: ActionsProps): ReactNode {
  const clipboard = useClipboard()
  return (
    <Button
      variant="subtle"
      size="compact-sm"
      leftSection={<Copy />}
      onClick={() => clipboard.copy(withCitations(turn.question, answer, location.origin))}
    >
      {clipboard.copied ? t('Copied') : t('Copy with citations')}
    </Button>
  )
}

/** Returns a function that changes the answer in the cache, after the service changed it. */
function useChangeAnswer(answerId: string) {
  const known = useQueryClient()
  const { sandboxId } = useSession()
  return (changed: Partial<ShownAnswer>) => {
    known.setQueryData<ShownAnswer>(answerKey(sandboxId, answerId), (answer) => answer && { ...answer, ...changed })
    return known.invalidateQueries({ queryKey: [sandboxId, 'answers'] })
  }
}

function ShareAnswer({ answerId, isShared }: { answerId: string; isShared: boolean }): ReactNode {
  const cairn = useCairn()
  const clipboard = useClipboard()
  const change = useChangeAnswer(answerId)
  const sharing = useMutation({
    mutationFn: () =>
      isShared ? cairn.unshareAnswer({ answer_id: answerId }) : cairn.shareAnswer({ answer_id: answerId }),
    onSuccess: () => change({ shared: !isShared }),
  })
  return (
    <>
      <Button
        variant="subtle"
        size="compact-sm"
        leftSection={<Share2 />}
        loading={sharing.isPending}
        title={t('Members of your account who can read every cited record can read a shared answer.')}
        onClick={() => sharing.mutate()}
      >
        {isShared ? t('Stop sharing') : t('Share with your account')}
      </Button>
      {isShared && (
        <Button
          variant="subtle"
          size="compact-sm"
          leftSection={<Link2 />}
          onClick={() => clipboard.copy(`${location.origin}/console/answers/${answerId}`)}
        >
          {clipboard.copied ? t('Copied') : t('Copy link')}
        </Button>
      )}
      {sharing.error && <span role="alert">{sentenceOf(sharing.error)}</span>}
    </>
  )
}

function DeleteAnswer({ answerId }: { answerId: string }): ReactNode {
  const cairn = useCairn()
  const known = useQueryClient()
  const navigate = useNavigate()
  const { sandboxId } = useSession()
  const deleteAnswer = async () => {
    await cairn.deleteAnswer({ answer_id: answerId })
    forgetAsked()
    await navigate({ to: '/answers' })
    known.removeQueries({ queryKey: answerKey(sandboxId, answerId) })
    await known.invalidateQueries({ queryKey: [sandboxId, 'answers'] })
  }
  return (
    <DeleteButton variant="subtle" leftSection={<Trash2 />} onDelete={deleteAnswer}>
      {t('Delete')}
    </DeleteButton>
  )
}

type Verdict = NonNullable<ShownAnswer['feedback']>['verdict']

const VERDICTS: readonly { verdict: Verdict; label: string; icon?: ReactNode }[] = [
  { verdict: 'right', label: t('Right'), icon: <ThumbsUp /> },
  { verdict: 'partly', label: t('Partly right') },
  { verdict: 'wrong', label: t('Wrong'), icon: <ThumbsDown /> },
]

/** Shows a form for rating an answer as right or not, with a note. */
function FeedbackForm({ answerId, given }: { answerId: string; given: ShownAnswer['feedback'] }): ReactNode {
  const cairn = useCairn()
  const change = useChangeAnswer(answerId)
  const [note, setNote] = useState(given?.note ?? '')
  const [isOpen, setOpen] = useState(false)
  const giving = useMutation({
    mutationFn: (verdict: Verdict) =>
      cairn.giveFeedback({ answer_id: answerId, verdict, ...(note.trim() && { note: note.trim() }) }),
    onSuccess: (feedback) => {
      setOpen(feedback.verdict !== 'right' && feedback.note === null)
      return change({ feedback })
    },
  })
  const send = (event: FormEvent) => {
    event.preventDefault()
    if (given) giving.mutate(given.verdict)
  }
  return (
    <fieldset className={classes.feedback}>
      <legend>{t('Is this answer right?')}</legend>
      {VERDICTS.map(({ verdict, label, icon }) => (
        <Button
          key={verdict}
          size="compact-sm"
          variant={given?.verdict === verdict ? 'light' : 'subtle'}
          aria-pressed={given?.verdict === verdict}
          leftSection={icon}
          onClick={() => giving.mutate(verdict)}
        >
          {label}
        </Button>
      ))}
      {given && !isOpen && (
        <Button size="compact-sm" variant="subtle" color="gray" onClick={() => setOpen(true)}>
          {given.note ? t('Change the note') : t('Add a note')}
        </Button>
      )}
      {given && isOpen && (
        <form className={classes.note} onSubmit={send}>
          <Textarea
            label={t('What would be right?')}
            autosize
            minRows={2}
            maxRows={6}
            maxLength={NOTE_CHARS_MAX}
            value={note}
            onChange={({ currentTarget }) => setNote(currentTarget.value)}
          />
          <Button type="submit" size="compact-sm" loading={giving.isPending}>
            {t('Save the note')}
          </Button>
        </form>
      )}
      {given && !isOpen && <span role="status">{t('Your feedback is stored.')}</span>}
      {giving.error && <span role="alert">{sentenceOf(giving.error)}</span>}
    </fieldset>
  )
}

/** Maximum characters of a note, as in the API. */
const NOTE_CHARS_MAX = 2_000
