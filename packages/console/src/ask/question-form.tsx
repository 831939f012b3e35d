import { Button, NativeSelect, Textarea, TextInput } from '@mantine/core'
import { type FormEvent, type KeyboardEvent, type ReactNode, useState } from 'react'
import { useProjects } from '../app/shared-queries.ts'
import { t } from '../language/language.ts'
import { day } from '../parts/format.ts'
import { plainLine } from '../parts/plain.ts'
import type { SearchOptions } from './conversation.ts'
import classes from './question-form.module.css'

const PRESETS = [
  { value: '', label: t('Automatic') },
  { value: 'fast', label: t('Fast') },
  { value: 'sql', label: t('Counts and lists') },
]

interface QuestionFormProps {
  /** Search options in addition to the question. */
  manner: SearchOptions
  onManner: (manner: SearchOptions) => void
  onAsk: (question: string) => void
  isAsking: boolean
  isFollowUp: boolean
}

/** Shows the question form. Enter submits; Shift+Enter inserts a line break. */
export function QuestionForm({ manner, onManner, onAsk, isAsking, isFollowUp }: QuestionFormProps): ReactNode {
  const [question, setQuestion] = useState('')
  const send = () => {
    const text = question.trim()
    if (!text || isAsking) return
    onAsk(text)
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
          aria-label={isFollowUp ? t('Follow-up question') : t('Question')}
          placeholder={isFollowUp ? t('Ask a follow-up question') : t('Ask a question')}
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
          {t('Ask')}
        </Button>
      </div>
      <SearchOptionFields manner={manner} onChange={onManner} />
    </form>
  )
}

function SearchOptionFields({
  manner,
  onChange,
}: {
  manner: SearchOptions
  onChange: (manner: SearchOptions) => void
}): ReactNode {
  const { data } = useProjects()
  const projects = data?.projects ?? []
  const project = projects.find(({ project_id: id }) => id === manner.project_id)
  const summary = [
    project && plainLine(project.name),
    manner.reference_date && t('today is {day}', { day: day(manner.reference_date) }),
    manner.preset && PRESETS.find(({ value }) => value === manner.preset)?.label.toLowerCase(),
  ].filter(Boolean)
  return (
    <details className={classes.more}>
      <summary>{summary.length === 0 ? t('Options') : t('Options: {chosen}', { chosen: summary.join(', ') })}</summary>
      <div className={classes.fields}>
        <NativeSelect
          label={t('Project')}
          value={manner.project_id ?? ''}
          onChange={({ currentTarget }) => onChange({ ...manner, project_id: currentTarget.value || undefined })}
          data={[
            { value: '', label: t('The whole sandbox') },
            ...projects.map(({ project_id: value, name }) => ({ value, label: plainLine(name) })),
          ]}
        />
        <TextInput
          type="date"
          label={t('Today is')}
          value={manner.reference_date ?? ''}
          onChange={({ currentTarget }) => onChange({ ...manner, reference_date: currentTarget.value || undefined })}
        />
        <NativeSelect
          label={t('Mode')}
          value={manner.preset ?? ''}
          onChange={({ currentTarget }) =>
            onChange({ ...manner, preset: (currentTarget.value || undefined) as SearchOptions['preset'] })
          }
          data={PRESETS}
        />
      </div>
    </details>
  )
}
