import { Button, NativeSelect, Textarea, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, type KeyboardEvent, type ReactNode, useState } from 'react'
import { firstPage } from '../app/first-page.ts'
import { useCairn, useSession } from '../app/session.ts'
import { plainLine } from '../parts/plain.ts'
import type { Manner } from './conversation.ts'
import classes from './question-form.module.css'

const PRESETS = [
  { value: '', label: 'Automatic' },
  { value: 'fast', label: 'Fast' },
  { value: 'sql', label: 'Counts and lists' },
]
const NAME_CHARS = 40

interface Props {
  onAsk: (question: string, manner: Manner) => void
  isAsking: boolean
  isFollowUp: boolean
}

/** Where a question is written. Enter asks it; with Shift it is a new line. */
export function QuestionForm({ onAsk, isAsking, isFollowUp }: Props): ReactNode {
  const [question, setQuestion] = useState('')
  const [manner, setManner] = useState<Manner>({})
  const send = () => {
    const asked = question.trim()
    if (!asked || isAsking) return
    onAsk(asked, manner)
    setQuestion('')
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    send()
  }
  const press = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    send()
  }
  return (
    <form className={classes.form} onSubmit={submit}>
      <div className={classes.line}>
        <Textarea
          aria-label={isFollowUp ? 'Follow-up question' : 'Question'}
          placeholder={isFollowUp ? 'Ask a follow-up …' : 'Ask what you want to know …'}
          autosize
          minRows={1}
          maxRows={6}
          size="md"
          maxLength={5000}
          value={question}
          onChange={({ currentTarget }) => setQuestion(currentTarget.value)}
          onKeyDown={press}
          className={classes.question}
        />
        <Button type="submit" size="md" loading={isAsking} disabled={!question.trim()}>
          Ask
        </Button>
      </div>
      <MannerFields manner={manner} onChange={setManner} />
    </form>
  )
}

function MannerFields({ manner, onChange }: { manner: Manner; onChange: (manner: Manner) => void }): ReactNode {
  const cairn = useCairn()
  const { sandboxId } = useSession()
  const { data } = useQuery({
    queryKey: [sandboxId, 'projects'],
    queryFn: () => firstPage(cairn.listProjects({ status: 'active' })),
  })
  const projects = data?.projects ?? []
  return (
    <details className={classes.more}>
      <summary>Project, date and manner</summary>
      <div className={classes.fields}>
        <NativeSelect
          label="Project"
          value={manner.project_id ?? ''}
          onChange={({ currentTarget }) => onChange({ ...manner, project_id: currentTarget.value || undefined })}
          data={[
            { value: '', label: 'The whole sandbox' },
            ...projects.map(({ project_id: value, name }) => ({ value, label: plainLine(name, NAME_CHARS) })),
          ]}
        />
        <TextInput
          type="date"
          label="As if today were"
          value={manner.reference_date ?? ''}
          onChange={({ currentTarget }) => onChange({ ...manner, reference_date: currentTarget.value || undefined })}
        />
        <NativeSelect
          label="Manner"
          value={manner.preset ?? ''}
          onChange={({ currentTarget }) =>
            onChange({ ...manner, preset: (currentTarget.value || undefined) as Manner['preset'] })
          }
          data={PRESETS}
        />
      </div>
    </details>
  )
}
