import { Button, NativeSelect, Progress, Textarea, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Upload } from 'lucide-react'
import { type DragEvent, type ReactNode, useRef, useState } from 'react'
import { sentenceOf } from '../app/sentence-of.ts'
import { useCairn } from '../app/session.ts'
import { useAccess, useProjects } from '../app/shared-queries.ts'
import { count } from '../parts/format.ts'
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
  const [sourceName, setSourceName] = useState('Files')
  const [project, setProject] = useState('')
  const target: Target = { source_name: sourceName.trim() || 'Files', ...(project && { project_id: project }) }
  const take = (files: readonly DroppedFile[]) => addFiles(cairn, files, target)
  if (access === 'viewer') {
    return (
      <EmptyState title="You can only read this sandbox">
        <p>Ask its owner to let you write, or choose a sandbox of your own.</p>
      </EmptyState>
    )
  }
  return (
    <Page title="Add" about="You can ask about added content after a few seconds.">
      <Drop onTake={take} />
      <details className={classes.where}>
        <summary>
          Added to the source “<bdi>{plainLine(target.source_name)}</bdi>”. Change
        </summary>
        <Fields>
          <TextInput
            label="Source"
            description="Created if no source has this name."
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
      label="Project"
      description="The records also belong to this project."
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
      data={[
        { value: '', label: 'None' },
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
      aria-label="Drop files or folders"
      data-is-over={isOver}
      onDragOver={over}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <Upload />
      <p>
        <strong>Drop files or folders here</strong>
      </p>
      <p>
        PDF, Word, PowerPoint, Excel, CSV, web pages, Markdown, text, e-mail, code, archives of these, and exports of
        other products. <a href="/guide/documents">Supported file types</a>
      </p>
      <div className={classes.choose}>
        <Button onClick={() => files.current?.click()}>Choose files</Button>
        <Button variant="default" onClick={() => folder.current?.click()}>
          Choose a folder
        </Button>
      </div>
      <input
        ref={files}
        type="file"
        multiple
        hidden
        aria-label="Files"
        onChange={({ currentTarget }) => onTake(chosenFiles(currentTarget.files ?? []))}
      />
      <input
        ref={folder}
        type="file"
        hidden
        aria-label="Folder"
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
    <Sheet title={isDone ? 'Added files' : 'Adding files'}>
      <Progress value={(PERCENT * done) / lines.length} size="sm" aria-label="Files processed" mb="sm" />
      <p className={classes.count} role="status">
        {count(done)} of {count(lines.length)} {lines.length === 1 ? 'file' : 'files'}
        {out > 0 && `, ${count(out)} left out`}. {isDone && done > out && <Link to="/">Ask about them</Link>}
      </p>
      {lines.length > LINES_SHOWN && <p className={classes.count}>The latest {count(LINES_SHOWN)} are listed.</p>}
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
        {fate}
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
    <Sheet title="Or paste text">
      <Textarea
        aria-label="Text"
        placeholder="A note, a decision, minutes of a meeting …"
        autosize
        minRows={3}
        maxRows={12}
        value={text}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
        mb="sm"
      />
      {adding.error && <p role="alert">{sentenceOf(adding.error)}</p>}
      {adding.isSuccess && text === '' && <p role="status">Added. You can ask about it now.</p>}
      <Button variant="default" disabled={!text.trim()} loading={adding.isPending} onClick={() => adding.mutate()}>
        Add this text
      </Button>
    </Sheet>
  )
}
