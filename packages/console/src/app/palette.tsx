import { useDebouncedValue } from '@mantine/hooks'
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { t } from '../language/language.ts'
import { rich } from '../language/rich.ts'
import { plainLine } from '../parts/plain.ts'
import classes from './palette.module.css'
import { type PaletteItem, usePaletteItems } from './use-palette-items.ts'

const SETTLED_MS = 150

/** Shows a search dialog for pages, records, entities, sources and answers. It can be used by keyboard or pointer. */
export function Palette({ onClose }: { onClose: () => void }): ReactNode {
  const dialog = useRef<HTMLDialogElement>(null)
  const [typed, setTyped] = useState('')
  const [settled] = useDebouncedValue(typed.trim(), SETTLED_MS)
  const { groups, isLoading } = usePaletteItems(settled)
  const [chosen, setChosen] = useState(0)
  const items = groups.flatMap((group) => group.items)
  const active = items[Math.min(chosen, items.length - 1)]
  useEffect(() => {
    if (!dialog.current?.open) dialog.current?.showModal()
  }, [])
  // biome-ignore lint/correctness/useExhaustiveDependencies: other items begin at the first one
  useEffect(() => setChosen(0), [settled])
  useEffect(() => {
    if (active) void document.getElementById(optionId(active))?.scrollIntoView({ block: 'nearest' })
  }, [active])
  const open = (item: PaletteItem | undefined) => {
    if (!item) return
    dialog.current?.close()
    item.open()
  }
  const pointAt = (item: PaletteItem) => setChosen(items.indexOf(item))
  const press = (event: KeyboardEvent) => {
    const step = STEPS[event.key]
    if (event.key === 'Enter' && !event.nativeEvent.isComposing) open(active)
    else if (step === undefined) return
    else setChosen((at) => (Math.min(at, items.length - 1) + step + items.length) % Math.max(1, items.length))
    event.preventDefault()
  }
  return (
    <dialog ref={dialog} className={classes.palette} aria-label={t('Search')} onClose={onClose}>
      <input
        autoFocus
        type="text"
        role="combobox"
        aria-label={t('Search pages, records, entities, sources and answers')}
        aria-expanded="true"
        aria-controls="palette-items"
        aria-activedescendant={active && optionId(active)}
        autoComplete="off"
        spellCheck={false}
        placeholder={t('Search, or ask a question')}
        value={typed}
        onChange={({ currentTarget }) => setTyped(currentTarget.value)}
        onKeyDown={press}
      />
      <Results groups={groups} active={active} isLoading={isLoading} onOpen={open} onPoint={pointAt} />
      <p className={classes.keys}>{rich('{up} {down} to choose, {enter} to open, {escape} to close', KEYS)}</p>
    </dialog>
  )
}

interface ResultsProps {
  groups: ReturnType<typeof usePaletteItems>['groups']
  active: PaletteItem | undefined
  isLoading: boolean
  onOpen: (item: PaletteItem) => void
  onPoint: (item: PaletteItem) => void
}

function Results({ groups, active, isLoading, onOpen, onPoint }: ResultsProps): ReactNode {
  return (
    <div id="palette-items" role="listbox" aria-label={t('Results')} className={classes.items} aria-busy={isLoading}>
      {groups.map(({ name, items }) => (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset may not be in a listbox
        <div key={name} role="group" aria-label={name}>
          <span className={classes.group} aria-hidden="true">
            {name}
          </span>
          {items.map((item) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are handled by the field, which keeps the focus
            <div
              key={item.key}
              id={optionId(item)}
              role="option"
              tabIndex={-1}
              aria-selected={item === active}
              className={classes.item}
              onClick={() => onOpen(item)}
              onMouseMove={() => onPoint(item)}
            >
              <bdi>{plainLine(item.label)}</bdi>
              {item.about && <span className={classes.about}>{plainLine(item.about)}</span>}
            </div>
          ))}
        </div>
      ))}
    </div>
  )
}

const KEYS = {
  up: <kbd>↑</kbd>,
  down: <kbd>↓</kbd>,
  enter: <kbd>{t('Enter')}</kbd>,
  escape: <kbd>Esc</kbd>,
}
const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 }

function optionId({ key }: PaletteItem): string {
  return `palette-${key}`
}
