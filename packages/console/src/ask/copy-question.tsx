import { Button, Menu } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import type { ReactNode } from 'react'
import { useSession } from '../app/session.ts'
import { t } from '../language/language.ts'
import type { QuestionTurn } from './conversation.ts'
import { SNIPPET_KINDS, snippetOf } from './snippets.ts'

/** Copies the question as code for a terminal, a program or an agent. */
export function CopyQuestion({ turn: { question, manner } }: { turn: QuestionTurn }): ReactNode {
  const { sandboxId = '' } = useSession()
  const clipboard = useClipboard()
  const asked = { url: location.origin, sandboxId, query: question, ...manner }
  return (
    <Menu position="top-start">
      <Menu.Target>
        <Button variant="subtle" size="compact-sm">
          {clipboard.copied ? t('Copied') : t('Copy as …')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {SNIPPET_KINDS.map((kind) => (
          <Menu.Item key={kind} onClick={() => clipboard.copy(snippetOf(kind, asked))}>
            {kind}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
