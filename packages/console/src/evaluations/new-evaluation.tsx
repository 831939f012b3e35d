import { Button, Checkbox, NativeSelect, Textarea, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type ChangeEvent, type FormEvent, type ReactNode, useRef, useState } from 'react'
import { sentenceOf } from '../app/sentence-of.ts'
import { useCairn, useSession } from '../app/session.ts'
import { useDefaultOptions } from '../ask/starters.tsx'
import { t } from '../language/language.ts'
import { Fields } from '../parts/page.tsx'
import classes from './evaluations.module.css'
import { questionsOf } from './questions-of.ts'

const PRESETS = [
  { value: 'auto', label: t('Automatic') },
  { value: 'fast', label: t('Fast') },
  { value: 'sql', label: t('Counts and lists') },
]
/** Maximum bytes of a file of questions. */
const FILE_BYTES_MAX = 4 * 1024 * 1024

/** Shows the form that starts an evaluation: questions, which may come from a file or from feedback, and settings. */
export function NewEvaluation(): ReactNode {
  const cairn = useCairn()
  const known = useQueryClient()
  const navigate = useNavigate()
  const { sandboxId } = useSession()
  const { reference_date: usual = '' } = useDefaultOptions()
  const [text, setText] = useState('')
  const [preset, setPreset] = useState('auto')
  const [today, setToday] = useState(usual)
  const [writer, setWriter] = useState(true)
  const [judge, setJudge] = useState(false)
  const read = questionsOf(text)
  const starting = useMutation({
    mutationFn: async () => {
      if ('error' in read) throw new Error(read.error)
      const settings = {
        preset,
        ...(today && { reference_date: today }),
        ...(!writer && { writer }),
        ...(judge && { judge }),
      }
      return cairn.evaluate({ questions: read.questions, settings })
    },
    onSuccess: async ({ job_id: evaluationId }) => {
      await known.invalidateQueries({ queryKey: [sandboxId, 'evaluations'] })
      await navigate({ to: '/evaluations/$evaluationId', params: { evaluationId }, search: {} })
    },
  })
  const start = (event: FormEvent) => {
    event.preventDefault()
    starting.mutate()
  }
  const error = starting.error ?? undefined
  return (
    <form className={classes.form} onSubmit={start}>
      <Textarea
        label={t('Questions')}
        description={t('One a line, or CSV with the columns question, expected, record and unanswerable.')}
        autosize
        minRows={4}
        maxRows={14}
        value={text}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
      />
      <QuestionSources onText={setText} />
      <Fields>
        <NativeSelect
          label={t('Mode')}
          value={preset}
          data={PRESETS}
          onChange={({ currentTarget }) => setPreset(currentTarget.value)}
        />
        <TextInput
          type="date"
          label={t('Today is')}
          value={today}
          onChange={({ currentTarget }) => setToday(currentTarget.value)}
        />
      </Fields>
      <Checkbox
        label={t('Let the configured language model write')}
        checked={writer}
        onChange={({ currentTarget }) => setWriter(currentTarget.checked)}
      />
      <Checkbox
        label={t('Let the configured language model grade answers that do not match')}
        checked={judge}
        onChange={({ currentTarget }) => setJudge(currentTarget.checked)}
      />
      <div className={classes.start}>
        <Button type="submit" loading={starting.isPending} disabled={text.trim() === '' || 'error' in read}>
          {'error' in read ? t('Start') : t('Ask {n} question|Ask {n} questions', { n: read.questions.length })}
        </Button>
        {text.trim() !== '' && 'error' in read && <span role="alert">{read.error}</span>}
        {error && <span role="alert">{sentenceOf(error)}</span>}
      </div>
    </form>
  )
}

/** Fills in the questions of a file, or those whose answers were rated as not right. */
function QuestionSources({ onText }: { onText: (text: string) => void }): ReactNode {
  const cairn = useCairn()
  const file = useRef<HTMLInputElement>(null)
  const [problem, setProblem] = useState<string>()
  const rated = useMutation({ mutationFn: () => cairn.exportQuestions(), onSuccess: onText })
  const take = async ({ currentTarget }: ChangeEvent<HTMLInputElement>) => {
    const [chosen] = currentTarget.files ?? []
    if (!chosen) return
    const isTooLarge = chosen.size > FILE_BYTES_MAX
    setProblem(isTooLarge ? t('A file of questions has at most 4 MiB.') : undefined)
    if (!isTooLarge) onText(await chosen.text())
  }
  return (
    <div className={classes.start}>
      <input
        ref={file}
        type="file"
        accept=".csv,text/csv,text/plain"
        aria-label={t('File of questions')}
        hidden
        onChange={(event) => void take(event)}
      />
      <Button variant="default" size="compact-sm" onClick={() => file.current?.click()}>
        {t('Open a CSV file')}
      </Button>
      <Button variant="default" size="compact-sm" loading={rated.isPending} onClick={() => rated.mutate()}>
        {t('Questions rated as wrong')}
      </Button>
      {problem && <span role="alert">{problem}</span>}
      {rated.error && <span role="alert">{sentenceOf(rated.error)}</span>}
    </div>
  )
}
