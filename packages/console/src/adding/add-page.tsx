import { Button, NativeSelect, Progress, Textarea, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Upload } from 'lucide-react'
import { type DragEvent, type ReactNode, useRef, useState } from 'react'
import { sentenceOf } from '../app/sentence-of.ts'
import { useCairn } from '../app/session.ts'
import { useAccess, useProjects } from '../app/shared-queries.ts'
import { t } from '../language/language.ts'
import { rich } from '../language/rich.ts'
import { Fields, Page, Sheet } from '../parts/page.tsx'
import { plain, plainLine } from '../parts/plain.ts'
import { EmptyState } from '../parts/states.tsx'
import classes from './add-page.module.css'
import { type AddedFile, addFiles, type Target, useLines } from './adding.ts'
import { chosenFiles, type DroppedFile, droppedFiles } from './dropped-files.ts'

const LINES_SHOWN = 300
const PERCENT = 100

/** Shows the page where files and texts are added. */
export function AddPage(): ReactNode {
  const cairn = useCairn()
  const access = useAccess()
  const [sourceName, setSourceName] = useState(t('Files'))
  const [project, setProject] = useState('')
  const target: Target = { source_name: sourceName.trim() || t('Files'), ...(project && { project_id: project }) }
  const take = (files: readonly DroppedFile[]) => addFiles(cairn, files, target)
  if (access === 'viewer') {
    return (
      <EmptyState title={t('You can only read this sandbox')}>
        <p>{t('Ask its owner to let you write, or choose a sandbox of your own.')}</p>
      </EmptyState>
    )
  }
  return (
    <Page title={t('Add')} about={t('You can ask about added content after a few seconds.')}>
      <Drop onTake={take} />
      <details className={classes.where}>
        <summary>
          {rich('Added to the source “{name}”. Change', { name: <bdi>{plainLine(target.source_name)}</bdi> })}
        </summary>
        <Fields>
          <TextInput
            label={t('Source')}
            description={t('Created if no source has this name.')}
            value={sourceName}
            onChange={({ currentTarget }) => setSourceName(currentTarget.value)}
          />
          <ProjectField value={project} onChange={setProject} />
        </Fields>
      </details>
      <Lines />
      <PastedText target={target} />
    </Page>
  )
}

function ProjectField({ value, onChange }: { value: string; onChange: (value: string) => void }): ReactNode {
  const { data } = useProjects()
  return (
    <NativeSelect
      label={t('Project')}
      description={t('The records also belong to this project.')}
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
      data={[
        { value: '', label: t('None') },
        ...(data?.projects ?? []).map(({ project_id: id, name }) => ({ value: id, label: plainLine(name) })),
      ]}
    />
  )
}

function Drop({ onTake }: { onTake: (files: readonly DroppedFile[]) => void }): ReactNode {
  const [isOver, setOver] = useState(false)
  const files = useRef<HTMLInputElement>(null)
  const folder = useRef<HTMLInputElement>(null)
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    void droppedFiles(event.dataTransfer).then(onTake)
  }
  const over = (event: DragEvent) => {
    event.preventDefault()
    setOver(true)
  }
  return (
    <section
      className={classes.drop}
      aria-label={t('Drop files or folders')}
      data-is-over={isOver}
      onDragOver={over}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <Upload />
      <p>
        <strong>{t('Drop files or folders here')}</strong>
      </p>
      <p>
        {t('PDF, Word, PowerPoint, Excel, CSV, web pages, Markdown, text, e-mail, code.')}{' '}
        {t('Also archives of these, and exports of other products.')}{' '}
        <a href="/guide/documents">{t('Supported file types')}</a>
      </p>
      <div className={classes.choose}>
        <Button onClick={() => files.current?.click()}>{t('Choose files')}</Button>
        <Button variant="default" onClick={() => folder.current?.click()}>
          {t('Choose a folder')}
        </Button>
      </div>
      <input
        ref={files}
        type="file"
        multiple
        hidden
        aria-label={t('Files')}
        onChange={({ currentTarget }) => onTake(chosenFiles(currentTarget.files ?? []))}
      />
      <input
        ref={folder}
        type="file"
        hidden
        aria-label={t('Folder')}
        {...{ webkitdirectory: '' }}
        onChange={({ currentTarget }) => onTake(chosenFiles(currentTarget.files ?? []))}
      />
    </section>
  )
}

function Lines(): ReactNode {
  const lines = useLines()
  if (lines.length === 0) return null
  const done = lines.filter(({ fate }) => fate !== 'waiting' && fate !== 'reading').length
  const out = lines.filter(({ fate }) => fate === 'left out').length
  const isDone = done === lines.length
  return (
    <Sheet title={isDone ? t('Added files') : t('Adding files')}>
      <Progress value={(PERCENT * done) / lines.length} size="sm" aria-label={t('Files processed')} mb="sm" />
      <p className={classes.count} role="status">
        {t('{done} of {n} file|{done} of {n} files', { done, n: lines.length })}
        {out > 0 && `, ${t('{n} left out', { n: out })}`}.{' '}
        {isDone && done > out && <Link to="/">{t('Ask about them')}</Link>}
      </p>
      {lines.length > LINES_SHOWN && (
        <p className={classes.count}>{t('The latest {shown} are listed.', { shown: LINES_SHOWN })}</p>
      )}
      <ul className={classes.lines}>
        {lines.slice(-LINES_SHOWN).map((line) => (
          <FileLine key={line.id} line={line} />
        ))}
      </ul>
    </Sheet>
  )
}

function FileLine({ line: { path, fate, said } }: { line: AddedFile }): ReactNode {
  return (
    <li data-fate={fate}>
      <bdi className={classes.path}>{plainLine(path)}</bdi>
      <span className={classes.fate}>
        {' '}
        {t(fate)}
        {said && `: ${plain(said)}`}
      </span>
    </li>
  )
}

function PastedText({ target: { project_id } }: { target: Target }): ReactNode {
  const cairn = useCairn()
  const known = useQueryClient()
  const [text, setText] = useState('')
  const adding = useMutation({
    mutationFn: () => cairn.add(text, { ...(project_id && { project_id }) }),
    onSuccess: () => {
      setText('')
      return known.invalidateQueries()
    },
  })
  return (
    <Sheet title={t('Or paste text')}>
      <Textarea
        aria-label={t('Text')}
        placeholder={t('A note, a decision, minutes of a meeting …')}
        autosize
        minRows={3}
        maxRows={12}
        value={text}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
        mb="sm"
      />
      {adding.error && <p role="alert">{sentenceOf(adding.error)}</p>}
      {adding.isSuccess && text === '' && <p role="status">{t('Added. You can ask about it now.')}</p>}
      <Button variant="default" disabled={!text.trim()} loading={adding.isPending} onClick={() => adding.mutate()}>
        {t('Add this text')}
      </Button>
    </Sheet>
  )
}
